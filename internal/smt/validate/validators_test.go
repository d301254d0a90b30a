package validate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// TestValidators checks that one error in a division, at any position among a solver's runs, excludes the solver in
// that division and in no other.
func TestValidators(t *testing.T) {
	var v Validators
	if got := v.For("Arith"); got != nil {
		t.Errorf("without any run there are the validators %q", got)
	}
	for _, run := range []struct {
		division comp.Division
		solver   string
		verdict  comp.Verdict
	}{
		{"Arith", "z", comp.Correct},
		{"Arith", "first", comp.Wrong},
		{"Arith", "first", comp.Correct},
		{"Arith", "last", comp.Correct},
		{"Arith", "last", comp.Wrong},
		{"Arith", "last", comp.Unknown},
		{"Arith", "mute", comp.Unknown},
		{"Bitvec", "first", comp.Correct},
	} {
		v.Add(run.division, run.solver, run.verdict)
	}
	if diff := cmp.Diff([]string{"mute", "z"}, v.For("Arith")); diff != "" {
		t.Errorf("Arith (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"first"}, v.For("Bitvec")); diff != "" {
		t.Errorf("Bitvec (-want +got):\n%s", diff)
	}
}
