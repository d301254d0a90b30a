package runner

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// holeBytes is the size of a file that takes no space but minutes to read.
const holeBytes = 1 << 40

func makeHole(t *testing.T, path string) {
	t.Helper()
	err := os.WriteFile(path, nil, 0o644)
	if err == nil {
		err = os.Truncate(path, holeBytes)
	}
	if err != nil {
		t.Skipf("no large file can be made here: %v", err)
	}
}

// TestColdMount runs a command that sees a 1 TiB folder, which must not be read.
func TestColdMount(t *testing.T) {
	l := openLab(t, mode{config: Config{Isolation: NamespacesOnly}})
	dir := t.TempDir()
	makeHole(t, filepath.Join(dir, "hole"))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute*slow)
	defer cancel()
	c := l.victim("exit", "0")
	c.Mounts = append(c.Mounts, Mount{Source: dir, Target: "/folder"})
	if rec, err := l.host.Run(ctx, c); err != nil || rec.ExitCode != 0 {
		t.Errorf("the run ended with %s, %v", rec.Ending, err)
	}
}

// TestWarmCanBeInterrupted interrupts the reading of 1 TiB as a mount, as an input and as standard input.
func TestWarmCanBeInterrupted(t *testing.T) {
	l := openLab(t, mode{config: Config{Isolation: NamespacesOnly}})
	dir := t.TempDir()
	hole := filepath.Join(dir, "hole")
	makeHole(t, hole)
	secret := filepath.Join(t.TempDir(), "secret") // unreadable for the command's user, and therefore copied
	makeHole(t, secret)
	if err := os.Chmod(secret, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Command){
		"mount": func(c *Command) {
			c.Mounts = append(c.Mounts, Mount{Source: dir, Target: "/folder", Warm: true})
		},
		"input":          func(c *Command) { c.Inputs = []Input{{Source: hole, Target: "/input/hole"}} },
		"standard input": func(c *Command) { c.StdinFile = hole },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			c := l.victim("exit", "0")
			change(&c)
			if _, err := l.host.Run(ctx, c); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the run gave %v, want the error of its context", err)
			}
		})
	}
}

func TestWarmTree(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(filepath.Join(dir, "fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"loop": ".", "zero": "/dev/zero", "proc": "/proc", "gone": "nowhere"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	fifo, gone := filepath.Join(dir, "fifo"), filepath.Join(dir, "gone")
	for _, root := range []string{dir, fifo, gone, "/proc", "/proc/kcore", "/sys", "/dev/zero"} {
		t.Run(root, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second*slow)
			defer cancel()
			var h Host
			if err := h.warmTree(ctx, root); err != nil {
				t.Errorf("it gave %v", err)
			}
		})
	}
}

// TestWarmTreeAgain interrupts the first reading of a tree, which must then not count as read.
func TestWarmTreeAgain(t *testing.T) {
	var h Host
	dir := t.TempDir()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, ctx := range []context.Context{ended, ended} {
		if err := h.warmTree(ctx, dir); !errors.Is(err, context.Canceled) {
			t.Errorf("with a context that has ended: %v", err)
		}
	}
	for _, ctx := range []context.Context{t.Context(), ended} { // the second attempt finds the tree already read
		if err := h.warmTree(ctx, dir); err != nil {
			t.Error(err)
		}
	}
}

// TestGrowingFile checks that a file is read only up to its size when it was opened.
func TestGrowingFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "growing")
	if err := os.WriteFile(path, []byte("first"), 0o644); err != nil {
		t.Fatal(err)
	}
	f, info, err := openRegular(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.WriteFile(path, []byte("first and more"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(boundedReader(t.Context(), f, info)); string(got) != "first" || err != nil {
		t.Errorf("read %q, %v, want %q", got, err, "first")
	}
}

// TestIrregularInputs checks that inputs other than regular files are rejected, without opening those that would block.
func TestIrregularInputs(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(fifo, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{fifo, "/dev/zero", "/proc/self/maps", t.TempDir()} {
		if f, _, err := openRegular(path); err == nil {
			f.Close()
			t.Errorf("%s was opened", path)
		}
	}
}
