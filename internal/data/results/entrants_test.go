package results_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// TestEntrants checks what a table tells about entrants, and that tables have the same identity apart from that if and
// only if they differ in nothing else.
func TestEntrants(t *testing.T) {
	rows := make([]results.VerdictRow, 9)
	for i := range rows {
		rows[i].Track, rows[i].Benchmark, rows[i].Solver = "parallel", fmt.Sprint(i/3), fmt.Sprint("s", i%3)
		rows[i].Team, rows[i].Competitive, rows[i].Answer = fmt.Sprint("t", i%3), i%3 > 0, "sat"
	}
	stored := func(change func(i int, v *results.VerdictRow)) *bytes.Reader {
		t.Helper()
		changed := slices.Clone(rows)
		for i := range changed {
			change(i, &changed[i])
		}
		var b bytes.Buffer
		if err := results.Write(&b, changed); err != nil {
			t.Fatal(err)
		}
		return bytes.NewReader(b.Bytes())
	}
	apart := func(r *bytes.Reader) string {
		t.Helper()
		id, err := results.IdentifyApart(r, r.Size(), results.EntrantColumns...)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	first := stored(func(int, *results.VerdictRow) {})
	for name, c := range map[string]struct {
		change func(i int, v *results.VerdictRow)
		same   bool
	}{
		"other entrants": {func(i int, v *results.VerdictRow) {
			v.Entrant = run.Entrant{Team: fmt.Sprint(i), Barred: "late", BaseSolver: "b", OpenSource: true}
		}, true},
		"an answer": {func(i int, v *results.VerdictRow) { v.Answer = []string{"sat", "unsat"}[i/8] }, false},
		"details":   {func(_ int, v *results.VerdictRow) { v.Details = "{}" }, false},
		"a solver":  {func(i int, v *results.VerdictRow) { v.Solver += []string{"", "x"}[i/8] }, false},
	} {
		if got := apart(stored(c.change)) == apart(first); got != c.same {
			t.Errorf("%s: the tables are the same apart from entrants: %v, want %v", name, got, c.same)
		}
	}
	columns, err := results.Open[results.VerdictRow](first, first.Size())
	if err != nil {
		t.Fatal(err)
	}
	of, kinds, err := results.EntrantKinds(columns, "track", "solver")
	if err != nil {
		t.Fatal(err)
	}
	var want []results.VerdictRow
	for i := range 3 {
		want = append(want, results.VerdictRow{Identity: run.Identity{Track: "parallel", Solver: fmt.Sprint("s", i)},
			Entrant: run.Entrant{Team: fmt.Sprint("t", i), Competitive: i > 0}})
	}
	if diff := cmp.Diff(want, kinds); diff != "" || !slices.Equal(of.Of, []int32{0, 1, 2, 0, 1, 2, 0, 1, 2}) {
		t.Errorf("kinds of rows %v (-want +got):\n%s", of.Of, diff)
	}
}
