package score

import (
	"fmt"
	"slices"
)

// The reasons why a solver is unranked (SMT-COMP 2008 rules, §2 "Wrapper tools" and §5).
const (
	excludedEverywhere = "competition" // too many wrong answers in some division
	excludedHere       = "division"    // a wrapper tool that is not ahead of the tool it wraps, or lacks it
)

// disqualify removes the solvers that the 2008 rules disqualify from the rankings, and ranks the rest again (A02).
func (e *scoring) disqualify() {
	if e.rs.Disqualify == nil {
		return
	}
	out := e.tooManyErrors()
	for s := range e.t.Solvers {
		if out[s] {
			e.result.Disqualified = append(e.result.Disqualified, e.t.Solvers[s].Name)
		}
	}
	slices.Sort(e.result.Disqualified)
	for _, d := range e.result.Divisions {
		e.disqualifyIn(d, out)
		for _, l := range d.Logics {
			e.disqualifyIn(l, out)
		}
	}
}

// tooManyErrors reports, for each solver, whether it is excluded from all divisions.
func (e *scoring) tooManyErrors() []bool {
	out := make([]bool, len(e.t.Solvers))
	if e.rs.Disqualify.Errors == 0 {
		return out
	}
	for _, d := range e.result.Divisions {
		for _, x := range d.Rankings[0].Entries {
			if x.Cell.Errors >= e.rs.Disqualify.Errors {
				out[x.solver] = true
			}
		}
	}
	return out
}

func (e *scoring) disqualifyIn(d *DivisionResult, everywhere []bool) {
	for i, r := range d.Rankings {
		v := e.views[i]
		for j := range r.Entries {
			if everywhere[r.Entries[j].solver] {
				r.Entries[j].Excluded, r.Entries[j].Barred = excludedEverywhere, "disqualified: too many wrong answers"
			}
		}
		if e.rs.Disqualify.Wrappers {
			e.disqualifyWrappers(r, v.Order)
		}
		if e.qualifiedOnly {
			e.countQualified(d, r)
		}
		e.finish(r, v, d)
		d.TopOpenSource = r.TopOpenSource
	}
}

// disqualifyWrappers excludes wrapper tools that are not strictly ahead of the tool they wrap, or whose wrapped tool
// did not enter the division. The rule does not apply if either tool is already excluded.
func (e *scoring) disqualifyWrappers(r *Ranking, order []Key) {
	reasons := map[int]string{}
	for i := range r.Entries {
		x := &r.Entries[i]
		name := e.t.Solvers[x.solver].BaseSolver
		base := r.Entry(name)
		switch {
		case name == "" || x.Excluded != "":
		case base == nil:
			reasons[i], x.Refused = fmt.Sprintf("disqualified: the tool that it wraps, %s, is not there", name), true
		case base.Excluded == "" && x.Cell.compare(&base.Cell, order) >= 0:
			reasons[i] = fmt.Sprintf("disqualified: not ahead of the tool that it wraps, %s", name)
		}
	}
	for i, reason := range reasons {
		r.Entries[i].Excluded, r.Entries[i].Barred = excludedHere, reason
	}
}

// countQualified counts only qualified solvers when deciding whether a division is competitive.
func (e *scoring) countQualified(d *DivisionResult, r *Ranking) {
	teams := map[string]bool{}
	for _, x := range r.Entries {
		if x.competes() {
			teams[e.t.Solvers[x.solver].Team] = true
		}
	}
	d.Competitive = d.contest && len(teams) >= e.rs.Contest.Teams
}
