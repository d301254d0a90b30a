package cache

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestSweepDead creates files of dead and live processes: the next process removes those of dead processes and nothing
// else.
func TestSweepDead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	open := func() *Store {
		t.Helper()
		s, err := Open(dir, Options{Durability: Relaxed})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	living := open()
	defer living.Close()
	work, err := living.TempDir()
	if err != nil {
		t.Fatal(err)
	}
	dead := open()
	left, err := dead.TempDir()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(left, "file"), []byte("x"), 0o444); err != nil {
		t.Fatal(err)
	}
	presence := dead.presence.Name()
	dead.presence.Close() // simulates the death of a process
	dead.presence = nil
	download, err := living.DownloadPath("x")
	if err != nil {
		t.Fatal(err)
	}
	gone := filepath.Join(dir, "tmp", "blob-12345-678")
	for _, path := range []string{download, gone} {
		if err := os.WriteFile(path, []byte("x"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	next := open()
	defer next.Close()
	for path, want := range map[string]bool{work: true, left: false, presence: false, download: true, gone: false} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", path, err == nil, want)
		}
	}
}

// TestSweepBeside creates leftovers next to an output: the next process that publishes there removes only those of this
// store's dead processes.
func TestSweepBeside(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a [store]")
	open := func() *Store {
		t.Helper()
		s, err := Open(dir, Options{Durability: Relaxed})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	target := filepath.Join(t.TempDir(), "site [1]*", "table.csv")
	living, dead, next := open(), open(), open()
	defer living.Close()
	defer next.Close()
	want := map[string]bool{}
	for s, stays := range map[*Store]bool{living: true, dead: false} {
		temp, err := s.tempBeside(target)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(temp, "part"), []byte("x"), 0o444); err != nil {
			t.Fatal(err)
		}
		want[temp] = stays
	}
	for _, name := range []string{".smtpipe-mine", ".smtpipe-0123456789ab-77-5", ".smtpipe",
		filepath.Base(living.besideStore()) + "none-5"} {
		path := filepath.Join(filepath.Dir(target), name)
		if err := os.Mkdir(path, 0o777); err != nil {
			t.Fatal(err)
		}
		want[path] = true
	}
	dead.presence.Close() // simulates the death of a process
	dead.presence = nil
	written := next.Written("pipeline", next.FileIndex(false))
	if err := written.Publish(target, Digest{}, false, func(w io.Writer) error {
		_, err := w.Write([]byte("x"))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	want[target] = true
	entries, err := os.ReadDir(filepath.Dir(target))
	// the live process's folder, four other folders, the table, and the list of written files
	if err != nil || len(entries) != 7 {
		t.Errorf("there are %d entries, %v", len(entries), err)
	}
	for path, there := range want {
		if _, err := os.Stat(path); (err == nil) != there {
			t.Errorf("%s is there: %v, want %v", path, err == nil, there)
		}
	}
}
