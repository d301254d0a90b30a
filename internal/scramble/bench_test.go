package scramble

import (
	"testing"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/smtlib/smtlibtest"
)

// BenchmarkAppend scrambles the release's files that are over 100 KiB, the set of the published figures of the official
// program, those of medium size, and the small ones.
func BenchmarkAppend(b *testing.B) {
	sets := map[string][]smtlibtest.File{}
	for _, f := range smtlibtest.Release(b) {
		switch n := len(f.Text); {
		case n > 100<<10:
			sets["over100KiB"] = append(sets["over100KiB"], f)
		case n < 10<<10:
			sets["under10KiB"] = append(sets["under10KiB"], f)
		default:
			sets["between"] = append(sets["between"], f)
		}
	}
	for _, name := range []string{"over100KiB", "between", "under10KiB"} {
		b.Run(name, func(b *testing.B) { benchmarkAppend(b, sets[name]) })
	}
}

func benchmarkAppend(b *testing.B, files []smtlibtest.File) {
	total := 0
	for _, f := range files {
		total += len(f.Text)
	}
	opt := ForTrack(comp.SingleQuery, 2026)
	var out []byte
	b.SetBytes(int64(total))
	b.ReportAllocs()
	before := smtlibtest.CPUTime(b)
	for b.Loop() {
		for _, f := range files {
			out, _ = Append(out[:0], f.Text, opt) // rejections are as much work as the text in front of them
		}
	}
	spent := smtlibtest.CPUTime(b) - before
	b.ReportMetric(float64(total)*float64(b.N)/1e6/spent.Seconds(), "MB/cpu-s")
	b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N*len(files)), "cpu-ns/file")
}
