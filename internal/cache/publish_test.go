package cache

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// TestPublishTreeAtOnce checks that a published folder is there at all times while it is replaced.
func TestPublishTreeAtOnce(t *testing.T) {
	dir := t.TempDir()
	target, other := filepath.Join(dir, "site"), filepath.Join(dir, "other")
	for _, path := range []string{target, other} {
		if err := os.Mkdir(path, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.Renameat2(unix.AT_FDCWD, target, unix.AT_FDCWD, other, unix.RENAME_EXCHANGE); err != nil {
		t.Skipf("the file system of %s cannot exchange folders: %v", dir, err)
	}
	s, err := Open(filepath.Join(dir, "store"), Options{Durability: Relaxed})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var trees []*Manifest
	for _, text := range []string{"one", "two"} {
		d, err := s.PutBytes([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		trees = append(trees, &Manifest{Files: []ManifestFile{{Path: "index.html", Size: 3, Digest: d}}})
	}
	done := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			if _, err := os.Stat(target); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for i := range 300 {
		if err := s.PublishTree(trees[i%2], target); err != nil {
			t.Error(err)
		}
	}
	close(done)
	wait.Wait()
}
