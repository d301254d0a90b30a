package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/contest/score/scoreio"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/stages"
	scorestage "github.com/smtpipe/smtpipe/internal/stages/score"
)

// diffFlags are the flags of "diff".
type diffFlags struct {
	project  projectFlags
	readings scoreFlags // flags for comparing readings instead of stages
	runs     string
	views    string
	json     bool
	winners  bool
}

func newDiffCommand() *cobra.Command {
	var d diffFlags
	cmd := &cobra.Command{
		Use:   "diff FIRST SECOND | diff --official DIR [READINGS READINGS]",
		Short: "Show which figures and winners differ between two scorings or tables, and why",
		Long: `Lists every winner, rank and sum in which the second scoring differs from the first, and the cells and rows of other tables.
No solver runs again. FIRST and SECOND are any two of: a stage or table of the pipeline, a table as Parquet or CSV, a frozen folder.

  diff frozen stage.score.main        a folder and the pipeline; of two folders, all tables of one address
  diff stage.score.a stage.score.b    two stages of a pipeline. Stages that score the same runs by the same rule set differ in their
                                      readings, and each line ends with its causes. Other stages are compared by
                                      their tables; --views par=quick compares views of different names.
  diff a.json b.json                  two results of "smtpipe tool score -o"
  diff --official DIR                 the literal rules and the published practice, on a folder of official results
  diff --rules YEAR --runs FILE       the same on a table of runs

With --official and --runs two sets of readings may follow instead of "rules published": rules, published, KEY=VALUE, SWITCH=on
or off, several separated by commas, such as "published,D-ALL-5=off".

Causes are readings and switches: (A, B) if either of them makes the change alone, (A + B) if only both do.

` + exit.Help,
		Args: usageArgs(cobra.MaximumNArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := d.differences(cmd, args)
			if err != nil {
				return err
			}
			if d.winners {
				all = onlyWinners(all)
			}
			slices.SortStableFunc(all, func(a, b stages.Difference) int { return isWinner(b) - isWinner(a) })
			if d.json {
				err = printJSON(cmd, all)
			} else {
				err = writeDifferences(cmd.OutOrStdout(), all)
			}
			if err == nil && len(all) > 0 {
				err = exit.With(exit.Differs, nil)
			}
			return err
		},
	}
	f := cmd.Flags()
	d.project.register(f)
	addressCompletion{most: 2}.register(cmd, &d.project)
	f.BoolVar(&d.json, "json", false, "print as JSON")
	f.BoolVar(&d.winners, "winners", false, "only winners")
	f.StringVar(&d.views, "views", "", "compare a view of the first with one of the second, as par=quick")
	f.StringVar(&d.readings.official, "official", "", "compare readings on this folder of official results")
	f.StringVar(&d.readings.rules, "rules", "", "with --runs: rule set, a year or the path of an HCL file")
	f.StringVar(&d.runs, "runs", "", "compare readings on this table of runs")
	return cmd
}

// differences compares the stages or readings that the arguments name.
func (d *diffFlags) differences(cmd *cobra.Command, args []string) ([]stages.Difference, error) {
	switch {
	case d.readings.official != "" || d.runs != "" || d.readings.rules != "":
		if (d.runs == "") != (d.readings.rules == "") || d.runs != "" && d.readings.official != "" {
			return nil, exit.With(exit.Usage, errors.New("give either --official, or --rules and --runs"))
		}
		return d.readingsDiffer(cmd, args)
	case len(args) != 2:
		return nil, exit.With(exit.Usage, errors.New("diff needs two things to compare"))
	case strings.HasSuffix(args[0], ".json") && strings.HasSuffix(args[1], ".json"):
		return filesDiffer(args[0], args[1])
	case d.views == "" && !isThere(args[0]) && !isThere(args[1]):
		return d.stagesDiffer(cmd, args[0], args[1])
	}
	return d.tablesDiffer(cmd, args)
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// readingsDiffer compares two sets of readings on one table of runs.
func (d *diffFlags) readingsDiffer(cmd *cobra.Command, args []string) ([]stages.Difference, error) {
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
	return all, nil
}

// filesDiffer compares two results files.
func filesDiffer(a, b string) ([]stages.Difference, error) {
	from, err := scoreio.ReadFigures(a)
	if err != nil {
		return nil, err
	}
	to, err := scoreio.ReadFigures(b)
	if err != nil {
		return nil, err
	}
	var all []stages.Difference
	for _, x := range scoreio.CompareFigures(from, to) {
		all = append(all, stages.Difference{What: x.What, From: x.From, To: x.To})
	}
	return all, nil
}

// stagesDiffer compares two stages with their kind's method, if they share a kind that has one, and otherwise by their
// tables.
func (d *diffFlags) stagesDiffer(cmd *cobra.Command, a, b string) ([]stages.Difference, error) {
	p, err := d.project.open(cmd)
	if err != nil {
		return nil, err
	}
	e, err := p.Engine(engine.Options{})
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	all, err := e.Compare(cmd.Context(), a, b)
	if closed := p.Close(); closed != nil {
		return nil, errors.Join(err, closed)
	}
	if err == nil {
		return all, nil
	}
	all, tableErr := d.tablesDiffer(cmd, []string{a, b})
	if _, known := errors.AsType[*engine.IncomparableError](err); tableErr != nil && !known {
		tableErr = project.MeantStage(e, err)
	}
	return all, tableErr
}

func onlyWinners(all []stages.Difference) []stages.Difference {
	return slices.DeleteFunc(all, func(d stages.Difference) bool { return isWinner(d) == 0 })
}

// isWinner returns 1 for a winner, which comes first in lists, and 0 otherwise.
func isWinner(d stages.Difference) int {
	if strings.HasSuffix(d.What, "/winners") {
		return 1
	}
	return 0
}

func writeDifferences(w io.Writer, all []stages.Difference) error {
	var b strings.Builder
	for _, d := range all {
		fmt.Fprintf(&b, "%s: %s → %s", d.What, d.From, d.To)
		if len(d.Causes) > 0 {
			between := ", "
			if d.Together {
				between = " + "
			}
			fmt.Fprintf(&b, "  (%s)", strings.Join(d.Causes, between))
		}
		b.WriteByte('\n')
	}
	if len(all) == 0 {
		b.WriteString("No figure differs.\n")
	} else {
		verb := "differ"
		if len(all) == 1 {
			verb = "differs"
		}
		fmt.Fprintf(&b, "%s %s.\n", words.Count(len(all), "figure"), verb)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
