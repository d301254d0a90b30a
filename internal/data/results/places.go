package results

import "slices"

// Places returns each row's place in a ranking, or 0 for none. Only solvers that may win have places: they compete,
// have a rank and are eligible. Solvers with equal rank share a place, and the next place is higher by their number. If
// nobody wins, nobody has a place. All displays of first, second and third places use this function. The rows may be in
// any order.
func Places(rows []ScoreRow) []int64 {
	placed := func(r *ScoreRow) bool {
		return r.Competitive && r.Eligible && r.Rank > 0 && r.Contested && r.NoWinner == ""
	}
	ranks := make([]int64, 0, len(rows)) // ranks of the solvers that have places
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

// ByPoints reports whether a ranking is by points, which is the case if any row has points.
func ByPoints(rows []ScoreRow) bool {
	return slices.ContainsFunc(rows, func(r ScoreRow) bool { return r.Points != 0 })
}

// CountsSolved reports whether the score in rankings is the number of solved benchmarks. The rows must be a view's rows
// in all divisions: a track scores all divisions alike, and in a single ranking the two figures may be equal by chance.
func CountsSolved(rows []ScoreRow) bool {
	return !slices.ContainsFunc(rows, func(r ScoreRow) bool { return r.Correct != float64(r.Solved) })
}
