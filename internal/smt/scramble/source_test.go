package scramble

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOpenBenchmark checks that a text is the same whether it is mapped or read, from the start or middle of a file or
// from a pipe.
func TestOpenBenchmark(t *testing.T) {
	for _, n := range []int{0, 1, leastMapped - 1, leastMapped, 3*leastMapped + 5} {
		want := bytes.Repeat([]byte("(a)"), n)[:n]
		file := writeBenchmark(t, want)
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		middle := n / 3
		for _, in := range []struct {
			what   string
			name   string
			begin  int64
			stdin  io.Reader
			mapped bool
		}{
			{"file", file, 0, nil, n >= leastMapped},
			{"standard input", "-", 0, f, n >= leastMapped},
			{"the rest of standard input", "-", int64(middle), f, n-middle >= leastMapped},
			{"a pipe", "-", int64(middle), io.NewSectionReader(f, int64(middle), int64(n)), n-middle >= leastMapped},
		} {
			if _, err := f.Seek(in.begin, io.SeekStart); err != nil {
				t.Fatal(err)
			}
			b, err := OpenBenchmark(in.stdin, in.name)
			if err != nil || b.mapped != in.mapped || !bytes.Equal(b.Text, want[in.begin:]) {
				t.Fatalf("%s, %d bytes: got %d bytes, mapped %t, %v; want %d, %t", in.what, n, len(b.Text), b.mapped,
					err, len(want)-int(in.begin), in.mapped)
			}
			b.Close()
		}
	}
}

// TestPipedBenchmark checks that a large text from a pipe leaves no file behind, and is read even if no file can be
// created.
func TestPipedBenchmark(t *testing.T) {
	want := bytes.Repeat([]byte("(a)"), leastMapped)
	for _, tt := range []struct {
		dir    string
		mapped bool
	}{{t.TempDir(), true}, {filepath.Join(t.TempDir(), "absent"), false}} {
		t.Setenv("TMPDIR", tt.dir)
		b, err := OpenBenchmark(bytes.NewReader(want), "-")
		if err != nil || b.mapped != tt.mapped || !bytes.Equal(b.Text, want) {
			t.Fatalf("got %d bytes, mapped %t, %v; want %d, %t", len(b.Text), b.mapped, err, len(want), tt.mapped)
		}
		if left, _ := os.ReadDir(tt.dir); len(left) > 0 {
			t.Errorf("%v are left", left)
		}
		b.Close()
	}
}

// TestCutBenchmark checks that truncating a file while it is scrambled is an error.
func TestCutBenchmark(t *testing.T) {
	file := writeBenchmark(t, []byte("(set-logic QF_UF)"+strings.Repeat("(check-sat)", leastMapped)))
	b, err := OpenBenchmark(nil, file)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := os.Truncate(file, 0); err != nil {
		t.Fatal(err)
	}
	var s Scrambler
	err = CatchFault(func() error { return s.WriteTo(io.Discard, b.Text, Options{}) })
	if err == nil || !strings.Contains(err.Error(), "changed while it was being read") {
		t.Errorf("got %v, want that the file was changed", err)
	}
}

func writeBenchmark(t *testing.T, text []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "benchmark.smt2")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
