package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/exec/runner/solver"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// ProgramFolders are searched for a program given without a folder. PATH is not used, because a pipeline must not
// depend on it.
var ProgramFolders = []string{"/usr/local/bin", "/usr/bin", "/bin"}

// Files finds the files that a pipeline names. Their digests come from the store's index.
type Files struct {
	Folder string
	Index  *cache.FileIndex
}

// File returns a file or folder. path is absolute, or relative to the pipeline's folder.
func (p *Files) File(path string) (stages.File, error) {
	full := p.resolve(path)
	info, err := os.Stat(full)
	if err != nil {
		return stages.File{}, notRead(err, path)
	}
	f := stages.File{Path: full, Name: p.name(full), IsDir: info.IsDir()}
	if f.IsDir {
		// The folder may be a link, which the pipeline has checked.
		if full, err = filepath.EvalSymlinks(full); err != nil {
			return stages.File{}, notRead(err, path)
		}
		f.Path = full
		f.Digest, _, err = p.Index.DigestTree(full)
	} else {
		f.Digest, _, err = p.Index.Digest(full)
	}
	return f, err
}

// Program returns an installed program. Its digest also covers the libraries that it loads.
func (p *Files) Program(name string) (stages.File, error) {
	full, err := p.FindProgram(name)
	if err != nil {
		return stages.File{}, err
	}
	info, err := os.Stat(full)
	if err != nil {
		return stages.File{}, exit.Plain(err, name)
	}
	switch {
	case !info.Mode().IsRegular():
		return stages.File{}, fmt.Errorf("%s is not a program but a folder or a special file", name)
	case info.Mode()&0o111 == 0:
		return stages.File{}, fmt.Errorf("%s is not executable (chmod +x)", name)
	}
	digest, err := p.programDigest(full)
	return stages.File{Path: full, Name: filepath.Base(full), Digest: digest}, err
}

func (p *Files) FindProgram(name string) (string, error) {
	if strings.Contains(name, "/") {
		return p.resolve(name), nil
	}
	for _, dir := range ProgramFolders {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && !info.IsDir() {
			return filepath.Join(dir, name), nil
		}
	}
	err := fmt.Errorf("there is no program %q in %s", name, strings.Join(ProgramFolders, ", "))
	if found, lookErr := Installed(name); lookErr == nil && found != "" {
		err = fmt.Errorf("%w, and a pipeline does not depend on $PATH, which has %s", err, found)
	}
	return "", err
}

// Installed searches $PATH for a program. It returns the path if a pipeline must state it because pipelines do not
// search that folder, for example a virtual environment.
func Installed(name string) (string, error) {
	found, err := exec.LookPath(name)
	if err == nil {
		found, err = filepath.Abs(found)
	}
	if err != nil || slices.Contains(ProgramFolders, filepath.Dir(found)) {
		return "", err
	}
	return found, nil
}

// programDigest computes the digest of a program with everything that it loads.
func (p *Files) programDigest(full string) (cache.Digest, error) {
	return p.Index.DigestSet(full, func() ([]string, error) {
		files, _, err := solver.ProgramClosure(full)
		if err != nil {
			return nil, err
		}
		paths := make([]string, len(files))
		for i, f := range files {
			paths[i] = f.Path
		}
		return paths, nil
	})
}

func (p *Files) resolve(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(p.Folder, path)
}

// name returns a path as used in keys: relative to the pipeline's folder if possible.
func (p *Files) name(full string) string {
	if folder, err := filepath.Abs(p.Folder); err == nil {
		if abs, err := filepath.Abs(full); err == nil {
			if rel, err := filepath.Rel(folder, abs); err == nil {
				return filepath.ToSlash(rel)
			}
		}
	}
	return filepath.ToSlash(full)
}

// notRead returns a clearer error for a path in the pipeline.
func notRead(err error, path string) error {
	switch {
	case !errors.Is(err, fs.ErrNotExist):
		return exit.Plain(err, path)
	case filepath.IsAbs(path):
		return fmt.Errorf("%w; correct the path", exit.Plain(err, path))
	}
	return fmt.Errorf("%w; correct the path, which is relative to the pipeline's folder", exit.Plain(err, path))
}
