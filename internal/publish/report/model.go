package report

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

// model is the input, arranged for the site.
type model struct {
	in      *Input
	tracks  []*track
	solvers []*solver
	total   totals
	order   map[string]int // display order of the views
	views   map[string]View
	slugs   *slugs
	logs    map[string]bool // outputs that the site contains
	load    func() error    // reads the columns of all runs
}

// totals are the figures at the top of the overview.
type totals struct {
	Benchmarks, Runs, Correct, Wrong, Logics, Divisions int64
	CPUSeconds                                          float64
}

type track struct {
	name, title, slug string
	divisions         []*division
	views             []View // views that any ranking has, in display order
	totals            totals
	solvers           []string
	families          []familyCount
	limits            limits // largest limits of any division
	selection         *Selection
	recognitions      []results.RecognitionRow
}

// familyCount is a family's row in a benchmark set's table.
type familyCount struct {
	Logic, Family       string
	Benchmarks          int64
	Sat, Unsat, Unknown int64
}

type division struct {
	track      *track
	name, slug string
	rankings   []*ranking // rankings of the whole division, in view order
	logics     []*logic
	runs       *runTable // nil if there are no runs
	benchmarks int64
	limits     limits
}

// limits are the run limits in a track, or in a division if the rules give it different ones; 0 means none or unknown.
type limits struct {
	wall   float64 // in seconds
	cores  int64
	memory int64 // in bytes
}

type logic struct {
	name, slug string
	rankings   []*ranking
	benchmarks int64
}

// ranking is a division's or logic's ranking in one view, best solver first.
type ranking struct {
	view  View
	rows  []results.ScoreRow
	place []int64                           // places from results.Places; 0 means none
	sure  map[string]*results.ConfidenceRow // rows by solver; nil if unknown
	// counts is set if the score is the number of solved benchmarks.
	counts bool
}

// solver describes all participations under one name, over all tracks.
type solver struct {
	name, slug  string
	team        string
	competitive bool
	base        string
	entries     []results.SolverRow
	sums        solverSums
}

// wrongRun is a wrong answer as a solver's page lists it.
type wrongRun struct {
	division                          *division
	Track, Division                   string // name the division
	Benchmark, Status, Answer, Reason string
	Wall                              float64
	Stdout, Log                       string // Log is the output's digest
}

// maxWrong is the maximum number of wrong answers that a solver's page lists. The run explorer shows all of them.
const maxWrong = 500

func build(ctx context.Context, in *Input) (*model, error) {
	m := &model{in: in, slugs: newSlugs(), order: map[string]int{}, views: map[string]View{}, logs: map[string]bool{},
		load: func() error { return nil }}
	views := in.Views
	if views == nil {
		views = DefaultViews()
	}
	for i, v := range views {
		m.order[v.Name], m.views[v.Name] = i, v
	}
	b := &builder{m: m, tracks: map[string]*track{}, divisions: map[[2]string]*division{},
		solvers: map[string]*solver{}}
	for _, row := range sortedSolvers(in.Solvers) {
		s := b.solver(row.Solver)
		s.team, s.base = first(s.team, row.Team), first(s.base, row.BaseSolver)
		s.competitive = s.competitive || row.Competitive
		s.entries = append(s.entries, row)
	}
	if err := b.scores(sortedScores(in.Scores)); err != nil {
		return nil, err
	}
	if err := b.verdicts(ctx); err != nil {
		return nil, err
	}
	b.rest()
	b.arrange()
	return m, nil
}

// sortedSolvers and sortedScores return rows sorted by primary key, as in stored tables, regardless of the input's
// order.
func sortedSolvers(rows []results.SolverRow) []results.SolverRow {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(x, y results.SolverRow) int {
		return cmp.Or(strings.Compare(x.Solver, y.Solver), strings.Compare(x.Track, y.Track),
			cmp.Compare(x.Participation, y.Participation))
	})
	return rows
}

func sortedScores(rows []results.ScoreRow) []results.ScoreRow {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(x, y results.ScoreRow) int {
		return cmp.Or(strings.Compare(x.Track, y.Track), strings.Compare(x.Division, y.Division),
			strings.Compare(x.Logic, y.Logic),
			strings.Compare(x.View, y.View), strings.Compare(x.Solver, y.Solver))
	})
	return rows
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

type builder struct {
	m         *model
	tracks    map[string]*track
	divisions map[[2]string]*division
	solvers   map[string]*solver
}

func (b *builder) track(name string) *track {
	t, ok := b.tracks[name]
	if !ok {
		t = &track{name: name, title: trackTitle(name)}
		b.tracks[name] = t
		b.m.tracks = append(b.m.tracks, t)
	}
	return t
}

func (b *builder) division(track, name string) *division {
	key := [2]string{track, name}
	d, ok := b.divisions[key]
	if !ok {
		t := b.track(track)
		d = &division{track: t, name: name}
		b.divisions[key] = d
		t.divisions = append(t.divisions, d)
	}
	return d
}

func (b *builder) solver(name string) *solver {
	s, ok := b.solvers[name]
	if !ok {
		s = &solver{name: name}
		b.solvers[name] = s
		b.m.solvers = append(b.m.solvers, s)
	}
	return s
}

func (b *builder) scores(rows []results.ScoreRow) error {
	for _, row := range rows {
		if row.Track == "" || row.Division == "" || row.View == "" || row.Solver == "" {
			return fmt.Errorf("a row of the scores has no track, division, view or solver: %q %q %q %q", row.Track,
				row.Division, row.View, row.Solver)
		}
		d := b.division(row.Track, row.Division)
		s := b.solver(row.Solver)
		s.competitive, s.base = s.competitive || row.Competitive, first(s.base, row.BaseSolver)
		rankings := &d.rankings
		if row.Logic != "" {
			l := d.logic(row.Logic)
			rankings = &l.rankings
			l.benchmarks = max(l.benchmarks, row.Benchmarks)
		} else {
			d.benchmarks = max(d.benchmarks, row.Benchmarks)
		}
		r := b.ranking(rankings, row.View)
		r.rows = append(r.rows, row)
	}
	return nil
}

func (d *division) logic(name string) *logic {
	for _, l := range d.logics {
		if l.name == name {
			return l
		}
	}
	l := &logic{name: name}
	d.logics = append(d.logics, l)
	return l
}

func (b *builder) ranking(list *[]*ranking, view string) *ranking {
	if r := rankingIn(*list, view); r != nil {
		return r
	}
	v, ok := b.m.views[view]
	if !ok {
		v = View{Name: view, Title: view}
		b.m.views[view] = v
	}
	r := &ranking{view: v}
	*list = append(*list, r)
	return r
}

// rest copies the inputs that need no arrangement.
func (b *builder) rest() {
	for i := range b.m.in.Selections {
		s := &b.m.in.Selections[i]
		b.track(s.Track).selection = s
	}
	for _, r := range b.m.in.Recognitions {
		t := b.track(r.Track)
		t.recognitions = append(t.recognitions, r)
	}
	b.sureness()
	for _, l := range b.m.in.Limits {
		t := b.track(l.Track)
		t.limits.memory = l.MemoryBytes
		for _, d := range t.divisions {
			d.limits.memory = l.MemoryBytes
		}
	}
}

// arrange sorts everything, so that the input's order does not matter, and names the pages.
func (b *builder) arrange() {
	m := b.m
	slices.SortFunc(m.tracks, func(x, y *track) int {
		return cmp.Or(trackOrder(x.name)-trackOrder(y.name), strings.Compare(x.name, y.name))
	})
	slices.SortFunc(m.solvers, func(x, y *solver) int { return foldOrder(x.name, y.name) })
	for _, s := range m.solvers {
		s.slug = m.slugs.of(s.name)
	}
	logics := map[string]bool{}
	for _, t := range m.tracks {
		t.slug = m.slugs.of(t.name)
		slices.SortFunc(t.divisions, func(x, y *division) int { return foldOrder(x.name, y.name) })
		present, names := map[string]bool{}, map[string]bool{}
		for _, d := range t.divisions {
			d.slug = m.slugs.of(d.name)
			m.arrangeRankings(d.rankings, present, names)
			slices.SortFunc(d.logics, func(x, y *logic) int { return foldOrder(x.name, y.name) })
			for _, l := range d.logics {
				l.slug = m.slugs.of(l.name)
				logics[l.name] = true
				m.arrangeRankings(l.rankings, present, names)
			}
			if d.runs != nil {
				for _, l := range d.runs.Logics {
					logics[l] = true
				}
				t.totals.Benchmarks += int64(d.runs.Benchmarks)
				d.benchmarks = max(d.benchmarks, int64(d.runs.Benchmarks))
			} else {
				t.totals.Benchmarks += d.benchmarks
			}
		}
		t.totals.Divisions = int64(len(t.divisions))
		slices.SortFunc(t.recognitions, func(x, y results.RecognitionRow) int {
			return cmp.Or(strings.Compare(x.Kind, y.Kind), m.viewOrder(x.View, y.View), cmp.Compare(x.Place, y.Place),
				foldOrder(x.Solver, y.Solver),
				strings.Compare(x.Division, y.Division), strings.Compare(x.Item, y.Item))
		})
		t.views = m.sortedViews(present)
		t.count()
		t.solvers = sortedKeys(names)
		m.total.Benchmarks += t.totals.Benchmarks
		m.total.Runs += t.totals.Runs
		m.total.Correct += t.totals.Correct
		m.total.Wrong += t.totals.Wrong
		m.total.CPUSeconds += t.totals.CPUSeconds
		m.total.Divisions += t.totals.Divisions
	}
	m.total.Logics = int64(len(logics))
	m.nameParts()
}

// nameParts assigns names to parts of pages before the pages are rendered in any order.
func (m *model) nameParts() {
	names := map[string]bool{}
	for name := range m.views {
		names[name] = true
	}
	for _, r := range m.in.Recognitions {
		names[r.Kind] = true
	}
	for _, s := range m.in.Selections {
		names[s.Track] = true
	}
	for _, name := range sortedKeys(names) {
		m.slugs.of(name)
	}
}

func (m *model) sortedViews(present map[string]bool) []View {
	var views []View
	for name := range present {
		views = append(views, m.views[name])
	}
	slices.SortFunc(views, func(x, y View) int { return m.viewOrder(x.Name, y.Name) })
	return views
}

func (m *model) viewOrder(x, y string) int {
	ox, knownX := m.order[x]
	oy, knownY := m.order[y]
	if !knownX {
		ox = math.MaxInt32
	}
	if !knownY {
		oy = math.MaxInt32
	}
	return cmp.Or(ox-oy, strings.Compare(x, y))
}

// arrangeRankings sorts the solvers in every ranking. The rank comes from the scores, which include every solver; the
// place comes from results.Places.
func (m *model) arrangeRankings(rankings []*ranking, views, solvers map[string]bool) {
	slices.SortFunc(rankings, func(x, y *ranking) int { return m.viewOrder(x.view.Name, y.view.Name) })
	for _, r := range rankings {
		views[r.view.Name] = true
		slices.SortFunc(r.rows, func(x, y results.ScoreRow) int {
			return cmp.Or(cmp.Compare(unranked(x.Rank), unranked(y.Rank)), foldOrder(x.Solver, y.Solver))
		})
		r.place = results.Places(r.rows)
		for _, row := range r.rows {
			solvers[row.Solver] = true
		}
	}
}

func unranked(rank int64) int64 {
	if rank <= 0 {
		return math.MaxInt64
	}
	return rank
}

// foldOrder compares texts alphabetically, ignoring case, and then bytewise.
func foldOrder(a, b string) int {
	return cmp.Or(strings.Compare(strings.ToLower(a), strings.ToLower(b)), strings.Compare(a, b))
}

func sortedKeys(set map[string]bool) []string {
	keys := make([]string, 0, len(set))
	for k := range set {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, foldOrder)
	return keys
}

func trackTitle(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '_' })
	for i, w := range words {
		words[i] = capital(w)
	}
	if len(words) == 0 {
		return name
	}
	return strings.Join(words, " ")
}

// trackOrder compares tracks in the order of the rules.
func trackOrder(name string) int {
	for i, t := range comp.Tracks() {
		if t.String() == name {
			return i
		}
	}
	return math.MaxInt16
}
