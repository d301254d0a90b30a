package report

import (
	"slices"

	"github.com/smtpipe/smtpipe/internal/data/results"
)

// recognitionsBody fills the recognitions page: the winners by track, and the tables behind them.
type recognitionsBody struct{ Recognised, Tables []*table }

// recognitions returns a table for each track, and one for each track and kind. Disagreements are one of the kinds.
func (s *site) recognitions() recognitionsBody {
	var body recognitionsBody
	for _, t := range s.m.tracks {
		var kinds []string
		for _, r := range t.recognitions {
			if !slices.Contains(kinds, r.Kind) {
				kinds = append(kinds, r.Kind)
			}
		}
		slices.Sort(kinds)
		for _, k := range kinds {
			if k == "disagreement" {
				body.Tables = append(body.Tables, s.disagreements(t))
				continue
			}
			body.Tables = append(body.Tables, s.recognitionTable(t, k))
		}
		if tab := s.recognised(t, kinds); tab != nil {
			body.Recognised = append(body.Recognised, tab)
		}
	}
	return body
}

// recognised lists the winners, with a row for each kind and a column for each view.
func (s *site) recognised(t *track, kinds []string) *table {
	tab := &table{ID: "recognised-" + t.slug, Caption: t.title, Cols: []col{{"Recognition", "", false}}}
	for _, v := range t.views {
		tab.Cols = append(tab.Cols, col{clean(v.Title), v.Doc, false})
	}
	for _, k := range kinds {
		tr, found := row{Cells: []cell{head(recognitionTitle(k), "")}}, false
		for _, v := range t.views {
			var c cell
			for _, r := range t.recognitions {
				if r.Kind != k || r.View != v.Name || !r.Winner {
					continue
				}
				if r.Solver == "" {
					c.Text = clean(r.Item)
				} else if l := (link{clean(r.Solver), s.m.solver(r.Solver).href()}); !slices.Contains(c.Links, l) {
					c.Links = append(c.Links, l)
				}
				found = true
			}
			tr.Cells = append(tr.Cells, c)
		}
		if found {
			tab.Rows = append(tab.Rows, tr)
		}
	}
	tab.prune()
	return tab.orNil()
}

// recognitionTitle returns the title of a kind of recognition.
func recognitionTitle(kind string) string {
	if kind == "derived_any_division" {
		return "Derived solvers that beat their base solver in a division"
	}
	return trackTitle(kind)
}

func (s *site) recognitionTable(t *track, kind string) *table {
	tab := &table{ID: s.m.slugs.of(kind) + "-" + t.slug, Caption: recognitionTitle(kind) + ", " + t.title,
		Cols: []col{{"View", "", false}, {"Place", "among the solvers that compete", true},
			{"Solver", "", false}, {"Division", "", false}, {"Second", "the next solver, or the best of those that a new entrant beats", false}, {"Score", "", true},
			{"Time score", "", true}}}
	aside := s.asides(t, kind)
	for _, r := range t.recognitions {
		if r.Kind != kind {
			continue
		}
		view := r.View
		if v, ok := s.m.views[r.View]; ok {
			view = v.Title
		}
		name := head(r.Item, "") // the folder of the new benchmarks
		if r.Solver != "" {
			name = head(r.Solver, s.m.solver(r.Solver).href())
		}
		tr, place := row{}, count(r.Place-aside(&r))
		if r.Solver != "" && !s.competes(t, r.Solver) {
			tr.Class, name.Badges, place = "aside", []badge{notCompeting}, none()
		}
		if r.Winner {
			tr.Class, name.Badges = "winner", []badge{{s.m.wording().Recognised, "good", ""}}
		} else if r.NoWinner != "" && r.Place == 1 {
			name.Badges = append(name.Badges, badge{s.m.wording().Nobody, "plain", clean(r.NoWinner)})
		}
		tr.Cells = []cell{text(view), place, name, text(r.Division), text(r.Second), score(r.Score),
			score(r.Time)}
		tab.Rows = append(tab.Rows, tr)
	}
	tab.prune()
	return tab
}

// asides returns a function that counts the non-competing solvers before a row. Some kinds have a ranking for each
// division in a view, with a first place in each division; other kinds have one ranking for each view.
func (s *site) asides(t *track, kind string) func(*results.RecognitionRow) int64 {
	first := map[[2]string]bool{} // start of each ranking, by view and division
	var aside []results.RecognitionRow
	for _, r := range t.recognitions {
		if r.Kind == kind {
			at := [2]string{r.View, r.Division}
			first[at] = first[at] || r.Place == 1
			if r.Solver != "" && !s.competes(t, r.Solver) {
				aside = append(aside, r)
			}
		}
	}
	byDivision := map[string]bool{}
	for at, has := range first {
		all, seen := byDivision[at[0]]
		byDivision[at[0]] = has && (all || !seen)
	}
	return func(of *results.RecognitionRow) (n int64) {
		for i := range aside {
			r := &aside[i]
			if r.View == of.View && (r.Division == of.Division || !byDivision[of.View]) && r.Place < of.Place {
				n++
			}
		}
		return n
	}
}

// competes reports whether a solver competes in a track according to the scores. If the track's scores do not contain
// the solver, any track counts.
func (s *site) competes(t *track, name string) bool {
	known := false
	for _, d := range t.divisions {
		for _, r := range d.rankings {
			if row, _ := r.find(name); row != nil {
				if row.Competitive {
					return true
				}
				known = true
			}
		}
	}
	return !known && s.m.solver(name).competitive
}

func (s *site) disagreements(t *track) *table {
	tab := &table{ID: "disagreements-" + t.slug, Caption: "Benchmarks removed because sound solvers disagree, " +
		t.title, Filter: true, Paths: true,
		Cols: []col{{"Benchmark", "links to its runs", false}, {"Division", "", false}}}
	for _, r := range t.recognitions {
		if r.Kind != "disagreement" {
			continue
		}
		item := head(r.Item, "")
		for _, d := range t.divisions {
			if d.name == r.Division && d.runs != nil {
				item = head(r.Item, d.runsHref()+"#q="+urlValue(r.Item))
			}
		}
		tab.Rows = append(tab.Rows, row{Cells: []cell{item, text(r.Division)}})
	}
	return tab
}
