package results

import "slices"

// Places returns the place of each row of one ranking, or 0 for none. Places count the solvers that may win: they
// compete, have a rank and are eligible. Solvers of equal rank share a place, and the next place is higher by their
// number. If nobody can win or nobody does, nobody has a place. Everything that shows the first, second and third place
// uses this function. The rows may be in any order.
func Places(rows []ScoreRow) []int64 {
	placed := func(r *ScoreRow) bool {
		return r.Competitive && r.Eligible && r.Rank > 0 && r.Contested && r.NoWinner == ""
	}
	ranks := make([]int64, 0, len(rows)) // of those that have places
	for i := range rows {
		if placed(&rows[i]) {
			ranks = append(ranks, rows[i].Rank)
		}
	}
	slices.Sort(ranks)
	places := make([]int64, len(rows))
	for i := range rows {
		if placed(&rows[i]) {
			ahead, _ := slices.BinarySearch(ranks, rows[i].Rank)
			places[i] = int64(ahead) + 1
		}
	}
	return places
}

// ByPoints reports whether a ranking is by points: one of its rows has some.
func ByPoints(rows []ScoreRow) bool {
	return slices.ContainsFunc(rows, func(r ScoreRow) bool { return r.Points != 0 })
}

// CountsSolved reports whether the score of rankings is the number of solved benchmarks. A track scores all divisions
// alike, so the rows are those of a view in all of them: that a single ranking has equal figures says nothing.
func CountsSolved(rows []ScoreRow) bool {
	return !slices.ContainsFunc(rows, func(r ScoreRow) bool { return r.Correct != float64(r.Solved) })
}
