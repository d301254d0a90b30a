package report

import (
	"fmt"
	"slices"
	"strings"
)

// overviewBody fills the front page.
type overviewBody struct {
	Total   totals
	Notes   []factLine
	Front   []factLine
	Words   wording
	Solvers int
	Tracks  []trackCard
	Medals  *table
	Note    string
	Draft   bool   // the results are hidden
	Runs    *table // progress of the runs
}

type trackCard struct {
	Title, Href string
	Totals      totals
	Solvers     int
	Standings   []strip
	Legend      string // legend of the standings
	Winners     *table
}

func (s *site) overview() *overviewBody {
	m := s.m
	body := &overviewBody{Total: m.total, Notes: s.notes(), Front: s.front(nil), Words: m.wording(),
		Solvers: len(m.solvers), Medals: s.medals(), Runs: s.progressTable(), Draft: m.in.Draft}
	if m.in.Progress != nil {
		body.Note = m.in.Progress.Note
	}
	if body.Draft {
		body.Note = strings.TrimSpace("This is a draft without rankings and runs. " + body.Note)
	}
	for _, t := range m.tracks {
		card := trackCard{Title: t.title, Href: t.href(), Totals: t.totals, Solvers: len(t.solvers),
			Standings: s.standings(t), Legend: t.legend()}
		if len(t.views) > 1 {
			card.Winners = s.winners(t, "winners-"+t.slug)
		}
		body.Tracks = append(body.Tracks, card)
	}
	return body
}

// winners returns a table with a row for each division and a column for each view.
func (s *site) winners(t *track, id string) *table {
	if len(t.views) == 0 {
		return nil
	}
	tab := &table{ID: id, Caption: s.m.wording().Winners + ", " + t.title + " track",
		Cols: []col{{"Division", "", false}}}
	for _, v := range t.views {
		tab.Cols = append(tab.Cols, col{clean(v.Title), v.Doc, false})
	}
	for _, d := range t.divisions {
		tr := row{Cells: []cell{head(d.name, d.href())}}
		if len(d.rankings) > 0 && !d.contested() {
			tr.Class = "aside"
			tr.Cells[0].Badges = []badge{{"not competitive", "plain", "fewer than two teams compete, so nobody wins"}}
		}
		if d.experimental() {
			tr.Cells[0].Badges = append(tr.Cells[0].Badges, experimentalBadge)
		}
		for _, v := range t.views {
			tr.Cells = append(tr.Cells, s.winnersOf(d.ranking(v.Name)))
		}
		tab.Rows = append(tab.Rows, tr)
	}
	return tab
}

func (d *division) contested() bool {
	for _, r := range d.rankings {
		if len(r.rows) > 0 && r.rows[0].Contested {
			return true
		}
	}
	return false
}

// experimentalBadge marks experimental divisions.
var experimentalBadge = badge{"experimental", "plain", "the rules of the year call the division experimental"}

// experimental reports whether the rules declare the division experimental.
func (d *division) experimental() bool {
	for _, r := range d.rankings {
		if len(r.rows) > 0 {
			return r.rows[0].Trial
		}
	}
	return false
}

func (s *site) winnersOf(r *ranking) cell {
	var c cell
	if r == nil {
		return cell{Text: "–"}
	}
	for _, row := range r.rows {
		if row.Winner {
			c.Links = append(c.Links, link{clean(row.Solver), s.m.solver(row.Solver).href()})
			if r.counts {
				c.Text = fmt.Sprintf("%s/%s", grouped(row.Solved), grouped(row.Benchmarks))
			}
		}
	}
	if c.Links != nil {
		if r.close() {
			c.Badges = []badge{closeBadge}
		}
		return c
	}
	c.Text = "–"
	if why := r.noWinner(); why != "" && r.rows[0].Contested {
		c.Badges = []badge{{s.m.wording().Nobody, "plain", clean(why)}}
	}
	return c
}

// noWinner explains why nobody wins; empty if somebody does.
func (r *ranking) noWinner() string {
	if len(r.rows) == 0 {
		return ""
	}
	return r.rows[0].NoWinner
}

// medals counts each solver's first three places in contested divisions, in each track's main view.
func (s *site) medals() *table {
	counts := map[string]*[4]int64{}
	for _, t := range s.m.tracks {
		if len(t.views) == 0 {
			continue
		}
		for _, d := range t.divisions {
			s.countPlaces(d.ranking(t.views[0].Name), counts)
		}
	}
	if len(counts) == 0 {
		return nil
	}
	names := make([]string, 0, len(counts))
	for n := range counts {
		names = append(names, n)
	}
	slices.SortFunc(names, func(a, b string) int {
		x, y := counts[a], counts[b]
		for k := range 3 {
			if x[k] != y[k] {
				return int(y[k] - x[k])
			}
		}
		return foldOrder(a, b)
	})
	tab := &table{ID: "medals", Caption: s.m.wording().Medals + " by solver, over the main view of each track",
		Cols: []col{{"Solver", "", false}, {"Version", "as the program reports it", false},
			{"Gold", "first places", true}, {"Silver", "second places", true}, {"Bronze", "third places", true},
			{"Divisions", "contested divisions that the solver competes in", true}}}
	for _, n := range names {
		c, said := counts[n], version(s.m.solver(n).entries)
		if said.Programs == nil || s.m.in.Progress != nil {
			said = cell{}
		}
		tab.Rows = append(tab.Rows, row{Cells: []cell{head(n, s.m.solver(n).href()), said,
			count(c[0]), count(c[1]), count(c[2]), count(c[3])}})
	}
	tab.prune()
	return tab
}

// countPlaces counts a ranking's places, and for each solver the contested rankings in which it competes.
func (s *site) countPlaces(r *ranking, counts map[string]*[4]int64) {
	if r == nil {
		return
	}
	for i, row := range r.rows {
		if !row.Competitive || !row.Contested || row.Rank == 0 {
			continue
		}
		c := counts[row.Solver]
		if c == nil {
			c = new([4]int64)
			counts[row.Solver] = c
		}
		c[3]++
		if place := r.place[i]; place >= 1 && place <= 3 {
			c[place-1]++
		}
	}
}
