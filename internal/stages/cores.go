package stages

import (
	"context"
	"slices"
	"sync"
)

// passesPerCore is how often narrower work may pass a waiting piece of work, for each core of the machine. After that,
// cores that become free are kept for it.
const passesPerCore = 4

// Cores shares the cores of the machine among the items of all stages. Work begins in the order of arrival. Narrower
// work passes wider work for which too few cores are free, so that no core is idle while something can use it. This is
// limited, so that the widest work also gets its turn.
type Cores struct {
	mu    sync.Mutex
	all   int64
	free  int64
	queue []*waiter // in the order of arrival
}

// waiter is a piece of work that waits for cores.
type waiter struct {
	cores  int64
	passed int64         // later pieces of work that began earlier
	begin  chan struct{} // closed when it has its cores
}

// NewCores returns n cores, all free.
func NewCores(n int) *Cores { return &Cores{all: int64(n), free: int64(n)} }

// Acquire waits for the given number of cores, at most as many as the machine has. If it fails, the error is ctx's and
// no core is taken.
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
		c.free += w.cores // the cores were granted at the same moment
	}
	c.grant()
	return ctx.Err()
}

// Release returns the cores that Acquire took.
func (c *Cores) Release(cores int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.free += min(cores, c.all)
	c.grant()
}

// grant starts the work that can start.
func (c *Cores) grant() {
	for i := 0; i < len(c.queue) && c.free > 0; {
		w := c.queue[i]
		if w.cores > c.free {
			if w.passed >= passesPerCore*c.all {
				return // cores that become free are kept for it
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
