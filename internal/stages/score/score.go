// Package score provides the "score" stage: rankings and recognitions, computed from verdicts by a rule set.
// internal/contest/score computes them; this package supplies its tables.
package score

import (
	"context"
	"errors"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	scoring "github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/contest/score/scoreio"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/stages"
	inputs "github.com/smtpipe/smtpipe/internal/stages/scoring"
)

// Kind declares the stage.
var Kind = &stages.Kind{
	Name:    "score",
	Version: 9,
	Summary: "Ranks solvers by a rule set",
	Doc: `Computes the rankings of every division and logic in every view, the winners, and the competition-wide recognitions.
The rule set is that of the competition's rules, that of a year which smtpipe has ("smtpipe rules list"), or a file of the
pipeline, such as a changed copy of a year's rule set ("smtpipe rules export 2026 -o my.rules.hcl"). If the rules can be read
in several ways, readings chooses. Changes to the comments and layout of a rule set change no result and execute nothing
again.

Benchmarks that are found unfit after the runs are given as removed, usually from a stage "unfit" that reads a list. They are
not scored, as if they had not been run. Their runs and the selection stay unchanged (rules 2015 to 2026, §8).

A ranking whose first solver solved nothing has no winner; the column no_winner gives the reason. Verdicts that lack data for
the scoring of their track, or that contradict each other, are errors.`,
	Example: `stage "score" "single_query" {
  verdicts = stage.validate.single_query.verdicts
  rules    = competition.rules.scoring
}`,
	Attrs: inputs.Attrs,
	Outputs: []stages.Output{
		{Name: "scores", Type: stages.TableType("scores/1"), Doc: "the rankings"},
		{Name: "recognitions", Type: stages.TableType("recognitions/1"),
			Doc: "competition-wide rankings and removed benchmarks"},
		{Name: "winners", Type: cty.Map(cty.List(cty.String)),
			Doc: "winners by TRACK/DIVISION/VIEW; rankings without a winner are left out"},
	},
	New: newAction,
}

type action struct{ *inputs.Input }

func newAction(a *stages.Args) (stages.Action, error) {
	in, err := inputs.New(a)
	if err != nil {
		return nil, err
	}
	return &action{in}, nil
}

// Execute implements stages.Action.
func (act *action) Execute(ctx context.Context, env *stages.Env) error {
	rows := act.Rows()
	if rows == 0 {
		env.Log.Warn("there are no runs to score; was anything selected, and did anybody enter the track?")
		return errors.Join(
			stages.SetTable(env, "scores", []results.ScoreRow{}),
			stages.SetTable(env, "recognitions", []results.RecognitionRow{}),
			env.Set("winners", stages.TextLists(nil)),
		)
	}
	env.Progress.Start(rows, "runs", false)
	kept, err := env.Kept(Kind)
	if err != nil {
		return err
	}
	runs, readings, err := act.Load(env.Store, kept)
	if err != nil {
		return err
	}
	result, err := scoring.Compute(ctx, act.Rules, runs, readings)
	if err != nil {
		return err
	}
	env.Progress.Add(rows, "")
	return errors.Join(
		stages.SetTable(env, "scores", scoreio.ScoreRows(result, act.Rules, runs)),
		stages.SetTable(env, "recognitions", scoreio.RecognitionRows(result, act.Rules)),
		env.Set("winners", winners(result)),
	)
}

// Ranker is the action of a stage that ranks solvers.
type Ranker interface {
	// Points calls yield with the summands of every division ranking that has a winner.
	Points(ctx context.Context, store *cache.Store, yield func(*scoring.Points) error) error
	// Division returns a logic's division in the rankings.
	Division(track, logic string) string
}

// Points implements Ranker.
func (act *action) Points(ctx context.Context, store *cache.Store, yield func(*scoring.Points) error) error {
	if act.Rows() == 0 {
		return nil
	}
	runs, readings, err := act.Load(store, nil)
	if err != nil {
		return err
	}
	return scoring.EachPoints(ctx, act.Rules, runs, readings, yield)
}

// winners lists the winners of every competitive division's rankings.
func winners(r *scoring.Result) cty.Value {
	all := map[string][]string{}
	for _, t := range r.Tracks {
		for _, d := range t.Divisions {
			for _, ranking := range d.Rankings {
				if len(ranking.Winners) == 0 || !d.Competitive {
					continue
				}
				all[t.Name+"/"+d.Name+"/"+ranking.View] = ranking.Winners
			}
		}
	}
	return stages.TextLists(all)
}
