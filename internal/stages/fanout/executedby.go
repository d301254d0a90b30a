package fanout

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/exec/runner/solver"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// ExecutedBy describes what executes a stage's programs: interpreters, loaders and libraries. It is part of the key,
// since a newer interpreter may produce different results.
type ExecutedBy struct {
	tools    []*Tool
	recalled string // key component from the evidence; empty without evidence
}

// executedBy is the name of the key component.
const executedBy = "executed_by"

// ReadExecutedBy determines what executes the tools' programs, unless the evidence records it.
func ReadExecutedBy(a *stages.Args, tools ...*Tool) (by ExecutedBy, err error) {
	by.tools = tools
	if len(tools) > 0 {
		by.recalled, _ = a.Recorded(executedBy)
	}
	var errs []error
	for _, t := range tools {
		if by.recalled != "" || t.Program.Path == "" { // already known, or the program is not on this machine
			continue
		}
		if err := t.findExecuted(); err != nil {
			at := "interpreter"
			if len(t.Interpreter) == 0 {
				at = "program"
			}
			errs = append(errs, t.block.Invalid(at, "The program cannot be executed", err.Error()+"."))
		}
	}
	return by, errors.Join(errs...)
}

// WriteKey writes the key component, if there are programs.
func (by *ExecutedBy) WriteKey(k *cache.KeyWriter) {
	switch {
	case len(by.tools) == 0:
	case by.recalled != "":
		k.String(executedBy, by.recalled)
	default:
		k.String(executedBy, by.here())
	}
}

// here returns the key component for this machine.
func (by *ExecutedBy) here() string {
	if len(by.tools) == 1 {
		return "sha256:" + by.tools[0].executed.String()
	}
	h := sha256.New()
	for _, t := range by.tools {
		fmt.Fprintf(h, "%s\n", t.executed)
	}
	return fmt.Sprintf("sha256:%x", h.Sum(nil))
}

// Check returns an error if this machine would execute the programs with different interpreters than the evidence
// names. It is called before an execution.
func (by *ExecutedBy) Check() error {
	if by.recalled == "" {
		return nil
	}
	var names []string
	var errs []error
	for _, t := range by.tools {
		names = append(names, t.Program.Name)
		errs = append(errs, t.findExecuted())
	}
	err := errors.Join(errs...)
	if here := by.here(); err == nil && here != by.recalled {
		err = fmt.Errorf("it is executed by %s here", here)
	}
	if err != nil {
		return fmt.Errorf("program %s cannot be executed as in the evidence, by %s: %w", strings.Join(names, ", "),
			by.recalled, err)
	}
	return nil
}

// findExecuted determines what executes the program on this machine, and replaces an interpreter's bare name with its
// path.
func (t *Tool) findExecuted() (err error) {
	t.executed, err = executes(t.Program.Path, t.Interpreter)
	return err
}

// folders are searched for an interpreter given by its bare name. PATH is not used, since a pipeline must not depend on
// it.
var folders = []string{"/usr/local/bin", "/usr/bin", "/bin"}

// executes returns the digest of whatever executes a program: the interpreter that is given or that the program names
// after "#!", or a binary's loader and libraries. The digest does not cover the program itself. An interpreter's bare
// name is replaced with its path.
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

// find returns an interpreter's path.
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

// digestOf digests the files that a program consists of, except the file without. The files are sorted by path.
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
