package engine

import (
	"context"
	"errors"
	"sync"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Memo keeps the item records that snapshots compute, such as checked models, in memory. The zero Memo is empty.
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
	m.records[k] = record
}

// memoSource opens items whose records are in the store or in a memo. New records go only to the memo.
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
	it := &memoItems{Items: stored, memo: s.memo, namespace: namespace, absent: map[int]bool{}}
	if it.memo == nil {
		it.memo = &Memo{}
	}
	for _, i := range stored.Missing() {
		it.absent[i] = true
		if _, ok := it.memo.get(it.key(i)); !ok {
			it.missing = append(it.missing, i)
		}
	}
	return it, nil
}

// memoItems holds the records of one fan-out during a snapshot.
type memoItems struct {
	stages.Items
	memo      *Memo
	namespace string
	absent    map[int]bool // items without a record in the store
	missing   []int        // absent items that were not in the memo on opening either
}

func (it *memoItems) key(i int) memoKey { return memoKey{it.namespace, it.Items.Key(i)} }

func (it *memoItems) Missing() []int { return it.missing }

func (it *memoItems) Record(i int) ([]byte, error) {
	if !it.absent[i] {
		return it.Items.Record(i)
	}
	if b, ok := it.memo.get(it.key(i)); ok {
		return b, nil
	}
	return nil, errors.New("bug in smtpipe: an item has no record")
}

func (it *memoItems) Put(i int, record []byte) error {
	it.memo.put(it.key(i), record)
	return nil
}
