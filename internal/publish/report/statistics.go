package report

import (
	"cmp"
	"math"
	"slices"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// statistics holds the figures of a solver's runs in a division, or of the virtual best solver (VBS), which uses the
// fastest correct run on each benchmark by wall time. A solved benchmark is one answered correctly. Times are in
// seconds.
type statistics struct {
	solver         string
	solved, unique int // unique counts benchmarks solved by no other solver
	errors         int // number of wrong answers
	cpu, wall      []float64
	memory         []float64 // memory of all runs whose memory is known, in MB
	par2           float64   // mean wall time over the benchmarks, with twice the limit for unsolved ones
	// contribution is the amount by which the VBS's sum of PAR-2 scores would grow without the solver.
	contribution float64
}

// allRuns returns the indexes of all runs.
func (t *runTable) allRuns() []int32 {
	all := make([]int32, len(t.bench))
	for i := range all {
		all[i] = int32(i)
	}
	return all
}

// statisticsOf computes the figures of each solver that has one of the runs, best solver first, and of the VBS.
func (t *runTable) statisticsOf(runs []int32, limit float64) (all []statistics, vbs statistics) {
	all = make([]statistics, len(t.Solvers))
	ran := make([]int, len(all))
	type best struct {
		run, solvers int // index of the fastest run, or -1, and number of solvers
		par2, second float64
	}
	bests, at := []best{}, map[uint32]int{}
	for _, run := range runs {
		i, b := int(run), t.bench[run]
		k, seen := at[b]
		if !seen {
			k = len(bests)
			at[b], bests = k, append(bests, best{-1, 0, 2 * limit, 2 * limit})
		}
		s, x := &all[t.solver[i]], &bests[k]
		ran[t.solver[i]]++
		s.memory = t.appendMemory(s.memory, i)
		score := 2 * limit
		switch comp.Verdict(t.verdicts.list[t.verdict[i]]) {
		case comp.Correct:
			score = t.wall[i]
			s.solved++
			s.cpu, s.wall = append(s.cpu, t.cpu[i]), append(s.wall, t.wall[i])
			if x.solvers++; x.run < 0 || t.wall[i] < t.wall[x.run] {
				x.run = i
			}
		case comp.Wrong:
			s.errors++
		}
		s.par2 += score
		if score < x.par2 {
			x.par2, x.second = score, x.par2
		} else {
			x.second = min(x.second, score)
		}
	}
	for _, x := range bests {
		vbs.par2 += x.par2
		if x.run < 0 {
			continue
		}
		s := &all[t.solver[x.run]]
		if x.solvers == 1 {
			s.unique++
		}
		s.contribution += x.second - x.par2
		vbs.solved++
		vbs.cpu, vbs.wall = append(vbs.cpu, t.cpu[x.run]), append(vbs.wall, t.wall[x.run])
		vbs.memory = t.appendMemory(vbs.memory, x.run)
	}
	vbs.par2 /= float64(len(bests))
	for i := range all {
		all[i].solver = t.Solvers[i]
		all[i].par2 /= float64(ran[i])
	}
	all = slices.DeleteFunc(all, func(s statistics) bool { return ran[slices.Index(t.Solvers, s.solver)] == 0 })
	slices.SortFunc(all, func(a, b statistics) int {
		return cmp.Or(cmp.Compare(b.solved, a.solved), cmp.Compare(a.par2, b.par2), cmp.Compare(a.solver, b.solver))
	})
	return all, vbs
}

// appendMemory appends a run's memory in MB if it is known.
func (t *runTable) appendMemory(sizes []float64, run int) []float64 {
	if t.memory[run] > 0 {
		sizes = append(sizes, float64(t.memory[run])/1e6)
	}
	return sizes
}

// quantile sorts the values and returns the smallest one such that at least the given share of them does not exceed it;
// NaN if there are no values.
func quantile(values []float64, share float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	slices.Sort(values)
	return values[max(int(math.Ceil(share*float64(len(values))))-1, 0)]
}

func sum(values []float64) (s float64) {
	for _, v := range values {
		s += v
	}
	return s
}

// statisticsColumns are the columns of statistics tables that follow the columns naming a row.
var statisticsColumns = []col{{"Solved", "correct answers", true},
	{"Unique", "solved by nobody else", true}, {"Errors", "wrong answers", true},
	{"CPU sum", "seconds, of solved benchmarks", true}, {"Mean", "CPU-seconds, mean over solved benchmarks", true},
	{"Median", "CPU-seconds, median over solved benchmarks", true},
	{"90 %", "CPU-seconds, 90th percentile over solved benchmarks", true},
	{"Memory", "MB, median of the runs", true},
	{"PAR-2", "mean wall time in seconds; what is not solved counts as twice the limit", true},
	{"Contribution", "seconds by which the PAR-2 sum of the VBS would grow without the solver", true}}

// limited removes the columns that require a single limit for all runs if there is no such limit.
func limited[T any](columns []T, limit float64) []T {
	if limit <= 0 {
		return columns[:len(columns)-2]
	}
	return columns
}

func (x *statistics) cells() []cell {
	return []cell{count(int64(x.solved)), count(int64(x.unique)), count(int64(x.errors)), timeCell(sum(x.cpu)),
		figure(sum(x.cpu) / float64(len(x.cpu))), figure(quantile(x.cpu, 0.5)), figure(quantile(x.cpu, 0.9)),
		figure(quantile(x.memory, 0.5)), figure(x.par2), figure(x.contribution)}
}

// aboutStatistics explains the statistics tables.
const aboutStatistics = "CPU times cover solved benchmarks. VBS is the virtual best solver: for each benchmark, the solver " +
	"with the least wall time."

// statisticsTable returns the statistics of some of a division's runs.
func (s *site) statisticsTable(d *division, runs []int32, caption string) *table {
	limit := d.limits.wall
	all, vbs := d.runs.statisticsOf(runs, limit)
	tab := &table{ID: "statistics", Caption: caption,
		Cols: append([]col{{"Solver", "", false}}, limited(statisticsColumns, limit)...)}
	for i := range all {
		tab.Rows = append(tab.Rows, row{Cells: append([]cell{head(all[i].solver, s.m.solver(all[i].solver).href())},
			limited(all[i].cells(), limit)...)})
	}
	cells := vbs.cells()
	for _, k := range []int{1, 2, 9} { // these figures exist only for real solvers
		cells[k] = cell{Text: "–", Num: true}
	}
	tab.Rows = append(tab.Rows, row{Class: "total", Cells: append([]cell{head(vbsName, "")}, limited(cells, limit)...)})
	return tab
}

// figure formats a number in the statistics; – if there is none.
func figure(x float64) cell {
	if math.IsNaN(x) {
		return cell{Text: "–", Num: true}
	}
	return timeCell(x)
}
