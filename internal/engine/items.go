package engine

import (
	"context"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// itemSource opens items for one instance.
type itemSource struct {
	store    *cache.Store
	addr     string
	observer Observer
	log      *slog.Logger                                   // nil if damage is not reported
	refuses  func(missing, n int) error                     // nil if items without a record are executed
	guard    func(namespace string, keys []cache.Key) error // nil if finished runs are not guarded
}

// chunk is the number of items whose keys a goroutine computes in one step.
const chunk = 1 << 13

// Open implements stages.ItemSource. It computes keys on all cores; a million keys take a third of a second.
func (s *itemSource) Open(ctx context.Context, namespace, unit string, n int, key func(i int) cache.Key) (stages.Items,
	error) {
	log, err := s.store.Items(namespace)
	if err != nil {
		return nil, err
	}
	it := &items{log: log, keys: make([]cache.Key, n)}
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for from := 0; from < n; from += chunk {
		group.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			to := min(from+chunk, n)
			for i := from; i < to; i++ {
				it.keys[i] = key(i)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if s.guard != nil {
		if err := s.guard(namespace, it.keys); err != nil {
			return nil, err
		}
	}
	it.locate()
	if s.log != nil {
		for _, lost := range log.DamageReports() {
			s.log.Warn(lost)
		}
	}
	if n := log.Pull(ctx, it.missingKeys()); n > 0 {
		s.observer.Observe(ItemsPulled{Addr: s.addr, N: int64(n), Unit: unit})
		it.locate()
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if s.refuses != nil {
		if err := s.refuses(len(it.missing), n); err != nil {
			return nil, err
		}
	}
	it.started = func() {
		s.observer.Observe(ItemsStarted{Addr: s.addr, Total: int64(n), Reused: int64(n - len(it.missing)), Unit: unit})
	}
	it.started()
	return it, nil
}

// items holds the records of one fan-out.
type items struct {
	log     *cache.Items
	keys    []cache.Key
	missing []int
	forgot  map[int]bool // items whose records are to be replaced
	put     atomic.Int64
	started func() // reports the number of items with a record
	changed bool   // missing has grown since the last report

	mu      sync.RWMutex
	places  []cache.Place // places of the records when they were last located
	located int64         // number of records put until then
}

// locate finds the items with a record in the store.
func (it *items) locate() {
	it.places, it.missing = it.log.Locate(it.keys), nil
	for i := range it.places {
		if !it.places[i].Found() {
			it.missing = append(it.missing, i)
		}
	}
}

// missingKeys returns the keys of the items without a record.
func (it *items) missingKeys() []cache.Key {
	keys := make([]cache.Key, len(it.missing))
	for k, i := range it.missing {
		keys[k] = it.keys[i]
	}
	return keys
}

// Missing implements stages.Items. It reports the counts again if Forget has added missing items.
func (it *items) Missing() []int {
	if it.changed {
		it.changed = false
		it.started()
	}
	return it.missing
}

func (it *items) Key(i int) cache.Key { return it.keys[i] }

func (it *items) Record(i int) ([]byte, error) {
	record, ok, err := it.log.At(it.keys[i], it.place(i))
	if err == nil && !ok {
		err = errNoRecord
	}
	return record, err
}

// place returns the place of an item's record, if known. After many records have been put, it locates all records
// again, because they are about to be read.
func (it *items) place(i int) cache.Place {
	const many = 1 << 12
	it.mu.RLock()
	p, put := it.places[i], it.put.Load()-it.located
	it.mu.RUnlock()
	if p.Found() || put < many || put < int64(len(it.keys)/8) {
		return p
	}
	it.mu.Lock()
	defer it.mu.Unlock()
	if n := it.put.Load(); n-it.located >= put { // unless another goroutine just did
		it.places, it.located = it.log.Locate(it.keys), n
		for i := range it.forgot {
			it.places[i] = cache.Place{}
		}
	}
	return it.places[i]
}

// Put implements stages.Items. Stages that execute concurrently can share item keys, for example if two tracks of the
// same kind use the same script. The first record is kept, so both tables contain the same one.
func (it *items) Put(i int, record []byte) error {
	it.put.Add(1)
	if it.forgot[i] {
		return it.log.Put(it.keys[i], record)
	}
	return it.log.PutFirst(it.keys[i], record)
}

// Recorded implements stages.Items.
func (it *items) Recorded(i int) bool { return !it.forgot[i] && it.log.Has(it.keys[i]) }

// Forget implements stages.Items.
func (it *items) Forget(i int) {
	it.mu.Lock()
	defer it.mu.Unlock()
	it.places[i] = cache.Place{} // makes Record look for newer records
	if it.forgot == nil {
		it.forgot = map[int]bool{}
	}
	it.forgot[i] = true
	if k, found := slices.BinarySearch(it.missing, i); !found {
		it.missing, it.changed = slices.Insert(it.missing, k, i), true
	}
}

func (it *items) Close() error {
	if it.put.Load() == 0 {
		return nil
	}
	return it.log.Sync()
}
