package cache

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"golang.org/x/sys/unix"
)

// formatVersion is the version of the store layout, which docs/run/store.md describes. Stores with a newer version are
// rejected; older ones would be migrated here.
const formatVersion = 1

// formatFile is the file that says which version a store has.
const formatFile = "format"

// Options configures how a store is opened. The zero Options are the defaults.
type Options struct {
	Durability Durability
}

// Store is an open store. It is safe for concurrent use, and several processes may open the same folder.
type Store struct {
	dir        string
	durability Durability
	packs      *recordLog
	behind     *Store   // for an Overlay, the store from which other blobs are read; otherwise nil
	remote     Remote   // remote store, or nil
	presence   *os.File // locked while the store is open; nil if the store is read-only

	mu    sync.Mutex
	items map[string]*recordLog
}

// Open opens the store in dir, creating it if necessary. A read-only store is still readable.
func Open(dir string, opt Options) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := checkFormat(dir); err != nil {
		return nil, err
	}
	s := &Store{dir: dir, durability: opt.Durability, items: map[string]*recordLog{}}
	if err := s.register(); err != nil {
		return nil, fmt.Errorf("open store %s: %w", dir, err)
	}
	s.sweepDead()
	if s.packs, err = openLog(filepath.Join(dir, "packs"), opt.Durability, nil); err != nil {
		s.unregister()
		return nil, fmt.Errorf("open store %s: %w", dir, err)
	}
	return s, nil
}

// IsStore reports whether a folder is a store.
func IsStore(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, formatFile))
	return err == nil
}

// checkFormat rejects a store with an unknown version and writes the version into a new store.
func checkFormat(dir string) error {
	path := filepath.Join(dir, formatFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return createStore(dir, path)
	}
	if err != nil {
		return fmt.Errorf("open store: %w", err)
	}
	var format struct{ Format int }
	if err := json.Unmarshal(data, &format); err != nil || format.Format < 1 {
		return fmt.Errorf("%s does not say which version the store has; if %s is a store of smtpipe whose file was "+
			"damaged, write {\"format\": %d} into it; "+
			"if not, name another folder with --store", path, dir, formatVersion)
	}
	if format.Format > formatVersion {
		return fmt.Errorf("store %s has format %d, but this smtpipe knows formats up to %d; use a newer smtpipe, or "+
			"another store with --store",
			dir, format.Format, formatVersion)
	}
	return nil
}

func createStore(dir, formatPath string) error {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 && !onlyOurs(entries) {
		return fmt.Errorf("%s is not empty and not a store of smtpipe; name another folder with --store", dir)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("create store: %w", err)
	}
	if err := writeFileAtomic(formatPath, fmt.Appendf(nil, "{\"format\": %d}\n", formatVersion)); err != nil {
		return fmt.Errorf("create store: %w", err)
	}
	return nil
}

// onlyOurs reports whether a folder without a format file contains only files that belong in a store, as after a crash
// while it was created.
func onlyOurs(entries []fs.DirEntry) bool {
	for _, e := range entries {
		switch e.Name() {
		case "blobs", "packs", "items", "actions", "state", "tmp", "lock", "files", "files.json", "id", "outputs",
			"solvers", "images", "benchmarks", "executors", "evaluations", originalFile:
		default:
			if filepath.Ext(e.Name()) != ".tmp" && e.Name()[0] != '.' {
				return false
			}
		}
	}
	return true
}

// Dir returns the absolute path of the store's folder.
func (s *Store) Dir() string { return s.dir }

// DamageReports returns sentences that describe the damage found since the last call.
func (s *Store) DamageReports() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	lost := s.packs.takeDamageReports()
	for _, name := range slices.Sorted(maps.Keys(s.items)) {
		lost = append(lost, s.items[name].takeDamageReports()...)
	}
	return lost
}

// Close makes everything durable and closes the store.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.packs.close()
	for _, l := range s.items {
		err = errors.Join(err, l.close())
	}
	s.items = map[string]*recordLog{}
	s.unregister()
	return err
}

// Sync makes everything stored before the call durable.
func (s *Store) Sync() error { return s.packs.sync() }

// TempDir creates an empty folder in the store's file system. The caller removes it.
func (s *Store) TempDir() (string, error) {
	parent := filepath.Join(s.dir, "tmp")
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return "", err
	}
	return os.MkdirTemp(parent, s.tempName("work"))
}

// Lock takes the named lock, which is held until the returned file is closed or the process dies. busy is true if
// another process holds it.
func (s *Store) Lock(name string) (lock *os.File, busy bool, err error) {
	parent := filepath.Join(s.dir, "lock")
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return nil, false, s.unwritable(err)
	}
	lock, busy, err = tryLock(filepath.Join(parent, name))
	return lock, busy, s.unwritable(err)
}

// tryLock creates and locks a file, unless another process has locked it.
func tryLock(path string) (lock *os.File, busy bool, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, false, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, true, nil
		}
		return nil, false, fmt.Errorf("lock %s: %w", path, err)
	}
	return f, false, nil
}

// unwritable adds advice to an error if the store is read-only or its disk is full.
func (s *Store) unwritable(err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.EROFS):
		return fmt.Errorf("store %s can be read here but not written to, so nothing can be executed; copy it, "+
			"or name another with --store: %w", s.dir, err)
	case errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT):
		return fmt.Errorf("the disk holding store %s is full; free some space, for example with \"smtpipe cache "+
			"gc\", and run again: "+
			"finished work is kept: %w", s.dir, err)
	}
	return err
}

// DownloadPath returns the path for an incomplete download with the given ID.
func (s *Store) DownloadPath(id string) (string, error) {
	parent := filepath.Join(s.dir, "tmp", "downloads")
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return "", err
	}
	return filepath.Join(parent, DigestOf([]byte(id)).String()), nil
}
