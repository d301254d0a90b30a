package lsp

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// twoPipelines creates a folder with two pipelines that use the same module.
func twoPipelines(t *testing.T) (folder string, s *server) {
	t.Helper()
	folder = t.TempDir()
	for name, text := range map[string]string{
		"a/main.hcl": tracks + `module "m" {
  source    = "../part"
  variables = ["limit"]
}
locals {
  twice = var.limit * 2
  few   = module.m.sum + local.twice
}
stage "index" "all" {
  source = "x"
}
stage "filter" "main" {
  benchmarks = stage.index.all.benchmarks
}
`,
		"a/more.hcl": `function "add" {
  params = [x]
  result = [for y in [1] : x + y][0]
}
stage "filter" "more" {
  benchmarks = stage.filter.main.benchmarks
  drop "y" {
    when = b.logic == "LIA" && add(local.few) > 3
  }
}
`,
		"b/main.hcl": tracks + `module "n" {
  source = "../part"
  limit  = 3
}
output "sum" {
  value = module.n["sum"]
}
`,
		"part/part.hcl": `variable "limit" {
  default = 1
}
output "sum" {
  value = var.limit + 1
}
`,
	} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s = newServer(options())
	s.root = folder
	return folder, s
}

// in returns the position in a file of the | in a text.
func (s *server) in(t *testing.T, file, text string) *place {
	t.Helper()
	src := s.read(file)
	before, after, _ := strings.Cut(text, "|")
	if strings.Count(string(src), before+after) != 1 {
		t.Fatalf("%q is not once in %s", before+after, file)
	}
	return s.placeIn(file, src, strings.Index(string(src), before+after)+len(before))
}

func TestRename(t *testing.T) {
	for _, c := range []struct {
		name, file, at, to string
		want               []string // resulting lines, in all files in order
		refused            string
	}{
		{"stage, in two files", "a/more.hcl", "stage.filter.m|ain", "first", []string{
			`a: stage "filter" "first" {`, "a: benchmarks = stage.filter.first.benchmarks"}, ""},
		{"variable that a module shares, in two pipelines", "a/main.hcl", "var.lim|it", "bound", []string{
			`a: variables = ["bound"]`, "a: twice = var.bound * 2", "b: bound  = 3", `part: variable "bound" {`,
			"part: value = var.bound + 1"}, ""},
		{"output of a module", "part/part.hcl", `output "s|um"`, "total", []string{
			"a: few   = module.m.total + local.twice", `b: value = module.n["total"]`, `part: output "total" {`}, ""},
		{"local", "a/main.hcl", "tw|ice = ", "double", []string{"a: double = var.limit * 2",
			"a: few   = module.m.sum + local.double"}, ""},
		{"module", "b/main.hcl", `"n|"`, "part", []string{`b: module "part" {`, `b: value = module.part["sum"]`}, ""},
		{"function", "a/more.hcl", "a|dd(local", "plus", []string{`a: function "plus" {`,
			`a: when = b.logic == "LIA" && plus(local.few) > 3`}, ""},
		{"parameter", "a/more.hcl", "params = [x|]", "z", []string{"a: params = [z]",
			"a: result = [for y in [1] : z + y][0]"}, ""},
		{"taken", "a/main.hcl", `"filter" "m|ain"`, "more", nil, "already declared"},
		{"function of the language", "a/more.hcl", "a|dd(local", "length", nil, "a function of the language"},
		{"parameter that a loop would hide", "a/more.hcl", "params = [x|]", "y", nil, "something else"},
		{"word of a module block", "part/part.hcl", `variable "l|imit"`, "source", nil, "has a meaning of its own"},
		{"not a name", "a/main.hcl", "tw|ice = ", "2 x", nil, "is not a name"},
		{"keyword", "b/main.hcl", `mo|dule "n"`, "part", nil, "no name here"},
		{"loop variable", "a/more.hcl", "for |y in", "z", nil, "no name here"},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder, s := twoPipelines(t)
			edit, err := s.rename(s.in(t, filepath.Join(folder, c.file), c.at), c.to)
			if c.refused != "" {
				if err == nil || !strings.Contains(err.Error(), c.refused) {
					t.Errorf("got %v, want an error with %q", err, c.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for uri, edits := range edit.Changes {
				file := pathOf(uri)
				src := s.read(file)
				lines := strings.Split(string(src), "\n")
				text := slices.Clone(src)
				for _, e := range slices.Backward(edits) {
					text = slices.Concat(text[:offsetOf(src, e.Range.Start)], []byte(e.NewText),
						text[offsetOf(src, e.Range.End):])
				}
				for i, line := range strings.Split(string(text), "\n") {
					if line != lines[i] {
						got = append(got, filepath.Base(filepath.Dir(file))+": "+strings.TrimSpace(line))
					}
				}
			}
			slices.Sort(got)
			slices.Sort(c.want)
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// TestRenameRefused checks that renaming is refused for a name in the built-in rules, and in a pipeline with a syntax
// error.
func TestRenameRefused(t *testing.T) {
	folder, s := twoPipelines(t)
	main := filepath.Join(folder, "a/main.hcl")
	s.texts[main] = []byte("competition {\n  name = \"C\"\n  year = 2026\n}\nmodule \"t\" {\n  source    = \"rules:tracks\"\n" +
		"  variables = [\"wall_time\"]\n}\n")
	if _, err := s.rename(s.in(t, main, `"wall|_time"`), "x"); err == nil || !strings.Contains(err.Error(),
		"part of smtpipe") {
		t.Errorf("a name of the rules: %v", err)
	}
	s.texts[main] = []byte("locals {\n  a = 1\n}\nlocals {\n  b = local.a +\n}\n")
	if _, err := s.rename(s.in(t, main, "a| = 1"), "x"); err == nil || !strings.Contains(err.Error(), "syntax") {
		t.Errorf("an error of syntax: %v", err)
	}
}

// TestRenameInRules checks that a definition belongs to its block, and a reading to the whole file.
func TestRenameInRules(t *testing.T) {
	quick, err := os.ReadFile("../../../examples/custom-scoring/rules/quick.hcl")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "quick.rules.hcl")
	text := strings.Replace(string(quick), "points = wrong ? -8", `points = wrong && reading.harsh == "yes" ? -8`, 1) +
		"reading \"harsh\" {\n  values = [\"yes\", \"no\"]\n}\n"
	s := newServer(options())
	s.texts[file] = []byte(text)
	for _, c := range []struct {
		at, to  string
		edits   int
		refused string
	}{
		{"|wrong   =", "bad", 4, ""},              // in let: the definition and !wrong; e; points
		{"reading.ha|rsh", "strict", 2, ""},       // the reading and its block
		{"|wrong   =", "right", 0, "cannot be"},   // the name of the other definition
		{"|wrong   =", "decides", 0, "cannot be"}, // the name of an earlier definition
		{`"qui|ck" {
  cite   = "our own rules"
  tracks = ["single_query"]
  order`, "x", 0, "no name here"}, // nothing refers to views
	} {
		edit, err := s.rename(s.in(t, file, c.at), c.to)
		switch {
		case c.refused != "" && (err == nil || !strings.Contains(err.Error(), c.refused)):
			t.Errorf("%s to %s: got %v, want an error with %q", c.at, c.to, err, c.refused)
		case c.refused == "" && (err != nil || len(edit.Changes[uriOf(file)]) != c.edits):
			t.Errorf("%s to %s: %v, %v; want %d edits", c.at, c.to, edit, err, c.edits)
		}
	}
}

func TestReferences(t *testing.T) {
	folder, s := twoPipelines(t)
	pl := s.in(t, filepath.Join(folder, "a/main.hcl"), "var.li|mit")
	// variables = ["limit"] and variable "limit" declare it; var.limit in a, limit = 3 in b and var.limit in part use
	// it
	if n := len(s.references(pl, true)); n != 5 {
		t.Errorf("%d references with declarations, want 5", n)
	}
	if n := len(s.references(pl, false)); n != 3 {
		t.Errorf("%d references, want 3", n)
	}
	if n := len(s.definition(pl)); n != 2 {
		t.Errorf("%d declarations, want 2", n)
	}
}

func TestSymbols(t *testing.T) {
	folder, s := twoPipelines(t)
	file := filepath.Join(folder, "a/more.hcl")
	s.texts[file] = append(s.read(file), "stage \"half\" {\nview \"par\" {\n"...)
	var got []string
	for _, sym := range s.documentSymbols(file) {
		got = append(got, sym.Name)
	}
	if want := []string{"function.add", "stage.filter.more", "view.par"}; !slices.Equal(got, want) {
		t.Errorf("symbols of the document: %q, want %q", got, want)
	}
	more := s.documentSymbols(file)[1]
	if more.Range.Start.Line != 4 || more.Range.End.Line < 9 || more.SelectionRange.Start != (position{4, 16}) {
		t.Errorf("the second stage is at %+v", more)
	}
	got = nil
	for _, sym := range s.workspaceSymbols("SUM") {
		got = append(got, filepath.Base(pathOf(sym.Location.URI))+" "+sym.Name)
	}
	if want := []string{"main.hcl output.sum", "part.hcl output.sum"}; !slices.Equal(got, want) {
		t.Errorf("symbols of the workspace: %q, want %q", got, want)
	}
}
