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
	runs := results.NewBuilder[results.RunRow]()
	for _, r := range []results.RunRow{
		ran("1-fine", 0, "truncated"),
		ran("2-once", 0, "truncated,foreign_kill"), ran("2-once", 1, ""),
		ran("3-alone", 0, "foreign_kill"),
		ran("4-twice", 0, "foreign_kill"), ran("4-twice", 1, "foreign_kill"),
	} {
		runs.Append(&r)
	}
	all, err := runs.Table()
	if err != nil {
		t.Fatal(err)
	}
	const what = "a SIGKILL that smtpipe did not send ended "
	want := map[string]string{
		"1-fine":  "crashed",
		"2-once":  "crashed; second attempt: " + what + "the first",
		"3-alone": "crashed; " + what + "the run",
		"4-twice": "crashed; " + what + "all 2 attempts",
	}
	killed, err := killedAttempts(all)
	if err != nil {
		t.Fatal(err)
	}
	last, err := lastAttempts(all)
	if err != nil || last.Len() != len(want) {
		t.Fatalf("%d runs, %v; want %d", last.Len(), err, len(want))
	}
	j := &judging{killed: killed}
	err = last.Each(func(r *results.RunRow) {
		v := results.VerdictRow{Judged: run.Judged{Reason: "crashed"}}
		j.noteKilled(&v, r)
		if v.Reason != want[r.Solver] {
			t.Errorf("%s: %q, want %q", r.Solver, v.Reason, want[r.Solver])
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}
