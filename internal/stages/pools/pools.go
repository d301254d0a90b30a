// Package pools provides the "pools" stage: the selection of 2008, by pools of families and slots of categories. How is
// drawn is internal/selection.
package pools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/artifact"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/results"
	"github.com/smtpipe/smtpipe/internal/rowexpr"
	"github.com/smtpipe/smtpipe/internal/selection"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/choices"
	"github.com/smtpipe/smtpipe/internal/stages/filter"
	"github.com/smtpipe/smtpipe/internal/table"
)

var (
	benchmark = rowexpr.Var{Name: "b", Record: stages.RecordOf(results.SchemaOf[results.BenchmarkRow]()),
		Doc: "the benchmark"}
	history = rowexpr.Var{Name: "h", Record: filter.HistoryRecord,
		Doc: "its runs by the solvers that measure the difficulty"}
)

// Kind declares the stage.
var Kind = &stages.Kind{
	Name:    "pools",
	Version: 3,
	Summary: "Selects by pools and slots",
	Doc: `Takes all benchmarks of the category check; of each family at most 200 others into the pool of its division, balanced over
status and difficulty; and of each pool 200: 170 industrial, 20 crafted and 10 random ones, balanced again. The draws are written
down in docs/randomness.md. Statuses must be known and categories be one of those four; a benchmark with a problem is never
selected.

Source: SMT-COMP 2008 rules, §4 "Benchmark selection".`,
	Example: `stage "pools" "main" {
  benchmarks = stage.filter.eligible.benchmarks
  history    = stage.validate.difficulty.history
  difficulty = h.runs == 0 ? 5 : floor((10 * (h.runs - h.solved) + h.runs) / (2 * h.runs)) # rules 2008 §4, rounded
  seed       = local.seed
}`,
	Attrs: []stages.Attr{
		{Name: "benchmarks", Type: stages.TableType("benchmarks/1"), Required: true, Doc: "the eligible benchmarks"},
		{Name: "history", Type: stages.TableType("history/1"),
			Doc: "runs of the solvers that measure the difficulty, which h sums up for each benchmark"},
		{Name: "division", Type: cty.String, Row: &stages.Row{Scope: rowexpr.Scope{Vars: []rowexpr.Var{benchmark}}},
			Doc: "the division of a benchmark; default: its logic"},
		{Name: "difficulty", Type: cty.Number, Required: true,
			Row: &stages.Row{Scope: rowexpr.Scope{Vars: []rowexpr.Var{benchmark, history}}}, Doc: "the difficulty of " +
				"a benchmark, a whole number from 0 to 5; asked for all but those of the category check"},
		{Name: "seed", Type: cty.Number, Required: true, Secret: true, Doc: "the competition's seed, 0 to 2^32-1"},
	},
	Outputs: []stages.Output{
		{Name: "benchmarks", Type: stages.TableType("benchmarks/1"), Doc: "the selected benchmarks"},
		{Name: "selection", Type: stages.TableType("selection/1"), Doc: "eligible, places and selected by division"},
		{Name: "choices", Type: stages.TableType("choices/1"), Doc: "why each benchmark is in or out"},
		{Name: "count", Type: cty.Number, Doc: "number of selected benchmarks"},
	},
	New: newAction,
	Bound: func(_ *stages.Args, rows func(string) (int64, bool)) (int64, bool) {
		return rows("benchmarks")
	},
}

type action struct {
	benchmarks           stages.Artifact
	history              *stages.Artifact
	division, difficulty *rowexpr.Expr
	seed                 uint32
}

func newAction(a *stages.Args) (stages.Action, error) {
	act := &action{division: a.Row("division"), difficulty: a.Row("difficulty")}
	act.benchmarks, _ = a.Artifact("benchmarks")
	if h, ok := a.Artifact("history"); ok {
		act.history = &h
	}
	var errs []error
	if !a.Has("history") && slices.ContainsFunc(act.difficulty.Uses(), func(u string) bool {
		return strings.HasPrefix(u,
			"h.")
	}) {
		errs = append(errs, a.Invalid("difficulty", "There is no history", "The difficulty asks for earlier runs "+
			"(h), and the stage has no history attribute."))
	}
	seed, ok := a.Int("seed")
	if !ok || seed < 0 || seed > 1<<32-1 {
		errs = append(errs, a.Invalid("seed", "Invalid seed", "The seed is a whole number from 0 to 4294967295: the "+
			"generator takes 32 bits."))
	}
	act.seed = uint32(seed)
	return act, errors.Join(errs...)
}

// Execute implements stages.Action.
func (act *action) Execute(_ context.Context, env *stages.Env) error {
	rows, err := artifact.ReadTable[results.BenchmarkRow](env.Store, act.benchmarks)
	if err != nil {
		return err
	}
	env.Progress.Start(int64(len(rows)), "benchmarks", false)
	items, places, choices, err := act.items(env, rows)
	if err != nil {
		return err
	}
	decisions, divisions, err := selection.Select2008(items, act.seed)
	if err != nil {
		return err
	}
	env.Progress.Add(int64(len(rows)), "")
	for k, i := range places {
		choices[i].Selected, choices[i].Reason = decisions[k].Selected(), decisions[k].String()
	}
	return setOutputs(env, rows, choices, divisions)
}

// items makes the items to select from, with the row of each, and the choices of all benchmarks, with those filled in
// that cannot be used.
func (act *action) items(env *stages.Env, rows []results.BenchmarkRow) ([]selection.Item2008, []int,
	[]results.ChoiceRow, error) {
	frame := table.NewFrame(len(rows))
	if err := rowexpr.SetColumns(frame, "b", results.TableOf(rows), act.division, act.difficulty); err != nil {
		return nil, nil, nil, err
	}
	if act.history != nil {
		runs, err := artifact.ReadTable[results.HistoryRow](env.Store, *act.history)
		if err != nil {
			return nil, nil, nil, err
		}
		filter.AddHistory(frame, rows, runs, filter.Counted{}, act.division, act.difficulty)
	}
	difficulties, absent, err := act.difficulty.Numbers(frame)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("difficulty: %w", err)
	}
	var divisions []string
	if act.division != nil {
		if divisions, _, err = act.division.Strings(frame); err != nil {
			return nil, nil, nil, fmt.Errorf("division: %w", err)
		}
	}
	var items []selection.Item2008
	var places []int
	choices := make([]results.ChoiceRow, len(rows))
	for i, b := range rows {
		choices[i] = results.ChoiceRow{Benchmark: b.Path, Logic: b.Logic, Reason: b.Problem}
		if b.Problem != "" {
			continue
		}
		item := selection.Item2008{Path: b.Path, Division: b.Logic, Family: b.Family, Category: b.Category,
			Status: comp.Status(b.Status)}
		if divisions != nil {
			item.Division = divisions[i]
		}
		if b.Category != "check" {
			if d := difficulties[i]; (absent != nil && absent[i]) || d != float64(int(d)) {
				return nil, nil, nil, fmt.Errorf("the difficulty of %s is no whole number from 0 to 5", b.Path)
			}
			item.Difficulty = int(difficulties[i])
		}
		items, places = append(items, item), append(places, i)
	}
	return items, places, choices, nil
}

func setOutputs(env *stages.Env, rows []results.BenchmarkRow, choices []results.ChoiceRow,
	divisions []selection.Division2008) error {
	var kept []results.BenchmarkRow
	for i := range choices {
		if choices[i].Selected {
			kept = append(kept, rows[i])
		}
	}
	var groups []results.SelectionRow
	for _, d := range divisions {
		groups = append(groups, results.SelectionRow{
			Group: d.Division, Eligible: int64(d.Eligible), Quota: int64(d.Selected), Selected: int64(d.Selected),
		})
	}
	return errors.Join(
		env.Set("count", cty.NumberIntVal(int64(len(kept)))),
		stages.SetTable(env, "benchmarks", kept),
		stages.SetTable(env, "selection", groups),
		stages.SetTable(env, "choices", choices),
	)
}

// ExplainItem implements stages.ItemExplainer: why a benchmark is in or out.
func (act *action) ExplainItem(store *cache.Store, outputs map[string]cty.Value, item string) ([]cache.Component,
	error) {
	return choices.Explain(store, outputs, item)
}
