package bisect

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSearch finds every position in lists of up to 70 builds. It must need no more tries than the list's length has
// bits.
func TestSearch(t *testing.T) {
	for n := 2; n <= 70; n++ {
		for first := 1; first < n; first++ {
			s, tries := NewSearch(n), 0
			for i, ok := s.Next(); ok; i, ok = s.Next() {
				tries++
				if i >= first {
					s.Say(i, Bad)
				} else {
					s.Say(i, Good)
				}
			}
			good, found := s.Found()
			if good != first-1 || !slices.Equal(found, []int{first}) || tries > bits.Len(uint(n)) {
				t.Fatalf("%d of %d: good %d, found %v after %d tries", first, n, good, found, tries)
			}
		}
	}
}

// TestSkipped checks that builds that cannot be tried are skipped, and that the candidates among them are all reported.
func TestSkipped(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		n := 2 + rng.IntN(40)
		first := 1 + rng.IntN(n-1)
		broken := map[int]bool{}
		for i := 1; i < n-1; i++ {
			broken[i] = rng.IntN(3) == 0
		}
		s, tried := NewSearch(n), map[int]bool{}
		for i, ok := s.Next(); ok; i, ok = s.Next() {
			if tried[i] {
				t.Fatalf("build %d is tried twice", i)
			}
			tried[i] = true
			switch {
			case broken[i]:
				s.Say(i, Skipped)
			case i >= first:
				s.Say(i, Bad)
			default:
				s.Say(i, Good)
			}
		}
		_, found := s.Found()
		if !slices.Contains(found, first) {
			t.Fatalf("%v does not have %d", found, first)
		}
		for _, i := range found[:len(found)-1] {
			if !broken[i] {
				t.Fatalf("build %d is open and was not skipped: %v", i, found)
			}
		}
	}
}

// TestTest uses numbers computed by hand. With shares of 0.02 and 0.98, a run adds log 49 = 3.89, and log 199 = 5.29
// decides.
func TestTest(t *testing.T) {
	test := NewTest(0, 1)
	test.Add(true)
	if test.Decided() || test.Verdict() != Bad || math.Abs(test.Confidence()-0.98) > 1e-9 {
		t.Errorf("after a run: %+v, confidence %v", test, test.Confidence())
	}
	test.Add(true)
	if !test.Decided() || !test.Clear() || test.Runs != 2 || test.LikeBad != 2 {
		t.Errorf("after two: %+v", test)
	}
	test.Add(false)
	if test.Clear() != (test.Confidence() >= 0.95) || !test.Clear() {
		t.Errorf("after a good one: %+v, confidence %v", test, test.Confidence())
	}
	if test.Add(false); test.Clear() { // two runs of each kind
		t.Errorf("two runs for each side are clear: %+v", test)
	}
	// Half of the bad build's runs look bad. A bad run adds log 25 = 3.22, and a good run adds log (0.5/0.98) = -0.67.
	test = NewTest(0, 0.5)
	for i := range 8 {
		if test.Decided() {
			t.Fatalf("decided after %d runs", i)
		}
		test.Add(false)
	}
	if !test.Decided() || test.Verdict() != Good {
		t.Errorf("after eight good runs: %+v", test)
	}
}

// TestErrors checks that, at the 1 % level, at most 40 of 4,000 verdicts are wrong for builds that fail in one of three
// runs.
func TestErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, isBad := range []bool{false, true} {
		wrong := 0
		for range 4000 {
			test := NewTest(0, 1.0/3)
			for !test.Decided() {
				share := least
				if isBad {
					share = 1.0 / 3
				}
				test.Add(rng.Float64() < share)
			}
			if (test.Verdict() == Bad) != isBad {
				wrong++
			}
		}
		if wrong > 40 {
			t.Errorf("bad %t: %d of 4000 decisions are wrong", isBad, wrong)
		}
	}
}
