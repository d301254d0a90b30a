package scoreio

import (
	"slices"

	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

// ScoreRows returns a result's rankings as rows. Only views that rank by points, as in the 2008 rules (§5), have
// points.
func ScoreRows(r *score.Result, rs *score.RuleSet, runs *score.Runs) []results.ScoreRow {
	var rows []results.ScoreRow
	bases := map[string]string{}
	for _, t := range runs.Tracks {
		for i := range t.Solvers {
			bases[t.Solvers[i].Name] = t.Solvers[i].BaseSolver
		}
	}
	points := map[string]bool{}
	for _, v := range rs.Views {
		points[v.Name] = slices.ContainsFunc(v.Order, func(k score.Key) bool { return k.Column == "points" })
	}
	for _, t := range r.Tracks {
		for _, d := range t.Divisions {
			from := len(rows)
			rows = append(rows, divisionRows(t.Name, d.Name, "", d, points, bases)...)
			for _, l := range d.Logics {
				rows = append(rows, divisionRows(t.Name, d.Name, l.Name, l, points, bases)...)
			}
			trial := rs.Divisions.Experimental(t.Name, comp.Division(d.Name))
			for i := from; i < len(rows); i++ {
				rows[i].Trial = trial
			}
		}
	}
	return rows
}

func divisionRows(track, division, logic string, d *score.DivisionResult, points map[string]bool,
	bases map[string]string) []results.ScoreRow {
	var rows []results.ScoreRow
	for _, ranking := range d.Rankings {
		for i := range ranking.Entries {
			e := &ranking.Entries[i]
			c := &e.Cell
			total := int64(0)
			if points[ranking.View] {
				total = c.Points
			}
			rows = append(rows, results.ScoreRow{
				Track: track, Division: division, Logic: logic, View: ranking.View, Solver: e.Solver,
				Rank: int64(e.Rank), Winner: d.Competitive && slices.Contains(ranking.Winners, e.Solver),
				Competitive: e.Competitive, Eligible: e.Eligible, Barred: e.Barred, BaseSolver: bases[e.Solver],
				Contested: d.Competitive, Benchmarks: int64(ranking.Benchmarks),
				Errors: c.Errors, Correct: float64(c.Correct), Points: total,
				ActualWallS: c.ActualWall.Seconds(), WallS: c.Wall.Seconds(),
				ActualCPUS: c.ActualCPU.Seconds(), CPUS: c.CPU.Seconds(),
				Solved: c.Solved, SolvedSat: c.SolvedSat, SolvedUnsat: c.SolvedUnsat,
				Unsolved:  c.Counted + c.Missing - c.Solved,
				Abstained: int64(ranking.Benchmarks) - c.Counted - c.Missing,
				Answered:  c.Decided, AnsweredSat: c.DecidedSat,
				Timeouts: c.CountedTimeouts, Memouts: c.CountedMemouts, NoWinner: noWinner(d, ranking),
			})
		}
	}
	return rows
}

// noWinner returns the reason why a ranking has no winner in the table. Non-competitive divisions have none, even if
// the organisers' pages name one.
func noWinner(d *score.DivisionResult, r *score.Ranking) string {
	if !d.Competitive && r.NoWinner == "" {
		return "not competitive"
	}
	return r.NoWinner
}

// RecognitionRows returns the recognitions and the removed benchmarks as rows.
func RecognitionRows(r *score.Result, rs *score.RuleSet) []results.RecognitionRow {
	var rows []results.RecognitionRow
	for _, t := range r.Tracks {
		for _, d := range t.Disagreements {
			for i, b := range d.Items {
				rows = append(rows, results.RecognitionRow{Track: t.Name, Kind: "disagreement", Division: d.Name,
					Place: int64(i + 1), Item: b})
			}
		}
		if rs.OpenSource {
			rows = append(rows, openSourceRows(t)...)
		}
		for _, rec := range t.Recognitions {
			for _, view := range rec.Views {
				if rec.Kind == "derived_any_division" { // the table lists only the derived solvers that are better
					view.Entries = slices.DeleteFunc(slices.Clone(view.Entries), func(e score.RecognitionEntry) bool {
						return !e.Eligible
					})
				}
				rows = append(rows, viewRows(t.Name, rec.Name, &view)...)
				for _, d := range view.Rankings {
					rows = append(rows, rankingRows(t.Name, rec.Name, rs, d.Division, d.Ranking)...)
				}
			}
		}
	}
	return rows
}

// openSourceRows returns each division's top open-source solvers (SMT-COMP 2008 rules, §5; 2015, §7.5).
func openSourceRows(t *score.TrackResult) []results.RecognitionRow {
	var rows []results.RecognitionRow
	for _, d := range t.Divisions {
		for _, ranking := range d.Rankings {
			for i, name := range ranking.TopOpenSource {
				row := results.RecognitionRow{Track: t.Name, Kind: "top_open_source", View: ranking.View,
					Place: int64(i + 1), Solver: name, Division: d.Name, Winner: true}
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// rankingRows returns a division's ranking over some of its benchmarks, with the sums of n and of the view's time. It
// returns no rows if the division has no such benchmarks.
func rankingRows(track, kind string, rs *score.RuleSet, division string,
	r *score.Ranking) []results.RecognitionRow {
	byCPU := slices.ContainsFunc(rs.Views, func(v *score.View) bool { return v.Name == r.View && v.Time == "c" })
	if r.Benchmarks == 0 {
		return nil
	}
	rows := make([]results.RecognitionRow, len(r.Entries))
	for i := range r.Entries {
		e := &r.Entries[i]
		rows[i] = results.RecognitionRow{Track: track, Kind: kind, View: r.View, Place: int64(e.Rank), Solver: e.Solver,
			Division: division, Winner: slices.Contains(r.Winners, e.Solver), Score: float64(e.Cell.Correct),
			Time: e.Cell.Wall.Seconds(), NoWinner: r.NoWinner}
		if byCPU {
			rows[i].Time = e.Cell.CPU.Seconds()
		}
	}
	return rows
}

// viewRows returns a recognition's places, and the best new entrants as a separate kind. It marks the best few solvers
// of an overall score as recognised.
func viewRows(track, kind string, view *score.RecognitionView) []results.RecognitionRow {
	var rows []results.RecognitionRow
	for i, name := range view.BestNew {
		rows = append(rows, results.RecognitionRow{Track: track, Kind: "best_new_entrant", View: view.View,
			Place: int64(i + 1), Solver: name, Winner: true})
	}
	for i := range view.Entries {
		e := &view.Entries[i]
		rows = append(rows, results.RecognitionRow{
			Track: track, Kind: kind, View: view.View, Place: int64(i + 1), Solver: e.Solver, Division: e.Division,
			Item: e.Item, Winner: e.Item != "" || slices.Contains(view.Best, e.Solver) ||
				recognised(view, e),
			Score: e.Score, Time: timeOf(e), Second: e.Second, NoWinner: view.NoWinner,
		})
	}
	return rows
}

// recognised reports whether an entry belongs to a winner. A winner without a division wins with all of its entries.
func recognised(view *score.RecognitionView, e *score.RecognitionEntry) bool {
	return slices.ContainsFunc(view.Winners, func(w score.Winner) bool {
		return w.Solver == e.Solver && (w.Division == "" || w.Division == e.Division)
	})
}

// timeOf returns a recognition's second key: the rank by the view's time, or the time that breaks ties.
func timeOf(e *score.RecognitionEntry) float64 {
	switch {
	case e.WallRank != nil:
		return *e.WallRank
	case e.CPURank != nil:
		return *e.CPURank
	}
	return e.Time.Seconds()
}
