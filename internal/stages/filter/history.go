package filter

import (
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/results"
	"github.com/smtpipe/smtpipe/internal/rowexpr"
)

// HistoryRecord is the type of the row variable h: what earlier runs of a benchmark add up to.
var HistoryRecord = &rowexpr.Record{Name: "history of a benchmark", Fields: []rowexpr.Field{
	{Name: "runs", Type: cty.Number, Doc: "number of runs"},
	{Name: "solved", Type: cty.Number, Doc: "runs that answered sat or unsat"},
	{Name: "all_solved", Type: cty.Bool, Doc: "there are runs, and all answered sat or unsat"},
	{Name: "max_cpu", Type: cty.Number, Doc: "longest CPU time of a run, seconds; null without runs"},
	{Name: "max_wall", Type: cty.Number, Doc: "longest wall time of a run, seconds; null without runs"},
	{Name: "min_cpu", Type: cty.Number, Doc: "shortest CPU time of a run that solved it, seconds; null if none did"},
	{Name: "min_wall", Type: cty.Number, Doc: "shortest wall time of a run that solved it, seconds; null if none did"},
	{Name: "sat", Type: cty.Number, Doc: "runs that answered sat"},
	{Name: "unsat", Type: cty.Number, Doc: "runs that answered unsat"},
}}

// summary is what h sums up for one benchmark.
type summary struct {
	runs, solved, sat, unsat int64
	maxCPU, maxWall          float64
	minCPU, minWall          float64 // of the runs that solved it
}

// History is what earlier runs of each benchmark add up to. Benchmarks are named without the collection, since the older
// results do not have it.
type History map[string]*summary

// Summarise sums up the runs of a track (empty: any) and of years (empty: any).
func Summarise(runs []results.HistoryRow, track string, years []int64) History {
	all := History{}
	for i := range runs {
		r := &runs[i]
		if (track != "" && r.Track != track) || (len(years) > 0 && !slices.Contains(years, r.Year)) {
			continue
		}
		name := withoutCollection(r.Benchmark)
		s := all[name]
		if s == nil {
			s = &summary{}
			all[name] = s
		}
		s.add(r)
	}
	return all
}

func (s *summary) add(r *results.HistoryRow) {
	s.runs++
	s.maxCPU, s.maxWall = max(s.maxCPU, r.CPUTimeS), max(s.maxWall, r.WallTimeS)
	switch comp.Answer(r.Answer) {
	case comp.AnswerSat:
		s.sat++
	case comp.AnswerUnsat:
		s.unsat++
	default:
		return
	}
	if s.solved == 0 || r.CPUTimeS < s.minCPU {
		s.minCPU = r.CPUTimeS
	}
	if s.solved == 0 || r.WallTimeS < s.minWall {
		s.minWall = r.WallTimeS
	}
	s.solved++
}

func withoutCollection(path string) string {
	if rest, ok := strings.CutPrefix(path, "non-incremental/"); ok {
		return rest
	}
	return strings.TrimPrefix(path, "incremental/")
}

// AddHistory sets the columns of h for rows, from the runs of a track (empty: any) and of years (empty: any).
func AddHistory(frame *rowexpr.Frame, rows []results.BenchmarkRow, runs []results.HistoryRow, track string, years []int64) {
	paths := make([]string, len(rows))
	for i := range rows {
		paths[i] = rows[i].Path
	}
	Summarise(runs, track, years).AddColumns(frame, paths)
}

// Counts gives the number of runs of a benchmark and how many of them solved it.
func (all History) Counts(path string) (runs, solved int64) {
	if s := all[withoutCollection(path)]; s != nil {
		return s.runs, s.solved
	}
	return 0, 0
}

// AddColumns sets the columns of h for benchmarks.
func (all History) AddColumns(frame *rowexpr.Frame, paths []string) {
	n := len(paths)
	var (
		runs, solved, sat, unsat = make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n)
		allSolved                = make([]bool, n)
		maxCPU, maxWall          = make([]float64, n), make([]float64, n)
		minCPU, minWall          = make([]float64, n), make([]float64, n)
		noRuns, noSolver         = make([]bool, n), make([]bool, n)
	)
	for i, path := range paths {
		s := all[withoutCollection(path)]
		if s == nil {
			noRuns[i], noSolver[i] = true, true
			continue
		}
		runs[i], solved[i], sat[i], unsat[i] = s.runs, s.solved, s.sat, s.unsat
		allSolved[i] = s.solved == s.runs
		maxCPU[i], maxWall[i], minCPU[i], minWall[i] = s.maxCPU, s.maxWall, s.minCPU, s.minWall
		noSolver[i] = s.solved == 0
	}
	frame.Ints("h.runs", runs, nil).Ints("h.solved", solved, nil).Ints("h.sat", sat, nil).Ints("h.unsat", unsat, nil)
	frame.Bools("h.all_solved", allSolved, nil)
	frame.Floats("h.max_cpu", maxCPU, noRuns).Floats("h.max_wall", maxWall, noRuns)
	frame.Floats("h.min_cpu", minCPU, noSolver).Floats("h.min_wall", minWall, noSolver)
}
