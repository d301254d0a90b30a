package scoreio

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// BenchmarkOfficial2022 reads and scores the 658,873 runs of 2022: all views, logics and recognitions.
func BenchmarkOfficial2022(b *testing.B) {
	dir := testkit.Shared(b, "official-results", "2022-single-query")
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := ReadOfficial(dir, rules.PublishedOf); err != nil {
				b.Fatal(err)
			}
		}
	})
	o, err := ReadOfficial(dir, rules.PublishedOf)
	if err != nil {
		b.Fatal(err)
	}
	_, published, err := o.Practice()
	if err != nil {
		b.Fatal(err)
	}
	for year, all := range map[string]map[string]score.Readings{
		"2022": {"rules": {}, "published": published}, "2026": {"rules": {}},
	} {
		rs := ruleSet(b, year)
		for name, rd := range all {
			b.Run(year+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := score.Compute(context.Background(), rs, o.Runs, rd); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkParquet reads invented runs of twenty solvers in twenty divisions from Parquet and scores them with all 2022
// views and recognitions. One of the sizes is that of 2022's single-query track.
func BenchmarkParquet(b *testing.B) {
	rs := ruleSet(b, "2022")
	for _, n := range []int{10_000, 100_000, 658_873, 1_000_000, 4_000_000} {
		path := filepath.Join(b.TempDir(), fmt.Sprint(n, ".parquet"))
		writePacked(b, path, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				runs, _, err := ReadRunsFile(path, nil)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := score.Compute(context.Background(), rs, runs, score.Readings{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/run")
		})
	}
}

// writePacked writes n runs as Parquet.
func writePacked(b *testing.B, path string, n int) {
	b.Helper()
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	w := parquet.NewGenericWriter[packedRun](f, parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}))
	rnd := rand.New(rand.NewPCG(1, 2))
	answers := []string{"sat", "unsat", "unknown", "timeout"}
	for i := range n {
		benchmark, s := i/20, i%20
		division := fmt.Sprint("D", benchmark%20)
		packed := packedRun{Track: "single_query", Division: division, Logic: division + "L" + fmt.Sprint(benchmark%3),
			Benchmark: fmt.Sprint("made-up/b", benchmark, ".smt2"), Status: []string{"sat", "unsat",
				"unknown"}[benchmark%7%3],
			Solver: fmt.Sprint("s", s), Team: fmt.Sprint("t", s/2), Competitive: s > 3, Answer: &answers[rnd.IntN(4)],
			Wall: float64(rnd.IntN(1_300_000)) / 1e3, Limit: 1200, Cores: 4}
		packed.CPU = packed.Wall + float64(rnd.IntN(1000))/1e3
		if _, err := w.Write([]packedRun{packed}); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkGrowth scores invented runs of twenty solvers in twenty divisions, with all 2026 views and recognitions.
func BenchmarkGrowth(b *testing.B) {
	rs := ruleSet(b, "2026")
	for _, n := range []int{10_000, 100_000, 1_000_000, 4_000_000} {
		runs := madeUp(b, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := score.Compute(context.Background(), rs, runs, score.Readings{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/run")
		})
	}
}

// madeUp creates n runs.
func madeUp(b testing.TB, n int) *score.Runs {
	b.Helper()
	rnd := rand.New(rand.NewPCG(1, 2))
	answers := []string{"sat", "unsat", "unknown", "timeout"}
	var builder score.Builder
	for i := range n / 20 {
		division, status := fmt.Sprint("D", i%20), []string{"sat", "unsat", "unknown"}[rnd.IntN(3)]
		for s := range 20 {
			row := score.Row{
				Identity: run.Identity{Track: "single_query", Logic: division + "L" + fmt.Sprint(i%3),
					Benchmark: fmt.Sprint("b", i), Solver: fmt.Sprint("s", s)},
				Subject: run.Subject{Division: division, Status: status},
				Entrant: run.Entrant{Team: fmt.Sprint("t", s/2), Competitive: s > 3},
				Rest: score.Rest{Limit: 1200 * score.Second, Cores: 4, Judged: run.Unjudged(),
					Recorded: score.NoRecord},
			}
			row.Answer, row.Wall = answers[rnd.IntN(4)], score.Time(rnd.Int64N(1300))*score.Second/7
			row.CPU = row.Wall * 5 / 4
			if err := builder.Add(&row); err != nil {
				b.Fatal(err)
			}
		}
	}
	return builder.Runs()
}
