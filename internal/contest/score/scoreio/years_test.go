package scoreio

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/contest/score"
)

// TestYears checks the examples in docs/rules that score runs: the same runs under several years' rules, which agree or
// differ. Limits are 4 cores and 1200 s. The values are computed by hand from the sections cited on the pages. Until
// 2022, every run costs its time (§7.1); since 2026, only runs that solved their benchmark in time do.
func TestYears(t *testing.T) {
	for _, test := range []struct{ years, name, view, runs, want, winners string }{
		{"2019 2022", "bounds", "par", "x A sat unknown 1300 9000\nx B sat sat 1 2",
			"1 B 0 1 1 2\n2 A 0 0 1200 4800\n", "B"}, // w is at most T, c at most 4 T
		{"2026", "bounds", "par2", "x A sat sat 1300 9000\nx B sat sat 1 2", // aw is at most T, ac at most 4 T
			"1 B 0 1 1 2\n2 A 0 1 1200 4800\n", "B"},
		{"2026", "unsolved", "par", "x A sat unknown 5 6\nx B sat sat 1 2\ny B sat sat 7 4801",
			"1 B 0 2 8 2\n2 A 0 0 0 0\n", "B"}, // y's c is above 4 T
		{"2019 2022 2026", "incremental", "par",
			"x A sat timeout 100 200 track=incremental n_checks_correct=4\n" +
				"x B sat unknown 10 20 track=incremental n_checks_correct=5 n_checks_wrong=1",
			"1 A 0 4 100 200\n2 B 1 0 10 20\n", "A"},
		{"2026", "last answer", "par",
			"x A sat timeout 100 200 track=incremental n_checks_correct=4 last_wall_s=77 last_cpu_s=80\n" +
				"x B sat timeout 100 200 track=incremental",
			"1 A 0 4 77 80\n2 B 0 0 0 0\n", "A"},
		{"2019 2022", "sequential", "seq",
			"x A sat sat 700 1200\ny A sat sat 700 1201\nx B sat sat 1 1\ny B sat sat 2 2",
			"1 B 0 2 3\n2 A 0 1 2400\n", "B"}, // y is cut and costs T
		{"2026", "sequential", "seq",
			"x A sat sat 700 1200\ny A sat sat 700 1201\nx B sat sat 1 1\ny B sat sat 2 2",
			"1 B 0 2 3\n2 A 0 1 1200\n", "B"}, // y is cut and costs nothing
		{"2019 2022", "answers", "par",
			"x A sat sat 1 1\nx B sat unsat 2 2\nx C sat unknown 3 3\ny A unknown sat 1 1",
			"1 A 0 2 2 2\n2 C 0 0 3 3\n3 B 1 0 2 2\n", "A"},
		{"2026", "answers", "par",
			"x A sat sat 1 1\nx B sat unsat 2 2\nx C sat unknown 3 3\ny A unknown sat 1 1",
			"1 A 0 2 2 2\n2 C 0 0 0 0\n3 B 1 0 0 0\n", "A"},
		{"2019 2022", "late answer", "par", "x A sat sat 1201 1\nx B sat unknown 1 1",
			"1 A 0 1 1200 1\n2 B 0 0 1 1\n", "A"},
		{"2026", "late answer", "par", "x A sat sat 1201 1\nx B sat unknown 1 1",
			"1 A 0 1 0 1\n2 B 0 0 0 0\n", "A"},
		{"2019 2022", "core", "par", coreRuns, "1 A 0 7 1 1\n2 C 0 0 3 3\n3 B 1 0 2 2\n4 D 1 0 4 4\n", "A"},
		{"2026", "core", "par", coreRuns, "1 A 0 7 1 1\n2 C 0 0 0 0\n3 B 1 0 0 0\n3 D 1 0 0 0\n", "A"},
		{"2019 2022", "core with a tie of votes", "par", tiedCore, "1 A 0 7 1 1\n2 B 0 0 1 1\n", "A"},
		{"2026", "core with a tie of votes", "par", tiedCore, "1 B 0 0 0 0\n2 A 1 0 0 0\n", ""},
		{"2019", "ill-formed core", "par", brokenCore, "1 B 0 0 1 1\n2 A 1 0 1 1\n", ""},
		{"2022", "ill-formed core", "par", brokenCore, "1 A 0 0 1 1\n1 B 0 0 1 1\n", ""},
		{"2026", "ill-formed core", "par", brokenCore, "1 A 0 0 0 0\n1 B 0 0 0 0\n", ""},
		// The whole benchmark counts as the core: no reduction and no error.
		{"2019 2022", "no core", "par", noCore, "1 B 0 1 2 2\n2 A 0 0 1 1\n", "B"},
		{"2026", "no core", "par", noCore, "1 B 0 1 2 2\n2 A 0 0 1 1\n", "B"}, // it is solved and costs its time
		{"2019 2022", "model", "par", modelRuns, "1 A 0 1 1 1\n2 C 0 0 3 3\n3 B 1 0 2 2\n", "A"},
		{"2026", "model", "par", modelRuns, "1 A 0 1 1 1\n2 C 0 0 0 0\n3 B 1 0 0 0\n", "A"},
		{"2019 2022", "order", "par", orderRuns,
			"1 A 0 2 2 8\n2 B 0 2 2 10\n3 C 0 2 4 2\n4 D 0 1 1 1\n5 E 1 1 2 2\n", "A"},
		{"2026", "order", "par", orderRuns,
			"1 A 0 2 2 8\n2 B 0 2 2 10\n3 C 0 2 4 2\n4 D 0 1 1 1\n5 E 1 1 1 1\n", "A"},
		{"2015 2019 2022 2026", "sequential order", "seq", // E errs, D solves less, and B takes more CPU time than A
			"x A sat sat 9 5\nx B sat sat 1 6\nx D sat unknown 1 0\ny E sat unsat 1 1\nx E sat sat 1 1\ny D sat unknown 1 0",
			"1 A 0 1 5\n2 B 0 1 6\n3 D 0 0 0\n4 E 1 1 %\n", "A"},
		{"2019 2022", "24 seconds", "24s",
			"x A sat sat 24 30\ny A sat sat 25 30\nx B sat sat 1 1\ny B sat sat 2 2",
			"1 B 0 2 3 3\n2 A 0 1 48 60\n", "B"},
		{"2026", "24 seconds", "24s", "x A sat sat 24 30\ny A sat sat 25 30\nx B sat sat 1 1\ny B sat sat 2 2",
			"1 B 0 2 3 3\n2 A 0 1 24 30\n", "B"},
		{"2019 2022 2026", "satisfiable", "sat", statusRuns, "1 A 0 2 5 5\n2 B 0 1 8 8\n", "A"},
		{"2019 2022 2026", "unsatisfiable", "unsat", statusRuns, "1 A 0 1 2 2\n2 B 0 1 9 9\n", "A"},
		{"2019 2022", "sound", "par",
			"x A unknown sat 1 1\nx B unknown unsat 2 2\ny A sat sat 3 3\ny B sat unsat 4 4",
			"1 A 0 2 4 4\n2 B 1 1 6 6\n", "A"}, // B errs on y, so its answer removes nothing
		{"2026", "sound", "par", "x A unknown sat 1 1\nx B unknown unsat 2 2\ny A sat sat 3 3\ny B sat unsat 4 4",
			"1 A 0 2 4 4\n2 B 1 1 2 2\n", "A"},
		{"2019 2022 2026", "removal", "par",
			"x A unknown sat 1 1\nx B unknown unsat 2 2\ny A sat sat 3 3\ny B sat sat 4 4",
			"1 A 0 1 3 3\n2 B 0 1 4 4\n", "A"},
		{"2019", "removal in the challenge", "par",
			"x A unknown sat 1 1 track=industry_challenge n_checks=0\n" +
				"x B unknown unsat 2 2 track=industry_challenge n_checks=0\n" +
				"y A sat sat 3 3 track=industry_challenge n_checks=0\n" +
				"y B sat sat 4 4 track=industry_challenge n_checks=0",
			"1 A 0 1 3 3\n2 B 0 1 4 4\n", "A"},
		{"2022 2026", "no removal in the parallel track", "par",
			"x A unknown sat 1 1 track=parallel\nx B unknown unsat 2 2 track=parallel\n" +
				"y A sat sat 3 3 track=parallel\ny B sat sat 4 4 track=parallel",
			"1 A 0 2 4 4\n2 B 0 2 6 6\n", "A"},
		{"2015 2019 2022 2026", "one team", "par", "x A sat sat 1 1 team=t\nx B sat sat 2 2 team=t",
			"1 A 0 1 1 1\n2 B 0 1 2 2\n", ""},
		{"2015 2019 2022 2026", "two teams", "par", "x A sat sat 1 1\nx B sat sat 2 2",
			"1 A 0 1 1 1\n2 B 0 1 2 2\n", "A"},
		{"2015 2019 2022 2026", "entered by organisers", "par",
			"x O sat sat 0.5 1 competitive=no\nx A sat sat 1 1\nx B sat sat 2 2",
			"1 O 0 1 0.5 1\n2 A 0 1 1 1\n3 B 0 1 2 2\n", "A"},
		{"2022", "logic not supported", "par", "x A sat sat 1 1\ny A sat unknown 2 2\nx B sat sat 1.5 1.5",
			"1 B 0 1 1.5 1.5\n2 A 0 1 3 3\n", "B"}, // B has no run on y, which counts as unknown after zero time (A21)
		{"2026", "logic not supported", "par", "x A sat sat 1 1\ny A sat sat 2 2\nx B sat sat 0.5 0.5",
			"1 A 0 2 3 3\n2 B 0 1 0.5 0.5\n", "A"},
		{"2015", "bounds", "par", "x A sat unknown 1300 9000\nx B sat sat 1 2",
			"1 B 0 1 1 2\n2 A 0 0 1200 4800\n", "B"},
		{"2015", "answers", "par", "x A sat sat 1 1\nx B sat unsat 2 2\nx C sat unknown 3 3",
			"1 A 0 1 1 1\n2 C 0 0 3 3\n3 B 1 0 2 2\n", "A"},
		{"2015", "late answer", "par", "x A sat sat 1201 1\nx B sat unsat 1201 1\nx C sat sat 1200 1",
			"1 C 0 1 1200 1\n2 A 0 0 1200 1\n2 B 0 0 1200 1\n", "C"},
		{"2015", "incremental", "par", "x A sat timeout 1201 200 track=incremental n_checks_correct=4\n" +
			"x B sat unknown 10 20 track=incremental n_checks_correct=5 n_checks_wrong=1",
			"1 A 0 4 1200 200\n2 B 1 0 10 20\n", "A"},
		{"2015", "sequential", "seq", "x A sat sat 700 1200\ny A sat sat 700 1201\nx B sat sat 1 1\ny B sat sat 2 2",
			"1 B 0 2 3\n2 A 0 1 2400\n", "B"},
		{"2015", "order", "par", orderRuns,
			"1 A 0 2 2 8\n2 B 0 2 2 10\n3 C 0 2 4 2\n4 D 0 1 1 1\n5 E 1 1 2 2\n", "A"},
	} {
		for year := range strings.FieldsSeq(test.years) {
			t.Run(year+" "+test.name, func(t *testing.T) {
				_, res := compute(t, year, handRuns(t, test.runs))
				r := division(res, "D").Ranking(test.view)
				got, want := rankingLines(r), test.want
				if test.view == "seq" { // wall time is meaningless in a sequential score
					got = withoutWall(got)
					// Until 2022, a wrong answer costs its time.
					want = strings.ReplaceAll(want, "%", map[bool]string{true: "1", false: "2"}[year == "2026"])
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("-want +got\n%s", diff)
				}
				if got := strings.Join(r.Winners, " "); got != test.winners {
					t.Errorf("winners %q, want %q", got, test.winners)
				}
			})
		}
	}
}

const (
	coreRuns = `x A unsat unsat 1 1 track=unsat_core n_assertions=10 core_size=3
x B unsat sat 2 2 track=unsat_core n_assertions=10
x C unsat unknown 3 3 track=unsat_core n_assertions=10
x D unsat unsat 4 4 track=unsat_core n_assertions=10 core_size=3 val_unsat=1 val_sat=2`
	tiedCore = `x A unsat unsat 1 1 track=unsat_core n_assertions=10 core_size=3 val_unsat=1 val_sat=1
x B unsat unknown 1 1 track=unsat_core n_assertions=10`
	brokenCore = `x A unsat unsat 1 1 track=unsat_core n_assertions=10 core_size=3 validation=illformed
x B unsat unknown 1 1 track=unsat_core n_assertions=10`
	noCore = `x A unsat unsat 1 1 track=unsat_core n_assertions=10
x B unsat unsat 2 2 track=unsat_core n_assertions=10 core_size=9`
	modelRuns = `x A sat sat 1 1 track=model_validation validation=VALID
x B sat sat 2 2 track=model_validation validation=INVALID
x C sat sat 3 3 track=model_validation validation=UNKNOWN`
	// D has no run on y, and E errs on it.
	orderRuns = `x A sat sat 1 4
y A sat sat 1 4
x B sat sat 1 5
y B sat sat 1 5
x C sat sat 2 1
y C sat sat 2 1
x D sat sat 1 1
x E sat sat 1 1
y E sat unsat 1 1`
	statusRuns = `x A sat sat 1 1
y A unsat unsat 2 2
z A unknown sat 4 4
x B sat sat 8 8
y B unsat unsat 9 9`
)

// TestYearViews checks the scores in each track and year (SMT-COMP 2015 rules, §7; 2019, 2022 and 2026 rules, §7.2).
func TestYearViews(t *testing.T) {
	const all = "par seq 24s sat unsat"
	for year, tracks := range map[string]map[string]string{
		"2015": {"single_query": "par seq", "incremental": "par"},
		"2019": {"single_query": all, "incremental": "par", "unsat_core": "par seq", "model_validation": "par seq"},
		"2022": {"single_query": all, "incremental": "par", "unsat_core": "par seq", "model_validation": "par seq",
			"parallel": "par", "cloud": "par"},
		"2026": {"single_query": all + " par2", "incremental": "par par2", "unsat_core": "par seq par2",
			"model_validation": "par seq par2", "parallel": "par par2"},
	} {
		for track, want := range tracks {
			t.Run(year+" "+track, func(t *testing.T) {
				_, res := compute(t, year, handRuns(t, "x A unsat unsat 1 1 n_assertions=1 track="+track))
				d := division(res, "D")
				for _, list := range [][]*score.Ranking{d.Rankings, d.Logics[0].Rankings} { // also for each logic
					var got []string
					for _, r := range list {
						got = append(got, r.View)
					}
					if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
						t.Errorf("-want +got\n%s", diff)
					}
				}
			})
		}
	}
}

// TestYearRecognitions: B leads in E by (1+1)/(0+1) = 2, and A in D by (2+1)/(1+1) = 1.5 (2019 and 2022 rules, §7.3.1;
// 2026 rules, §7.3.2).
func TestYearRecognitions(t *testing.T) {
	for _, year := range []string{"2019", "2022", "2026"} {
		t.Run(year+" biggest lead", func(t *testing.T) {
			// C also leads in F by 2. By time, B leads in E by (5+1)/(2+1) = 2, and C in F by (5+1)/(3+1) = 1.5. The
			// 2019 rules do not break ties.
			_, res := compute(t, year, handRuns(t, twoDivisions+"\nv A sat unknown 5 5 division=F logic=F\n"+
				"v C sat sat 3 3 division=F logic=F"))
			v := recognition(t, res, "biggest_lead", "par")
			if len(v.Entries) != 3 || v.Entries[0].Solver != "B" || !near9(v.Entries[0].Score, 2) ||
				v.Entries[2].Solver != "A" || !near9(v.Entries[2].Score, 1.5) {
				t.Errorf("got %+v", v.Entries)
			}
			want := []score.Winner{{Division: "E", Solver: "B"}}
			if year == "2019" {
				want = append(want, score.Winner{Division: "F", Solver: "C"})
			}
			if diff := cmp.Diff(want, v.Winners); diff != "" {
				t.Error(diff)
			}
		})
		t.Run(year+" largest contribution", func(t *testing.T) {
			// Without A, nobody solves y. 2019: the virtual best solver takes 5 + 20, and 5 without A: 1 - 5/25. Since
			// 2022, it solves 2, and 1 without A: 1 - 1/2.
			_, res := compute(t, year, handRuns(t, "x A sat sat 10 10\ny A sat sat 20 20\nx B sat sat 5 5\n"+
				"y B sat unknown 1 1\nx C sat unknown 1 1\ny C sat unknown 1 1"))
			want := map[string]float64{"2019": 0.8, "2022": 0.5, "2026": 0.5}[year]
			v := recognition(t, res, "largest_contribution", "par")
			if len(v.Entries) == 0 || v.Entries[0].Solver != "A" || !near9(v.Entries[0].Score, want) {
				t.Fatalf("got %+v, want A with %v", v.Entries, want)
			}
			// Without A, nobody solves y, which then costs 1200 s: 1 - (5+20)/(5+1200).
			if year != "2019" && !near9(*v.Entries[0].WallRank, 1-25.0/1205) {
				t.Errorf("the wall rank is %v", *v.Entries[0].WallRank)
			}
		})
		t.Run(year+" small division", func(t *testing.T) { // since 2022, two sound competitive solvers are too few
			_, res := compute(t, year, handRuns(t, "x A sat sat 10 10\nx B sat sat 5 5"))
			if v := recognition(t, res, "largest_contribution", "par"); (len(v.Winners) > 0) != (year == "2019") {
				t.Errorf("won by %+v", v.Winners)
			}
		})
	}
}
