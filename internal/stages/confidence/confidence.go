// Package confidence provides the "confidence" stage, which computes how certain the rankings are.
// internal/contest/confidence contains the statistics; this package supplies its tables.
package confidence

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"golang.org/x/sync/errgroup"

	sure "github.com/smtpipe/smtpipe/internal/contest/confidence"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/scoring"
)

// maxResamples is the maximum number of resamples. With 100,000 resamples, the share of a solver that wins half of them
// varies by 0.3 %.
const maxResamples = 100_000

// Kind declares the stage.
var Kind = &stages.Kind{
	Name:    "confidence",
	Version: 4,
	Summary: "Computes how certain the rankings are",
	Doc: `Uses the same runs and rules as a "score" and computes how certain each ranking of a division with a winner is. It
executes no runs and changes no ranking.

Margins show how little decides a ranking. Each solver that may win has four: the fewest benchmarks whose removal makes it as
good as the winner; the fewest answers that the winner would have to lose; the fewest of the winner's runs that would have to
be wrong; and the factor by which the winner could be slower in every run. With that factor, a run that passes its limit has
no answer, and sums of times grow by the factor. The margins of a winner are the smallest of its rivals'. The number of
benchmarks is exact: rankings compare sums in lexicographic order, so the benchmarks with the largest differences are removed
first. If a time decides between equal numbers of answers, the numbers of answers and of wrong runs are bounds.

Resamples show how much depends on the choice of benchmarks. A resample draws families with replacement, as many as the
division has. A family is a folder of benchmarks and is drawn as a whole. The ranking is then computed again. win_share is the
share of the resamples that a solver wins, alone or with others. The intervals hold the middle 95 % of the ranks, and of n
scaled to the number of benchmarks. A division with fewer than five families is not resampled.

Alternatives show which choices the winners depend on. Each reading of the rule set is given its other values and each
practice switch is turned, one at a time, and all rankings are computed again. The table sensitivity lists the rankings whose
winners then change.

Noise shows whether a difference of times is larger than the variation between measurements. Runs of again are compared with
those of the verdicts if no limit ended either. The standard deviation of a measurement, as a fraction of the run's time, is
the root of the sum of (u-t)² over twice the sum of t·u, for the two times t and u of each run. A factor that all solvers
share is removed first. A solver needs 30 such runs. The interval of a difference of sums has 1.96 standard deviations to
either side, with errors that are independent from run to run.

The resamples assume that the families are a random sample of those in the field. They do not show whether the library
resembles the problems of users. The ranking determines who may win, which benchmarks were removed and whether the division is
competitive. A ranking that continues with an average CPU time (2008) is compared only up to it.

The generator is PCG-DXSM, one for each division. Its seed and order are in docs/write/randomness.md. The table is the same on any
machine.

Source: B. Efron, R. Tibshirani, An Introduction to the Bootstrap, 1993; A. Davison, D. Hinkley, Bootstrap Methods and their
Application, 1997, §3.8 (blocks); D. Beyer, S. Löwe, P. Wendler, Reliable benchmarking, STTT 21, 2019.`,
	Example: `stage "confidence" "single_query" {
  verdicts = stage.validate.single_query.verdicts
  rules    = competition.rules.scoring
  seed     = local.seed
}`,
	Attrs: append(append([]stages.Attr{}, scoring.Attrs...),
		stages.Attr{Name: "resamples", Type: cty.Number, Whole: stages.WholeFrom(0, maxResamples),
			Default: cty.NumberIntVal(1000),
			Doc:     "number of resamples of each ranking"},
		stages.Attr{Name: "again", Type: cty.List(stages.TableType("runs/2")), Doc: "other measurements of the same " +
			"solvers on some of the same benchmarks, such as those of an execute on another machine"},
		stages.Attr{Name: "again_results", Type: cty.List(stages.TableType("history/1")), Doc: "the same as imported " +
			"results, such as those of \"smtpipe verify --rerun --results\""},
		stages.Attr{Name: "seed", Type: cty.Number, Whole: stages.Seed32, Required: true, Secret: true,
			Doc: "the competition's seed"},
	),
	Outputs: []stages.Output{
		{Name: "confidence", Type: stages.TableType("confidence/1"), Doc: "how certain each solver's place is"},
		{Name: "sensitivity", Type: stages.TableType("sensitivity/1"),
			Doc: "readings and practice switches that change winners"},
		{Name: "noise", Type: stages.TableType("noise/1"),
			Doc: "whether differences of times exceed the variation of measurements; no rows without again"},
		{Name: "close", Type: cty.List(cty.String), Doc: "rankings with small margins, as TRACK/DIVISION/VIEW"},
	},
	New: newAction,
}

type action struct {
	*scoring.Input
	options sure.Options
	again   []stages.Artifact // tables runs/2
	results []stages.Artifact // tables history/1
}

func newAction(a *stages.Args) (stages.Action, error) {
	in, err := scoring.New(a)
	if err != nil {
		return nil, err
	}
	act := &action{Input: in}
	act.again, act.results = a.Artifacts("again"), a.Artifacts("again_results")
	act.options = sure.Options{Resamples: int(a.Int("resamples")), Seed: uint64(a.Int("seed"))}
	return act, nil
}

// Execute implements stages.Action.
func (act *action) Execute(ctx context.Context, env *stages.Env) error {
	var all []*ranking
	var hang []results.SensitivityRow
	if act.Rows() > 0 {
		runs, readings, err := act.Load(env.Store, nil)
		if err != nil {
			return err
		}
		spreads, err := act.spreads(env)
		if err != nil {
			return err
		}
		env.Progress.Start(0, "alternatives", false)
		if hang, err = act.sensitivity(ctx, env, runs, readings); err != nil {
			return err
		}
		env.Progress.Start(0, "rankings", false)
		group, inner := errgroup.WithContext(ctx)
		group.SetLimit(env.Jobs)
		err = score.EachPoints(inner, act.Rules, runs, readings, func(p *score.Points) error {
			r := &ranking{}
			all = append(all, r)
			group.Go(func() error {
				r.rows = rows(p, sure.Of(p, act.options))
				r.noise = noiseRows(p, sure.NoiseOf(p, spreads))
				env.Progress.Add(1, "")
				return inner.Err()
			})
			return inner.Err()
		})
		if err = errors.Join(group.Wait(), err); err != nil {
			return err
		}
	}
	var table []results.ConfidenceRow
	var noise []results.NoiseRow
	var closeOnes []string
	for _, r := range all {
		table, noise = append(table, r.rows...), append(noise, r.noise...)
		if i := slices.IndexFunc(r.rows, func(x results.ConfidenceRow) bool { return x.Close }); i >= 0 {
			row := &r.rows[i]
			closeOnes = append(closeOnes, strings.Join([]string{row.Track, row.Division, row.View}, "/"))
		}
	}
	return errors.Join(stages.SetTable(env, "confidence", table), stages.SetTable(env, "sensitivity", hang),
		stages.SetTable(env, "noise", noise), env.Set("close", rowexpr.TextList(closeOnes)))
}

// ranking holds the rows that belong to one ranking.
type ranking struct {
	rows  []results.ConfidenceRow
	noise []results.NoiseRow
}

func rows(p *score.Points, r *sure.Ranking) []results.ConfidenceRow {
	out := make([]results.ConfidenceRow, len(r.Entries))
	for i := range r.Entries {
		e := &r.Entries[i]
		row := &out[i]
		*row = results.ConfidenceRow{
			Track: p.Track, Division: p.Division.Name, View: p.Ranking.View, Solver: e.Solver, Rank: int64(e.Rank),
			Winner: e.Winner, Close: e.Close(), Benchmarks: int64(p.Ranking.Benchmarks), Families: int64(r.Families),
			Correct: e.Correct, CorrectLow: -1, CorrectHigh: -1, PlaceLow: -1, PlaceHigh: -1, WinShare: -1,
			Slowdown: -1,
		}
		if e.Correct95 != nil {
			row.CorrectLow, row.CorrectHigh = e.Correct95.Low, e.Correct95.High
		}
		if e.Place95 != nil {
			row.PlaceLow, row.PlaceHigh = int64(e.Place95.Low), int64(e.Place95.High)
		}
		if e.WinShare != nil {
			row.WinShare = *e.WinShare
		}
		if e.Slowdown != nil {
			row.Slowdown = *e.Slowdown
		}
		row.RemovedLeast, row.RemovedMost = bounds(e.Removed)
		row.LostLeast, row.LostMost = bounds(e.Lost)
		row.WrongLeast, row.WrongMost = bounds(e.Wrong)
	}
	return out
}

func bounds(m *sure.Margin) (least, most int64) {
	if m == nil {
		return -1, -1
	}
	return int64(m.Least), int64(m.Most)
}
