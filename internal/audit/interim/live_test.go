package interim

import (
	"testing"

	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/exec/evidence"
)

// TestState checks that the same evidence, read twice, has the same state, so that the site is not made again.
func TestState(t *testing.T) {
	state := func(seed int64) string {
		known := &evidence.Document{Executions: []evidence.Execution{{Scramble: &evidence.Scrambling{Seed: seed}}}}
		s, err := stateOf(&engine.Snapshot{}, known)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if a, b, c := state(1), state(1), state(2); a != b || a == c {
		t.Errorf("the states %q, %q and, with another seed, %q", a, b, c)
	}
}
