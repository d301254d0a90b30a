package confidence

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/contest/score/scoreio"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// official calls yield with the points of every ranking in a published competition, by its year's rules.
func official(t testing.TB, name string, yield func(*score.Points) error) {
	t.Helper()
	o, err := scoreio.ReadOfficial(testkit.Shared(t, "official-results", name), rules.PublishedOf)
	if err != nil {
		t.Fatal(err)
	}
	rs, _, diags := rules.FindScoring(name[:4], "")
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	if err := score.EachPoints(context.Background(), rs, o.Runs, score.Readings{}, yield); err != nil {
		t.Fatal(err)
	}
}

// TestPointsOfficial checks, in five published competitions, that the points add up to the ranking's figures and that
// the winner is the eligible solver with the best sum.
func TestPointsOfficial(t *testing.T) {
	for _, name := range []string{"2015-application", "2019-unsat-core", "2022-single-query", "2024-parallel",
		"2025-incremental"} {
		t.Run(name, func(t *testing.T) {
			rankings := 0
			official(t, name, func(p *score.Points) error {
				rankings++
				where := filepath.Join(p.Division.Name, p.Ranking.View)
				var best []int64
				var winners []string
				for i := range p.Ranking.Entries {
					e := &p.Ranking.Entries[i]
					sum := make([]int64, len(p.Order))
					for b := range p.Benchmarks {
						for k, v := range p.At(i, b) {
							sum[k] += v
						}
					}
					for k, key := range p.Order {
						var want float64
						switch key.Column {
						case "e":
							want = -float64(e.Cell.Errors)
						case "n":
							want = float64(e.Cell.Correct)
						case "w":
							want = -e.Cell.Wall.Seconds() * 1e9
						case "c":
							want = -e.Cell.CPU.Seconds() * 1e9
						default:
							continue
						}
						if d := float64(sum[k]) - want; d > 2048 || d < -2048 { // in nanoseconds, from a float64
							t.Errorf("%s: %s of %s is %d, want %v", where, key.Column, e.Solver, sum[k], want)
						}
					}
					if !e.Eligible {
						continue
					}
					switch by := slices.Compare(sum, best); {
					case best == nil || by > 0:
						best, winners = sum, []string{e.Solver}
					case by == 0:
						winners = append(winners, e.Solver)
					}
				}
				if !slices.Equal(winners, p.Ranking.Winners) {
					t.Errorf("%s: the winners are %v, want %v", where, winners, p.Ranking.Winners)
				}
				return nil
			})
			t.Logf("%d rankings", rankings)
		})
	}
}

// BenchmarkOfficial2022 resamples all rankings over the 658,873 runs of 2022 a thousand times.
func BenchmarkOfficial2022(b *testing.B) {
	for b.Loop() {
		official(b, "2022-single-query", func(p *score.Points) error {
			Of(p, Options{Resamples: 1000, Seed: 1})
			return nil
		})
	}
}
