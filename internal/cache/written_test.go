package cache

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestPublishAgain checks that a file is produced again only if its source or the file itself has changed. A file that
// another program wrote is never replaced.
func TestPublishAgain(t *testing.T) {
	t.Parallel()
	s, err := Open(t.TempDir(), Options{Durability: Relaxed})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	target := filepath.Join(t.TempDir(), "table.csv")
	made := 0
	publish := func(source, content string, overwrite bool) error {
		var from Digest
		if source != "" {
			from = DigestOf([]byte(source))
		}
		return s.Written("p", s.FileIndex(false)).Publish(target, from, overwrite, func(w io.Writer) error {
			made++
			_, err := io.WriteString(w, content)
			return err
		})
	}
	change := func(what func() error) {
		t.Helper()
		if err := what(); err != nil {
			t.Fatal(err)
		}
	}
	steps := []struct {
		name            string
		before          func() error
		source, content string
		overwrite       bool
		made            int // how often the content has been produced so far
		refused         bool
	}{
		{name: "first", source: "a", content: "A", made: 1},
		{name: "nothing changed", source: "a", content: "A", made: 1},
		{name: "another source", source: "b", content: "B", made: 2},
		{name: "back again", source: "a", content: "A", made: 3},
		{name: "no source", content: "A", made: 4},
		{name: "a source after none", source: "a", content: "A", made: 5},
		{name: "removed", before: func() error { return os.Remove(target) }, source: "a", content: "A", made: 6},
		{name: "changed, as long as before", before: func() error { return os.WriteFile(target, []byte("X"), 0o666) },
			source: "a", content: "A", made: 7, refused: true},
		{name: "overwritten", source: "a", content: "A", overwrite: true, made: 8},
		{name: "and nothing changed", source: "a", content: "A", made: 8},
	}
	for _, step := range steps {
		if step.before != nil {
			change(step.before)
		}
		if err := publish(step.source, step.content, step.overwrite); (err != nil) != step.refused {
			t.Fatalf("%s: error %v, want one: %v", step.name, err, step.refused)
		}
		want := step.content
		if step.refused {
			want = "X"
		}
		if got, err := os.ReadFile(target); err != nil || string(got) != want {
			t.Errorf("%s: the file holds %q, %v; want %q", step.name, got, err, want)
		}
		if made != step.made {
			t.Errorf("%s: made %d times, want %d", step.name, made, step.made)
		}
	}
}

// TestPublishOnFullDisk checks that a file is replaced only if smtpipe can record that the new one is its own.
// Otherwise the next run would refuse to replace it.
func TestPublishOnFullDisk(t *testing.T) {
	s := open(t)
	dir := t.TempDir()
	if err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", dir).Run(); err != nil {
		t.Skip("a file system cannot be mounted without root: " + err.Error())
	}
	defer exec.Command("umount", "-l", dir).Run()
	target := filepath.Join(dir, "table.csv")
	filler := filepath.Join(dir, "filler")
	publish := func(content string, full bool) error {
		return s.Written("p", s.FileIndex(false)).Publish(target, Digest{}, false, func(w io.Writer) error {
			_, err := io.WriteString(w, content)
			if full {
				_ = os.WriteFile(filler, make([]byte, 64<<10), 0o666)
			}
			return err
		})
	}
	if err := publish("A", false); err != nil {
		t.Fatal(err)
	}
	if err := publish("B", true); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("published on a full disk: %v", err)
	}
	if got, err := os.ReadFile(target); err != nil || string(got) != "A" {
		t.Errorf("the file holds %q, %v", got, err)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if err := publish("C", false); err != nil {
		t.Errorf("published with space again: %v", err)
	}
}

// BenchmarkPublishNothing publishes an existing 40 MB file from the same source: only the file's stat is checked.
func BenchmarkPublishNothing(b *testing.B) {
	s, err := Open(b.TempDir(), Options{Durability: Relaxed})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	target, source := filepath.Join(b.TempDir(), "table.csv"), DigestOf([]byte("source"))
	written := s.Written("p", s.FileIndex(false))
	publish := func() {
		if err := written.Publish(target, source, false, func(w io.Writer) error {
			_, err := w.Write(make([]byte, 40<<20))
			return err
		}); err != nil {
			b.Fatal(err)
		}
	}
	publish()
	time.Sleep(2100 * time.Millisecond) // long enough that the file's stat is trusted
	publish()
	for b.Loop() {
		publish()
	}
}
