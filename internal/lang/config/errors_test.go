package config

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"golang.org/x/tools/txtar"
)

// base is loaded together with every bad file, so each file needs to contain only the mistake.
const base = `
stage "fetch" "base" { zenodo = "1" }
stage "index" "base" { source = stage.fetch.base.files }
`

// badCase is a pipeline whose comments state its expected errors.
type badCase struct {
	archive, name string
	files         map[string]string
}

// badCases reads testdata/errors. Each file in an archive is a case; the files in a folder together are one case.
func badCases(t testing.TB) []badCase {
	t.Helper()
	names, err := filepath.Glob("testdata/errors/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no archives of bad files: %v", err)
	}
	var all []badCase
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		short := strings.TrimSuffix(filepath.Base(name), ".txtar")
		for _, f := range archive.Files {
			which, file, folder := strings.Cut(f.Name, "/")
			if !folder {
				file = "main.hcl"
			}
			i := slices.IndexFunc(all, func(c badCase) bool { return c.archive == short && c.name == which })
			if i < 0 {
				all = append(all, badCase{short, which, map[string]string{"base.hcl": base}})
				i = len(all) - 1
			} else if !folder {
				t.Fatalf("%s has the case %s twice", name, which)
			}
			all[i].files[file] = string(f.Data)
		}
	}
	return all
}

var (
	wantPattern   = regexp.MustCompile(`# ERROR: ([^#\n]*)`)
	globalPattern = regexp.MustCompile(`(?m)^# GLOBAL: (.*)$`)
	varPattern    = regexp.MustCompile(`(?m)^# VAR: (\w+)=(.*)$`)
)

// expectation is an error expected at a line. Line 0 means anywhere, or without a location.
type expectation struct {
	file string
	line int
	text string
	seen bool
}

func (c *badCase) expectations(dir string) (all []*expectation, vars map[string]string) {
	vars = map[string]string{}
	for name, text := range c.files {
		for i, line := range strings.Split(text, "\n") {
			for _, m := range wantPattern.FindAllStringSubmatch(line, -1) {
				all = append(all, &expectation{filepath.Join(dir, name), i + 1, strings.TrimSpace(m[1]), false})
			}
		}
		for _, m := range globalPattern.FindAllStringSubmatch(text, -1) {
			all = append(all, &expectation{text: strings.TrimSpace(m[1])})
		}
		for _, m := range varPattern.FindAllStringSubmatch(text, -1) {
			vars[m[1]] = m[2]
		}
	}
	return all, vars
}

func (x *expectation) matches(d *hcl.Diagnostic) bool {
	if x.seen || !strings.Contains(d.Summary+": "+d.Detail, x.text) {
		return false
	}
	return x.line == 0 || d.Subject != nil && d.Subject.Filename == x.file && d.Subject.Start.Line == x.line
}

// TestErrors expects every error in the bad files at its line, and no other errors.
func TestErrors(t *testing.T) {
	t.Parallel()
	cases := badCases(t)
	if len(cases) < 80 {
		t.Errorf("%d bad files, want at least 80", len(cases))
	}
	for _, c := range cases {
		t.Run(c.archive+"/"+c.name, func(t *testing.T) {
			t.Parallel()
			dir := write(t, c.files)
			want, vars := c.expectations(dir)
			opt := options(dir)
			opt.Vars = vars
			p, diags := Load(opt)
			for _, d := range diags {
				i := slices.IndexFunc(want, func(x *expectation) bool { return x.matches(d) })
				if i < 0 {
					t.Errorf("unexpected: %s", describe(d))
					continue
				}
				want[i].seen = true
			}
			for _, x := range want {
				if !x.seen {
					t.Errorf("missing at %s:%d: %q; got:\n%s", filepath.Base(x.file), x.line, x.text, text(p, diags))
				}
			}
			for _, d := range diags {
				if strings.Contains(d.Summary+d.Detail, "secret") {
					t.Errorf("a sensitive value is shown: %s", describe(d))
				}
			}
		})
	}
}

func describe(d *hcl.Diagnostic) string {
	at := "(no place)"
	if d.Subject != nil {
		at = fmt.Sprintf("%s:%d", filepath.Base(d.Subject.Filename), d.Subject.Start.Line)
	}
	return fmt.Sprintf("%s: %s: %s", at, d.Summary, d.Detail)
}

func text(p *Pipeline, diags hcl.Diagnostics) string {
	var w testWriter
	_ = WriteDiagnostics(&w, diags, p.Sources(), 100, false)
	return string(w)
}

func TestErrorsWithoutAPipeline(t *testing.T) {
	t.Parallel()
	empty := t.TempDir()
	wrong := filepath.Join(empty, "x.json")
	if err := os.WriteFile(wrong, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(empty, "nothing"): "There is no file or folder",
		empty:                           "has no .hcl file",
		wrong:                           "must end in .hcl",
	} {
		p, diags := Load(Options{Path: path})
		if p == nil || !strings.Contains(diags.Error(), want) {
			t.Errorf("Load(%s): %v, want %q", path, diags, want)
		}
	}
}
