package score

import (
	"math"
	"sync"
)

// sumColumn holds a sum of times for every run. Nearly all of them fit in a Time and are stored as one. The others are
// stored separately. A nil column holds zeros.
type sumColumn struct {
	small []Time // large if it does not fit
	mu    sync.Mutex
	wide  map[int]Sum
}

// large marks a value that does not fit in a Time.
const large Time = math.MinInt64

func newSumColumn(n int) *sumColumn { return &sumColumn{small: make([]Time, n)} }

// set stores the values of the runs from lo on. It may be called from many goroutines, for different runs.
func (c *sumColumn) set(lo int, sums []Sum) {
	for i, s := range sums {
		t := Time(s.lo)
		if sumOf(t) != s || t == large {
			c.mu.Lock()
			if c.wide == nil {
				c.wide = map[int]Sum{}
			}
			c.wide[lo+i] = s
			c.mu.Unlock()
			t = large
		}
		c.small[lo+i] = t
	}
}

// at returns the value of run i. It must not be called while values are set.
func (c *sumColumn) at(i int) Sum {
	if c == nil {
		return Sum{}
	}
	if t := c.small[i]; t != large {
		return sumOf(t)
	}
	return c.wide[i]
}

// slice returns the values of the runs lo to hi.
func (c *sumColumn) slice(lo, hi int) []Sum {
	out := make([]Sum, hi-lo)
	for i := range out {
		out[i] = c.at(lo + i)
	}
	return out
}
