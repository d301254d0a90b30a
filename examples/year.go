package examples

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"

	"github.com/smtpipe/smtpipe/examples/mini"
	"github.com/smtpipe/smtpipe/examples/quickstart"
	"github.com/smtpipe/smtpipe/internal/base/hclsource"
	"github.com/smtpipe/smtpipe/internal/base/pattern"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/pipelines"
)

// yearTemplate returns a year's competition with a small release and a submission, so that it can be planned
// immediately.
func (o Options) yearTemplate(folder string) (t Template, err error) {
	year := o.Year
	if year == "" {
		year = rules.Newest()
	}
	if t.Files, err = yearFiles(year, o.As); err != nil {
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
		t.Files[name] = content
	}
	copied, submissions := cmp.Or(o.As, year), ""
	body, _, err := layered("competition-" + year + ".hcl")
	if err != nil {
		return t, err
	}
	if slices.ContainsFunc(body.Blocks, func(b *hclsyntax.Block) bool {
		return b.Type == "variable" && b.Labels[0] == "submissions"
	}) {
		submissions = "submissions  = \"rehearsal/submissions\"\n"
		t.Files["rehearsal/submissions/alpha.json"] = []byte(exampleSubmission)
	}
	t.Files["rehearsal/values"] = []byte("# A small competition to plan with, before there is a real one.\n" +
		"release      = \"rehearsal/release\"\n" + submissions + "nyse_opening = 20000\n")
	name := "competition-" + copied + ".hcl"
	t.Files[name], t.Notes = withInstalled(t.Files[name])
	t.Wrote = fmt.Sprintf("competition-%s.hcl, %s/ and rehearsal/", copied, copied)
	t.Next = fmt.Sprintf("smtpipe plan -p %s/competition-%s.hcl --var-file %[1]s/rehearsal/values", folder, copied)
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

var fourDigitYear = pattern.Lazy(`^[1-9][0-9]{3}$`)

// yearFiles returns a year's competition and rules. Unless as is empty, it renames them to the year as.
func yearFiles(year, as string) (map[string][]byte, error) {
	competition, err := pipelines.Files.ReadFile("competition-" + year + ".hcl")
	if err != nil {
		var years []string
		for _, name := range rules.Names() {
			if _, err := fs.Stat(pipelines.Files, "competition-"+name+".hcl"); err == nil {
				years = append(years, name)
			}
		}
		return nil, fmt.Errorf("there is no competition of the year %q; --year is one of %s", year,
			strings.Join(years, ", "))
	}
	if as == "" {
		as = year
	}
	if !fourDigitYear().MatchString(as) {
		return nil, fmt.Errorf("--as %q is not a year with four digits", as)
	}
	files := map[string][]byte{}
	names, err := fs.Glob(pipelines.Files, year+"/*")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := pipelines.Files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if as != year && path.Base(name) == "published.rules.hcl" {
			continue // the file states what was published in that year
		}
		if path.Ext(name) != ".hcl" {
			files[path.Join(as, path.Base(name))] = text // a program that belongs to the year
			continue
		}
		if files[path.Join(as, path.Base(name))], err = inYear(text, year, as); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, name := range append(names, "competition-"+year+".hcl") {
		if path.Ext(name) != ".hcl" {
			continue
		}
		_, bases, err := layered(name)
		if err != nil {
			return nil, err
		}
		maps.Copy(files, bases)
	}
	if competition, err = inYear(competition, year, as); err != nil {
		return nil, fmt.Errorf("competition-%s.hcl: %w", year, err)
	}
	header := regexp.MustCompile(`(?m)^(\s*)year( *)= ` + as + `$`)
	rulesAttr := []byte("${1}year$2= " + as + "\n${1}rules = \"./" + as + "\"")
	files["competition-"+as+".hcl"] = hclwrite.Format(header.ReplaceAll(competition, rulesAttr))
	return files, nil
}

// inYear replaces the year where a file names its own year. People must decide about all other mentions of years,
// except in citations.
func inYear(text []byte, year, as string) ([]byte, error) {
	if as == year {
		return text, nil
	}
	for _, name := range []string{"competition-%s.hcl", " %s/", "\"%s/"} {
		text = bytes.ReplaceAll(text, fmt.Appendf(nil, name, year), fmt.Appendf(nil, name, as))
	}
	says := regexp.MustCompile(`(?m)^(\s*(?:year|title|path)\s*=.*)\b` + year + `\b`)
	text = says.ReplaceAll(text, []byte("${1}"+as))
	text, err := hclsource.MarkUndecided(text, "SMT-COMP "+year, as)
	note := fmt.Appendf(nil, "# Copied from SMT-COMP %s. Sections are those of its rules.\n\n", year)
	return hclwrite.Format(append(note, text...)), err
}

// layered returns the body of a built-in file together with its bases', and the files of these.
func layered(name string) (*hclsyntax.Body, map[string][]byte, error) {
	bases := map[string][]byte{}
	layers := hclsource.Layers{Read: func(file string, base bool) (*hclsyntax.Body, hcl.Diagnostics) {
		text, err := pipelines.Files.ReadFile(file)
		if err != nil {
			return nil, hcl.Diagnostics{{Severity: hcl.DiagError, Summary: err.Error()}}
		}
		if base {
			bases[file] = text
		}
		parsed, diags := hclsource.Parse(text, file)
		return parsed.Body.(*hclsyntax.Body), diags
	}}
	body, diags := layers.Body(name)
	if diags.HasErrors() {
		return nil, nil, diags
	}
	return body, bases, nil
}
