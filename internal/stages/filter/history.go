package filter

import (
	"math"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
	"github.com/smtpipe/smtpipe/internal/data/run"
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
	runs, solved, sat, unsat, unknown int64

	saidSat, saidUnsat bool // whether any run, in any year, had this answer

	// most holds the largest times of all runs, and least the smallest times of runs that solved the benchmark. Neither
	// has the memory set.
	most, least run.Usage
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

// Summarise summarises the runs of each benchmark.
func Summarise(runs []results.HistoryRow, which Counted) History {
	type year struct {
		name string
		year int64
	}
	perYear := map[year]int64{}
	if which.RunsPerYear > 1 {
		for i := range runs {
			if r := &runs[i]; which.counts(r) {
				perYear[year{withoutCollection(r.Benchmark), r.Year}]++
			}
		}
	}
	all := History{}
	for i := range runs {
		r := &runs[i]
		if which.Track != "" && r.Track != which.Track {
			continue
		}
		name := withoutCollection(r.Benchmark)
		s := all[name]
		if s == nil {
			s = &summary{}
			all[name] = s
		}
		s.saidSat = s.saidSat || r.Answer == string(comp.AnswerSat)
		s.saidUnsat = s.saidUnsat || r.Answer == string(comp.AnswerUnsat)
		if which.counts(r) && (which.RunsPerYear <= 1 || perYear[year{name, r.Year}] >= which.RunsPerYear) {
			s.add(r)
		}
	}
	return all
}

// counts reports whether a run belongs to the track and the years.
func (c *Counted) counts(r *results.HistoryRow) bool {
	return (c.Track == "" || r.Track == c.Track) && (len(c.Years) == 0 || slices.Contains(c.Years, r.Year))
}

func (s *summary) add(r *results.HistoryRow) {
	s.runs++
	used := r.Usage
	if used.CPUTimeS < 0 {
		used.CPUTimeS = run.Seconds(math.Inf(1)) // an unmeasured run must not count as short
	}
	s.most.CPUTimeS, s.most.WallTimeS = max(s.most.CPUTimeS, used.CPUTimeS), max(s.most.WallTimeS, used.WallTimeS)
	switch comp.Answer(r.Answer) {
	case comp.AnswerSat:
		s.sat++
	case comp.AnswerUnsat:
		s.unsat++
	case comp.AnswerUnknown:
		s.unknown++
		return
	default:
		return
	}
	if s.solved == 0 || used.CPUTimeS < s.least.CPUTimeS {
		s.least.CPUTimeS = used.CPUTimeS
	}
	if s.solved == 0 || used.WallTimeS < s.least.WallTimeS {
		s.least.WallTimeS = used.WallTimeS
	}
	s.solved++
}

func withoutCollection(path string) string {
	if rest, ok := strings.CutPrefix(path, "non-incremental/"); ok {
		return rest
	}
	return strings.TrimPrefix(path, "incremental/")
}

// AddHistory adds the columns of h that the expressions use to a frame of rows, computed from the runs that count.
func AddHistory(frame *table.Frame, rows []results.BenchmarkRow, runs []results.HistoryRow, which Counted,
	exprs ...*rowexpr.Expr) {
	paths := make([]string, len(rows))
	for i := range rows {
		paths[i] = rows[i].Path
	}
	Summarise(runs, which).AddColumns(frame, paths, exprs...)
}

// Counts returns the number of a benchmark's runs and how many of them solved it.
func (all History) Counts(path string) (runs, solved int64) {
	if s := all[withoutCollection(path)]; s != nil {
		return s.runs, s.solved
	}
	return 0, 0
}

// AddColumns adds the columns of h that the expressions use to a frame of benchmarks.
func (all History) AddColumns(frame *table.Frame, paths []string, exprs ...*rowexpr.Expr) {
	if !slices.ContainsFunc(exprs, usesHistory) {
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
	{"solved", wholes(func(s *summary) int64 { return s.solved })},
	{string(comp.AnswerSat), wholes(func(s *summary) int64 { return s.sat })},
	{string(comp.AnswerUnsat), wholes(func(s *summary) int64 { return s.unsat })},
	{"unknown", wholes(func(s *summary) int64 { return s.unknown })},
	{"all_solved", truths(func(s *summary) bool { return s.runs > 0 && s.solved == s.runs })},
	{"disputed", truths(func(s *summary) bool { return s.saidSat && s.saidUnsat })},
	{"max_cpu", times(func(s *summary) (run.Seconds, bool) { return s.most.CPUTimeS, s.runs > 0 })},
	{"max_wall", times(func(s *summary) (run.Seconds, bool) { return s.most.WallTimeS, s.runs > 0 })},
	{"min_cpu", times(func(s *summary) (run.Seconds, bool) { return s.least.CPUTimeS, s.solved > 0 })},
	{"min_wall", times(func(s *summary) (run.Seconds, bool) { return s.least.WallTimeS, s.solved > 0 })},
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
func times(value func(*summary) (run.Seconds, bool)) func(*table.Frame, string, []*summary) {
	return func(frame *table.Frame, name string, of []*summary) {
		values, null := make([]float64, len(of)), make([]bool, len(of))
		for i, s := range of {
			known := s != nil
			if known {
				var t run.Seconds
				t, known = value(s)
				values[i] = float64(t)
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
			return r.eachYear == eachYear && usesHistory(r.when)
		})
	}
	var p past
	if !asks(false) && !asks(true) {
		return p, nil
	}
	runs, err := artifact.ReadTable[results.HistoryRow](env.Store, *act.history)
	if err != nil {
		return p, err
	}
	if asks(false) {
		p.together = Summarise(runs, act.counted)
	}
	if asks(true) {
		for _, year := range act.yearsOf(runs) {
			of := act.counted
			of.Years = []int64{year}
			p.years = append(p.years, Summarise(runs, of))
		}
	}
	return p, nil
}

// yearsOf lists the years of the runs that count.
func (act *action) yearsOf(runs []results.HistoryRow) []int64 {
	if len(act.counted.Years) > 0 {
		return act.counted.Years
	}
	var years []int64
	for i := range runs {
		if !slices.Contains(years, runs[i].Year) {
			years = append(years, runs[i].Year)
		}
	}
	return years
}
