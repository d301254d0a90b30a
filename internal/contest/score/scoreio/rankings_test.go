package scoreio

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// runLines returns one run for each benchmark (named by a letter), all with the same words after the solver.
func runLines(benchmarks, solver, rest string) string {
	var b strings.Builder
	for _, x := range benchmarks {
		fmt.Fprintf(&b, "%c %s %s\n", x, solver, rest)
	}
	return b.String()
}

// ranked formats a ranking as "rank solver why-excluded".
func ranked(r *score.Ranking) string {
	var parts []string
	for _, e := range r.Entries {
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%d %s %s", e.Rank, e.Solver, e.Excluded)))
	}
	return strings.Join(parts, ", ")
}

// TestRanks2008 checks that solvers rank by points, then by the average CPU time of correct answers, and that some are
// disqualified (SMT-COMP 2008 rules, §2 and §5).
func TestRanks2008(t *testing.T) {
	right := "sat sat %s %s"
	at := func(s string) string { return fmt.Sprintf(right, s, s) }
	for _, test := range []struct{ name, runs, want, winners string }{
		{
			name: "without a correct answer there is no average, which is behind any", // 8 - 8 = 0 points for all
			runs: runLines("abcdefgh", "Z", at("5")) + "i Z sat unsat 1 1\n" + runLines("abcdefghi", "B",
				"sat unknown 1 1") +
				runLines("abcdefghi", "C", "sat unknown 1 1"),
			want: "1 Z, 2 B, 2 C", winners: "Z",
		},
		{
			name: "averages of different numbers of answers", // 9 - 8 = 1 point for all, with 2 s, 2 s and 1.999 s
			runs: runLines("abcdefghi", "A", at("2")) + "j A sat unsat 1 1\na B " + at("2") + "\na C " + at("1.999") +
				"\n",
			want: "1 C, 2 A, 2 B", winners: "C",
		},
		{
			name: "equal points and averages are joint winners",
			runs: "a A " + at("2") + "\nb A " + at("4") + "\na B " + at("3") + "\nb B " + at("3") + "\na C " + at("1"),
			want: "1 A, 1 B, 3 C", winners: "A B",
		},
		{
			name: "a wrapper tool ahead of the tool that it wraps stays",
			runs: "a A+B " + at("2") + " base_solver=B\na B " + at("3") + "\na C " + at("4"),
			want: "1 A+B, 2 B, 3 C", winners: "A+B",
		},
		{
			name: "a wrapper tool behind the tool that it wraps is out, whoever else is behind",
			runs: "a A+B " + at("3") + " base_solver=B\na B " + at("2") + "\na C " + at("4") + "\na D " + at("5"),
			want: "1 B, 2 C, 3 D, 0 A+B division", winners: "B",
		},
		{
			name: "a wrapper tool of a disqualified tool stays", // 12 - 4 * 8 = -20 points for B
			runs: runLines("efghijklmnop", "B", at("1")) + runLines("abcd", "B", "sat unsat 1 1") +
				"a A+B sat unsat 9 9 base_solver=B\ne C " + at("1") + "\ne D " + at("2"),
			want: "1 C, 2 D, 3 A+B, 0 B competition", winners: "C",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, res := compute(t, "2008", handRuns(t, test.runs))
			r := division(res, "D").Ranking("points")
			if diff := cmp.Diff(test.want, ranked(r)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if got := strings.Join(r.Winners, " "); got != test.winners {
				t.Errorf("winners %q, want %q", got, test.winners)
			}
		})
	}
}

// TestPointsAreAColumn checks that points and correct results are separate columns, and that only views that rank by
// points show them. 2 right answers and 1 wrong one score 2 - 8 = -6 points (SMT-COMP 2008 rules, §5, Figure 1).
func TestPointsAreAColumn(t *testing.T) {
	text := "a A sat sat 1 1\nb A sat sat 1 1\nc A sat unsat 1 1\na B sat sat 2 2\na C sat unknown 1 1\n"
	for year, want := range map[string]map[string]string{
		"2008": {"A points": "e 1, n 2, points -6", "B points": "e 0, n 1, points 1", "C points": "e 0, n 0, points 0"},
		"2026": {"A par": "e 1, n 2, points 0", "B par": "e 0, n 1, points 0", "C par": "e 0, n 0, points 0"},
	} {
		runs := handRuns(t, text)
		rs, res := compute(t, year, runs)
		got := map[string]string{}
		for _, r := range ScoreRows(res, rs, runs) {
			if place := r.Solver + " " + r.View; r.Logic == "" && want[place] != "" {
				got[place] = fmt.Sprintf("e %d, n %v, points %d", r.Errors, r.Correct, r.Points)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", year, diff)
		}
	}
}

// TestDisqualifiedEverywhere checks that four wrong answers in one division, but not across several, exclude a solver
// from all divisions (SMT-COMP 2008 rules, §5).
func TestDisqualifiedEverywhere(t *testing.T) {
	const wrong, right, e = "sat unsat 1 1", "sat sat 1 1", " division=E logic=E"
	_, res := compute(t, "2008", handRuns(t, runLines("abcd", "Z", wrong)+runLines("abcd", "A", right)+
		runLines("abcd", "B", right)+runLines("abc", "C", wrong)+
		"w Z "+right+e+"\nw A "+right+e+"\nw B sat sat 2 2"+e+"\nw C "+wrong+e))
	if diff := cmp.Diff([]string{"Z"}, res.Tracks[0].Disqualified); diff != "" {
		t.Errorf("disqualified, -want +got\n%s", diff)
	}
	for name, want := range map[string]string{
		"D": "1 A, 1 B, 3 C, 0 Z competition",
		"E": "1 A, 2 B, 3 C, 0 Z competition",
	} {
		if got := ranked(division(res, name).Ranking("points")); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestSumOfLogics checks that a division's figures are the sums of its logics' figures, and that each logic has its
// own. Times cover all runs until they end (SMT-COMP 2019 rules, §7.1.1).
func TestSumOfLogics(t *testing.T) {
	const l1, l2, l3 = " logic=L1", " logic=L2", " logic=L3"
	runs := "a A sat sat 1 2" + l1 + "\nb A sat sat 3 4" + l2 + "\nc A sat unsat 5 6" + l3 +
		"\na B sat unknown 1 2" + l1 + "\nb B sat sat 1 1" + l2 + "\nc B sat sat 2 2" + l3
	_, res := compute(t, "2019", handRuns(t, runs))
	d := division(res, "D")
	if got, want := rankingLines(d.Ranking("par")), "1 B 0 2 4 5\n2 A 1 2 9 12\n"; got != want {
		t.Errorf("D: %s want %s", got, want)
	}
	want := map[string]string{"L1": "1 A 0 1 1 2\n2 B 0 0 1 2\n", "L2": "1 B 0 1 1 1\n2 A 0 1 3 4\n",
		"L3": "1 B 0 1 2 2\n2 A 1 0 5 6\n"}
	for _, l := range d.Logics {
		if got := rankingLines(l.Ranking("par")); got != want[l.Name] {
			t.Errorf("%s: %s want %s", l.Name, got, want[l.Name])
		}
	}
}

// TestImprovement checks how much wall and CPU time a derived solver saves over its base. It must save at least a tenth
// of one of them (SMT-COMP 2026 rules, §7.5).
func TestImprovement(t *testing.T) {
	for _, test := range []struct {
		reading   string
		wall, cpu float64
		eligible  bool
	}{
		{"par2_component=w", 0.25, -0.5, true}, // 750 of 1000, and 1500 of 1000
		{"par2_component=c", 0.25, -0.5, false},
	} {
		_, res := compute(t, "2026", handRuns(t, "x Base sat sat 1000 1000\nx New sat sat 750 1500 base_solver=Base\n"+
			"x A sat sat 1100 1100"), test.reading)
		d := division(res, "D").Derived
		if len(d) != 1 || d[0].Solver != "New" || d[0].Base != "Base" || d[0].Missing ||
			d[0].Eligible != test.eligible ||
			!near9(*d[0].Wall, test.wall) || !near9(*d[0].CPU, test.cpu) {
			t.Errorf("%s: %+v", test.reading, d)
		}
	}
}

// TestDerivedInFirstView checks that the view that compares derived solvers can be a rule set's first view.
func TestDerivedInFirstView(t *testing.T) {
	rs := ruleSet(t, "2026")
	derived := *rs.Derived
	derived.View = rs.Views[0].Name
	rs.Derived = &derived
	runs := handRuns(t, "x Base sat sat 1000 1000\nx New sat sat 900 900 base_solver=Base\nx A sat sat 1100 1100")
	none := score.Readings{Values: map[string]string{}, Practice: map[string]bool{}}
	res, err := score.Compute(t.Context(), rs, runs, none)
	if err != nil {
		t.Fatal(err)
	}
	if got := division(res, "D").Derived; len(got) != 1 || !got[0].Eligible || got[0].Problem != "" {
		t.Errorf("in view %s: %+v", derived.View, got)
	}
}

// TestEnteredWithoutRuns: a solver entered two logics of a division but has a run in only one. It is ranked in the
// division with this run, and in the other logic with zero figures.
func TestEnteredWithoutRuns(t *testing.T) {
	var b score.Builder
	for _, x := range []struct {
		benchmark, logic, solver string
		took                     score.Time
	}{{"x", "L1", "A", score.Second}, {"y", "L2", "A", score.Second}, {"x", "L1", "B", 2 * score.Second}} {
		row := score.Row{
			Identity: run.Identity{Track: "single_query", Logic: x.logic, Benchmark: x.benchmark, Solver: x.solver},
			Subject:  run.Subject{Division: "D", Status: "sat"},
			Entrant:  run.Entrant{Team: x.solver, Competitive: true}, Wall: x.took, CPU: x.took,
			Rest: score.Rest{Limit: 1200 * score.Second, Cores: 4, Judged: run.Unjudged(), Recorded: score.NoRecord},
		}
		row.Answer = "sat"
		if err := b.Add(&row); err != nil {
			t.Fatal(err)
		}
	}
	b.Enter("single_query", "D", "L2", score.Solver{Name: "B",
		Entrant: run.Entrant{Team: "B", Competitive: true}})
	_, res := compute(t, "2019", b.Runs())
	d := division(res, "D")
	if got, want := rankingLines(d.Ranking("par")), "1 A 0 2 2 2\n2 B 0 1 2 2\n"; got != want {
		t.Errorf("D: %s want %s", got, want)
	}
	if got := strings.Join(d.Logics[1].Teams, " "); got != "A B" {
		t.Errorf("the teams of L2 are %s", got)
	}
	if got, want := rankingLines(d.Logics[1].Ranking("par")), "1 A 0 1 1 1\n2 B 0 0 0 0\n"; got != want {
		t.Errorf("%s: %s want %s", d.Logics[1].Name, got, want)
	}
}

// TestCircleOfBases checks that a solver that is indirectly its own base wins nothing, in any order of the runs.
func TestCircleOfBases(t *testing.T) {
	for _, runs := range []string{
		"x Loop sat sat 9 9 base_solver=New\nx New sat sat 1 1 base_solver=Loop\nx A sat sat 2 2\nx B sat sat 3 3",
		"x A sat sat 2 2\nx B sat sat 3 3\nx New sat sat 1 1 base_solver=Loop\nx Loop sat sat 9 9 base_solver=New",
		"x End sat sat 9 9 base_solver=New\nx Loop sat sat 9 9 base_solver=End\n" +
			"x New sat sat 1 1 base_solver=Loop\nx A sat sat 2 2\nx B sat sat 3 3",
	} {
		_, res := compute(t, "2026", handRuns(t, runs))
		d := division(res, "D")
		if got := strings.Join(d.Ranking("par").Winners, " "); got != "A" {
			t.Errorf("%q is won by %q", runs, got)
		}
	}
}

// TestFirstListed: on the 2015 pages, the first solver wins. If it solved nothing, the page states that there is no
// winner.
func TestFirstListed(t *testing.T) {
	for answer, want := range map[string]string{"sat": "A", "unknown": "the first competitive solver solved nothing"} {
		_, res := compute(t, "2015", handRuns(t, "x A sat "+answer+" 1 1\nx B sat unknown 2 2"), "first_listed_wins")
		if got := won(res)["par"]; got != want {
			t.Errorf("A answers %s: %q, want %q", answer, got, want)
		}
	}
}

// TestFloatingPoint2015 checks that no floating-point division is competitive in either track, whether or not the
// competition lists it (SMT-COMP 2015 rules, §7: "Divisions for floating-point arithmetic are experimental in 2015, and
// will not be considered competitive"). Their logics, and no other SMT-LIB logics, have FP in their names.
func TestFloatingPoint2015(t *testing.T) {
	for division, want := range map[string]string{"QF_FP": "", "QF_BVFP": "", "FP": "", "QF_ABVFP": "", "QF_FPBV": "",
		"QF_BV": "A", "UFIDL": "A"} {
		for _, track := range []string{"single_query", "incremental n_checks_correct=1"} {
			in := fmt.Sprintf(" division=%[1]s logic=%[1]s track=%s", division, track)
			_, res := compute(t, "2015", handRuns(t, "x A sat sat 1 1"+in+"\nx B sat sat 2 2"+in))
			d := res.Tracks[0].Divisions[0]
			if got := strings.Join(d.Ranking("par").Winners, " "); got != want || d.Competitive != (want != "") {
				t.Errorf("%s in %s: won by %q, competitive %t; want %q", division, track, got, d.Competitive, want)
			}
		}
	}
}
