package worker

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// scratchPrefix starts the names of workers' folders in TMPDIR.
const scratchPrefix = "smtpipe-worker-"

var swept sync.Map // prefixes

func newScratch() (dir string, done func(), err error) { return Scratch(scratchPrefix) }

// Scratch creates a folder in TMPDIR that done removes. In each process, the first call removes folders with the same
// prefix that killed processes left behind.
func Scratch(prefix string) (dir string, done func(), err error) {
	if _, again := swept.LoadOrStore(prefix, true); !again {
		removeAbandoned(prefix)
	}
	if dir, err = os.MkdirTemp("", prefix); err != nil {
		return "", nil, err
	}
	lock, err := lockFolder(dir)
	if err == nil {
		err = os.Chmod(dir, 0o755) // runs may belong to another user
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

// lockFolder marks a folder as in use as long as the file is open.
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

// youngest is the age below which a folder may not be locked yet.
const youngest = time.Minute

// removeAbandoned removes the folders that no process uses. Folders that cannot be removed belong to other users.
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
