package stages

import (
	"context"
	"slices"
	"sync"
)

// passesPerCore is the number of times per core that narrower work may pass waiting work. After that, free cores are
// reserved for the waiting work.
const passesPerCore = 4

// Cores shares the machine's cores among the items of all stages. Work begins in order of arrival, but narrower work
// may pass wider work for which too few cores are free. This keeps cores from being idle while there is work for them.
// The number of such passes is limited, so even the widest work gets its turn.
type Cores struct {
	mu    sync.Mutex
	all   int64
	free  int64
	queue []*waiter // in order of arrival
}

// waiter is work that waits for cores.
type waiter struct {
	cores  int64
	passed int64         // later waiters that began earlier
	begin  chan struct{} // closed when the waiter has its cores
}

// NewCores returns n cores, all free.
func NewCores(n int) *Cores { return &Cores{all: int64(n), free: int64(n)} }

// Acquire waits for the given number of cores, or for all cores if the machine has fewer. If it fails, it returns ctx's
// error and takes no core.
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
		c.free += w.cores // the cores were granted at the moment of cancellation
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

// grant starts all work that can start.
func (c *Cores) grant() {
	for i := 0; i < len(c.queue) && c.free > 0; {
		w := c.queue[i]
		if w.cores > c.free {
			if w.passed >= passesPerCore*c.all {
				return // free cores are reserved for this waiter
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
