package score

import (
	"fmt"
	"math/big"
	"slices"
)

// best holds, for each benchmark, the best value and the best value of all other solvers.
type best[V any] struct {
	better  func(x, y V) bool
	value   [][2]V
	solver  []int32 // solver with the best value; -1: none
	another []bool  // whether another solver has a value
}

func newBest[V any](n int, better func(x, y V) bool) *best[V] {
	return &best[V]{better: better, value: make([][2]V, n), solver: slices.Repeat([]int32{-1}, n),
		another: make([]bool, n)}
}

func more(x, y Sum) bool { return x.Compare(y) > 0 }

func less(x, y Sum) bool { return x.Compare(y) < 0 }

// add records a solver's value on benchmark i.
func (b *best[V]) add(i int32, solver int32, v V) {
	switch {
	case b.solver[i] < 0:
		b.value[i][0], b.solver[i] = v, solver
	case b.solver[i] == solver:
		if b.better(v, b.value[i][0]) {
			b.value[i][0] = v
		}
	case b.better(v, b.value[i][0]):
		b.value[i][1], b.another[i] = b.value[i][0], true
		b.value[i][0], b.solver[i] = v, solver
	case !b.another[i] || b.better(v, b.value[i][1]):
		b.value[i][1], b.another[i] = v, true
	}
}

// sums returns the sum of the best values over some benchmarks and, for every solver, the sum without that solver. A
// benchmark without a value counts as empty.
func sums(b *best[Sum], benchmarks []int32, solvers int, empty Sum) (all Sum, without []Sum) {
	change := make([]Sum, solvers)
	for _, i := range benchmarks {
		if b.solver[i] < 0 {
			all = all.Plus(empty)
			continue
		}
		all = all.Plus(b.value[i][0])
		next := empty
		if b.another[i] {
			next = b.value[i][1]
		}
		s := b.solver[i]
		change[s] = change[s].Plus(next.Minus(b.value[i][0]))
	}
	without = change
	for s := range without {
		without[s] = all.Plus(change[s])
	}
	return all, without
}

// ranked holds the runs and solvers that a contribution is computed from.
type ranked struct {
	solvers    [][]int32 // competitive solvers of each division; with sound, only the sound ones
	in         []bool    // whether a solver is in solvers, indexed by division*solvers+solver
	entrants   []int     // number of competitive solvers per division, sound or not
	benchmarks [][]int32 // the view's benchmarks per division
	runs       []int64   // number of competitive solvers' runs per division
}

// contenders returns every division's competitive solvers; with sound, only those without an error in the view. The
// organisers' first program uses all solvers that were submitted to compete.
func (e *scoring) contenders(i int, sound bool) *ranked {
	n := len(e.t.Solvers)
	competes := func(d int32, s int) bool { return e.result.Divisions[d].admitted[s].Competes }
	if e.on("contribution_of_fastest_runs") {
		competes = func(_ int32, s int) bool { return e.t.Solvers[s].Competitive }
	}
	out := &ranked{
		solvers: make([][]int32, len(e.divisions)), in: make([]bool, len(e.divisions)*n),
		entrants:   make([]int, len(e.divisions)),
		benchmarks: make([][]int32, len(e.divisions)), runs: make([]int64, len(e.divisions)),
	}
	for d := range e.divisions {
		for s := range e.t.Solvers {
			cell := e.cellOf(i, e.logics[d], s)
			if cell.Runs == 0 || e.gone(&cell) || !competes(int32(d), s) {
				continue
			}
			out.entrants[d]++
			if !sound || cell.Errors == 0 {
				out.solvers[d] = append(out.solvers[d], int32(s))
				out.in[d*n+s] = true
			}
		}
	}
	for i, b := range e.t.benchmark {
		if d := e.division(b); !e.removed[b] && competes(d, int(e.t.solver[i])) {
			out.runs[d]++
		}
	}
	for b, ok := range e.counted[i] {
		if ok {
			d := e.division(int32(b))
			out.benchmarks[d] = append(out.benchmarks[d], int32(b))
		}
	}
	return out
}

// solving calls f for every run of a contender that the view counts and that has n > 0.
func (e *scoring) solving(s *scored, c *ranked, f func(i int, benchmark, solver int32)) {
	for i, n := range s.count {
		if n <= 0 || (s.keep != nil && !s.keep[i]) {
			continue
		}
		b, solver := e.t.benchmark[i], e.t.solver[i]
		if !e.removed[b] && c.in[int(e.division(b))*len(e.t.Solvers)+int(solver)] {
			f(i, b, solver)
		}
	}
}

// smallestSum computes the largest contribution of 2019 (SMT-COMP 2019 rules, §7.3.2; A19): the virtual best solver's
// sum of the smallest n*c, where unsolved benchmarks are worth nothing.
func (e *scoring) smallestSum(r *Recognition) (RecognitionResult, error) {
	if e.on("contribution_normalised") || e.on("contribution_of_fastest_runs") {
		return e.largestContribution(r)
	}
	return e.eachView(r, func(i int, v *View) (RecognitionView, error) {
		var out RecognitionView
		var failed error
		c := e.contenders(i, false)
		s := e.vbss[i].s
		least := newBest(len(e.t.Benchmarks), less)
		e.solving(s, c, func(i int, b, solver int32) {
			product, ok := s.cpu.at(i).Times(s.count[i])
			if !ok {
				failed = fmt.Errorf("n times c of %s on %s %w", e.t.Solvers[solver].Name, e.t.Benchmarks[b].Name,
					errTooLong)
			}
			least.add(b, solver, product)
		})
		for d, div := range e.result.Divisions {
			if !div.Competitive {
				continue
			}
			all, without := sums(least, c.benchmarks[d], len(e.t.Solvers), Sum{})
			if all.IsZero() {
				continue
			}
			for _, solver := range c.solvers[d] {
				rank := lost(without[solver], all)
				out.Entries = append(out.Entries, RecognitionEntry{
					Division: div.Name, Solver: e.t.Solvers[solver].Name, Score: floatOf(rank), VBSS: all,
					Competitive: true, Eligible: e.mayWinRecognition(solver),
					SolvedNothing: e.nothingIn(i, d, solver), key: rankKey{n: rank},
				})
			}
		}
		out.finish()
		return out, failed
	})
}

// largestContribution ranks solvers by how much a division's virtual best solver loses without them (SMT-COMP 2022
// rules, §7.3.2; 2026, §7.3.3; A18).
func (e *scoring) largestContribution(r *Recognition) (RecognitionResult, error) {
	return e.eachView(r, func(i int, v *View) (RecognitionView, error) {
		switch {
		case e.on("contribution_of_solved_runs"):
			return e.contributionOfSolved(i, v), nil
		case e.on("contribution_of_fastest_runs"):
			return e.contributionByFastest(i, v), nil
		}
		return e.contribution(i, v, r), nil
	})
}

func (e *scoring) contribution(i int, v *View, r *Recognition) RecognitionView {
	var out RecognitionView
	c := e.contenders(i, true)
	s := e.vbss[i].s
	most, wall, cpu := newBest(len(e.t.Benchmarks), more), newBest(len(e.t.Benchmarks), less),
		newBest(len(e.t.Benchmarks), less)
	e.solving(s, c, func(i int, b, solver int32) {
		most.add(b, solver, Sum{lo: uint64(s.count[i])})
		wall.add(b, solver, s.wall.at(i))
		cpu.add(b, solver, s.cpu.at(i))
	})
	weights := e.weights(c, r)
	for d, div := range e.result.Divisions {
		if !div.Competitive {
			continue
		}
		if int64(len(c.solvers[d])) <= r.Small {
			out.Excluded = append(out.Excluded, div.Name)
			continue
		}
		n, withoutN := sums(most, c.benchmarks[d], len(e.t.Solvers), Sum{})
		if n.IsZero() {
			continue
		}
		wallAll, withoutWall := sums(wall, c.benchmarks[d], len(e.t.Solvers), sumOf(r.EmptyTime))
		cpuAll, withoutCPU := sums(cpu, c.benchmarks[d], len(e.t.Solvers), sumOf(r.EmptyTime))
		for _, solver := range c.solvers[d] {
			x := contributed{n: n, withoutN: withoutN[solver], wall: wallAll, withoutWall: withoutWall[solver],
				cpu: cpuAll, withoutCPU: withoutCPU[solver], weight: weights[d]}
			entry := x.entry(v)
			if e.t.noCPU {
				entry.CPURank = nil
			}
			entry.Division, entry.Solver = div.Name, e.t.Solvers[solver].Name
			entry.Competitive, entry.Eligible = true, e.mayWinRecognition(solver)
			entry.SolvedNothing = e.nothingIn(i, d, solver)
			out.Entries = append(out.Entries, entry)
		}
	}
	out.finish()
	return out
}

// nothingIn reports whether a solver solved nothing in a division under view i.
func (e *scoring) nothingIn(i, division int, solver int32) bool {
	cell := e.cellOf(i, e.logics[division], int(solver))
	return e.solvedNothing(&cell)
}

// contributed holds the virtual best solver's sums with and without one solver.
type contributed struct {
	n, withoutN, wall, withoutWall, cpu, withoutCPU Sum
	weight                                          *big.Rat
}

// entry computes the normalised ranks.
func (x contributed) entry(v *View) RecognitionEntry {
	n := x.weighted(x.withoutN, x.n)
	cpu := x.weighted(x.cpu, x.withoutCPU)
	out := RecognitionEntry{Score: floatOf(n), CPURank: floatRef(cpu), TimeScore: floatOf(cpu),
		Weight: floatOf(x.weight), key: rankKey{n: n, time: cpu}}
	if v.Time != "c" {
		wall := x.weighted(x.wall, x.withoutWall)
		out.WallRank, out.TimeScore, out.key.time = floatRef(wall), floatOf(wall), wall
	}
	return out
}

// weighted returns weight * (1 - part/whole), or zero if whole is zero.
func (x contributed) weighted(part, whole Sum) *big.Rat {
	r := lost(part, whole)
	return r.Mul(r, x.weight)
}

// weights returns n_D/N for every division: its share of the track's solver-benchmark pairs.
func (e *scoring) weights(c *ranked, r *Recognition) []*big.Rat {
	pairs := make([]int64, len(e.divisions))
	var total int64
	for d, div := range e.result.Divisions {
		pairs[d] = int64(c.entrants[d]) * int64(div.Benchmarks)
		if e.reading("pairs") == "run" {
			pairs[d] = c.runs[d]
		}
		small := int64(len(c.solvers[d])) <= r.Small
		if div.Competitive && !(small && e.reading("pairs_total") == "ranked") {
			total += pairs[d]
		}
	}
	out := make([]*big.Rat, len(pairs))
	for d, p := range pairs {
		out[d] = new(big.Rat)
		if total > 0 {
			out[d].SetFrac64(p, total)
		}
	}
	return out
}
