package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/results"
)

// sureness adds confidence figures to the division rankings.
func (b *builder) sureness() {
	for i := range b.m.in.Confidence {
		row := &b.m.in.Confidence[i]
		d, ok := b.divisions[[2]string{row.Track, row.Division}]
		if !ok {
			continue
		}
		if r := d.ranking(row.View); r != nil {
			if r.sure == nil {
				r.sure = map[string]*results.ConfidenceRow{}
			}
			r.sure[row.Solver] = row
		}
	}
}

// closeBadge marks a narrow win.
var closeBadge = badge{"close", "plain", "one benchmark decides, or it wins fewer than 95 of 100 resamples"}

// close reports whether a winner's lead is narrow.
func (r *ranking) close() bool {
	for _, row := range r.sure {
		if row.Close {
			return true
		}
	}
	return false
}

// sureBody fills the page that shows how certain the rankings are.
type sureBody struct {
	Tracks []sureTrack
	Noise  bool // some runs were measured again
}

type sureTrack struct {
	Title     string
	Table     *table
	Switches  *table // nil if no switch changes a winner, or if that is unknown
	Noise     *table // nil if no run was measured again
	Divisions []sureDivision
}

// sureDivision draws the places that a division's solvers would have with other benchmarks, in the main view.
type sureDivision struct {
	Name, Href, View string
	Plot             placePlot
	Table            *table
}

func (s *site) sure() *sureBody {
	body := &sureBody{}
	for _, t := range s.m.tracks {
		st := sureTrack{Title: t.title, Table: &table{ID: "sure-" + t.slug, Caption: "How certain the winners of the " +
			t.title + " track are", Filter: true, Cols: []col{
			{"Division", "", false}, {"View", "", false}, {"Winner", "", false},
			{"Wins", "share of the resamples that the winner wins", true},
			{"Without", "fewest benchmarks whose removal changes the winner", true},
			{"Lost", "fewest answers that the winner would have to lose", true},
			{"Wrong", "fewest runs of the winner that would have to be wrong", true},
			{"Slower", "factor by which the winner could be slower in every run", true},
			{"Families", "of benchmarks; fewer than five are not resampled", true},
		}}}
		for _, d := range t.divisions {
			for _, r := range d.rankings {
				if tr, ok := s.sureRow(d, r); ok {
					st.Table.Rows = append(st.Table.Rows, tr)
				}
			}
			if len(t.views) == 0 {
				continue
			}
			if r := d.ranking(t.views[0].Name); r != nil && r.sure != nil {
				st.Divisions = append(st.Divisions, s.sureDivision(d, r))
			}
		}
		st.Switches, st.Noise = s.switches(t), s.noise(t)
		body.Noise = body.Noise || st.Noise != nil
		if len(st.Table.Rows) > 0 {
			body.Tracks = append(body.Tracks, st)
		}
	}
	return body
}

func (s *site) sureRow(d *division, r *ranking) (row, bool) {
	var winner *results.ConfidenceRow
	for i := range r.rows {
		if x := r.sure[r.rows[i].Solver]; x != nil && x.Winner {
			winner = x
			break
		}
	}
	if winner == nil {
		return row{}, false
	}
	who := s.winnersOf(r)
	who.Text = ""
	return row{Cells: []cell{head(d.name, d.href()), text(r.view.Title), who, share(winner.WinShare),
		bounds(winner.RemovedLeast, winner.RemovedMost), bounds(winner.LostLeast, winner.LostMost),
		bounds(winner.WrongLeast, winner.WrongMost), factor(winner.Slowdown), count(winner.Families)}}, true
}

// switches lists the readings and practice switches that change a track's winners.
func (s *site) switches(t *track) *table {
	tab := &table{ID: "switches-" + t.slug, Caption: "Readings and practice switches that change a winner of the " +
		t.title + " track, each alone", Filter: true, Cols: []col{{"Division", "", false}, {"View", "", false},
		{"Changed", "the reading or organisers' practice that is changed", false},
		{"About", "", false}, {"Winner", "", false}, {"Instead", "", false}}}
	for i := range s.m.in.Sensitivity {
		r := &s.m.in.Sensitivity[i]
		if r.Track == t.name {
			tab.Rows = append(tab.Rows, row{Cells: []cell{text(r.Division), text(t.viewTitle(r.View)), text(r.Switch),
				text(r.Doc), text(winnersText(r.Winners)), text(winnersText(r.Instead))}})
		}
	}
	return tab.orNil()
}

func winnersText(names []string) string { return cmp.Or(strings.Join(names, ", "), "nobody") }

// noise compares the differences between times with the variation between measurements.
func (s *site) noise(t *track) *table {
	tab := &table{ID: "noise-" + t.slug, Caption: "Whether times of the " + t.title + " track differ by more than " +
		"measurement noise", Filter: true, Cols: []col{{"Division", "", false}, {"View", "", false},
		{"Solver", "", false}, {"Winner", "", false}, {"Clock", "used by the view's ranking", false},
		{"Difference", "the solver's total time minus the winner's, seconds", true},
		{"Noise", "half the width of the 95 % interval of the difference, seconds", true},
		{"Spread", "standard deviation of one measurement, percent of the run's time", true},
		{"More than noise", "", false}, {"Time decides", "the two are equal in all figures compared before " +
			"the time", false}}}
	for i := range s.m.in.Noise {
		r := &s.m.in.Noise[i]
		if r.Track != t.name {
			continue
		}
		tab.Rows = append(tab.Rows, row{Cells: []cell{text(r.Division), text(t.viewTitle(r.View)),
			head(r.Solver, s.m.solver(r.Solver).href()), text(r.Winner),
			text(map[string]string{"w": "wall", "c": "CPU"}[r.Clock]), decimal(r.DifferenceS, 3), decimal(r.NoiseS, 3),
			decimal(100*r.Spread, 1), text(yesNo(r.Exceeds)), text(yesNo(r.Decides))}})
	}
	return tab.orNil()
}

func (t *table) orNil() *table {
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func decimal(v float64, digits int) cell {
	return cell{Text: strconv.FormatFloat(v, 'f', digits, 64), Sort: strconv.FormatFloat(v, 'g', -1, 64), Num: true}
}

// viewTitle returns a view's title, given the view's name.
func (t *track) viewTitle(name string) string {
	if i := slices.IndexFunc(t.views, func(v View) bool { return v.Name == name }); i >= 0 {
		return t.views[i].Title
	}
	return name
}

func (s *site) sureDivision(d *division, r *ranking) sureDivision {
	id := d.track.slug + "-" + d.slug
	out := sureDivision{Name: clean(d.name), Href: d.href(), View: clean(r.view.Title), Table: &table{
		ID: "places-" + id, Caption: clean(d.name) + ", " + clean(r.view.Title), Cols: []col{
			{"Solver", "", false}, {"Rank", "among all solvers, including those that do not compete", true},
			{"Ranks", "middle 95 % of the resamples", true},
			{"Solved", "n of the ranking", true},
			{"Solved by resamples", "middle 95 %, scaled to the number of benchmarks", true},
			{"Wins", "share of the resamples", true},
			{"Without", "fewest benchmarks whose removal makes it as good as the winner", true},
		}}}
	for i := range r.rows {
		x := r.sure[r.rows[i].Solver]
		if x == nil {
			continue
		}
		name := head(x.Solver, s.m.solver(x.Solver).href())
		tr := row{}
		if x.Winner {
			tr.Class, name.Badges = "winner", []badge{{"winner", "good", ""}}
		}
		if !r.rows[i].Competitive {
			tr.Class, name.Badges = "aside", []badge{notCompeting}
		}
		tr.Cells = []cell{name, count(x.Rank), places(x), count(x.Correct), solved(x), share(x.WinShare),
			bounds(x.RemovedLeast, x.RemovedMost)}
		out.Table.Rows = append(out.Table.Rows, tr)
		if x.PlaceLow > 0 {
			out.Plot.Rows = append(out.Plot.Rows, placeRow{Name: clean(x.Solver), Rank: x.Rank, Low: x.PlaceLow,
				High: x.PlaceHigh})
		}
	}
	out.Plot.Label = "Solvers' ranks in " + out.Name + " with intervals; the table below lists them"
	out.Plot.layout()
	return out
}

// placePlot draws a line for each solver from the best to the worst rank in its interval, with a dot at its rank.
type placePlot struct {
	Label         string
	Rows          []placeRow
	Width, Height int
	Ticks         []placeTick
}

type placeRow struct {
	Name            string
	Rank, Low, High int64
	Y, X, From, To  int
}

type placeTick struct{ Rank, X int }

func (p *placePlot) layout() {
	const left, step, top, line = 210, 420, 24, 22
	last := 1
	for _, r := range p.Rows {
		last = max(last, int(r.High), int(r.Rank))
	}
	x := func(rank int64) int { return left + int(rank-1)*step/max(last-1, 1) }
	slices.SortStableFunc(p.Rows, func(a, b placeRow) int { return int(a.Rank - b.Rank) })
	for i := range p.Rows {
		r := &p.Rows[i]
		r.Y, r.X, r.From, r.To = top+i*line+line/2, x(r.Rank), x(r.Low), x(r.High)
	}
	for rank := 1; rank <= last; rank += max(1, (last+9)/10) {
		p.Ticks = append(p.Ticks, placeTick{rank, x(int64(rank))})
	}
	p.Width, p.Height = left+step+30, top+len(p.Rows)*line+8
}

func share(part float64) cell {
	if part < 0 {
		return none()
	}
	return cell{Text: strconv.FormatFloat(100*part, 'f', 1, 64) + " %", Sort: strconv.FormatFloat(part, 'g', -1, 64),
		Num: true}
}

func factor(f float64) cell {
	if f < 0 {
		return none()
	}
	return cell{Text: strconv.FormatFloat(f, 'f', 2, 64) + " ×", Sort: strconv.FormatFloat(f, 'g', -1, 64), Num: true}
}

func bounds(least, most int64) cell {
	switch {
	case least < 0:
		return none()
	case least == most:
		return count(least)
	}
	return cell{Text: grouped(least) + " to " + grouped(most), Sort: strconv.FormatInt(least, 10), Num: true}
}

func places(x *results.ConfidenceRow) cell {
	switch {
	case x.PlaceLow < 0:
		return none()
	case x.PlaceLow == x.PlaceHigh:
		return count(x.PlaceLow)
	}
	return cell{Text: fmt.Sprintf("%d to %d", x.PlaceLow, x.PlaceHigh), Sort: fmt.Sprint(x.PlaceLow), Num: true}
}

func solved(x *results.ConfidenceRow) cell {
	if x.CorrectLow < 0 {
		return none()
	}
	low, high := strconv.FormatFloat(x.CorrectLow, 'f', 1, 64), strconv.FormatFloat(x.CorrectHigh, 'f', 1, 64)
	return cell{Text: low + " to " + high, Sort: low, Num: true}
}

func none() cell { return cell{Text: "–", Sort: "1e9", Num: true} }
