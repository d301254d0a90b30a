package scoreio

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/contest/score"
)

// won returns the winners of all of division D's views, or the reasons why nobody wins.
func won(res *score.Result) map[string]string {
	out := map[string]string{}
	for _, r := range division(res, "D").Rankings {
		out[r.View] = strings.Join(r.Winners, " ") + r.NoWinner
	}
	return out
}

// TestNobodyWinsWithNothing: three solvers ran on another track's scripts and solved nothing. No year's rules let any
// of them win in any view or rank one above another (SMT-COMP 2008 rules, §5; 2015 to 2026, §3; A22).
func TestNobodyWinsWithNothing(t *testing.T) {
	for _, track := range []string{"single_query", "incremental", "unsat_core", "model_validation", "parallel", "cloud",
		"industry_challenge"} {
		var lines strings.Builder
		for i, s := range []string{"A", "B", "C"} {
			for _, b := range []string{"x", "y"} {
				fmt.Fprintf(&lines, "%s %s sat unknown %d 2 track=%s n_checks=3 n_checks_correct=0 n_checks_wrong=0 "+
					"n_assertions=5 core_size= validation=UNKNOWN open_source=yes new_entrant=yes category=industrial\n", b, s, i, track)
			}
		}
		runs := handRuns(t, lines.String())
		for _, year := range ruleSets(t) {
			rs := ruleSet(t, year)
			if !slices.ContainsFunc(rs.Scores, func(s *score.ScoreRule) bool {
				return slices.Contains(s.Tracks,
					track)
			}) {
				continue
			}
			_, res := compute(t, year, runs)
			d := division(res, "D")
			for _, r := range d.Rankings {
				if len(r.Winners) > 0 || len(r.TopOpenSource) > 0 || !slices.Contains([]string{"nobody solved anything",
					"there are no benchmarks"}, r.NoWinner) {
					t.Errorf("%s, %s, %s: won by %v and %v; %s", year, track, r.View, r.Winners, r.TopOpenSource,
						r.NoWinner)
				}
			}
			for _, rec := range res.Tracks[0].Recognitions {
				for _, v := range rec.Views {
					if len(v.Winners) > 0 || len(v.Best) > 0 || len(v.BestNew) > 0 {
						t.Errorf("%s, %s, %s %s: %v, best %v, new %v", year, track, rec.Name, v.View, v.Winners, v.Best,
							v.BestNew)
					}
					for _, r := range v.Rankings {
						if len(r.Ranking.Winners) > 0 {
							t.Errorf("%s, %s, %s %s: %v", year, track, rec.Name, v.View, r.Ranking.Winners)
						}
					}
				}
			}
		}
	}
}

// TestNobodyMovesUp: a solver without a result ranks above one with errors (§7.2), but does not win. The solver below
// it does not win either.
func TestNobodyMovesUp(t *testing.T) {
	runs := handRuns(t, "x A sat unknown 1 1\ny A sat unknown 1 1\nx B sat sat 1 1\ny B sat unsat 1 1")
	for _, year := range []string{"2015", "2019", "2022", "2026"} {
		_, res := compute(t, year, runs)
		if got := won(res)["par"]; got != "A, the first that may win, solved nothing" {
			t.Errorf("%s: %q", year, got)
		}
		if got := rankingLines(division(res, "D").Ranking("par")); !strings.HasPrefix(got, "1 A 0 0") {
			t.Errorf("%s: %s", year, got)
		}
		_, res = compute(t, year, runs, "nothing_solved=order")
		if got := won(res)["par"]; got != "A" {
			t.Errorf("%s by the order alone: %q", year, got)
		}
	}
	// 2008: 0 points for A, and 1 - 8 = -7 for B and C.
	_, res := compute(t, "2008", handRuns(t, `x A sat unknown 1 1
y A sat unknown 1 1
x B sat sat 1 1
y B sat unsat 1 1
x C sat sat 2 2
y C sat unsat 1 1`))
	if got := won(res)["points"]; got != "A, the first that may win, solved nothing" {
		t.Errorf("2008: %q", got)
	}
}

// TestRecognitionsOfNothing checks that, in competition-wide rankings over two divisions, every recognised solver has
// solved something.
func TestRecognitionsOfNothing(t *testing.T) {
	// In D, nobody solves anything. In E, only A does, and Z enters both.
	runs := handRuns(t, `x A sat unknown 1 1
x B sat unknown 2 2
x Z sat unknown 1 1
y A sat sat 1 1 logic=E division=E
y B sat unknown 2 2 logic=E division=E
y Z sat unknown 3 3 logic=E division=E
z A sat sat 1 1 logic=E division=E
z B sat unknown 2 2 logic=E division=E
z Z sat unknown 3 3 logic=E division=E`)
	for _, year := range []string{"2019", "2022", "2026"} {
		_, res := compute(t, year, runs)
		lead := recognition(t, res, "biggest_lead", "par")
		if len(lead.Entries) != 1 || lead.Entries[0].Division != "E" || fmt.Sprint(lead.Winners) != "[{E A}]" {
			t.Errorf("%s: biggest lead %v", year, lead)
		}
		if c := recognition(t, res, "largest_contribution", "par"); fmt.Sprint(c.Winners) != "[{E A}]" {
			t.Errorf("%s: largest contribution %v", year, c.Winners)
		}
	}
	// Every solver in E contributes 0 to the virtual best solver. C solves nothing and is not a joint winner.
	same := handRuns(t, `x A sat sat 1 1
x B sat sat 1 1
x C sat unknown 1 1
y A sat sat 1 1
y B sat sat 1 1
y C sat unknown 1 1`)
	for _, year := range []string{"2019", "2022", "2026"} {
		_, res := compute(t, year, same)
		if c := recognition(t, res, "largest_contribution", "par"); fmt.Sprint(c.Winners) != "[{D A} {D B}]" {
			t.Errorf("%s: largest contribution %v", year, c.Winners)
		}
		_, res = compute(t, year, same, "nothing_solved=order")
		if c := recognition(t, res, "largest_contribution", "par"); fmt.Sprint(c.Winners) != "[{D A} {D B} {D C}]" {
			t.Errorf("%s, order: largest contribution %v", year, c.Winners)
		}
	}
	// Best overall in 2026: A solved nothing and has 0, which exceeds B's -2 log 2.
	errors := handRuns(t, "x A sat unknown 1 1\ny A sat unknown 1 1\nx B sat sat 1 1\ny B sat unsat 1 1")
	_, res := compute(t, "2026", errors)
	if o := recognition(t, res, "best_overall", "par"); len(o.Winners) != 0 ||
		o.NoWinner != "the first solver solved nothing" {
		t.Errorf("best overall %v, %q", o.Winners, o.NoWinner)
	}
	// Competition-wide score in 2015: A 0, B -1 log 2. The best three include only solvers that solved something.
	_, res = compute(t, "2015", errors)
	if o := recognition(t, res, "competition_wide", "par"); fmt.Sprint(o.Best) != "[B]" {
		t.Errorf("best three %v", o.Best)
	}
}

// TestNoWinnerIsSaid checks that tables and JSON state that nobody wins, and why.
func TestNoWinnerIsSaid(t *testing.T) {
	rs, res := compute(t, "2022", handRuns(t, "x A sat unknown 1 1\nx B sat unknown 2 2\ny A sat sat 1 1 division=E "+
		"logic=E"))
	for _, format := range []string{"table", "md", "latex"} {
		var b strings.Builder
		if err := WriteTables(&b, format, rs, res, Select{}); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"1 benchmarks, no winner: nobody solved anything",
			"1 benchmarks, no winner: not competitive: it takes solvers of 2 teams"} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s lacks %q:\n%s", format, want, b.String())
			}
		}
	}
	doc, err := ResultJSON(rs, res, nil)
	if err != nil || !strings.Contains(string(doc), `"winners": [],
       "no_winner": "nobody solved anything"`) {
		t.Errorf("%v\n%s", err, doc)
	}
}
