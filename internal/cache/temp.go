package cache

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Names of temporary files and folders include the process that created them: work-PROCESS-NUMBER. PROCESS is from the
// name of its file lock/process-PROCESS, which is locked while the process lives. The next process that opens the store
// can therefore recognise and remove the files of killed processes.

// tempName returns a pattern for the names of temporary files.
func (s *Store) tempName(what string) string { return what + "-" + s.process() + "-*" }

// unregistered is the name of a process that cannot register because it has only read access to the store.
const unregistered = "none"

// process returns the name of this process in the store.
func (s *Store) process() string {
	if s.presence == nil {
		return unregistered
	}
	return strings.TrimPrefix(filepath.Base(s.presence.Name()), presencePrefix)
}

// sweepDead removes what dead processes left in the temporary folder. It does nothing while another process opens the
// store or collects garbage: a later process will sweep.
func (s *Store) sweepDead() {
	parent := filepath.Join(s.dir, "tmp")
	entries, err := os.ReadDir(parent)
	if err != nil || s.presence == nil {
		return
	}
	gate, busy, err := s.Lock(collectLock) // no process can register while the gate is locked
	if err != nil || busy {
		return
	}
	defer gate.Close()
	alive := map[string]bool{s.process(): true}
	for _, e := range entries {
		what, rest, ok := strings.Cut(e.Name(), "-")
		process, _, named := strings.Cut(rest, "-")
		if !ok || !named || what != "work" && what != "blob" {
			continue // running downloads; gc removes old ones
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

// lives reports whether a process has the store open. If unsure, it returns true.
func (s *Store) lives(process string) bool {
	f, err := os.Open(filepath.Join(s.dir, "lock", presencePrefix+process))
	if err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	defer f.Close()
	return unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) != nil
}
