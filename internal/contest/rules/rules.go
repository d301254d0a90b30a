// Package rules reads a year's rules from its folder: year.rules.hcl, with tracks, divisions, seeds, entrants, script
// restrictions and validation; scoring.rules.hcl, its scoring rule set; and modules that pipelines use, such as
// tracks.hcl.
//
// The folders in pipelines/ are built in and named by year; any other folder is named by its path. A year can be based
// on another year and then inherits everything that its own files do not change.
package rules

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/smtpipe/smtpipe/internal/contest/score/pages"
	"github.com/smtpipe/smtpipe/internal/contest/submission"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/comp/divisions"
	"github.com/smtpipe/smtpipe/internal/data/comp/language"
	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
	"github.com/smtpipe/smtpipe/internal/smt/validate"
	"github.com/smtpipe/smtpipe/pipelines"
)

// The files in a rules folder, apart from its modules.
const (
	yearFile    = "year.rules.hcl"
	scoringFile = "scoring.rules.hcl"
)

// Suffix is the ending of rule files, which a pipeline in the same folder ignores.
const Suffix = ".rules.hcl"

// Builtin is the prefix of built-in file names, as in "builtin:2026/tracks.hcl".
const Builtin = "builtin:"

// Rules holds a year's rules. They are immutable after loading.
type Rules struct {
	Name       string // requested name: "2026", or a folder's path
	Year       int
	Title      string // name of the competition, such as "SMT-COMP 2026"
	Document   string // citation of its rules, such as "SMT-COMP 2026 rules"
	Seed       Seed
	Divisions  divisions.Table
	Kinds      comp.Kinds         // kinds of the competition's own tracks, excluding those built into smtpipe
	Language   *language.Language // nil: SMT-LIB
	Entrants   submission.Rules
	Scripts    smtlib.ScriptRules
	Validation validate.Rules
	Published  pages.Year // facts about the published results, and how they were computed

	// Files contains the rule files that were read, for diagnostics, by their names in source ranges.
	Files map[string]*hcl.File

	folders []folder // the year's own folder, its base's, and so on
}

// Seed describes how to compute the competition's seed from the entrants' numbers and a stock index's opening value.
type Seed struct {
	// IndexFactor multiplies the opening value before its integer part is added.
	IndexFactor int64 `hcl:"index_factor,optional" cty:"index_factor"`
}

// folder contains one year's files, on disk or built in.
type folder struct {
	files fs.FS
	name  string // prefix of file names in diagnostics; "" for the working directory
}

func (f folder) path(file string) string {
	if strings.HasPrefix(f.name, Builtin) {
		return f.name + "/" + file
	}
	return filepath.Join(f.name, file)
}

func (f folder) has(file string) bool {
	_, err := fs.Stat(f.files, file)
	return err == nil
}

// Names returns the built-in years, in ascending order.
func Names() []string {
	found, err := fs.Glob(pipelines.Files, "*/"+yearFile)
	if err != nil {
		panic(err) // the pattern is constant
	}
	for i, f := range found {
		found[i] = path.Dir(f)
	}
	slices.Sort(found)
	return found
}

// Newest returns the name of the newest built-in year.
func Newest() string {
	names := Names()
	return names[len(names)-1]
}

// IsBuiltin reports whether a name is a built-in year.
func IsBuiltin(name string) bool { return slices.Contains(Names(), name) }

// IsFolder reports whether a path is a folder with a year's rules.
func IsFolder(path string) bool { return folder{files: os.DirFS(path)}.has(yearFile) }

// open returns the folder for a name: a built-in year, or a path relative to dir.
func open(name, dir string) (folder, error) {
	if !strings.ContainsAny(name, `/\.`) {
		if !IsBuiltin(name) {
			return folder{}, fmt.Errorf("there are no rules for %q. The years with rules are %s; a folder is named by its "+
				"path, such as \"./%s\"", name, strings.Join(Names(), ", "), name)
		}
		sub, err := fs.Sub(pipelines.Files, name)
		return folder{sub, Builtin + name}, err
	}
	at := name
	if !filepath.IsAbs(at) {
		at = filepath.Join(dir, name)
	}
	info, err := os.Stat(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return folder{}, fmt.Errorf("there is no folder %s", at)
	case err != nil:
		return folder{}, err
	case !info.IsDir():
		return folder{}, fmt.Errorf("%s is not a folder; the rules of a year are a folder with the file %s", at, yearFile)
	}
	f := folder{os.DirFS(at), at}
	if !f.has(yearFile) {
		return folder{}, fmt.Errorf("the folder %s has no file %s", at, yearFile)
	}
	return f, nil
}

// Module looks up a module, such as "tracks" for tracks.hcl, in the year's folder, its base's and so on, and then among
// the shared modules. It returns the file's name for ReadFile.
func (r *Rules) Module(name string) (file string, ok bool) {
	shared, err := fs.Sub(pipelines.Files, "modules")
	if err != nil {
		return "", false
	}
	for _, f := range append(slices.Clone(r.folders), folder{shared, Builtin + "modules"}) {
		if f.has(name + ".hcl") {
			return f.path(name + ".hcl"), true
		}
	}
	return "", false
}

// FileNames returns the names of all files in the year's folder and its bases' folders: paths, or names for ReadFile.
func (r *Rules) FileNames() []string {
	var names []string
	for _, f := range r.folders {
		found, err := fs.Glob(f.files, "*.hcl")
		if err != nil {
			panic(err) // the pattern is constant
		}
		for _, name := range found {
			names = append(names, f.path(name))
		}
	}
	return names
}

// ReadFile reads a built-in file. Its name must start with Builtin.
func ReadFile(name string) ([]byte, error) {
	return fs.ReadFile(pipelines.Files, strings.TrimPrefix(name, Builtin))
}
