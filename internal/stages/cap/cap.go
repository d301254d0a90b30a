// Package cap provides the "cap" stage: it draws a number of benchmarks from each group and guarantees places to new
// families. internal/contest/selection implements the draw.
package cap

import (
	"context"
	"fmt"
	"math/big"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/selection"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
	"github.com/smtpipe/smtpipe/internal/data/table"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/choices"
)

var (
	benchmarkScope = rowexpr.Scope{Vars: []rowexpr.Var{
		{Name: "b", Record: stages.RecordOf(results.SchemaOf[results.BenchmarkRow]()), Doc: "the benchmark"},
	}}
	groupScope = rowexpr.Scope{Vars: []rowexpr.Var{
		{Name: "n", Type: cty.Number, Doc: "number of eligible benchmarks in the group"},
		{Name: "group", Type: cty.String, Doc: "the group's key, such as its logic"},
	}}
)

// Kind declares the stage.
var Kind = &stages.Kind{
	Name:    "cap",
	Version: 4,
	Summary: "Draws a bounded number of benchmarks from each group",
	Doc: `Groups the benchmarks and computes the number of places of each group from its size. Guaranteed places are given
first. The rest are filled uniformly without replacement. The generator is the C library's random(), seeded with seed. The
order of the draws is written down in docs/write/randomness.md and depends only on the benchmarks and the seed. A benchmark with a
problem, such as one that cannot be read, is never drawn.

Two other generators repeat the draws of the organisers (docs/write/selection.md); the rules name random(). generator = "cpython"
draws like their script from 2019 to 2023: from logics instead of groups, and for each family in the list new_families.
generator = "polars" draws like their tool since 2024, in the flavour of its version of polars: benchmarks in the order of the
organisers' list, each list starting again from the seed, and the benchmarks of first before the others. It has no guarantee.`,
	Example: `stage "cap" "single_query" {
  benchmarks     = stage.filter.hard.benchmarks
  take           = n <= 300 ? n : n <= 600 ? 300 : n <= 1000 ? floor(n / 2) : 500 + floor((n - 1000) / 10)
  guarantee      = b.new ? b.family : null # rules 2026 §6 (4): one benchmark of each new family first,
  guarantee_when = n > 600                 # in cases c and d
  seed           = local.seed
  exclusions     = stage.filter.hard.exclusions # to show what was trivial
}`,
	Attrs: []stages.Attr{
		{Name: "benchmarks", Type: stages.TableType("benchmarks/1"), Required: true, Doc: "the eligible benchmarks"},
		{Name: "counted", Type: stages.TableType("benchmarks/1"), Doc: "n counts these benchmarks, such as all of " +
			"the library; default: those that can be drawn"},
		{Name: "where", Type: cty.Bool, Row: &stages.Row{Scope: benchmarkScope},
			Doc: "use only benchmarks for which this holds"},
		{Name: "group_by", Type: cty.String, Row: &stages.Row{Scope: benchmarkScope},
			Doc: "the group of a benchmark; default: its logic"},
		{Name: "take", Type: cty.Number, Row: &stages.Row{Scope: groupScope}, Required: true,
			Doc: "number of places of a group of n benchmarks, rounded down"},
		{Name: "guarantee", Type: cty.String, Row: &stages.Row{Scope: benchmarkScope},
			Doc: "benchmarks with the same value claim one place together; null claims none"},
		{Name: "guarantee_when", Type: cty.Bool, Row: &stages.Row{Scope: groupScope},
			Doc: "whether claims apply in a group of n benchmarks; default: always"},
		{Name: "first", Type: cty.Bool, Row: &stages.Row{Scope: benchmarkScope},
			Doc: "benchmarks drawn after the guaranteed ones and before all others"},
		{Name: "always", Type: cty.Bool, Row: &stages.Row{Scope: benchmarkScope},
			Doc: "benchmarks that are selected without a draw and take no place; n does not count them"},
		choices.SeedAttr,
		{Name: "generator", Type: cty.String, Default: cty.StringVal("glibc"),
			Doc: "glibc, as the rules require; cpython, to repeat the lists of 2019 to 2023; polars, for lists " +
				"since 2024"},
		choices.FlavourAttr,
		{Name: "new_families", Type: stages.FileType, Doc: "cpython: the list of new benchmarks, one path per line; " +
			"one benchmark is drawn for each family, in order of appearance"},
		{Name: "eligible_new", Type: cty.Bool, Default: cty.True, Doc: "cpython: only eligible benchmarks are drawn " +
			"for a new family, as since 2023; false: any benchmark, so the draw may be wasted"},
		{Name: "exclusions", Type: stages.TableType("exclusions/1"),
			Doc: "benchmarks dropped earlier, to count trivial benchmarks in the selection table"},
	},
	Outputs: choices.Outputs("group"),
	New:     newAction,
	Quick:   stages.Always,
	Extent:  extent,
}

type action struct {
	choices.Explained
	benchmarks stages.Artifact
	counted    *stages.Artifact
	exclusions *stages.Artifact
	draw       choices.Draw
	replay     *replay // nil unless the organisers' script is replayed

	where, groupBy, take, guarantee, guaranteeWhen, first, always *rowexpr.Expr
}

func newAction(a *stages.Args) (stages.Action, error) {
	if err := checkFormulas(a); err != nil {
		return nil, err
	}
	act := &action{
		where:         a.Row("where"),
		groupBy:       a.Row("group_by"),
		take:          a.Row("take"),
		guarantee:     a.Row("guarantee"),
		guaranteeWhen: a.Row("guarantee_when"),
		first:         a.Row("first"),
		always:        a.Row("always"),
	}
	act.benchmarks, _ = a.Artifact("benchmarks")
	act.exclusions, act.counted = a.OptionalArtifact("exclusions"), a.OptionalArtifact("counted")
	var err error
	if act.draw, err = choices.ReadDraw(a, "glibc", "cpython", "polars"); err != nil {
		return nil, err
	}
	act.replay, err = newReplay(a)
	return act, err
}

// Execute implements stages.Action.
func (act *action) Execute(ctx context.Context, env *stages.Env) error {
	// Open the table first, because waiting for a core must not close it.
	b, err := choices.Open(env, act.benchmarks)
	if err != nil {
		return err
	}
	if err := env.Cores.Acquire(ctx, 1); err != nil { // running several caps concurrently would only use more memory
		return err
	}
	defer env.Cores.Release(1)
	env.Progress.Start(int64(b.Len()), "benchmarks", false)
	d, err := act.candidates(ctx, b)
	if err != nil {
		return err
	}
	if d.sizes, err = act.sizes(ctx, env); err != nil {
		return err
	}
	draw := act.byGroups
	if act.replay != nil {
		draw = act.byReplay
	}
	groups, err := draw(ctx, d)
	if err != nil {
		return err
	}
	env.Progress.Add(int64(b.Len()), "")
	if groups, err = act.addTrivial(env.Store, d, groups); err != nil {
		return err
	}
	return d.choices.SetSelection(env, b, groups, act.where)
}

// byGroups draws the places and returns the counts per group.
func (act *action) byGroups(ctx context.Context, d *draft) ([]results.SelectionRow, error) {
	chosen, err := selection.Cap(d.items, selection.CapOptions{
		Seed:      act.draw.Seed,
		Polars:    act.draw.Polars,
		Take:      act.quota(ctx),
		Guarantee: act.holds(ctx),
		Size:      d.size(),
	})
	if err != nil {
		return nil, err
	}
	for k, decision := range chosen.Decisions {
		d.decide(k, decision)
	}
	var groups []results.SelectionRow
	for _, g := range chosen.Groups {
		groups = append(groups, results.SelectionRow{Group: g.Group, Eligible: int64(g.Eligible),
			NewFamilies: int64(g.NewFamilies), Quota: int64(g.Quota), Selected: int64(g.Selected)})
	}
	return d.withAlways(groups), nil
}

// quota returns the function that computes how many places a group gets.
func (act *action) quota(ctx context.Context) func(group string, n int) (int, error) {
	return func(group string, n int) (int, error) {
		values, null, err := act.take.Numbers(ctx, groupFrame(group, n))
		switch {
		case err != nil:
			return 0, err
		case null != nil:
			return 0, act.take.Refuse("take returned null; write n to take all benchmarks of a group, and 0 to take none")
		case values[0] < 0:
			return 0, act.take.Refuse(fmt.Sprintf("take returned %v places; it must be at least 0: write max(0, ...)",
				values[0]))
		}
		places, _ := big.NewFloat(values[0]).Int64()
		return int(min(places, int64(n))), nil
	}
}

// holds returns the function that reports whether a group's claims hold; nil if they always hold.
func (act *action) holds(ctx context.Context) func(group string, n int) (bool, error) {
	if act.guaranteeWhen == nil {
		return nil
	}
	return func(group string, n int) (bool, error) {
		values, err := act.guaranteeWhen.Bools(ctx, groupFrame(group, n))
		if err != nil {
			return false, fmt.Errorf("guarantee_when for group %s of %d: %w", group, n, err)
		}
		return values[0], nil
	}
}

func groupFrame(group string, n int) *table.Frame {
	return table.NewFrame(1).Ints("n", []int64{int64(n)}, nil).Strings("group", []string{group}, nil)
}

// addTrivial adds the counts of the benchmarks that filters dropped as trivial.
func (act *action) addTrivial(store *cache.Store, d *draft, groups []results.SelectionRow) ([]results.SelectionRow,
	error) {
	if act.exclusions == nil {
		return groups, nil
	}
	exclusions, err := artifact.ReadTable[results.ExclusionRow](store, *act.exclusions)
	if err != nil {
		return nil, err
	}
	return choices.AddTrivial(groups, exclusions, d.groupOf), nil
}
