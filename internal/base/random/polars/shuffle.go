package polars

import (
	"fmt"
	"math"
)

// Shuffle returns the result of Expr.shuffle(seed=seed) for 0, 1, ..., n-1. It panics unless 0 <= n < 2^32.
func (f Flavour) Shuffle(n int, seed uint64) []int {
	if n < 0 || n > math.MaxUint32 {
		panic(fmt.Sprintf("polars: a shuffle of %d", n))
	}
	all := upTo(n)
	g := New(f, seed)
	if f == Rand08 {
		g.shuffleDown(all)
	} else {
		g.shuffleUp(all)
	}
	return all
}

// shuffleDown implements the shuffle of rand 0.8, from the last position to the second.
func (g *Generator) shuffleDown(items []int) {
	for i := len(items) - 1; i > 0; i-- {
		j := g.below(uint32(i + 1))
		items[i], items[j] = items[j], items[i]
	}
}

// shuffleUp implements the shuffle of rand 0.9, from the second position to the last.
func (g *Generator) shuffleUp(items []int) {
	var several pool
	for i := 1; i < len(items); i++ {
		j := several.below(g, uint32(i+1))
		items[i], items[j] = items[j], items[i]
	}
}

// pool returns numbers below m, m+1, m+2, ..., and obtains several of them from one draw.
type pool struct {
	value uint32 // less than the product of the remaining numbers' bounds
	left  int
}

// below returns a number below m. Each call's m must be one more than in the previous call.
func (p *pool) below(g *Generator, m uint32) uint32 {
	if p.left == 0 {
		product, count := uint64(m), 1
		for {
			longer := product * (uint64(m) + uint64(count))
			if longer > math.MaxUint32 {
				break
			}
			product, count = longer, count+1
		}
		p.value, p.left = g.below(uint32(product)), count
	}
	p.left--
	if p.left == 0 {
		return p.value
	}
	j := p.value % m
	p.value /= m
	return j
}
