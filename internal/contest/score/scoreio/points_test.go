package scoreio

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/contest/score"
)

// pointLines returns, for each ranking, its division and benchmarks and whether its order is cut. For each entry and
// benchmark, it returns the vector as text, n, and the fraction of the limit used.
func pointLines(t *testing.T, rs *score.RuleSet, runs *score.Runs, view string) string {
	t.Helper()
	var b strings.Builder
	err := score.EachPoints(context.Background(), rs, runs, score.Readings{}, func(p *score.Points) error {
		if p.Ranking.View != view {
			return nil
		}
		fmt.Fprintf(&b, "%s %s %v %v cut %v\n", p.Track, p.Division.Name, p.Benchmarks, p.Counted, p.Cut)
		for i := range p.Ranking.Entries {
			for j, name := range p.Benchmarks {
				fmt.Fprintf(&b, "%s %s:", p.Ranking.Entries[i].Solver, name)
				for k, v := range p.At(i, j) {
					fmt.Fprintf(&b, " %s=%s", p.Order[k].Column, p.Text(k, v))
				}
				at := i*len(p.Benchmarks) + j
				fmt.Fprintf(&b, " n %d, %d of %d ns\n", p.Correct[at], p.Used[at], p.Limit[at])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestPoints checks that a ranking's figures are sums over its benchmarks (SMT-COMP 2026 rules, §7.1: <e, n, w, c> of a
// run; an unsolved benchmark costs nothing). Rankings that nobody can win, such as that of E with one team, have no
// points; nor do removed benchmarks, such as u. The sequential view cuts by CPU time.
func TestPoints(t *testing.T) {
	runs := `y A sat unknown 5 6
x A sat sat 1.5 2
x B sat sat 3 4
y B sat sat 27 8
x C sat unsat 4 4.5
y C sat sat 2 2
u A unknown sat 1 1
u B unknown unsat 1 1
z A sat sat 1 1 division=E logic=E`
	for view, want := range map[string]string{
		"par": `single_query D [x y] [true true] cut false
B x: e=0 n=1 w=3.000 s c=4.000 s n 1, 3000000000 of 1200000000000 ns
B y: e=0 n=1 w=27.000 s c=8.000 s n 1, 27000000000 of 1200000000000 ns
A x: e=0 n=1 w=1.500 s c=2.000 s n 1, 1500000000 of 1200000000000 ns
A y: e=0 n=0 w=0.000 s c=0.000 s n 0, 5000000000 of 1200000000000 ns
C x: e=1 n=0 w=0.000 s c=0.000 s n 0, 4000000000 of 1200000000000 ns
C y: e=0 n=1 w=2.000 s c=2.000 s n 1, 2000000000 of 1200000000000 ns
`,
		"seq": `single_query D [x y] [true true] cut false
B x: e=0 n=1 c=4.000 s n 1, 4000000000 of 1200000000000 ns
B y: e=0 n=1 c=8.000 s n 1, 8000000000 of 1200000000000 ns
A x: e=0 n=1 c=2.000 s n 1, 2000000000 of 1200000000000 ns
A y: e=0 n=0 c=0.000 s n 0, 6000000000 of 1200000000000 ns
C x: e=1 n=0 c=0.000 s n 0, 4500000000 of 1200000000000 ns
C y: e=0 n=1 c=2.000 s n 1, 2000000000 of 1200000000000 ns
`,
		"24s": `single_query D [x y] [true true] cut false
A x: e=0 n=1 w=1.500 s c=2.000 s n 1, 1500000000 of 24000000000 ns
A y: e=0 n=0 w=0.000 s c=0.000 s n 0, 5000000000 of 24000000000 ns
B x: e=0 n=1 w=3.000 s c=4.000 s n 1, 3000000000 of 24000000000 ns
B y: e=0 n=0 w=0.000 s c=0.000 s n 0, 27000000000 of 24000000000 ns
C x: e=1 n=0 w=0.000 s c=0.000 s n 0, 4000000000 of 24000000000 ns
C y: e=0 n=1 w=2.000 s c=2.000 s n 1, 2000000000 of 24000000000 ns
`,
	} {
		if diff := cmp.Diff(want, pointLines(t, ruleSet(t, "2026"), handRuns(t, runs), view)); diff != "" {
			t.Errorf("%s: -want +got\n%s", view, diff)
		}
	}
}

// TestPoints2008: the average CPU time in 2008 is not a sum, so the order stops before it (SMT-COMP 2008 rules, §5).
func TestPoints2008(t *testing.T) {
	runs := handRuns(t, "x A sat sat 3 3\nx B sat unsat 1 1\nx C sat unknown 1 1")
	want := `single_query D [x] [true] cut true
A x: points=1 n 1, 3000000000 of 1200000000000 ns
C x: points=0 n 0, 1000000000 of 1200000000000 ns
B x: points=-8 n 0, 1000000000 of 1200000000000 ns
`
	if diff := cmp.Diff(want, pointLines(t, ruleSet(t, "2008"), runs, "points")); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
