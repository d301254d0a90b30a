package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/smtpipe/smtpipe/internal/data/results"
)

// Benchmarks change every year, so the comparison uses shares of solved benchmarks and places.

// before returns last year's ranking of a division in the main view, best solver first; nil if there was none.
func (s *site) before(d *division) []results.ScoreRow {
	if len(d.track.views) == 0 {
		return nil
	}
	var rows []results.ScoreRow
	for _, r := range s.m.in.Previous {
		if r.Track == d.track.name && r.Division == d.name && r.Logic == "" && r.View == d.track.views[0].Name {
			rows = append(rows, r)
		}
	}
	slices.SortFunc(rows, func(a, b results.ScoreRow) int {
		return cmp.Or(cmp.Compare(unranked(a.Rank), unranked(b.Rank)), foldOrder(a.Solver, b.Solver))
	})
	return rows
}

// solvedShare returns the percentage of benchmarks that a solver solved.
func solvedShare(r *results.ScoreRow) float64 {
	if r.Benchmarks == 0 {
		return 0
	}
	return 100 * float64(r.Solved) / float64(r.Benchmarks)
}

func percent(x float64) cell {
	return cell{Text: fmt.Sprintf("%.1f", x), Sort: strconv.FormatFloat(x, 'g', -1, 64), Num: true}
}

var noFigure = cell{Text: "–", Sort: "1e9", Num: true}

// earlierOf compares a division's solvers with last year; nil if the division was not held then.
func (s *site) earlierOf(d *division) *table {
	before := s.before(d)
	if len(before) == 0 {
		return nil
	}
	view := d.track.views[0]
	places := results.Places(before)
	tab := &table{ID: "earlier", Caption: "Compared with last year, " + clean(view.Title) +
		". Shares are compared, since the benchmarks differ",
		Cols: []col{{"Solver", "", false}, {"Solved", "percent of the benchmarks", true},
			{"Last year", "percent of the benchmarks", true}, {"Difference", "percentage points", true},
			{"Place", "among the solvers that may win", true}, {"Last year", "place among the solvers that could win",
				true}}}
	place := func(n int64) cell {
		if n == 0 {
			return noFigure
		}
		return count(n)
	}
	taken := make([]bool, len(before))
	if now := d.ranking(view.Name); now != nil {
		for i := range now.rows {
			r := &now.rows[i]
			share := solvedShare(r)
			cells := []cell{head(r.Solver, s.m.solver(r.Solver).href()), percent(share), noFigure, noFigure,
				place(now.place[i]), noFigure}
			name := first(s.m.in.Renamed[r.Solver], r.Solver)
			if k := slices.IndexFunc(before, func(b results.ScoreRow) bool { return b.Solver == name }); k >= 0 {
				old := solvedShare(&before[k])
				taken[k] = true
				cells[2], cells[3], cells[5] = percent(old), percent(share-old), place(places[k])
				if share > old {
					cells[3].Text = "+" + cells[3].Text
				}
			}
			tab.Rows = append(tab.Rows, row{Cells: cells})
		}
	}
	for k := range before {
		if !taken[k] {
			name := head(before[k].Solver, "")
			name.Badges = []badge{{"last year only", "plain", "did not enter this year"}}
			tab.Rows = append(tab.Rows, row{Class: "aside", Cells: []cell{name, noFigure,
				percent(solvedShare(&before[k])), noFigure, noFigure, place(places[k])}})
		}
	}
	return tab
}

// earlier compares a track's divisions with last year; nil if none of them was held then.
func (s *site) earlier(t *track) *table {
	if len(t.views) == 0 {
		return nil
	}
	tab := &table{ID: "earlier", Caption: "Compared with last year, " + clean(t.views[0].Title) + ". Shares are " +
		"compared, since the benchmarks differ",
		Cols: []col{{"Division", "", false}, {s.m.wording().Winner, "", false}, {"Last year", "who won", false},
			{"Most solved", "percent of the benchmarks, by the best solver", true},
			{"Most last year", "percent of the benchmarks, by the best solver", true}}}
	most := func(rows []results.ScoreRow) cell {
		best := 0.0
		for i := range rows {
			best = max(best, solvedShare(&rows[i]))
		}
		return percent(best)
	}
	for _, d := range t.divisions {
		before := s.before(d)
		if len(before) == 0 {
			continue
		}
		var winners cell
		for _, r := range before {
			if r.Winner {
				winners.Text += ", " + clean(r.Solver)
			}
		}
		winners.Text = first(winners.Text, ", –")[2:]
		now := d.ranking(t.views[0].Name)
		cells := []cell{head(d.name, d.href()), s.winnersOf(now), winners, noFigure, most(before)}
		if now != nil {
			cells[3] = most(now.rows)
		}
		tab.Rows = append(tab.Rows, row{Cells: cells})
	}
	if tab.Rows == nil {
		return nil
	}
	return tab
}
