package engine

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Memo keeps item records in memory, such as the models that snapshots check. The zero Memo is empty.
type Memo struct {
	mu      sync.Mutex
	records map[memoKey][]byte
}

type memoKey struct {
	namespace string
	key       cache.Key
}

func (m *Memo) get(k memoKey) ([]byte, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.records[k]
	return b, ok
}

func (m *Memo) put(k memoKey, record []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.records == nil {
		m.records = map[memoKey][]byte{}
	}
	m.records[k] = slices.Clone(record)
}

// open returns n items. The records of those in ours go to the memo and come from there; the others have a record.
func (m *Memo) open(others recorded, namespace string, n int, ours []int) *memoItems {
	it := &memoItems{recorded: others, memo: m, namespace: namespace, ours: make([]bool, n)}
	for _, i := range ours {
		it.ours[i] = true
		if !it.Recorded(i) {
			it.missing = append(it.missing, i)
		}
	}
	return it
}

// recorded are the keys of items, some of which have a record.
type recorded interface {
	Key(i int) cache.Key
	Record(i int) ([]byte, error)
}

// unrecorded are the keys of items without records.
type unrecorded []cache.Key

func (u unrecorded) Key(i int) cache.Key { return u[i] }

func (unrecorded) Record(int) ([]byte, error) { return nil, errNoRecord }

var errNoRecord = errors.New("bug in smtpipe: an item has no record")

// memoItems keeps new records in memory. Items with the same key are executed once.
type memoItems struct {
	recorded
	memo      *Memo
	namespace string
	ours      []bool
	missing   []int
}

func (it *memoItems) key(i int) memoKey { return memoKey{it.namespace, it.Key(i)} }

func (it *memoItems) Missing() []int { return it.missing }

func (it *memoItems) Record(i int) ([]byte, error) {
	if it.ours[i] {
		if b, ok := it.memo.get(it.key(i)); ok {
			return b, nil
		}
	}
	return it.recorded.Record(i)
}

func (it *memoItems) Put(i int, record []byte) error {
	it.memo.put(it.key(i), record)
	return nil
}

// Recorded implements stages.Items.
func (it *memoItems) Recorded(i int) bool {
	_, ok := it.memo.get(it.key(i))
	return ok
}

// Forget does nothing, because only missing items are executed.
func (it *memoItems) Forget(int) {}

func (it *memoItems) Close() error { return nil }

// memoSource opens items whose records are in the store or in a memo, which may be nil. New records go only to the
// memo.
type memoSource struct {
	itemSource
	memo *Memo
}

// Open implements stages.ItemSource.
func (s *memoSource) Open(ctx context.Context, namespace, unit string, n int, key func(i int) cache.Key) (stages.Items,
	error) {
	stored, err := s.itemSource.Open(ctx, namespace, unit, n, key)
	if err != nil {
		return nil, err
	}
	memo := s.memo
	if memo == nil {
		memo = &Memo{}
	}
	return memo.open(stored, namespace, n, stored.Missing()), nil
}
