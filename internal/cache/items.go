package cache

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
)

var itemName = regexp.MustCompile(`^[a-z0-9_-]+$`)

// Items are the records of one namespace, by key. They are the records of single items of a fan-out, such as runs.
type Items struct {
	log   *recordLog
	name  string
	store *Store
}

// Items opens a namespace, such as "execute". A record becomes durable after the blobs that were stored before it.
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

// Get returns the record of key; ok is false if there is none. A damaged record counts as absent. The caller must not
// change the bytes. They stay valid while the store is open.
func (it *Items) Get(key Key) (record []byte, ok bool, err error) {
	record, ok, err = it.log.get(key)
	if _, corrupt := errors.AsType[*CorruptError](err); corrupt {
		err = nil
	}
	return record, ok, err
}

// Has reports whether there is a record of key. A damaged record counts as absent.
func (it *Items) Has(key Key) bool { return it.log.whole(key) }

// PutFirst is Put for a key that has no record. A record that another process stored first stays.
func (it *Items) PutFirst(key Key, record []byte) error {
	it.log.first.Lock()
	defer it.log.first.Unlock()
	if it.Has(key) {
		return nil
	}
	return it.Put(key, record)
}

// Put stores the record of key. The record survives the process immediately, and a power failure a moment later.
func (it *Items) Put(key Key, record []byte) error {
	err := it.log.put(key, record)
	if r, ok := it.store.remote.(ItemRemote); ok && err == nil {
		r.ItemStored(it.name, key)
	}
	return err
}

// Pull copies the records of the wanted keys from a remote store into this one, and returns their number. Without a
// remote store it does nothing.
func (it *Items) Pull(ctx context.Context, want []Key) int {
	r, ok := it.store.remote.(ItemRemote)
	if !ok || len(want) == 0 {
		return 0
	}
	return r.PullItems(ctx, it.name, want, it.log.put)
}

// DamageReports returns the damage found since the last call, as sentences.
func (it *Items) DamageReports() []string { return it.log.takeDamageReports() }

// Sync makes all records durable.
func (it *Items) Sync() error { return it.log.sync() }
