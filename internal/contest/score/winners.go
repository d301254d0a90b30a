package score

import (
	"fmt"
	"slices"
)

// A solver that solved nothing cannot win. The rules define how solvers are ordered (SMT-COMP 2015 rules, §7.3; 2019 to
// 2026, §7.2) but do not say what happens if the first solver solved nothing. However, they determine winners by the
// "number of benchmarks solved" (2015 to 2026, §3), and in 2008 by points and then by the time "on formulas for which
// it gave a correct answer" (§5). Therefore nobody wins in this case, the order stays, and no solver moves up. The
// reading nothing_solved = "order" uses only the order (A22).

// solvedNothing reports whether a cell cannot win because n is zero.
func (e *scoring) solvedNothing(c *Cell) bool {
	return c.Correct == 0 && e.reading("nothing_solved") != "order"
}

// winners returns a ranked list's best eligible entries (several if they tie, A22), or the reason why nobody wins.
func (e *scoring) winners(entries []Entry, order []Key) (names []string, why string) {
	var best *Cell
	for i := range entries {
		x := &entries[i]
		if !x.Eligible || x.Excluded != "" {
			continue
		}
		if best == nil {
			best = &x.Cell
		}
		if x.Cell.compare(best, order) != 0 {
			break
		}
		names = append(names, x.Solver)
	}
	switch {
	case best == nil:
		return nil, "no solver that may win entered it"
	case !e.solvedNothing(best):
		return names, ""
	case !slices.ContainsFunc(entries, func(x Entry) bool { return x.Cell.Correct > 0 }):
		return nil, "nobody solved anything"
	}
	return nil, fmt.Sprintf("%s, the first that may win, solved nothing", names[0])
}

// noContest returns the reason why nobody can win a ranking, or "" if somebody can.
func (e *scoring) noContest(r *Ranking, d *DivisionResult) string {
	switch {
	case len(d.Teams) < e.rs.Contest.Teams:
		return fmt.Sprintf("not competitive: it takes solvers of %d teams", e.rs.Contest.Teams)
	case !d.Competitive:
		return "not competitive"
	case r.Benchmarks == 0:
		return "there are no benchmarks"
	}
	return ""
}
