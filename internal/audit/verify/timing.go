package verify

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

// The test of run times: for each solver, take the median of log(now/then) of the CPU times over the runs that took
// longer than leastCPUS in both executions. Its bootstrap confidence interval must overlap the tolerated ratios. With
// fewer than leastRuns runs, the test is inconclusive.
const (
	leastCPUS  = 1.0
	leastRuns  = 30
	lowRatio   = 0.8
	highRatio  = 1.25
	confidence = 0.99
	resamples  = 2000
)

// TimeVerdict is the verdict on a solver's times.
type TimeVerdict string

// The verdicts.
const (
	TimesAgree  TimeVerdict = "agree"
	TimesDiffer TimeVerdict = "differ"
	TooFew      TimeVerdict = "too_few"
)

// SolverTimes compares the CPU times of a solver's runs.
type SolverTimes struct {
	Solver  string      `json:"solver"`
	Runs    int         `json:"runs"` // number of runs that took long enough in both executions
	Ratio   float64     `json:"ratio"`
	Low     float64     `json:"low"`
	High    float64     `json:"high"`
	Verdict TimeVerdict `json:"verdict"`
}

// timePair contains a run's earlier and later CPU times, in seconds.
type timePair struct{ then, now float64 }

// compareTimes tests each solver's times. If elsewhere is true, the earlier times were measured on another machine: the
// median over all runs, which is the ratio between the machines, is removed, so a change that affects all solvers
// equally goes undetected.
func compareTimes(pairs map[string][]timePair, elsewhere bool, seed uint64) (all []SolverTimes, factor float64) {
	logs := map[string][]float64{}
	var every []float64
	names := slices.Sorted(maps.Keys(pairs))
	for _, solver := range names {
		for _, p := range pairs[solver] {
			if p.then > leastCPUS && p.now > leastCPUS {
				logs[solver] = append(logs[solver], math.Log(p.now/p.then))
			}
		}
		every = append(every, logs[solver]...)
	}
	shift := 0.0
	if elsewhere && len(every) > 0 {
		slices.Sort(every)
		shift = median(every)
	}
	for _, solver := range names {
		all = append(all, testTimes(solver, logs[solver], shift, seed))
	}
	return all, math.Exp(shift)
}

func testTimes(solver string, logs []float64, shift float64, seed uint64) SolverTimes {
	t := SolverTimes{Solver: solver, Runs: len(logs), Verdict: TooFew}
	if len(logs) == 0 {
		return t
	}
	slices.Sort(logs)
	low, high := bootstrap(logs, seed)
	t.Ratio, t.Low, t.High = math.Exp(median(logs)-shift), math.Exp(low-shift), math.Exp(high-shift)
	switch {
	case len(logs) < leastRuns:
	case t.High < lowRatio || t.Low > highRatio:
		t.Verdict = TimesDiffer
	default:
		t.Verdict = TimesAgree
	}
	return t
}

// median returns the median of sorted values.
func median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// bootstrap returns the median's bootstrap percentile interval.
func bootstrap(logs []float64, seed uint64) (low, high float64) {
	random := rand.New(rand.NewPCG(seed, uint64(len(logs))))
	medians, draw := make([]float64, resamples), make([]float64, len(logs))
	for k := range medians {
		for i := range draw {
			draw[i] = logs[random.IntN(len(logs))]
		}
		slices.Sort(draw)
		medians[k] = median(draw)
	}
	slices.Sort(medians)
	const tail = (1 - confidence) / 2
	cut := int(tail * resamples)
	return medians[cut], medians[resamples-1-cut]
}
