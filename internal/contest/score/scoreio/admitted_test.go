package scoreio

import (
	"fmt"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/contest/score"
)

// TestNotAdmitted checks that a solver that §4 does not admit is not competitive (SMT-COMP 2022 and 2026 rules, §4
// "Portfolio Solver": "not allowed"; 2026, §4 "Derived Tool": submitted "along with the corresponding base tool's
// binary for the same track and logics"). First solves eight benchmarks, Third seven, Second one.
func TestNotAdmitted(t *testing.T) {
	for _, test := range []struct{ name, rules, third string }{
		{"a portfolio solver, 2022", "2022", "barred=portfolio"},
		{"a portfolio solver, 2026", "2026", "barred=portfolio"},
		{"without its base solver", "2026", "base_solver=Gone"},
		{"hors concours", "2026", "competitive=no"},
	} {
		t.Run(test.name, func(t *testing.T) {
			lines := func(solver string, solved int, more string) (out string) {
				for i := range 8 {
					answer := "unknown"
					if i < solved {
						answer = "sat"
					}
					out += fmt.Sprintf("%c %s sat %s 1 1 %s\n", 'a'+i, solver, answer, more)
				}
				return out
			}
			third := lines("Third", 7, test.third)
			// §6: two teams make a division competitive.
			_, res := compute(t, test.rules, handRuns(t, lines("First", 8, "")+third))
			if d := division(res, "D"); d.Competitive || len(d.Ranking("par").Winners) > 0 ||
				strings.Join(d.Teams, " ") != "First" || d.Logics[0].Competitive {
				t.Errorf("competitive %t by %v, won by %v", d.Competitive, d.Teams, d.Ranking("par").Winners)
			}
			_, res = compute(t, test.rules, handRuns(t, lines("First", 8, "")+third+lines("Second", 1, "")))
			// §7.3, biggest lead: the next competitive solver is Second. (8+1) / (1+1) = 4.5, not (8+1) / (7+1).
			lead := recognition(t, res, "biggest_lead", "par")
			if x := lead.Entries[0]; x.Score != 4.5 || x.Second != "Second" {
				t.Errorf("biggest lead is %v over %s, want 4.5 over Second", x.Score, x.Second)
			}
			// §7.3, largest contribution: with two competitive solvers, the division is omitted.
			v := recognition(t, res, "largest_contribution", "par")
			if len(v.Winners) != 0 || strings.Join(v.Excluded, " ") != "D" {
				t.Errorf("largest contribution is won by %v, divisions left out: %v", v.Winners, v.Excluded)
			}
			// It is nevertheless ranked: its results are published as usual (2026, §3).
			x := division(res, "D").Ranking("par").Entry("Third")
			if x == nil || x.Rank != 2 || x.Eligible || (x.Barred == "") != (test.third == "competitive=no") {
				t.Errorf("it is ranked %+v", x)
			}
		})
	}
}

// TestNotAdmittedByPractice: the organisers' programs ignore admission, so the solver's figures stay.
func TestNotAdmittedByPractice(t *testing.T) {
	runs := "x A sat sat 1 1\ny A sat sat 1 1\nx B sat sat 2 2\nx C sat sat 3 3 barred=portfolio\nz C sat sat 3 3 " +
		"barred=portfolio"
	for _, practice := range []string{"lead_of_first_two_names", "contribution_of_fastest_runs"} {
		_, with := compute(t, "2022", handRuns(t, runs), practice)
		_, without := compute(t, "2022", handRuns(t, strings.ReplaceAll(runs, " barred=portfolio", "")), practice)
		name := map[string]string{"lead_of_first_two_names": "biggest_lead",
			"contribution_of_fastest_runs": "largest_contribution"}[practice]
		if a, b := entriesText(recognition(t, with, name, "par")), entriesText(recognition(t, without, name,
			"par")); a != b || a == "" {
			t.Errorf("%s: %s, want %s", practice, a, b)
		}
	}
}

func entriesText(v score.RecognitionView) (text string) {
	for _, x := range v.Entries {
		text += fmt.Sprintf("%s %s %s %v; ", x.Division, x.Solver, x.Second, x.Score)
	}
	return text
}
