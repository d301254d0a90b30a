package record

import (
	"archive/tar"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/testkit"
)

// write writes a tree of files. Files below the name of an archive are written into the archive.
func write(t *testing.T, files map[string]string) (paths []string) {
	t.Helper()
	dir := t.TempDir()
	archives := map[string]*bytes.Buffer{}
	for name, text := range files {
		name, member, isMember := strings.Cut(name, "!")
		if isMember {
			if archives[name] == nil {
				archives[name] = &bytes.Buffer{}
			}
			w := tar.NewWriter(archives[name])
			h := &tar.Header{Name: member, Mode: 0o666, Size: int64(len(text)), Typeflag: tar.TypeReg}
			if err := w.WriteHeader(h); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
			if err := w.Flush(); err != nil { // Close would also close the archive
				t.Fatal(err)
			}
			continue
		}
		archives[name] = bytes.NewBufferString(text)
	}
	for name, data := range archives {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

const unsatCorePage = `---
year: 2020
division: UF
track: track_unsat_core
n_benchmarks: 2
parallel:
- name: A
  competing: "yes"
- name: B (fixed)
  competing: "no"
---
`

// TestWriteRuns converts StarExec tables to runs. Solver names come from the registration, by configuration or id, and
// from the rules. Removed benchmarks and unknown solvers are omitted. Decided statuses and the post-processors' stamps
// override the table.
func TestWriteRuns(t *testing.T) {
	const head = "benchmark,solver,solver id,configuration id,status,cpu time,wallclock time,result,expected"
	cores := head + ",reduction,result-is-erroneous,number-of-assert-commands\n" +
		"Competition/UF/f/a.smt2,a-wrapped,7,70,complete,1.5,2,unsat,unsat,3,0,5\n" +
		"Competition/UF/f/a.smt2,b-wrapped,8,80,timeout (wallclock),9,10.5,--,unsat,-,-,5\n" +
		"Competition/UF/f/b.smt2,a-wrapped,7,70,complete,1,1,starexec-unknown,starexec-unknown,0,1,4\n" +
		"Competition/UF/f/gone.smt2,a-wrapped,7,70,complete,1,1,unsat,unsat,1,0,5\n"
	paths := write(t, map[string]string{
		"2020/results/unsat-core/Job_infos.tar.xz!Job_info_orig.csv": cores,
		"2020/results/unsat-core/Job_infos.tar.xz!._Job_info.csv":    "of macOS",
		"2020/results/unsat-core/Job_infos.tar.xz!Job_info_fixed.csv": head + ",note\n" +
			"Competition/UF/f/a.smt2,stranger,9,90,complete,1,1,unsat,unsat,says, with a comma\n",
		"2020/registration/solvers_divisions_final.csv":              "Solver ID,Config ID Unsat Core,Solver Name\n7,,wrong\n1,70,A\n8,,B\n",
		"2020/scoring/blacklists.tar!blacklist_nonincremental_x.txt": "UF/f/gone.smt2\n",
		"2020/results/sq-disagreements-decision.csv":                 "benchmark,status\nUF/f/b.smt2,sat\n",
		"_results_2020/UF-unsat-core.md":                             unsatCorePage,
		"2019/results/unsat-core/Job_infos.tar.xz!Job_info.csv":      cores, // results of another year
	})
	m, err := Gather(paths, 2020)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	seen, notes, err := m.WriteRuns(&out, &Runs{Track: "unsat-core", Names: map[string]string{"stranger": "Nobody"},
		Divide: func(logic string) string { return "D" + logic }})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join(runColumns, ",") + `
UF/f/a.smt2,UF,DUF,A,true,unsat,unsat,3,5,,0,2,1.5,complete,7,,,
UF/f/b.smt2,UF,DUF,A,true,sat,unknown,0,4,,1,1,1,complete,7,,,
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if diff := cmp.Diff(map[string]bool{"UF": true, "DUF": true}, seen); diff != "" {
		t.Error(diff)
	}
	wantNotes := []string{"unsat-core: results of B, which no page of the track names, are left out (1)",
		"unsat-core: results of Nobody, which no page of the track names, are left out (1)"}
	if diff := cmp.Diff(wantNotes, notes); diff != "" {
		t.Error(diff)
	}
}

// TestWriteRunsIncremental checks that a wrong answer cancels all right ones, and that the number of check-sats is read
// from a separate table.
func TestWriteRunsIncremental(t *testing.T) {
	paths := write(t, map[string]string{
		"2019/results/Incremental_Track.csv": "benchmark,solver,status,cpu time,wallclock time,result,wrong-answers,correct-answers\n" +
			"x/UF/f/a.smt2,A,complete,1,1,--,0,4\nx/UF/f/b.smt2,A,complete,1,1,--,1,4\n",
		"2019/prep/incremental_num_check_sat.csv": "benchmark,num_check_sat\nUF/f/a.smt2,6\n",
		"_results_2019/UF-incremental.md":         "---\nyear: 2019\ndivision: UF\ntrack: track_incremental\nparallel:\n- name: A\n---\n",
	})
	m, err := Gather(paths, 2019)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, _, err := m.WriteRuns(&out, &Runs{Track: "incremental", Divide: strings.ToUpper}); err != nil {
		t.Fatal(err)
	}
	_, lines, _ := strings.Cut(out.String(), "\n")
	want := `UF/f/a.smt2,UF,UF,A,true,incremental,incremental,4,6,0,0,1,1,complete,,,,
UF/f/b.smt2,UF,UF,A,true,incremental,incremental,0,,1,1,1,1,complete,,,,
`
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestWriteRunsRenamed checks that benchmarks with other names in the competition get their library names. If a
// benchmark was selected twice, only the runs under its first name count. A word instead of a time states how the run
// ended.
func TestWriteRunsRenamed(t *testing.T) {
	paths := write(t, map[string]string{
		"2021/results/cloud-track/results.csv": "benchmark,solver,wallclock time,result\n" +
			"cloud_new/non-incremental/UF/smt-comp-2.smt2,A,5,SATISFIABLE\ncloud_new/non-incremental/UF/smt-comp-1.smt2,A,TIMEOUT,\n",
		"2021/prep/selection/final/benchmark_selection_cloud_2021_scramble_map.csv": "smtlib name,competition name\n" +
			"/non-incremental/UF/f/a.smt2,/non-incremental/UF/smt-comp-1.smt2\n/non-incremental/UF/f/a.smt2,/non-incremental/UF/smt-comp-2.smt2\n",
		"2021/results/cloud-track/aws-instance-statuses.csv": "benchmark name,status\n/non-incremental/UF/f/a.smt2,unsat\n",
		"_results_2021/UF-cloud.md":                          "---\nyear: 2021\ndivision: UF\ntrack: track_cloud\nparallel:\n- name: A\n---\n",
	})
	m, err := Gather(paths, 2021)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, _, err := m.WriteRuns(&out, &Runs{Track: "cloud", Divide: strings.ToUpper}); err != nil {
		t.Fatal(err)
	}
	if want := "\nUF/f/a.smt2,UF,UF,A,true,unsat,TIMEOUT,,,,,0,,,,,,\n"; !strings.HasSuffix(out.String(), want) ||
		strings.Count(out.String(), "\n") != 2 {
		t.Errorf("got %s", out.String())
	}
}

// TestResults checks that results tables are recognised by their first line, and their tracks by their paths.
func TestResults(t *testing.T) {
	for _, name := range []string{"2016/csv/Application_Track.tar.xz", "2022/results/raw-results-cloud.csv"} {
		if is, err := isResults(testkit.Shared(t, "public-pages", "smt-comp", name)); !is || err != nil {
			t.Errorf("%s is not a table of results: %v", name, err)
		}
	}
	is, err := isResults(testkit.Shared(t, "public-pages", "data", "results-parallel-2024.json.gz"))
	if is || err != nil {
		t.Errorf("a file of JSON is a table of results: %v", err)
	}
	for path, want := range map[string]string{
		"x/2016/csv/Application_Track.tar.xz": "application", "x/2022/results/raw-results-cloud.csv": "cloud",
		"2019/results/Challenge_Track_non-incremental.csv.tar.xz": "challenge-non-incremental",
		"2019/results/Challenge_Track_incremental.csv.tar.xz":     "challenge-incremental",
		"2019/results/Single_Query_Track_strings.csv.tar.xz":      "single-query",
		"2020/results/model-validation/Job_infos.tar.xz":          "model-validation", "2019/divisions.json": "",
		"archive/2022/results/solver_659685_sq.csv": "single-query", "2023/results/raw-results.tar.xz": "",
		"csv/Main_Track.tar.xz": "main", "raw-results-mv.csv": "model-validation",
	} {
		if got := trackIn(path); got != want {
			t.Errorf("%s is of %q, want %q", path, got, want)
		}
	}
}

// TestRawResults checks an archive with a table for each track, as there is since 2021. A table counts only if no other
// file contains the track's results.
func TestRawResults(t *testing.T) {
	const head = "benchmark,solver,solver id,configuration id,status,cpu time,wallclock time,result,expected"
	page := func(track string) string {
		return "---\nyear: 2021\ndivision: UF\ntrack: track_" + track + "\nparallel:\n- name: A\n---\n"
	}
	paths := write(t, map[string]string{
		"2021/results/raw-results.tar.xz!raw-results-sq.csv": head + "\n" +
			"track_single_query/UF/f/a.smt2,a,7,70,complete,1,2,sat,sat\n",
		"2021/results/raw-results.tar.xz!raw-results-uc.csv": head + ",reduction,result-is-erroneous," +
			"number-of-assert-commands\ntrack_unsat_core/UF/f/a.smt2,a,7,71,complete,1,2,unsat,unsat,3,0,5\n",
		"2021/results/raw-results.tar.xz!raw-results-cloud.csv": head + "\nx/UF/f/a.smt2,a,7,72,complete,9,9,sat,sat\n",
		"2021/results/raw-results.tar.xz!notes.csv":             "no,table\n",
		"2021/results/cloud-track/results.csv":                  head + "\nx/UF/f/a.smt2,a,7,72,complete,1,2,sat,sat\n",
		"2021/results/inc-disagreements-decision.csv":           "benchmark,status\n",
		"2021/results/other.tar.xz!jobs.csv":                    head + "\n",
		"2021/registration/solvers_divisions_final.csv": "Config ID Single Query,Config ID Unsat Core,Solver ID," +
			"Solver Name\n70,71,7,A\n",
		"_results_2021/UF-sq.md": page("single_query"), "_results_2021/UF-uc.md": page("unsat_core"),
		"_results_2021/UF-cloud.md": page("cloud"),
	})
	slices.Sort(paths)
	m, err := Gather(paths, 2021)
	if err != nil {
		t.Fatal(err)
	}
	for track, want := range map[string]string{
		"single-query": "UF/f/a.smt2,UF,UF,A,true,sat,sat,,,,,2,1,complete,7,,,\n",
		"unsat-core":   "UF/f/a.smt2,UF,UF,A,true,unsat,unsat,3,5,,0,2,1,complete,7,,,\n",
		"cloud":        "UF/f/a.smt2,UF,UF,A,true,sat,sat,,,,,2,1,complete,7,,,\n",
	} {
		var out bytes.Buffer
		if _, _, err := m.WriteRuns(&out, &Runs{Track: track, Divide: strings.ToUpper}); err != nil {
			t.Fatal(err)
		}
		if _, got, _ := strings.Cut(out.String(), "\n"); got != want {
			t.Errorf("%s: got\n%swant\n%s", track, got, want)
		}
	}
	for i, want := range []string{"other.tar.xz is not read: neither its path nor a table in it names a track",
		"raw-results-cloud.csv in ", "raw-results.tar.xz is not read: other results of the track cloud are here"} {
		if len(m.Unread) != 2 || !strings.Contains(m.Unread[min(i, 1)], want) {
			t.Errorf("not read are %q", m.Unread)
		}
	}
}

// TestOfOneSolver reads tables of a single solver. In the tables of 2022 and 2023, StarExec numbers the benchmarks and
// the solver's name is in the file's name. The tables of the 2023 cloud track are in milliseconds and use renamed
// benchmarks.
func TestOfOneSolver(t *testing.T) {
	page := func(track string) string {
		return "---\nyear: 2023\ndivision: UF\ntrack: track_" + track + "\nparallel:\n- name: A\n---\n"
	}
	paths := write(t, map[string]string{
		"_results_2023/UF-single-query.md": page("single_query"), "_results_2023/UF-cloud.md": page("cloud"),
		"2023/registration/solvers_divisions_final.csv": "Config ID Single Query,Solver Name\n77,A\n",
		"archive/2023/results/solver_77_sq.csv": "benchmark_id,cpu_time,wallclock_time,result\n1,2.5,1.5,sat\n" +
			"2,1200.0,1200.0,starexec-unknown\n3,1,1,unsat\n",
		"archive/2023/results/benchmarks.csv": "benchmark_id,division,logic,expected\n" +
			"1,UF,UF,sat\n2,UF,UF,starexec-unknown\n",
		"2023/prep/SMT-LIB_spaces.tar!non-incremental.xml": `<tns:Spaces><Space id="9" name="non-incremental">` +
			`<Space id="8" name="UF"><Space id="7" name="f"><Benchmark id="1" name="a.smt2"/><Benchmark id="2" name="b.smt2"/>` +
			`</Space><Benchmark id="3" name="c.smt2"/></Space></Space></tns:Spaces>`,
		"2023/prep/SMT-LIB_benchmarks.tar!SMT-LIB_non_incremental_benchmarks_all_assertions.csv": "benchmark,number of " +
			"asserts,status\n./UF/c.smt2,5,unsat\n./UF/f/a.smt2,5,unsat\n",
		"2023/results/aws/cloud-pairs.csv": "solver,input file,original name\n" +
			"A,/non-incremental/UF/smt-comp-000.smt2,/non-incremental/UF/f/a.smt2\n",
		"2023/results/aws/cloud-a.adjust-smt.csv": "name, time, result\n" +
			"/home/x/cloud/non-incremental/UF/smt-comp-000.smt2, 5079, unsat\n",
	})
	m, err := Gather(paths, 2023)
	if err != nil {
		t.Fatal(err)
	}
	for track, want := range map[string]string{
		// The status comes from benchmarks.csv or, if a benchmark is missing there, from the whole library.
		"single-query": "UF/f/a.smt2,UF,UF,A,true,sat,sat,,,,,1.5,2.5,,,,,\n" +
			"UF/f/b.smt2,UF,UF,A,true,,unknown,,,,,1200.0,1200.0,,,,,\n" +
			"UF/c.smt2,UF,UF,A,true,unsat,unsat,,,,,1,1,,,,,\n",
		"cloud": "UF/f/a.smt2,UF,UF,A,true,unsat,unsat,,,,,5.079,,,,,,\n",
	} {
		var out bytes.Buffer
		_, _, err := m.WriteRuns(&out, &Runs{Track: track, Divide: strings.ToUpper, Names: map[string]string{"a": "A"}})
		if err != nil {
			t.Fatal(err)
		}
		_, got, _ := strings.Cut(out.String(), "\n")
		if got != want {
			t.Errorf("%s: got\n%swant\n%s", track, got, want)
		}
	}
}

// TestBenchExec reads a BenchExec table whose tasks are numbered in the organisers' list. A track that is judged by
// solvers' outputs is rejected, and the error for a damaged file names the file.
func TestBenchExec(t *testing.T) {
	xml := `<?xml version="1.0"?>
<result benchmarkname="x" date="2026-07-01 10:00:00 UTC" starttime="2026-07-01T10:00:00+00:00" tool="A" ` +
		`toolmodule="t" version="1" memlimit="1B" timelimit="1200s" cpuCores="4" generator="BenchExec 3" displayName="A">
<run name="benchmarks/UF/1_UF_f_b.yml" files="[b]" properties="p"><column title="status" value="true"/>` +
		`<column title="cputime" value="2.5s"/><column title="walltime" value="1.5s"/></run></result>`
	page := "---\nyear: 2026\ndivision: UF\ntrack: track_single_query\nparallel:\n- name: A\n---\n"
	list := `{"incremental":[],"non_incremental":[` +
		`{"file":{"incremental":false,"logic":"UF","family":["f"],"name":"a.smt2"},"status":"sat","asserts":1},` +
		`{"file":{"incremental":false,"logic":"UF","family":["f"],"name":"b.smt2"},"status":"unsat","asserts":1}]}`
	paths := write(t, map[string]string{"_results_2026/UF.md": page, "2026/single-query/a.xml": xml,
		"2026/unsat-core/a.xml": xml, "benchmarks-2026.json": list, "2026/cloud/b.xz": "\xfd7zXZ\x00broken"})
	m, err := Gather(paths, 2026)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Unread) != 1 || !strings.Contains(m.Unread[0], "b.xz is not read: ") {
		t.Errorf("unread are %q", m.Unread)
	}
	i := slices.IndexFunc(paths, func(path string) bool { return strings.HasSuffix(path, "benchmarks-2026.json") })
	runs := &Runs{Track: "single-query", Divide: strings.ToUpper, Benchmarks: paths[i]}
	var out bytes.Buffer
	if _, _, err := m.WriteRuns(&out, runs); err != nil {
		t.Fatal(err)
	}
	if want := "\nUF/f/b.smt2,UF,UF,A,true,unsat,sat,,,,,1.5,2.5,true,,,,\n"; !strings.HasSuffix(out.String(), want) {
		t.Errorf("got %s", out.String())
	}
	runs.Track = "unsat-core"
	if _, _, err := m.WriteRuns(&out, runs); err == nil || !strings.Contains(err.Error(), "import it with its logs") {
		t.Errorf("the error is %v", err)
	}
}
