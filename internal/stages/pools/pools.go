// Package pools provides the "pools" stage: a selection by pools of families and slots of categories.
// internal/contest/selection implements the draw.
package pools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/contest/selection"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
	"github.com/smtpipe/smtpipe/internal/data/table"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/choices"
	"github.com/smtpipe/smtpipe/internal/stages/filter"
)

var (
	benchmark = rowexpr.Var{Name: "b", Record: stages.RecordOf(results.SchemaOf[results.BenchmarkRow]()),
		Doc: "the benchmark"}
	history = rowexpr.Var{Name: "h", Record: filter.HistoryRecord,
		Doc: "its runs by other solvers"}
)

// Kind declares the stage.
var Kind = &stages.Kind{
	Name:    "pools",
	Version: 4,
	Summary: "Selects by pools of families and slots of categories",
	Doc: `Selects the benchmarks for which always holds. Of the others, at most pool benchmarks of each family go into the
pool of its group. From each pool, as many are selected as there are slots: those of each category, with a share of its slots
for each part. Pools are also balanced over the parts. Slots that a category cannot fill go to the first category, and slots
that the first category cannot fill go to the others, in their order. A pool with no more benchmarks than slots is selected
completely. The draws are written down in docs/write/randomness.md. A benchmark with a problem is never selected.

Source: SMT-COMP 2008 rules, §4 "Benchmark selection".`,
	Example: `stage "pools" "main" {
  benchmarks = stage.filter.eligible.benchmarks
  always     = b.category == "check"
  pool       = 200
  parts      = 2
  part       = b.status == "unsat" ? 1 : 0
  seed       = local.seed

  slots "industrial" { places = 170 }
  slots "crafted" { places = 20 }
  slots "random" { places = 10 }
}`,
	Attrs: []stages.Attr{
		{Name: "benchmarks", Type: stages.TableType("benchmarks/1"), Required: true, Doc: "the eligible benchmarks"},
		{Name: "history", Type: stages.TableType("history/1"),
			Doc: "other solvers' runs, summarised per benchmark by h"},
		{Name: "group_by", Type: cty.String, Row: &stages.Row{Scope: rowexpr.Scope{Vars: []rowexpr.Var{benchmark}}},
			Doc: "the group of a benchmark; each group has a pool; default: its logic"},
		{Name: "always", Type: cty.Bool, Row: &stages.Row{Scope: rowexpr.Scope{Vars: []rowexpr.Var{benchmark}}},
			Doc: "benchmarks selected without a draw; they take no place"},
		{Name: "pool", Type: cty.Number, Whole: stages.WholeFrom(1, most), Required: true,
			Doc: "largest number of benchmarks of a family in the pool"},
		{Name: "parts", Type: cty.Number, Whole: stages.WholeFrom(1, most), Required: true,
			Doc: "number of parts over which a selection is balanced"},
		{Name: "part", Type: cty.Number, Required: true,
			Row: &stages.Row{Scope: rowexpr.Scope{Vars: []rowexpr.Var{benchmark, history}}}, Doc: "the part of a " +
				"benchmark, a whole number from 0; not evaluated if always holds"},
		{Name: "seed", Type: cty.Number, Whole: stages.Seed32, Required: true, Secret: true,
			Doc: "the competition's seed"},
	},
	Blocks: []stages.Block{{
		Name: "slots", Label: "category", Min: 1, Doc: "the category's places in each group",
		Attrs: []stages.Attr{{Name: "places", Type: cty.Number, Whole: stages.WholeFrom(0, most), Required: true,
			Doc: "number of places"}},
	}},
	Outputs: choices.Outputs("group"),
	New:     newAction,
	Quick:   stages.Always,
	Extent:  stages.BoundedBy("benchmarks"),
}

type action struct {
	choices.Explained
	benchmarks            stages.Artifact
	history               *stages.Artifact
	groupBy, always, part *rowexpr.Expr
	options               selection.PoolOptions
}

func newAction(a *stages.Args) (stages.Action, error) {
	act := &action{groupBy: a.Row("group_by"), always: a.Row("always"), part: a.Row("part")}
	act.benchmarks, _ = a.Artifact("benchmarks")
	act.history = a.OptionalArtifact("history")
	var errs []error
	if !a.Has("history") && slices.ContainsFunc(act.part.Uses(), func(u string) bool {
		return strings.HasPrefix(u, "h.")
	}) {
		errs = append(errs, a.Invalid("part", "There is no history", "The part uses earlier runs (h), but the "+
			"stage has no history attribute."))
	}
	act.options.Seed = uint32(a.Int("seed"))
	act.options.Pool, act.options.Parts = int(a.Int("pool")), int(a.Int("parts"))
	for _, b := range a.Blocks("slots") {
		slots := selection.CategorySlots{Category: b.Label, Places: int(b.Int("places"))}
		act.options.Slots = append(act.options.Slots, slots)
	}
	return act, errors.Join(errs...)
}

// most is the maximum number of benchmarks that can be requested.
const most = 1 << 30

// Execute implements stages.Action.
func (act *action) Execute(ctx context.Context, env *stages.Env) error {
	rows, err := artifact.ReadTable[results.BenchmarkRow](env.Store, act.benchmarks)
	if err != nil {
		return err
	}
	env.Progress.Start(int64(len(rows)), "benchmarks", false)
	values, err := act.evaluate(ctx, env, rows)
	if err != nil {
		return err
	}
	items, places, choices, err := values.items(rows)
	if err != nil {
		return err
	}
	decisions, groups, err := selection.Pools(items, act.options)
	if err != nil {
		return err
	}
	env.Progress.Add(int64(len(rows)), "")
	for k, i := range places {
		choices[i].Selected, choices[i].Reason = decisions[k].Selected(), decisions[k].String()
	}
	return setOutputs(env, rows, choices, groups)
}

// evaluated holds the values of the row expressions, indexed by benchmark.
type evaluated struct {
	groups []string // nil means that the logics are the groups
	always []bool   // nil means false for all benchmarks
	parts  []float64
	absent []bool // set if the benchmark has no part; nil if all have one
}

func (act *action) evaluate(ctx context.Context, env *stages.Env, rows []results.BenchmarkRow) (evaluated, error) {
	var e evaluated
	frame := table.NewFrame(len(rows))
	if err := rowexpr.SetColumns(frame, "b", results.TableOf(rows), act.groupBy, act.always, act.part); err != nil {
		return e, err
	}
	if act.history != nil {
		runs, err := artifact.ReadTable[results.HistoryRow](env.Store, *act.history)
		if err != nil {
			return e, err
		}
		filter.AddHistory(frame, rows, runs, filter.Counted{}, act.part)
	}
	var err error
	if e.parts, e.absent, err = act.part.Numbers(ctx, frame); err != nil {
		return e, fmt.Errorf("part: %w", err)
	}
	if act.groupBy != nil {
		if e.groups, _, err = act.groupBy.Strings(ctx, frame); err != nil {
			return e, fmt.Errorf("group_by: %w", err)
		}
	}
	if act.always != nil {
		if e.always, err = act.always.Bools(ctx, frame); err != nil {
			return e, fmt.Errorf("always: %w", err)
		}
	}
	return e, nil
}

// items returns the items to select from, each item's row, and the choices for all benchmarks, which are already set
// for unusable ones.
func (e *evaluated) items(rows []results.BenchmarkRow) ([]selection.PoolItem, []int, []results.ChoiceRow, error) {
	var items []selection.PoolItem
	var places []int
	choices := make([]results.ChoiceRow, len(rows))
	for i, b := range rows {
		choices[i] = results.ChoiceRow{Benchmark: b.Path, Logic: b.Logic, Reason: b.Problem}
		if b.Problem != "" {
			continue
		}
		item := selection.PoolItem{Path: b.Path, Group: b.Logic, Family: b.Family, Category: b.Category,
			Always: e.always != nil && e.always[i]}
		if e.groups != nil {
			item.Group = e.groups[i]
		}
		if !item.Always {
			if p := e.parts[i]; (e.absent != nil && e.absent[i]) || p != float64(int(p)) {
				return nil, nil, nil, fmt.Errorf("the part of %s is not a whole number", b.Path)
			}
			item.Part = int(e.parts[i])
		}
		items, places = append(items, item), append(places, i)
	}
	return items, places, choices, nil
}

func setOutputs(env *stages.Env, rows []results.BenchmarkRow, choices []results.ChoiceRow,
	groups []selection.PoolGroup) error {
	var kept []results.BenchmarkRow
	for i := range choices {
		if choices[i].Selected {
			kept = append(kept, rows[i])
		}
	}
	var counts []results.SelectionRow
	for _, g := range groups {
		counts = append(counts, results.SelectionRow{
			Group: g.Group, Eligible: int64(g.Eligible), Quota: int64(g.Selected), Selected: int64(g.Selected),
		})
	}
	return errors.Join(
		env.Set("count", cty.NumberIntVal(int64(len(kept)))),
		stages.SetTable(env, "benchmarks", kept),
		stages.SetTable(env, "selection", counts),
		stages.SetTable(env, "choices", choices),
	)
}
