package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/examples"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
)

// initFlags are the flags of "init".
type initFlags struct{ examples.Options }

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
	cmd.Flags().StringVar(&f.Year, "year", "", "copy the competition and rules of this year, which smtpipe must know")
	cmd.Flags().StringVar(&f.As, "as", "", "with --year: the year of the copy, with four digits")
	cmd.Flags().StringVar(&f.Of, "of", ".", "with review: the frozen folder")
	return cmd
}

func (f *initFlags) execute(cmd *cobra.Command, args []string) error {
	name, folder := "quickstart", "."
	if len(args) > 0 && slices.Contains(examples.Names, args[0]) {
		name, folder, args = args[0], args[0], args[1:]
	} else if f.Year != "" {
		name = "year"
	}
	if len(args) > 1 {
		return exit.With(exit.Usage, fmt.Errorf("there is no template %q; the templates are %s", args[0],
			strings.Join(examples.Names, ", ")))
	}
	if len(args) == 1 {
		folder = args[0]
	}
	if f.As != "" && f.Year == "" {
		return exit.With(exit.Usage, fmt.Errorf("--as names a copy of a year; name that year as well, such as "+
			"--year %s --as %s", rules.Newest(), f.As))
	}
	t, err := f.Template(name, words.Shell(folder))
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	if err := t.Write(folder); err != nil {
		return err
	}
	for _, note := range t.Notes {
		fmt.Fprintln(cmd.ErrOrStderr(), "Note:", note)
	}
	if filepath.Clean(folder) == "." {
		folder = "this folder"
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "Wrote %s into %s. Next:\n\n  %s\n", t.Wrote, folder, t.Next)
	return err
}
