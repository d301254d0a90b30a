package confidence

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"

	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// TestWinShare: five families with one benchmark each. A solves three of them and B the other two, equally fast. A wins
// a resample if at least three of five draws are its families. With p = 3/5, the probability is 10 p³ (1-p)² + 5 p⁴
// (1-p) + p⁵ = 0.68256.
func TestWinShare(t *testing.T) {
	solved, open := run{0, 1, 10}, run{0, 0, 10}
	var families []string
	for i := range 5 {
		families = append(families, fmt.Sprintf("QF_BV/family-%d/x.smt2", i))
	}
	p := points(order, families, []run{solved, solved, solved, open, open}, []run{open, open, open, solved, solved})
	const resamples = 40000
	r := Of(p, Options{Resamples: resamples, Seed: 7})
	a, b := r.Entries[0], r.Entries[1]
	const want = 0.68256
	sigma := math.Sqrt(want * (1 - want) / resamples)
	if math.Abs(*a.WinShare-want) > 4*sigma || math.Abs(*a.WinShare+*b.WinShare-1) > 1e-9 {
		t.Errorf("A wins %v and B %v of the resamples, want %v and the rest", *a.WinShare, *b.WinShare, want)
	}
	// A's n is binomial: P(0) = 0.01024 and P(<= 1) = 0.08704, P(5) = 0.07776. The tails of 2.5 % end at 1 and 5.
	if *a.Correct95 != (Interval{1, 5}) || *a.Place95 != (Interval{1, 2}) {
		t.Errorf("n of A is in %v and its place in %v, want 1 to 5 and 1 to 2", *a.Correct95, *a.Place95)
	}
	if r.Families != 5 || !a.Close() || b.Close() {
		t.Errorf("%d families; A close %v, B close %v", r.Families, a.Close(), b.Close())
	}
}

// TestFewFamilies checks that too few families are not resampled but do have margins.
func TestFewFamilies(t *testing.T) {
	solved, open := run{0, 1, 10}, run{0, 0, 10}
	p := points(order, names(8), []run{solved, solved, solved, solved, solved, solved, solved, solved},
		[]run{open, open, open, open, open, open, open, open})
	r := Of(p, Options{Resamples: 100, Seed: 7})
	a := r.Entries[0]
	if r.Families != 4 || a.WinShare != nil || a.Correct95 != nil || a.Place95 != nil {
		t.Errorf("%d families: %+v", r.Families, a)
	}
	check(t, "removed", a.Removed, &Margin{8, 8})
}

// TestMustSolve checks that nobody wins a resample in which the first solver solved nothing.
func TestMustSolve(t *testing.T) {
	var families []string
	var a, b []run
	for i := range 5 {
		families = append(families, fmt.Sprintf("QF_BV/family-%d/x.smt2", i))
		a, b = append(a, run{0, int64(1 - min(i, 1)), 1}), append(b, run{0, 0, 2})
	}
	// A solves one of five benchmarks. In (4/5)^5 = 0.32768 of the resamples, A solves nothing and does not win.
	const resamples, want = 40000, 1 - 0.32768
	got := *Of(points(order, families, a, b), Options{Resamples: resamples, Seed: 1}).Entries[0].WinShare
	if math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/resamples) {
		t.Errorf("A wins %v of the resamples, want %v", got, want)
	}
}

// TestIntervalsOfSciPy compares the intervals of n with those of scipy.stats.bootstrap, for families of many sizes.
func TestIntervalsOfSciPy(t *testing.T) {
	python := testkit.Python(t, "scipy")
	random := rand.New(rand.NewPCG(3, 4))
	rounds := 2
	if os.Getenv("SMTPIPE_LONG") != "" {
		rounds = 5
	}
	for round := range rounds {
		var data struct {
			N          []int `json:"n"`
			Benchmarks []int `json:"benchmarks"`
		}
		var benchmarks []string
		var a, b []run
		for f := range 8 + 10*round {
			size, rate := 1+random.IntN(40), random.Float64()
			solved := 0
			for i := range size {
				benchmarks = append(benchmarks, fmt.Sprintf("QF_BV/f%03d/%02d.smt2", f, i))
				r := run{w: 10}
				if random.Float64() < rate {
					r.n, solved = 1, solved+1
				}
				a, b = append(a, r), append(b, run{w: 10})
			}
			data.N, data.Benchmarks = append(data.N, solved), append(data.Benchmarks, size)
		}
		input, err := json.Marshal(data)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), python, "testdata/intervals.py")
		cmd.Stdin = bytes.NewReader(input)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		var want [2]float64
		if err := json.Unmarshal(out, &want); err != nil {
			t.Fatal(err)
		}
		got := Of(points(order, benchmarks, a, b), Options{Resamples: 20000, Seed: 5}).Entries[0].Correct95
		n := float64(len(benchmarks))
		// The ends of intervals from 20,000 resamples vary by about 2 % of the width.
		for i, end := range []float64{got.Low / n, got.High / n} {
			if math.Abs(end-want[i]) > 0.05*(want[1]-want[0]) {
				t.Errorf("round %d: the interval is %v to %v of %v, want %v", round, got.Low/n, got.High/n, n, want)
				break
			}
		}
	}
}

// TestEqualDraws checks that all views of a division use the same draws and that equal seeds produce equal results.
func TestEqualDraws(t *testing.T) {
	var first *score.Points
	for range 2 {
		var families []string
		var a, b []run
		for i := range 9 {
			families = append(families, fmt.Sprintf("QF_BV/family-%d/x.smt2", i))
			a, b = append(a, run{0, int64(i % 2), 1}), append(b, run{0, int64((i + 1) % 2), 1})
		}
		p := points(order, families, a, b)
		if first == nil {
			first = p
		}
		p.Ranking.View = fmt.Sprint("view", p.Ranking.View)
		x, y := Of(first, Options{Resamples: 500, Seed: 9}), Of(p, Options{Resamples: 500, Seed: 9})
		if *x.Entries[0].WinShare != *y.Entries[0].WinShare || *x.Entries[0].Correct95 != *y.Entries[0].Correct95 {
			t.Errorf("%+v and %+v", x.Entries[0], y.Entries[0])
		}
		if z := Of(p, Options{Resamples: 500, Seed: 10}); *z.Entries[0].WinShare == *x.Entries[0].WinShare {
			t.Error("another seed gave the same draws")
		}
	}
}
