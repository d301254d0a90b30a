package cache

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Temporary files and folders carry the name of the process that made them, as work-PROCESS-NUMBER: PROCESS is that of
// its file lock/process-PROCESS, which is locked while the process lives. So what a process leaves that was killed is
// known, and removed by the next one that opens the store.

// tempName returns the pattern of a temporary name.
func (s *Store) tempName(what string) string { return what + "-" + s.process() + "-*" }

// unregistered is the name of a process that is not registered, as it can only read the store.
const unregistered = "none"

// process returns the name of this process in the store.
func (s *Store) process() string {
	if s.presence == nil {
		return unregistered
	}
	return strings.TrimPrefix(filepath.Base(s.presence.Name()), presencePrefix)
}

// sweepDead removes what dead processes left in the folder of temporary files. It does nothing while another process
// opens the store or collects garbage: the next one will.
func (s *Store) sweepDead() {
	parent := filepath.Join(s.dir, "tmp")
	entries, err := os.ReadDir(parent)
	if err != nil || s.presence == nil {
		return
	}
	gate, busy, err := s.Lock(collectLock) // nobody registers meanwhile
	if err != nil || busy {
		return
	}
	defer gate.Close()
	alive := map[string]bool{s.process(): true}
	for _, e := range entries {
		what, rest, ok := strings.Cut(e.Name(), "-")
		process, _, named := strings.Cut(rest, "-")
		if !ok || !named || what != "work" && what != "blob" {
			continue // downloads that go on, and what gc removes
		}
		if _, known := alive[process]; !known {
			alive[process] = s.lives(process)
		}
		if !alive[process] {
			os.RemoveAll(filepath.Join(parent, e.Name()))
		}
	}
	for process, lives := range alive {
		if !lives {
			os.Remove(filepath.Join(s.dir, "lock", presencePrefix+process))
		}
	}
}

// lives reports whether a process has the store open. In doubt it does.
func (s *Store) lives(process string) bool {
	f, err := os.Open(filepath.Join(s.dir, "lock", presencePrefix+process))
	if err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	defer f.Close()
	return unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) != nil
}
