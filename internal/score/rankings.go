package score

import (
	"slices"
	"strings"
)

// cellsOf adds up the cells of a solver over logics.
func (e *engine) cellOf(view int, groups []int32, solver int) Cell {
	solvers := len(e.t.Solvers)
	out := e.cells[view][int(groups[0])*solvers+solver]
	for _, g := range groups[1:] {
		out.plus(&e.cells[view][int(g)*solvers+solver])
	}
	return out
}

// derive compares derived solvers with their bases, per division and per logic (SMT-COMP 2026 rules, §7.5; A13).
func (e *engine) derive() {
	if e.rs.Derived == nil {
		return
	}
	view := slices.IndexFunc(e.views, func(v *View) bool { return v.Name == e.rs.Derived.View })
	if view < 0 {
		return
	}
	for d, div := range e.result.Divisions {
		div.Derived = e.derivedIn(view, e.logics[d])
		for _, logic := range div.Logics {
			logic.Derived = e.derivedIn(view, []int32{logic.group})
		}
	}
}

func (e *engine) derivedIn(view int, groups []int32) []DerivedResult {
	var out []DerivedResult
	for s := range e.t.Solvers {
		solver := &e.t.Solvers[s]
		if solver.Base == "" {
			continue
		}
		mine := e.cellOf(view, groups, s)
		if !mine.listed() {
			continue
		}
		res := DerivedResult{Solver: solver.Name, Base: solver.Base}
		if base := slices.IndexFunc(e.t.Solvers, func(o Solver) bool { return o.Name == solver.Base }); base >= 0 {
			if theirs := e.cellOf(view, groups, base); theirs.listed() {
				res.compare(&mine, &theirs, e.rs.Derived.Percent, e.reading("par2_component"))
				if e.t.noCPU {
					res.CPU = nil
				}
			}
		}
		out = append(out, res)
	}
	slices.SortFunc(out, func(a, b DerivedResult) int { return strings.Compare(a.Solver, b.Solver) })
	return out
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

// improvement is (base - mine) / base, or nil for a base of zero.
func improvement(mine, base Sum) *float64 {
	if base.IsZero() {
		return nil
	}
	f := 1 - mine.over(base)
	return &f
}

// rankAll makes the rankings of every division and logic.
func (e *engine) rankAll() {
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
func (e *engine) ranking(view int, d *DivisionResult, groups []int32, sizes []int) *Ranking {
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
		out.Entries = append(out.Entries, Entry{
			Solver: solver.Name, ID: solver.ID, Competitive: solver.Competitive,
			Eligible: solver.Competitive && d.mayWin(solver), Cell: cell, solver: int32(s),
		})
	}
	e.finish(out, v, d)
	return out
}

// mayWin tells whether the division or logic lets a derived solver win.
func (d *DivisionResult) mayWin(s *Solver) bool {
	for _, r := range d.Derived {
		if r.Solver == s.Name {
			return r.Eligible
		}
	}
	return true
}

// finish sorts a ranking and names its winners, or says why there are none.
func (e *engine) finish(out *Ranking, v *View, d *DivisionResult) {
	order := e.order(v)
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
		open := slices.DeleteFunc(slices.Clone(out.Entries), func(x Entry) bool { return !e.t.Solvers[x.solver].OpenSource })
		names, _ := e.winners(open, order)
		out.TopOpenSource = append(out.TopOpenSource, names...)
	}
}
