// Package bisect decides which build to try next between a good one and a bad one, and what runs say about a build.
//
// It is pure: outcomes of runs in, decisions out. A build is judged by Wald's sequential probability ratio test over
// runs that differ in benchmark and seed, so that a benchmark on which builds are unstable does not mislead.
package bisect

import "math"

// Verdict is what is known about a build.
type Verdict string

// The verdicts.
const (
	Good    Verdict = "good"
	Bad     Verdict = "bad"
	Skipped Verdict = "skipped" // it cannot be built or started, or its runs are inconclusive
)

// Search looks for the first bad build in a list that starts with a good build and ends with a bad one.
type Search struct {
	good, bad int
	skipped   map[int]bool
}

// NewSearch starts a search among n builds, at least two.
func NewSearch(n int) *Search { return &Search{bad: n - 1, skipped: map[int]bool{}} }

// Next returns the build to try: the middle one of the open builds, or the nearest one that was not skipped. ok is
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

// Found returns the last good build, and the candidates for the first bad one: a single build, unless builds in between
// were skipped.
func (s *Search) Found() (lastGood int, first []int) {
	for i := s.good + 1; i <= s.bad; i++ {
		first = append(first, i)
	}
	return s.good, first
}

// Test is a sequential test of whether a build is like the bad one. An observation is whether one run is like the bad
// build.
type Test struct {
	Runs    int // observations
	LikeBad int

	yes, no float64 // what such an observation adds
	sum     float64 // logarithm of the likelihood ratio, bad to good
}

const (
	// errorRate is the probability of a wrong decision of a test with known shares. The level is 1 % because the shares
	// are estimated from the first and the last build.
	errorRate = 0.005
	// enough is the confidence that suffices for a verdict when there are no more runs.
	enough = 0.95
	// least is the smallest share assumed, however few runs there were.
	least = 0.02
)

// NewTest returns a test, given the shares of the good and of the bad build's runs that are like the bad build.
func NewTest(ofGood, ofBad float64) *Test {
	clamp := func(p float64) float64 { return min(max(p, least), 1-least) }
	g, b := clamp(ofGood), clamp(ofBad)
	return &Test{yes: math.Log(b / g), no: math.Log((1 - b) / (1 - g))}
}

// Add adds an observation.
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

// Clear reports whether the verdict can be used even if there are no more observations.
func (t *Test) Clear() bool { return t.Confidence() >= enough }

// Verdict returns the verdict that the observations favour. Without observations it is Good.
func (t *Test) Verdict() Verdict {
	if t.sum > 0 {
		return Bad
	}
	return Good
}

// Confidence returns the probability of the verdict, from 0.5 to 1, if both were equally likely beforehand.
func (t *Test) Confidence() float64 { return 1 / (1 + math.Exp(-math.Abs(t.sum))) }
