package filter

import (
	"math"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
	"github.com/smtpipe/smtpipe/internal/data/table"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// HistoryRecord is the type of the row variable h: a summary of earlier runs of a benchmark.
var HistoryRecord = &rowexpr.Record{Name: "history of a benchmark", Fields: []rowexpr.Field{
	{Name: "runs", Type: cty.Number, Doc: "number of runs"},
	{Name: "solved", Type: cty.Number, Doc: "runs that answered sat or unsat"},
	{Name: "all_solved", Type: cty.Bool, Doc: "there are runs, and all answered sat or unsat"},
	{Name: "max_cpu", Type: cty.Number, Doc: "longest CPU time of a run, seconds; null without runs"},
	{Name: "max_wall", Type: cty.Number, Doc: "longest wall time of a run, seconds; null without runs"},
	{Name: "min_cpu", Type: cty.Number, Doc: "shortest CPU time of a run that solved it, seconds; null if none did"},
	{Name: "min_wall", Type: cty.Number, Doc: "shortest wall time of a run that solved it, seconds; null if none did"},
	{Name: string(comp.AnswerSat), Type: cty.Number, Doc: "runs that answered sat"},
	{Name: string(comp.AnswerUnsat), Type: cty.Number, Doc: "runs that answered unsat"},
	{Name: "unknown", Type: cty.Number, Doc: "runs that answered unknown; stopped runs do not count"},
	{Name: "disputed", Type: cty.Bool, Doc: "one run answered sat and another unsat, in any years"},
}}

// summary holds a benchmark's fields of h.
type summary struct {
	runs, sat, unsat, unknown int64

	saidSat, saidUnsat bool // whether any run, in any year, had this answer

	maxCPU, maxWall float64 // largest times of all runs
	minCPU, minWall float64 // smallest times of runs that solved the benchmark
}

func (s *summary) solved() int64 { return s.sat + s.unsat }

// add adds the runs of another summary.
func (s *summary) add(o *summary) {
	s.maxCPU, s.maxWall = max(s.maxCPU, o.maxCPU), max(s.maxWall, o.maxWall)
	switch {
	case s.solved() == 0:
		s.minCPU, s.minWall = o.minCPU, o.minWall
	case o.solved() > 0:
		s.minCPU, s.minWall = min(s.minCPU, o.minCPU), min(s.minWall, o.minWall)
	}
	s.runs, s.sat, s.unsat, s.unknown = s.runs+o.runs, s.sat+o.sat, s.unsat+o.unsat, s.unknown+o.unknown
}

// History summarises the earlier runs of each benchmark. Its keys are paths without the collection, which older results
// do not contain.
type History map[string]*summary

// Counted selects the runs that are summarised.
type Counted struct {
	Track       string  // empty means any track
	Years       []int64 // empty means any year
	RunsPerYear int64   // for each benchmark, years with fewer runs are ignored
}

// ReadHistory summarises the earlier runs in a table, which may be nil.
func ReadHistory(store *cache.Store, art *stages.Artifact, which Counted) (History, error) {
	if art == nil {
		return nil, nil
	}
	all, err := readYears(store, *art, which.Track)
	if err != nil {
		return nil, err
	}
	return all.history(which), nil
}

// years holds summaries of each benchmark's runs in a track, by year.
type years struct {
	found []int64 // all years in the table, with runs in any track
	of    map[string][]yearSummary
}

type yearSummary struct {
	year int64
	summary
}

// readYears reads a table of runs. An empty track means any.
func readYears(store *cache.Store, art stages.Artifact, track string) (years, error) {
	all := years{of: map[string][]yearSummary{}}
	columns := []string{"track", "benchmark", "year", "answer", "cpu_time_s", "wall_time_s"}
	err := artifact.EachRow(store, art, columns, func(_ int64, c []table.Column, i int) {
		year := c[2].IntAt(i)
		if !slices.Contains(all.found, year) {
			all.found = append(all.found, year)
		}
		if track != "" && c[0].StringAt(i) != track {
			return
		}
		name := withoutCollection(c[1].StringAt(i))
		of, known := all.of[name]
		if !known {
			name = strings.Clone(name) // the text belongs to a page that will be released
		}
		k := slices.IndexFunc(of, func(y yearSummary) bool { return y.year == year })
		if k < 0 {
			k, of = len(of), append(of, yearSummary{year: year})
			all.of[name] = of
		}
		run := runOf(comp.Answer(c[3].StringAt(i)), c[4].FloatAt(i), c[5].FloatAt(i))
		of[k].add(&run)
	})
	return all, err
}

// runOf returns the summary of a single run.
func runOf(answer comp.Answer, cpu, wall float64) summary {
	if cpu < 0 {
		cpu = math.Inf(1) // an unmeasured run must not count as short
	}
	s := summary{runs: 1, maxCPU: cpu, maxWall: wall}
	switch answer {
	case comp.AnswerSat:
		s.sat = 1
	case comp.AnswerUnsat:
		s.unsat = 1
	case comp.AnswerUnknown:
		s.unknown = 1
	}
	if s.solved() > 0 {
		s.minCPU, s.minWall = cpu, wall
	}
	return s
}

// history adds up the years that count.
func (all *years) history(which Counted) History {
	h := make(History, len(all.of))
	for name, of := range all.of {
		s := &summary{}
		h[name] = s
		for i := range of {
			y := &of[i]
			s.saidSat, s.saidUnsat = s.saidSat || y.sat > 0, s.saidUnsat || y.unsat > 0
			if (len(which.Years) == 0 || slices.Contains(which.Years, y.year)) && y.runs >= which.RunsPerYear {
				s.add(&y.summary)
			}
		}
	}
	return h
}

func withoutCollection(path string) string {
	if rest, ok := strings.CutPrefix(path, "non-incremental/"); ok {
		return rest
	}
	return strings.TrimPrefix(path, "incremental/")
}

// Counts returns the number of a benchmark's runs and how many of them solved it.
func (all History) Counts(path string) (runs, solved int64) {
	if s := all[withoutCollection(path)]; s != nil {
		return s.runs, s.solved()
	}
	return 0, 0
}

// AddColumns adds the columns of h that the expressions use to a frame of benchmarks.
func (all History) AddColumns(frame *table.Frame, paths []string, exprs ...*rowexpr.Expr) {
	if !slices.ContainsFunc(exprs, UsesHistory) {
		return
	}
	of := make([]*summary, len(paths))
	if len(all) > 0 {
		for i, path := range paths {
			of[i] = all[withoutCollection(path)]
		}
	}
	for _, c := range historyColumns {
		if slices.ContainsFunc(exprs, func(e *rowexpr.Expr) bool { return uses(e, c.name) }) {
			c.add(frame, "h."+c.name, of)
		}
	}
}

// uses reports whether an expression uses a field of h, or h as a whole.
func uses(e *rowexpr.Expr, field string) bool {
	return e != nil && slices.ContainsFunc(e.Uses(), func(u string) bool { return u == "h" || u == "h."+field })
}

// historyColumns are the fields of h.
var historyColumns = []struct {
	name string
	add  func(frame *table.Frame, name string, of []*summary)
}{
	{"runs", wholes(func(s *summary) int64 { return s.runs })},
	{"solved", wholes(func(s *summary) int64 { return s.solved() })},
	{string(comp.AnswerSat), wholes(func(s *summary) int64 { return s.sat })},
	{string(comp.AnswerUnsat), wholes(func(s *summary) int64 { return s.unsat })},
	{"unknown", wholes(func(s *summary) int64 { return s.unknown })},
	{"all_solved", truths(func(s *summary) bool { return s.runs > 0 && s.solved() == s.runs })},
	{"disputed", truths(func(s *summary) bool { return s.saidSat && s.saidUnsat })},
	{"max_cpu", times(func(s *summary) (float64, bool) { return s.maxCPU, s.runs > 0 })},
	{"max_wall", times(func(s *summary) (float64, bool) { return s.maxWall, s.runs > 0 })},
	{"min_cpu", times(func(s *summary) (float64, bool) { return s.minCPU, s.solved() > 0 })},
	{"min_wall", times(func(s *summary) (float64, bool) { return s.minWall, s.solved() > 0 })},
}

// wholes returns a column of run counts, which are 0 for a benchmark without runs.
func wholes(value func(*summary) int64) func(*table.Frame, string, []*summary) {
	return func(frame *table.Frame, name string, of []*summary) {
		values := make([]int64, len(of))
		for i, s := range of {
			if s != nil {
				values[i] = value(s)
			}
		}
		frame.Ints(name, values, nil)
	}
}

// truths returns a column of truth values, which are false for a benchmark without runs.
func truths(value func(*summary) bool) func(*table.Frame, string, []*summary) {
	return func(frame *table.Frame, name string, of []*summary) {
		values := make([]bool, len(of))
		for i, s := range of {
			values[i] = s != nil && value(s)
		}
		frame.Bools(name, values, nil)
	}
}

// times returns a column of times, which are null for a benchmark without times.
func times(value func(*summary) (float64, bool)) func(*table.Frame, string, []*summary) {
	return func(frame *table.Frame, name string, of []*summary) {
		values, null := make([]float64, len(of)), make([]bool, len(of))
		for i, s := range of {
			known := s != nil
			if known {
				values[i], known = value(s)
			}
			null[i] = !known
		}
		frame.Floats(name, values, null)
	}
}

// past holds summaries of earlier runs.
type past struct {
	together History
	years    []History // one history per year; empty unless a rule needs it
}

// of returns the histories that a rule applies to.
func (p past) of(r rule) []History {
	if r.eachYear && len(p.years) > 0 {
		return p.years
	}
	return []History{p.together}
}

// summary summarises the earlier runs to the extent that the rules need them.
func (act *action) summary(env *stages.Env) (past, error) {
	asks := func(eachYear bool) bool {
		return slices.ContainsFunc(act.rules, func(r rule) bool {
			return r.eachYear == eachYear && UsesHistory(r.when)
		})
	}
	var p past
	if !asks(false) && !asks(true) {
		return p, nil
	}
	runs, err := readYears(env.Store, *act.history, act.counted.Track)
	if err != nil {
		return p, err
	}
	if asks(false) {
		p.together = runs.history(act.counted)
	}
	if asks(true) {
		each := act.counted.Years
		if len(each) == 0 {
			each = runs.found
		}
		for _, year := range each {
			of := act.counted
			of.Years = []int64{year}
			p.years = append(p.years, runs.history(of))
		}
	}
	return p, nil
}
