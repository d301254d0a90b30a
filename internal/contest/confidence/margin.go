package confidence

import (
	"cmp"
	"math"
	"slices"

	"github.com/smtpipe/smtpipe/internal/contest/score"
)

// Margin is the number of benchmarks or runs that decides a ranking: at least Least, at most Most. The two are equal
// unless the order continues with a key that is not a sum over benchmarks.
type Margin struct{ Least, Most int }

// A ranking compares vectors in lexicographic order. Under this order they form an ordered group: x >= y implies x+z >=
// y+z. Of all sets of k benchmarks, the one with the k largest differences therefore has the largest sum of
// differences. Removing the largest first therefore removes the fewest, without a search.

// removal returns the fewest benchmarks whose removal makes the rival at least as good as the winner, which changes the
// winners. A rival that ties also wins; its tie ends if a benchmark that distinguishes the two is removed.
func removal(p *score.Points, winner, rival int) *Margin {
	k := len(p.Order)
	lead := make([]int64, k)
	diffs := make([][]int64, len(p.Benchmarks))
	for b := range diffs {
		w, r := p.At(winner, b), p.At(rival, b)
		d := make([]int64, k)
		for i := range d {
			d[i] = w[i] - r[i]
			lead[i] += d[i]
		}
		diffs[b] = d
	}
	return fewest(diffs, lead, p.Cut)
}

// fewest returns the smallest number of vectors whose sum reaches the lead. If the order continues after the vectors
// (cut), a sum that only equals the lead decides nothing.
func fewest(vectors [][]int64, lead []int64, cut bool) *Margin {
	slices.SortFunc(vectors, func(a, b []int64) int { return slices.Compare(b, a) })
	if slices.Compare(lead, make([]int64, len(lead))) <= 0 { // a tie
		if len(vectors) == 0 || isZero(vectors[0]) && isZero(vectors[len(vectors)-1]) {
			return nil
		}
		return &Margin{1, 1}
	}
	sum := make([]int64, len(lead))
	out := Margin{Least: -1, Most: len(vectors)}
	for i, v := range vectors {
		for j := range sum {
			sum[j] += v[j]
		}
		by := slices.Compare(sum, lead)
		if by >= 0 && out.Least < 0 {
			out.Least = i + 1
		}
		if by > 0 || by == 0 && !cut {
			out.Most = i + 1
			break
		}
	}
	if out.Least < 0 { // even all vectors are not enough
		return nil
	}
	return &out
}

func isZero(v []int64) bool { return !slices.ContainsFunc(v, func(x int64) bool { return x != 0 }) }

// counted returns the number of keys before the first time, which depend only on answers.
func counted(p *score.Points) int {
	for i, k := range p.Order {
		if k.Column != "e" && k.Column != "n" && k.Column != "points" {
			return i
		}
	}
	return len(p.Order)
}

// lost returns the fewest answers that the winner would have to lose for the rival to be as good. It ignores times: if
// a time decides between equal numbers of answers, Least and Most differ.
func lost(p *score.Points, winner, rival int) *Margin { return answers(p, winner, rival, false) }

// wrong returns the fewest runs that the winner would have to get wrong, or nil if the order does not count errors.
func wrong(p *score.Points, winner, rival int) *Margin {
	if !slices.ContainsFunc(p.Order[:counted(p)], func(k score.Key) bool { return k.Column == "e" }) {
		return nil
	}
	return answers(p, winner, rival, true)
}

func answers(p *score.Points, winner, rival int, wrong bool) *Margin {
	keys := p.Order[:counted(p)]
	lead := make([]int64, len(keys))
	var worth [][]int64
	for b := range p.Benchmarks {
		w, r := p.At(winner, b), p.At(rival, b)
		for i := range keys {
			lead[i] += w[i] - r[i]
		}
		if v := worthOf(keys, w, wrong); v != nil && p.Counted[b] {
			worth = append(worth, v)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	if isZero(lead) { // a time decides: with one answer fewer, the rival leads
		if len(worth) == 0 {
			return nil
		}
		return &Margin{1, 1}
	}
	return fewest(worth, lead, p.Cut || len(keys) < len(p.Order))
}

// worthOf returns how much better a run scores than one without an answer, or than a wrong one. nil means that it
// scores no better.
func worthOf(keys []score.Key, run []int64, wrong bool) []int64 {
	v := make([]int64, len(keys))
	for i, k := range keys {
		switch {
		case k.Column != "e":
			v[i] = max(run[i], 0)
		case run[i] < 0: // already wrong
			return nil
		case wrong:
			v[i] = 1
		}
	}
	if isZero(v) {
		return nil
	}
	return v
}

// slowdown returns the smallest factor by which every run of the winner could be slower for the rival to be as good. A
// run that then exceeds its limit counts as unanswered. slowdown returns nil if no factor suffices.
func slowdown(p *score.Points, winner, rival int) *float64 {
	keys := p.Order[:counted(p)]
	lead, times := make([]int64, len(keys)), [2]float64{}
	type run struct {
		factor float64 // the factor at which the run becomes unanswered
		worth  []int64
	}
	var runs []run
	n := len(p.Benchmarks)
	for b := range n {
		w, r := p.At(winner, b), p.At(rival, b)
		for i := range keys {
			lead[i] += w[i] - r[i]
		}
		if len(keys) < len(p.Order) {
			times[0] -= float64(w[len(keys)])
			times[1] -= float64(r[len(keys)])
		}
		at := winner*n + b
		if v := worthOf(keys, w, false); v != nil && p.Used[at] > 0 && p.Limit[at] > 0 {
			runs = append(runs, run{max(float64(p.Limit[at])/float64(p.Used[at]), 1), v})
		}
	}
	slices.SortFunc(runs, func(a, b run) int { return cmp.Compare(a.factor, b.factor) })
	equal := math.Inf(1) // the factor at which the rival has the smaller time if answers are equal
	if times[0] > 0 {
		equal = max(times[1]/times[0], 1)
	}
	from := 1.0
	for i := 0; ; i++ {
		next := math.Inf(1)
		if i < len(runs) {
			next = runs[i].factor
		}
		switch {
		case slices.Compare(lead, make([]int64, len(keys))) < 0:
			return &from
		case isZero(lead) && max(from, equal) < next:
			f := max(from, equal)
			return &f
		case i == len(runs):
			return nil
		}
		for j, v := range runs[i].worth {
			lead[j] -= v
		}
		from = next
	}
}
