package cache

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Namespaces returns the names of the item namespaces, sorted.
func (s *Store) Namespaces() ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, "items"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && itemName().MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// States returns the states of all pipelines in the store, sorted by file name. It ends with an error at a damaged
// one, for which the last state is nil.
func (s *Store) States() ([]*State, error) {
	var all []*State
	err := eachFile(filepath.Join(s.dir, "state"), func(path string, _ fs.FileInfo) error {
		st, err := readState(path)
		all = append(all, st)
		return err
	})
	return all, err
}

// EachAction visits all readable stage records in order of their file names, and returns the unreadable ones.
func (s *Store) EachAction(visit func(Key, *Action) error) (damaged map[Key]error, err error) {
	damaged = map[Key]error{}
	err = eachFile(filepath.Join(s.dir, "actions"), func(path string, _ fs.FileInfo) error {
		key, err := ParseKey(filepath.Base(path))
		if err != nil {
			return nil
		}
		act, err := s.readAction(key)
		if _, corrupt := errors.AsType[*CorruptError](err); corrupt {
			damaged[key] = err
			return nil
		}
		if err != nil || act == nil {
			return err
		}
		return visit(key, act)
	})
	return damaged, err
}

// Each visits the latest record of every key, skipping damaged records. The visitor must not modify the record.
func (it *Items) Each(visit func(Key, []byte) error) error { return it.log.each(visit) }

// each visits the latest record of every key, skipping damaged ones.
func (l *recordLog) each(visit func(Key, []byte) error) error {
	l.mu.RLock()
	segments := l.segments[:len(l.segments):len(l.segments)]
	var fresh []Key
	for k := range l.fresh {
		fresh = append(fresh, k)
	}
	l.mu.RUnlock()
	err := eachWhole(segments, func(e entry, payload []byte) error { return visit(e.key, payload) })
	for _, k := range fresh {
		if err != nil {
			break
		}
		var payload []byte
		if payload, _, err = l.get(k); err == nil {
			err = visit(k, payload)
		}
	}
	return err
}

// stored returns the size that a key's record takes in its file.
func (l *recordLog) stored(key [32]byte) (int, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if e, ok := l.fresh[key]; ok {
		return frameHeader + int(e.length), true
	}
	for _, s := range slices.Backward(l.segments) {
		if e, ok := s.find(key); ok {
			return frameHeader + int(e.length), true
		}
	}
	return 0, false
}

// retain rewrites the sealed segments without the records that keep rejects. It returns the number of removed records,
// and the total sizes of the removed and of the remaining records. The process must not have written to the log.
func (l *recordLog) retain(keep func(key [32]byte) bool, dryRun bool) (dead int, freed, kept int64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	err = eachLatest(l.segments, func(e entry) error {
		size := int64(frameHeader) + int64(e.length)
		if keep(e.key) {
			kept += size
		} else {
			dead, freed = dead+1, freed+size
		}
		return nil
	})
	if err != nil || dead == 0 || dryRun || len(l.segments) == 0 {
		return dead, freed, kept, err
	}
	lock, err := lockCompaction(l.dir)
	if err != nil || lock == nil {
		return 0, 0, kept + freed, err
	}
	defer lock.Close()
	for _, s := range l.segments {
		if s.index == nil {
			return 0, 0, kept + freed, nil // another process is writing to the segment
		}
	}
	if err := mergeSegments(l.dir, l.segments, keep); err != nil {
		return dead, freed, kept, err
	}
	closeSegments(l.segments)
	l.segments = nil
	return dead, freed, kept, l.openSegments()
}
