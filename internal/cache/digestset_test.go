package cache

import (
	"os"
	"path/filepath"
	"testing"
)

// TestDigestSet checks that moving a program to another folder keeps its digest, and that another name, content or
// library changes it.
func TestDigestSet(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	lib, newer := write("lib.so", "library"), write("newer.so", "other library")
	s, err := Open(filepath.Join(dir, "store"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	x := s.FileIndex(false)
	digest := func(program string, paths ...string) Digest {
		t.Helper()
		d, err := x.DigestSet(program, func() ([]string, error) { return paths, nil })
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	a, z := write("a/solver", "program"), write("z/solver", "program")
	want := digest(a, a, lib)
	if got := digest(z, lib, z); got != want {
		t.Error("the folder of a program is part of its digest")
	}
	for what, got := range map[string]Digest{
		"name":    digest(write("a/other", "program"), lib, filepath.Join(dir, "a/other")),
		"content": digest(write("b/solver", "newer"), lib, filepath.Join(dir, "b/solver")),
		"library": digest(write("c/solver", "program"), filepath.Join(dir, "c/solver"), newer),
	} {
		if got == want {
			t.Errorf("another %s gives the same digest", what)
		}
	}
}
