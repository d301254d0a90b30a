package validate

import (
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// TestKilledReasons uses attempts at runs in the form in which the execute stage keeps them.
func TestKilledReasons(t *testing.T) {
	ran := func(solver string, attempt int64, flags string) results.RunRow {
		return results.RunRow{
			Identity: run.Identity{Benchmark: "a", Solver: solver}, Measured: run.Measured{Flags: flags},
			Attempt: attempt,
		}
	}
	runs := []results.RunRow{
		ran("1-fine", 0, "truncated"),
		ran("2-once", 0, "truncated,foreign_kill"), ran("2-once", 1, ""),
		ran("3-alone", 0, "foreign_kill"),
		ran("4-twice", 0, "foreign_kill"), ran("4-twice", 1, "foreign_kill"),
	}
	const what = "a SIGKILL that smtpipe did not send ended "
	want := map[string]string{
		"1-fine":  "crashed",
		"2-once":  "crashed; second attempt: " + what + "the first",
		"3-alone": "crashed; " + what + "the run",
		"4-twice": "crashed; " + what + "all 2 attempts",
	}
	j := &judging{killed: killedAttempts(runs)}
	last := lastAttempts(runs)
	if len(last) != len(want) {
		t.Fatalf("%d runs, want %d", len(last), len(want))
	}
	for i := range last {
		v := results.VerdictRow{Judged: run.Judged{Reason: "crashed"}}
		j.noteKilled(&v, &last[i])
		if v.Reason != want[last[i].Solver] {
			t.Errorf("%s: %q, want %q", last[i].Solver, v.Reason, want[last[i].Solver])
		}
	}
}
