package table

import (
	"maps"
	"sync"
	"time"
)

// Cache shares decoded tables among the stages of one process. A table that one stage produces and the next reads is
// not decoded again, and the tables that filters derive from one library share its columns. Unused tables are dropped
// after a minute, because stages that select benchmarks follow each other immediately, whereas later stages execute
// solvers for days. The zero Cache is empty and ready for use.
type Cache struct {
	mu     sync.Mutex
	tables map[any]*cached
}

type cached struct {
	table Table
	used  time.Time
}

// keepUnused is the time for which an unused table is kept.
const keepUnused = time.Minute

// Put adds a table under a comparable key, such as a digest.
func (c *Cache) Put(key any, t Table) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.tables) == 0 {
		c.tables = map[any]*cached{}
		time.AfterFunc(keepUnused, c.expire)
	}
	c.tables[key] = &cached{t, time.Now()}
}

// Get returns the table with a key, or nil if there is none.
func (c *Cache) Get(key any) Table {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.tables[key]
	if t == nil {
		return nil
	}
	t.used = time.Now()
	return t.table
}

// expire drops tables that were not used recently, and schedules itself again if any are left.
func (c *Cache) expire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.tables, func(_ any, t *cached) bool { return time.Since(t.used) >= keepUnused })
	if len(c.tables) > 0 {
		time.AfterFunc(keepUnused/2, c.expire)
	}
}
