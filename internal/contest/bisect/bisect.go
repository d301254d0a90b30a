// Package bisect chooses which build to try next between a good and a bad one, and judges each build from its runs.
//
// It is pure: it takes run outcomes and returns decisions. Each build is judged by Wald's sequential probability ratio
// test over runs that differ in benchmark and seed, so a benchmark with unstable results cannot mislead it.
package bisect

import "math"

// Verdict is the judgement of a build.
type Verdict string

// The possible verdicts.
const (
	Good    Verdict = "good"
	Bad     Verdict = "bad"
	Skipped Verdict = "skipped" // the build failed or cannot start, or its runs are inconclusive
)

// Search looks for the first bad build in a list that starts with a good build and ends with a bad one.
type Search struct {
	good, bad int
	skipped   map[int]bool
}

// NewSearch starts a search among n builds; n must be at least 2.
func NewSearch(n int) *Search { return &Search{bad: n - 1, skipped: map[int]bool{}} }

// Next returns the next build to try: the middle undecided build, or the one nearest to it that was not skipped. ok is
// false if none is left.
func (s *Search) Next() (i int, ok bool) {
	middle := (s.good + s.bad) / 2
	for d := 0; d < s.bad-s.good; d++ {
		for _, i := range []int{middle - d, middle + d} {
			if i > s.good && i < s.bad && !s.skipped[i] {
				return i, true
			}
		}
	}
	return 0, false
}

// Say records the verdict on the i-th build.
func (s *Search) Say(i int, v Verdict) {
	switch v {
	case Good:
		s.good = max(s.good, i)
	case Bad:
		s.bad = min(s.bad, i)
	default:
		s.skipped[i] = true
	}
}

// Found returns the last good build and the candidates for the first bad build. There is a single candidate unless
// builds in between were skipped.
func (s *Search) Found() (lastGood int, first []int) {
	for i := s.good + 1; i <= s.bad; i++ {
		first = append(first, i)
	}
	return s.good, first
}

// Test is a sequential test of whether a build behaves like the bad one. Each observation is whether a run looks bad.
type Test struct {
	Runs    int // number of observations
	LikeBad int

	yes, no float64 // added to sum by a run that looks bad, and by one that does not
	sum     float64 // log-likelihood ratio of bad to good
}

const (
	// errorRate is the probability of a wrong verdict if the shares were known exactly. The documented level is 1 %
	// because the shares are estimated from the first and the last build.
	errorRate = 0.005
	// enough is the confidence required for a verdict once no more runs are available.
	enough = 0.95
	// least is the smallest share assumed, however few runs were observed.
	least = 0.02
)

// NewTest returns a test. ofGood and ofBad are the shares of the good and the bad build's runs that look bad.
func NewTest(ofGood, ofBad float64) *Test {
	clamp := func(p float64) float64 { return min(max(p, least), 1-least) }
	g, b := clamp(ofGood), clamp(ofBad)
	return &Test{yes: math.Log(b / g), no: math.Log((1 - b) / (1 - g))}
}

// Add records an observation.
func (t *Test) Add(likeBad bool) {
	t.Runs++
	if likeBad {
		t.LikeBad++
		t.sum += t.yes
	} else {
		t.sum += t.no
	}
}

// Decided reports whether the test needs no more observations.
func (t *Test) Decided() bool { return math.Abs(t.sum) >= math.Log((1-errorRate)/errorRate) }

// Clear reports whether the verdict can be used even without further observations.
func (t *Test) Clear() bool { return t.Confidence() >= enough }

// Verdict returns the verdict that the observations favour, or Good without observations.
func (t *Test) Verdict() Verdict {
	if t.sum > 0 {
		return Bad
	}
	return Good
}

// Confidence returns the probability that the verdict is right, from 0.5 to 1, assuming equal prior odds.
func (t *Test) Confidence() float64 { return 1 / (1 + math.Exp(-math.Abs(t.sum))) }
