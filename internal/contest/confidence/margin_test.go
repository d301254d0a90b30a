package confidence

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/smtpipe/smtpipe/internal/contest/score"
)

// order is e, n, w, as in the rules since 2015.
var order = []score.Key{{Column: "e"}, {Column: "n", Desc: true}, {Column: "w"}}

// run is a benchmark score: errors, correct answers, and time in nanoseconds.
type run struct{ e, n, w int64 }

// points returns a division's ranking of two or more solvers, on benchmarks in families of two.
func points(keys []score.Key, names []string, runs ...[]run) *score.Points {
	p := &score.Points{Track: "single_query", Division: &score.DivisionResult{Name: "D"}, Order: keys, MustSolve: true,
		Ranking: &score.Ranking{Benchmarks: len(names)}, Benchmarks: names}
	type total struct {
		entry int
		sum   []int64
	}
	var totals []total
	for i, list := range runs {
		var cell score.Cell
		sum := make([]int64, len(keys))
		for _, r := range list {
			for j, k := range keys {
				v := map[string]int64{"e": -r.e, "n": r.n, "w": -r.w, "points": r.n}[k.Column]
				sum[j] += v
				p.Values = append(p.Values, v)
			}
			p.Correct = append(p.Correct, r.n)
			p.Used, p.Limit = append(p.Used, r.w), append(p.Limit, 1000)
			cell.Correct += r.n
		}
		totals = append(totals, total{i, sum})
		p.Ranking.Entries = append(p.Ranking.Entries, score.Entry{Solver: string(rune('A' + i)), Competitive: true,
			Eligible: true, Cell: cell})
	}
	for range names {
		p.Counted = append(p.Counted, true)
	}
	slices.SortFunc(totals, func(a, b total) int { return slices.Compare(b.sum, a.sum) })
	for i, t := range totals {
		p.Ranking.Entries[t.entry].Rank = i + 1
		if slices.Equal(t.sum, totals[0].sum) {
			p.Ranking.Entries[t.entry].Rank = 1
			p.Ranking.Winners = append(p.Ranking.Winners, string(rune('A'+t.entry)))
		}
	}
	return p
}

func names(n int) []string {
	var out []string
	for i := range n {
		out = append(out, "QF_BV/"+string(rune('a'+i/2))+"/"+string(rune('a'+i%2))+".smt2")
	}
	return out
}

// TestMargins uses cases computed by hand. A is the winner.
func TestMargins(t *testing.T) {
	solved, open, mistake := run{0, 1, 10}, run{0, 0, 1000}, run{1, 0, 5}
	one, two := 1.0, 2.0
	for _, tt := range []struct {
		name    string
		a, b    []run
		removed *Margin
		lost    *Margin
		wrong   *Margin
		slow    *float64
	}{
		// A solves three more. Without these three, the solvers tie in n and in time.
		{"three more", []run{solved, solved, solved, solved}, []run{solved, open, open, open},
			&Margin{3, 3}, &Margin{3, 4}, &Margin{1, 1}, new(100.0)},
		// B solves one that A does not, so two of the three must be removed. The third must stay.
		{"one of the other", []run{solved, solved, solved, open}, []run{open, open, solved, solved},
			&Margin{1, 1}, &Margin{1, 2}, &Margin{1, 1}, new(100.0)},
		// The answers are the same. A took 10 and B 20 on each. All must be removed, because A is faster on each
		// remaining one. Twice as slow is a tie.
		{"by time", []run{solved, solved}, []run{{0, 1, 20}, {0, 1, 20}},
			&Margin{2, 2}, &Margin{1, 1}, &Margin{1, 1}, &two},
		// B has one wrong answer. Without that benchmark B leads by two to one.
		{"one wrong", []run{solved, open, open}, []run{solved, solved, mistake},
			&Margin{1, 1}, nil, &Margin{1, 1}, nil},
		// The solvers tie, and nothing distinguishes them.
		{"same", []run{solved, open}, []run{solved, open}, nil, &Margin{1, 1}, &Margin{1, 1}, &one},
		// The sums tie: 10 + 30 = 30 + 10.
		{"tie", []run{{0, 1, 10}, {0, 1, 30}}, []run{{0, 1, 30}, {0, 1, 10}}, &Margin{1, 1}, &Margin{1, 1},
			&Margin{1, 1}, &one},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := points(order, names(len(tt.a)), tt.a, tt.b)
			check(t, "removed", removal(p, 0, 1), tt.removed)
			check(t, "lost", lost(p, 0, 1), tt.lost)
			check(t, "wrong", wrong(p, 0, 1), tt.wrong)
			check(t, "slowdown", slowdown(p, 0, 1), tt.slow)
		})
	}
}

func check[T comparable](t *testing.T, what string, got, want *T) {
	t.Helper()
	if got == nil && want == nil {
		return
	}
	if got == nil || want == nil || *got != *want {
		t.Errorf("%s: got %v, want %v", what, text(got), text(want))
	}
}

func text[T any](v *T) any {
	if v == nil {
		return "nothing"
	}
	return *v
}

// TestRemovalByTrial compares removal with exhaustive search over the subsets of small rankings.
func TestRemovalByTrial(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		n := 1 + random.IntN(9)
		runs := make([][]run, 2)
		for s := range runs {
			for range n {
				runs[s] = append(runs[s], run{int64(random.IntN(8) / 7), int64(random.IntN(3)), int64(random.IntN(4))})
			}
		}
		p := points(order, names(n), runs...)
		winner := slices.IndexFunc(p.Ranking.Entries, func(e score.Entry) bool { return e.Rank == 1 })
		rival := 1 - winner
		if p.Ranking.Entries[rival].Rank == 1 {
			continue // a tie
		}
		best := n + 1
		for gone := range 1 << n {
			var a, b [3]int64
			for i := range n {
				if gone>>i&1 == 0 {
					for j := range a {
						a[j] += p.At(winner, i)[j]
						b[j] += p.At(rival, i)[j]
					}
				}
			}
			if slices.Compare(b[:], a[:]) >= 0 {
				best = min(best, bits.OnesCount(uint(gone)))
			}
		}
		if got := removal(p, winner, rival); got == nil || *got != (Margin{best, best}) {
			t.Fatalf("got %v, want %d of %v", text(got), best, runs)
		}
	}
}

// TestMarginsOfAnOrderThatGoesOn: if a key of the order is not a sum, a tie of the sums decides nothing.
func TestMarginsOfAnOrderThatGoesOn(t *testing.T) {
	solved, open := run{n: 1}, run{}
	p := points([]score.Key{{Column: "points", Desc: true}}, names(4), []run{solved, solved, solved, open},
		[]run{open, open, solved, solved})
	p.Cut = true
	check(t, "removed", removal(p, 0, 1), &Margin{1, 2})
	check(t, "wrong", wrong(p, 0, 1), nil)
}
