package polars

import (
	"fmt"
	"math"
	"slices"
)

// Sample returns the selection of list.sample(k, seed=seed) from a list of n items: k different positions from 0 to
// n-1, in the order in which polars returns them, which is not ascending. It panics unless 0 <= k <= n < 2^32, because
// polars draws differently from longer lists.
//
// Every call starts from the seed, so lists of equal length lose the same positions. If k is n, it returns all
// positions in order without drawing.
func (f Flavour) Sample(n, k int, seed uint64) []int {
	if k < 0 || k > n || n > math.MaxUint32 {
		panic(fmt.Sprintf("polars: a sample of %d from %d", k, n))
	}
	if k == n {
		return upTo(n)
	}
	g := New(f, seed)
	switch methodOf(n, k) {
	case inPlace:
		return g.inPlace(n, k)
	case floyd:
		return g.floyd(n, k)
	default:
		return g.rejection(n, k)
	}
}

// upTo returns 0, 1, ..., n-1.
func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// method is one of the ways to choose positions in the crate's seq::index::sample.
type method uint8

const (
	inPlace method = iota
	floyd
	rejection
)

// methodOf returns the method that the crate considers fastest for 0 < k < n. The estimate uses single precision, and
// rounds each product and sum.
func methodOf(n, k int) method {
	length, amount := float32(n), float32(k)
	if k >= 163 {
		factor := float32(270)
		if n >= 500_000 {
			factor = 330.0 / 9
		}
		if length < factor*amount {
			return inPlace
		}
		return rejection
	}
	// The crate uses different constants from 500,000 positions on, but never shuffles in place there for such a k.
	pairs := float32(1.6 * amount) // the conversions prevent the compiler from fusing product and sum
	if k > 11 && length < float32(float32(10+pairs)*amount) {
		return inPlace
	}
	return floyd
}

// inPlace shuffles the list of all positions and stops after k steps.
func (g *Generator) inPlace(n, k int) []int {
	all := upTo(n)
	for i := range k {
		j := i + int(g.below(uint32(n-i)))
		all[i], all[j] = all[j], all[i]
	}
	return slices.Clone(all[:k])
}

// shuffled is the number of positions from which rand 0.8 shuffles the result of Floyd's method. Below it, a position
// that was drawn twice is inserted instead, which keeps the order random.
const shuffled = 50

// floyd implements Floyd's method for choosing a few of many positions.
func (g *Generator) floyd(n, k int) []int {
	chosen := make([]int, 0, k)
	for j := n - k; j < n; j++ {
		t := int(g.below(uint32(j + 1)))
		at := slices.Index(chosen, t)
		switch {
		case at < 0:
			chosen = append(chosen, t)
		case g.flavour != Rand08:
			chosen[at] = j
			chosen = append(chosen, t)
		case k < shuffled:
			chosen = slices.Insert(chosen, at, j)
		default:
			chosen = append(chosen, j)
		}
	}
	if g.flavour == Rand08 && k >= shuffled {
		g.shuffleDown(chosen)
	}
	return chosen
}

// rejection draws a position again if it has already been drawn.
func (g *Generator) rejection(n, k int) []int {
	chosen, has := make([]int, 0, k), make(map[int]bool, k)
	for len(chosen) < k {
		if x := int(g.fairBelow(uint32(n))); !has[x] {
			has[x] = true
			chosen = append(chosen, x)
		}
	}
	return chosen
}
