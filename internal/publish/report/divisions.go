package report

import (
	"strings"
)

func (d *division) ranking(view string) *ranking { return rankingIn(d.rankings, view) }

func (l *logic) ranking(view string) *ranking { return rankingIn(l.rankings, view) }

func rankingIn(rankings []*ranking, view string) *ranking {
	for _, r := range rankings {
		if r.view.Name == view {
			return r
		}
	}
	return nil
}

// divisionBody fills a division's or logic's page.
type divisionBody struct {
	Kind       string // "division" or "logic"
	Benchmarks int64
	Limits     string
	Contested  bool
	Trial      bool // the division is experimental
	Ranked     bool
	Rankings   []rankingView
	Story      []sentence
	Bars       []strip
	View       string // name of the view that the bars show
	Cell       string // ranking cell for "smtpipe reproduce"; empty if smtpipe executed no run
	Logics     *table
	Statistics *table
	Runs       string
	Families   string // address of the families' page
	Run        string // address of the page that shows a run
	Earlier    *table
	Data, ID   string
	Plots      []plotImage
	Wall       float64
	Exports    []link
}

// legendEntry is a plot's line in the legend: its name, and the classes for its colour and dashes.
type legendEntry struct{ Name, Class string }

type rankingView struct {
	View  View
	Table *table
}

// plotImage is a plot on the page: a picture that scripts replace, and a table of the picture's figures.
type plotImage struct {
	Kind, Title, SVG, Alt string
	Legend                []legendEntry
	Table                 *table
	figures               func(*division) *table
}

// figures are what a division's page says about the runs.
type figures struct {
	Story      []sentence // what was hard, and what went wrong
	Plots      []*table
	Statistics *table
}

// figures computes a division's figures unless an earlier report kept them. They are nil if there are no runs.
func (s *site) figures(d *division) (*figures, error) {
	if d.runs == nil {
		return nil, nil
	}
	id := s.m.in.keptID("figures of runs/1", d.runs.ID, d.track.name, d.track.slug, d.name, d.slug, d.limits,
		s.solverLinks(d))
	return keptOr(s.m.in, id, func() (*figures, error) {
		if err := s.m.load(); err != nil {
			return nil, err
		}
		f := &figures{Story: append(s.hard(d), d.wrong()...), Statistics: s.statisticsTable(d, d.runs.allRuns(),
			"Runs of "+clean(d.name)+". "+aboutStatistics)}
		for _, p := range s.plotImages(d) {
			f.Plots = append(f.Plots, p.figures(d))
		}
		return f, nil
	})
}

// divisionPage returns a division's page. Its story is who won and why, how close it was, what was hard, and what went
// wrong.
func (s *site) divisionPage(d *division, f *figures) *divisionBody {
	body := &divisionBody{Kind: "division", Benchmarks: d.benchmarks,
		Contested: d.contested(), Trial: d.experimental(), Limits: d.limits.String(),
		Ranked:   len(d.rankings) > 0,
		Rankings: s.rankingViews(d.rankings, clean(d.name)), Runs: d.runsHref(), Wall: d.limits.wall,
		Exports: s.divisionExports(d), Families: d.familiesHref(), Earlier: s.earlierOf(d)}
	body.Story = s.won(d)
	if len(d.rankings) > 0 {
		body.Bars, body.View = s.bars(d.rankings[0]), clean(d.rankings[0].view.Title)
	}
	if f != nil {
		body.Data, body.ID, body.Run = d.dataHref(), d.dataID(), d.runHref("", "")
		body.Story, body.Plots, body.Statistics = append(body.Story, f.Story...), s.plotImages(d), f.Statistics
		for i := range body.Plots {
			body.Plots[i].Table = f.Plots[i]
		}
		body.Cell = d.aCell()
	}
	if len(d.logics) > 1 || (len(d.logics) == 1 && d.logics[0].name != d.name) {
		body.Logics = s.logicTable(d)
	}
	return body
}

// aCell returns a cell's address in the first ranking for a command in single quotes, if smtpipe executed runs in the
// division.
func (d *division) aCell() string {
	if len(d.rankings) == 0 || len(d.rankings[0].rows) == 0 || !d.runs.Keys {
		return ""
	}
	cell := clean(strings.Join([]string{d.name, d.track.name, d.rankings[0].view.Name,
		d.rankings[0].rows[0].Solver + ".correct"}, " "))
	return strings.ReplaceAll(cell, "'", `'\''`)
}

func (s *site) rankingViews(rankings []*ranking, name string) []rankingView {
	var views []rankingView
	for _, r := range rankings {
		id := s.m.slugs.of(r.view.Name)
		caption := name + ", " + clean(r.view.Title)
		if why := r.noWinner(); why != "" {
			caption += ". " + trackTitle(s.m.wording().Nobody) + ": " + clean(why)
		}
		views = append(views, rankingView{r.view, s.m.rankingTable(r, "t-"+id, caption)})
	}
	return views
}

func (s *site) logicTable(d *division) *table {
	tab := &table{ID: "logics", Caption: "Logics of the division", Cols: []col{{"Logic", "", false},
		{"Benchmarks", "", true}, {"Solvers", "", true}}}
	views := d.track.views
	for _, v := range views {
		tab.Cols = append(tab.Cols, col{clean(v.Title), s.m.wording().Winner + "; " + v.Doc, false})
	}
	for _, l := range d.logics {
		solvers := int64(0)
		if len(l.rankings) > 0 {
			solvers = int64(len(l.rankings[0].rows))
		}
		tr := row{Cells: []cell{head(l.name, l.href(d)), count(l.benchmarks), count(solvers)}}
		for _, v := range views {
			tr.Cells = append(tr.Cells, s.winnersOf(l.ranking(v.Name)))
		}
		tab.Rows = append(tab.Rows, tr)
	}
	return tab
}

func (s *site) logicPage(d *division, l *logic) *divisionBody {
	body := &divisionBody{Kind: "logic", Benchmarks: l.benchmarks, Ranked: len(l.rankings) > 0,
		Rankings: s.rankingViews(l.rankings, clean(l.name)), Contested: true, Trial: d.experimental(),
		Limits: d.limits.String()}
	if len(l.rankings) > 0 && len(l.rankings[0].rows) > 0 {
		body.Contested = l.rankings[0].rows[0].Contested
	}
	if d.runs != nil {
		body.Runs = d.runsHref() + "#logic=" + urlValue(l.name)
	}
	return body
}
