package record

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/contest/score/scoreio"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// TestCells compares cells with values looked up on the pages by hand, three for each year. CHECKOUT is a checkout of
// the organisers' smt-comp.github.io, which contains the pages of some years; without it, these years are skipped.
func TestCells(t *testing.T) {
	shared, checkout := testkit.Shared(t, "public-pages"), os.Getenv("CHECKOUT")
	for _, c := range []struct {
		page, view, solver, figure string
		want                       float64
	}{
		{"2012/results/QF_IDL.html", "sequential", "CVC4 1.0rc.3931", "correct", 124},
		{"2012/results/QF_IDL.html", "sequential", "CVC3 2.4.2", "cpu", 3326.1},
		{"2012/results/QF_IDL.html", "", "", "n_benchmarks", 174},
		{"2014/results/QF_AX.html", "sequential", "SMTInterpol", "cpu", 607.63},
		{"2014/results/QF_UFLIA-app.html", "parallel", "Yices2", "unsolved", 3248},
		{"2014/results/QF_UFLIA-app.html", "parallel", "CVC4", "correct", 765522},
		{"2016/results/QF_UFLRA-app.html", "parallel", "Yices2", "wall", 35710.33},
		{"2016/results/LRA-ucore.html", "sequential", "veriT", "cpu", 2.822},
		{"2016/results/NRA-unknown.html", "parallel", "vampire_smt_4.1", "correct", 24},
		{"2018/results/UFLRA-app.html", "parallel", "z3-4.7.1", "correct", 77296},
		{"2018/results/QF_ANIA-ucore.html", "parallel", "CVC4", "correct", 85033.763},
		{"2018/results/LIA.html", "parallel", "Vampire 4.3", "unsolved", 161},
		{"2020/results/qf-uf-incremental.html", "parallel", "OpenSMT", "timeout", 1},
		{"2020/results/qf-auflia-unsat-core.html", "sequential", "MathSAT5", "error", 82}, // the page shows 82*
		{"2020/results/biggest-lead-incremental.html", "parallel", "CVC4-inc UFNIA", "score", 34477},
		{"2022/results/lia-single-query.html", "sequential", "veriT", "solved_unsat", 75},
		{"2022/results/qf-fparith-incremental.html", "parallel", "cvc5", "unsolved", 32058},
		{"2022/results/largest-contribution-unsat-core.html", "parallel", "Vampire Equality", "score", 0.0056803},
		{"2024/results/qf_lia-parallel/index.html", "sat", "SMTS", "wall", 169.533},
		{"2024/results/qf_lia-parallel/index.html", "parallel", "Z3-Parti-Z3++", "unsolved", 97},
		{"2024/results/biggest-lead-parallel/index.html", "unsat", "SMTS QF_LinearIntArith", "time_score", 5.145741},
		{"2025/results/qf_lra-parallel/index.html", "sat", "Yices2", "cpu", 680595.95},
		{"2025/results/qf_bv-incremental/index.html", "twentyfour", "SMTInterpol", "abstained", 511},
		{"2025/results/best-overall-incremental/index.html", "parallel", "Arith cvc5", "contribution", 4.616602},

		{"2015/results/QF_AX.html", "sequential", "SMTInterpol", "cpu", 1001.93},
		{"2015/results/QF_AX.html", "parallel", "SMTInterpol", "wall", 498.86},
		{"2015/results/UFLRA-app.html", "parallel", "CVC3", "correct", 67793},
		{"2017/results/QF_UFNIA-ucore.html", "parallel", "z3-4.5.0", "correct", 11},
		{"2017/results/NIA.html", "sequential", "vampire 4.2", "unsolved", 9},
		{"2017/results/LIA-app.html", "parallel", "CVC4", "correct", 25393},
		{"2019/results/alia-incremental.html", "parallel", "SMTInterpol", "unsolved", 15},
		{"2019/results/alia-incremental.html", "parallel", "UltimateEliminator+MathSAT-5.5.4", "timeout", 1},
		{"2019/results/auflia-unsat-core.html", "sequential", "Z3", "memout", 6},
		{"2021/results/biggest-lead-cloud.html", "parallel", "Vampire Arith", "time_score", 6.331e-05},
		{"2021/results/auflia-cloud.html", "unsat", "Vampire", "wall", 1397.558},
		{"2021/results/auflia-cloud.html", "parallel", "cvc5-gg", "timeout", 14},
		{"2023/results/abv-unsat-core.html", "sequential", "2022-z3-4.8.17", "timeout", 13},
		{"2023/results/abv-unsat-core.html", "parallel", "cvc5", "wall", 1.173},
		{"2023/results/largest-contribution-model-validation.html", "sequential", "Z3++ QF_NonLinearRealArith",
			"time_score", 0.06309104},
	} {
		dir := shared
		year, _, _ := strings.Cut(c.page, "/")
		if slices.Contains([]string{"2015", "2017", "2019", "2021", "2023"}, year) {
			if dir = checkout; dir == "" {
				continue
			}
		}
		p, err := ReadPage(filepath.Join(dir, "archive", c.page))
		if err != nil || p == nil {
			t.Errorf("%s: %v, %v", c.page, p, err)
			continue
		}
		got, found := 0.0, false
		if c.figure == "n_benchmarks" {
			got, found = float64(p.Benchmarks), true
		}
		for _, r := range p.Views[c.view] {
			if slices.Contains([]string{r.Solver, r.Solver + " " + r.Division, r.Division + " " + r.Solver}, c.solver) {
				got, found = r.Figures[c.figure], true
			}
		}
		if !found || got != c.want || fmt.Sprint(p.Year) != year {
			t.Errorf("%s, %s of %s in %q: %v (%v), want %v", c.page, c.figure, c.solver, c.view, got, found, c.want)
		}
	}
}

// TestWinners covers the four ways that pages use to name winners.
func TestWinners(t *testing.T) {
	of := func(parallel, short string) map[string]string {
		return map[string]string{"parallel": parallel, "sat": "", "unsat": "", "twentyfour": short}
	}
	for page, want := range map[string]map[string]string{
		"2014/results/QF_AX.html":                          {"parallel": "Yices2"},
		"2016/results/QF_UFLRA-app.html":                   {"parallel": "Yices2"},
		"2018/results/LIA.html":                            {"sequential": "CVC4", "parallel": "CVC4"},
		"2020/results/qf-auflia-unsat-core.html":           {"sequential": "CVC4-uc", "parallel": "CVC4-uc"},
		"2025/results/qf_bv-incremental/index.html":        of("Yices2", "Yices2"),
		"2025/results/best-overall-incremental/index.html": of("cvc5", "cvc5"),
	} {
		p, err := ReadPage(testkit.Shared(t, "public-pages", "archive", page))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, p.Winners); diff != "" {
			t.Errorf("%s: -want +got\n%s", page, diff)
		}
	}
}

// readTrack reads the pages of a year's track below the shared pages.
func readTrack(t *testing.T, year int, track string) (pages []*Page) {
	t.Helper()
	dir := testkit.Shared(t, "public-pages", "archive", fmt.Sprint(year), "results")
	all, err := filepath.Glob(dir + "/*/index.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		p, err := ReadPage(path)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if p != nil && p.Track == track {
			pages = append(pages, p)
		}
	}
	return pages
}

// TestTables compares tables made from pages with tables prepared independently from the same pages.
func TestTables(t *testing.T) {
	for name, pages := range map[string][]*Page{"2024-parallel": readTrack(t, 2024, "parallel"),
		"2025-incremental": readTrack(t, 2025, "incremental")} {
		raw, err := os.ReadFile(filepath.Join(testkit.Shared(t, "official-results", name), "published.json"))
		if err != nil {
			t.Fatal(err)
		}
		var want, got scoreio.Published
		made, err := json.Marshal(Tables(pages, false))
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatal(err)
		}
		if err != nil || json.Unmarshal(made, &got) != nil {
			t.Fatal(err)
		}
		if len(got.Divisions) == 0 || len(got.Logics) == 0 || got.BiggestLead == nil {
			t.Errorf("%s has %d divisions and %d logics", name, len(got.Divisions), len(got.Logics))
		}
		want.Sample = true
		for table := range want.Divisions { // some pages are missing from the sample
			if got.Divisions[table] == nil {
				delete(want.Divisions, table)
			}
		}
		for table := range want.Logics {
			if got.Logics[table] == nil {
				delete(want.Logics, table)
			}
		}
		if got.LargestContribution == nil {
			want.LargestContribution = nil
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}

// TestMarkdown reads front matter in YAML and in JSON.
func TestMarkdown(t *testing.T) {
	yaml := `---
year: 2022
division: Arith
track: track_unsat_core
n_benchmarks: 3
time_limit: 1200
logics:
- LIA: 1
  LRA: 2
winner_seq: B
winner_par: "-"
sequential:
- name: A
  competing: "no"
  errorScore: 0
  correctScore: 7
  CPUScore: 1.5
parallel:
---
Text.
`
	json := `{"year": 2022, "division": "Arith", "track": "track_unsat_core", "n_benchmarks": 3, "time_limit": 1200,
 "logics": {"LIA": 1, "LRA": 2}, "winner_seq": "B", "winner_par": "-",
 "sequential": [{"name": "A", "competing": "no", "errorScore": 0, "correctScore": 7, "CPUScore": 1.5}]}`
	want := &Page{Year: 2022, Track: "unsat-core", Kind: Division, Name: "Arith", Benchmarks: 3, Industrial: -1,
		TimeLimitS: 1200, Logics: map[string]int{"LIA": 1, "LRA": 2},
		Winners:      map[string]string{"sequential": "B", "parallel": ""},
		WinnerScores: map[string]float64{}, Views: map[string][]Row{"sequential": {{Solver: "A",
			Figures: map[string]float64{"error": 0, "correct": 7, "cpu": 1.5}}}}}
	for _, text := range []string{yaml, json} {
		path := filepath.Join(t.TempDir(), "page.md")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := ReadPage(path)
		if err != nil {
			t.Fatal(err)
		}
		want.File = path
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	}
}

// FuzzPage checks that no page crashes the reader or produces a page without a track name.
func FuzzPage(f *testing.F) {
	f.Add([]byte("<h2>X (Main Track)</h2><table id=parallel><tr><th>Solver<th>Errors<tr><td>A<sup>n</sup><td>1*</table>"))
	f.Add([]byte("---\ntrack: track_cloud\ndivision: A\nlogics:\n- A: 1\nparallel:\n- name: x\n---\n"))
	f.Add([]byte(`{"track": "track_parallel", "divisions": [{"track": "track_x", "division": "A", "parallel": [1]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := parse("2020/results/page", data)
		if p != nil && err == nil {
			if _, err := json.Marshal(Tables([]*Page{p}, true)); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestCutPage checks that an HTML page truncated before its title, or before its end, is rejected.
func TestCutPage(t *testing.T) {
	const whole = "<html><h2>UF (Main Track)</h2></html>"
	for n, want := range map[int]bool{len(whole): true, len(whole) - 1: false, 8: false} {
		_, err := ReadPage(write(t, map[string]string{"2018/results/UF.html": whole[:n]})[0])
		if (err == nil) != want || err != nil && !strings.Contains(err.Error(), "UF.html: the page ends too early") {
			t.Errorf("%q: %v", whole[:n], err)
		}
	}
}
