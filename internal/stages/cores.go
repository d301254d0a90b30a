package stages

import (
	"context"
	"slices"
	"sync"
)

// passesPerCore is how often narrower work may pass a piece of work that waits, for each core that there is. After that
// the cores that become free are kept for it.
const passesPerCore = 4

// Cores shares the cores of the machine among the items of all stages. Work is begun in the order in which it came, but
// narrower work passes wider work for which too few cores are free, so that none is idle while something can use it. It
// does so a limited number of times: the widest work comes to its turn, too.
type Cores struct {
	mu    sync.Mutex
	all   int64
	free  int64
	queue []*waiter // in the order in which they came
}

// waiter is a piece of work that waits for cores.
type waiter struct {
	cores  int64
	passed int64         // pieces of work that came later and were begun before
	begin  chan struct{} // closed when it has its cores
}

// NewCores returns n cores, all free.
func NewCores(n int) *Cores { return &Cores{all: int64(n), free: int64(n)} }

// Acquire waits for so many cores, at most as many as there are. The error is that of ctx; no core is taken then.
func (c *Cores) Acquire(ctx context.Context, cores int64) error {
	w := &waiter{cores: min(cores, c.all), begin: make(chan struct{})}
	c.mu.Lock()
	c.queue = append(c.queue, w)
	c.grant()
	c.mu.Unlock()
	select {
	case <-w.begin:
		return nil
	case <-ctx.Done():
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.Index(c.queue, w); i >= 0 {
		c.queue = slices.Delete(c.queue, i, i+1)
	} else {
		c.free += w.cores // it was given them at the same moment
	}
	c.grant()
	return ctx.Err()
}

// Release gives back what Acquire took.
func (c *Cores) Release(cores int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.free += min(cores, c.all)
	c.grant()
}

// grant begins what can be begun.
func (c *Cores) grant() {
	for i := 0; i < len(c.queue) && c.free > 0; {
		w := c.queue[i]
		if w.cores > c.free {
			if w.passed >= passesPerCore*c.all {
				return // what becomes free is kept for it
			}
			i++
			continue
		}
		for _, before := range c.queue[:i] {
			before.passed++
		}
		c.free -= w.cores
		c.queue = slices.Delete(c.queue, i, i+1)
		close(w.begin)
	}
}
