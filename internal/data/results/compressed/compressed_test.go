package compressed_test

import (
	"bytes"
	"encoding/base64"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"github.com/smtpipe/smtpipe/internal/data/results/compressed"
)

const text = "benchmark,status\nQF_BV/x.smt2,sat\n"

// bzip2Text is a text compressed with bzip2 1.0.8, because Go has no bzip2 compressor.
const bzip2Text = "QlpoOTFBWSZTWSx8y5YAAAffgAAQAAWQABEAIQC6Sx5AIAAxQAYjTTRoUmJkae1JtTzSjPdYSwHSBvMcuvxOCYc8VF6CPxdyRThQkCx8y5Y="

func pack(t *testing.T, open func(io.Writer) (io.WriteCloser, error)) []byte {
	t.Helper()
	var buffer bytes.Buffer
	w, err := open(&buffer)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

func TestOpen(t *testing.T) {
	bz, err := base64.StdEncoding.DecodeString(bzip2Text)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		data []byte
	}{
		{"plain", []byte(text)},
		{"gzip", pack(t, func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil })},
		{"zstd", pack(t, func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) })},
		{"xz", pack(t, func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) })},
		{"bzip2", bz},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file") // the name does not reveal the format
			if err := os.WriteFile(path, c.data, 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := compressed.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if got, err := io.ReadAll(r); err != nil || string(got) != text {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestEdges(t *testing.T) {
	for name, data := range map[string]string{"empty": "", "one byte": "x",
		"looks like the beginning of gzip": "\x1f"} {
		r, err := compressed.NewReader(strings.NewReader(data))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != data {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
	if _, err := compressed.NewReader(strings.NewReader("\x1f\x8bnonsense")); err == nil ||
		!strings.Contains(err.Error(), "gzip") {
		t.Errorf("broken gzip: got %v", err)
	}
	if _, err := compressed.Open(filepath.Join(t.TempDir(), "absent")); !os.IsNotExist(err) {
		t.Errorf("absent file: got %v", err)
	}
}
