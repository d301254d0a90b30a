package score

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// tied is the largest relative difference at which two overall scores count as equal. Overall scores contain logarithms
// and cannot be compared exactly; actual differences are far larger.
const tied = 1e-12

// overall sums a term over the competitive divisions that a solver entered: the competition-wide score of 2015
// (SMT-COMP 2015 rules, §7.4; A03) and the best overall ranking of 2026 (SMT-COMP 2026 rules, §7.3.1; A15, A16). The
// term is an expression over e, n and N: the solver's sums in a division, and the division's size.
func (e *scoring) overall(r *Recognition) (RecognitionResult, error) {
	if r.Term == nil {
		return RecognitionResult{}, fmt.Errorf("a recognition of kind \"overall\" needs \"term\"")
	}
	return e.eachView(r, func(_ int, v *View) (RecognitionView, error) {
		if e.on("overall_of_all_rows") {
			return e.overallOfRows(v, r)
		}
		sums, totals := make([]RecognitionEntry, len(e.t.Solvers)), make([]Cell, len(e.t.Solvers))
		for _, d := range e.result.Divisions {
			if !d.Competitive {
				continue
			}
			ranking := d.Ranking(v.Name)
			size := e.naturalSize(d, ranking)
			for i := range ranking.Entries {
				x := &ranking.Entries[i]
				term, err := e.term(r.Term, &x.Cell, size)
				if err != nil {
					return RecognitionView{}, err
				}
				sum := &sums[x.solver]
				sum.Score += term
				sum.Divisions++
				totals[x.solver].Correct += x.Cell.Correct
				sum.SolvedNothing = e.solvedNothing(&totals[x.solver])
				if v.Time == "c" {
					sum.Time = sum.Time.Plus(x.Cell.CPU)
				} else {
					sum.Time = sum.Time.Plus(x.Cell.Wall)
				}
			}
		}
		return e.finishOverall(sums, r), nil
	})
}

// naturalSize returns a division's N under the readings nd and nd_view.
func (e *scoring) naturalSize(d *DivisionResult, r *Ranking) int64 {
	if n := e.natural(d); n > 0 {
		return n
	}
	if e.reading("nd_view") == "view" {
		return int64(r.Benchmarks)
	}
	return int64(d.Benchmarks)
}

// natural returns a division's number of check-sats or assertions if N counts them, or zero.
func (e *scoring) natural(d *DivisionResult) int64 {
	if e.reading("nd") == "natural" || e.on("overall_counts_checks") {
		return e.naturalSizes()[d.div]
	}
	return 0
}

// naturalSizes returns, for each division, the number of check-sats or assertions in its benchmarks. It returns nil in
// other tracks.
func (e *scoring) naturalSizes() []int64 {
	out := make([]int64, len(e.divisions))
	cores := e.kind() == comp.UnsatCore
	if !cores && e.kind() != comp.Incremental {
		return out
	}
	largest := make([]int64, len(e.t.Benchmarks))
	for b := range largest { // including benchmarks without a run
		largest[b] = e.t.Benchmarks[b].checks
		if cores {
			largest[b] = e.t.Benchmarks[b].assertions
		}
	}
	for i, b := range e.t.benchmark {
		rest := e.t.restAt(i)
		n := rest.Checks
		if cores {
			n = rest.Assertions
		}
		largest[b] = max(largest[b], n, rest.Total)
	}
	for b, n := range largest {
		if !e.removed[b] {
			out[e.division(int32(b))] += n
		}
	}
	return out
}

// overallOfRows computes the best overall ranking on the pages of 2025: one line per solver and division with at least
// two rows, where N counts the benchmarks that remain after disagreements are removed. The winner is the solver with
// the largest sum or, if sums tie, the least time.
func (e *scoring) overallOfRows(v *View, r *Recognition) (RecognitionView, error) {
	var out RecognitionView
	sums := make([]RecognitionEntry, len(e.t.Solvers))
	for _, d := range e.result.Divisions {
		ranking := d.Ranking(v.Name)
		size := e.natural(d)
		if size == 0 {
			size = int64(d.Benchmarks)
		}
		rows := e.listed(ranking)
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
			out.Entries = append(out.Entries, RecognitionEntry{Division: d.Name, Solver: x.Solver,
				Competitive: x.Competitive, Score: term, Time: time, solver: x.solver})
			sum := &sums[x.solver]
			sum.Solver, sum.Score, sum.Time = x.Solver, sum.Score+term, sum.Time.Plus(time)
			sum.Divisions++
		}
	}
	slices.SortStableFunc(out.Entries, func(a, b RecognitionEntry) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.Time.Compare(a.Time))
	})
	for _, x := range out.Entries { // of several tied entries, the first listed
		s := &sums[x.solver]
		if len(out.Winners) == 0 || cmp.Or(cmp.Compare(s.Score, out.WinnerScore), out.winnerTime.Compare(s.Time)) > 0 {
			out.Winners, out.WinnerScore, out.winnerTime = []Winner{{Solver: s.Solver}}, s.Score, s.Time
		}
	}
	return out, nil
}

// term evaluates the expression for a division. A division without benchmarks contributes zero.
func (e *scoring) term(expr hcl.Expression, c *Cell, size int64) (float64, error) {
	if size < 1 {
		return 0, nil
	}
	ctx := e.outer.NewChild()
	ctx.Variables = map[string]cty.Value{
		"e": cty.NumberIntVal(c.Errors), "n": cty.NumberIntVal(c.Correct), "N": cty.NumberIntVal(size),
	}
	v, diags := expr.Value(ctx)
	if diags.HasErrors() {
		return 0, diags
	}
	if v.Type() != cty.Number || !v.IsKnown() || v.IsNull() {
		return 0, fmt.Errorf("%s: the term must be a number", expr.Range())
	}
	f, _ := v.AsBigFloat().Float64()
	return f, nil
}

// finishOverall ranks the solvers' sums. It equates scores that differ only by rounding.
func (e *scoring) finishOverall(sums []RecognitionEntry, r *Recognition) RecognitionView {
	out := RecognitionView{}
	for s := range sums {
		if sums[s].Divisions == 0 {
			continue
		}
		solver := &e.t.Solvers[s]
		sums[s].Solver, sums[s].Competitive, sums[s].NewEntrant = solver.Name, solver.Competitive, solver.NewEntrant
		sums[s].Eligible = e.mayWinRecognition(int32(s))
		out.Entries = append(out.Entries, sums[s])
	}
	slices.SortFunc(out.Entries, func(a, b RecognitionEntry) int { return cmp.Compare(b.Score, a.Score) })
	for i := 1; i < len(out.Entries); i++ {
		a, b := out.Entries[i-1].Score, &out.Entries[i].Score
		if math.Abs(a-*b) <= tied*max(1, math.Abs(a)) {
			*b = a
		}
	}
	order := func(a, b RecognitionEntry) int {
		by := cmp.Compare(b.Score, a.Score)
		if by == 0 && r.TimeBreaksTies {
			by = a.Time.Compare(b.Time)
		}
		return by
	}
	slices.SortFunc(out.Entries, func(a, b RecognitionEntry) int {
		return cmp.Or(order(a, b), strings.Compare(a.Solver,
			b.Solver))
	})
	out.Best = bestOf(out.Entries, int(r.Best), order, func(x *RecognitionEntry) bool { return x.Eligible })
	if r.BestNew {
		out.BestNew = bestOf(out.Entries, 1, order,
			func(x *RecognitionEntry) bool { return x.Eligible && x.NewEntrant })
	}
	for _, name := range bestOf(out.Entries, 1, order, func(x *RecognitionEntry) bool { return x.Eligible }) {
		out.Winners = append(out.Winners, Winner{Solver: name})
	}
	out.explain(slices.ContainsFunc(out.Entries, func(x RecognitionEntry) bool { return x.Eligible }))
	return out
}

// bestOf returns the names of the first n wanted entries, and of any that tie with the last of them. A solver that
// solved nothing takes a place but is not named.
func bestOf(entries []RecognitionEntry, n int, order func(a, b RecognitionEntry) int,
	want func(*RecognitionEntry) bool) []string {
	names, taken := []string{}, 0
	var last *RecognitionEntry
	for i := range entries {
		x := &entries[i]
		if !want(x) {
			continue
		}
		if taken >= n && order(*last, *x) != 0 {
			break
		}
		if taken < n {
			last = x
		}
		if taken++; !x.SolvedNothing {
			names = append(names, x.Solver)
		}
	}
	return names
}
