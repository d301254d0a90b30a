package scoreio

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/contest/score"
)

// randomRuns returns a table of runs in three divisions. Equal seeds produce equal lines; shuffle determines their
// order.
func randomRuns(seed, shuffle uint64) (header string, lines []string) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	header = "benchmark,logic,division,track,solver,team,competitive,base_solver,status,answer,wall_s,cpu_s,m,T"
	answers := []string{"sat", "unsat", "unknown", "timeout", "memout"}
	for b := range 30 {
		division := fmt.Sprint("D", b%3)
		logic := fmt.Sprint(division, "L", b%2)
		status := []string{"sat", "unsat", "unknown"}[rnd.IntN(3)]
		for s := range 6 {
			if rnd.IntN(8) == 0 {
				continue
			}
			answer := answers[rnd.IntN(len(answers))]
			if status != "unknown" && rnd.IntN(4) > 0 && (answer == "sat" || answer == "unsat") {
				answer = status
			}
			wall := float64(rnd.IntN(13_000_000)) / 10_000
			base := ""
			if s == 5 {
				base = "S4"
			}
			lines = append(lines, fmt.Sprintf("b%d,%s,%s,single_query,S%d,T%d,%s,%s,%s,%s,%.4f,%.4f,4,1200",
				b, logic, division, s, s/2, []string{"yes", "no"}[s%5/4], base, status, answer, wall, wall*1.25))
		}
	}
	rand.New(rand.NewPCG(shuffle, 2)).Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	return header, lines
}

func scoreLines(t *testing.T, rules, header string, lines []string) ([]byte, *score.Result) {
	t.Helper()
	runs, _, err := ReadRuns(strings.NewReader(header+"\n"+strings.Join(lines, "\n")), "runs", nil)
	if err != nil {
		t.Fatal(err)
	}
	rs, res := compute(t, rules, runs)
	doc, err := ResultJSON(rs, res, nil)
	if err != nil {
		t.Fatal(err)
	}
	return doc, res
}

// TestOrderOfRunsIsIrrelevant checks that the order of the runs does not change a single byte of the result.
func TestOrderOfRunsIsIrrelevant(t *testing.T) {
	for _, rules := range ruleSets(t) {
		header, lines := randomRuns(7, 0)
		want, _ := scoreLines(t, rules, header, lines)
		for shuffle := range uint64(4) {
			header, lines := randomRuns(7, shuffle+1)
			if got, _ := scoreLines(t, rules, header, lines); !bytes.Equal(got, want) {
				t.Fatalf("rules %s: another order gives another result: %s", rules, cmp.Diff(string(want), string(got)))
			}
		}
	}
}

// TestSolvingNeverLowersN checks that solving another benchmark never lowers a solver's n in the parallel view.
func TestSolvingNeverLowersN(t *testing.T) {
	for seed := range uint64(5) {
		header, lines := randomRuns(seed, 0)
		_, before := scoreLines(t, "2026", header, lines)
		lines = append(lines, "extra,D0L0,D0,single_query,S0,T0,yes,,sat,sat,1,1,4,1200")
		_, after := scoreLines(t, "2026", header, lines)
		a := division(before, "D0").Ranking("par").Entry("S0").Cell.Correct
		b := division(after, "D0").Ranking("par").Entry("S0").Cell.Correct
		if b != a+1 {
			t.Errorf("seed %d: n was %d and is %d", seed, a, b)
		}
	}
}

// TestExplainAddsUp checks that every cell is the sum of the terms that explain it and the charges for absent runs.
func TestExplainAddsUp(t *testing.T) {
	header, lines := randomRuns(3, 0)
	runs, _, err := ReadRuns(strings.NewReader(header+"\n"+strings.Join(lines, "\n")), "runs", nil)
	if err != nil {
		t.Fatal(err)
	}
	rs, res := compute(t, "2026", runs)
	for _, view := range []string{"par", "seq", "24s", "sat", "unsat", "par2"} {
		for _, e := range division(res, "D1").Ranking(view).Entries {
			x, err := score.Explain(context.Background(), rs, runs, score.Readings{},
				score.Place{Track: "single_query", Division: "D1", View: view, Solver: e.Solver})
			if err != nil {
				t.Fatal(err)
			}
			var errs, n int64
			wall, cpu := x.AbsentWall, x.AbsentCPU
			for _, term := range x.Terms {
				if term.Counted {
					wall, cpu, n = wall.Plus(term.Wall), cpu.Plus(term.CPU), n+term.N
					if term.Error {
						errs++
					}
				}
			}
			if errs != e.Cell.Errors || n != e.Cell.Correct || wall != e.Cell.Wall || cpu != e.Cell.CPU {
				t.Errorf("%s %s: the terms give %d %d %s %s, the cell is %d %d %s %s", view, e.Solver, errs, n, wall,
					cpu,
					e.Cell.Errors, e.Cell.Correct, e.Cell.Wall, e.Cell.CPU)
			}
			if view != "par2" && !(x.AbsentWall.IsZero() && x.AbsentCPU.IsZero()) {
				t.Errorf("%s %s: absent runs cost %s and %s", view, e.Solver, x.AbsentWall, x.AbsentCPU)
			}
		}
	}
}

// TestAttribute checks that nothing changes if no reading does, and that each change that a single reading makes is
// attributed to a cause.
func TestAttribute(t *testing.T) {
	header, lines := randomRuns(11, 0)
	runs, _, err := ReadRuns(strings.NewReader(header+"\n"+strings.Join(lines, "\n")), "runs", nil)
	if err != nil {
		t.Fatal(err)
	}
	rs := ruleSet(t, "2022")
	same, err := score.Attribute(context.Background(), rs, runs, score.Readings{}, score.Readings{})
	if err != nil || len(same) != 0 {
		t.Fatalf("%v, %v", same, err)
	}
	changes, err := score.Attribute(context.Background(), rs, runs, score.Readings{},
		score.Readings{Practice: map[string]bool{"memout_costs_limit": true, "lead_of_first_two_names": true}})
	if err != nil || len(changes) == 0 {
		t.Fatalf("%v, %v", changes, err)
	}
	for _, c := range changes {
		if c.View == "par" && c.Column == "w" && cmp.Diff([]string{"D-ALL-2 memout_costs_limit"}, c.Causes) != "" {
			t.Errorf("%v", c)
		}
	}
}

// TestVirtualBestSolver: a virtual best solver is never worse than any of its solvers, so removing one never raises n.
// Every correctness rank of the largest contribution is therefore at least zero and at most its division's weight.
func TestVirtualBestSolver(t *testing.T) {
	for seed := range uint64(10) {
		header, lines := randomRuns(seed, 0)
		_, res := scoreLines(t, "2026", header, lines)
		for _, r := range res.Tracks[0].Recognitions {
			if r.Kind != "largest_contribution" {
				continue
			}
			for _, v := range r.Views {
				for _, x := range v.Entries {
					if x.Score < 0 || x.Score > x.Weight+1e-12 {
						t.Errorf("seed %d %s: %s has %v of %v in %s", seed, v.View, x.Solver, x.Score, x.Weight,
							x.Division)
					}
				}
			}
		}
	}
}
