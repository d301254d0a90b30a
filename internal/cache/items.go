package cache

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
)

var itemName = regexp.MustCompile(`^[a-z0-9_-]+$`)

// Items are the records of one namespace, by key: what is known of single items of a fan-out, such as runs.
type Items struct {
	log   *recordLog
	name  string
	store *Store
}

// Items opens a namespace, such as "execute". A record becomes durable after the blobs that were put before it.
func (s *Store) Items(name string) (*Items, error) {
	if !itemName.MatchString(name) {
		return nil, fmt.Errorf("%q cannot name a set of items", name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if l, ok := s.items[name]; ok {
		return &Items{l, name, s}, nil
	}
	l, err := openLog(filepath.Join(s.dir, "items", name), s.durability, s.packs.sync)
	if err != nil {
		return nil, err
	}
	s.items[name] = l
	return &Items{l, name, s}, nil
}

// Get returns the record of key; ok is false if there is none. A damaged record is none. The caller must not change the
// bytes; they stay valid while the store is open.
func (it *Items) Get(key Key) (record []byte, ok bool, err error) {
	record, ok, err = it.log.get(key)
	if _, corrupt := errors.AsType[*CorruptError](err); corrupt {
		err = nil
	}
	return record, ok, err
}

// Has reports whether there is a record of key. A damaged one is none.
func (it *Items) Has(key Key) bool { return it.log.whole(key) }

// Put stores the record of key. It survives the process at once, and a power failure a moment later.
func (it *Items) Put(key Key, record []byte) error {
	err := it.log.put(key, record)
	if r, ok := it.store.remote.(ItemRemote); ok && err == nil {
		r.ItemStored(it.name, key)
	}
	return err
}

// Pull takes the records of the wanted keys that a remote store has into this one, and returns their number. Without a
// remote store it is none.
func (it *Items) Pull(ctx context.Context, want []Key) int {
	r, ok := it.store.remote.(ItemRemote)
	if !ok || len(want) == 0 {
		return 0
	}
	return r.PullItems(ctx, it.name, want, it.log.put)
}

// DamageReports returns what was found damaged since the last call, as sentences for people.
func (it *Items) DamageReports() []string { return it.log.takeDamageReports() }

// Sync makes all records durable.
func (it *Items) Sync() error { return it.log.sync() }
