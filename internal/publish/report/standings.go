package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/results"
)

// strip is a line in a picture: its subject, marks at the shares of benchmarks solved, and words.
type strip struct {
	Name   link
	Class  string
	Marks  []stripMark
	Label  string // explanation of the marks
	Words  []link // words before Text
	Text   string
	Badges []badge
}

// stripMark is a solver's mark at its share of solved benchmarks. A bar extends from the left end to the mark.
type stripMark struct {
	At, Class, Tip string
	Bar            bool
}

// layer puts the first solver above other competing solvers, and those above all others.
func (m *stripMark) layer() int {
	return slices.Index([]string{"guest", "entrant", "unsound", "first"}, m.Class)
}

// standings returns a track's picture: a line for each division, in which every solver has a mark.
func (s *site) standings(t *track) []strip {
	if len(t.views) == 0 {
		return nil
	}
	var strips []strip
	for _, d := range t.divisions {
		r := d.ranking(t.views[0].Name)
		if r == nil {
			continue
		}
		line := strip{Name: link{clean(d.name), d.href()}}
		switch {
		case d.experimental():
			line.Badges = []badge{experimentalBadge}
		case !d.contested():
			line.Class = "aside"
		}
		var tips []string
		for i := range r.rows {
			row := &r.rows[i]
			tips = append(tips, clean(row.Solver)+": "+r.figure(row))
			line.Marks = append(line.Marks, stripMark{At: r.share(row), Class: markClass(row), Tip: tips[i]})
		}
		line.Label = strings.Join(tips, "; ")
		slices.Reverse(line.Marks)
		slices.SortStableFunc(line.Marks, func(a, b stripMark) int { return a.layer() - b.layer() })
		s.tell(&line, r)
		strips = append(strips, line)
	}
	return strips
}

// tell describes who won and by how much.
func (s *site) tell(line *strip, r *ranking) {
	winners := r.winners()
	for _, w := range winners {
		line.Words = append(line.Words, link{clean(w.Solver), s.m.solver(w.Solver).href()})
	}
	switch {
	case len(winners) > 0:
		line.Text = r.figure(winners[0])
		if ahead := r.ahead(); ahead != "" {
			line.Text += ", " + ahead
		}
		if r.close() {
			line.Badges = append(line.Badges, closeBadge)
		}
	case len(r.rows) > 0 && !r.rows[0].Contested:
		line.Text = "not competitive"
	default:
		line.Badges = append(line.Badges, badge{s.m.wording().Nobody, "plain", clean(r.noWinner())})
	}
}

// bars returns a division's picture: a line for each solver in ranking order.
func (s *site) bars(r *ranking) []strip {
	if r == nil {
		return nil
	}
	strips := make([]strip, len(r.rows))
	for i := range r.rows {
		row := &r.rows[i]
		strips[i] = strip{Name: link{clean(row.Solver), s.m.solver(row.Solver).href()}, Text: r.figure(row),
			Marks: []stripMark{{At: r.share(row), Class: markClass(row), Bar: true}},
			Label: clean(row.Solver) + ": " + r.figure(row)}
		switch {
		case row.Winner:
			strips[i].Badges = []badge{s.m.winnerBadge()}
		case !row.Competitive:
			strips[i].Class, strips[i].Badges = "aside", []badge{notCompeting}
		}
	}
	return strips
}

// count records for each of a track's views whether its scores are numbers of solved benchmarks. It examines all
// divisions, because they are scored alike.
func (t *track) count() {
	other := map[string]bool{} // views whose scores are something else
	for _, note := range []bool{false, true} {
		for _, d := range t.divisions {
			lists := [][]*ranking{d.rankings}
			for _, l := range d.logics {
				lists = append(lists, l.rankings)
			}
			for _, r := range slices.Concat(lists...) {
				if note {
					r.counts = !other[r.view.Name]
					continue
				}
				other[r.view.Name] = other[r.view.Name] || !results.CountsSolved(r.rows)
			}
		}
	}
}

// legend explains the marks in a track's picture.
func (t *track) legend() string {
	if len(t.views) == 0 {
		return ""
	}
	by := "the share of the benchmarks that it solved"
	if slices.ContainsFunc(t.divisions, func(d *division) bool {
		r := d.ranking(t.views[0].Name)
		return r != nil && !r.counts
	}) {
		by = "its score, from zero to the division's highest"
	}
	return clean(t.views[0].Title) + ": each mark is a solver, placed by " + by
}

// share returns the fraction of benchmarks that a solver solved. If scores are not numbers of benchmarks, it returns
// the fraction of the highest score.
func (r *ranking) share(row *results.ScoreRow) string {
	part, whole := float64(row.Solved), float64(row.Benchmarks)
	if !r.counts {
		part, whole = max(row.Correct, 0), 0
		for i := range r.rows {
			whole = max(whole, r.rows[i].Correct)
		}
	}
	if whole <= 0 {
		return "0%"
	}
	return fmt.Sprintf("%.2f%%", 100*min(part/whole, 1))
}

// figure describes what a solver solved, and its wrong answers.
func (r *ranking) figure(row *results.ScoreRow) string {
	text := grouped(row.Solved) + " of " + grouped(row.Benchmarks)
	switch {
	case results.ByPoints(r.rows):
		text = plural(row.Points, "point")
	case !r.counts:
		text = "score " + number(row.Correct)
	}
	if row.Errors > 0 {
		text += ", " + plural(row.Errors, "wrong answer")
	}
	return text
}

func plural(n int64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return grouped(n) + " " + word + "s"
}

func (r *ranking) winners() (all []*results.ScoreRow) {
	for i := range r.rows {
		if r.rows[i].Winner {
			all = append(all, &r.rows[i])
		}
	}
	return all
}

// next returns the best competing solver behind the winner.
func (r *ranking) next(winner *results.ScoreRow) *results.ScoreRow {
	for i := range r.rows {
		if row := &r.rows[i]; row.Competitive && row.Rank > winner.Rank {
			return row
		}
	}
	return nil
}

// ahead describes the winner's lead over the next solver: the first difference in wrong answers, score and time. It is
// empty if there is no next solver or if the rules use another order.
func (r *ranking) ahead() string {
	winners := r.winners()
	if len(winners) == 0 {
		return ""
	}
	w := winners[0]
	next := r.next(w)
	if next == nil {
		return ""
	}
	name, more := clean(next.Solver), w.Correct-next.Correct
	if results.ByPoints(r.rows) {
		more = float64(w.Points - next.Points)
	}
	switch errors := next.Errors - w.Errors; {
	case errors > 0:
		return name + " has " + plural(errors, "wrong answer") + " more"
	case errors == 0 && more > 0:
		return number(more) + " more than " + name
	case errors == 0 && more == 0 && (w.WallS < next.WallS || w.CPUS < next.CPUS):
		if !r.counts {
			return "as much as " + name + " in less time"
		}
		return "as many as " + name + " in less time"
	}
	return ""
}

func markClass(row *results.ScoreRow) string {
	switch {
	case row.Errors > 0:
		return "unsound"
	case row.Winner:
		return "first"
	case !row.Competitive:
		return "guest"
	}
	return "entrant"
}
