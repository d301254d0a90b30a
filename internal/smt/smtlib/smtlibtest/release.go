// Package smtlibtest provides tests with the miniature release of benchmarks in the shared data.
package smtlibtest

import (
	"archive/tar"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/smtpipe/smtpipe/internal/testkit"
)

// File is a benchmark of the release.
type File struct {
	Path string // path in the release, such as non-incremental/QF_LIA/fft/x.smt2
	Text []byte
}

// Release returns the unpacked files of the miniature release, sorted by path. Without the shared data, the test is
// skipped; see testkit.Shared.
func Release(t testing.TB) []File {
	t.Helper()
	files := map[string][]byte{}
	for _, archive := range Archives(t) {
		if err := unpack(archive, files); err != nil {
			t.Fatalf("read %s: %v", archive, err)
		}
	}
	sorted := make([]File, 0, len(files))
	for _, path := range slices.Sorted(maps.Keys(files)) {
		sorted = append(sorted, File{path, files[path]})
	}
	return sorted
}

// Archives returns the paths of the release's archives.
func Archives(t testing.TB) []string {
	t.Helper()
	root := testkit.Shared(t, "smtlib-mini")
	archives, err := filepath.Glob(filepath.Join(root, "*", "*.tar.zst"))
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives in %s (%v)", root, err)
	}
	return archives
}

func unpack(path string, files map[string][]byte) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		return err
	}
	defer z.Close()
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if files[h.Name], err = io.ReadAll(r); err != nil {
			return err
		}
	}
}
