package verify

import (
	"math"
	"math/rand/v2"
	"testing"
)

// machineNoise returns random earlier and later CPU times of n runs. The noise of a run is log-normal with a standard
// deviation of 6 %, and one run in 20 is disturbed and takes up to 50 % longer. A quiet machine is less noisy.
func machineNoise(random *rand.Rand, n int, slower float64) []timePair {
	noise := func() float64 {
		x := math.Exp(0.06 * random.NormFloat64())
		if random.IntN(20) == 0 {
			x *= 1 + random.Float64()/2
		}
		return x
	}
	pairs := make([]timePair, n)
	for i := range pairs {
		cpu := 1.5 * math.Exp(2*random.ExpFloat64())
		pairs[i] = timePair{cpu * noise(), cpu * noise() * slower}
	}
	return pairs
}

func verdictsOf(pairs map[string][]timePair, elsewhere bool, seed uint64) map[string]TimeVerdict {
	all, _ := compareTimes(pairs, elsewhere, seed)
	verdicts := map[string]TimeVerdict{}
	for _, t := range all {
		verdicts[t.Solver] = t.Verdict
	}
	return verdicts
}

// TestTimes checks that at most 2 of 100 samples are flagged on the same machine. For a solver that takes 50 % longer,
// at least 95 must be flagged, both on this machine and on one that is 1.7 times slower for all solvers.
func TestTimes(t *testing.T) {
	for _, elsewhere := range []bool{false, true} {
		machine := 1.0
		if elsewhere {
			machine = 1.7
		}
		same, slowed := 0, 0
		for seed := range uint64(100) {
			random := rand.New(rand.NewPCG(seed, 1))
			got := verdictsOf(map[string][]timePair{
				"a": machineNoise(random, 40, machine), "b": machineNoise(random, 60, machine),
				"c": machineNoise(random, 50, machine), "slow": machineNoise(random, 40, 1.5*machine),
			}, elsewhere, seed)
			if got["slow"] == TimesDiffer {
				slowed++
			}
			if got["a"] == TimesDiffer || got["b"] == TimesDiffer || got["c"] == TimesDiffer {
				same++
			}
		}
		if same > 2 || slowed < 95 {
			t.Errorf("elsewhere %t: of 100 samples, %d flag a solver that is as before, and %d the slow one", elsewhere,
				same, slowed)
		}
	}
}

// TestTimesByHand checks ratios and verdicts computed by hand from constant times.
func TestTimesByHand(t *testing.T) {
	list := func(n int, then, now float64) []timePair {
		all := make([]timePair, n)
		for i := range all {
			all[i] = timePair{then, now}
		}
		return all
	}
	tests := []struct {
		name    string
		pairs   []timePair
		verdict TimeVerdict
		runs    int
		ratio   float64
	}{
		{"as before", list(30, 2, 2), TimesAgree, 30, 1},
		{"a quarter longer", list(30, 4, 5), TimesAgree, 30, 1.25},
		{"twice as long", list(30, 2, 4), TimesDiffer, 30, 2},
		{"half as long", list(30, 4, 2), TimesDiffer, 30, 0.5},
		{"too few", list(29, 2, 4), TooFew, 29, 2},
		{"too short then", append(list(29, 2, 4), list(100, 1, 4)...), TooFew, 29, 2},
		{"too short now", append(list(29, 2, 4), list(100, 4, 0.5)...), TooFew, 29, 2},
		{"most as before", append(list(40, 2, 2), list(10, 2, 8)...), TimesAgree, 50, 1},
		{"none", nil, TooFew, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			all, _ := compareTimes(map[string][]timePair{"s": tt.pairs}, false, 1)
			if got := all[0]; got.Verdict != tt.verdict || got.Runs != tt.runs || math.Abs(got.Ratio-tt.ratio) > 1e-12 {
				t.Errorf("got %+v, want %s of %d runs, ratio %g", got, tt.verdict, tt.runs, tt.ratio)
			}
		})
	}
	_, factor := compareTimes(map[string][]timePair{"s": list(30, 2, 6), "t": list(31, 2, 6)}, true, 1)
	if math.Abs(factor-3) > 1e-12 {
		t.Errorf("the factor of a machine that takes three times as long is %g", factor)
	}
}
