package command

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/runner/solver"
)

// ExtendKey implements stages.KeyExtender: a newer interpreter may give other results.
func (act *action) ExtendKey(k *cache.KeyWriter) { k.Digest("executed_by", act.executed) }

// folders are where a bare name of an interpreter is looked for. PATH is not asked, since a pipeline must not depend on
// it.
var folders = []string{"/usr/local/bin", "/usr/bin", "/bin"}

// executes returns the digest of what executes a program: of the interpreter that is given or that the program names
// behind "#!", or of a binary's loader and libraries. The program itself is not part of it. A bare name of an
// interpreter is replaced by its path.
func executes(program string, interpreter []string) (cache.Digest, error) {
	if len(interpreter) > 0 {
		path, err := find(interpreter[0])
		if err != nil {
			return cache.Digest{}, err
		}
		interpreter[0] = path
		return digestOf("", path)
	}
	return digestOf(program, program)
}

// find returns the path of an interpreter.
func find(name string) (string, error) {
	candidates := []string{name}
	if !strings.Contains(name, "/") {
		candidates = nil
		for _, f := range folders {
			candidates = append(candidates, filepath.Join(f, name))
		}
	} else if !filepath.IsAbs(name) {
		return "", fmt.Errorf("%s is not an absolute path; name an interpreter that is installed, as /usr/bin/python3",
			name)
	}
	for _, path := range candidates {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	return "", fmt.Errorf("there is no program %q in %s", name, strings.Join(folders, ", "))
}

// digestOf digests the files that a program is made of, apart from one. They are sorted by path.
func digestOf(without, program string) (cache.Digest, error) {
	files, _, err := solver.ProgramClosure(program)
	if err != nil {
		return cache.Digest{}, err
	}
	h := sha256.New()
	for _, f := range files {
		if f.Path != without {
			fmt.Fprintf(h, "%s %q\n", f.Digest, f.Path)
		}
	}
	return cache.Digest(h.Sum(nil)), nil
}
