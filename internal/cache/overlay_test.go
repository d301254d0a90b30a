package cache

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"
)

func TestOverlay(t *testing.T) {
	dir := t.TempDir()
	below, err := Open(filepath.Join(dir, "below"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer below.Close()
	over, err := below.Overlay(filepath.Join(dir, "over"))
	if err != nil {
		t.Fatal(err)
	}
	defer over.Close()
	put := func(s *Store, b []byte) Digest {
		d, err := s.PutBytes(b)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	large := bytes.Repeat([]byte("x"), packLimit+1)
	small, big, own := put(below, []byte("small")), put(below, large), put(over, []byte("own"))
	for name, want := range map[Digest][]byte{small: []byte("small"), big: large, own: []byte("own")} {
		got, err := over.ReadBytes(name)
		if err != nil || !bytes.Equal(got, want) || !over.Has(name) {
			t.Errorf("%d bytes are read as %d bytes, %v", len(want), len(got), err)
		}
		var copied bytes.Buffer
		if err := over.CopyBlob(&copied, name); err != nil || !bytes.Equal(copied.Bytes(), want) {
			t.Errorf("%d bytes are copied as %d bytes, %v", len(want), copied.Len(), err)
		}
	}
	if below.Has(own) {
		t.Error("what was put into the overlay is in the store below")
	}
	_, err = over.ReadBytes(DigestOf([]byte("nowhere")))
	if _, missing := errors.AsType[*MissingError](err); !missing {
		t.Errorf("a blob that is nowhere: %v", err)
	}
}
