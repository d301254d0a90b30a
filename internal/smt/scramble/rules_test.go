package scramble_test

import (
	"testing"

	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/smt/scramble"
	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
	"github.com/smtpipe/smtpipe/internal/smt/smtlib/smtlibtest"
)

// TestRules checks that scrambled scripts comply with the rules of 2026, and that scrambling keeps the number of
// assertions and check-sats.
func TestRules(t *testing.T) {
	year, diags := rules.Load("2026", "")
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	plain := []comp.Track{comp.SingleQuery, comp.UnsatCore, comp.ModelValidation}
	for i, f := range smtlibtest.Release(t) {
		if len(f.Text) > 50_000 {
			continue
		}
		track := plain[i%len(plain)]
		if loc, _ := comp.ParseLocation(f.Path); loc.Incremental {
			track = comp.Incremental
		}
		opt := scramble.ForTrack(track, int64(i))
		opt.StatusHeader = false
		out, err := scramble.Append(nil, f.Text, opt)
		if err != nil {
			continue // TestVectors covers rejected files
		}
		found, err := smtlib.CheckScript(out, track, &year.Scripts)
		if err != nil || len(found) > 0 {
			t.Errorf("%s for %v: %v %v", f.Path, track, err, found)
		}
		before, errBefore := smtlib.Inspect(f.Text)
		after, errAfter := smtlib.Inspect(out)
		if errBefore != nil || errAfter != nil || before.Asserts != after.Asserts ||
			before.CheckSats != after.CheckSats {
			t.Errorf("%s: %d asserts and %d check-sats became %d and %d (%v, %v)", f.Path, before.Asserts,
				before.CheckSats,
				after.Asserts, after.CheckSats, errBefore, errAfter)
		}
	}
}
