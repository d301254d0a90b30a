package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/outfile"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/results/lists"
)

// newTableCommand groups the commands for lists of benchmarks and tables of results in any format.
func newTableCommand() *cobra.Command {
	table := &cobra.Command{
		Use:   "table",
		Short: "Compare, merge and count lists of benchmarks and results",
	}
	table.AddCommand(newTableCountCommand(), newTableDiffCommand(), newTableMergeCommand())
	return table
}

// formerly returns a command under the tool name that it had until version 0.1.
func formerly(name string, cmd *cobra.Command) *cobra.Command {
	now, run := cmd.Name(), cmd.RunE
	cmd.Use, cmd.Hidden = name+strings.TrimPrefix(cmd.Use, now), true
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		fmt.Fprintf(cmd.ErrOrStderr(), "Note: \"tool %s\" is \"table %s\" now, and its old name goes with the next version.\n",
			name, now)
		return run(cmd, args)
	}
	return cmd
}

func newTableCountCommand() *cobra.Command {
	var by []string
	var format string
	names := strings.Join(lists.Groupings(), ", ")
	cmd := &cobra.Command{
		Use:   "count LIST",
		Short: "Count the benchmarks of a release or list",
		Long: `count counts the benchmarks of a list by what --by names: ` + names + `.
The list is that of a release (a table benchmarks/1, as "smtpipe show STAGE --format parquet" writes it), the organisers' JSON,
or a file with one path per line, compressed or not. Sizes and numbers are counted by their order of magnitude.

Where the list has them, the numbers of check-sat commands and assertions and the sizes are added up, too.

` + exit.Help,
		Example: `  smtpipe table count benchmarks.parquet --by logic,status`,
		Args:    usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := lists.Count(args[0], by)
			if err != nil {
				return err
			}
			return writeCells(cmd, t, format)
		},
	}
	cmd.Flags().StringSliceVar(&by, "by", []string{"logic"}, "what to count by: "+names)
	addCellsFlag(cmd, &format)
	return cmd
}

func newTableDiffCommand() *cobra.Command {
	var ofResults, list, paths bool
	var format, track string
	compare := func(files []string) (*lists.Changes, error) {
		if ofResults {
			return lists.CompareResults(files, track)
		}
		return lists.CompareBenchmarks(files, paths)
	}
	cmd := &cobra.Command{
		Use:   "diff FIRST SECOND...",
		Short: "Compare lists of benchmarks, or results, of two or more years",
		Long: `diff compares each list of benchmarks (of a release, in any form that smtpipe reads) with the one before: for each logic that
differs, it prints how many benchmarks are new, removed, renamed and changed; with --list it prints each of them. A benchmark is
renamed if it is gone and a new one has the same digest; without digests, if exactly one new benchmark has the same file name and
agrees in everything that both lists say (status, assertions, check-sats). It is changed if its status, number of assertions or
check-sats, or digest differs. Benchmarks are compared by their paths below the collection. With --paths, as for two selections,
nothing counts as renamed or changed.

With --results the files are results, each [YEAR=]FILE; without YEAR the year is taken from the name. For each solver of each
track it prints on how many benchmarks it was run in both, and on how many of them the result is the same, gained (an answer where
there was none, more answered check-sats, or a smaller core), lost, or contradicts the earlier one. The line "(any)" counts what any
solver answers.

The exit code tells whether anything differs.

` + exit.Help,
		Example: `  smtpipe table diff benchmarks-2024.json.gz benchmarks-2025.json.gz
  smtpipe table diff --results --list results-sq-2024.json.gz results-sq-2025.json.gz`,
		Args: usageArgs(cobra.MinimumNArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			changes, err := compare(args)
			if err != nil {
				return err
			}
			t := &changes.Counts
			if list {
				t = &changes.All
			}
			if err := writeCells(cmd, t, format); err != nil || len(changes.All.Rows) == 0 {
				return err
			}
			return exit.With(exit.Differs, nil)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&ofResults, "results", false, "the files are results, not lists of benchmarks")
	addResultsTrack(f, &track)
	f.BoolVar(&list, "list", false, "print each difference, not counts")
	f.BoolVar(&paths, "paths", false, "compare only which benchmarks there are")
	addCellsFlag(cmd, &format)
	return cmd
}

// mergeFlags are the flags of "table merge".
type mergeFlags struct {
	results bool
	track   string
	output  string
	prefer  string
}

func newTableMergeCommand() *cobra.Command {
	var flags mergeFlags
	cmd := &cobra.Command{
		Use:   "merge FILE...",
		Short: "Merge lists of benchmarks, or results",
		Long: `merge makes one table of several lists of benchmarks (benchmarks/1), or, with --results, of several files of results
(history/1), in any form that smtpipe reads; a file of results is [YEAR=]FILE; without YEAR the year is taken from the name. The
end of the output's name says its format: .csv, .jsonl, .json or .parquet.

A benchmark in several lists appears once. Where one list leaves something open that another knows, such as a status, the known
value is taken. Contradictions are errors, all of which are listed; --prefer first or last decides for a list.

` + exit.Help,
		Example: `  smtpipe table merge -o all.parquet benchmarks-2024.json.gz benchmarks-2025.json.gz`,
		Args:    usageArgs(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			format, err := results.FormatOf(flags.output)
			if err != nil {
				return exit.With(exit.Usage, err)
			}
			if !slices.Contains([]lists.Prefer{"", lists.First, lists.Last}, lists.Prefer(flags.prefer)) {
				return exit.With(exit.Usage, fmt.Errorf("--prefer is first or last, not %q", flags.prefer))
			}
			var table bytes.Buffer
			var n int
			if flags.results {
				n, err = lists.MergeResults(&table, args, flags.track, lists.Prefer(flags.prefer))
			} else {
				n, err = lists.MergeBenchmarks(&table, args, lists.Prefer(flags.prefer))
			}
			if err != nil {
				return err
			}
			out := &table
			if format != results.Parquet {
				out = &bytes.Buffer{}
				if err := results.Export(out, bytes.NewReader(table.Bytes()), int64(table.Len()), format); err != nil {
					return err
				}
			}
			if err := outfile.WriteText(flags.output, out.String()); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.ErrOrStderr(), "%d rows of %d files\n", n, len(args))
			return err
		},
	}
	f := cmd.Flags()
	f.BoolVar(&flags.results, "results", false, "the files are results, not lists of benchmarks")
	addResultsTrack(f, &flags.track)
	f.StringVarP(&flags.output, "output", "o", "", "file to write")
	f.StringVar(&flags.prefer, "prefer", "", "which list is right if they contradict each other: first or last")
	cobra.CheckErr(cmd.MarkFlagRequired("output"))
	return cmd
}

// addResultsTrack adds the flag --track to tools that read results.
func addResultsTrack(f *pflag.FlagSet, track *string) {
	f.StringVar(track, "track", "", "with --results: the track of files that do not name it, such as StarExec's tables; "+
		"of other files only its runs are read")
}

// writeCells prints a table in the format of --format.
func writeCells(cmd *cobra.Command, t *lists.Table, format string) error {
	out := cmd.OutOrStdout()
	if format == "text" {
		out = inert{out}
	}
	return t.Write(out, format)
}

// addCellsFlag adds --format, which selects the format of a table.
func addCellsFlag(cmd *cobra.Command, format *string) {
	cmd.Flags().StringVar(format, "format", "text", "text, csv or json")
}
