package project

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/smtpipe/smtpipe/internal/cache"
)

// mounted returns a new file system.
func mounted(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := exec.Command("mount", "-t", "tmpfs", "-o", "nr_inodes=100", "tmpfs", dir).Run(); err != nil {
		t.Skip("a file system cannot be mounted without root: " + err.Error())
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", dir).Run() })
	return dir
}

// fillUp leaves room for a single file or folder.
func fillUp(t *testing.T, dir string) {
	t.Helper()
	fill := filepath.Join(dir, "fill")
	err := os.Mkdir(fill, 0o755)
	for i := 0; err == nil; i++ {
		err = os.WriteFile(filepath.Join(fill, strconv.Itoa(i)), nil, 0o644)
	}
	if err := os.Remove(filepath.Join(fill, "0")); err != nil {
		t.Fatal(err)
	}
}

// TestNoTemporaryStore checks that no folder remains of a temporary store that cannot be created.
func TestNoTemporaryStore(t *testing.T) {
	temp := mounted(t)
	t.Setenv("TMPDIR", temp)
	locked := mounted(t)
	if out, err := exec.Command("mount", "-o", "remount,ro", locked).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	fillUp(t, temp)
	f := &Options{Reads: true}
	if _, _, err := f.openStore(filepath.Join(locked, ".smtpipe")); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("opened a temporary store: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(temp, "smtpipe-*")); err != nil || len(left) > 0 {
		t.Errorf("%q remain, %v", left, err)
	}
}

// TestNoScratch checks the same of an overlay.
func TestNoScratch(t *testing.T) {
	dir := mounted(t)
	store, err := cache.Open(filepath.Join(dir, "store"), cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if _, err := store.TempDir(); err != nil {
		t.Fatal(err)
	}
	fillUp(t, dir)
	if _, _, err := (&Project{Store: store}).Scratch(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("opened an overlay: %v", err)
	}
	if left, err := os.ReadDir(filepath.Join(dir, "store", "tmp")); err != nil || len(left) != 1 {
		t.Errorf("%v remain, %v", left, err)
	}
}
