package smtlib

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/smtpipe/smtpipe/internal/smt/smtlib/smtlibtest"
)

// BenchmarkIndex inspects every file in the release's archives in memory, on one core: it decompresses, unpacks and
// calls Inspect. Indexing a release does the same work, except that it reads from disk.
func BenchmarkIndex(b *testing.B) {
	var archives [][]byte
	for _, path := range smtlibtest.Archives(b) {
		text, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		archives = append(archives, text)
	}
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		b.Fatal(err)
	}
	defer z.Close()
	var buffer bytes.Buffer
	total := int64(0)
	before := smtlibtest.CPUTime(b)
	for b.Loop() {
		total = 0
		for _, text := range archives {
			if err := z.Reset(bytes.NewReader(text)); err != nil {
				b.Fatal(err)
			}
			total += inspectArchive(b, tar.NewReader(z), &buffer)
		}
	}
	spent := smtlibtest.CPUTime(b) - before
	b.SetBytes(total)
	b.ReportMetric(float64(total)*float64(b.N)/1e6/spent.Seconds(), "MB/cpu-s")
}

func inspectArchive(b *testing.B, r *tar.Reader, buffer *bytes.Buffer) (total int64) {
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return total
		}
		if err != nil {
			b.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		buffer.Reset()
		if _, err := buffer.ReadFrom(r); err != nil {
			b.Fatal(err)
		}
		if _, err := Inspect(buffer.Bytes()); err != nil {
			b.Fatal(err)
		}
		total += int64(buffer.Len())
	}
}

func BenchmarkPrint(b *testing.B) {
	var out []byte
	benchmarkFiles(b, func(src []byte) {
		s, err := Parse(src)
		if err != nil {
			b.Fatal(err)
		}
		out = s.Append(out[:0])
	})
}
