package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/all"
)

// sections lists each document's sections that contain rules. Each section must have a row.
var sections = map[string][]string{
	"2008": {"2", "3", "4", "5", "6", "7"},
	"2015": {"1", "3", "4", "5", "5.1", "5.2", "5.3", "6", "7", "7.1", "7.2", "7.3", "7.4", "7.5", "8", "9"},
	"2019": {"1", "3", "4", "5", "5.1", "5.2", "5.3", "5.4", "5.5", "5.6", "6", "7.1", "7.1.1", "7.1.2", "7.1.3",
		"7.1.4", "7.1.5", "7.2", "7.2.1", "7.2.2", "7.2.3", "7.2.4", "7.3.1", "7.3.2", "7.4", "8", "9"},
	"2022": {"1", "3", "4", "5", "5.1", "5.2", "5.3", "5.4", "5.5", "5.6", "5.7", "5.8", "6", "7.1", "7.1.1", "7.1.2",
		"7.1.3", "7.1.4", "7.1.5", "7.2", "7.2.1", "7.2.2", "7.2.3", "7.2.4", "7.3.1", "7.3.2", "7.4", "8", "9"},
	"2026": {"1", "3", "4", "5", "5.1", "5.2", "5.3", "5.4", "5.5", "5.6", "6", "7.1", "7.1.1", "7.1.2", "7.1.3",
		"7.1.4", "7.1.5", "7.2", "7.2.1", "7.2.2", "7.2.3", "7.2.4", "7.2.5", "7.3.1", "7.3.2", "7.3.3", "7.4", "7.5",
		"8", "9"},
}

// TestRulesPages checks that on each page in docs/rules every row has five cells, including a section, an existing
// place, and an example that exists or that only people can try. No section of the document may be missing.
// scripts/rules-examples executes the examples.
func TestRulesPages(t *testing.T) {
	t.Parallel()
	for year, wanted := range sections {
		page := year + ".md"
		text, err := os.ReadFile(filepath.Join("../../docs/rules", page))
		if err != nil {
			t.Fatal(err)
		}
		places := newRulePlaces(t, year)
		seen := map[string]bool{}
		for i, line := range strings.Split(string(text), "\n") {
			if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| section") {
				continue
			}
			row, err := readRule(line)
			if err == nil {
				seen[row.section] = true
				err = places.check(row)
			}
			if err != nil {
				t.Errorf("%s:%d: %v", page, i+1, err)
			}
		}
		for _, s := range wanted {
			if !seen[s] {
				t.Errorf("%s has no row for §%s", page, s)
			}
		}
	}
}

// rule is a row on a page.
type rule struct{ section, text, where, example, deviation string }

var sectionName = regexp.MustCompile(`^§([0-9]+(?:\.[0-9]+)*)\b`)

func readRule(line string) (rule, error) {
	cells := strings.Split(strings.Trim(line, "|"), "|")
	if len(cells) != 5 {
		return rule{}, fmt.Errorf("the row has %d cells, not 5", len(cells))
	}
	for i := range cells {
		if cells[i] = strings.TrimSpace(cells[i]); cells[i] == "" {
			return rule{}, fmt.Errorf("cell %d is empty", i+1)
		}
	}
	section := sectionName.FindStringSubmatch(cells[0])
	if section == nil {
		return rule{}, fmt.Errorf("%q does not begin with a section", cells[0])
	}
	return rule{section[1], cells[1], cells[2], cells[3], cells[4]}, nil
}

// rulePlaces contains the places where a year's rules can be implemented.
type rulePlaces struct {
	text     string            // text of the year's pipelines and rule set, and of the files that they are based on
	packages map[string]string // text of each requested Go package
}

var baseFile = regexp.MustCompile(`(?m)^base \{\n  source += "([^"]+)"`)

// add adds a file and the files that it is based on.
func (p *rulePlaces) add(path string) error {
	text, err := os.ReadFile(path)
	if err != nil || strings.Contains(p.text, string(text)) {
		return err
	}
	p.text += string(text) + "\n"
	if base := baseFile.FindSubmatch(text); base != nil {
		return p.add(filepath.Join(filepath.Dir(path), string(base[1])))
	}
	return nil
}

func newRulePlaces(t *testing.T, year string) *rulePlaces {
	t.Helper()
	p := &rulePlaces{packages: map[string]string{}}
	err := filepath.WalkDir("../../pipelines", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".hcl" || !strings.Contains(path, year) {
			return err
		}
		return p.add(path)
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var (
	inQuotes = regexp.MustCompile("`([^`]*)`")
	nobody   = "not software's business" // used in the third cell
	people   = "for people"              // used in the fourth cell if only people can try the rule
)

// check returns the first error in the last three cells of a row.
func (p *rulePlaces) check(r rule) error {
	names := inQuotes.FindAllStringSubmatch(r.where, -1)
	if len(names) == 0 && r.where != nobody {
		return fmt.Errorf("the third cell names no place in backquotes and is not %q", nobody)
	}
	rest := strings.Trim(inQuotes.ReplaceAllString(r.where, ""), ", ")
	if len(names) > 0 && rest != "" {
		return fmt.Errorf("the third cell has %q beside the places", rest)
	}
	for _, m := range append(names, inQuotes.FindAllStringSubmatch(r.deviation, -1)...) {
		if !p.exists(m[1]) && !slices.Contains([]string{"base_solver", "scratch"}, m[1]) {
			return fmt.Errorf("there is no %s", m[1])
		}
	}
	return p.checkExample(r)
}

// checkExample returns an error if an example is not a test: `PACKAGE.TestName/subtest`.
func (p *rulePlaces) checkExample(r rule) error {
	examples := inQuotes.FindAllStringSubmatch(r.example, -1)
	rest := strings.Trim(inQuotes.ReplaceAllString(r.example, ""), ", ")
	switch {
	case r.example == people:
		return nil
	case r.where == nobody, len(examples) == 0, rest != "":
		return fmt.Errorf("the fourth cell is neither tests in backquotes nor %q: %s", people, r.example)
	}
	for _, m := range examples {
		folder, name, _ := strings.Cut(m[1], ".Test")
		name, _, _ = strings.Cut(name, "/")
		files, _ := filepath.Glob(filepath.Join("../..", folder, "*_test.go"))
		if !slices.ContainsFunc(files, func(f string) bool {
			text, _ := os.ReadFile(f)
			return strings.Contains(string(text), "\nfunc Test"+name+"(")
		}) {
			return fmt.Errorf("there is no test %s", m[1])
		}
	}
	return nil
}

// exists reports whether the named place exists. docs/rules/README.md explains the names.
func (p *rulePlaces) exists(name string) bool {
	if strings.Contains(name, "/") {
		return p.inProject(name)
	}
	kind, label, _ := strings.Cut(name, ".")
	switch kind {
	case "stage":
		return p.hasStage(label)
	case "drop":
		return p.hasBlock("drop", label)
	case "var":
		return p.hasBlock("variable", label)
	case "function", "module", "output", "score", "view", "reading", "practice", "recognition":
		return p.hasBlock(kind, label)
	case "local":
		return regexp.MustCompile(`(?m)^  ` + label + `\s*=`).MatchString(p.text)
	case "solver":
		return stages.SolverType.HasAttribute(label)
	case "competitive", "disagreements", "derived", "disqualify", "rule_set", "divisions", "entrants", "scripts",
		"validation", "seed":
		return label == "" && regexp.MustCompile(`(?m)^`+kind+`\b.*\{`).MatchString(p.text)
	}
	return false
}

func (p *rulePlaces) hasBlock(kind, label string) bool {
	return label != "" && strings.Contains(p.text, kind+` "`+label+`" {`)
}

// hasStage searches for KIND among the kinds of stages, and for KIND.LABEL in the pipelines.
func (p *rulePlaces) hasStage(name string) bool {
	kind, label, labelled := strings.Cut(name, ".")
	if labelled {
		return strings.Contains(p.text, fmt.Sprintf("stage %q %q {", kind, label))
	}
	return slices.ContainsFunc(all.Kinds(), func(k *stages.Kind) bool { return k.Name == kind })
}

// inProject searches for files, folders, and names in Go packages, such as internal/contest/selection.Cap.
func (p *rulePlaces) inProject(name string) bool {
	path := filepath.Join("../..", name)
	if _, err := os.Stat(path); err == nil {
		return true
	}
	folder, identifier, ok := cutLast(path, ".")
	if !ok {
		return false
	}
	if _, known := p.packages[folder]; !known {
		files, _ := filepath.Glob(folder + "/*.go")
		for _, f := range files {
			text, _ := os.ReadFile(f)
			if !strings.HasSuffix(f, "_test.go") {
				p.packages[folder] += string(text)
			}
		}
	}
	return regexp.MustCompile(`(?m)^(func (\([^)]*\) )?|type |var |const |\t)` + identifier +
		`\b`).MatchString(p.packages[folder])
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
