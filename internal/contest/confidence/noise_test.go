package confidence

import (
	"math"
	"testing"

	"github.com/smtpipe/smtpipe/internal/contest/score"
)

// TestSpreads uses numbers computed by hand. All runs together took 30 s in the first measurement and 60 s in the
// second, so the second times are halved: A has 10 and then 8, and 10 and then 12. The squared differences are 4 and 4,
// the products 80 and 120, so the spread is the square root of 8/400. B took 10 both times.
func TestSpreads(t *testing.T) {
	runs := []Again{
		{Solver: "A", CPU: [2]float64{10, 16}, Wall: [2]float64{1, 1}},
		{Solver: "A", CPU: [2]float64{10, 24}, Wall: [2]float64{1, 1}},
		{Solver: "B", CPU: [2]float64{10, 20}, Wall: [2]float64{1, 1}},
	}
	got := Spreads(runs, "c")
	if a := got["A"]; a.Runs != 2 || math.Abs(a.Part-math.Sqrt(0.02)) > 1e-12 {
		t.Errorf("A: %+v, want 2 runs and a spread of %v", a, math.Sqrt(0.02))
	}
	if b := got["B"]; b.Runs != 1 || b.Part != 0 {
		t.Errorf("B: %+v, want 1 run and no spread", b)
	}
	if w := Spreads(runs, "w")["A"]; w.Part != 0 {
		t.Errorf("wall times of A: %+v, want no spread", w)
	}
}

// TestNoiseOf: A takes 3 and 4 s, B 6 and 8. With a spread of 10 % each, the standard deviation of the difference of 7
// s is the square root of 0.01·(9+16+36+64), about 1.12.
func TestNoiseOf(t *testing.T) {
	p := points([]score.Key{{Column: "n", Desc: true}, {Column: "w"}}, names(2),
		[]run{{0, 1, 3e9}, {0, 1, 4e9}}, []run{{0, 1, 6e9}, {0, 1, 8e9}}, []run{{0, 1, 6e9}, {0, 0, 8e9}})
	ten := Spread{Runs: LeastAgain, Part: 0.1}
	spreads := map[string]map[string]Spread{"w": {"A": ten, "B": ten, "C": ten}}
	got := NoiseOf(p, spreads)
	if len(got) != 2 || got[0].Solver != "B" || got[0].Winner != "A" || !got[0].Decides || got[1].Decides {
		t.Fatalf("%+v, want B, where the time decides, and C", got)
	}
	if n := got[0]; math.Abs(n.DifferenceS-7) > 1e-9 || math.Abs(n.NoiseS-1.96*math.Sqrt(1.25)) > 1e-9 || !n.Exceeds() {
		t.Errorf("%+v, want a difference of 7 s and noise of 2.19 s", n)
	}
	spreads["w"]["B"] = Spread{Runs: LeastAgain - 1, Part: 0.1}
	if got := NoiseOf(p, spreads); len(got) != 1 || got[0].Solver != "C" {
		t.Errorf("%+v, want nothing about B, of which too few runs were measured twice", got)
	}
	spreads["w"]["C"] = Spread{Runs: LeastAgain, Part: 1}
	if got := NoiseOf(p, spreads); got[0].Exceeds() {
		t.Errorf("%+v: a difference of 7 s is less than noise of 1.96·10 s", got[0])
	}
}
