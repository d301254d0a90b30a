package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/outfile"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
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
	if s.format != "" && s.format != "json" && !slices.Contains(scoreio.Formats, s.format) {
		return exit.With(exit.Usage, fmt.Errorf("unknown format %q; the formats are json, %s", s.format,
			strings.Join(scoreio.Formats, ", ")))
	}
	delayGC(scoreMemory)
	if s.official != "" {
		return s.scoreOfficial(cmd)
	}
	return s.scoreRuns(cmd, args[0])
}

// scoreInput is the input for scoring: runs, the rule set, and the practice behind the year's published tables.
type scoreInput struct {
	rules     *score.RuleSet
	others    func() []score.Reading // readings that only other rule sets have; nil if there are none
	runs      *score.Runs
	published func() (score.Readings, error)
	official  *scoreio.Official // nil for a table of runs
}

// input reads the official folder, or the table of runs, at path.
func (s *scoreFlags) input(cmd *cobra.Command, path string) (*scoreInput, error) {
	if s.official != "" {
		o, err := scoreio.ReadOfficial(s.official, rules.PublishedOf)
		if err != nil {
			return nil, err
		}
		for _, w := range o.Warnings() {
			fmt.Fprintf(cmd.ErrOrStderr(), "Warning: %s\n", w)
		}
		rs, rd, err := o.Practice()
		return &scoreInput{rs, rules.Readings, o.Runs, func() (score.Readings, error) { return rd, nil }, o}, err
	}
	rs, of, err := findScoring(cmd.ErrOrStderr(), s.rules)
	if err != nil {
		return nil, err
	}
	var others func() []score.Reading
	if of != nil && of.Name == rs.Name {
		others = rules.Readings
	}
	runs, warnings, err := s.read(cmd, rs, path)
	if err == nil {
		warnings = append(warnings, scoreio.BaseWarnings(rs, runs)...)
	}
	for _, w := range warnings {
		fmt.Fprintf(cmd.ErrOrStderr(), "Warning: %s\n", w)
	}
	return &scoreInput{rs, others, runs, func() (score.Readings, error) { return publishedOf(rs, of, runs) }, nil}, err
}

// readings parses the values of --reading, and adds notes about readings that the rule set does not use.
func (in *scoreInput) readings(cmd *cobra.Command, list []string) (score.Readings, error) {
	rd, notes, err := parseReadings(in.rules, list, in.published)
	for _, n := range notes {
		fmt.Fprintf(cmd.ErrOrStderr(), "Warning: %s\n", n)
	}
	if err != nil {
		return rd, exit.With(exit.Usage, err)
	}
	return rd, nil
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
		return printChanges(cmd, in.rules, in.runs, rd)
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

func (s *scoreFlags) read(cmd *cobra.Command, rs *score.RuleSet, path string) (*score.Runs, []string, error) {
	divide := scoreio.DivideBy(rs.Divisions, nil, rs.Kinds)
	if path == "-" {
		return scoreio.ReadRuns(cmd.InOrStdin(), "standard input", divide)
	}
	return scoreio.ReadRunsFile(path, divide)
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
	return scoreio.WriteExplanation(cmd.OutOrStdout(), x)
}

// formatOf returns the output format.
func (s *scoreFlags) formatOf(cmd *cobra.Command) string {
	if s.format != "" {
		return s.format
	}
	if s.output == "" && (isTerminal(cmd.OutOrStdout()) || s.division != "" || s.view != "" || s.track != "" ||
		s.logics) {
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
	return writeScore(cmd, s.output, []byte(out.String()))
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

// scoreOfficial implements score --official.
func (s *scoreFlags) scoreOfficial(cmd *cobra.Command) error {
	in, err := s.input(cmd, "")
	if err != nil {
		return err
	}
	o, rs := in.official, in.rules
	if s.compare && o.Published == nil {
		return fmt.Errorf("%s has no published.json to compare with", s.official)
	}
	readings := s.readings
	if len(readings) == 0 {
		readings = []string{"published"}
	}
	rd, err := in.readings(cmd, readings)
	if err != nil {
		return err
	}
	if s.changes {
		return printChanges(cmd, rs, o.Runs, rd)
	}
	if s.explain != "" {
		return s.explainCell(cmd, rs, o.Runs, rd)
	}
	res, err := score.Compute(cmd.Context(), rs, o.Runs, rd)
	if err != nil {
		return ruleError(cmd.ErrOrStderr(), rs, err)
	}
	if s.format != "" && s.format != "json" || s.division != "" || s.view != "" {
		if err := s.write(cmd, in, res); err != nil {
			return err
		}
	} else if s.output != "" || !s.compare {
		doc, err := o.TablesJSON(res)
		if err != nil {
			return err
		}
		if err := writeScore(cmd, s.output, doc); err != nil {
			return err
		}
	}
	if !s.compare {
		return nil
	}
	return compareOfficial(cmd.OutOrStdout(), o, res)
}

// compareOfficial lists differences. Those that follow from a known limitation of the data are only counted.
func compareOfficial(w io.Writer, o *scoreio.Official, res *score.Result) error {
	differences, cells, err := o.CompareResult(res)
	if err != nil {
		return err
	}
	known, missing := map[string]int{}, map[string]int{}
	unexpected := 0
	for _, d := range differences {
		switch {
		case d.Known != "":
			known[d.Known]++
		case d.Missing:
			missing[d.Column]++
		default:
			unexpected++
			fmt.Fprintln(w, d)
		}
	}
	fmt.Fprintf(w, "compared: %s\n", o.Tolerances())
	fmt.Fprintf(w, "%d %s: %d cells compared, %d differ", o.Year, o.Track, cells, unexpected)
	for i, column := range slices.Sorted(maps.Keys(missing)) {
		fmt.Fprintf(w, "%s %d of %s", map[bool]string{true: "; not computed:", false: ","}[i == 0], missing[column],
			column)
	}
	for _, why := range slices.Sorted(maps.Keys(known)) {
		fmt.Fprintf(w, "; %d are known not to follow from the runs: %s", known[why], why)
	}
	fmt.Fprintln(w)
	if unexpected > 0 {
		return exit.With(exit.Differs, nil)
	}
	return nil
}

// printChanges lists the differences from the literal rules.
func printChanges(cmd *cobra.Command, rs *score.RuleSet, runs *score.Runs, rd score.Readings) error {
	changes, err := score.Attribute(cmd.Context(), rs, runs, score.Readings{}, rd)
	if err != nil {
		return ruleError(cmd.ErrOrStderr(), rs, err)
	}
	winners := 0
	for _, c := range changes {
		fmt.Fprintln(cmd.OutOrStdout(), c)
		if c.Column == "winners" {
			winners++
		}
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%d figures change, %d of them winners\n", len(changes), winners)
	return nil
}

// onOff are the words that turn a practice switch on or off.
var onOff = map[string]bool{"": true, "on": true, "yes": true, "true": true, "off": false, "no": false, "false": false}

// isSwitch reports whether an item in --reading turns practice switches on or off: one by its name, or all with a
// D-number.
func isSwitch(rs *score.RuleSet, key, value string) bool {
	_, turns := onOff[value]
	return strings.HasPrefix(key, "D-") || len(rs.Switches(key)) > 0 || turns && value != ""
}

// parseReadings parses the values of --reading. It skips a reading or switch that only other rule sets have, and adds a
// note about it.
func parseReadings(rs *score.RuleSet, list []string, published func() (score.Readings, error)) (rd score.Readings,
	notes []string, err error) {
	rd = score.Readings{Values: map[string]string{}, Practice: map[string]bool{}}
	for _, item := range list {
		key, value, _ := strings.Cut(item, "=")
		switch {
		case item == "rules", key == "reading" && value == "rules":
		case item == "published", (key == "reading" || key == "practice") && value == "published":
			p, err := published()
			if err != nil {
				return rd, notes, err
			}
			maps.Copy(rd.Values, p.Values)
			maps.Copy(rd.Practice, p.Practice)
		case isSwitch(rs, key, value):
			on, ok := onOff[value]
			if !ok {
				return rd, notes, fmt.Errorf("practice switch %s cannot be %q; it is on or off", key, value)
			}
			if why := rules.ElsewhereOnly(rs, key); why != "" {
				notes = append(notes, why)
			} else if err := rs.Turn(&rd, key, on); err != nil {
				return rd, notes, err
			}
		case value == "":
			return rd, notes, fmt.Errorf("%q is not a reading; write KEY=VALUE, SWITCH=on or published", item)
		default:
			if why := rules.ElsewhereOnly(rs, key); why != "" {
				notes = append(notes, why)
			} else {
				rd.Values[key] = value
			}
		}
	}
	return rd, notes, rs.CheckReadings(rd)
}

// publishedOf returns the practice behind the tables published for the rules, in the runs' tracks.
func publishedOf(rs *score.RuleSet, of *rules.Rules, runs *score.Runs) (score.Readings, error) {
	rd := score.Readings{Values: map[string]string{}, Practice: map[string]bool{}}
	for _, t := range runs.Tracks {
		var p score.Readings
		ok := false
		if of != nil {
			p, ok = of.Published.Scoring(t.Name)
		}
		if !ok {
			return rd, fmt.Errorf("rule set %s does not say what the published tables of %d followed", rs.Name, rs.Year)
		}
		maps.Copy(rd.Values, p.Values)
		maps.Copy(rd.Practice, p.Practice)
	}
	return rd, nil
}

// findScoring reads the rule set with a name and prints its errors.
func findScoring(w io.Writer, name string) (*score.RuleSet, *rules.Rules, error) {
	rs, of, diags := rules.FindScoring(name, "")
	files := maps.Clone(of.Sources())
	if rs != nil {
		maps.Copy(files, rs.Files())
	}
	return rs, of, printDiagnostics(w, files, diags)
}

// printDiagnostics prints diagnostics with their source. It returns an error if any of them is an error.
func printDiagnostics(w io.Writer, files map[string]*hcl.File, diags hcl.Diagnostics) error {
	if len(diags) == 0 {
		return nil
	}
	if err := hcl.NewDiagnosticTextWriter(w, files, 100, false).WriteDiagnostics(diags); err != nil {
		return err
	}
	if diags.HasErrors() {
		return exit.With(exit.Error, nil)
	}
	return nil
}

// ruleError prints a row expression's error with its source.
func ruleError(w io.Writer, rs *score.RuleSet, err error) error {
	if diags, ok := errors.AsType[hcl.Diagnostics](err); ok {
		return printDiagnostics(w, rs.Files(), diags)
	}
	if errors.Is(err, context.Canceled) {
		return exit.With(exit.Interrupted, err)
	}
	return err
}
