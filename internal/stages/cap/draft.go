package cap

import (
	"context"
	"fmt"

	"github.com/smtpipe/smtpipe/internal/contest/selection"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
	"github.com/smtpipe/smtpipe/internal/data/table"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/choices"
)

// draft is an unfinished selection.
type draft struct {
	choices *choices.Choices // the choices for all benchmarks
	items   []selection.Item // items to draw from
	at      []int            // the benchmark index of each item
	always  map[string]int64 // number of benchmarks selected without a draw, by group
	// groupOf maps a logic to the group of all its benchmarks, or to itself if they are in several groups.
	groupOf map[string]string
	sizes   map[string]int // the value of n, by group; nil if n is the number of items
}

// size returns the function that determines n; nil if n is the number of benchmarks to draw from.
func (d *draft) size() func(group string, items int) int {
	if d.sizes == nil {
		return nil
	}
	return func(group string, _ int) int { return d.sizes[group] }
}

// sizes counts the benchmarks of the attribute "counted" by group; nil if it is not given.
func (act *action) sizes(ctx context.Context, env *stages.Env) (map[string]int, error) {
	if act.counted == nil {
		return nil, nil
	}
	b, err := choices.Open(env, *act.counted)
	if err != nil {
		return nil, err
	}
	groups, err := b.Groups(ctx, act.groupBy)
	if err != nil {
		return nil, err
	}
	sizes := map[string]int{}
	for _, group := range groups {
		sizes[group]++
	}
	return sizes, nil
}

// decide records whether an item is selected, and why.
func (d *draft) decide(item int, decision selection.Decision) {
	d.choices.Set(d.at[item], decision.Selected(), d.choices.Reason(decision.String()))
}

// withAlways adds the benchmarks selected without a draw to the groups' counts.
func (d *draft) withAlways(groups []results.SelectionRow) []results.SelectionRow {
	known := map[string]bool{}
	for i := range groups {
		known[groups[i].Group] = true
		groups[i].Selected += d.always[groups[i].Group]
	}
	for group, n := range d.always {
		if !known[group] {
			// The table is sorted when it is written.
			groups = append(groups, results.SelectionRow{Group: group, Selected: n})
		}
	}
	return groups
}

// candidates divides the benchmarks into those to draw from, those selected without a draw, and those excluded.
func (act *action) candidates(ctx context.Context, b *choices.Benchmarks) (*draft, error) {
	e, err := act.evaluate(ctx, b)
	if err != nil {
		return nil, err
	}
	paths, err := b.Paths()
	if err != nil {
		return nil, err
	}
	d := &draft{
		choices: choices.New(b.Len()),
		items:   make([]selection.Item, 0, b.Len()),
		at:      make([]int, 0, b.Len()),
		always:  map[string]int64{},
		groupOf: map[string]string{},
	}
	for i, path := range paths {
		logic := b.Logics.At(i)
		group := logic
		if e.groups != nil {
			group = e.groups[i]
		}
		// Otherwise, the logic's group is already noted.
		if i == 0 || b.Logics.Codes[i] != b.Logics.Codes[i-1] || e.groups != nil && group != e.groups[i-1] {
			d.ofLogic(logic, group)
		}
		switch {
		case b.Problems.At(i) != "":
			d.choices.Set(i, false, d.choices.Reason(b.Problems.At(i)))
		case e.where != nil && !e.where[i]:
			d.choices.Set(i, false, d.choices.Reason("where does not hold"))
		case e.always != nil && e.always[i]:
			d.choices.Set(i, true, d.choices.Reason("taken without a draw: always holds"))
			d.always[group]++
		default:
			item := selection.Item{Path: path, Group: group}
			if e.claims != nil {
				item.Claim = e.claims[i]
			}
			item.First = e.first != nil && e.first[i]
			d.items, d.at = append(d.items, item), append(d.at, i)
		}
	}
	return d, nil
}

// ofLogic notes that the group contains a benchmark of the logic.
func (d *draft) ofLogic(logic, group string) {
	if known, ok := d.groupOf[logic]; !ok {
		d.groupOf[logic] = group
	} else if known != group {
		d.groupOf[logic] = logic
	}
}

// evaluated holds the row expressions' values for all benchmarks. A slice is nil if its expression is not given.
type evaluated struct {
	where, always, first []bool
	groups, claims       []string
}

func (act *action) evaluate(ctx context.Context, b *choices.Benchmarks) (evaluated, error) {
	var e evaluated
	for _, truth := range []struct {
		name string
		expr *rowexpr.Expr
		into *[]bool
	}{{"where", act.where, &e.where}, {"always", act.always, &e.always}, {"first", act.first, &e.first}} {
		if truth.expr == nil {
			continue
		}
		var err error
		if *truth.into, err = rowexpr.EvaluateTable("b", b.Table, truth.expr, func(f *table.Frame) ([]bool,
			error) {
			return truth.expr.Bools(ctx, f)
		}); err != nil {
			return e, fmt.Errorf("%s: %w", truth.name, err)
		}
	}
	for _, s := range []struct {
		name string
		expr *rowexpr.Expr
		into *[]string
	}{{"group_by", act.groupBy, &e.groups}, {"guarantee", act.guarantee, &e.claims}} {
		if s.expr == nil {
			continue
		}
		var err error
		if *s.into, err = b.Strings(ctx, s.expr); err != nil {
			return e, fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return e, nil
}
