package worker

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// scratchPrefix is the prefix of workers' folders in TMPDIR.
const scratchPrefix = "smtpipe-worker-"

var swept sync.Map // prefixes that this process has swept

func newScratch() (dir string, done func(), err error) { return Scratch(scratchPrefix) }

// Scratch creates a folder in TMPDIR. done removes it. The first call in each process also removes folders with the
// same prefix that killed processes left.
func Scratch(prefix string) (dir string, done func(), err error) {
	if _, again := swept.LoadOrStore(prefix, true); !again {
		removeAbandoned(prefix)
	}
	if dir, err = os.MkdirTemp("", prefix); err != nil {
		return "", nil, err
	}
	lock, err := lockFolder(dir)
	if err == nil {
		err = os.Chmod(dir, 0o755) // runs may have a different user
	}
	done = func() {
		os.RemoveAll(dir)
		lock.Close()
	}
	if err != nil {
		done()
		return "", nil, err
	}
	return dir, done, nil
}

// lockFolder marks a folder as in use while the returned file is open.
func lockFolder(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// youngest is the age below which a folder may not yet be locked.
const youngest = time.Minute

// removeAbandoned removes the folders that no process uses. It ignores those that cannot be removed, which belong to
// other users.
func removeAbandoned(prefix string) {
	folders, _ := filepath.Glob(filepath.Join(os.TempDir(), prefix+"*"))
	for _, dir := range folders {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || time.Since(info.ModTime()) < youngest {
			continue
		}
		if lock, err := lockFolder(dir); err == nil {
			os.RemoveAll(dir)
			lock.Close()
		}
	}
}
