package release

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/smtpipe/smtpipe/internal/base/packed"
	"github.com/smtpipe/smtpipe/internal/smt/smtlib/smtlibtest"
)

// limits are the limits that the stage uses.
var limits = packed.Default

// TestBomb indexes an archive with a large file of zeros between two benchmarks.
func TestBomb(t *testing.T) {
	const size = 8 << 20
	var buf bytes.Buffer
	z, err := zstd.NewWriter(&buf)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(z)
	for name, content := range map[string]string{"non-incremental/QF_LIA/a/x.smt2": "(set-logic QF_LIA)(check-sat)",
		"zeros": strings.Repeat("\x00", size)} {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content))}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, content); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		limits packed.Limits
		want   string // part of the error
	}{
		{packed.Limits{Ratio: 150, Free: 1 << 20}, "raise unpack_ratio"},
		{packed.Limits{Ratio: 150, Free: 2 * size}, ""},
		{packed.Limits{Ratio: size}, ""},
		{packed.Limits{Time: 1}, "raise unpack_time"},
		{packed.Limits{}, ""},
	} {
		rows, err := Index(t.Context(), "b.tar.zst", "", nil, bytes.NewReader(buf.Bytes()), tt.limits, 1)
		switch {
		case tt.want == "" && (err != nil || len(rows) != 1):
			t.Errorf("%+v: %d rows, %v", tt.limits, len(rows), err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%+v: %v, want %q", tt.limits, err, tt.want)
		}
	}
}

// TestRatioOfReleases checks that no archive of benchmarks reaches half of the ratio limit, even without the gigabyte
// that is always allowed.
func TestRatioOfReleases(t *testing.T) {
	most := limits
	most.Free, most.Ratio = 0, limits.Ratio/2
	for _, path := range smtlibtest.Archives(t) {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := Walk(path, f, most, func(Member, io.Reader) error { return nil }); err != nil {
			t.Error(err)
		}
		f.Close()
	}
}
