package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/outfile"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/contest/score/scoreio"
)

// scoreFlags are the flags of "tool score".
type scoreFlags struct {
	rules    string
	readings []string
	output   string
	format   string

	official string
	compare  bool
	changes  bool

	track, division, view string
	logics                bool
	explain               string
}

func newToolScoreCommand() *cobra.Command {
	var s scoreFlags
	cmd := &cobra.Command{
		Use:   "score --rules YEAR|FOLDER|FILE RUNS.csv | score --official DIR",
		Short: "Score runs by the rules of a year, or recompute published tables",
		Long: `score computes division and logic scores, rankings, winners and competition-wide recognitions from a table of runs.

With --rules it scores RUNS.csv (plain, gzipped, or as Parquet; "-" is standard input; tables of verdicts will do as well) by the
rules of a year ("smtpipe rules list"), by those of a folder as ./2027, or by a rule set in a file of its own; "smtpipe rules
export 2026 -o my.rules.hcl" writes one to start from. --reading KEY=VALUE picks a reading where
the rules are unclear ("smtpipe rules show 2026" lists them), --reading late_answers_lost=on turns on a practice of the
organisers that deviates from the rules, --reading D-ALL-3=on every practice with that number in the list of differences, and
--reading published every practice that the published tables of the year followed.

With --official it scores the runs of a folder of official results (runs.csv.gz, published.json; named like
2019-unsat-core) by the rule set and practice of its year and track. With --compare it lists the cells that differ from
published.json, and exits with 3 if there are any but the known limits of the data. It says how close figures must be, and counts
separately the cells that were not computed, which are not differences. --reading replaces the practice: "rules" for
the literal rules, or "published" and then switches, as --reading published --reading D-ALL-5=off.

Without -o the result goes to standard output, as tables on a terminal and as JSON otherwise; --format says which.

` + exit.Help,
		Args: usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.execute(cmd, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&s.rules, "rules", "", "rules: a year, a folder, or the file of a rule set")
	f.StringArrayVar(&s.readings, "reading", nil, `KEY=VALUE, SWITCH=on or "published"; may be repeated`)
	f.StringVarP(&s.output, "output", "o", "", "file to write instead of standard output")
	f.StringVar(&s.format, "format", "", "json, "+strings.Join(scoreio.Formats, ", "))
	f.StringVar(&s.official, "official", "", "folder of official results")
	f.BoolVar(&s.compare, "compare", false, "with --official: list the cells that differ from the published tables")
	f.BoolVar(&s.changes, "changes", false, "list what the readings change against the literal rules, with the cause "+
		"of each change")
	f.StringVar(&s.track, "track", "", "only this track")
	f.StringVar(&s.division, "division", "", "only this division or logic")
	f.StringVar(&s.view, "view", "", "only this view: par, seq, 24s, sat, unsat, par2, points")
	f.BoolVar(&s.logics, "logics", false, "the rankings of logics as well (tables)")
	f.StringVar(&s.explain, "explain", "", "show the runs behind a cell: [TRACK::]DIVISION[/LOGIC]/VIEW/SOLVER")
	cmd.MarkFlagsMutuallyExclusive("changes", "explain")
	return cmd
}

func (s *scoreFlags) execute(cmd *cobra.Command, args []string) error {
	switch {
	case (s.rules == "") == (s.official == ""):
		return exit.With(exit.Usage, errors.New("score needs either --rules or --official"))
	case s.official != "" && len(args) > 0:
		return exit.With(exit.Usage, errors.New("--official takes its runs from the folder; leave out RUNS.csv"))
	case s.compare && s.official == "":
		return exit.With(exit.Usage, errors.New("--compare needs --official"))
	case s.rules != "" && len(args) != 1:
		return exit.With(exit.Usage, errors.New("score --rules needs the table of runs, RUNS.csv"))
	}
	if list := firstSet(cmd.Flags(), "changes", "explain"); list != "" {
		other := firstSet(cmd.Flags(), "format", "track", "division", "view", "logics", "compare")
		if other != "" {
			return exit.With(exit.Usage, fmt.Errorf("--%s has no effect with --%s; leave one of them out", other, list))
		}
	}
	if s.format != "" && s.format != "json" && !slices.Contains(scoreio.Formats, s.format) {
		return exit.With(exit.Usage, fmt.Errorf("unknown format %q; the formats are json, %s", s.format,
			strings.Join(scoreio.Formats, ", ")))
	}
	delayGC(scoreMemory, 0.7)
	if s.official != "" {
		return s.scoreOfficial(cmd)
	}
	return s.scoreRuns(cmd, args[0])
}

// scoreRuns implements score --rules.
func (s *scoreFlags) scoreRuns(cmd *cobra.Command, path string) error {
	in, err := s.input(cmd, path)
	if err != nil {
		return err
	}
	rd, err := in.readings(cmd, s.readings)
	if err != nil {
		return err
	}
	if s.changes {
		return s.writeChanges(cmd, in.rules, in.runs, rd)
	}
	if s.explain != "" {
		return s.explainCell(cmd, in.rules, in.runs, rd)
	}
	rs := in.rules
	if s.view != "" {
		rs = rs.Only(s.view, in.runs, s.formatOf(cmd) == "json")
	}
	res, err := score.Compute(cmd.Context(), rs, in.runs, rd)
	if err != nil {
		return ruleError(cmd.ErrOrStderr(), in.rules, err)
	}
	return s.write(cmd, in, res)
}

func (s *scoreFlags) explainCell(cmd *cobra.Command, rs *score.RuleSet, runs *score.Runs, rd score.Readings) error {
	var tracks, views []string
	for _, t := range runs.Tracks {
		tracks = append(tracks, t.Name)
	}
	for _, v := range rs.Views {
		views = append(views, v.Name)
	}
	at, err := scoreio.ParsePlace(s.explain, tracks, views)
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	x, err := score.Explain(cmd.Context(), rs, runs, rd, at)
	if err != nil {
		return ruleError(cmd.ErrOrStderr(), rs, err)
	}
	var out bytes.Buffer
	if err := scoreio.WriteExplanation(inert{&out}, x); err != nil {
		return err
	}
	return writeScore(cmd, s.output, out.Bytes())
}

// chooses reports whether only a part of the result is wanted, or more than the tables of divisions.
func (s *scoreFlags) chooses() bool {
	return s.track != "" || s.division != "" || s.view != "" || s.logics
}

// formatOf returns the output format.
func (s *scoreFlags) formatOf(cmd *cobra.Command) string {
	if s.format != "" {
		return s.format
	}
	if s.output == "" && (isTerminal(cmd.OutOrStdout()) || s.chooses()) {
		return "table"
	}
	return "json"
}

// write writes a result in the requested format to the requested destination.
func (s *scoreFlags) write(cmd *cobra.Command, in *scoreInput, res *score.Result) error {
	format := s.formatOf(cmd)
	var out strings.Builder
	sel := scoreio.Select{Track: s.track, Division: s.division, View: s.view, Logics: s.logics}
	if format == "json" {
		if s.track != "" || s.division != "" || s.view != "" {
			var err error
			if res, err = sel.Of(res); err != nil {
				return exit.With(exit.Usage, err)
			}
		}
		var others []score.Reading
		if in.others != nil {
			others = in.others()
		}
		doc, err := scoreio.ResultJSON(in.rules, res, others)
		if err != nil {
			return err
		}
		out.Write(doc)
	} else {
		if err := scoreio.WriteTables(&out, format, in.rules, res, sel); err != nil {
			return exit.With(exit.Usage, err)
		}
	}
	text := out.String()
	if format == "table" {
		text = words.Inert(text)
	}
	return writeScore(cmd, s.output, []byte(text))
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// writeScore writes a result to standard output, or atomically to a file.
func writeScore(cmd *cobra.Command, path string, data []byte) error {
	if path == "" || path == "-" {
		_, err := cmd.OutOrStdout().Write(data)
		return err
	}
	return outfile.WriteText(path, string(data))
}
