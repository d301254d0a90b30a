package score

import (
	"cmp"
	"math/big"
	"slices"
	"strings"
)

// linesShown is the number of largest contributions that the pages list.
const linesShown = 19

// virtual is the virtual best solver's result on one benchmark in the organisers' second program: maxima and minima
// over the runs that solved something.
type virtual struct {
	n         int64
	wall, cpu Time
	has       bool
}

func (v *virtual) add(n int64, wall, cpu Time) {
	if !v.has {
		*v = virtual{n, wall, cpu, true}
		return
	}
	v.n, v.wall, v.cpu = max(v.n, n), min(v.wall, wall), min(v.cpu, cpu)
}

// in applies a view to a benchmark's virtual run. It returns false if the view omits the run.
func (v *virtual) in(view *View, b *Benchmark) (virtual, bool) {
	switch {
	case view.Cut == "wall":
		limit := b.Limit
		if view.Limit != nil {
			limit = min(limit, *view.Limit)
		}
		return *v, v.wall <= limit
	case view.Cut == "cpu" && v.cpu > b.Limit:
		return virtual{has: true}, true
	}
	return *v, true
}

// solvedRun is a sound solver's run that solved something.
type solvedRun struct {
	benchmark, solver int32
	n                 int64
	wall, cpu         Time
}

// solvedRuns returns the sound solvers' runs without an error and with n > 0, by division.
func (e *scoring) solvedRuns() [][]solvedRun {
	out := make([][]solvedRun, len(e.divisions))
	for i, n := range e.base.count {
		b, s := e.t.benchmark[i], e.t.solver[i]
		d := e.division(b)
		if n > 0 && !e.base.err[i] && !e.removed[b] && e.sound[d][s] {
			out[d] = append(out[d], solvedRun{b, s, n, e.t.wall[i], e.t.cpu[i]})
		}
	}
	return out
}

// contributionOfSolved computes the largest contribution on the pages since 2024. v is view i.
func (e *scoring) contributionOfSolved(i int, v *View) RecognitionView {
	runs := e.solvedRuns()
	var total int64
	for _, r := range runs {
		total += int64(len(r))
	}
	var out RecognitionView
	for d, div := range e.result.Divisions {
		if len(runs[d]) == 0 {
			continue
		}
		weight := big.NewRat(int64(len(runs[d])), total)
		out.Entries = append(out.Entries, e.contributionsIn(i, v, runs[d], div.Name, weight)...)
	}
	// The program compares doubles: of two equal ranks, the one that was rounded up comes first.
	slices.SortStableFunc(out.Entries, func(a, b RecognitionEntry) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.key.time.Cmp(a.key.time),
			strings.Compare(b.Division, a.Division))
	})
	out.Entries = out.Entries[:min(len(out.Entries), linesShown)]
	if len(out.Entries) > 0 {
		out.Winners = []Winner{{out.Entries[0].Division, out.Entries[0].Solver}}
	}
	return out
}

// contributionsIn compares a division's virtual best solver with and without each solver.
func (e *scoring) contributionsIn(view int, v *View, runs []solvedRun, division string,
	weight *big.Rat) []RecognitionEntry {
	slices.SortFunc(runs, func(a, b solvedRun) int {
		return cmp.Or(cmp.Compare(a.benchmark, b.benchmark), cmp.Compare(a.solver, b.solver))
	})
	solvers := map[int32]bool{}
	for _, r := range runs {
		solvers[r.solver] = true
	}
	all, _ := e.virtualSum(view, runs, -1)
	var rest []Entry
	for s := range e.t.Solvers {
		if !solvers[int32(s)] {
			continue
		}
		if cell, rows := e.virtualSum(view, runs, int32(s)); rows > 0 {
			rest = append(rest, Entry{Solver: e.t.Solvers[s].Name, Competitive: e.t.Solvers[s].Competitive, Cell: cell})
		}
	}
	if len(rest) <= 2 || all.Correct == 0 {
		return nil
	}
	rank(rest, []Key{{Column: "n", Desc: true}, {Column: "w"}, {Column: "c"}}, false)
	var out []RecognitionEntry
	for _, x := range e.listed(&Ranking{Entries: rest}) {
		before, after := all.Wall, x.Cell.Wall
		if v.Time == "c" {
			before, after = all.CPU, x.Cell.CPU
		}
		time := big.NewRat(1, 1)
		if !after.IsZero() {
			time = lost(before, after)
		}
		entry := RecognitionEntry{Division: division, Solver: x.Solver, Competitive: x.Competitive, Eligible: true,
			key: rankKey{n: big.NewRat(all.Correct-x.Cell.Correct, all.Correct), time: time}}
		entry.weigh(v, weight)
		entry.Score = floatOf(weight) * (1 - float64(x.Cell.Correct)/float64(all.Correct))
		out = append(out, entry)
	}
	return out
}

// virtualSum adds up the virtual best solver's results over runs sorted by benchmark, excluding one solver. rows is the
// number of benchmarks that the view counts.
func (e *scoring) virtualSum(view int, runs []solvedRun, without int32) (sum Cell, rows int) {
	for lo := 0; lo < len(runs); {
		var best virtual
		hi := lo
		for ; hi < len(runs) && runs[hi].benchmark == runs[lo].benchmark; hi++ {
			if r := &runs[hi]; r.solver != without {
				best.add(r.n, r.wall, r.cpu)
			}
		}
		if b := runs[lo].benchmark; best.has && e.counted[view][b] {
			if x, ok := best.in(e.views[view], &e.t.Benchmarks[b]); ok {
				rows++
				sum.Correct += x.n
				sum.Wall, sum.CPU = sum.Wall.Add(x.wall), sum.CPU.Add(x.cpu)
			}
		}
		lo = hi
	}
	return sum, rows
}
