package organisers_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/contest/score/organisers"
	"github.com/smtpipe/smtpipe/internal/contest/score/scoreio"
	"github.com/smtpipe/smtpipe/internal/contest/submission"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// run returns a result on benchmark i in logic LIA.
func run(track, solver string, i int, result string, answers int) string {
	return fmt.Sprintf(`{"track": %q, "solver": %q, "file": {"incremental": %t, "logic": "LIA", "family": [], "name": "%d"},
		"result": %q, "cpu_time": 2.5, "wallclock_time": 1.5, "memory_usage": 0, "nb_answers": %d}`,
		track, solver, track == "Incremental", i, result, answers)
}

// benchmarks returns ten benchmarks in LIA with ten asserts, the even ones satisfiable, and ten incremental ones with
// ten check-sats.
func benchmarks() string {
	var plain, incremental []string
	for i := range 10 {
		file := func(incremental bool) string {
			return fmt.Sprintf(`"file": {"incremental": %t, "logic": "LIA", "family": [], "name": "%d"}`, incremental, i)
		}
		plain = append(plain, fmt.Sprintf(`{%s, "status": %q, "asserts": 10}`, file(false),
			map[bool]string{true: "sat", false: "unsat"}[i%2 == 0]))
		incremental = append(incremental, fmt.Sprintf(`{%s, "check_sats": 10}`, file(true)))
	}
	return fmt.Sprintf(`{"incremental": [%s], "non_incremental": [%s]}`, strings.Join(incremental, ","),
		strings.Join(plain, ","))
}

// files returns a year's published files with the given results. A and B enter LIA everywhere; B does not compete. C
// enters nothing.
func files(t *testing.T, results ...string) *organisers.Files {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	f := &organisers.Files{
		Results:    []string{write("results.json", `{"results": [`+strings.Join(results, ",\n")+`]}`)},
		Benchmarks: write("benchmarks.json", benchmarks()),
		Divide:     func(_, _ string) string { return "Arith" },
		WallLimits: map[string]score.Time{},
	}
	for _, track := range []string{"single_query", "incremental", "unsat_core", "model_validation", "parallel"} {
		f.WallLimits[track] = 1200 * score.Second
	}
	for _, name := range []string{"A", "B", "C"} {
		s := &submission.Submission{Name: name, Contacts: []submission.Contact{{Name: name}}, Competitive: name == "A"}
		f.Submissions = append(f.Submissions, s)
		for _, track := range comp.Tracks() {
			e := submission.Entry{Submission: s, Track: track.String()}
			if name != "C" {
				e.Places = []submission.Place{{Division: "Arith", Logic: "LIA"}}
			}
			f.Entries = append(f.Entries, e)
		}
	}
	return f
}

// table returns the parallel ranking of Arith by the practice since 2024: each solver's error, correct, answered and
// rows.
func table(t *testing.T, f *organisers.Files) (map[string][4]int64, int64) {
	t.Helper()
	runs, _, err := organisers.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	year, diags := rules.Load("2025", "")
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	rs, diags := year.Scoring()
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	rd, _ := year.Published.Scoring(runs.Tracks[0].Name)
	res, err := score.Compute(t.Context(), rs, runs, rd)
	if err != nil {
		t.Fatal(err)
	}
	out, size := map[string][4]int64{}, int64(0)
	for _, r := range scoreio.ScoreRows(res, rs, runs) {
		if r.Logic == "" && r.View == "par" {
			out[r.Solver], size = [4]int64{r.Errors, int64(r.Correct), r.Answered, r.Solved + r.Unsolved}, r.Benchmarks
		}
	}
	return out, size
}

// TestRecords checks how a result counts in each track.
func TestRecords(t *testing.T) {
	for _, test := range []struct {
		track string
		runs  [][2]any // result and number of answers, for benchmarks 0, 1, ...
		want  [4]int64 // errors, correct, answered, rows
	}{
		{"SingleQuery", [][2]any{{"sat", 1}, {"sat", 1}, {"unknown", 1}, {"Timeout", 1}}, [4]int64{1, 1, 2, 4}},
		{"Parallel", [][2]any{{"sat", 1}, {"OutOfMemory", 1}}, [4]int64{0, 1, 1, 2}},
		// A core with four of ten asserts removes six; sat and a refuted core are errors.
		{"UnsatCore", [][2]any{{"sat", 0}, {"unsat", 4}, {"unknown", 0}, {"UnsatCoreNotValidated", 3}, {"Timeout", 0}},
			[4]int64{2, 6, 2, 5}},
		{"ModelValidation", [][2]any{{"sat", 1}, {"unsat", 1}, {"ModelUnsat", 1}, {"ModelParsingError", 1}},
			[4]int64{2, 1, 2, 4}},
		// A run with a wrong answer still counts its answers.
		{"Incremental", [][2]any{{"incremental", 7}, {"Timeout", 2}, {"unknown", 0}, {"IncrementalError", 3}},
			[4]int64{1, 12, 0, 4}},
	} {
		t.Run(test.track, func(t *testing.T) {
			var results []string
			for i, r := range test.runs {
				results = append(results, run(test.track, "A", i, r[0].(string), r[1].(int)))
			}
			got, _ := table(t, files(t, results...))
			if got["A"] != test.want {
				t.Errorf("got %v, want %v", got["A"], test.want)
			}
		})
	}
}

// TestOneNameSeveralFiles checks that a solver competes if any of the files with its name does, in any order.
func TestOneNameSeveralFiles(t *testing.T) {
	for _, competes := range [][]bool{{true, false}, {false, true}, {false, false}} {
		f := files(t, run("SingleQuery", "A", 0, "sat", 1))
		f.Submissions, f.Entries = nil, nil
		for _, is := range competes {
			s := &submission.Submission{Name: "A", Contacts: []submission.Contact{{Name: "A"}}, Competitive: is}
			f.Submissions = append(f.Submissions, s)
			f.Entries = append(f.Entries, submission.Entry{Submission: s, Track: "single_query",
				Places: []submission.Place{{Division: "Arith", Logic: "LIA"}}})
		}
		runs, _, err := organisers.Read(f)
		if err != nil {
			t.Fatal(err)
		}
		if got := runs.Tracks[0].Solvers[0].Competitive; got != slices.Contains(competes, true) {
			t.Errorf("%v: competes is %t", competes, got)
		}
	}
}

// TestSelected checks that a benchmark counts if any solver has a result on it, even an excluded solver, and is
// unsolved for solvers without a result.
func TestSelected(t *testing.T) {
	f := files(t, run("SingleQuery", "A", 0, "sat", 1), run("SingleQuery", "C", 2, "sat", 1),
		run("SingleQuery", "D", 3, "unsat", 1), run("SingleQuery", "D", 3, "unsat", 1))
	got, size := table(t, f)
	if diff := cmp.Diff(map[string][4]int64{"A": {0, 1, 1, 3}, "B": {0, 0, 0, 3}}, got); diff != "" || size != 3 {
		t.Errorf("%d benchmarks; -want +got\n%s", size, diff)
	}
	_, notes, err := organisers.Read(f)
	if diff := cmp.Diff([]string{
		"results of solver C in logic LIA of track single_query, which it does not enter, are left out (1)",
		"results of solver D, which is not submitted, are left out (2)",
	}, notes); diff != "" || err != nil {
		t.Errorf("%v; notes -want +got\n%s", err, diff)
	}
}

// TestAllCompete checks that every solver competed in 2024.
func TestAllCompete(t *testing.T) {
	f := files(t, run("SingleQuery", "A", 0, "unknown", 1), run("SingleQuery", "B", 0, "sat", 1))
	for f.AllCompete = range map[bool]bool{true: true, false: true} {
		runs, _, err := organisers.Read(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range runs.Tracks[0].Solvers {
			if s.Competitive != (f.AllCompete || s.Name == "A") {
				t.Errorf("all compete %v: %s competes %v", f.AllCompete, s.Name, s.Competitive)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	for _, test := range []struct {
		name    string
		results []string
		want    string
	}{
		{"none", nil, "no run of a solver that was submitted"},
		{"of others only", []string{run("SingleQuery", "C", 0, "sat", 1)}, "no run of a solver that was submitted"},
		{"benchmark of another year", []string{run("SingleQuery", "A", 11, "sat", 1)},
			"non-incremental/LIA/11 is not in"},
		{"track without scores", []string{run("ProofExhibition", "A", 0, "unsat", 1)},
			"run 0: track proof is not scored"},
		{"track of the organisers", []string{run("UnsatCoreValidation", "A", 0, "unsat", 1)}, "is not scored"},
		{"twice", []string{run("SingleQuery", "A", 0, "sat", 1), run("SingleQuery", "A", 0, "sat", 1)},
			"has a second run"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := organisers.Read(files(t, test.results...))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want ...%s...", err, test.want)
			}
		})
	}
}
