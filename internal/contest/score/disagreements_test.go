package score

import (
	"context"
	"slices"
	"testing"
)

// TestOnlyReported checks that rules that remove no benchmark from any track still report disagreements.
func TestOnlyReported(t *testing.T) {
	sat, unsat := row("x", "L", "A", "sat"), row("x", "L", "B", "unsat")
	sat.Status, unsat.Status = "unknown", "unknown"
	rs := changed(t, "2026", "remove = [\"single_query\"]\n  report = [", "report = [\"single_query\", ")
	res, err := Compute(context.Background(), rs, built(t, sat, unsat).Runs(), Readings{})
	if err != nil {
		t.Fatal(err)
	}
	got := res.Tracks[0]
	if len(got.Disagreements) != 1 || !slices.Equal(got.Disagreements[0].Items, []string{"x"}) {
		t.Errorf("disagreements %v, want one on x", got.Disagreements)
	}
	if d := got.Divisions[0]; d.Benchmarks != 1 || d.Removed != 0 {
		t.Errorf("%d benchmarks and %d removed, want 1 and 0", d.Benchmarks, d.Removed)
	}
}
