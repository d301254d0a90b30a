package compare

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/smtpipe/smtpipe/internal/data/run"
)

// Conditions are the conditions that a history's builds ran under.
type Conditions struct {
	WallTime    time.Duration `json:"wall_time_ns"`
	MemoryBytes int64         `json:"memory_bytes"`
	Cores       int           `json:"cores"`
	// Shuffle is the part of a benchmark that seeds change: all, names, order, or none; empty: benchmarks run
	// unscrambled.
	Shuffle    string `json:"shuffle,omitempty"`
	SeedOption string `json:"seed_option,omitempty"`
	Image      string `json:"image,omitempty"`
}

// Past is an earlier build with its runs.
type Past struct {
	Name     string
	Machine  string
	Measured time.Time // time of the first run
	Runs     []PastRun
}

// PastRun is a build's run on a benchmark or a variant of it.
type PastRun struct {
	Benchmark Benchmark
	Run       Run
}

// historyFormat names the JSON format of histories. docs/tools/json.md describes it.
const historyFormat = "smtpipe/history/1"

// History traces a solver over its builds.
type History struct {
	Format     string     `json:"format"`
	Solver     string     `json:"solver"`
	Order      string     `json:"order"` // order of the builds: version, measured, or told
	Conditions Conditions `json:"conditions"`
	// Others are the conditions of executed builds that this history omits.
	Others     []Conditions `json:"other_conditions,omitempty"`
	Unordered  []string     `json:"unordered,omitempty"` // builds missing from the given order
	Benchmarks int          `json:"benchmarks"`          // number of benchmarks that every counted build ran on
	Seeds      int          `json:"seeds"`               // maximum number of seeds per benchmark
	Builds     []Point      `json:"builds"`
	Lost       []Loss       `json:"lost"`
	Faults     []Fault      `json:"faults"`
}

// Point is a build in a history.
type Point struct {
	Name     string    `json:"name"`
	Measured time.Time `json:"measured"`
	Machine  string    `json:"machine"`
	Executed int       `json:"executed"`   // number of benchmarks executed
	Runs     int       `json:"runs"`       // number of runs; exceeds Executed with several seeds
	Counts   bool      `json:"in_figures"` // whether the build ran on enough benchmarks
	// Busy is the number of runs that waited for a CPU because the machine was busy with other work.
	Busy int `json:"busy"`
	Figures
	Logics []LogicFigures `json:"logics,omitempty"`
}

// Figures are a build's figures. Lost and gained are relative to the previous build.
type Figures struct {
	Solved   int         `json:"solved"` // number of benchmarks answered under all seeds, not known to be wrong
	PAR2     run.Seconds `json:"par2_ns"`
	Unstable int         `json:"unstable"` // number of benchmarks answered under some seeds only
	Wrong    int         `json:"wrong"`
	Lost     int         `json:"lost"`
	Gained   int         `json:"gained"`
}

// LogicFigures are a logic's figures.
type LogicFigures struct {
	Logic      string `json:"logic"`
	Benchmarks int    `json:"benchmarks"`
	Figures
}

// Loss is a benchmark that an earlier build answered under all seeds but the newest build does not.
type Loss struct {
	Benchmark string      `json:"benchmark"`
	Logic     string      `json:"logic"`
	Last      string      `json:"last"`              // last build that answered it under all seeds
	LastWall  run.Seconds `json:"last_wall_time_ns"` // the longest wall time of its runs
	Build     string      `json:"build"`             // the next build, which did not answer it under all seeds
	Answered  int         `json:"answered"`          // number of seeds under which the newest build answers
	Seeds     int         `json:"seeds"`
	Ending    string      `json:"ending"` // ending of the newest build's unanswered runs, or "wrong answer"
	Note      string      `json:"note,omitempty"`
}

// Fault is a wrong answer or, if the status is unknown, an answer that contradicts an earlier build's.
type Fault struct {
	Kind      string `json:"kind"`
	Benchmark string `json:"benchmark"`
	Status    string `json:"status"`
	Answer    string `json:"answer"`
	Build     string `json:"build"` // first build with this answer
	Still     bool   `json:"still"` // whether the newest build gives the same answer
}

// state is one build's result on one benchmark.
type state struct {
	Benchmark
	seeds, right int
	answer       string // wrong answer, if any
	other        string // answer not known to be wrong that differs from the answer under other seeds
	wrong        bool
	ending       string // ending of a run without a right answer
	slowest      time.Duration
	cost         time.Duration // PAR-2 score over all seeds
}

func (s *state) all() bool      { return s != nil && s.right == s.seeds }
func (s *state) unstable() bool { return s.right > 0 && s.right < s.seeds }

// partial is the smallest share of benchmarks with which a build counts, relative to the build with the most
// benchmarks.
const partial = 0.1

// NewHistory computes the history of the given builds, in order. Runs on the same benchmark must differ in their seeds.
func NewHistory(h History, builds []Past) *History {
	h.Format, h.Lost, h.Faults = historyFormat, []Loss{}, []Fault{}
	states := make([]map[string]*state, len(builds))
	most := 0
	for i, b := range builds {
		states[i] = statesOf(b.Runs, h.Conditions.WallTime)
		most = max(most, len(states[i]))
		h.Builds = append(h.Builds, Point{Name: b.Name, Measured: b.Measured, Machine: b.Machine,
			Executed: len(states[i]), Runs: len(b.Runs)})
		for _, r := range b.Runs {
			if r.Run.busy() {
				h.Builds[i].Busy++
			}
		}
	}
	var common []string
	for i := range h.Builds {
		p := &h.Builds[i]
		p.Counts = float64(p.Executed) >= partial*float64(most)
		switch {
		case !p.Counts:
		case common == nil:
			common = slices.Sorted(maps.Keys(states[i]))
		default:
			common = slices.DeleteFunc(common, func(path string) bool { return states[i][path] == nil })
		}
	}
	h.Benchmarks = len(common)
	var before map[string]*state
	for i := range h.Builds {
		if h.Builds[i].Counts {
			h.Builds[i].count(common, states[i], before)
			before = states[i]
		}
	}
	for _, b := range states {
		for _, s := range b {
			h.Seeds = max(h.Seeds, s.seeds)
		}
	}
	for _, path := range benchmarksOf(states) {
		h.follow(path, states)
	}
	slices.SortStableFunc(h.Lost, func(x, y Loss) int { return cmp.Compare(x.Note, y.Note) })
	slices.SortStableFunc(h.Faults, func(x, y Fault) int { return -cmp.Compare(x.Kind, y.Kind) }) // wrong ones first
	return &h
}

// benchmarksOf returns the benchmarks that any build ran on, sorted.
func benchmarksOf(states []map[string]*state) []string {
	paths := map[string]bool{}
	for _, s := range states {
		for path := range s {
			paths[path] = true
		}
	}
	return slices.Sorted(maps.Keys(paths))
}

// statesOf groups runs by benchmark.
func statesOf(runs []PastRun, limit time.Duration) map[string]*state {
	all := map[string]*state{}
	for _, r := range runs {
		s := all[r.Benchmark.Path]
		if s == nil {
			s = &state{Benchmark: r.Benchmark}
			all[r.Benchmark.Path] = s
		}
		s.seeds++
		p := Pair{Benchmark: r.Benchmark}
		switch {
		case p.wrong(r.Run):
			s.wrong, s.answer, s.ending = true, r.Run.Answer, r.Run.Ending
			s.cost += 2 * limit
		case r.Run.Answer == "":
			s.ending = r.Run.Ending
			s.cost += 2 * limit
		default:
			s.right++
			switch {
			case s.answer == "":
				s.answer = r.Run.Answer
			case s.answer != r.Run.Answer && !s.wrong:
				s.other = r.Run.Answer
			}
			s.slowest = max(s.slowest, r.Run.wall())
			s.cost += time.Duration(r.Run.undisturbed())
		}
	}
	return all
}

// count computes a build's figures over the common benchmarks.
func (p *Point) count(common []string, now, before map[string]*state) {
	logics := map[string]*LogicFigures{}
	for _, path := range common {
		s := now[path]
		l := logics[s.Logic]
		if l == nil {
			l = &LogicFigures{Logic: s.Logic}
			logics[s.Logic] = l
		}
		l.Benchmarks++
		for _, f := range []*Figures{&p.Figures, &l.Figures} {
			f.add(s, before[path], before != nil)
		}
	}
	for _, logic := range slices.Sorted(maps.Keys(logics)) {
		l := logics[logic]
		l.PAR2 /= run.Seconds(l.Benchmarks)
		p.Logics = append(p.Logics, *l)
	}
	p.PAR2 /= run.Seconds(max(len(common), 1))
}

func (f *Figures) add(s, before *state, compared bool) {
	f.PAR2 += run.SecondsOf(s.cost / time.Duration(s.seeds))
	switch {
	case s.wrong:
		f.Wrong++
	case s.all():
		f.Solved++
	case s.unstable():
		f.Unstable++
	}
	switch {
	case !compared || s.all() == before.all():
	case s.all():
		f.Gained++
	default:
		f.Lost++
	}
}

// follow traces a benchmark through the builds: which build lost it, and which builds answered wrong.
func (h *History) follow(path string, states []map[string]*state) {
	var newest *state
	last, first := -1, -1 // last build that answered it under all seeds, and the build after it
	decided := ""         // first answer not known to be wrong
	var faults []Fault
	for i := range states {
		s := states[i][path]
		if s == nil {
			continue
		}
		newest = s
		switch {
		case s.all():
			last, first = i, -1
		case last >= 0 && first < 0:
			first = i
		}
		if !s.wrong {
			decided = cmp.Or(decided, s.answer)
		}
		fault := Fault{Kind: Disagrees, Benchmark: path, Status: s.Status, Answer: s.answer, Build: h.Builds[i].Name}
		switch {
		case s.wrong:
			fault.Kind = Wrong
		case s.other != "" && s.other != decided:
			fault.Answer = s.other
		case s.answer == "" || s.answer == decided:
			continue
		}
		if !slices.ContainsFunc(faults, func(f Fault) bool { return f.Kind == fault.Kind }) {
			faults = append(faults, fault)
		}
	}
	for _, f := range faults {
		f.Still = f.Answer == newest.answer || f.Answer == newest.other
		h.Faults = append(h.Faults, f)
	}
	if first < 0 {
		return
	}
	l := Loss{Benchmark: path, Logic: newest.Logic, Last: h.Builds[last].Name, Build: h.Builds[first].Name,
		LastWall: run.SecondsOf(states[last][path].slowest), Answered: newest.right, Seeds: newest.seeds,
		Ending: newest.ending}
	if newest.wrong {
		l.Ending = "wrong answer"
	}
	if float64(states[last][path].slowest) > NearLimit*float64(h.Conditions.WallTime) {
		l.Note = NoteNear
	}
	h.Lost = append(h.Lost, l)
}
