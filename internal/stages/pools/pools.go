// Package pools provides the "pools" stage: a selection by pools of families and slots of categories.
// internal/contest/selection implements the draw.
package pools

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/contest/selection"
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
	if !a.Has("history") && filter.UsesHistory(act.part) {
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
	b, err := choices.Open(env, act.benchmarks)
	if err != nil {
		return err
	}
	env.Progress.Start(int64(b.Len()), "benchmarks", false)
	items, places, err := act.items(ctx, env, b)
	if err != nil {
		return err
	}
	decisions, groups, err := selection.Pools(items, act.options)
	if err != nil {
		return err
	}
	env.Progress.Add(int64(b.Len()), "")
	made := choices.New(b.Len())
	for i := range b.Len() {
		made.Set(i, false, made.Reason(b.Problems.At(i)))
	}
	for k, i := range places { // the benchmarks without a problem
		made.Set(i, decisions[k].Selected(), made.Reason(decisions[k].String()))
	}
	var counts []results.SelectionRow
	for _, g := range groups {
		counts = append(counts, results.SelectionRow{
			Group: g.Group, Eligible: int64(g.Eligible), Quota: int64(g.Selected), Selected: int64(g.Selected),
		})
	}
	return made.SetSelection(env, b, counts, act.always)
}

// items returns the usable benchmarks to select from, and the index of each in the table.
func (act *action) items(ctx context.Context, env *stages.Env, b *choices.Benchmarks) (items []selection.PoolItem,
	places []int, err error) {
	always, parts, absent, err := act.evaluate(ctx, env, b)
	if err != nil {
		return nil, nil, err
	}
	all, err1 := b.Items(ctx, act.groupBy)
	families, err2 := b.Table.Strings("family")
	categories, err3 := b.Table.Strings("category")
	if err := cmp.Or(err1, err2, err3); err != nil {
		return nil, nil, err
	}
	for i, x := range all {
		if b.Problems.At(i) != "" {
			continue
		}
		item := selection.PoolItem{Path: x.Path, Group: x.Group, Family: families[i], Category: categories[i],
			Always: always != nil && always[i]}
		if !item.Always {
			item.Part = int(parts[i])
			if absent != nil && absent[i] || parts[i] != float64(item.Part) {
				return nil, nil, fmt.Errorf("the part of %s is not a whole number", x.Path)
			}
		}
		items, places = append(items, item), append(places, i)
	}
	return items, places, nil
}

// evaluate evaluates always and part for each benchmark. always is nil if it is false for all benchmarks. absent marks
// benchmarks without a part; it is nil if all have one.
func (act *action) evaluate(ctx context.Context, env *stages.Env, b *choices.Benchmarks) (always []bool,
	parts []float64, absent []bool, err error) {
	paths, err1 := b.Paths()
	history, err2 := filter.ReadHistory(env.Store, act.history, filter.Counted{})
	frame := table.NewFrame(b.Len())
	err3 := rowexpr.SetColumns(frame, "b", b.Table, act.always, act.part)
	if err := cmp.Or(err1, err2, err3); err != nil {
		return nil, nil, nil, err
	}
	history.AddColumns(frame, paths, act.part)
	if parts, absent, err = act.part.Numbers(ctx, frame); err != nil {
		return nil, nil, nil, fmt.Errorf("part: %w", err)
	}
	if act.always != nil {
		if always, err = act.always.Bools(ctx, frame); err != nil {
			return nil, nil, nil, fmt.Errorf("always: %w", err)
		}
	}
	return always, parts, absent, nil
}
