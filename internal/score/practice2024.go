package score

import (
	"cmp"
	"math/big"
	"slices"
	"strings"
)

// published2024 are how many lines of largest contributions the pages show.
const published2024 = 19

// virtual is the virtual best solver of one benchmark in the organisers' second program: maxima and minima over runs that
// solved something.
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

// in applies a view to a virtual run: false if the view leaves it out.
func (v *virtual) in(e *engine, view *View, b int32) (virtual, bool) {
	out := *v
	switch view.Name {
	case "24s":
		return out, v.wall <= *view.Limit
	case "sat", "unsat":
		return out, e.marks.settled(&e.t.Benchmarks[b], b) == view.Name
	case "seq":
		if v.cpu > e.t.Benchmarks[b].Limit {
			return virtual{has: true}, true
		}
	}
	return out, true
}

// solvedRun is a run that takes part.
type solvedRun struct {
	benchmark, solver int32
	n                 int64
	wall, cpu         Time
}

// contradicts tells whether a run makes its solver unsound in the organisers' second program: by its answer, whatever a
// validator says of its core or model (D-2024-1).
func (e *engine) contradicts(i int) bool {
	b := &e.t.Benchmarks[e.t.benchmark[i]]
	c := e.base.claim[i]
	return c != claimNone && known(b.Status) && claimNames[c] != b.Status || e.t.Name == "incremental" && e.base.err[i]
}

// solvedRuns are the runs without an error and with n > 0 of solvers that contradict no known status, by division.
func (e *engine) solvedRuns() [][]solvedRun {
	solvers := len(e.t.Solvers)
	contradicts := make([]bool, len(e.divisions)*solvers)
	for i := range e.base.claim {
		if e.contradicts(i) {
			contradicts[int(e.division(e.t.benchmark[i]))*solvers+int(e.t.solver[i])] = true
		}
	}
	out := make([][]solvedRun, len(e.divisions))
	for i, n := range e.base.count {
		b, s := e.t.benchmark[i], e.t.solver[i]
		d := e.division(b)
		if n > 0 && !e.base.err[i] && !e.removed[b] && !contradicts[int(d)*solvers+int(s)] {
			out[d] = append(out[d], solvedRun{b, s, n, e.t.wall[i], e.t.cpu[i]})
		}
	}
	return out
}

// contributionOfSolved is the largest contribution of the pages since 2024 (D-2024-8).
func (e *engine) contributionOfSolved(v *View) RecognitionView {
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
		out.Entries = append(out.Entries, e.contributionsIn(v, runs[d], div.Name, weight)...)
	}
	slices.SortStableFunc(out.Entries, func(a, b RecognitionEntry) int {
		return cmp.Or(a.key.compare(b.key), strings.Compare(b.Division, a.Division))
	})
	out.Entries = out.Entries[:min(len(out.Entries), published2024)]
	if len(out.Entries) > 0 {
		out.Winners = []Winner{{out.Entries[0].Division, out.Entries[0].Solver}}
	}
	return out
}

// contributionsIn compares the virtual best solver of a division with that of all solvers but one, for each.
func (e *engine) contributionsIn(v *View, runs []solvedRun, division string, weight *big.Rat) []RecognitionEntry {
	slices.SortFunc(runs, func(a, b solvedRun) int {
		return cmp.Or(cmp.Compare(a.benchmark, b.benchmark), cmp.Compare(a.solver, b.solver))
	})
	solvers := map[int32]bool{}
	for _, r := range runs {
		solvers[r.solver] = true
	}
	all, _ := e.virtualSum(v, runs, -1)
	var rest []Entry
	for s := range e.t.Solvers {
		if !solvers[int32(s)] {
			continue
		}
		if cell, rows := e.virtualSum(v, runs, int32(s)); rows > 0 {
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
		out = append(out, entry)
	}
	return out
}

// virtualSum adds up the virtual best solver over runs that are sorted by benchmark, leaving out one solver. rows counts the
// benchmarks of the view.
func (e *engine) virtualSum(v *View, runs []solvedRun, without int32) (sum Cell, rows int) {
	for lo := 0; lo < len(runs); {
		var best virtual
		hi := lo
		for ; hi < len(runs) && runs[hi].benchmark == runs[lo].benchmark; hi++ {
			if r := &runs[hi]; r.solver != without {
				best.add(r.n, r.wall, r.cpu)
			}
		}
		if best.has {
			if x, ok := best.in(e, v, runs[lo].benchmark); ok {
				rows++
				sum.Correct += x.n
				sum.Wall, sum.CPU = sum.Wall.Add(x.wall), sum.CPU.Add(x.cpu)
			}
		}
		lo = hi
	}
	return sum, rows
}

// overallPublished is the best overall ranking of the pages of 2025 (D-2024-9): a line per solver and division of two rows
// or more; the winner has the largest sum, then the least time.
func (e *engine) overallPublished(v *View, r *Recognition) (RecognitionView, error) {
	var out RecognitionView
	sums := make([]RecognitionEntry, len(e.t.Solvers))
	natural := e.naturalSizes()
	for _, d := range e.result.Divisions {
		ranking := d.Ranking(v.Name)
		size := int64(d.Benchmarks + d.Removed)
		if natural[d.div] > 0 {
			size = natural[d.div]
		}
		rows := slices.DeleteFunc(e.listed(ranking), func(x *Entry) bool { return !shown(x) })
		if len(rows) < 2 {
			continue
		}
		for _, x := range rows {
			term, err := e.term(r.Term, &x.Cell, size)
			if err != nil {
				return out, err
			}
			time := x.Cell.Wall
			if v.Time == "c" {
				time = x.Cell.CPU
			}
			out.Entries = append(out.Entries, RecognitionEntry{Division: d.Name, Solver: x.Solver, Competitive: x.Competitive, Score: term, Time: time, solver: x.solver})
			sum := &sums[x.solver]
			sum.Solver, sum.Score, sum.Time = x.Solver, sum.Score+term, sum.Time.Plus(time)
			sum.Divisions++
		}
	}
	slices.SortStableFunc(out.Entries, func(a, b RecognitionEntry) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.Time.Compare(a.Time))
	})
	for _, x := range out.Entries { // of those that tie, the one that is listed first
		s := &sums[x.solver]
		if len(out.Winners) == 0 || cmp.Or(cmp.Compare(s.Score, out.WinnerScore), out.winnerTime.Compare(s.Time)) > 0 {
			out.Winners, out.WinnerScore, out.winnerTime = []Winner{{Solver: s.Solver}}, s.Score, s.Time
		}
	}
	return out, nil
}

// shown tells whether the pages since 2024 have a row for a solver in a view: if a run of it, or a selected benchmark that
// it was not run on, is in the view.
func shown(x *Entry) bool { return x.Cell.Counted+x.Cell.Missing > 0 }
