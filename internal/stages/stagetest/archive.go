package stagetest

import (
	"archive/tar"
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// Member is a file in an archive.
type Member struct{ Path, Text string }

// WriteArchive writes a .tar.zst archive into a pipeline's folder.
func WriteArchive(t testing.TB, path string, members ...Member) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, Archive(t, members...), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Archive returns the bytes of a .tar.zst archive.
func Archive(t testing.TB, members ...Member) []byte {
	t.Helper()
	var buf bytes.Buffer
	z, err := zstd.NewWriter(&buf)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(z)
	for _, m := range members {
		if err := w.WriteHeader(&tar.Header{Name: m.Path, Mode: 0o644, Size: int64(len(m.Text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(m.Text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}
