package score

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/diff"
)

// Change is a cell, a rank or a winner that differs between two results. Attribute names at least one cause for each.
type Change struct {
	Track, Division, Logic string
	View, Solver           string // Solver is empty if the winners changed.
	Column                 string // rank, e, n, w, c, points, winners, or the name of a recognition
	diff.Difference
}

// Changes returns the differences between two results of the same runs.
func Changes(from, to *Result) []Change { return changesOf(from.figures(), to.figures()) }

func changesOf(a, b map[figure]string) []Change {
	var out []Change
	for at, p := range diff.Pairs(a, b, compareFigures) {
		if p.From != p.To {
			out = append(out, Change{at.Track, at.Division, at.Logic, at.View, at.Solver, at.Column, diff.Difference{
				What: at.name(), From: cmp.Or(p.From, diff.Nothing), To: cmp.Or(p.To, diff.Nothing)}})
		}
	}
	return out
}

// figure identifies a figure in a result.
type figure struct{ Track, Division, Logic, View, Solver, Column string }

func compareFigures(a, b figure) int {
	return cmp.Or(strings.Compare(a.Track, b.Track), strings.Compare(a.Division, b.Division), strings.Compare(a.Logic,
		b.Logic),
		strings.Compare(a.View, b.View), strings.Compare(a.Solver, b.Solver), strings.Compare(a.Column, b.Column))
}

// name returns the figure's name, such as single_query/QF_BV/par/cvc5/rank.
func (f figure) name() string {
	parts := []string{f.Track, f.Division, f.Logic, f.View, f.Solver, f.Column}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "/")
}

// figures returns a result's figures as text.
func (r *Result) figures() map[figure]string {
	out := map[figure]string{}
	for _, t := range r.Tracks {
		for _, d := range t.Divisions {
			d.figures(out, figure{Track: t.Name, Division: d.Name}, t.NoCPU)
			if len(d.Logics) > 1 {
				for _, l := range d.Logics {
					l.figures(out, figure{Track: t.Name, Division: d.Name, Logic: l.Name}, t.NoCPU)
				}
			}
		}
		for _, rec := range t.Recognitions {
			for _, v := range rec.Views {
				var names []string
				for _, w := range v.Winners {
					names = append(names, strings.TrimSpace(w.Division+" "+w.Solver))
				}
				out[figure{Track: t.Name, View: v.View, Column: rec.Name}] = strings.Join(names, ", ")
			}
		}
	}
	return out
}

func (d *DivisionResult) figures(out map[figure]string, at figure, noCPU bool) {
	for _, r := range d.Rankings {
		at.View, at.Solver, at.Column = r.View, "", "winners"
		out[at] = strings.Join(r.Winners, ", ")
		for i := range r.Entries {
			e := &r.Entries[i]
			c := &e.Cell
			at.Solver = e.Solver
			for _, f := range []struct{ column, value string }{
				{"rank", fmt.Sprint(e.Rank)}, {"e", fmt.Sprint(c.Errors)}, {"n", fmt.Sprint(c.Correct)},
				{"w", c.Wall.String()}, {"c", c.CPU.String()}, {"points", fmt.Sprint(c.Points)},
			} {
				if f.column == "c" && noCPU {
					continue
				}
				at.Column = f.column
				out[at] = f.value
			}
		}
	}
}

// Attribute returns the differences between the results under two sets of readings, and the readings and switches that
// cause each difference. It finds single causes by taking each step alone from the first readings. A difference without
// a single cause is attributed to the steps that change the figure alone and those without which the final figure would
// differ; failing that, to the steps that change it when all are taken in sequence.
func Attribute(ctx context.Context, rs *RuleSet, runs *Runs, from, to Readings) ([]Change, error) {
	a := attribution{rs: rs, runs: runs}
	base, err := a.figures(ctx, from)
	if err != nil {
		return nil, err
	}
	end, err := a.figures(ctx, to)
	if err != nil {
		return nil, err
	}
	changes := changesOf(base, end)
	steps := rs.steps(from, to)
	if err := a.alone(ctx, changes, base, end, from, steps); err != nil {
		return nil, err
	}
	if err := a.needed(ctx, changes, end, to, from, steps); err != nil {
		return nil, err
	}
	return changes, a.inTurn(ctx, changes, base, from, steps)
}

type attribution struct {
	rs   *RuleSet
	runs *Runs
}

func (a *attribution) figures(ctx context.Context, rd Readings) (map[figure]string, error) {
	res, err := Compute(ctx, a.rs, a.runs, rd)
	if err != nil {
		return nil, err
	}
	return res.figures(), nil
}

// alone finds the steps that cause a change alone. If none does, it records the steps that change the figure at all.
func (a *attribution) alone(ctx context.Context, changes []Change, base, end map[figure]string, from Readings,
	steps []step) error {
	moved := make([][]string, len(changes))
	for _, s := range steps {
		got, err := a.figures(ctx, s.take(from))
		if err != nil {
			return err
		}
		for i := range changes {
			switch at := changes[i].key(); got[at] {
			case end[at]:
				changes[i].Causes = append(changes[i].Causes, s.name)
			case base[at]:
			default:
				moved[i] = append(moved[i], s.name)
			}
		}
	}
	for i := range changes {
		if c := &changes[i]; len(c.Causes) == 0 {
			c.Causes, c.Together = moved[i], true
		}
	}
	return nil
}

// needed finds the steps without which a change that has no single cause would not happen.
func (a *attribution) needed(ctx context.Context, changes []Change, end map[figure]string, to, from Readings,
	steps []step) error {
	if !slices.ContainsFunc(changes, func(c Change) bool { return c.Together }) {
		return nil
	}
	for _, s := range steps {
		got, err := a.figures(ctx, s.back(to, from))
		if err != nil {
			return err
		}
		for i := range changes {
			c := &changes[i]
			if at := c.key(); c.Together && got[at] != end[at] && !slices.Contains(c.Causes, s.name) {
				c.Causes = append(c.Causes, s.name)
			}
		}
	}
	order := func(x, y string) int {
		at := func(name string) int { return slices.IndexFunc(steps, func(s step) bool { return s.name == name }) }
		return cmp.Compare(at(x), at(y))
	}
	for i := range changes {
		slices.SortFunc(changes[i].Causes, order)
	}
	return nil
}

// inTurn finds the causes of the remaining changes: those that no single step makes, and that happen without any one of
// the steps.
func (a *attribution) inTurn(ctx context.Context, changes []Change, base map[figure]string, from Readings,
	steps []step) error {
	if !slices.ContainsFunc(changes, func(c Change) bool { return len(c.Causes) == 0 }) {
		return nil
	}
	open := make([]bool, len(changes))
	for i := range changes {
		open[i] = len(changes[i].Causes) == 0
	}
	last := base
	for _, s := range steps {
		from = s.take(from)
		got, err := a.figures(ctx, from)
		if err != nil {
			return err
		}
		for i := range changes {
			if at := changes[i].key(); open[i] && got[at] != last[at] {
				changes[i].Causes = append(changes[i].Causes, s.name)
			}
		}
		last = got
	}
	return nil
}

// key returns the figure that changed.
func (c Change) key() figure { return figure{c.Track, c.Division, c.Logic, c.View, c.Solver, c.Column} }

// step is one difference between two sets of readings: a reading with a different value, or a toggled switch.
type step struct {
	name    string
	reading string // name of the reading; empty for a switch
	value   string
	id      string
	on      bool
}

// take returns the readings after taking the step.
func (s step) take(rd Readings) Readings {
	out := Readings{maps.Clone(rd.Values), maps.Clone(rd.Practice)}
	if s.reading != "" {
		if out.Values == nil {
			out.Values = map[string]string{}
		}
		out.Values[s.reading] = s.value
		return out
	}
	if out.Practice == nil {
		out.Practice = map[string]bool{}
	}
	out.Practice[s.id] = s.on
	return out
}

// back returns the readings with the step reverted to its value in from.
func (s step) back(rd, from Readings) Readings {
	s.value, s.on = from.Values[s.reading], !s.on
	return s.take(rd)
}

// steps returns the differences between two sets of readings.
func (rs *RuleSet) steps(from, to Readings) []step {
	var out []step
	for _, r := range rs.Readings {
		if v := to.value(r); v != from.value(r) {
			out = append(out, step{name: r.Name + "=" + v, reading: r.Name, value: v})
		}
	}
	for _, p := range rs.Practices {
		if on := to.Practice[p.ID]; on != from.Practice[p.ID] {
			s := step{name: strings.TrimSpace(p.Cite + " " + p.ID), id: p.ID, on: on}
			if !on {
				s.name += "=off"
			}
			out = append(out, s)
		}
	}
	return out
}

// Alternative is a reading with a different value, or a toggled practice switch.
type Alternative struct {
	Name     string // as in Change.Causes
	Doc      string // description of the reading or switch
	Readings Readings
}

// Alternatives returns all other choices, each of which can be made separately.
func (rs *RuleSet) Alternatives(rd Readings) []Alternative {
	var out []Alternative
	add := func(to Readings, cite, doc string) {
		for _, s := range rs.steps(rd, to) {
			out = append(out, Alternative{s.name, strings.TrimSpace(cite + " " + doc), to})
		}
	}
	for _, r := range rs.Readings {
		for _, v := range r.Values {
			add(step{reading: r.Name, value: v}.take(rd), r.Cite, r.Doc)
		}
	}
	for _, p := range rs.Practices {
		add(step{id: p.ID, on: !rd.Practice[p.ID]}.take(rd), p.Cite, p.Doc)
	}
	return out
}
