package scoreio

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/contest/score"
)

// computed scores a folder's runs with the rule set and practice for its year and track.
func computed(t *testing.T, o *Official) *score.Result {
	t.Helper()
	rs, rd, err := o.Practice()
	if err != nil {
		t.Fatal(err)
	}
	res, err := score.Compute(t.Context(), rs, o.Runs, rd)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// compared computes a folder's tables with its year's practice and compares them.
func compared(t *testing.T, o *Official) []Difference {
	t.Helper()
	differences, _, err := o.CompareResult(computed(t, o))
	if err != nil {
		t.Fatal(err)
	}
	return differences
}

// lines formats differences.
func lines(differences []Difference) (out []string) {
	for _, d := range differences {
		out = append(out, d.String())
	}
	return out
}

// TestNotComputed checks that a cell without figures in the folder does not count as a difference.
func TestNotComputed(t *testing.T) {
	o := officialFolder(t, "2024-cloud",
		"benchmark,logic,division,solver,competitive,status,answer,n_correct,n_total,error,wall_s\n"+
			"L/f/a.smt2,L,D,A,true,sat,sat,1,1,0,10\n",
		`{"divisions": {"D": {"winners": {"parallel": "A", "sequential": null, "quick": "B"}, "n_industrial": 1,
			"parallel": [{"solver": "A", "correct": 2, "cpu": 11, "wall": 10, "energy": 4, "joule": null}],
			"quick": [{"solver": "B", "correct": 1, "rank": null}]}}}`)
	want := []string{
		"D / n_industrial: not computed, published 1",
		"D / parallel / A / correct: computed 1, published 2",
		"D / parallel / A / cpu: not computed, published 11",
		"D / parallel / A / energy: not computed, published 4",
		"D / quick / B / correct: not computed, published 1",
		"D / quick / winner: not computed, published B",
	}
	if diff := cmp.Diff(want, lines(compared(t, o))); diff != "" {
		t.Error(diff)
	}
	if w := o.Warnings(); len(w) != 1 || !strings.Contains(w[0], "does not record the CPU times") {
		t.Errorf("got %v", w)
	}
}

// TestTolerances: folders of 2024 store microseconds and the pages print more digits, so each run may be off by half a
// microsecond. The sum of three runs is 6.000003 in the folder and may have been 6.000003 ± 0.0000015. Times printed
// with six digits may be off by another half microsecond.
func TestTolerances(t *testing.T) {
	runs := "benchmark,logic,division,solver,competitive,status,answer,n_correct,n_total,error,wall_s,cpu_s\n"
	for _, b := range []string{"a", "b", "c"} {
		runs += "L/f/" + b + ".smt2,L,D,A,true,incremental,incremental,1,1,0,2.000001,2.000001\n"
	}
	for _, test := range []struct {
		folder, wall string
		want         []string
	}{
		{"2024-incremental", "6.000005", nil},
		{"2024-incremental", "6.000001", nil},
		{"2024-incremental", "6.0000051", []string{"D / parallel / A / wall: computed 6.000003, published 6.0000051"}},
		// Printed with four digits.
		{"2024-incremental", "6.0001", []string{"D / parallel / A / wall: computed 6.000003, published 6.0001"}},
		{"2024-incremental", "6.01", []string{"D / parallel / A / wall: computed 6.000003, published 6.01"}},
		{"2025-incremental", "6.004", nil}, // the pages print two digits
		{"2025-incremental", "6.006", []string{"D / parallel / A / wall: computed 6.000003, published 6.006"}},
		{"2023-incremental", "6.0004", nil},
		{"2023-incremental", "6.0006", []string{"D / parallel / A / wall: computed 6.000003, published 6.0006"}},
	} {
		o := officialFolder(t, test.folder, runs, `{"divisions": {"D": {"parallel": [{"solver": "A", "wall": `+
			test.wall+`}]}}}`)
		if diff := cmp.Diff(test.want, lines(compared(t, o))); diff != "" {
			t.Errorf("%s, %s: %s\n%s", test.folder, test.wall, o.Tolerances(), diff)
		}
	}
}

// TestWithoutCPU checks that every figure that depends on CPU time is omitted from all tables and affects no rank. The
// two solvers tie in all known figures.
func TestWithoutCPU(t *testing.T) {
	o := officialFolder(t, "2022-parallel",
		"benchmark,logic,division,solver,competitive,status,answer,n_correct,error,wall_s\n"+
			"L/f/a.smt2,L,D,A,true,sat,sat,1,0,10\nL/f/a.smt2,L,D,B,true,sat,sat,1,0,10\n", `{"divisions": {}}`)
	rs, _, err := o.Practice()
	if err != nil {
		t.Fatal(err)
	}
	res, err := score.Compute(t.Context(), rs, o.Runs, score.Readings{})
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	if err := WriteTables(&table, "table", rs, res, Select{}); err != nil {
		t.Fatal(err)
	}
	want := "parallel / D / par (1 benchmarks, won by A and B)\n  rank  solver  e  n   w\n     1  A       0  1  10\n " +
		"    1  B       0  1  10\n"
	if diff := cmp.Diff(want, table.String()); diff != "" {
		t.Error(diff)
	}
	doc, err := ResultJSON(rs, res, nil)
	if err != nil || strings.Contains(string(doc), `"c":`) || !strings.Contains(string(doc), `"rank_c": null`) {
		t.Errorf("%v\n%s", err, doc)
	}
	x, err := score.Explain(t.Context(), rs, o.Runs, score.Readings{}, score.Place{Track: "parallel", Division: "D",
		View: "par", Solver: "A"})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := WriteExplanation(&b, x); err != nil || !strings.Contains(b.String(), "e 0  n 1  w 10  c -") {
		t.Errorf("%v\n%s", err, b.String())
	}
}
