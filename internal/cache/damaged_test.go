package cache

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestDamagedSmallBlob checks that a small blob found to be damaged counts as absent and can be stored again.
func TestDamagedSmallBlob(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "store")
	opened := func() *Store {
		s, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := opened()
	d, err := s.PutBytes([]byte("a small blob"))
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	packs, _ := filepath.Glob(filepath.Join(dir, "packs", "*.seg"))
	if len(packs) != 1 {
		t.Fatalf("packs: %v", packs)
	}
	b, err := os.ReadFile(packs[0])
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)-1] ^= 0xff
	if err := os.WriteFile(packs[0], b, 0o666); err != nil {
		t.Fatal(err)
	}
	s = opened()
	if _, err := s.ReadBytes(d); err == nil {
		t.Error("a damaged blob was read")
	}
	if s.Has(d) {
		t.Error("a damaged blob counts as there")
	}
	if _, err := s.PutBytes([]byte("a small blob")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got, err := s.ReadBytes(d); err != nil || string(got) != "a small blob" || !s.Has(d) {
			t.Errorf("stored anew: %q, %v", got, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = opened()
	}
	s.Close()
}

// TestWrongSmallBlob checks that a small blob whose record is intact but has other bytes can be stored again.
func TestWrongSmallBlob(t *testing.T) {
	t.Parallel()
	s, err := Open(filepath.Join(t.TempDir(), "store"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	d := DigestOf([]byte("right"))
	if err := s.packs.put(d, pack([]byte("wrong"))); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ReadBytes(d); err == nil {
		t.Error("wrong bytes were read")
	}
	_, err = s.PutBytes([]byte("right"))
	got, err2 := s.ReadBytes(d)
	if err := errors.Join(err, err2); err != nil || string(got) != "right" {
		t.Errorf("stored anew: %q, %v", got, err)
	}
}
