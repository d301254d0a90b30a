package score

import (
	"slices"

	"github.com/smtpipe/smtpipe/internal/contest/admission"
)

// cellOf adds up a solver's cells over logics.
func (e *scoring) cellOf(view int, groups []int32, solver int) Cell {
	solvers := len(e.t.Solvers)
	out := e.cells[view][int(groups[0])*solvers+solver]
	for _, g := range groups[1:] {
		out.plus(&e.cells[view][int(g)*solvers+solver])
	}
	return out
}

// solverNamed returns the index of the named solver, or -1.
func (t *Track) solverNamed(name string) int {
	return slices.IndexFunc(t.Solvers, func(s Solver) bool { return s.Name == name })
}

// field returns the track's solvers for admission. Rules that compare a solver with its base require the base to enter
// the same places (SMT-COMP 2026 rules, §4 "Derived Tool"; 2008, §2 "Wrapper tools").
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

// ranking ranks the solvers that entered any of the logics.
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

// finish sorts a ranking and names its winners, or states why nobody wins.
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
