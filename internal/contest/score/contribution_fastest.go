package score

import (
	"cmp"
	"math/big"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// outcome is a run's contribution to the virtual best solver of the organisers' first program. More points are better;
// in a tie, less time is.
type outcome struct {
	n    int64
	time Sum
}

func (o outcome) better(p outcome) bool {
	return o.n > p.n || o.n == p.n && o.time.Compare(p.time) < 0
}

// contributionByFastest computes the largest contribution on the pages of 2019 to 2023: for each benchmark, it takes
// the fastest of the runs with the most points, and T for a run that did not solve everything. It omits benchmarks
// without a run. Each division has one line.
func (e *scoring) contributionByFastest(i int, v *View) RecognitionView {
	c := e.contenders(i, true)
	table, byDivision := e.fastestRuns(e.vbss[i].s, v, c)
	var out RecognitionView
	var total int64
	for d, div := range e.result.Divisions {
		if len(c.solvers[d]) < 3 {
			out.Excluded = append(out.Excluded, div.Name)
			continue
		}
		pairs := int64(c.entrants[d]) * int64(div.Benchmarks)
		total += pairs
		if x, ok := e.mostMissed(table, byDivision[d], c.solvers[d]); ok {
			x.Division = div.Name
			x.pairs = pairs
			out.Entries = append(out.Entries, x)
		}
	}
	for j := range out.Entries {
		out.Entries[j].weigh(v, new(big.Rat).SetFrac64(out.Entries[j].pairs, total))
	}
	out.finish()
	return out
}

// weigh normalises an entry's keys and computes its numbers from them.
func (x *RecognitionEntry) weigh(v *View, weight *big.Rat) {
	x.key = rankKey{new(big.Rat).Mul(x.key.n, weight), new(big.Rat).Mul(x.key.time, weight)}
	x.Score, x.TimeScore, x.Weight = floatOf(x.key.n), floatOf(x.key.time), floatOf(weight)
	if v.Time == "c" {
		x.CPURank = floatRef(x.key.time)
	} else {
		x.WallRank = floatRef(x.key.time)
	}
}

// fastestRuns collects outcomes by benchmark. With contribution_merges_namesakes, namesakes in two logics of a division
// count as one benchmark.
func (e *scoring) fastestRuns(s *scored, v *View, c *ranked) (*best[outcome], [][]int32) {
	ids := e.namesakes()
	table := newBest(len(e.t.Benchmarks), outcome.better)
	times := s.wall
	if v.Time == "c" {
		times = s.cpu
	}
	for i := range e.t.Len() {
		b, solver := e.t.benchmark[i], e.t.solver[i]
		if e.removed[b] || !c.in[int(e.division(b))*len(e.t.Solvers)+int(solver)] {
			continue
		}
		var o outcome
		if s.keep == nil || s.keep[i] {
			o = outcome{s.count[i], times.at(i)}
		}
		if o.n <= 0 || (e.kind() == comp.Incremental && o.n < e.t.restAt(i).Checks) {
			o.time = sumOf(e.t.restAt(i).Limit)
		}
		table.add(ids[b], solver, o)
	}
	byDivision := make([][]int32, len(e.divisions))
	for b, solver := range table.solver {
		if solver >= 0 {
			d := e.division(int32(b))
			byDivision[d] = append(byDivision[d], int32(b))
		}
	}
	return table, byDivision
}

// namesakes maps every benchmark to the first one in its division with the same name below the logic.
func (e *scoring) namesakes() []int32 {
	ids := make([]int32, len(e.t.Benchmarks))
	if !e.on("contribution_merges_namesakes") {
		for b := range ids {
			ids[b] = int32(b)
		}
		return ids
	}
	type key struct {
		division int32
		name     string
	}
	first := make(map[key]int32, len(ids))
	for b := range ids {
		k := key{e.division(int32(b)), withoutLogic(e.t.Benchmarks[b].Name)}
		id, ok := first[k]
		if !ok {
			id = int32(b)
			first[k] = id
		}
		ids[b] = id
	}
	return ids
}

// mostMissed returns the division's solver whose absence costs the virtual best solver most. Ties go to the later name.
func (e *scoring) mostMissed(table *best[outcome], benchmarks, solvers []int32) (RecognitionEntry, bool) {
	var all outcome
	minus := map[int32]*outcome{}
	for _, s := range solvers {
		minus[s] = &outcome{}
	}
	for _, b := range benchmarks {
		first, second := table.value[b][0], table.value[b][1]
		all.n, all.time = all.n+first.n, all.time.Plus(first.time)
		m := minus[table.solver[b]]
		m.n, m.time = m.n+first.n, m.time.Plus(first.time)
		if table.another[b] {
			m.n, m.time = m.n-second.n, m.time.Minus(second.time)
		}
	}
	if all.n == 0 {
		return RecognitionEntry{}, false
	}
	var best RecognitionEntry
	found := false
	for _, s := range solvers {
		x := RecognitionEntry{Solver: e.t.Solvers[s].Name, Competitive: true, Eligible: true, key: rankKey{
			n: big.NewRat(minus[s].n, all.n), time: lost(all.time, all.time.Minus(minus[s].time)),
		}}
		if !found || cmp.Or(x.key.compare(best.key), strings.Compare(best.Solver, x.Solver)) < 0 {
			best, found = x, true
		}
	}
	return best, found
}

// lost returns 1 - part/whole, or zero if whole is zero.
func lost(part, whole Sum) *big.Rat {
	if whole.IsZero() {
		return new(big.Rat)
	}
	return new(big.Rat).Sub(big.NewRat(1, 1), new(big.Rat).SetFrac(part.big(), whole.big()))
}
