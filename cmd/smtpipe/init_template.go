package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/examples"
	"github.com/smtpipe/smtpipe/examples/chc"
	"github.com/smtpipe/smtpipe/examples/mini"
	"github.com/smtpipe/smtpipe/examples/quickstart"
	"github.com/smtpipe/smtpipe/internal/audit/frozen"
	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
)

// template describes what "init" writes to a folder.
type template struct {
	files map[string][]byte
	wrote string   // a short description of the files
	next  string   // the command to enter next
	notes []string // notes for standard error
}

// template returns the template with a name. folder must already be quoted for a shell.
func (f *initFlags) template(name, folder string) (t template, err error) {
	switch name {
	case "year":
		return f.yearTemplate(folder)
	case "compare":
		t.files, err = filesBelow(quickstart.Files, "release", "benchmarks")
		t.wrote = "benchmarks/"
		t.next = fmt.Sprintf(`smtpipe compare z3 "z3 smt.arith.solver=2" --benchmarks %s/benchmarks `+
			"--wall 1s --sample 60", folder)
		return t, err
	case "review":
		return f.reviewTemplate(folder)
	case "competition":
		t.files, err = filesBelow(chc.Files, ".", ".")
		t.wrote = "competition.hcl, rules/ and release/"
	case "sat", "optimum", "qbf":
		t.files, err = filesBelow(examples.Files, name, ".")
		t.wrote = "competition.hcl, rules/, benchmarks/ and programs in Python"
	default:
		t.files, err = filesBelow(quickstart.Files, ".", ".")
		t.wrote = "competition.hcl and release/"
	}
	t.next = "smtpipe run -p " + folder
	if err == nil {
		t.files["competition.hcl"], t.notes = withInstalled(t.files["competition.hcl"])
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

// withInstalled omits a pipeline's solvers that are not in $PATH, as long as others remain, and inserts the paths of
// programs that a pipeline would not find.
func withInstalled(pipeline []byte) (_ []byte, notes []string) {
	file, diags := hclwrite.ParseConfig(pipeline, "competition.hcl", hcl.InitialPos)
	if diags.HasErrors() {
		panic(diags) // the pipeline is embedded, so this cannot fail
	}
	var absent []*hclwrite.Block
	var programs []string
	solvers := 0
	for _, block := range file.Body().Blocks() {
		if block.Type() != "solver" {
			continue
		}
		solvers++
		command := block.Body().GetAttribute("command").Expr().BuildTokens(nil)
		for _, token := range command {
			if token.Type != hclsyntax.TokenQuotedLit {
				continue
			}
			if bytes.ContainsRune(token.Bytes, '/') {
				continue // a program in the pipeline's folder that executes the next word
			}
			switch found, err := project.Installed(string(token.Bytes)); {
			case err != nil:
				absent = append(absent, block)
				programs = append(programs, string(token.Bytes))
			case found != "":
				quoted := hclwrite.TokensForValue(cty.StringVal(found))
				token.Bytes = quoted[1].Bytes
				block.Body().SetAttributeRaw("command", command)
			}
			break
		}
	}
	slices.Sort(programs)
	programs = slices.Compact(programs)
	if solvers > 0 && len(absent) == solvers {
		return pipeline, []string{fmt.Sprintf("none of its solvers is installed here (%s). Where it runs, they must be in %s "+
			"(apt install z3 cvc5). To use one that is elsewhere (pip install z3-solver), remove what was written, install it, "+
			"and repeat this command.", strings.Join(programs, ", "), strings.Join(project.ProgramFolders, ", "))}
	}
	if len(absent) > 0 {
		notes = []string{strings.Join(programs, " and ") + " is not installed, so the pipeline leaves out its solvers."}
	}
	for _, block := range absent {
		file.Body().RemoveBlock(block)
	}
	return hclwrite.Format(file.Bytes()), notes
}

// yearTemplate returns a year's competition with a small release and a submission, so that it can be planned
// immediately.
func (f *initFlags) yearTemplate(folder string) (t template, err error) {
	year := f.year
	if year == "" {
		year = rules.Newest()
	}
	if t.files, err = yearFiles(year, f.as); err != nil {
		return t, err
	}
	var releases fs.FS = quickstart.Files
	of := "release"
	if _, err := fs.Stat(mini.Files, "release-"+year); err == nil {
		releases, of = mini.Files, "release-"+year
	}
	release, err := filesBelow(releases, of, "rehearsal/release")
	if err != nil {
		return t, err
	}
	for name, content := range release {
		t.files[name] = content
	}
	copied, submissions := cmp.Or(f.as, year), ""
	body, _, err := layered("competition-" + year + ".hcl")
	if err != nil {
		return t, err
	}
	if slices.ContainsFunc(body.Blocks, func(b *hclsyntax.Block) bool {
		return b.Type == "variable" && b.Labels[0] == "submissions"
	}) {
		submissions = "submissions  = \"rehearsal/submissions\"\n"
		t.files["rehearsal/submissions/alpha.json"] = []byte(exampleSubmission)
	}
	t.files["rehearsal/values"] = []byte("# A small competition to plan with, before there is a real one.\n" +
		"release      = \"rehearsal/release\"\n" + submissions + "nyse_opening = 20000\n")
	name := "competition-" + copied + ".hcl"
	t.files[name], t.notes = withInstalled(t.files[name])
	t.wrote = fmt.Sprintf("competition-%s.hcl, %s/ and rehearsal/", copied, copied)
	t.next = fmt.Sprintf("smtpipe plan -p %s/competition-%s.hcl --var-file %[1]s/rehearsal/values", folder, copied)
	return t, nil
}

const exampleSubmission = `{
  "name": "Alpha",
  "contributors": ["Ann"],
  "contacts": ["Ann <ann@example.org>"],
  "archive": {"url": "https://archives.example/files/alpha.zip"},
  "website": "https://solver.example/",
  "system_description": "https://solver.example/alpha.pdf",
  "command": ["bin/run"],
  "solver_type": "Standalone",
  "seed": 10,
  "participations": [{"tracks": ["SingleQuery"], "logics": ["QF_BV", "QF_LIA"]}]
}
`

// reviewTemplate returns a copy of a frozen folder's pipeline, for a reviewer to change.
func (f *initFlags) reviewTemplate(folder string) (t template, err error) {
	of, err := frozen.Open(f.of)
	if errors.Is(err, frozen.ErrNotFrozen) {
		return t, fmt.Errorf("%w; --of names one that \"smtpipe freeze\" wrote", err)
	}
	if err != nil {
		return t, err
	}
	defer of.Close()
	if t.files, err = filesBelow(os.DirFS(of.Dir), "pipeline", "."); err != nil {
		return t, err
	}
	t.wrote = "the pipeline of " + f.of
	t.next = fmt.Sprintf("smtpipe verify %s; smtpipe plan -p %s --evidence %[1]s", words.Shell(f.of), folder)
	return t, nil
}
