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
	choices *choices.Choices  // of all benchmarks
	items   []selection.Item  // items to draw from
	at      []int             // the benchmark of each item
	always  map[string]int64  // benchmarks that are in without a draw, by group
	groupOf map[string]string // the group that all benchmarks of a logic are in; the logic, if they are in several
	sizes   map[string]int    // what n is, by group; nil: the number of items
}

// size returns the Size of a cap; nil if n counts what can be drawn.
func (d *draft) size() func(group string, items int) int {
	if d.sizes == nil {
		return nil
	}
	return func(group string, _ int) int { return d.sizes[group] }
}

// sizes counts the benchmarks of "counted" by group; nil without them.
func (act *action) sizes(ctx context.Context, env *stages.Env) (map[string]int, error) {
	if act.counted == nil {
		return nil, nil
	}
	b, err := choices.Open(env, *act.counted)
	if err != nil {
		return nil, err
	}
	groups := b.Logics.Strings()
	if act.groupBy != nil {
		if groups, err = b.Strings(ctx, act.groupBy); err != nil {
			return nil, fmt.Errorf("group_by: %w", err)
		}
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

// withAlways adds the benchmarks that are in without a draw to the counts of the groups.
func (d *draft) withAlways(groups []results.SelectionRow) []results.SelectionRow {
	known := map[string]bool{}
	for i := range groups {
		known[groups[i].Group] = true
		groups[i].Selected += d.always[groups[i].Group]
	}
	for group, n := range d.always {
		if !known[group] {
			groups = append(groups, results.SelectionRow{Group: group, Selected: n}) // sorted when the table is written
		}
	}
	return groups
}

// candidates sorts the benchmarks into those to draw from, those that are in without a draw, and those that are out.
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
		// otherwise it is known already
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

// ofLogic notes the group of a benchmark of a logic.
func (d *draft) ofLogic(logic, group string) {
	if known, ok := d.groupOf[logic]; !ok {
		d.groupOf[logic] = group
	} else if known != group {
		d.groupOf[logic] = logic
	}
}

// evaluated holds the values of the row expressions for all benchmarks; nil if there is no such expression.
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
