// Package bisect decides which build to try next between one that is good and one that is bad, and what runs say about
// it.
//
// It is pure: outcomes of runs in, decisions out. A build is judged by Wald's sequential probability ratio test over
// runs that differ in benchmark and seed, so that a benchmark on which builds are unstable does not mislead.
package bisect

import "math"

// Verdict is what is known of a build.
type Verdict string

// The verdicts.
const (
	Good    Verdict = "good"
	Bad     Verdict = "bad"
	Skipped Verdict = "skipped" // it cannot be built, or not be started, or runs do not tell
)

// Search looks for the first bad build of a list, whose first one is good and whose last one is bad.
type Search struct {
	good, bad int
	skipped   map[int]bool
}

// NewSearch starts a search among n builds, at least two.
func NewSearch(n int) *Search { return &Search{bad: n - 1, skipped: map[int]bool{}} }

// Next returns the build to try: that in the middle of those that are open, or the nearest one to it that was not
// skipped. ok is false if none is left.
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

// Say tells what the i-th build is.
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

// Found returns the last good build, and those among which the first bad one is: one, unless builds between were
// skipped.
func (s *Search) Found() (lastGood int, first []int) {
	for i := s.good + 1; i <= s.bad; i++ {
		first = append(first, i)
	}
	return s.good, first
}

// Test is a sequential test of whether a build is like the bad one. Whether a run is like the bad build is an
// observation.
type Test struct {
	Runs    int // observations
	LikeBad int

	yes, no float64 // what an observation adds
	sum     float64 // logarithm of the ratio of likelihoods, bad to good
}

const (
	// errorRate is the probability of a wrong decision of a test with known shares. As they are estimated from the
	// ends, the level is 1 %.
	errorRate = 0.005
	// enough is the confidence of a verdict for which there are no more runs.
	enough = 0.95
	// least is the smallest share that is believed, however few runs there were.
	least = 0.02
)

// NewTest returns a test by the shares of runs of the good and of the bad build that are like the bad build.
func NewTest(ofGood, ofBad float64) *Test {
	clamp := func(p float64) float64 { return min(max(p, least), 1-least) }
	g, b := clamp(ofGood), clamp(ofBad)
	return &Test{yes: math.Log(b / g), no: math.Log((1 - b) / (1 - g))}
}

// Add makes an observation.
func (t *Test) Add(likeBad bool) {
	t.Runs++
	if likeBad {
		t.LikeBad++
		t.sum += t.yes
	} else {
		t.sum += t.no
	}
}

// Decided reports whether more observations are not needed.
func (t *Test) Decided() bool { return math.Abs(t.sum) >= math.Log((1-errorRate)/errorRate) }

// Clear reports whether the verdict is worth something, although there are no more observations.
func (t *Test) Clear() bool { return t.Confidence() >= enough }

// Verdict returns what the observations speak for. Without any it is good.
func (t *Test) Verdict() Verdict {
	if t.sum > 0 {
		return Bad
	}
	return Good
}

// Confidence returns the probability of the verdict, from 0.5 to 1, if both were equally likely before.
func (t *Test) Confidence() float64 { return 1 / (1 + math.Exp(-math.Abs(t.sum))) }
