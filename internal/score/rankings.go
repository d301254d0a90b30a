package score

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/admission"
)

// cellsOf adds up the cells of a solver over logics.
func (e *scoring) cellOf(view int, groups []int32, solver int) Cell {
	solvers := len(e.t.Solvers)
	out := e.cells[view][int(groups[0])*solvers+solver]
	for _, g := range groups[1:] {
		out.plus(&e.cells[view][int(g)*solvers+solver])
	}
	return out
}

// derive compares derived solvers with their bases, per division and per logic (SMT-COMP 2026 rules, §7.5; A13). In a
// track without the compared view, no solver improves on another.
func (e *scoring) derive() {
	if e.rs.Derived == nil {
		return
	}
	view := slices.IndexFunc(e.views, func(v *View) bool { return v.Name == e.rs.Derived.View })
	for d, div := range e.result.Divisions {
		div.Derived = e.derivedIn(div, view, e.logics[d])
		for _, logic := range div.Logics {
			logic.Derived = e.derivedIn(logic, view, []int32{logic.group})
		}
	}
}

func (e *scoring) derivedIn(d *DivisionResult, view int, groups []int32) []DerivedResult {
	var out []DerivedResult
	for s := range e.t.Solvers {
		solver := &e.t.Solvers[s]
		if solver.BaseSolver == "" {
			continue
		}
		mine := e.cellOf(max(view, 0), groups, s)
		if !mine.listed() {
			continue
		}
		res := DerivedResult{Solver: solver.Name, Base: solver.BaseSolver}
		base := e.t.solverNamed(solver.BaseSolver)
		var theirs Cell
		if base >= 0 {
			theirs = e.cellOf(max(view, 0), groups, base)
		}
		unfounded := d.admitted[s].Reason(admission.NoBase)
		if view >= 0 && theirs.listed() {
			res.compare(&mine, &theirs, e.rs.Derived.Percent, e.reading("par2_component"))
		}
		if e.t.noCPU {
			res.CPU = nil
		}
		switch {
		case unfounded != "":
			res.Eligible, res.Missing, res.Problem = false, true, unfounded
		case view < 0:
			res.Problem = "this track has no view " + e.rs.Derived.View
		case !res.Eligible:
			res.Problem = fmt.Sprintf("not %d %% better than its base solver %s", e.rs.Derived.Percent,
				solver.BaseSolver)
		}
		out = append(out, res)
	}
	slices.SortFunc(out, func(a, b DerivedResult) int { return strings.Compare(a.Solver, b.Solver) })
	return out
}

// solverNamed returns a solver by name, or -1 if there is none.
func (t *Track) solverNamed(name string) int {
	return slices.IndexFunc(t.Solvers, func(s Solver) bool { return s.Name == name })
}

// field returns the solvers for admission. Rules that compare a solver with its base require the base in the same
// places (SMT-COMP 2026 rules, §4 "Derived Tool"; 2008, §2 "Wrapper tools").
func (t *Track) field(rs *RuleSet) admission.Field {
	f := admission.Field{Track: t.Name}
	f.BaseMustEnter = rs.Derived != nil || rs.Disqualify != nil && rs.Disqualify.Wrappers
	for i := range t.Solvers {
		s := &t.Solvers[i]
		e := admission.Entrant{Solver: s.Name, Base: s.BaseSolver, Competes: s.Competitive}
		if s.Barred != "" {
			e.Given = []admission.Reason{{Kind: admission.Barred, Text: s.Barred}}
		}
		f.Entrants = append(f.Entrants, e)
	}
	return f
}

func (r *DerivedResult) compare(mine, base *Cell, percent int64, component string) {
	r.Wall, r.CPU = improvement(mine.Wall, base.Wall), improvement(mine.CPU, base.CPU)
	a, b := mine.Wall, base.Wall
	if component == "c" {
		a, b = mine.CPU, base.CPU
	}
	// 100 mine <= (100 - percent) base, in whole numbers.
	r.Eligible = !b.IsZero() && a.times(100).Cmp(b.times(100-percent)) <= 0
}

// improvement returns (base - mine) / base, or nil for a base of zero.
func improvement(mine, base Sum) *float64 {
	if base.IsZero() {
		return nil
	}
	f := 1 - mine.over(base)
	return &f
}

// rankAll computes the rankings of every division and logic.
func (e *scoring) rankAll() {
	for i := range e.views {
		sizes := make([]int, len(e.t.groups))
		for b, ok := range e.counted[i] {
			if ok {
				sizes[e.t.Benchmarks[b].group]++
			}
		}
		for d, div := range e.result.Divisions {
			div.Rankings = append(div.Rankings, e.ranking(i, div, e.logics[d], sizes))
			for _, logic := range div.Logics {
				logic.Rankings = append(logic.Rankings, e.ranking(i, logic, []int32{logic.group}, sizes))
			}
		}
	}
	e.disqualify()
}

// ranking ranks the solvers that entered the logics.
func (e *scoring) ranking(view int, d *DivisionResult, groups []int32, sizes []int) *Ranking {
	v := e.views[view]
	out := &Ranking{View: v.Name}
	for _, g := range groups {
		out.Benchmarks += sizes[g]
	}
	for s := range e.t.Solvers {
		solver := &e.t.Solvers[s]
		cell := e.cellOf(view, groups, s)
		if !cell.listed() || e.gone(&cell) || e.hidden(&cell) {
			continue
		}
		entry := Entry{
			Solver: solver.Name, ID: solver.ID, Competitive: solver.Competitive, Eligible: d.admitted[s].Competes,
			Cell: cell, solver: int32(s),
		}
		if why := d.admitted[s].Refused(); why != "" && solver.Competitive {
			entry.Refused, entry.Barred = true, why
		} else if r := d.derived(solver.Name); r != nil && !r.Eligible && solver.Competitive {
			entry.Eligible, entry.Barred = false, r.Problem
		}
		out.Entries = append(out.Entries, entry)
	}
	e.finish(out, v, d)
	return out
}

// derived returns the comparison of a derived solver with its base, or nil for other solvers.
func (d *DivisionResult) derived(name string) *DerivedResult {
	for i := range d.Derived {
		if d.Derived[i].Solver == name {
			return &d.Derived[i]
		}
	}
	return nil
}

// finish sorts a ranking and names its winners, or states the reason why there are none.
func (e *scoring) finish(out *Ranking, v *View, d *DivisionResult) {
	order := e.order(v)
	out.order = order
	rank(out.Entries, order, e.on("ties_by_solver_number"))
	out.Winners, out.TopOpenSource, out.NoWinner = []string{}, []string{}, ""
	if e.on("first_listed_wins") {
		if out.Winners = firstListed(out.Entries); len(out.Winners) == 0 {
			out.NoWinner = "the first competitive solver solved nothing"
		}
		return
	}
	if out.NoWinner = e.noContest(out, d); out.NoWinner != "" {
		return
	}
	names, why := e.winners(out.Entries, order)
	out.Winners, out.NoWinner = append(out.Winners, names...), why
	if e.rs.OpenSource {
		open := slices.DeleteFunc(slices.Clone(out.Entries),
			func(x Entry) bool { return !e.t.Solvers[x.solver].OpenSource })
		names, _ := e.winners(open, order)
		out.TopOpenSource = append(out.TopOpenSource, names...)
	}
}
