package smtcompsite

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/results"
)

// keys returns a map's keys in arbitrary order.
func keys[K comparable, V any](m map[K]V) iter.Seq[K] { return maps.Keys(m) }

// recognitionPage is the page with a track's competition-wide ranking.
type recognitionPage struct {
	ResultDate   string `json:"resultdate"`
	Year         int    `json:"year"`
	Results      string `json:"results"`
	Participants string `json:"participants"`
	Track        string `json:"track"`
	Recognition  string `json:"recognition"`
	winners
	*winnerScores // nil unless this is best overall
	lists[any]
	Layout string `json:"layout"`
}

// winnerScores holds the scores of the best overall solvers; a score is 0 if there is no winner.
type winnerScores struct {
	Seq   number `json:"winner_seq_score"`
	Par   number `json:"winner_par_score"`
	Sat   number `json:"winner_sat_score"`
	Unsat number `json:"winner_unsat_score"`
	Day   number `json:"winner_24s_score"`
}

// overallStep is a line in the best overall ranking.
type overallStep struct {
	Name         string `json:"name"`
	Contribution number `json:"contribution"`
	Division     string `json:"division"`
	Time         number `json:"tieBreakTimeScore"`
}

// leadStep is a line in the biggest lead ranking.
type leadStep struct {
	Name     string `json:"name"`
	Second   string `json:"second"`
	Correct  number `json:"correctScore"`
	Time     number `json:"timeScore"`
	Division string `json:"division"`
}

// contributionStep is a line in the largest contribution ranking.
type contributionStep struct {
	Name         string `json:"name"`
	Correct      number `json:"correctScore"`
	Time         number `json:"timeScore"`
	Division     string `json:"division"`
	Experimental string `json:"experimental"`
}

// recognition is a kind of ranking that has a page.
type recognition struct {
	kind  string // kind in tables and front matter
	title string // title on certificates
	step  func(*results.RecognitionRow) any
}

var recognitions = []recognition{
	{"best_overall", "Best Overall", func(r *results.RecognitionRow) any {
		return overallStep{r.Solver, number(r.Score), identifier(r.Division), number(r.Time)}
	}},
	{"biggest_lead", "Biggest Lead", func(r *results.RecognitionRow) any {
		return leadStep{r.Solver, r.Second, number(r.Score), number(r.Time), identifier(r.Division)}
	}},
	{"largest_contribution", "Largest Contribution", func(r *results.RecognitionRow) any {
		return contributionStep{r.Solver, number(r.Score), number(r.Time), identifier(r.Division), "false"}
	}},
}

// recognitionPages writes the pages with a track's competition-wide rankings.
func (b *builder) recognitionPages(p *trackPages) {
	for _, kind := range recognitions {
		overall := kind.kind == recognitions[0].kind
		if overall && b.site.Options.NoBestOverall {
			continue
		}
		page := b.recognitionPage(p.track, kind, overall)
		p.recognitions = append(p.recognitions, page)
		b.add(p.track.file(strings.ReplaceAll(kind.kind, "_", "-")), kind.title+" of track "+p.track.name, page)
	}
}

func (b *builder) recognitionPage(t track, kind recognition, overall bool) *recognitionPage {
	s := b.site
	page := &recognitionPage{
		ResultDate: s.ResultDate, Year: s.Year, Results: fmt.Sprintf("results_%d", s.Year),
		Participants: fmt.Sprintf("participants_%d", s.Year), Track: t.page, Recognition: kind.kind,
		Layout: "result_comp",
	}
	var steps [5][]any
	var first [5]string
	var sums [5]number
	for i, view := range views {
		for _, r := range b.recognised(t, kind, view) {
			if r.Division == "" {
				b.fail("%s of track %s has no divisions, but its page lists solvers by division: score with the "+
					"practice overall_of_all_rows, or turn on the page option no_best_overall", kind.title, t.name)
				return page
			}
			steps[i] = append(steps[i], kind.step(r))
			if first[i] == "" && r.Winner {
				first[i] = r.Solver
			}
			if r.Winner && r.Solver == first[i] {
				sums[i] += number(r.Score)
			}
		}
	}
	page.winners, page.lists = newWinners(first), newLists(steps)
	if overall {
		page.winnerScores = &winnerScores{sums[0], sums[1], sums[2], sums[3], sums[4]}
	}
	return page
}

// recognised returns a ranking's rows in order.
func (b *builder) recognised(t track, kind recognition, view string) []*results.RecognitionRow {
	var rows []*results.RecognitionRow
	for i := range b.site.Recognitions {
		if r := &b.site.Recognitions[i]; r.Track == t.name && r.Kind == kind.kind && r.View == view {
			rows = append(rows, r)
		}
	}
	slices.SortFunc(rows, func(a, b *results.RecognitionRow) int { return cmp.Compare(a.Place, b.Place) })
	return rows
}
