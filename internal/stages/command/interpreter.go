package command

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/exec/runner/solver"
)

// ExtendKey implements stages.KeyExtender: a newer interpreter may produce different results.
func (act *action) ExtendKey(k *cache.KeyWriter) {
	if act.recalled != "" {
		k.String(executedBy, act.recalled)
		return
	}
	k.Digest(executedBy, act.executed)
}

// executedBy names the key's component for whatever executes the program.
const executedBy = "executed_by"

// checkRecalled returns an error if this machine would execute the program with a different interpreter than the
// evidence names.
func (act *action) checkRecalled() error {
	if act.recalled == "" {
		return nil
	}
	here, err := executes(act.program.Path, act.interpreter)
	if err == nil && "sha256:"+here.String() != act.recalled {
		err = fmt.Errorf("it is executed by sha256:%s here", here)
	}
	if err != nil {
		return fmt.Errorf("the program %s cannot be executed as in the evidence, by %s: %w", act.program.Name,
			act.recalled, err)
	}
	return nil
}

// folders are searched for an interpreter given by its bare name. PATH is not used, since a pipeline must not depend on
// it.
var folders = []string{"/usr/local/bin", "/usr/bin", "/bin"}

// executes returns the digest of whatever executes a program: the interpreter that is given or that the program names
// after "#!", or a binary's loader and libraries. The program itself is not part of it. A bare name of an interpreter
// is replaced by its path.
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

// digestOf digests the files that a program consists of, except for one. They are sorted by path.
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
