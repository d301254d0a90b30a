package score

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/contest/admission"
)

// derive compares derived solvers with their bases, by division and by logic (SMT-COMP 2026 rules, §7.5; A13). In a
// track without the compared view, no solver counts as better than its base.
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

func (r *DerivedResult) compare(mine, base *Cell, percent int64, component string) {
	r.Wall, r.CPU = improvement(mine.Wall, base.Wall), improvement(mine.CPU, base.CPU)
	a, b := mine.Wall, base.Wall
	if component == "c" {
		a, b = mine.CPU, base.CPU
	}
	// 100 mine <= (100 - percent) base, in integers.
	r.Eligible = !b.IsZero() && a.times(100).Cmp(b.times(100-percent)) <= 0
}

// improvement returns (base - mine) / base, or nil if base is zero.
func improvement(mine, base Sum) *float64 {
	if base.IsZero() {
		return nil
	}
	f := 1 - mine.over(base)
	return &f
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
