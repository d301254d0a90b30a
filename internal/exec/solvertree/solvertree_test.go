package solvertree_test

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/exec/solvertree"
)

func zipped(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range files {
		h := &zip.FileHeader{Name: name}
		h.SetMode(0o755)
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func open(t *testing.T) *cache.Store {
	t.Helper()
	store, err := cache.Open(filepath.Join(t.TempDir(), "store"), cache.Options{Durability: cache.Relaxed})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

func TestOpen(t *testing.T) {
	store := open(t)
	archive := zipped(t, map[string]string{"bin/solver": "#!/bin/sh\necho sat\n"})
	digest, err := store.PutBytes(archive)
	if err != nil {
		t.Fatal(err)
	}
	first, err := solvertree.Open(t.Context(), store, solvertree.Archive{SHA256: digest})
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(first.Path, "bin", "solver")
	if text, err := os.ReadFile(program); err != nil || string(text) != "#!/bin/sh\necho sat\n" {
		t.Fatalf("the program is %q, %v", text, err)
	}
	again, err := solvertree.Open(t.Context(), store, solvertree.Archive{SHA256: digest})
	if err != nil || again != first {
		t.Errorf("the second time it is %v, %v; want %v", again, err, first)
	}

	// A check must recreate a modified folder from the archive, wherever the archive is.
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho unsat\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "a.zip")
	if err := os.WriteFile(file, archive, 0o644); err != nil {
		t.Fatal(err)
	}
	checked, err := solvertree.Check(t.Context(), store, solvertree.Archive{SHA256: digest, Path: file})
	if err != nil || checked != first {
		t.Errorf("checked it is %v, %v; want %v", checked, err, first)
	}
	if text, _ := os.ReadFile(program); string(text) != "#!/bin/sh\necho sat\n" {
		t.Errorf("after the check the program is %q", text)
	}

	// Removing the folder was interrupted.
	if err := os.Remove(filepath.Join(first.Path, "..", "digest")); err != nil {
		t.Fatal(err)
	}
	again, err = solvertree.Open(t.Context(), store, solvertree.Archive{SHA256: digest})
	if err != nil || again != first {
		t.Errorf("after half of it was removed it is %v, %v; want %v", again, err, first)
	}
}

func TestOpenFails(t *testing.T) {
	store := open(t)
	put := func(b []byte) cache.Digest {
		d, err := store.PutBytes(b)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	tests := []struct {
		name   string
		digest cache.Digest
		want   string
	}{
		{"not in the store", cache.DigestOf([]byte("nothing")), "is not in the store"},
		{"no archive", put([]byte("plain text")), "unpack"},
		{"a name that leads out", put(zipped(t, map[string]string{"../evil": "x"})), "evil"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := solvertree.Open(t.Context(), store, solvertree.Archive{SHA256: tt.digest})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("the error is %v, want one with %q", err, tt.want)
			}
			if _, err := os.Stat(filepath.Join(store.Dir(), "solvers", tt.digest.String())); err == nil {
				t.Error("a folder is left")
			}
		})
	}
}
