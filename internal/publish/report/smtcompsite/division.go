package smtcompsite

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

// views are the score views on pages, in the order of the page's keys.
var views = [5]string{"seq", "par", string(comp.AnswerSat), string(comp.AnswerUnsat), "24s"}

// parallelView is the index of the view that contains every benchmark and every solver of a division.
const parallelView = 1

// winners holds the winners in each of a page's views.
type winners struct {
	Seq   string `json:"winner_seq"`
	Par   string `json:"winner_par"`
	Sat   string `json:"winner_sat"`
	Unsat string `json:"winner_unsat"`
	Day   string `json:"winner_24s"`
}

// nobody represents a missing winner.
const nobody = "-"

func newWinners(w [5]string) winners {
	for i := range w {
		w[i] = cmp.Or(w[i], nobody)
	}
	return winners{w[0], w[1], w[2], w[3], w[4]}
}

// list returns the winners in view order.
func (w winners) list() [5]string { return [5]string{w.Seq, w.Par, w.Sat, w.Unsat, w.Day} }

// lists holds the solver lists in each of a page's views.
type lists[Step any] struct {
	Seq   []Step `json:"sequential"`
	Par   []Step `json:"parallel"`
	Sat   []Step `json:"sat"`
	Unsat []Step `json:"unsat"`
	Day   []Step `json:"twentyfour"`
}

// newLists takes lists in view order. It never encodes a list as null.
func newLists[Step any](l [5][]Step) lists[Step] {
	for i := range l {
		if l[i] == nil {
			l[i] = []Step{}
		}
	}
	return lists[Step]{l[0], l[1], l[2], l[3], l[4]}
}

// divisionPage is the page of a division or a logic. A logic's page lists no logics.
type divisionPage struct {
	ResultDate    string         `json:"resultdate"`
	Year          int            `json:"year"`
	Divisions     string         `json:"divisions"`
	Participants  string         `json:"participants"`
	Disagreements string         `json:"disagreements"`
	Division      string         `json:"division"`
	IsCompetitive *bool          `json:"is_competitive,omitempty"` // nil if Options.NoBases is set
	Track         string         `json:"track"`
	Benchmarks    int64          `json:"n_benchmarks"`
	TimeLimit     int64          `json:"time_limit"` // in seconds
	MemLimit      int64          `json:"mem_limit"`  // in MiB
	Logics        map[string]int `json:"logics"`
	winners
	lists[step]
	Layout string `json:"layout"`
}

// step is a solver's line in a ranking.
type step struct {
	Name string `json:"name"`
	// BaseSolver is empty if the solver is not derived, and nil if Options.NoBases is set.
	BaseSolver  *string `json:"baseSolver,omitempty"`
	DeltaBase   *int64  `json:"deltaBaseSolver,omitempty"`
	Competing   string  `json:"competing"`
	Errors      int64   `json:"errorScore"`
	Correct     int64   `json:"correctScore"`
	CPU         number  `json:"CPUScore"`
	Wall        number  `json:"WallScore"`
	Solved      int64   `json:"solved"`
	SolvedSat   int64   `json:"solved_sat"`
	SolvedUnsat int64   `json:"solved_unsat"`
	Unsolved    int64   `json:"unsolved"`
	Abstained   int64   `json:"abstained"`
	Timeout     int64   `json:"timeout"`
	Memout      int64   `json:"memout"`
}

// place is a division or a logic in it.
type place struct{ division, logic string }

// rankings holds the rows of a division or logic by view index, in page order.
type rankings [5][]*results.ScoreRow

// index collects the rows by track and place.
func (b *builder) index() map[string]map[place]*rankings {
	tables := map[string]map[place]*rankings{}
	for i := range b.site.Scores {
		r := &b.site.Scores[i]
		view := slices.Index(views[:], r.View)
		if view < 0 || r.Solved+r.Unsolved == 0 { // the view is not shown, or the solver has no run in it
			continue
		}
		if tables[r.Track] == nil {
			tables[r.Track] = map[place]*rankings{}
		}
		at := place{r.Division, r.Logic}
		if tables[r.Track][at] == nil {
			tables[r.Track][at] = &rankings{}
		}
		rows := &tables[r.Track][at][view]
		*rows = append(*rows, r)
	}
	for _, places := range tables {
		for _, all := range places {
			for _, rows := range all {
				slices.SortFunc(rows, listed)
			}
		}
	}
	return tables
}

// listed compares a list's entries: competitive solvers come first, then the order is by rank and name. Entries without
// a rank come last.
func listed(a, b *results.ScoreRow) int {
	rank := func(r *results.ScoreRow) int64 {
		if r.Rank == 0 {
			return math.MaxInt64
		}
		return r.Rank
	}
	return cmp.Or(-compareBool(a.Competitive, b.Competitive), cmp.Compare(rank(a), rank(b)),
		strings.Compare(a.Solver, b.Solver))
}

func compareBool(a, b bool) int {
	number := map[bool]int{true: 1}
	return number[a] - number[b]
}

// divisionPages writes the pages of a track's divisions and logics, and the track's summary.
func (b *builder) divisionPages(p *trackPages, tables map[place]*rankings) {
	places := slices.SortedFunc(keys(tables), func(a, b place) int {
		return cmp.Or(compareBool(a.logic != "", b.logic != ""), strings.Compare(identifier(a.division),
			identifier(b.division)), strings.Compare(a.logic, b.logic))
	})
	logics := map[string]map[string]int{}
	for at, r := range tables {
		if at.logic != "" && len(r[parallelView]) > 0 {
			if logics[at.division] == nil {
				logics[at.division] = map[string]int{}
			}
			logics[at.division][at.logic] = int(r[parallelView][0].Benchmarks)
		}
	}
	summary := summaryPage{Track: p.track.page, Divisions: []*divisionPage{}, Layout: "results_summary"}
	for _, at := range places {
		r := tables[at]
		if len(r[parallelView]) == 0 {
			b.fail("track %s has scores of %s but none in the view par, which pages need", p.track.name,
				cmp.Or(at.logic, at.division))
			continue
		}
		page := b.divisionPage(p.track, cmp.Or(at.logic, at.division), r)
		if at.logic == "" {
			if page.Logics = logics[at.division]; page.Logics == nil {
				b.fail("division %s of track %s has no scores of its logics, without which its page would be that of "+
					"a logic", at.division, p.track.name)
			}
			summary.Divisions = append(summary.Divisions, page)
		}
		p.divisions = append(p.divisions, page)
		b.add(p.track.file(page.Division), fmt.Sprintf("%s of track %s", cmp.Or(at.logic, at.division), p.track.name),
			page)
	}
	b.add(p.track.file("results"), "the summary of track "+p.track.name, summary)
}

// summaryPage is a track's page.
type summaryPage struct {
	Track     string          `json:"track"`
	Divisions []*divisionPage `json:"divisions"`
	Layout    string          `json:"layout"`
}

func (b *builder) divisionPage(t track, name string, r *rankings) *divisionPage {
	s, limits := b.site, b.site.limits(t.name, name)
	size := r[parallelView][0].Benchmarks
	page := &divisionPage{
		ResultDate: s.ResultDate, Year: s.Year, Divisions: fmt.Sprintf("divisions_%d", s.Year),
		Participants: fmt.Sprintf("participants_%d", s.Year), Disagreements: fmt.Sprintf("disagreements_%d", s.Year),
		Division: identifier(name), Track: t.page, Benchmarks: size, TimeLimit: int64(limits.WallLimitS),
		MemLimit: limits.MemoryLimit >> 20, Logics: map[string]int{}, Layout: "result",
	}
	if !s.Options.NoBases {
		contested := b.contested(r[parallelView])
		page.IsCompetitive = &contested
	}
	var steps [5][]step
	var first [5]string
	for i, rows := range r {
		for _, row := range rows {
			steps[i] = append(steps[i], b.step(row, rows, size))
		}
		first[i] = b.winner(rows)
	}
	page.lists, page.winners = newLists(steps), newWinners(first)
	return page
}

// contested reports whether a division or logic is competitive.
func (b *builder) contested(rows []*results.ScoreRow) bool {
	if !b.site.Options.ContestedByNames {
		return rows[0].Contested
	}
	families := map[string]bool{}
	for _, r := range rows {
		family, _, _ := strings.Cut(strings.ToLower(r.Solver), "-")
		families[family] = true
	}
	return len(families) >= 2
}

// winner returns a list's first winner according to the scores, or the solver that Options.UncontestedWinners names.
func (b *builder) winner(rows []*results.ScoreRow) string {
	for _, r := range rows {
		if r.Winner {
			return r.Solver
		}
	}
	if len(rows) > 0 && b.site.Options.UncontestedWinners && !rows[0].Contested && rows[0].Competitive &&
		rows[0].Correct != 0 {
		return rows[0].Solver
	}
	return ""
}

// step returns a solver's line. size is the number of the division's benchmarks: in views with only some of them, the
// solver counts as abstaining on the others.
func (b *builder) step(r *results.ScoreRow, rows []*results.ScoreRow, size int64) step {
	counted := r.Solved + r.Unsolved
	out := step{
		Name: r.Solver, Competing: map[bool]string{true: "yes", false: "no"}[r.Competitive],
		Errors: r.Errors, Correct: int64(r.Correct), CPU: number(r.CPUS), Wall: number(r.WallS),
		Solved: r.Answered, SolvedSat: r.AnsweredSat, SolvedUnsat: r.Answered - r.AnsweredSat,
		Unsolved: counted - r.Answered, Abstained: size - counted, Timeout: r.Timeouts, Memout: r.Memouts,
	}
	if b.site.Options.NoBases {
		return out
	}
	delta := int64(0)
	if i := slices.IndexFunc(rows, func(o *results.ScoreRow) bool { return o.Solver == r.BaseSolver }); i >= 0 {
		delta = int64(r.Correct - rows[i].Correct)
	}
	out.BaseSolver, out.DeltaBase = &r.BaseSolver, &delta
	return out
}
