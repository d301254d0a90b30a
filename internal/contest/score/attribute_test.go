package score

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/pipelines"
)

// causes returns the changes, except ranks, that switching between two sets of readings makes in 2022's scoring.
func causes(t *testing.T, b *Builder, from, to Readings) []string {
	t.Helper()
	src, err := pipelines.Files.ReadFile("2022/scoring.rules.hcl")
	if err != nil {
		t.Fatal(err)
	}
	rs, diags := Parse(src, "x", nil)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	changes, err := Attribute(context.Background(), rs, b.Runs(), from, to)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, c := range changes {
		if c.View == "par" && c.Column != "rank" && len(c.Column) == 1 {
			out = append(out, c.String())
		}
	}
	return out
}

// TestAttributeByHand checks a run of 1300 s with T = 1200 s, which costs 1200 s and 4 * 1200 s of CPU time. It costs
// 1200 s twice with late_costs_limit, and nothing with unsolved_costs_nothing, so the latter is the cause even if both
// are on.
func TestAttributeByHand(t *testing.T) {
	late := row("x", "L", "A", "timeout")
	late.Wall, late.CPU = 1300*Second, 5000*Second
	b := built(t, late)
	costs, nothing := "late_costs_limit", "unsolved_costs_nothing"
	on := func(ids ...string) Readings {
		rd := Readings{Practice: map[string]bool{}}
		for _, id := range ids {
			rd.Practice[id] = true
		}
		return rd
	}
	for _, test := range []struct {
		name     string
		from, to Readings
		want     []string
	}{
		{"one", Readings{}, on(costs), []string{"single_query/D/par/A/c: 4800 → 1200  (D-ALL-1 late_costs_limit)"}},
		{"the other", Readings{}, on(nothing), []string{
			"single_query/D/par/A/c: 4800 → 0  (D-2023-1 unsolved_costs_nothing)",
			"single_query/D/par/A/w: 1200 → 0  (D-2023-1 unsolved_costs_nothing)"}},
		{"both", Readings{}, on(costs, nothing), []string{
			"single_query/D/par/A/c: 4800 → 0  (D-2023-1 unsolved_costs_nothing)",
			"single_query/D/par/A/w: 1200 → 0  (D-2023-1 unsolved_costs_nothing)"}},
		{"back", on(costs), Readings{},
			[]string{"single_query/D/par/A/c: 1200 → 4800  (D-ALL-1 late_costs_limit=off)"}},
	} {
		if diff := cmp.Diff(test.want, causes(t, b, test.from, test.to)); diff != "" {
			t.Errorf("%s: -want +got\n%s", test.name, diff)
		}
	}
}

// TestAttributeReading checks that a division with two logics has figures for both, and that a reading is named with
// its value.
func TestAttributeReading(t *testing.T) {
	late := row("x", "L", "A", "sat")
	late.Wall = 1300 * Second
	b := built(t, late, row("y", "M", "A", "sat"))
	got := causes(t, b, Readings{}, Readings{Values: map[string]string{"late_answer": "drop"}})
	want := []string{"single_query/D/par/A/n: 2 → 1  (late_answer=drop)",
		"single_query/D/L/par/A/n: 1 → 0  (late_answer=drop)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestNaturalSizes adds up check-sats and assertions, including those of benchmarks without a run (A20: a division's
// N).
func TestNaturalSizes(t *testing.T) {
	src, err := pipelines.Files.ReadFile("2026/scoring.rules.hcl")
	if err != nil {
		t.Fatal(err)
	}
	rs, diags := Parse(src, "x", nil)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	for track, want := range map[string]int64{"incremental": 5 + 7, "unsat_core": 3 + 4, "single_query": 0} {
		b := &Builder{}
		x, y := row("x", "L", "A", "unsat"), row("y", "L", "", "")
		x.Track, x.Checks, x.Assertions, x.Status = track, 5, 3, "unsat"
		y.Track, y.Checks, y.Assertions, y.Status = track, 7, 4, "unsat"
		if err := b.Add(x); err != nil {
			t.Fatal(err)
		}
		if err := b.Select(y); err != nil {
			t.Fatal(err)
		}
		e, err := newScoring(rs, b.Runs().Tracks[0], Readings{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.compute(context.Background()); err != nil {
			t.Fatal(err)
		}
		if got := e.naturalSizes(); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %v, want %d", track, got, want)
		}
	}
}
