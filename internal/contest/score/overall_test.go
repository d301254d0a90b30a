package score

import (
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/contest/admission"
)

// TestTiedByRounding checks that scores that differ only by rounding tie, and that the time then decides (SMT-COMP 2026
// rules, §7.3.1).
func TestTiedByRounding(t *testing.T) {
	competitive := admission.Admission{Effects: admission.Effects{Competes: true}}
	e := &scoring{rs: &RuleSet{}, t: &Track{Solvers: []Solver{{Name: "A"}, {Name: "B"}, {Name: "C"}}},
		result: &TrackResult{Divisions: []*DivisionResult{{admitted: []admission.Admission{competitive, competitive,
			competitive}}}}}
	entry := func(score float64, seconds Time) RecognitionEntry {
		return RecognitionEntry{Score: score, Time: sumOf(seconds * Second), Divisions: 1}
	}
	for _, test := range []struct {
		name string
		sums []RecognitionEntry
		want string
	}{
		{"0.1 + 0.2 + 0.3 and 0.3 + 0.2 + 0.1", []RecognitionEntry{entry(0.6000000000000001, 9), entry(0.6, 5)}, "B"},
		{"large ones", []RecognitionEntry{entry(30.000000000000004, 9), entry(30, 5)}, "B"},
		{"thousands", []RecognitionEntry{entry(1000.0000000005, 9), entry(1000, 5)}, "B"},
		{"negative ones", []RecognitionEntry{entry(-0.6, 9), entry(-0.6000000000000001, 5)}, "B"},
		{"a difference", []RecognitionEntry{entry(0.600001, 9), entry(0.6, 5)}, "A"},
		{"about zero", []RecognitionEntry{entry(0.3, 9), entry(-0.3, 5)}, "A"},
		{"one without a division", []RecognitionEntry{entry(0.1, 9), {Score: 7}, entry(0, 1)}, "A"},
	} {
		v := e.finishOverall(test.sums, &Recognition{TimeBreaksTies: true, Best: 1})
		if len(v.Winners) != 1 || v.Winners[0].Solver != test.want {
			t.Errorf("%s: won by %v, want %s", test.name, v.Winners, test.want)
		}
	}
}

// TestTerm checks that a division with one benchmark counts and that an empty division does not.
func TestTerm(t *testing.T) {
	expr, diags := hclsyntax.ParseExpression([]byte("n / N"), "", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	e := &scoring{outer: &hcl.EvalContext{Variables: map[string]cty.Value{}}}
	for size, want := range map[int64]float64{0: 0, 1: 1, 4: 0.25} {
		if got, err := e.term(expr, &Cell{Correct: 1}, size); err != nil || got != want {
			t.Errorf("of %d benchmarks: %v, %v, want %v", size, got, err, want)
		}
	}
}
