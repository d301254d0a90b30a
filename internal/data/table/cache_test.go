package table

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestCache checks that tables are shared while they are in use and dropped soon afterwards.
func TestCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c Cache
		one, other := "one", "other"
		table := &small{}
		c.Put(one, table)
		c.Put(other, &small{})
		for range 3 {
			time.Sleep(keepUnused * 2 / 3)
			if c.Get(one) != table {
				t.Fatal("a table was dropped that is asked for")
			}
		}
		if c.Get(other) != nil {
			t.Error("a table is kept that nobody asks for")
		}
		time.Sleep(2 * keepUnused)
		synctest.Wait()
		if len(c.tables) != 0 {
			t.Errorf("%d tables are kept", len(c.tables))
		}
		c.Put(other, table)
		if c.Get(other) != table || c.Get(one) != nil {
			t.Error("after all were dropped, tables are not found by their digests")
		}
		time.Sleep(3 * keepUnused)
		synctest.Wait()
		if len(c.tables) != 0 {
			t.Errorf("%d tables are kept after the second time", len(c.tables))
		}
	})
}

// small is a table without columns.
type small struct{ rows int }

func (s *small) Len() int                      { return s.rows }
func (s *small) Column(string) (Column, error) { return Column{}, nil }
