package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Every open store has a locked file lock/process-*, which records when the store was opened: gc must keep everything
// that its process may have found or written since. A read-only store has no such file, since it does not depend on gc.
// The file's modification time is the opening time; its content is the opening time by a clock that cannot be set. If
// the machine's clock has been set back since, newer files would otherwise look older than the opening.
const (
	presencePrefix = "process-"
	collectLock    = "gc"
)

// register announces to other processes that this one uses the store. It waits for a running gc, which takes only
// seconds.
func (s *Store) register() error {
	parent := filepath.Join(s.dir, "lock")
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return ignoreReadOnly(err)
	}
	gate, err := os.OpenFile(filepath.Join(parent, collectLock), os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return ignoreReadOnly(err)
	}
	defer gate.Close()
	if err := flockWait(gate, unix.LOCK_SH); err != nil {
		return fmt.Errorf("lock %s: %w", gate.Name(), err)
	}
	f, err := os.CreateTemp(parent, presencePrefix+"*")
	if err != nil {
		return ignoreReadOnly(err)
	}
	if err := flockWait(f, unix.LOCK_EX); err != nil {
		return errors.Join(fmt.Errorf("lock %s: %w", f.Name(), err), f.Close())
	}
	s.presence = f
	_, err = fmt.Fprintln(f, int64(sinceBoot()))
	return ignoreReadOnly(err)
}

// sinceBoot returns the time since the machine booted. Its clock never stops or goes back.
func sinceBoot() time.Duration {
	var now unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_BOOTTIME, &now) // cannot fail: every kernel has this clock
	return time.Duration(now.Nano())
}

// openedAt returns the time at which the process that owns f opened the store: the earlier of its two times.
func openedAt(f *os.File) (time.Time, error) {
	info, err := f.Stat()
	if err != nil {
		return time.Time{}, err
	}
	var boot int64
	if _, err := fmt.Fscanln(f, &boot); err != nil {
		return info.ModTime(), nil // the process has only just created the file
	}
	if at := time.Now().Add(time.Duration(boot) - sinceBoot()); at.Before(info.ModTime()) {
		return at, nil
	}
	return info.ModTime(), nil
}

// flockWait takes a lock and retries after a signal.
func flockWait(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// ignoreReadOnly returns nil if err says that the store is not writable, because a store must be readable without write
// permission and on a full disk.
func ignoreReadOnly(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.EROFS) || errors.Is(err, unix.ENOSPC) ||
		errors.Is(err, unix.EDQUOT) {
		return nil
	}
	return err
}

func (s *Store) unregister() {
	if s.presence != nil {
		os.Remove(s.presence.Name())
		s.presence.Close()
		s.presence = nil
	}
}

// others returns the earliest time at which another live process opened the store; ok is false if there is none. It
// removes the files of dead processes.
func (s *Store) others() (since time.Time, ok bool, err error) {
	parent := filepath.Join(s.dir, "lock")
	entries, err := os.ReadDir(parent)
	if err != nil {
		return time.Time{}, false, err
	}
	for _, e := range entries {
		path := filepath.Join(parent, e.Name())
		if !strings.HasPrefix(e.Name(), presencePrefix) || s.presence != nil && path == s.presence.Name() {
			continue
		}
		f, err := os.Open(path)
		if err != nil {
			continue // the process has just ended
		}
		alive := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil
		opened, err := openedAt(f)
		f.Close()
		switch {
		case !alive:
			os.Remove(path)
		case err == nil && (!ok || opened.Before(since)):
			since, ok = opened, true
		}
	}
	return since, ok, nil
}

// touch marks a file as in use for a gc in another process. It ignores errors: in a read-only store they do no harm.
func touch(path string) {
	now := time.Now()
	os.Chtimes(path, now, now)
}
