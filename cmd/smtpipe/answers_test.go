package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/testkit"
)

// TestSelectionAnswers2026 selects from a list with benchmarks of unknown status and results of this year's
// single-query track. Eligibility for cores and models follows from the 2026 rules, §6, step 3: one answer from a sound
// solver is enough, and a benchmark on which sound solvers disagree may be in either track.
//
//	benchmark   status    Bitwuzla  cvc5     Yices2 (answers known_sat wrongly)
//	known_sat   sat       sat       sat      unsat
//	known_unsat unsat     unsat     unsat    unsat
//	says_sat    unknown   sat       unknown  unsat
//	says_unsat  unknown   unknown   unsat    unsat
//	disputed    unknown   sat       unsat    Timeout
//	wrong_only  unknown   unknown   Timeout  sat
//	nobody      unknown   unknown   unknown  unknown
func TestSelectionAnswers2026(t *testing.T) {
	t.Parallel()
	dir := copyTree(t, "pipelines")
	list, answers := writeAnswers2026(t, dir)
	args := []string{"run", "--progress", "none", "-p", filepath.Join(dir, "pipelines/competition-2026.hcl"), "--store",
		t.TempDir(), "--var", "list=" + list,
		"--var", "submissions=" + testkit.Shared(t, "submissions-2026"), "--var", "nyse_opening=23412.89"}
	for _, c := range []struct {
		name          string
		vars          []string
		cores, models []string
	}{
		{"no answers", nil, []string{"known_unsat"}, []string{"known_sat"}},
		{"sound", []string{"--var", `answers=["` + answers + `"]`},
			[]string{"disputed", "known_unsat", "says_unsat"}, []string{"disputed", "known_sat", "says_sat"}},
		// This reading ignores soundness.
		{"agreed", []string{"--var", `answers=["` + answers + `"]`, "--var", "unknown_status=agreed"},
			[]string{"known_unsat", "says_unsat"}, []string{"known_sat"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			smtpipe(t, slices.Concat(args, c.vars)...)
			for track, want := range map[string][]string{"unsat_core": c.cores, "model_validation": c.models} {
				var got []string
				for _, r := range readCSV(t, filepath.Join(dir, "pipelines/selection-2026", track+".csv")) {
					got = append(got, strings.TrimSuffix(r["name"], ".smt2"))
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", track, diff)
				}
			}
		})
	}
}

// writeAnswers2026 writes a list of benchmarks and results, both in the organisers' format.
func writeAnswers2026(t *testing.T, dir string) (list, answers string) {
	t.Helper()
	solvers := []string{"Bitwuzla", "cvc5", "Yices2"}
	var benchmarks, results []string
	for _, row := range []struct{ name, status, results string }{
		{"known_sat", "sat", "sat sat unsat"},
		{"known_unsat", "unsat", "unsat unsat unsat"},
		{"says_sat", "unknown", "sat unknown unsat"},
		{"says_unsat", "unknown", "unknown unsat unsat"},
		{"disputed", "unknown", "sat unsat Timeout"},
		{"wrong_only", "unknown", "unknown Timeout sat"},
		{"nobody", "unknown", "unknown unknown unknown"},
	} {
		file := fmt.Sprintf(
			`"file": {"incremental": false, "logic": "QF_BV", "family": ["2020-family"], "name": "%s.smt2"}`, row.name)
		benchmarks = append(benchmarks, fmt.Sprintf(`{%s, "status": %q, "asserts": 5}`, file, row.status))
		for i, result := range strings.Fields(row.results) {
			results = append(results,
				fmt.Sprintf(
					`{"track": "SingleQuery", "solver": %q, %s, "result": %q, "cpu_time": 2.5, "wallclock_time": 2.25, "memory_usage": 1000000.0}`,
					solvers[i], file, result))
		}
	}
	list, answers = filepath.Join(dir, "benchmarks-2026.json"), filepath.Join(dir, "results-sq-2026.json")
	for file, text := range map[string]string{
		list:    fmt.Sprintf(`{"incremental": [], "non_incremental": [%s]}`, strings.Join(benchmarks, ",\n")),
		answers: fmt.Sprintf(`{"results": [%s]}`, strings.Join(results, ",\n")),
	} {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return list, answers
}
