// Package hard provides the "hard" stage: the instances of the parallel and cloud tracks. internal/contest/selection
// selects them.
package hard

import (
	"context"
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
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
	history = rowexpr.Var{Name: "h", Record: filter.HistoryRecord, Doc: "its runs in earlier competitions"}
)

// Kind declares the stage.
var Kind = &stages.Kind{
	Name:    "hard",
	Version: 3,
	Summary: "Picks hard instances, logic by logic",
	Doc: `Picks benchmarks with long run times: those that were run without being solved, and those for which hard holds. In
turn, each logic that has any left gives one, unsolved and hard ones alternately, until the places are taken. Remaining places
go to benchmarks that were never run, dealt in the same way, since there is no evidence that these are easy. The order of the
draws is written down in docs/write/randomness.md.

generator = "polars" selects like the organisers' tool since 2024 (docs/write/selection.md): half of the places are for unsolved and
half for hard benchmarks. Within each half, logics give one benchmark in turn. Benchmarks that were never run are not
selected. Too few candidates are an error. The tool's limit is hard = h.min_cpu > 180.

Source: SMT-COMP 2022 rules, §5.6 and §5.7, and 2026 rules, §5.6 "Benchmark Selection", which fix only the number and leave
the estimation of run times to the organisers.`,
	Example: `stage "hard" "parallel" {
  benchmarks = stage.filter.parallel.benchmarks
  history    = stage.import.history.runs
  hard       = h.min_wall >= 600 # nobody solved it in less than ten minutes
  places     = 400               # rules 2026 §5.6
  seed       = local.seed
}`,
	Attrs: []stages.Attr{
		{Name: "benchmarks", Type: stages.TableType("benchmarks/1"), Required: true, Doc: "the eligible benchmarks"},
		{Name: "history", Type: stages.TableType("history/1"),
			Doc: "runs from earlier competitions, summarised per benchmark by h"},
		{Name: "track", Type: cty.String, Doc: "count only runs of this track in h"},
		{Name: "years", Type: cty.List(cty.Number), Doc: "count only runs of these years in h"},
		{Name: "hard", Type: cty.Bool, Required: true,
			Row: &stages.Row{Scope: rowexpr.Scope{Vars: []rowexpr.Var{benchmark, history}}},
			Doc: "whether a solved benchmark is hard; evaluated only for solved benchmarks"},
		{Name: "group_by", Type: cty.String, Row: &stages.Row{Scope: rowexpr.Scope{Vars: []rowexpr.Var{benchmark}}},
			Doc: "the group for drawing one benchmark in turn; default: the logic"},
		{Name: "places", Type: cty.Number, Whole: stages.WholeFrom(1, 1<<31-1), Required: true,
			Doc: "number of benchmarks"},
		{Name: "fill", Type: cty.Bool, Default: cty.True,
			Doc: "remaining places go to benchmarks that were never run; never with polars"},
		choices.SeedAttr,
		{Name: "generator", Type: cty.String, Default: cty.StringVal("glibc"),
			Doc: "glibc, as the rules require, or polars, to select like the organisers' tool since 2024"},
		choices.FlavourAttr,
	},
	Outputs: choices.Outputs("logic"),
	New:     newAction,
	Quick:   stages.Always,
	Extent: func(a *stages.Args, of func(string) (stages.Extent, bool)) (stages.Extent, bool) {
		e, ok := of("benchmarks")
		if places := a.Int("places"); !ok || places < e.Rows {
			return stages.Extent{Rows: places}, true
		}
		return stages.Extent{Rows: e.Rows}, true
	},
}

type action struct {
	choices.Explained
	benchmarks stages.Artifact
	history    *stages.Artifact
	counted    filter.Counted

	hard, groupBy *rowexpr.Expr
	options       selection.HardOptions
	polars        *selection.Polars // nil means that options determine the draw
}

func newAction(a *stages.Args) (stages.Action, error) {
	act := &action{counted: filter.Counted{Track: a.String("track")}, hard: a.Row("hard"), groupBy: a.Row("group_by")}
	act.benchmarks, _ = a.Artifact("benchmarks")
	act.history = a.OptionalArtifact("history")
	act.counted.Years = a.Ints("years")
	draw, err := choices.ReadDraw(a, "glibc", "polars")
	if err != nil {
		return nil, err
	}
	act.polars = draw.Polars
	places := a.Int("places")
	if act.polars != nil && places%2 != 0 {
		return nil, a.Invalid("places", "Invalid number of places", "With generator = \"polars\" it must be even: one "+
			"half is for unsolved and the other for hard benchmarks.")
	}
	act.options = selection.HardOptions{Seed: draw.Seed, Count: int(places), Fill: a.Bool("fill")}
	return act, nil
}

// Execute implements stages.Action.
func (act *action) Execute(ctx context.Context, env *stages.Env) error {
	b, err := choices.Open(env, act.benchmarks)
	if err != nil {
		return err
	}
	env.Progress.Start(int64(b.Len()), "benchmarks", false)
	paths, err := b.Paths()
	if err != nil {
		return err
	}
	hardness, err := act.hardness(ctx, env.Store, b, paths)
	if err != nil {
		return err
	}
	items, err := b.Items(ctx, act.groupBy)
	if err != nil {
		return err
	}
	chosen, err := act.choose(items, hardness)
	if err != nil {
		return err
	}
	env.Progress.Add(int64(b.Len()), "")
	made := choices.New(b.Len())
	for i, decision := range chosen.Decisions {
		reason := b.Problems.At(i)
		if reason == "" {
			reason = selection.HardReason(hardness[i], decision)
		}
		made.Set(i, decision.Selected(), made.Reason(reason))
	}
	var counts []results.SelectionRow
	for _, g := range chosen.Groups {
		counts = append(counts, results.SelectionRow{Group: g.Group, Eligible: int64(g.Eligible), Quota: int64(g.Quota),
			Selected: int64(g.Selected)})
	}
	return made.SetSelection(env, b, counts, act.hard)
}

// choose draws the instances.
func (act *action) choose(items []selection.Item, hardness []selection.Hardness) (selection.Selection, error) {
	if act.polars != nil {
		return selection.HardByPolars(items, hardness, act.options.Count, act.polars)
	}
	return selection.HardInstances(items, hardness, act.options)
}

// hardness determines which benchmarks are hard. The expression hard applies to solved benchmarks. A benchmark that
// cannot be read is not hard.
func (act *action) hardness(ctx context.Context, store *cache.Store, b *choices.Benchmarks,
	paths []string) ([]selection.Hardness, error) {
	history, err := filter.ReadHistory(store, act.history, act.counted)
	if err != nil {
		return nil, err
	}
	hardness := make([]selection.Hardness, b.Len())
	asked := make([]bool, b.Len())
	var ofAsked []string
	for i, path := range paths {
		runs, solved := history.Counts(path)
		switch {
		case b.Problems.At(i) != "":
		case runs == 0:
			hardness[i] = selection.Untried
		case solved == 0:
			hardness[i] = selection.Unsolved
		default:
			asked[i], ofAsked = true, append(ofAsked, path)
		}
	}
	t, err := b.Table.Where(asked)
	if err != nil {
		return nil, err
	}
	frame := table.NewFrame(t.Len())
	if err := rowexpr.SetColumns(frame, "b", t, act.hard); err != nil {
		return nil, err
	}
	history.AddColumns(frame, ofAsked, act.hard)
	holds, err := act.hard.Bools(ctx, frame)
	if err != nil {
		return nil, fmt.Errorf("hard: %w", err)
	}
	k := 0
	for i := range hardness {
		if asked[i] {
			if holds[k] {
				hardness[i] = selection.Hard
			}
			k++
		}
	}
	return hardness, nil
}
