package confidence

import (
	"math"
	"slices"

	"github.com/smtpipe/smtpipe/internal/contest/score"
)

// LeastAgain is the smallest number of a solver's runs that must be measured twice before its spread is reported.
const LeastAgain = 30

// Again is a run that was measured twice without reaching a limit. Times are in seconds; index 0 is the first
// measurement.
type Again struct {
	Solver    string
	Wall, CPU [2]float64
}

// Spread describes how a solver's times vary between measurements.
type Spread struct {
	Runs int
	// Part is the standard deviation of one measurement as a fraction of the run's time: the square root of Σ(u-t)² /
	// (2·Σt·u), where t and u are a run's two times.
	Part float64
}

// Spreads returns each solver's spread on the clock w or c. It first removes the second measurement's overall slowdown,
// which comes from the machine and affects no comparison.
func Spreads(runs []Again, clock string) map[string]Spread {
	times := func(r *Again) [2]float64 {
		if clock == "w" {
			return r.Wall
		}
		return r.CPU
	}
	first, second := 0.0, 0.0
	for i := range runs {
		t := times(&runs[i])
		first, second = first+t[0], second+t[1]
	}
	if first == 0 || second == 0 {
		return nil
	}
	type sums struct {
		runs             int
		squares, product float64
	}
	by := map[string]sums{}
	for i := range runs {
		t := times(&runs[i])
		u := t[1] * first / second
		s := by[runs[i].Solver]
		by[runs[i].Solver] = sums{s.runs + 1, s.squares + (u-t[0])*(u-t[0]), s.product + t[0]*u}
	}
	out := map[string]Spread{}
	for solver, s := range by {
		if s.product > 0 {
			out[solver] = Spread{s.runs, math.Sqrt(s.squares / (2 * s.product))}
		}
	}
	return out
}

// Noise compares the difference between two solvers' times with the measurement noise.
type Noise struct {
	Solver, Winner string
	Clock          string // clock that the view ranks by first: w or c
	Spread, Best   Spread // spreads of the solver and of the winner
	DifferenceS    float64
	// NoiseS is half the width of the difference's 95 % interval: 1.96 standard deviations, if errors are independent
	// between runs and proportional to their times.
	NoiseS  float64
	Decides bool // whether the two solvers are equal in all keys before the time
}

// Exceeds reports whether the difference is larger than the noise.
func (n *Noise) Exceeds() bool { return math.Abs(n.DifferenceS) > n.NoiseS }

// NoiseOf compares a ranking's solvers with the winner. It omits solvers with too few runs that were measured twice.
func NoiseOf(p *score.Points, spreads map[string]map[string]Spread) []Noise {
	winner := slices.IndexFunc(p.Ranking.Entries, func(e score.Entry) bool {
		return e.Eligible && slices.Contains(p.Ranking.Winners, e.Solver)
	})
	key := slices.IndexFunc(p.Order, func(k score.Key) bool { return k.Column == "w" || k.Column == "c" })
	if winner < 0 || key < 0 {
		return nil
	}
	clock := p.Order[key].Column
	name := p.Ranking.Entries[winner].Solver
	best := spreads[clock][name]
	var out []Noise
	for i := range p.Ranking.Entries {
		e := &p.Ranking.Entries[i]
		mine := spreads[clock][e.Solver]
		if i == winner || e.Rank == 0 || best.Runs < LeastAgain || mine.Runs < LeastAgain {
			continue
		}
		n := Noise{Solver: e.Solver, Winner: name, Clock: clock, Spread: mine, Best: best, Decides: true}
		variance := 0.0
		lead := make([]int64, key)
		for b := range p.Benchmarks {
			x, y := p.At(winner, b), p.At(i, b)
			for k := range lead {
				lead[k] += x[k] - y[k]
			}
			t, u := -float64(x[key])/1e9, -float64(y[key])/1e9
			n.DifferenceS += u - t
			variance += best.Part*best.Part*t*t + mine.Part*mine.Part*u*u
		}
		n.NoiseS = 1.96 * math.Sqrt(variance)
		n.Decides = isZero(lead)
		out = append(out, n)
	}
	return out
}
