package main

import (
	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/audit/repeat"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/ui"
)

func newShadowCommand() *cobra.Command {
	var o repeat.Options
	var progress string
	cmd := &cobra.Command{
		Use:   "shadow FOLDER... --submissions FOLDER -o FOLDER",
		Short: "Repeat a published year and show what differs, and why",
		Long: `Recomputes the organisers' publications from published files: the draw, tables, recognitions, and the pages, data files and
certificates of the official site. It compares every figure with the one in the folders, and shows which rule,
practice switch or missing input explains each difference. No solver runs.

In the folders, and below them, it looks for
  results-TRACK-YEAR.json.gz     the organisers' results, to be scored
  benchmarks-YEAR.json.gz        the organisers' list of benchmarks, to be drawn from
  YEAR-TRACK/                    runs.csv.gz and published.json: runs and published tables
                                 or params.json, all.txt.gz and selected.txt.gz: what the organisers' script drew, and from what
  YEAR/results/*.html, *.md      pages, to be compared with the results, and with each other
  YEAR/                          tables of StarExec, lists of solvers, of selected and of removed benchmarks, as the
                                 organisers' two repositories have them
  *.md, tracks.json, division_tracks.json, participants.json, input_for_certificates.tex
                                 pages, data files and certificates of the official site, to be compared with

The draw is the program's pipeline draw-YEAR.hcl, or --draw. A reading or practice switch explains differences if changing it alone
removes them and no other figure differs. If no single one explains a difference, pairs are tried.

The output folder contains draw/, tables/, the pages, and the comparison as shadow.md, shadow.html and shadow.json. Everything
that could not be compared for lack of input is listed. The exit code is 0 if everything is equal or explained.

` + exit.Help,
		Example: `  smtpipe shadow published --submissions submissions --year 2025 -o shadow-2025`,
		Args:    usageArgs(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Folders, o.Progress, o.Version = args, ui.Mode(progress), version
			o.Stdout, o.Stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
			return repeat.Year(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.Submissions, "submissions", "", "folder with submission files; without, there is no draw, and "+
		"published pages say who entered what")
	f.StringVar(&o.Drawn, "draw-submissions", "", "folder with the submission files as they were when the "+
		"benchmarks were drawn (default: --submissions)")
	f.StringVar(&o.Year, "year", "", "the year, where the folders have several, or a folder with its rules")
	f.StringVarP(&o.Out, "out", "o", "shadow", "folder to write; one that smtpipe did not write is not replaced")
	f.StringVar(&o.Benchmarks, "benchmarks", "", "list of benchmarks (default: benchmarks-YEAR.json.gz in the folders)")
	f.StringVar(&o.Draw, "draw", "", "pipeline of the draw, with the variables list, submissions, history and answers, "+
		"or none (default: draw-YEAR.hcl of the program)")
	f.StringArrayVar(&o.Selections, "selection", nil, "TRACK=FILE with the benchmarks that were selected (default: those "+
		"with results; repeatable)")
	f.StringVar(&o.Date, "result-date", "", "date of the results on the pages (default: that of the year, else of the "+
		"pages in the folders)")
	f.BoolVar(&o.JSON, "json", false, "print the comparison as JSON")
	f.StringVar(&progress, "progress", "auto", "how to show progress: auto, bars, lines, json or none")
	return cmd
}
