package report

import (
	"fmt"
	"strconv"
)

// trackBody fills a track's page.
type trackBody struct {
	Track     *track
	Title     string
	Totals    totals
	Front     []factLine
	Words     wording
	Standings []strip
	Legend    string // legend of the standings
	Winners   *table
	Earlier   *table
	Divisions *table
	Heat      *table
	HeatFile  string
	Bench     string
	Matrix    string
}

func (s *site) trackPage(t *track) *trackBody {
	body := &trackBody{Track: t, Title: t.title, Totals: t.totals, Front: s.front(t), Words: s.m.wording(),
		Standings: s.standings(t), Legend: t.legend(), Winners: s.winners(t, "winners"), Earlier: s.earlier(t),
		Heat: s.heat(t), Bench: t.benchmarksHref(), Matrix: t.matrixHref()}
	tab := &table{ID: "divisions", Caption: "Divisions", Cols: []col{{"Division", "", false}, {"Logics", "", true},
		{"Benchmarks", "", true},
		{"Solvers", "", true}, {"Runs", "", true}, {"Runs", "all runs of the division", false}}}
	for _, d := range t.divisions {
		solvers, runs, explore := int64(0), int64(0), cell{Text: "–"}
		if len(d.rankings) > 0 {
			solvers = int64(len(d.rankings[0].rows))
		}
		logics := int64(len(d.logics))
		if d.runs != nil {
			runs, explore = int64(d.runs.Runs), linked("explore", d.runsHref())
			logics, solvers = max(logics, int64(len(d.runs.Logics))), max(solvers, int64(len(d.runs.Solvers)))
		}
		tab.Rows = append(tab.Rows, row{Cells: []cell{head(d.name, d.href()), count(logics), count(d.benchmarks),
			count(solvers), count(runs), explore}})
	}
	tab.Cols[5].Title = "Explorer"
	body.Divisions = tab
	if body.Heat != nil {
		body.HeatFile = t.heatHref()
	}
	return body
}

// heat returns a table with a row for each solver and a column for each division. A cell contains the share of
// benchmarks solved in the main view.
func (s *site) heat(t *track) *table {
	if len(t.views) == 0 || len(t.solvers) == 0 {
		return nil
	}
	main := t.views[0]
	tab := &table{ID: "heat", Heat: true, Caption: "Share of benchmarks solved, in percent, by solver and " +
		"division (" + clean(main.Title) + ")",
		Cols: []col{{"Solver", "", false}}}
	cells := map[string][]cell{}
	for k, d := range t.divisions {
		tab.Cols = append(tab.Cols, col{clean(d.name), "", true})
		r := d.ranking(main.Name)
		if r == nil {
			continue
		}
		for _, sr := range r.rows {
			line := cells[sr.Solver]
			for len(line) < k {
				line = append(line, cell{Num: true, Sort: "-1"})
			}
			cells[sr.Solver] = append(line, heatCell(sr.Solved, max(sr.Benchmarks, d.benchmarks)))
		}
	}
	for _, name := range t.solvers {
		line := cells[name]
		for len(line) < len(t.divisions) {
			line = append(line, cell{Num: true, Sort: "-1"})
		}
		tab.Rows = append(tab.Rows, row{Cells: append([]cell{head(name, s.m.solver(name).href())}, line...)})
	}
	return tab
}

// heatCell returns a cell in one of eleven shades, one per tenth.
func heatCell(solved, all int64) cell {
	if all == 0 {
		return cell{Num: true, Sort: "-1"}
	}
	share := float64(solved) / float64(all)
	text := fmt.Sprintf("%.0f", 100*share)
	switch { // 100 and 0 must be exact
	case text == "100" && solved < all:
		text = ">99"
	case text == "0" && solved > 0:
		text = "<1"
	}
	return cell{Text: text, Sort: strconv.FormatFloat(share, 'g', -1, 64), Num: true,
		Class: fmt.Sprintf("h%d", min(10, int(10*share)))}
}
