package scoreio

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOverallOfRows: as on the pages of 2025 (D-2024-9), best overall has one line per solver and division with two or
// more rows. Its score is (n/N)^2 log10 N, where N is the number of the division's benchmarks excluding disagreements
// (len_by_division in the organisers' generate_website_page.py of 2025-08-04). Lines with equal scores are listed by
// descending time. Ties in the winner's sum are broken by the least time, then by the first line.
func TestOverallOfRows(t *testing.T) {
	two := `x A sat sat 9 10
y A sat sat 10 20
u A unknown sat 1 1
x B sat sat 4 5
y B sat unknown 1 1
u B unknown unsat 1 1
z A sat unknown 5 5 division=E logic=E
z B sat sat 2 3 division=E logic=E
v A sat sat 1 1 division=F logic=F`
	for _, test := range []struct {
		name, runs, view, winner string
		want                     []string
	}{
		// D without u: N = 2, A (2/2)^2 log10 2, B (1/2)^2 log10 2. E: log10 1 = 0. F has only one row.
		{"two divisions", two, "par", "A", []string{"D A 0.301030 19", "D B 0.075257 4", "E B 0.000000 2",
			"E A 0.000000 0"}},
		{"CPU time", two, "seq", "A", []string{"D A 0.301030 30", "D B 0.075257 5", "E B 0.000000 3",
			"E A 0.000000 0"}},
		{"the least time", "x A sat sat 5 5\nx B sat sat 3 3", "par", "B",
			[]string{"D A 0.000000 5", "D B 0.000000 3"}},
		{"the first line", "x A sat sat 3 3\nx B sat sat 3 3", "par", "A",
			[]string{"D A 0.000000 3", "D B 0.000000 3"}},
	} {
		_, res := compute(t, "2026", handRuns(t, test.runs), "overall_of_all_rows")
		v := recognition(t, res, "best_overall", test.view)
		var got []string
		for _, x := range v.Entries {
			got = append(got, fmt.Sprintf("%s %s %.6f %s", x.Division, x.Solver, x.Score, x.Time))
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", test.name, diff)
		}
		if len(v.Winners) != 1 || v.Winners[0].Solver != test.winner {
			t.Errorf("%s: won by %v, want %s", test.name, v.Winners, test.winner)
		}
	}
}
