package release_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/smtpipe/smtpipe/internal/base/packed"
	"github.com/smtpipe/smtpipe/internal/smt/release"
	"github.com/smtpipe/smtpipe/internal/smt/smtlib/smtlibtest"
)

// BenchmarkIndex indexes all archives of the miniature release in memory, including decompression and digests.
func BenchmarkIndex(b *testing.B) {
	archives := map[string][]byte{}
	for _, path := range smtlibtest.Archives(b) {
		text, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		archives[filepath.Base(filepath.Dir(path))+"/"+filepath.Base(path)] = text
	}
	total := int64(0)
	before := smtlibtest.CPUTime(b)
	for b.Loop() {
		total = 0
		for name, text := range archives {
			rows, err := release.Index(context.Background(), name, "0", nil, bytes.NewReader(text), packed.Default, 1)
			if err != nil {
				b.Fatal(err)
			}
			for i := range rows {
				total += rows[i].SizeBytes
			}
		}
	}
	spent := smtlibtest.CPUTime(b) - before
	b.SetBytes(total)
	b.ReportMetric(float64(total)*float64(b.N)/1e6/spent.Seconds(), "MB/cpu-s")
}
