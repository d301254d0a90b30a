package scoreio

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/contest/score"
)

func optional(f *float64) string {
	if f == nil {
		return "-"
	}
	return fmt.Sprintf("%.6f", *f)
}

// contributed returns a contribution's entries as "division solver n wall cpu".
func contributed(v score.RecognitionView) []string {
	var out []string
	for _, x := range v.Entries {
		out = append(out, fmt.Sprintf("%s %s %.6f %s %s", x.Division, x.Solver, x.Score, optional(x.WallRank),
			optional(x.CPURank)))
	}
	return out
}

// TestContributionByFastest: as on the pages of 2019 to 2023 (D-ALL-11), the fastest of the runs with the most points
// counts, or T if it did not solve everything, and each division with three sound solvers has one line.
func TestContributionByFastest(t *testing.T) {
	query := `x A sat sat 10 10
x B sat sat 25 15
x C sat unknown 1 1
y A sat unknown 7 7
y B sat sat 30 30
y C sat sat 40 40`
	app := func(benchmark, solver string, correct, wall int) string {
		return fmt.Sprintf("%s %s unknown unknown %d %d track=incremental n_checks=9 n_checks_correct=%d\n", benchmark,
			solver, wall, wall, correct)
	}
	for _, test := range []struct {
		name, runs, view string
		want             []string
	}{
		// All: 10 + 30. Without A: 25 + 30. Without B: 10 + 40. n is the same without either of them.
		{"wall time", query, "par", []string{"D A 0.000000 0.272727 -"}}, // 1 - 40/55
		// All: 10 + 30. Without A: 15 + 30. Without B: 10 + 40.
		{"CPU time", query, "seq", []string{"D B 0.000000 - 0.200000"}}, // 1 - 40/50
		// Without A, nothing is solved within T.
		{"one solver", "z A sat sat 50 60\nz B sat unknown 1 1\nz C sat unknown 2 2", "par",
			[]string{"D A 1.000000 0.958333 -"}}, // 1 - 50/1200
		{"two sound solvers", query + "\nz C sat unsat 1 1\nz A sat sat 1 1\nz B sat sat 1 1", "par", nil},
		// n: 9 + 8 + 9; without B, 9 + 5 + 9. Time: 10 + T + 40; without B, 10 + T + 50.
		{"incremental", app("x", "A", 9, 10) + app("x", "B", 9, 20) + app("x", "C", 5, 1) + app("y", "A", 5, 7) +
			app("y", "B", 8, 30) + app("y", "C", 3, 1) + app("z", "A", 9, 50) + app("z", "B", 9, 40) + app("z", "C", 9,
			60),
			"par", []string{"D B 0.115385 0.007937 -"}}, // 3/26, 1 - 1250/1260
	} {
		_, res := compute(t, "2022", handRuns(t, test.runs), "contribution_of_fastest_runs")
		if diff := cmp.Diff(test.want, contributed(recognition(t, res, "largest_contribution",
			test.view))); diff != "" {
			t.Errorf("%s: -want +got\n%s", test.name, diff)
		}
	}
}

// TestContributionOfSolved: as on the pages since 2024 (D-2024-8), a division with three or more solvers has lines if
// each of them solved something that counts in the view.
func TestContributionOfSolved(t *testing.T) {
	for _, test := range []struct {
		name, view, runs string
		want             []string
	}{
		// All within 24 s: n is 1, and the time is A's 2. Without A, the best is B with 10; without B or C, it is A.
		{"all within the limit", "24s", "x A sat sat 2 2\nx B sat sat 10 10\nx C sat sat 24 24",
			[]string{"D A 0.000000 0.800000 -", "D B 0.000000 0.000000 -", "D C 0.000000 0.000000 -"}},
		{"the second solver is the best", "24s", "x A sat sat 10 10\nx B sat sat 2 2\nx C sat sat 24 24",
			[]string{"D B 0.000000 0.800000 -", "D A 0.000000 0.000000 -", "D C 0.000000 0.000000 -"}},
		{"CPU time", "seq", "x A sat sat 2 20\nx B sat sat 10 40\nx C sat sat 24 50",
			[]string{"D A 0.000000 - 0.500000", "D B 0.000000 - 0.000000", "D C 0.000000 - 0.000000"}},
		{"without A nothing is left", "24s", "x A sat sat 2 2\nx B sat sat 25 25\nx C sat sat 26 26", nil},
	} {
		_, res := compute(t, "2026", handRuns(t, test.runs), "contribution_of_solved_runs")
		if diff := cmp.Diff(test.want, contributed(recognition(t, res, "largest_contribution",
			test.view))); diff != "" {
			t.Errorf("%s: -want +got\n%s", test.name, diff)
		}
	}
}

// TestPairsTotal: a division's weight is its share of the pairs of a competitive solver and a benchmark (A18).
// pairs_total selects whether divisions excluded for too few sound solvers count in the sum. D has 3 * 2 pairs, and E,
// with two sound solvers, has 2 * 1.
func TestPairsTotal(t *testing.T) {
	runs := "x A sat sat 1 1\nx B sat sat 2 2\nx C sat sat 3 3\ny A sat sat 1 1\ny B sat sat 2 2\ny C sat sat 3 3\n" +
		"z A sat sat 1 1 division=E logic=E\nz B sat sat 2 2 division=E logic=E"
	for reading, want := range map[string]float64{"pairs_total=competitive": 6.0 / 8, "pairs_total=ranked": 1} {
		_, res := compute(t, "2026", handRuns(t, runs), reading)
		v := recognition(t, res, "largest_contribution", "par")
		if len(v.Entries) != 3 || len(v.Excluded) != 1 || v.Excluded[0] != "E" {
			t.Fatalf("%s: %+v, excluded %v", reading, v.Entries, v.Excluded)
		}
		if got := v.Entries[0].Weight; !near9(got, want) {
			t.Errorf("%s: weight %v, want %v", reading, got, want)
		}
	}
}
