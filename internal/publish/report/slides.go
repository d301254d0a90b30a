package report

import (
	"slices"
	"strings"
)

// slide is the content of one slide.
type slide struct {
	Title, Sub string
	Legend     string // legend of the marks
	Picture    []strip
	Story      []sentence
	Table      *table
}

// Maximum number of lines on the slides for a track, for a division, and for the medal table.
const slideDivisions, slideSolvers, slideMedals = 9, 9, 9

// slides returns the slides for announcing the results: one for the competition, one or more for each track, one for
// each division that somebody can win, and one for the medals.
func (s *site) slides() []slide {
	c, info := &s.m.in.Competition, s.info()
	total := &s.m.total
	all := []slide{{Title: info.Name, Sub: clean(strings.Join(c.Organisers, ", ")), Story: []sentence{
		{Text: plural(int64(len(s.m.solvers)), "solver") + " in " + plural(total.Divisions, "division")},
		{Text: plural(total.Benchmarks, "benchmark") + ", " + plural(total.Runs, "run") + ", " +
			longTime(total.CPUSeconds) + " of CPU time"}}}}
	for _, t := range s.m.tracks {
		if len(t.views) == 0 {
			continue
		}
		view := clean(t.views[0].Title)
		for lines := range slices.Chunk(s.standings(t), slideDivisions) {
			all = append(all, slide{Title: t.title, Legend: t.legend(), Picture: lines})
		}
		for _, d := range t.divisions {
			r := d.ranking(t.views[0].Name)
			if r == nil || !d.contested() {
				continue
			}
			bars := s.bars(r)
			all = append(all, slide{Title: clean(d.name), Sub: t.title + ", " + view,
				Picture: bars[:min(len(bars), slideSolvers)], Story: s.won(d)})
		}
	}
	if tab := s.medals(); tab != nil {
		tab.Rows = tab.Rows[:min(len(tab.Rows), slideMedals)]
		all = append(all, slide{Title: s.m.wording().Medals, Table: tab})
	}
	return all
}
