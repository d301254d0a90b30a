package main

import (
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/outfile"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/contest/score"
)

// newRulesCommand groups the commands about rule sets.
func newRulesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "List, show and export the rule sets of the scoring",
	}
	cmd.AddCommand(newRulesListCommand(), newRulesShowCommand(), newRulesExportCommand())
	return cmd
}

func newRulesListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the years whose rules smtpipe has, with the digests of their rule sets",
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, name := range rules.Names() {
				rs, _, err := findScoring(cmd.ErrOrStderr(), name)
				if err != nil {
					return err
				}
				fmt.Fprintf(w, "%s\t%s\t%x\n", name, rs.Title, rs.Digest())
			}
			return w.Flush()
		},
	}
}

func newRulesShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show RULES",
		Short: "Show what a rule set has: scores, views, readings, practice, recognitions",
		Long: `show lists the parts of the rule set of a year, of a folder of rules, or in a file, with the sections of the rules
they come from. It reports every mistake in the file.`,
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := isRules(args[0]); err != nil {
				return err
			}
			rs, _, err := findScoring(cmd.ErrOrStderr(), args[0])
			if err != nil {
				return err
			}
			return showRules(cmd, rs)
		},
	}
}

// isRules returns an error if a name is neither a year that the program contains nor a file or folder.
func isRules(name string) error {
	if _, err := os.Stat(name); err != nil && !rules.IsBuiltin(name) {
		return exit.With(exit.Usage, fmt.Errorf("there is no rule set %q; the rule sets are those of the years %s, or the "+
			"path of a folder of rules or of a file", name, strings.Join(rules.Names(), ", ")))
	}
	return nil
}

func showRules(cmd *cobra.Command, rs *score.RuleSet) error {
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	row := func(cells ...string) { fmt.Fprintln(w, strings.Join(cells, "\t")) }
	fmt.Fprintf(w, "%s (rules of %d)\nsha256 %x\n", rs.Title, rs.Year, rs.Digest())
	row("\nBenchmark scores")
	for _, s := range rs.Scores {
		row("  "+s.Name, s.Cite, strings.Join(s.Tracks, ", "))
	}
	row("\nViews")
	for _, v := range rs.Views {
		row("  "+v.Name, v.Cite, strings.Join(v.Tracks, ", "))
	}
	row("\nRecognitions")
	for _, r := range rs.Recognition {
		row("  "+r.Name, r.Cite, r.Kind)
	}
	row("\nReadings (the first value is the default)")
	for _, r := range rs.Readings {
		row("  "+r.Name+"="+strings.Join(r.Values, "|"), r.Cite, r.Doc)
	}
	row("\nPractice of the organisers (off unless --reading SWITCH=on or --reading published; the switches of a " +
		"D-number turn together)")
	for _, p := range rs.Practices {
		row("  "+p.ID, p.Cite, p.Doc)
	}
	return w.Flush()
}

func newRulesExportCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "export YEAR|FOLDER",
		Short: "Export the rule set of a year, to edit it and use it by its path",
		Long: `export writes the rule set of a year, or of a folder of rules, with its comments. Name the copy NAME.rules.hcl: in the folder
of a pipeline such files are not read as part of it.`,
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := isRules(args[0]); err != nil {
				return err
			}
			r, diags := rules.Load(args[0], "")
			if err := printDiagnostics(cmd.ErrOrStderr(), r.Sources(), diags); err != nil {
				return err
			}
			src, _, err := r.ScoringSource()
			if err != nil {
				return err
			}
			if outfile.HoldsOther(output, src) {
				return exit.With(exit.Usage, fmt.Errorf("%s already exists with different content; choose another name, "+
					"or remove it", output))
			}
			return writeScore(cmd, output, src)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "file to write instead of standard output")
	return cmd
}
