package stages

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
)

// coreUser is a goroutine that acquires cores.
type coreUser struct {
	cancel context.CancelFunc
	err    error
	has    bool
	done   bool
}

// want starts a goroutine that acquires cores, and waits until it has them or is in the queue.
func want(t *testing.T, c *Cores, cores int64) *coreUser {
	ctx, cancel := context.WithCancel(t.Context())
	u := &coreUser{cancel: cancel}
	go func() {
		u.err = c.Acquire(ctx, cores)
		u.has, u.done = u.err == nil, true
	}()
	synctest.Wait()
	return u
}

// TestCoresPass checks a machine with 4 cores, one of them taken: a run that needs 4 cores waits, and narrower work
// passes it at most 16 times.
func TestCoresPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewCores(4)
		if first := want(t, c, 1); !first.has {
			t.Fatal("a free machine gives no core")
		}
		wide := want(t, c, 4)
		later := want(t, c, 4)
		for i := range 16 {
			narrow := want(t, c, 1)
			if !narrow.has || wide.has {
				t.Fatalf("after %d that passed, narrow work has its core: %t; the wide one has: %t", i, narrow.has,
					wide.has)
			}
			c.Release(1)
		}
		narrow := want(t, c, 1)
		if narrow.has || wide.has {
			t.Fatalf("what waits longest is passed for the 17th time (%t), or begun too soon (%t)", narrow.has,
				wide.has)
		}
		c.Release(1)
		synctest.Wait()
		if !wide.has || narrow.has || later.has {
			t.Errorf("when all cores are free, the wide one, which was first, has %t, the narrow one %t, the last %t",
				wide.has, narrow.has, later.has)
		}
		c.Release(4)
		synctest.Wait()
		if !later.has || narrow.has {
			t.Errorf("then the second wide one, which was passed as often, has %t, and the narrow one %t", later.has,
				narrow.has)
		}
		c.Release(4)
		synctest.Wait()
		if !narrow.has {
			t.Error("the narrow one, which was last, has no core in the end")
		}
	})
}

// TestCoresOrder checks that work of equal width begins in order of arrival.
func TestCoresOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewCores(2)
		holder := want(t, c, 2)
		var queue []*coreUser
		for range 5 {
			queue = append(queue, want(t, c, 2))
		}
		for i := range queue {
			c.Release(2)
			synctest.Wait()
			if has := slices.IndexFunc(queue, func(u *coreUser) bool { return !u.has }); !holder.has || has != i+
				1 && has != -1 {
				t.Errorf("after %d releases the first without cores is number %d", i+1, has)
			}
		}
	})
}

// TestCoresCancelled checks that work that stops waiting does not block other work, and that work wider than the
// machine takes the whole machine.
func TestCoresCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewCores(2)
		want(t, c, 1)
		wide := want(t, c, 7)
		for range 2 * passesPerCore {
			if !want(t, c, 1).has {
				t.Fatal("narrow work does not pass")
			}
			c.Release(1)
		}
		narrow := want(t, c, 1)
		if narrow.has || wide.done {
			t.Fatal("the core is not kept for the one that waits longest")
		}
		wide.cancel()
		synctest.Wait()
		if !errors.Is(wide.err, context.Canceled) || !narrow.has {
			t.Errorf("after it gave up with %v, the next one has %t", wide.err, narrow.has)
		}
		c.Release(1)
		c.Release(1)
		if all := want(t, c, 7); !all.has {
			t.Error("what is wider than the machine is never begun")
		}
	})
}
