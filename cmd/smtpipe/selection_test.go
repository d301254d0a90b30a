package main

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// TestSelectionPipeline2026 selects all five tracks with the pipeline, from the official 2025 list and the real
// submissions. The expected totals were counted in the JSON files by an independent short program that implements the
// formula, the divisions and the condition of two teams. With sizes = half, the incremental track's total is the number
// of benchmarks that the organisers' tool ran in 2025. If their list of two retired benchmarks (of 1,010 in UFDTNIA,
// both of status unsat) is used as well, all numbers equal that tool's. From the seven QF_FPArith logics that have
// benchmarks of status sat but are not listed in §5.5, the rules' formula selects 6,209 of 48,452 (model_logics =
// table).
func TestSelectionPipeline2026(t *testing.T) {
	t.Parallel()
	list := testkit.Shared(t, "official-results", "raw", "benchmarks-2025.json.gz")
	dir, store := copyTree(t, "pipelines"), t.TempDir()
	args := []string{"-p", filepath.Join(dir, "pipelines/competition-2026.hcl"), "--store", store, "--var", "list=" +
		list,
		"--var", "submissions=" + testkit.Shared(t, "submissions-2026"), "--var", "nyse_opening=23412.89"}
	for _, c := range []struct {
		name               string
		vars               []string
		eligible, selected map[string]int64
	}{
		{"rules", nil, map[string]int64{"single_query": 450474, "incremental": 44461, "unsat_core": 126010,
			"model_validation": 66366},
			map[string]int64{"single_query": 67034, "incremental": 10725, "unsat_core": 26254,
				"model_validation": 12372, "parallel": 400}},
		{"the table's logics of models", []string{"--var", "model_logics=table"},
			map[string]int64{"model_validation": 66366 + 48452},
			map[string]int64{"model_validation": 12372 + 6209}},
		{"retired", []string{"--var", "retired=retired-2026.csv"},
			map[string]int64{"single_query": 450472, "incremental": 44461, "unsat_core": 126008,
				"model_validation": 66366},
			map[string]int64{"single_query": 67033, "incremental": 10725, "unsat_core": 26254,
				"model_validation": 12372, "parallel": 400}},
		{"the organisers' numbers", []string{"--var", "retired=retired-2026.csv", "--var", "sizes=half", "--var",
			"new_benchmarks=first", "--var", "model_logics=table"},
			map[string]int64{"single_query": 450472, "unsat_core": 126008},
			map[string]int64{"single_query": 227413, "incremental": 22942, "unsat_core": 64595,
				"model_validation": 58206, "parallel": 400}},
		{"other readings", []string{"--var", "sizes=half", "--var", "new_benchmarks=first", "--var",
			"model_logics=sources"},
			map[string]int64{"model_validation": 30642},
			map[string]int64{"single_query": 227414, "incremental": 22942, "unsat_core": 64596,
				"model_validation": 15577, "parallel": 400}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name != "rules" {
				testkit.Long(t)
			}
			smtpipe(t, slices.Concat([]string{"run", "--progress", "none"}, args, c.vars)...)
			checkRetired(t, filepath.Join(dir, "pipelines/selection-2026"),
				slices.Contains(c.vars, "retired=retired-2026.csv"))
			for track, want := range c.selected {
				rows := readCSV(t, filepath.Join(dir, "pipelines/selection-2026", track+"-counts.csv"))
				eligible, selected := int64(0), int64(0)
				for _, r := range rows {
					n, quota := number(t, r["eligible"]), number(t, r["quota"])
					eligible, selected = eligible+n, selected+number(t, r["selected"])
					if (c.name == "rules" || c.name == "retired") && track != "parallel" && quota != places2026(n) {
						t.Errorf("%s, %s: %d places of %d benchmarks, want %d", track, r["group"], quota, n,
							places2026(n))
					}
				}
				if e, ok := c.eligible[track]; ok && eligible != e || selected != want {
					t.Errorf("%s: %d selected of %d eligible, want %d of %d", track, selected, eligible, want, e)
				}
				listed, err := os.ReadFile(filepath.Join(dir, "pipelines/selection-2026", track+".csv"))
				if n := int64(bytes.Count(listed, []byte("\n"))) - 1; err != nil || n != want {
					t.Errorf("%s: %d benchmarks are listed, want %d (%v)", track, n, want, err)
				}
			}
		})
	}
	var out bytes.Buffer
	if code := run(slices.Concat([]string{"run"}, args, []string{"--var", "sizes=most"}), strings.NewReader(""),
		io.Discard, &out); code != exit.Error || !strings.Contains(out.String(), "sizes is rules or half") {
		t.Errorf("an unknown option: exit code %d, %s", code, &out)
	}
}

// checkRetired checks how a published selection treats the two benchmarks on the organisers' 2026 list. With the list,
// the benchmarks are named with the reason, counted, and never selected. Without the list, they are eligible and not
// mentioned.
func checkRetired(t *testing.T, folder string, retired bool) {
	t.Helper()
	const reason = "on the organisers' list of removed benchmarks since July 2025"
	named := map[string]string{}
	for _, r := range readCSV(t, filepath.Join(folder, "retired.csv")) {
		named[r["benchmark"]] = r["reason"]
	}
	if retired != (len(named) == 2) || !retired && len(named) > 0 {
		t.Errorf("the published list of retired benchmarks is %v", named)
	}
	for _, track := range []string{"single_query", "incremental", "unsat_core", "model_validation", "parallel"} {
		counted := ""
		for _, r := range readCSV(t, filepath.Join(folder, track+"-exclusions.csv")) {
			if strings.HasPrefix(r["reason"], "retired: ") {
				counted += r["logic"] + " " + r["reason"] + " " + r["count"]
			}
		}
		want := ""
		if retired {
			want = "UFDTNIA retired: " + reason + " 2"
		}
		if counted != want {
			t.Errorf("%s: the exclusions say %q of retired benchmarks, want %q", track, counted, want)
		}
		for _, r := range readCSV(t, filepath.Join(folder, track+".csv")) {
			if named[r["path"]] != "" {
				t.Errorf("%s: %s is retired and was selected", track, r["path"])
			}
		}
	}
	for name, why := range named {
		if why != reason {
			t.Errorf("%s is retired as %q, want %q", name, why, reason)
		}
	}
}

// places2026 implements the formula in the 2026 rules, §6, 4.
func places2026(n int64) int64 {
	switch {
	case n <= 300:
		return n
	case n <= 600:
		return 300
	case n <= 1000:
		return n / 2
	}
	return 500 + (n-1000)/10
}

func number(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestReplayStages reproduces the published lists with the stages import, filter, and cap with generator = "cpython".
func TestReplayStages(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"2019-model-validation", "2022-incremental", "2022-unsat-core", "2023-incremental"} {
		t.Run(name, func(t *testing.T) {
			if name != "2023-incremental" { // TestSelectPublished reproduces all of them
				testkit.Long(t)
			}
			folder, dir := testkit.Shared(t, "selection-cases", name), t.TempDir()
			writeReplay(t, folder, dir)
			smtpipe(t, "run", "--progress", "none", "-p", dir, "--store", t.TempDir())
			var got []string
			for _, r := range readCSV(t, filepath.Join(dir, "selected.csv")) {
				got = append(got, replayPath(t, r["path"]))
			}
			var want []string
			for line := range strings.Lines(unzipped(t, filepath.Join(folder, "selected.txt.gz"))) {
				want = append(want, replayPath(t, strings.TrimSpace(line)))
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%d benchmarks, want %d: %s", len(got), len(want), cmp.Diff(want[:min(len(want), 5)],
					got[:min(len(got), 5)]))
			}
		})
	}
}

// writeReplay writes the pipeline that reproduces a case.
func writeReplay(t *testing.T, folder, dir string) {
	t.Helper()
	var p struct {
		Year     int    `json:"year"`
		Seed     int64  `json:"seed"`
		Eligible bool   `json:"force_eligible_new"`
		Filter   string `json:"filter"`
		Asserts  int    `json:"min_asserts"`
		Logics   []string
	}
	text, err := os.ReadFile(filepath.Join(folder, "params.json"))
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil {
		t.Fatal(err)
	}
	listed, eligible, kept := "all.txt.gz", "", ""
	if p.Filter == "unsat" {
		listed = "status.csv.gz"
		writeAnswers(t, filepath.Join(folder, listed), filepath.Join(dir, "answers-2022.csv"))
		eligible = fmt.Sprintf("history = stage.import.answers.runs\n  drop \"asserts\" { when = b.asserts < %d }\n"+
			"  drop \"status\" { when = b.status == \"sat\" || (b.status == \"unknown\" && h.unsat == 0) }", p.Asserts)
	}
	if len(p.Logics) > 0 { // other logics take part in the draw and are excluded afterwards
		kept = fmt.Sprintf("drop \"logic\" { when = !contains(%s, b.logic) }",
			strings.ReplaceAll(fmt.Sprintf("%q", p.Logics), " ", ", "))
	}
	pipeline := fmt.Sprintf(`competition {
  name = "replay"
  year = %d
}
stage "import" "answers" { results = fileset("answers-*.csv") }
stage "import" "all" { benchmarks = %q }
stage "filter" "eligible" {
  benchmarks = stage.import.all.benchmarks
  %s
}
stage "cap" "script" {
  benchmarks   = stage.filter.eligible.benchmarks
  generator    = "cpython"
  take         = n <= 300 ? n : n * 0.5 <= 300 ? 300 : n * 0.5
  always       = b.status == "unknown"
  new_families = %q
  eligible_new = %v
  seed         = %d
}
stage "filter" "kept" {
  benchmarks = stage.cap.script.benchmarks
  %s
}
output "selected" {
  value = stage.filter.kept.benchmarks
  path  = "selected.csv"
}
`, p.Year, filepath.Join(folder, listed), eligible, filepath.Join(folder, "new.txt.gz"), p.Eligible, p.Seed, kept)
	if p.Filter == "" {
		pipeline = strings.Replace(pipeline, "  always       = b.status == \"unknown\"\n", "", 1)
	}
	if err := os.WriteFile(filepath.Join(dir, "replay.hcl"), []byte(pipeline), 0o666); err != nil {
		t.Fatal(err)
	}
}

// writeAnswers writes a history of the benchmarks for which a solver in the single-query track answered unsat.
func writeAnswers(t *testing.T, statuses, file string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(unzipped(t, statuses))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.Index(rows[0], "sqUnsatRes")
	var out strings.Builder
	out.WriteString("benchmark,year,track,solver,answer\n")
	for _, r := range rows[1:] {
		if r[at] != "0" {
			fmt.Fprintf(&out, "%s,2022,single_query,some,unsat\n", r[0])
		}
	}
	if err := os.WriteFile(file, []byte(out.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

func replayPath(t *testing.T, name string) string {
	t.Helper()
	_, path, ok := comp.LibraryPath(name)
	if !ok {
		t.Fatalf("%s is below no logic", name)
	}
	return path
}

func unzipped(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(gunzip(t, b))
}

func gunzip(t *testing.T, b []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
