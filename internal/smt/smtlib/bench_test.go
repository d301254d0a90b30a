package smtlib

import (
	"testing"

	"github.com/smtpipe/smtpipe/internal/smt/smtlib/smtlibtest"
)

// benchmarkFiles runs work over the release's files of more than 100 KiB, and over its small files.
func benchmarkFiles(b *testing.B, work func(src []byte)) {
	var large, small []smtlibtest.File
	for _, f := range smtlibtest.Release(b) {
		switch n := len(f.Text); {
		case n > 100<<10:
			large = append(large, f)
		case n < 10<<10:
			small = append(small, f)
		}
	}
	for _, set := range []struct {
		name  string
		files []smtlibtest.File
	}{{"over100KiB", large}, {"under10KiB", small}} {
		b.Run(set.name, func(b *testing.B) {
			total := 0
			for _, f := range set.files {
				total += len(f.Text)
			}
			b.SetBytes(int64(total))
			b.ReportAllocs()
			before := smtlibtest.CPUTime(b)
			for b.Loop() {
				for _, f := range set.files {
					work(f.Text)
				}
			}
			spent := smtlibtest.CPUTime(b) - before
			b.ReportMetric(float64(total)*float64(b.N)/1e6/spent.Seconds(), "MB/cpu-s")
			b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N*len(set.files)), "cpu-ns/file")
		})
	}
}

func BenchmarkLexer(b *testing.B) {
	benchmarkFiles(b, func(src []byte) {
		l := NewLexer(string(src))
		for l.Next().Kind != EOF {
		}
	})
}

func BenchmarkParse(b *testing.B) {
	benchmarkFiles(b, func(src []byte) {
		if _, err := Parse(src); err != nil {
			b.Fatal(err)
		}
	})
}

func BenchmarkInspect(b *testing.B) {
	benchmarkFiles(b, func(src []byte) {
		if _, err := Inspect(src); err != nil {
			b.Fatal(err)
		}
	})
}
