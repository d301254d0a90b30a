package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/examples/quickstart"
	"github.com/smtpipe/smtpipe/internal/rules"
	"github.com/smtpipe/smtpipe/pipelines"
)

func newInitCommand() *cobra.Command {
	var year, as string
	cmd := &cobra.Command{
		Use:   "init [FOLDER]",
		Short: "Write a competition to begin with",
		Long: `Writes the quickstart into a new or empty folder (default: this one): a pipeline, competition.hcl, and a small release of
benchmarks. "smtpipe run" in that folder executes it with Debian's z3 and cvc5.

With --year it writes the competition of that year, competition-YEAR.hcl, and beside it the folder YEAR with its rules, for you
to change. With --as the copy is for another year: its files and folder are named after that year.

` + exitCodesHelp,
		Example: `  smtpipe init my-competition
  smtpipe init --year ` + rules.Newest() + ` --as 2027 next-year`,
		Args: usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder := "."
			if len(args) == 1 {
				folder = args[0]
			}
			files, next := quickstartFiles(), "competition.hcl and release/"
			pipeline := folder
			if as != "" && year == "" {
				return withExit(exitUsage, fmt.Errorf("--as names a copy of a year; name that year as well, such as "+
					"--year %s --as %s", rules.Newest(), as))
			}
			if year != "" {
				var err error
				if files, err = yearFiles(year, as); err != nil {
					return withExit(exitUsage, err)
				}
				copied := as
				if copied == "" {
					copied = year
				}
				next = fmt.Sprintf("competition-%s.hcl and %s/", copied, copied)
				pipeline = filepath.Join(folder, fmt.Sprintf("competition-%s.hcl", copied))
			}
			if err := writeNew(folder, files); err != nil {
				return err
			}
			if filepath.Clean(folder) == "." {
				folder = "this folder"
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "Wrote %s into %s. Next: smtpipe plan -p %s\n", next, folder,
				pipeline)
			return err
		},
	}
	cmd.Flags().StringVar(&year, "year", "", "copy the competition and rules of this year, which smtpipe must know")
	cmd.Flags().StringVar(&as, "as", "", "with --year: the year of the copy, with four digits")
	return cmd
}

// quickstartFiles returns the files of the quickstart by name.
func quickstartFiles() map[string][]byte {
	files := map[string][]byte{}
	err := fs.WalkDir(quickstart.Files, ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			files[name], err = quickstart.Files.ReadFile(name)
		}
		return err
	})
	if err != nil {
		panic(err) // they are embedded
	}
	return files
}

var fourDigitYear = regexp.MustCompile(`^[1-9][0-9]{3}$`)

// yearFiles returns the competition of a year and its rules, as those of another year if as is not empty.
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
	if !fourDigitYear.MatchString(as) {
		return nil, fmt.Errorf("--as %q is not a year with four digits", as)
	}
	files := map[string][]byte{}
	names, err := fs.Glob(pipelines.Files, year+"/*.hcl")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := pipelines.Files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if path.Base(name) == "year.rules.hcl" {
			text = inYear(text, year, as)
		}
		files[path.Join(as, path.Base(name))] = text
	}
	competition = inYear(competition, year, as)
	header := regexp.MustCompile(`(?m)^(\s*)year( *)= ` + as + `$`)
	rulesAttr := []byte("${1}year$2= " + as + "\n${1}rules = \"./" + as + "\"")
	files["competition-"+as+".hcl"] = hclwrite.Format(header.ReplaceAll(competition, rulesAttr))
	return files, nil
}

// inYear puts one year in place of another where a file names its year. Documents keep their names.
func inYear(text []byte, year, as string) []byte {
	says := regexp.MustCompile(`(?m)^(\s*(?:year|title|path)\s*=.*)\b` + year + `\b`)
	return says.ReplaceAll(text, []byte("${1}"+as))
}

// writeNew writes files into a folder. If any of the files exists, that is an error and nothing is written. After any
// other error the written files are removed.
func writeNew(folder string, files map[string][]byte) (err error) {
	if info, err := os.Stat(folder); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is not a folder; choose another name", folder)
	}
	var names []string
	for name := range files {
		if _, err := os.Lstat(filepath.Join(folder, name)); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s exists already; choose an empty folder", filepath.Join(folder, name))
		}
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		target := filepath.Join(folder, name)
		if err = os.MkdirAll(filepath.Dir(target), 0o777); err == nil {
			err = os.WriteFile(target, files[name], 0o666)
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
