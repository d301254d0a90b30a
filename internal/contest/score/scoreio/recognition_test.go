package scoreio

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/contest/score"
)

// Test2008 checks points, the tie-break by average CPU time, and disqualification (SMT-COMP 2008 rules, §2 and §5;
// A02).
func Test2008(t *testing.T) {
	line := func(entries []score.Entry) string {
		var b strings.Builder
		for _, e := range entries {
			fmt.Fprintf(&b, "%d %s %d %s\n", e.Rank, e.Solver, e.Cell.Points, e.Excluded)
		}
		return b.String()
	}
	for _, test := range []struct{ name, runs, want, winners string }{
		{
			name: "+1 and -8; equal points go to the lower average CPU time of correct answers",
			// A: 1+1, average (3+5)/2 = 4. B: 1+1, average (1+8)/2 = 4.5. C: 1-8.
			runs: "x A sat sat 3 3\ny A sat sat 5 5\nz A sat unknown 9 9\nx B sat sat 1 1\ny B sat sat 8 8\nx C " +
				"sat sat 1 1\ny C sat unsat 1 1",
			want:    "1 A 2 \n2 B 2 \n3 C -7 \n",
			winners: "A",
		},
		{
			name:    "two teams are too few",
			runs:    "x A sat sat 3 3\nx B sat sat 1 1",
			want:    "1 B 1 \n2 A 1 \n",
			winners: "",
		},
		{
			name: "four wrong answers in a division disqualify; three do not",
			runs: "a A sat unsat 1 1\nb A sat unsat 1 1\nc A sat unsat 1 1\nd A sat unsat 1 1\n" +
				"a B sat unsat 1 1\nb B sat unsat 1 1\nc B sat unsat 1 1\nd B sat sat 1 1\na C sat unknown 1 1",
			want:    "1 C 0 \n2 B -23 \n0 A -32 competition\n",
			winners: "", // C solved nothing
		},
		{
			name:    "a wrapper tool that ties with the tool it wraps is out of the division",
			runs:    "x A sat sat 2 2\nx A+B sat sat 3 3 base_solver=B\nx B sat sat 3 3\nx C sat unknown 1 1",
			want:    "1 A 1 \n2 B 1 \n3 C 0 \n0 A+B 1 division\n",
			winners: "A",
		},
		{
			name:    "a wrapper tool without the tool it wraps cannot enter the division (§2)",
			runs:    "x A sat sat 2 2\nx C+B sat sat 1 1 base_solver=B\nx D sat unknown 3 3\nx E sat unknown 3 3",
			want:    "1 A 1 \n2 D 0 \n2 E 0 \n0 C+B 1 division\n",
			winners: "A",
		},
		{
			name:    "and is none of the three entrants that make it competitive (§5)",
			runs:    "x A sat sat 2 2\nx C+B sat sat 1 1 base_solver=B\nx D sat unknown 3 3",
			want:    "1 A 1 \n2 D 0 \n0 C+B 1 division\n",
			winners: "",
		},
		{
			name:    "nor can one that wraps itself",
			runs:    "x A sat sat 2 2\nx B sat sat 1 1 base_solver=B\nx D sat unknown 3 3\nx E sat unknown 3 3",
			want:    "1 A 1 \n2 D 0 \n2 E 0 \n0 B 1 division\n",
			winners: "A",
		},
		{
			name:    "a run over the limit is a timeout whatever it printed (A01)",
			runs:    "x A sat unsat 1200.1 1\nx B sat sat 1200 1\nx C sat unknown 1 1",
			want:    "1 B 1 \n2 A 0 \n2 C 0 \n",
			winners: "B",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, res := compute(t, "2008", handRuns(t, test.runs))
			r := division(res, "D").Ranking("points")
			if diff := cmp.Diff(test.want, line(r.Entries)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if got := strings.Join(r.Winners, " "); got != test.winners {
				t.Errorf("winners %q, want %q", got, test.winners)
			}
		})
	}
}

// TestQualifiedEntrants: a reading selects whether a disqualified tool counts among the three entrants that make a
// division competitive (SMT-COMP 2008 rules, §5; A02). By default, all of them count.
func TestQualifiedEntrants(t *testing.T) {
	runs := "x A sat sat 1 1\nx B sat sat 2 2\n" +
		"a C sat unsat 1 1\nb C sat unsat 1 1\nc C sat unsat 1 1\nd C sat unsat 1 1"
	for reading, want := range map[string]bool{"entrants_2008=all": true, "entrants_2008=qualified": false} {
		if _, res := compute(t, "2008", handRuns(t, runs), reading); division(res, "D").Competitive != want {
			t.Errorf("%s: competitive is not %v", reading, want)
		}
	}
	rs := changedRules(t, "2008", `  qualified_only = reading.entrants_2008 == "qualified"`, "",
		"\nview \"other\" {\n  tracks = [\"single_query\"]\n  where = reading.entrants_2008 == \"all\"\n  order = [\"e\"]\n}")
	res, err := score.Compute(t.Context(), rs, handRuns(t, runs), score.Readings{})
	if err != nil || !division(res, "D").Competitive {
		t.Errorf("without a word on it the division is not competitive, %v", err)
	}
	rs = changedRules(t, "2008", "  teams = 3", "  teams = 3\n  when = division != \"D\"", "")
	res, err = score.Compute(t.Context(), rs, handRuns(t, "x A sat sat 1 1\nx B sat sat 2 2\nx C sat sat 3 3"),
		score.Readings{Values: map[string]string{"entrants_2008": "qualified"}})
	if err != nil || division(res, "D").Competitive {
		t.Errorf("qualified entrants make a division competitive that no rule lets be, %v", err)
	}
}

func recognition(t *testing.T, res *score.Result, name, view string) score.RecognitionView {
	t.Helper()
	for _, r := range res.Tracks[0].Recognitions {
		for _, v := range r.Views {
			if r.Name == name && v.View == view {
				return v
			}
		}
	}
	t.Fatalf("there is no recognition %s in view %s", name, view)
	return score.RecognitionView{}
}

func near9(got, want float64) bool { return math.Abs(got-want) <= 1e-9*max(1, math.Abs(want)) }

// Two divisions: in D with two benchmarks, A solves both and B one; in E with one benchmark, B wins.
const twoDivisions = `x A sat sat 9 9
y A sat sat 10 10
x B sat sat 4 4
y B sat unknown 1 1
z A sat unknown 5 5 division=E logic=E
z B sat sat 2 2 division=E logic=E`

func TestBiggestLead(t *testing.T) {
	_, res := compute(t, "2022", handRuns(t, twoDivisions))
	v := recognition(t, res, "biggest_lead", "par")
	// E: (1+1)/(0+1) = 2, time (5+1)/(2+1) = 2.  D: (2+1)/(1+1) = 1.5, time (5+1)/(19+1) = 0.3.
	want := []struct {
		division, solver string
		n, w             float64
	}{{"E", "B", 2, 2}, {"D", "A", 1.5, 0.3}}
	for i, x := range want {
		got := v.Entries[i]
		if got.Division != x.division || got.Solver != x.solver || !near9(got.Score, x.n) ||
			!near9(*got.WallRank, x.w) {
			t.Errorf("entry %d is %+v, want %+v", i, got, x)
		}
	}
	if diff := cmp.Diff([]score.Winner{{Division: "E", Solver: "B"}}, v.Winners); diff != "" {
		t.Error(diff)
	}
}

func TestCompetitionWide2015(t *testing.T) {
	_, res := compute(t, "2015", handRuns(t, twoDivisions+"\nw A sat unsat 1 1 division=F logic=F\nw B sat unknown 1 "+
		"1 division=F logic=F\nv A sat sat 1 1 division=F logic=F\nv B sat unknown 1 1 division=F logic=F"))
	v := recognition(t, res, "competition_wide", "par")
	// A: D (2/2)^2 ln 2, E 0 (ln 1), F -1 ln 2, total 0. B: D (1/2)^2 ln 2, E ln 1 = 0, F 0.
	want := map[string]float64{"A": 0, "B": 0.25 * math.Ln2}
	for _, x := range v.Entries {
		if !near9(x.Score, want[x.Solver]) || x.Divisions != 3 {
			t.Errorf("%s has %v in %d divisions, want %v in 3", x.Solver, x.Score, x.Divisions, want[x.Solver])
		}
	}
	if got := strings.Join(v.Best, " "); got != "B A" {
		t.Errorf("best three are %q", got)
	}
}

func TestLargestContribution(t *testing.T) {
	runs := `x A sat sat 10 10
y A sat sat 20 20
x B sat sat 5 5
y B sat unknown 1 1
x C sat unknown 1 1
y C sat unknown 1 1`
	_, res := compute(t, "2022", handRuns(t, runs))
	v := recognition(t, res, "largest_contribution", "par")
	// One division: weight 1. vbss_n = 2, vbss_w = 5 + 20 = 25. Without A: n 1, w 5 + 1200. Without B: n 2, w 10 + 20.
	// Without C, nothing changes.
	want := []struct {
		solver string
		n, w   float64
	}{{"A", 1 - 1.0/2, 1 - 25.0/1205}, {"B", 0, 1 - 25.0/30}, {"C", 0, 0}}
	for i, x := range want {
		got := v.Entries[i]
		if got.Solver != x.solver || !near9(got.Score, x.n) || !near9(*got.WallRank, x.w) {
			t.Errorf("entry %d is %s %v %v, want %+v", i, got.Solver, got.Score, *got.WallRank, x)
		}
	}
	_, res = compute(t, "2019", handRuns(t, runs))
	v = recognition(t, res, "largest_contribution", "par")
	// 2019: vbss = 5 + 20; without A, 5 + 0; without B, 10 + 20 (A19: removing B raises the minimum).
	for solver, rank := range map[string]float64{"A": 1 - 5.0/25, "B": 1 - 30.0/25, "C": 0} {
		for _, x := range v.Entries {
			if x.Solver == solver && !near9(x.Score, rank) {
				t.Errorf("2019: %s has %v, want %v", solver, x.Score, rank)
			}
		}
	}
}

// TestDerivedWithoutBase: a derived solver wins only if it is a tenth better than its base solver (SMT-COMP 2026 rules,
// §7.5), so it wins nothing without one. New is the best solver here, and wins the division and the recognitions if it
// beats its base.
func TestDerivedWithoutBase(t *testing.T) {
	for _, test := range []struct {
		name, base, more string
		winner           string
		mark             string // mark appended to its name in tables
	}{
		{"better than its base", "Base", "", "New", "New "},
		{"missing", "Gone", "", "Base", "New (its base solver Gone is not there)"},
		{"misspelt", "base", "", "Base", "New (its base solver base is not there)"},
		{"itself", "New", "", "Base", "New (it is its own base solver)"},
		{"in another division only", "Other", "x Other sat sat 9 9 division=E logic=E", "Base",
			"New (its base solver Other is not there)"},
		{"in a circle", "Loop", "x Loop sat sat 10 10 base_solver=New", "Base", "New (it is its own base solver)"},
		{"a chain: only its own base counts", "Chain", "x Chain sat sat 10 10 base_solver=Gone", "New", "New "},
	} {
		t.Run(test.name, func(t *testing.T) {
			rs, res := compute(t, "2026", handRuns(t, "x New sat sat 1 1 base_solver="+test.base+
				"\ny New sat sat 1 1 base_solver="+test.base+
				"\nx Base sat sat 9 9\ny Base sat sat 9 9\nx A sat sat 11 11\ny A sat unknown 11 11\n"+test.more))
			d := division(res, "D")
			for _, list := range [][]*score.Ranking{d.Rankings, d.Logics[0].Rankings} {
				for _, r := range list {
					if got := strings.Join(r.Winners, " "); r.Benchmarks > 0 && got != test.winner {
						t.Errorf("view %s is won by %q, want %q", r.View, got, test.winner)
					}
				}
			}
			for _, name := range []string{"biggest_lead", "largest_contribution", "best_overall"} {
				for _, w := range recognition(t, res, name, "par").Winners {
					if w.Solver == "New" && test.winner != "New" {
						t.Errorf("%s is won by it", name)
					}
				}
			}
			warned := strings.Join(BaseWarnings(rs, handRuns(t, "x Base sat sat 9 9\nx New sat sat 1 1 base_solver="+
				test.base)), "\n")
			if test.name == "misspelt" && !strings.Contains(warned,
				`the base solver "base" of New has no runs, so that New cannot win. Did you mean "Base"?`) {
				t.Errorf("the warnings are %q", warned)
			}
			var table strings.Builder
			if err := WriteTables(&table, "table", rs, res, Select{View: "par"}); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(table.String(), test.mark) {
				t.Errorf("the table has no %q:\n%s", test.mark, table.String())
			}
		})
	}
}

func TestBestOverallAndDerived(t *testing.T) {
	base := "x Base sat sat 1000 1000\n"
	for _, test := range []struct {
		name     string
		wall     string
		eligible bool
	}{
		{"exactly 10 % is enough", "900", true},
		{"a little less is not", "900.000000000001", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, res := compute(t, "2026", handRuns(t, base+"x New sat sat "+test.wall+" "+test.wall+
				" base_solver=Base\nx A sat sat 1100 1100"))
			d := division(res, "D")
			if d.Derived[0].Eligible != test.eligible {
				t.Errorf("eligible is %v", d.Derived[0].Eligible)
			}
			want := "Base"
			if test.eligible {
				want = "New"
			}
			if got := strings.Join(d.Ranking("par").Winners, " "); got != want {
				t.Errorf("won by %q, want %q", got, want)
			}
		})
	}
	_, res := compute(t, "2026", handRuns(t, twoDivisions))
	v := recognition(t, res, "best_overall", "par")
	// A: D (2/2)^2 log10 2, E 0. B: D (1/2)^2 log10 2, E log10 1 = 0.
	if len(v.Entries) != 2 || v.Entries[0].Solver != "A" || !near9(v.Entries[0].Score, math.Log10(2)) ||
		!near9(v.Entries[1].Score, math.Log10(2)/4) {
		t.Errorf("best overall is %+v", v.Entries)
	}
	if !near9(v.Entries[0].Time.Seconds(), 19) {
		t.Errorf("the time of A is %s, want 19", v.Entries[0].Time)
	}
}

// TestBestOverallWithoutBenchmarks: a division whose benchmarks were all removed adds nothing to the best overall
// score, but counts as entered: C has no other division. In E with two benchmarks, A solves both, (2/2)^2 log10 2, and
// B one, (1/2)^2 log10 2.
func TestBestOverallWithoutBenchmarks(t *testing.T) {
	_, res := compute(t, "2026", handRuns(t, `x A unknown sat 1 1
x C unknown unsat 1 1
y A sat sat 2 2 division=E logic=E
z A sat sat 2 2 division=E logic=E
y B sat sat 3 3 division=E logic=E
z B sat unknown 3 3 division=E logic=E`))
	v := recognition(t, res, "best_overall", "par")
	var got strings.Builder
	for _, x := range v.Entries {
		fmt.Fprintf(&got, "%s %.6f %d\n", x.Solver, x.Score, x.Divisions)
	}
	if diff := cmp.Diff("A 0.301030 2\nB 0.075257 1\nC 0.000000 1\n", got.String()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if d := division(res, "D"); d.Benchmarks != 0 || d.Removed != 1 || !d.Competitive ||
		len(d.Ranking("par").Winners) != 0 {
		t.Errorf("D has %d benchmarks, competitive %v, winners %v", d.Benchmarks, d.Competitive,
			d.Ranking("par").Winners)
	}
}
