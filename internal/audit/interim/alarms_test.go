package interim

import (
	"slices"
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/results"
	site "github.com/smtpipe/smtpipe/internal/publish/report"
)

// TestAlarms checks that a wrong answer, and a benchmark of unknown status on which two solvers disagree, raise alarms.
// A third solver that agrees with one of them raises none.
func TestAlarms(t *testing.T) {
	run := func(benchmark, solver, status, answer, verdict string) results.VerdictRow {
		v := results.VerdictRow{}
		v.Status, v.Track, v.Benchmark, v.Solver = status, "single_query", benchmark, solver
		v.Answer, v.Verdict, v.Checks = answer, verdict, 1
		return v
	}
	got, err := Alarms(site.Rows([]results.VerdictRow{
		run("a", "one", "sat", "sat", "correct"),
		run("a", "two", "sat", "unknown", "unknown"),
		run("b", "one", "unsat", "sat", "wrong"),
		run("c", "one", "unknown", "sat", "correct"),
		run("c", "two", "unknown", "unsat", "correct"),
		run("c", "three", "unknown", "unsat", "correct"),
	}))
	want := []string{
		"wrong: one answers sat on b, which has status unsat",
		"disagreement: one says sat and two unsat on c",
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}
