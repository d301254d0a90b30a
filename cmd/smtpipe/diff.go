package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/audit/sides"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/outfile"
	"github.com/smtpipe/smtpipe/internal/data/diff"
	"github.com/smtpipe/smtpipe/internal/publish/document"
	scorestage "github.com/smtpipe/smtpipe/internal/stages/score"
)

// diffFlags are the flags of "diff".
type diffFlags struct {
	project  projectFlags
	readings scoreFlags // flags for comparing readings instead of stages
	runs     string
	views    string
	html     string
	json     bool
	markdown bool
	winners  bool
}

func newDiffCommand() *cobra.Command {
	var d diffFlags
	cmd := &cobra.Command{
		Use:   "diff FIRST SECOND | diff --official DIR [READINGS READINGS]",
		Short: "Show which figures and winners differ between two scorings or tables, and why",
		Long: `Lists every winner, rank and sum in which the second scoring differs from the first, and the cells and rows of other tables.
Changed winners come first, then ranks. No solver runs. FIRST and SECOND are any two of:

  stage.score.main, stage.index.all.benchmarks   a stage or a table of the pipeline (-p)
  other.hcl, folder/                              a pipeline, with all its tables that are up to date
  other/.smtpipe                                  a store, with the tables of the pipeline (-p, or the one beside the store)
  frozen/                                         a frozen folder
  scores.csv, runs.csv.zst, scores.parquet        a table, which may be compressed with gzip, zstd, bzip2 or xz
  a.json                                          a result of "smtpipe tool score -o"; only with another one
  2025, ./2027                                    the rules of a year; only with another one

Tables are paired by their address or, failing that, by their schema. Two stages that score the same runs by the same rule set
differ in their readings, and each line ends with its causes. --views par=quick compares views of different names.

  diff --official DIR                 the literal rules and the published practice, on a folder of official results
  diff --rules YEAR --runs FILE       the same on a table of runs

With --official and --runs two sets of readings may follow instead of "rules published": rules, published, KEY=VALUE, SWITCH=on
or off, several separated by commas, such as "published,D-ALL-5=off".

Causes are readings and switches: (A, B) if either of them makes the change alone, (A + B) if only both do.

` + exit.Help,
		Args: usageArgs(cobra.MaximumNArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error { return d.execute(cmd, args) },
	}
	f := cmd.Flags()
	d.project.register(f)
	addressCompletion{most: 2}.register(cmd, &d.project)
	f.BoolVar(&d.json, "json", false, "print as JSON")
	f.BoolVar(&d.markdown, "markdown", false, "print as Markdown")
	f.StringVar(&d.html, "html", "", "file for a page with all differences")
	cmd.MarkFlagsMutuallyExclusive("json", "markdown", "html")
	f.BoolVar(&d.winners, "winners", false, "only winners")
	f.StringVar(&d.views, "views", "", "compare a view of the first with one of the second, as par=quick")
	f.StringVar(&d.readings.official, "official", "", "compare readings on this folder of official results")
	f.StringVar(&d.readings.rules, "rules", "", "with --runs: rule set, a year or the path of an HCL file")
	f.StringVar(&d.runs, "runs", "", "compare readings on this table of runs")
	return cmd
}

func (d *diffFlags) execute(cmd *cobra.Command, args []string) error {
	all, err := d.differences(cmd, args)
	if err != nil {
		return err
	}
	if d.winners {
		all = slices.DeleteFunc(all, func(x diff.Difference) bool { return !x.IsWinner() })
	}
	found := sides.Document(args, all)
	switch {
	case d.json:
		err = printJSON(cmd.OutOrStdout(), append([]diff.Difference{}, all...)) // a list, even if nothing differs
	case d.markdown:
		err = found.WriteMarkdown(cmd.OutOrStdout())
	case d.html != "":
		err = writePage(cmd, d.html, found)
	default:
		err = found.WriteText(cmd.OutOrStdout())
	}
	if err == nil && len(all) > 0 {
		err = exit.With(exit.Differs, nil)
	}
	return err
}

// writePage writes a document as a page.
func writePage(cmd *cobra.Command, path string, d *document.Document) error {
	var b strings.Builder
	if err := d.WritePage(&b); err != nil {
		return err
	}
	if err := outfile.WriteText(path, b.String()); err != nil {
		return err
	}
	_, err := fmt.Fprintf(cmd.ErrOrStderr(), "Wrote %s.\n", path)
	return err
}

// differences compares the two things, or the readings, that the arguments name.
func (d *diffFlags) differences(cmd *cobra.Command, args []string) ([]diff.Difference, error) {
	if d.readings.official != "" || d.runs != "" || d.readings.rules != "" {
		if (d.runs == "") != (d.readings.rules == "") || d.runs != "" && d.readings.official != "" {
			return nil, exit.With(exit.Usage, errors.New("give either --official, or --rules and --runs"))
		}
		return d.readingsDiffer(cmd, args)
	}
	if len(args) != 2 {
		return nil, exit.With(exit.Usage, errors.New("diff needs two things to compare"))
	}
	c := sides.Comparison{Project: d.project.here(), Views: d.views, Stderr: cmd.ErrOrStderr()}
	return c.Compare(cmd.Context(), args[0], args[1])
}

// readingsDiffer compares two sets of readings on one table of runs.
func (d *diffFlags) readingsDiffer(cmd *cobra.Command, args []string) ([]diff.Difference, error) {
	if len(args) == 0 {
		args = []string{"rules", "published"}
	}
	if len(args) != 2 {
		return nil, exit.With(exit.Usage, errors.New(`name two sets of readings, such as "rules published"`))
	}
	in, err := d.readings.input(cmd, d.runs)
	if err != nil {
		return nil, err
	}
	from, err := in.readings(cmd, strings.Split(args[0], ","))
	if err != nil {
		return nil, err
	}
	to, err := in.readings(cmd, strings.Split(args[1], ","))
	if err != nil {
		return nil, err
	}
	all, err := scorestage.CompareReadings(cmd.Context(), in.rules, in.runs, from, to)
	if err != nil {
		return nil, ruleError(cmd.ErrOrStderr(), in.rules, err)
	}
	diff.Sort(all)
	return all, nil
}
