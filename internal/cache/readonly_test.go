package cache

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadOnly opens a store on a read-only file system: everything is readable, and writing fails with a readable
// error.
func TestReadOnly(t *testing.T) {
	dir := t.TempDir()
	if err := exec.Command("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", dir).Run(); err != nil {
		t.Skip("a file system cannot be mounted without root: " + err.Error())
	}
	defer exec.Command("umount", "-l", dir).Run()
	path := filepath.Join(dir, "store")
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := s.PutBytes([]byte("text"))
	if err != nil {
		t.Fatal(err)
	}
	it, err := s.Items("runs")
	if err != nil {
		t.Fatal(err)
	}
	if err := it.Put(Key{1}, []byte("record")); err != nil {
		t.Fatal(err)
	}
	k := NewKeyWriter("stage/1")
	if err := s.PutAction(k.Key(), &Action{Components: k.Components()}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-o", "remount,ro", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}

	if s, err = Open(path, Options{}); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if b, err := s.ReadBytes(d); err != nil || string(b) != "text" {
		t.Errorf("content %q, %v", b, err)
	}
	if a, err := s.GetAction(k.Key()); a == nil || err != nil {
		t.Errorf("record %v, %v", a, err)
	}
	if it, err = s.Items("runs"); err != nil {
		t.Fatal(err)
	}
	if b, ok, err := it.Get(Key{1}); !ok || err != nil || string(b) != "record" {
		t.Errorf("item %q, %v, %v", b, ok, err)
	}
	if _, err := s.GC(GCOptions{DryRun: true}); err != nil {
		t.Errorf("what gc would remove: %v", err)
	}
	if v, err := s.Check(); err != nil || len(v.Problems) > 0 {
		t.Errorf("check: %+v, %v", v, err)
	}
	if _, _, err := s.Lock("stage-x"); err == nil || !strings.Contains(err.Error(),
		"can be read here but not written to") {
		t.Errorf("a lock gives %v", err)
	}
	if _, err := s.PutBytes([]byte("new")); err == nil {
		t.Error("content was stored on a read-only file system")
	}
}
