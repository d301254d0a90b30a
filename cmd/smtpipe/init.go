package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/hclsource"
	"github.com/smtpipe/smtpipe/internal/base/pattern"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/pipelines"
)

// initFlags are the flags of "init".
type initFlags struct{ year, as, of string }

func newInitCommand() *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use:   "init [TEMPLATE] [FOLDER]",
		Short: "Write a competition to begin with",
		Long: `Writes a template into a new or empty folder and prints the next command. FOLDER is named after the template by
default; without TEMPLATE, the quickstart goes into FOLDER, or into this folder.

  quickstart    a small competition: one file, and 400 benchmarks. Takes a minute with z3 and cvc5
  year          the competition of a year (--year, default ` + rules.Newest() + `) and its rules, to be changed, with a
                small release and a submission to plan with. With --as the copy is for another year
  compare       benchmarks to find out which of two builds of a solver is better
  competition   a competition with tracks and rules of its own, for constrained Horn clauses
  sat, optimum, qbf
                a competition in another language than SMT-LIB: DIMACS, OPB or QDIMACS
  review        the pipeline of a frozen folder (--of, default: this folder), to try other rules on its measurements

A template's solvers whose programs are not installed are omitted, as long as others remain.

` + exit.Help,
		Example: `  smtpipe init quickstart
  smtpipe init --year ` + rules.Newest() + ` --as 2027 next-year
  smtpipe init review mine --of frozen`,
		Args: usageArgs(cobra.MaximumNArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error { return f.execute(cmd, args) },
	}
	cmd.Flags().StringVar(&f.year, "year", "", "copy the competition and rules of this year, which smtpipe must know")
	cmd.Flags().StringVar(&f.as, "as", "", "with --year: the year of the copy, with four digits")
	cmd.Flags().StringVar(&f.of, "of", ".", "with review: the frozen folder")
	return cmd
}

var templates = []string{"quickstart", "year", "compare", "competition", "sat", "optimum", "qbf", "review"}

func (f *initFlags) execute(cmd *cobra.Command, args []string) error {
	name, folder := "quickstart", "."
	if len(args) > 0 && slices.Contains(templates, args[0]) {
		name, folder, args = args[0], args[0], args[1:]
	} else if f.year != "" {
		name = "year"
	}
	if len(args) > 1 {
		return exit.With(exit.Usage, fmt.Errorf("there is no template %q; the templates are %s", args[0],
			strings.Join(templates, ", ")))
	}
	if len(args) == 1 {
		folder = args[0]
	}
	if f.as != "" && f.year == "" {
		return exit.With(exit.Usage, fmt.Errorf("--as names a copy of a year; name that year as well, such as "+
			"--year %s --as %s", rules.Newest(), f.as))
	}
	t, err := f.template(name, words.Shell(folder))
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	if err := writeNew(folder, t.files); err != nil {
		return err
	}
	for _, note := range t.notes {
		fmt.Fprintln(cmd.ErrOrStderr(), "Note:", note)
	}
	if filepath.Clean(folder) == "." {
		folder = "this folder"
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "Wrote %s into %s. Next:\n\n  %s\n", t.wrote, folder, t.next)
	return err
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

// writeNew writes files to a folder. If any of the files exists, it returns an error and writes nothing. After any
// other error, it removes the files that it has written.
func writeNew(folder string, files map[string][]byte) (err error) {
	if info, err := os.Stat(folder); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is not a folder; choose another name", folder)
	}
	var names []string
	for name := range files {
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
			if bytes.HasPrefix(files[name], []byte("#!")) {
				mode = 0o777
			}
			err = os.WriteFile(target, files[name], mode)
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
