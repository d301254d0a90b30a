package preselect

import (
	"context"
	"errors"
	"slices"

	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/choices"
)

// Tables holds a selection's input.
type Tables struct {
	Benchmarks *results.Table[results.BenchmarkRow]
	Retired    []results.UnfitRow
	History    []results.HistoryRow // earlier years' runs
	Measured   []results.HistoryRow // runs that determine difficulties
	Answers    []results.RunRow     // runs in this year's single-query track
	Recent     []results.HistoryRow // Answers, as runs of ThisYear
}

// ThisYear stands for the current year in runs, whichever year it is.
const ThisYear = 1

const kindName = "given"

// Kind declares a stage that outputs the tables. It has no arguments, so its key does not depend on them: use it only
// with a store created for a single selection and deleted afterwards.
func (t *Tables) Kind() *stages.Kind {
	return &stages.Kind{
		Name:    kindName,
		Version: 1,
		Summary: "Gives the tables of a selection",
		Outputs: []stages.Output{
			{Name: "benchmarks", Type: stages.TableType("benchmarks/1"), Doc: "the benchmarks to select from"},
			{Name: "retired", Type: stages.TableType("unfit/1"), Doc: "those that the organisers retired"},
			{Name: "history", Type: stages.TableType("history/1"), Doc: "runs of earlier years"},
			{Name: "said", Type: stages.TableType("history/1"), Doc: "runs of all years of the single-query track"},
			{Name: "measured", Type: stages.TableType("history/1"), Doc: "runs that measure difficulties"},
			{Name: "answers", Type: stages.TableType("runs/2"), Doc: "runs of this year's single-query track"},
		},
		New: func(*stages.Args) (stages.Action, error) { return t, nil },
	}
}

// Execute implements stages.Action.
func (t *Tables) Execute(_ context.Context, env *stages.Env) error {
	return errors.Join(
		choices.SetBenchmarks(env, t.Benchmarks),
		stages.SetTable(env, "retired", t.Retired),
		stages.SetTable(env, "history", t.History),
		stages.SetTable(env, "said", slices.Concat(t.History, t.Recent)),
		stages.SetTable(env, "measured", t.Measured),
		stages.SetTable(env, "answers", t.Answers),
	)
}
