package score

import "testing"

// TestAdd adds a solved sat, a solved unsat, an answer that does not count, and a run without an answer.
func TestAdd(t *testing.T) {
	s := &scored{err: make([]bool, 4), claim: []claim{claimSat, claimUnsat, claimSat, claimNone},
		count: []int64{1, 1, 0, 0}, wall: newSumColumn(4), cpu: newSumColumn(4)}
	var c Cell
	for i := range 4 {
		c.add(s, i)
	}
	want := Cell{Correct: 2, Counted: 4, Decided: 3, DecidedSat: 2, Solved: 2, SolvedSat: 1, SolvedUnsat: 1}
	if c != want {
		t.Errorf("got %+v, want %+v", c, want)
	}
}
