package score

import (
	"math"
	"math/big"
	"sync"
)

// sumColumn holds a sum of times for every run. Nearly all sums fit in 64 bits; the rest are stored separately. A nil
// column holds zeros.
type sumColumn struct {
	small []int64 // in picoseconds; large if the sum does not fit
	mu    sync.Mutex
	wide  map[int]Sum
}

// large marks a sum that does not fit in 64 bits.
const large = math.MinInt64

func newSumColumn(n int) *sumColumn { return &sumColumn{small: make([]int64, n)} }

// set stores the values of the runs starting at lo. Goroutines can call it concurrently for different runs.
func (c *sumColumn) set(lo int, sums *sumColumn) {
	copy(c.small[lo:], sums.small)
	for i, s := range sums.wide {
		c.setWide(lo+i, s)
	}
}

func (c *sumColumn) setWide(i int, s Sum) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.wide == nil {
		c.wide = map[int]Sum{}
	}
	c.small[i], c.wide[i] = large, s
}

// at returns run i's value. It must not be called concurrently with set.
func (c *sumColumn) at(i int) Sum {
	if c == nil {
		return Sum{}
	}
	if t := c.small[i]; t != large {
		return sumOf(Time(t))
	}
	return c.wide[i]
}

// slice returns the values of runs lo to hi, for a frame.
func (c *sumColumn) slice(lo, hi int) (small []int64, wide map[int]*big.Int) {
	if c == nil {
		return make([]int64, hi-lo), nil
	}
	for i, s := range c.wide {
		if lo <= i && i < hi {
			if wide == nil {
				wide = map[int]*big.Int{}
			}
			wide[i-lo] = s.big()
		}
	}
	return c.small[lo:hi], wide
}
