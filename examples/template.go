package examples

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/smtpipe/smtpipe/examples/chc"
	"github.com/smtpipe/smtpipe/examples/quickstart"
	"github.com/smtpipe/smtpipe/internal/audit/frozen"
	"github.com/smtpipe/smtpipe/internal/base/words"
)

// Options choose what a template is made of. Fields that a template does not use are ignored.
type Options struct {
	Year string // year: the year whose competition and rules are copied; the newest if empty
	As   string // year: the copy's year, with four digits; the same if empty
	Of   string // review: the frozen folder
}

// Names lists the templates.
var Names = []string{"quickstart", "year", "compare", "competition", "sat", "optimum", "qbf", "review"}

// Template is what "smtpipe init" writes to a folder.
type Template struct {
	Files map[string][]byte // by path in the folder
	Wrote string            // a short description of the files
	Next  string            // the command to enter next
	Notes []string          // what the user should know
}

// Template returns one of Names. The folder, quoted for a shell, is where its next command will find it.
func (o Options) Template(name, folder string) (t Template, err error) {
	switch name {
	case "year":
		return o.yearTemplate(folder)
	case "compare":
		t.Files, err = filesBelow(quickstart.Files, "release", "benchmarks")
		t.Wrote = "benchmarks/"
		t.Next = fmt.Sprintf(`smtpipe compare z3 "z3 smt.arith.solver=2" --benchmarks %s/benchmarks `+
			"--wall 1s --sample 60", folder)
		return t, err
	case "review":
		return o.reviewTemplate(folder)
	case "competition":
		t.Files, err = filesBelow(chc.Files, ".", ".")
		t.Wrote = "competition.hcl, rules/ and release/"
	case "sat", "optimum", "qbf":
		t.Files, err = filesBelow(Files, name, ".")
		t.Wrote = "competition.hcl, rules/, benchmarks/ and programs in Python"
	default:
		t.Files, err = filesBelow(quickstart.Files, ".", ".")
		t.Wrote = "competition.hcl and release/"
	}
	t.Next = "smtpipe run -p " + folder
	if err == nil {
		t.Files["competition.hcl"], t.Notes = withInstalled(t.Files["competition.hcl"])
	}
	return t, err
}

// filesBelow returns the files in a folder, renamed to be in another folder.
func filesBelow(files fs.FS, from, to string) (map[string][]byte, error) {
	all := map[string][]byte{}
	err := fs.WalkDir(files, from, func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			below, _ := filepath.Rel(from, name)
			all[path.Join(to, filepath.ToSlash(below))], err = fs.ReadFile(files, name)
		}
		return err
	})
	return all, err
}

// Write writes the files to a folder. If any of them exists, it returns an error and writes nothing. After any other
// error, it removes the files that it has written.
func (t Template) Write(folder string) (err error) {
	if info, err := os.Stat(folder); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is not a folder; choose another name", folder)
	}
	var names []string
	for name := range t.Files {
		if _, err := os.Lstat(filepath.Join(folder, name)); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s already exists; choose an empty folder", filepath.Join(folder, name))
		}
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		target := filepath.Join(folder, name)
		if err = os.MkdirAll(filepath.Dir(target), 0o777); err == nil {
			mode := fs.FileMode(0o666)
			if bytes.HasPrefix(t.Files[name], []byte("#!")) {
				mode = 0o777
			}
			err = os.WriteFile(target, t.Files[name], mode)
		}
		if err != nil {
			for _, written := range names[:i+1] {
				os.Remove(filepath.Join(folder, written))
			}
			return err
		}
	}
	return nil
}

// reviewTemplate returns a copy of a frozen folder's pipeline, for a reviewer to change.
func (o Options) reviewTemplate(folder string) (t Template, err error) {
	of, err := frozen.Open(o.Of)
	if errors.Is(err, frozen.ErrNotFrozen) {
		return t, fmt.Errorf("%w; --of names one that \"smtpipe freeze\" wrote", err)
	}
	if err != nil {
		return t, err
	}
	defer of.Close()
	if t.Files, err = filesBelow(os.DirFS(of.Dir), "pipeline", "."); err != nil {
		return t, err
	}
	t.Wrote = "the pipeline of " + o.Of
	t.Next = fmt.Sprintf("smtpipe verify %s; smtpipe plan -p %s --evidence %[1]s", words.Shell(o.Of), folder)
	return t, nil
}
