package cache

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"

	"github.com/smtpipe/smtpipe/internal/base/pattern"
)

var itemName = pattern.Lazy(`^[a-z0-9_-]+$`)

// Items is a namespace's records by key. Each record describes one item of a fan-out, such as a run.
type Items struct {
	log      *recordLog
	name     string
	store    *Store
	searched atomic.Int32 // number of segments that the first Locate searched, plus one; 0 before
}

// Items opens a namespace, such as "execute". A record becomes durable only after the blobs stored before it.
func (s *Store) Items(name string) (*Items, error) {
	if !itemName().MatchString(name) {
		return nil, fmt.Errorf("%q cannot name a set of items", name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if l, ok := s.items[name]; ok {
		return &Items{log: l, name: name, store: s}, nil
	}
	l, err := openLog(filepath.Join(s.dir, "items", name), s.durability, s.packs.sync)
	if err != nil {
		return nil, err
	}
	s.items[name] = l
	return &Items{log: l, name: name, store: s}, nil
}

// Get returns the record for key; ok is false if there is none. A damaged record counts as absent. The caller must not
// modify the bytes, which stay valid while the store is open.
func (it *Items) Get(key Key) (record []byte, ok bool, err error) {
	record, ok, err = it.log.get(key)
	if _, corrupt := errors.AsType[*CorruptError](err); corrupt {
		err = nil
	}
	return record, ok, err
}

// Has reports whether there is an intact record for key.
func (it *Items) Has(key Key) bool { return it.log.whole(key) }

// PutFirst is like Put, but keeps a record for key that has been stored since. If Locate has been called, the first
// call must have had key, and found no record for it.
func (it *Items) PutFirst(key Key, record []byte) error {
	it.log.first.Lock()
	defer it.log.first.Unlock()
	if it.log.wholeAfter(max(0, int(it.searched.Load())-1), key) {
		return nil
	}
	return it.Put(key, record)
}

// Put stores the record for key. The record immediately survives the death of the process, and a moment later a power
// failure.
func (it *Items) Put(key Key, record []byte) error {
	err := it.log.put(key, record)
	if r, ok := it.store.remote.(ItemRemote); ok && err == nil {
		r.ItemStored(it.name, key)
	}
	return err
}

// Pull copies the wanted records from the remote store into this one and returns their number. Without a remote store,
// it does nothing.
func (it *Items) Pull(ctx context.Context, want []Key) int {
	r, ok := it.store.remote.(ItemRemote)
	if !ok || len(want) == 0 {
		return 0
	}
	return r.PullItems(ctx, it.name, want, it.log.put)
}

// DamageReports returns sentences that describe the damage found since the last call.
func (it *Items) DamageReports() []string { return it.log.takeDamageReports() }

// Sync makes all records durable.
func (it *Items) Sync() error { return it.log.sync() }
