package validate

import (
	"testing"

	"github.com/smtpipe/smtpipe/internal/results"
)

// TestKilledReasons has the attempts of runs as the stage execute keeps them.
func TestKilledReasons(t *testing.T) {
	run := func(solver string, attempt int64, flags string) results.RunRow {
		return results.RunRow{Benchmark: "a", Solver: solver, Attempt: attempt, Flags: flags}
	}
	runs := []results.RunRow{
		run("1-fine", 0, "truncated"),
		run("2-once", 0, "truncated,foreign_kill"), run("2-once", 1, ""),
		run("3-alone", 0, "foreign_kill"),
		run("4-twice", 0, "foreign_kill"), run("4-twice", 1, "foreign_kill"),
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
		v := results.VerdictRow{Reason: "crashed"}
		j.noteKilled(&v, &last[i])
		if v.Reason != want[last[i].Solver] {
			t.Errorf("%s: %q, want %q", last[i].Solver, v.Reason, want[last[i].Solver])
		}
	}
}
