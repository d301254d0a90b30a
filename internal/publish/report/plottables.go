package report

import (
	"math"
	"slices"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// Every plot of a division has a table with its figures, for readers who prefer text to pictures.

// vbsName is the name of the virtual best solver, which takes the fastest correct run on each benchmark by wall time.
const vbsName = "VBS"

// virtualBest returns the virtual best solver's wall times in ascending order.
func (t *runTable) virtualBest() []float64 {
	best := make([]float64, len(t.benches))
	for i := range best {
		best[i] = math.Inf(1)
	}
	for i, b := range t.bench {
		if t.verdicts.list[t.verdict[i]] == string(comp.Correct) {
			best[b] = min(best[b], t.wall[i])
		}
	}
	best = slices.DeleteFunc(best, func(s float64) bool { return math.IsInf(s, 1) })
	slices.Sort(best)
	return best
}

// cactusTable counts the benchmarks solved within a time, for powers of ten and for the limit.
func (s *site) cactusTable(d *division) *table {
	tab := &table{ID: "cactus-figures", Caption: "Benchmarks of " + clean(d.name) + " solved within a wall time",
		Cols: []col{{"Solver", "", false}}}
	limit := d.limits.wall
	var steps []float64
	for at := 0.1; at < limit || (limit <= 0 && at <= 1000); at *= 10 {
		steps = append(steps, at)
	}
	if limit > 0 {
		steps = append(steps, limit)
	}
	for _, at := range steps {
		tab.Cols = append(tab.Cols, col{number(at) + " s", "", true})
	}
	solved := d.runs.solved(d.runs.wall)
	add := func(name cell, times []float64) {
		cells := []cell{name}
		for _, at := range steps {
			n, _ := slices.BinarySearchFunc(times, at, func(t, at float64) int {
				if t <= at {
					return -1
				}
				return 1
			})
			cells = append(cells, count(int64(n)))
		}
		tab.Rows = append(tab.Rows, row{Cells: cells})
	}
	for _, i := range d.runs.sortedSolvers() {
		add(s.solverHead(d, i), solved[i])
	}
	add(head(vbsName, ""), d.runs.virtualBest())
	return tab
}

func (s *site) solverHead(d *division, i int) cell {
	name := d.runs.Solvers[i]
	return head(name, s.m.solver(name).href())
}

// memoryTable returns the shares of runs that need at most a given amount of memory.
func (s *site) memoryTable(d *division) *table {
	t := d.runs
	tab := &table{ID: "memory-figures", Caption: "Peak memory of the runs of " + clean(d.name) + ", MB",
		Cols: []col{{"Solver", "", false}, {"10 %", "10th percentile of the runs", true},
			{"50 %", "median of the runs", true},
			{"90 %", "90th percentile of the runs", true}, {"Most", "", true}}}
	per := make([][]float64, len(t.Solvers))
	for i, k := range t.solver {
		per[k] = t.appendMemory(per[k], i)
	}
	for _, i := range t.sortedSolvers() {
		tab.Rows = append(tab.Rows, row{Cells: []cell{s.solverHead(d, i), figure(quantile(per[i], 0.1)),
			figure(quantile(per[i], 0.5)), figure(quantile(per[i], 0.9)), figure(quantile(per[i], 1))}})
	}
	return tab
}

// scatterTable compares a division's best solver with every other solver.
func (s *site) scatterTable(d *division) *table {
	t := d.runs
	a := t.Pair[0]
	name := clean(t.Solvers[a])
	tab := &table{ID: "scatter-figures", Caption: name + " versus each other solver of " + clean(d.name) +
		", on the benchmarks that both ran",
		Cols: []col{{"Solver", "", false}, {"Both", "benchmarks that both solve", true},
			{"Only " + name, "benchmarks that only " + name + " solves", true},
			{"Only it", "benchmarks that only the other solver solves", true},
			{name + " faster", "of those that both solve, in wall time", true},
			{"It faster", "of those that both solve, in wall time", true}}}
	const none, unsolved = -2.0, -1.0
	times := make([][]float64, len(t.Solvers)) // times of each benchmark
	for i := range times {
		times[i] = slices.Repeat([]float64{none}, len(t.benches))
	}
	for i, b := range t.bench {
		times[t.solver[i]][b] = unsolved
		if t.verdicts.list[t.verdict[i]] == string(comp.Correct) {
			times[t.solver[i]][b] = t.wall[i]
		}
	}
	for _, other := range t.sortedSolvers() {
		if other == a {
			continue
		}
		var both, onlyA, onlyB, fasterA, fasterB int64
		for b, x := range times[a] {
			y := times[other][b]
			switch {
			case x == none || y == none || (x == unsolved && y == unsolved):
			case y == unsolved:
				onlyA++
			case x == unsolved:
				onlyB++
			default:
				both++
				if x < y {
					fasterA++
				}
				if y < x {
					fasterB++
				}
			}
		}
		tab.Rows = append(tab.Rows, row{Cells: []cell{s.solverHead(d, other), count(both), count(onlyA), count(onlyB),
			count(fasterA), count(fasterB)}})
	}
	return tab
}
