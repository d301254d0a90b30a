package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// coreLock locks a slot's CPUs against other drivers on this machine. The kernel releases the locks when the driver
// dies.
type coreLock struct{ files []*os.File }

// lockDir returns the folder for locks. Root and each user have separate folders.
func lockDir() string {
	if os.Geteuid() == 0 {
		return "/run/smtpipe"
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("smtpipe-%d", os.Geteuid()))
}

// lockCores locks CPUs. shared is true if another driver holds any of them; the others are locked nevertheless. If lock
// files cannot be created, other drivers go undetected.
func lockCores(cpus []int) (lock *coreLock, shared bool) {
	lock = &coreLock{}
	dir := lockDir()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return lock, false
	}
	for _, c := range cpus {
		f, err := os.OpenFile(filepath.Join(dir, "cpu-"+strconv.Itoa(c)), os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW, 0o600)
		if err != nil {
			continue
		}
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
			shared = true
			_ = f.Close()
			continue
		}
		lock.files = append(lock.files, f)
	}
	return lock, shared
}

func (l *coreLock) release() {
	if l == nil {
		return
	}
	for _, f := range l.files {
		_ = f.Close()
	}
}

// lockCgroups prevents other drivers from creating or removing the shared cgroups. It returns a function that releases
// the lock.
func lockCgroups() (unlock func()) {
	dir := lockDir()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return func() {}
	}
	f, err := os.OpenFile(filepath.Join(dir, "cgroups"), os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return func() {}
	}
	for unix.Flock(int(f.Fd()), unix.LOCK_EX) == unix.EINTR {
	}
	return func() { _ = f.Close() }
}
