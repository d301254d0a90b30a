package score

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
)

// Points holds the benchmark scores behind a ranking's figures. They show how much the figures depend on individual
// benchmarks. Times are integers in nanoseconds.
type Points struct {
	Track    string
	Division *DivisionResult
	Ranking  *Ranking
	// Order contains the ranking's keys up to the first that is not a sum over benchmarks (the average CPU time of
	// 2008). Cut reports whether there is such a key.
	Order []Key
	Cut   bool
	// MustSolve reports whether a solver that solved nothing cannot win (A22).
	MustSolve bool
	// Penalty reports whether a benchmark without a run adds to the times (PAR-2), which can then exceed the limit.
	Penalty bool

	Benchmarks []string // the division's remaining benchmarks, sorted
	Logics     []string // each benchmark's logic
	Counted    []bool   // whether the view counts each benchmark
	// Values contains len(Order) numbers for each entry of the ranking and each benchmark, in this nesting. Keys for
	// which less is better have negative values, so more is always better.
	Values []int64
	// Correct, Time and Limit hold n and the run's time and limit, by entry and benchmark, on the clock of the view's
	// limit. They are zero without a run.
	Correct     []int64
	Used, Limit []int64
	// CoreHours is the time reserved for each entry's runs: wall time, up to the view's limit, times cores.
	CoreHours []float64
}

// At returns an entry's vector on a benchmark.
func (p *Points) At(entry, benchmark int) []int64 {
	k := len(p.Order)
	i := (entry*len(p.Benchmarks) + benchmark) * k
	return p.Values[i : i+k : i+k]
}

// Text formats a number in a vector for display.
func (p *Points) Text(key int, value int64) string {
	k := p.Order[key]
	if !k.Desc {
		value = -value
	}
	if strings.HasSuffix(k.Column, "w") || strings.HasSuffix(k.Column, "c") {
		return fmt.Sprintf("%.3f s", float64(value)/1e9)
	}
	return fmt.Sprint(value)
}

// EachPoints scores the runs and calls yield with the points of every division ranking that has a winner. It returns
// yield's error.
func EachPoints(ctx context.Context, rs *RuleSet, runs *Runs, rd Readings, yield func(*Points) error) error {
	for _, t := range runs.Tracks {
		e, err := newScoring(rs, t, rd)
		if err != nil {
			return err
		}
		if _, err := e.compute(ctx); err != nil {
			return err
		}
		runsOf := e.byDivision()
		for i, v := range e.views {
			absent, err := e.absentOf(v)
			if err != nil {
				return err
			}
			for d, div := range e.result.Divisions {
				if r := div.Ranking(v.Name); r != nil && len(r.Winners) > 0 {
					if err := yield(e.points(i, div, r, runsOf[d], absent)); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// byDivision groups the runs by division.
func (e *scoring) byDivision() [][]int32 {
	out := make([][]int32, len(e.divisions))
	for i, b := range e.t.benchmark {
		if !e.removed[b] {
			d := e.division(b)
			out[d] = append(out[d], int32(i))
		}
	}
	return out
}

func (e *scoring) points(view int, div *DivisionResult, r *Ranking, runs []int32, absent *charge) *Points {
	p := &Points{Track: e.t.Name, Division: div, Ranking: r, Order: e.order(e.views[view]),
		MustSolve: e.reading("nothing_solved") != "order", Penalty: absent != nil}
	if i := slices.IndexFunc(p.Order, func(k Key) bool { return k.Column == "avg_cpu" }); i >= 0 {
		p.Order, p.Cut = p.Order[:i], true
	}
	place := e.benchmarksOf(p, view, div.div)
	n := len(p.Benchmarks)
	size := len(r.Entries) * n
	p.Values, p.Correct = make([]int64, size*len(p.Order)), make([]int64, size)
	p.Used, p.Limit, p.CoreHours = make([]int64, size), make([]int64, size), make([]float64, len(r.Entries))
	entryOf := make([]int, len(e.t.Solvers))
	for i := range entryOf {
		entryOf[i] = -1
	}
	for i := range r.Entries {
		entryOf[r.Entries[i].solver] = i
	}
	s, ran := e.vbss[view].s, make([]bool, size)
	for _, i := range runs {
		entry := entryOf[e.t.solver[i]]
		if entry < 0 {
			continue
		}
		b := place[e.t.benchmark[i]]
		at := entry*n + b
		ran[at] = true
		if s.keep == nil || s.keep[i] {
			var c Cell
			c.add(s, int(i))
			p.plus(entry, b, &c)
			p.Correct[at] += c.Correct
		}
		used, limit := e.clock(e.views[view], int(i))
		p.Used[at], p.Limit[at] = max(p.Used[at], used), max(p.Limit[at], limit)
		wall := min(e.t.wall[i], Time(limit)*1000).Seconds()
		p.CoreHours[entry] += wall / 3600 * float64(e.t.restAt(int(i)).Cores)
	}
	for b, at := range place {
		for entry := range r.Entries {
			if absent != nil && !ran[entry*n+at] {
				p.plus(entry, at, &Cell{Wall: absent.wall[b], CPU: absent.cpu[b]})
			}
		}
	}
	return p
}

// benchmarksOf sets a division's benchmarks. It returns a map from each benchmark's index in the track to its index
// among them.
func (e *scoring) benchmarksOf(p *Points, view int, division int32) map[int32]int {
	var ids []int32
	for i := range e.t.Benchmarks {
		if !e.removed[i] && e.division(int32(i)) == division {
			ids = append(ids, int32(i))
		}
	}
	slices.SortFunc(ids, func(a, b int32) int {
		return cmp.Or(strings.Compare(e.t.Benchmarks[a].Name, e.t.Benchmarks[b].Name), cmp.Compare(a, b))
	})
	place := make(map[int32]int, len(ids))
	for i, id := range ids {
		place[id] = i
		p.Benchmarks = append(p.Benchmarks, e.t.Benchmarks[id].Name)
		p.Logics = append(p.Logics, e.t.Benchmarks[id].Logic)
		p.Counted = append(p.Counted, e.counted[view][id])
	}
	return place
}

// plus adds a run to the vector for its entry and benchmark.
func (p *Points) plus(entry, benchmark int, c *Cell) {
	at := p.At(entry, benchmark)
	for i, k := range p.Order {
		v := c.column(k.Column)
		if !k.Desc {
			v = -v
		}
		at[i] += v
	}
}

// column returns a cell's figure if it is a sum. Times are in nanoseconds.
func (c *Cell) column(name string) int64 {
	switch name {
	case "e":
		return c.Errors
	case "n":
		return c.Correct
	case "w":
		return c.Wall.nanoseconds()
	case "c":
		return c.CPU.nanoseconds()
	case "aw":
		return c.ActualWall.nanoseconds()
	case "ac":
		return c.ActualCPU.nanoseconds()
	case "points":
		return c.Points
	}
	return 0
}

// nanoseconds returns the sum in nanoseconds, capped at the largest integer.
func (s Sum) nanoseconds() int64 {
	if s.hi == 0 && s.lo <= math.MaxInt64 {
		return int64(s.lo) / 1000
	}
	v := s.big()
	if v.Quo(v, big.NewInt(1000)); v.IsInt64() {
		return v.Int64()
	}
	return math.MaxInt64
}

// clock returns a run's time and limit, in nanoseconds, on the clock of a view's limit.
func (e *scoring) clock(v *View, i int) (used, limit int64) {
	t, limits := e.t.wall[i], e.t.restAt(i).Limit
	if v.Sequential || v.Cut == "cpu" {
		t = e.t.cpu[i]
	}
	if v.Limit != nil {
		limits = min(limits, *v.Limit)
	}
	return int64(t) / 1000, int64(limits) / 1000
}
