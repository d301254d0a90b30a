package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// eligibilityList is a list of benchmarks in QF_BV, each of which has one special property. The easy benchmarks were
// solved twice in half a second, in the year in their name; the benchmark "once" was solved that quickly by a single
// solver.
const eligibilityList = `path,status,asserts,says_sat,says_unsat,known_prefix,retired,category,difficulty
non-incremental/QF_BV/f/sat,sat,3,,,,,industrial,1
non-incremental/QF_BV/f/unsat,unsat,2,,,,,industrial,1
non-incremental/QF_BV/f/unknown,unknown,3,,,,,industrial,1
non-incremental/QF_BV/f/says_sat,unknown,3,1,,,,industrial,1
non-incremental/QF_BV/f/says_unsat,unknown,3,,1,,,industrial,1
non-incremental/QF_BV/f/disputed,unknown,3,1,1,,,industrial,1
non-incremental/QF_BV/f/one_assert,unsat,1,,,,,industrial,1
non-incremental/QF_BV/f/retired,sat,3,,,,not well-formed,industrial,1
non-incremental/QF_BV/f/easy2018,sat,3,,,,,industrial,1
non-incremental/QF_BV/f/easy2020,sat,3,,,,,industrial,1
non-incremental/QF_BV/f/easy2021,sat,3,,,,,industrial,1
non-incremental/QF_BV/f/easy2024,sat,3,,,,,industrial,1
non-incremental/QF_BV/f/once,sat,3,,,,,industrial,1
incremental/QF_BV/f/prefix,,0,,,2,,,
incremental/QF_BV/f/no_prefix,,0,,,0,,,
`

func writeList(t *testing.T, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// easyHistory returns the runs on the easy benchmarks.
func easyHistory() string {
	text := "benchmark,year,track,solver,logic,answer,cpu_time_s,wall_time_s\n"
	for _, year := range []string{"2018", "2020", "2021", "2024"} {
		for _, solver := range []string{"A", "B"} {
			text += fmt.Sprintf("non-incremental/QF_BV/f/easy%s,%s,single_query,%s,QF_BV,sat,0.5,0.5\n", year, year,
				solver)
		}
	}
	return text + "non-incremental/QF_BV/f/once,2018,single_query,A,QF_BV,sat,0.5,0.5\n"
}

// TestSelectEligibility checks each year's and track's selection from eligibilityList, by the rules.
func TestSelectEligibility(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	list := writeList(t, dir, "list.csv", eligibilityList)
	history := writeList(t, dir, "history-2018.csv", easyHistory())
	const (
		known  = "sat unsat one_assert easy2018 easy2020 easy2021 easy2024 once"
		all    = known + " unknown says_sat says_unsat disputed"
		sat    = "sat easy2018 easy2020 easy2021 easy2024 once"
		hard   = "sat unsat one_assert unknown says_sat says_unsat disputed" // benchmarks that nobody solved quickly
		prefix = "prefix no_prefix"
	)
	without := func(names string, gone ...string) string {
		return strings.Join(slices.DeleteFunc(strings.Fields(names), func(n string) bool {
			return slices.Contains(gone, n)
		}), " ")
	}
	for _, c := range []struct{ rules, track, want string }{
		{"2008", "single_query", known}, // §4: benchmarks of known status
		{"2015", "single_query", known}, // §6, Benchmark sources
		{"2015", "incremental", "prefix"},
		{"2019", "single_query", without(all, "easy2018")}, // §6, step 2
		{"2019", "incremental", prefix},
		{"2019", "unsat_core", "unsat"},
		{"2019", "model_validation", sat},
		{"2022", "single_query", without(all, "easy2018", "easy2020")}, // §6, step 2
		{"2022", "incremental", prefix},
		{"2022", "unsat_core", "unsat says_unsat disputed"}, // §6, step 3
		{"2022", "model_validation", sat + " says_sat disputed"},
		{"2022", "proof", "unsat one_assert says_unsat disputed"},
		{"2022", "parallel", hard}, // §5.6
		{"2022", "cloud", hard},    // §5.7
		{"2023", "single_query", without(all, "easy2018", "easy2020")},
		{"2026", "single_query", without(all, "easy2018", "easy2020", "easy2021", "easy2024")}, // §6, step 2
		{"2026", "incremental", prefix},
		{"2026", "unsat_core", "unsat says_unsat disputed"},
		{"2026", "model_validation", sat + " says_sat disputed"},
		{"2026", "parallel", hard},
	} {
		t.Run(c.rules+" "+c.track, func(t *testing.T) {
			args := []string{"tool", "select", "--rules", c.rules, "--track", c.track, "--seed", "7", "--benchmarks",
				list}
			if c.rules >= "2019" {
				args = append(args, "--history", history)
			}
			out, _ := smtpipe(t, args...)
			got := strings.Fields(out)
			for i, path := range got {
				got[i] = filepath.Base(path)
			}
			want := strings.Fields(c.want)
			slices.Sort(got)
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("selected (-want +got):\n%s", diff)
			}
			out, _ = smtpipe(t, append(args, "--logics", "QF_LIA")...)
			if out != "" {
				t.Errorf("of logics that are not run are selected:\n%s", out)
			}
		})
	}
}

// TestSelectEasy checks the readings of "solved by all solvers in less than one second in 2018, 2019 and 2020". A
// benchmark with a wrong answer was not solved by all solvers.
func TestSelectEasy(t *testing.T) {
	t.Parallel()
	type run struct {
		year      int
		answer    string
		cpu, wall float64
	}
	quick := func(year int) run { return run{year, "sat", 0.5, 0.5} }
	slow := func(year int) run { return run{year, "sat", 9, 9} }
	wrong := func(year int) run { return run{year, "unsat", 0.5, 0.5} }
	benchmarks := []struct {
		name string // status unknown if the name ends with unknown; otherwise status sat
		runs []run
		easy string // readings below under which it is easy
	}{
		{"never_run", nil, ""},
		{"one_solver", []run{quick(2018)}, "one"},
		{"two_solvers", []run{quick(2018), quick(2018)}, "text any cpu one answers"},
		{"one_in_each_of_two_years", []run{quick(2018), quick(2019)}, "text cpu one answers"},
		{"one_wrong_answer", []run{quick(2018), quick(2018), wrong(2018)}, "answers"},
		{"all_wrong", []run{wrong(2018), wrong(2018)}, "answers"},
		{"wrong_in_one_year_of_two", []run{quick(2018), quick(2018), wrong(2020), wrong(2020)}, "any answers"},
		{"same_answers_unknown", []run{wrong(2018), wrong(2018)}, "text any cpu one answers"},
		{"disputed_unknown", []run{quick(2018), wrong(2018)}, "answers"},
		{"one_did_not_solve_it", []run{quick(2018), quick(2018), {2018, "unknown", 0.1, 0.1}}, ""},
		{"exactly_one_second", []run{quick(2018), {2018, "sat", 1, 1}}, ""},
		{"slow_cpu", []run{quick(2018), {2018, "sat", 2, 0.5}}, "text any one answers"},
		{"cpu_not_measured", []run{quick(2018), {2018, "sat", -1, 0.5}}, "text any one answers"},
		{"easy_in_one_year_of_two", []run{quick(2018), quick(2018), slow(2020), slow(2020)}, "any"},
		{"other_years", []run{quick(2017), quick(2017), quick(2021), quick(2021)}, ""},
		{"hard_year_outside", []run{quick(2020), quick(2020), {2021, "unknown", 9, 9}}, "text any cpu one answers"},
	}
	dir := t.TempDir()
	list, history := "path,status\n", "benchmark,year,track,solver,logic,answer,cpu_time_s,wall_time_s\n"
	for _, b := range benchmarks {
		status := "sat"
		if strings.HasSuffix(b.name, "unknown") {
			status = "unknown"
		}
		list += "non-incremental/QF_BV/f/" + b.name + "," + status + "\n"
		for i, r := range b.runs {
			history += fmt.Sprintf("non-incremental/QF_BV/f/%s,%d,single_query,S%d,QF_BV,%s,%v,%v\n", b.name, r.year, i,
				r.answer, r.cpu, r.wall)
		}
	}
	file, past := writeList(t, dir, "list.csv", list), writeList(t, dir, "history-2018.csv", history)
	for reading, flags := range map[string][]string{
		"text": nil, "any": {"--easy", "any"}, "cpu": {"--time", "cpu"}, "one": {"--set", "easy_runs=1"},
		"answers": {"--set", "easy_answers=any"},
	} {
		t.Run(reading, func(t *testing.T) {
			out, _ := smtpipe(t, append([]string{"tool", "select", "--rules", "2022", "--seed", "7", "--benchmarks",
				file, "--history", past}, flags...)...)
			for _, b := range benchmarks {
				easy, got := slices.Contains(strings.Fields(b.easy), reading), strings.Contains(out, "/"+b.name+"\n")
				if easy == got {
					t.Errorf("%s is selected: %v; easy by this reading: %v", b.name, got, easy)
				}
			}
		})
	}
}

// TestSelectChallenge2019 checks that the industry challenge contains all benchmarks dedicated to it, in both
// collections (SMT-COMP 2019 rules, §5.4), and that no rule removes them from the other tracks (§6).
func TestSelectChallenge2019(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	list := writeList(t, dir, "list.csv", "path,status,asserts\nnon-incremental/QF_BV/given/a,unsat,2\n"+
		"non-incremental/QF_BV/given/b,sat,2\nnon-incremental/QF_BV/other/c,unsat,2\n"+
		"incremental/QF_BV/given/d,,0\nincremental/QF_BV/other/e,,0\n")
	for track, want := range map[string]string{"single_query": "a b c", "unsat_core": "a c", "model_validation": "b",
		"incremental": "d e", "industry_challenge": "a b d"} {
		out, _ := smtpipe(t, "tool", "select", "--rules", "2019", "--track", track, "--seed", "7", "--benchmarks",
			list, "--set", `challenge=["*/QF_BV/given"]`)
		got := strings.Fields(out)
		for i, path := range got {
			got[i] = filepath.Base(path)
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %v, want %s", track, got, want)
		}
	}
}

// evaluate evaluates an expression in a year's module. The module's variables have no values, which does not matter.
func evaluate(t *testing.T, year, expr string, vars ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	args := []string{"console", "-p", "../../pipelines/" + year + "/tracks.hcl", "--store", t.TempDir(), "--var",
		"seed=1", "-e", expr}
	for _, v := range vars {
		args = append(args, "--var", v)
	}
	run(args, strings.NewReader(""), &out, &errs)
	if out.Len() == 0 {
		t.Fatalf("%s: %s has no value: %s", year, expr, &errs)
	}
	return strings.TrimSpace(out.String())
}

// TestPlaces checks the places of logics at the sizes where the rules change, computed by hand: 2019 §6 step 3, 2022
// and 2026 §6 step 4.
func TestPlaces(t *testing.T) {
	t.Parallel()
	sizes := []int{0, 1, 300, 301, 600, 601, 602, 1000, 1001, 1010, 1999, 60000}
	half := []int{0, 1, 300, 300, 300, 300, 301, 500, 500, 505, 999, 30000}
	for _, c := range []struct {
		year string
		vars []string
		want []int
	}{
		{"2019", nil, half},
		{"2022", nil, half},
		{"2026", nil, []int{0, 1, 300, 300, 300, 300, 301, 500, 500, 501, 599, 6400}},
		{"2026", []string{"sizes=half"}, half},
		{"2022", []string{"rounding=ceil"}, []int{0, 1, 300, 300, 300, 301, 301, 500, 501, 505, 1000, 30000}},
		{"2026", []string{"rounding=ceil"}, []int{0, 1, 300, 300, 300, 301, 301, 500, 501, 501, 600, 6400}},
	} {
		t.Run(c.year+strings.Join(c.vars, " "), func(t *testing.T) {
			expr, err := json.Marshal(sizes)
			if err != nil {
				t.Fatal(err)
			}
			var got []int
			text := evaluate(t, c.year, "[for n in "+string(expr)+" : places(n)]", c.vars...)
			if err := json.Unmarshal([]byte(text), &got); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("places of %v (-want +got):\n%s", sizes, diff)
			}
		})
	}
}

// TestSelectGuarantee covers logics with new families: the size from which each new family has a guaranteed place, and
// the number of places (SMT-COMP 2019 rules, §6, step 3; 2022 and 2026 rules, §6, step 4).
func TestSelectGuarantee(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, year                     string
		n, families, quota, guaranteed int
	}{
		{"all of 300", "2019", 300, 5, 300, 0},
		{"300 of 301", "2019", 301, 5, 300, 5},
		{"300 of 600", "2022", 600, 5, 300, 5},
		{"half of 601", "2022", 601, 0, 300, 0},
		{"half of 1602, more families than places", "2022", 1602, 900, 801, 801},
		{"300 of 600 without guarantee", "2026", 600, 5, 300, 0},
		{"half of 1000", "2026", 1000, 5, 500, 5},
		{"500 + floor(1/10) of 1001", "2026", 1001, 5, 500, 5},
		{"500 + 10/10 of 1010", "2026", 1010, 5, 501, 5},
		{"500 + 4000/10 of 5000", "2026", 5000, 30, 900, 30},
	} {
		t.Run(c.year+" "+c.name, func(t *testing.T) {
			dir := t.TempDir()
			var list strings.Builder
			for i := range c.n {
				family := "old"
				if i < c.families {
					family = fmt.Sprintf("2099-%04d", i)
				}
				fmt.Fprintf(&list, "non-incremental/QF_BV/%s/%05d.smt2\n", family, i)
			}
			table := filepath.Join(dir, "table.csv")
			smtpipe(t, "tool", "select", "--rules", c.year, "--seed", "22731074", "--benchmarks",
				writeList(t, dir, "list.txt", list.String()), "--new-prefix", "2099", "--table", table)
			want := []map[string]string{{"logic": "QF_BV", "library": fmt.Sprint(c.n), "trivial": "0",
				"eligible": fmt.Sprint(c.n), "new_families": fmt.Sprint(c.families),
				"guaranteed": fmt.Sprint(c.guaranteed), "quota": fmt.Sprint(c.quota), "selected": fmt.Sprint(c.quota)}}
			if diff := cmp.Diff(want, readCSV(t, table)); diff != "" {
				t.Errorf("table (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDifficulty2008 checks the formula 5(1 - solved/total), with halves rounded up (SMT-COMP 2008 rules, §4).
func TestDifficulty2008(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ solved, total, want int }{
		{5, 5, 0}, {0, 5, 5}, {4, 5, 1}, {1, 5, 4}, // 5(1-4/5) = 1
		{1, 2, 3},   // 2.5
		{2, 3, 2},   // 1.67
		{1, 3, 3},   // 3.33
		{7, 8, 1},   // 0.625
		{9, 10, 1},  // 0.5
		{19, 20, 0}, // 0.25
		{0, 0, 5},   // no solver ran it
	} {
		expr := fmt.Sprintf("difficulty({ runs = %d, solved = %d })", c.total, c.solved)
		if got := evaluate(t, "2008", expr); got != fmt.Sprint(c.want) {
			t.Errorf("%d of %d solved it: got %s, want %d", c.solved, c.total, got, c.want)
		}
	}
}

// writeSubmissions writes two submissions by different teams for the given logics of each track.
func writeSubmissions(t *testing.T, dir string, tracks map[string][]string) string {
	t.Helper()
	for _, team := range []string{"one", "two"} {
		var participations []map[string]any
		for _, track := range slices.Sorted(maps.Keys(tracks)) {
			participations = append(participations, map[string]any{"tracks": []string{track}, "logics": tracks[track]})
		}
		text, err := json.Marshal(map[string]any{
			"name": "Solver " + team, "contributors": []string{team},
			"contacts": []string{team + " <" + team + "@x.org>"},
			"archive":  map[string]string{"url": "https://zenodo.org/records/1/files/" + team + ".zip"},
			"website":  "https://x.org/", "system_description": "https://x.org/" + team + ".pdf",
			"command": []string{team}, "solver_type": "Standalone", "seed": "1", "participations": participations,
			"final": true,
		})
		if err != nil {
			t.Fatal(err)
		}
		writeList(t, dir, team+".json", string(text))
	}
	return dir
}

// starexecHistory is a StarExec job table that does not state its track. The benchmarks easy1 and easy2 are easy, and
// nobody solved hard1 and hard2.
const starexecHistory = `benchmark,solver,configuration,status,cpu time,wallclock time,memory usage,result,expected
QF_LIA/f/easy1,A,d,complete,0.5,0.5,1,sat,sat
QF_LIA/f/easy1,B,d,complete,0.5,0.5,1,sat,sat
QF_LIA/f/easy2,A,d,complete,0.5,0.5,1,unsat,unsat
QF_LIA/f/easy2,B,d,complete,0.5,0.5,1,unsat,unsat
QF_LIA/f/hard1,A,d,timeout (wallclock),1200,1200,1,starexec-unknown,starexec-unknown
QF_IDL/f/hard2,A,d,timeout (wallclock),1200,1200,1,starexec-unknown,starexec-unknown
`

// TestSelectionOfYears selects from a list, without a release, with the competitions of 2026 and earlier years, and
// checks what they publish. The instances in the parallel and cloud tracks of 2022 are those that nobody solved and
// those that nobody ran.
func TestSelectionOfYears(t *testing.T) {
	t.Parallel()
	dir := copyTree(t, "pipelines", "examples/mini")
	list := writeList(t, dir, "list.csv", `path,status,asserts,known_prefix,category
non-incremental/QF_LIA/f/easy1,sat,2,,industrial
non-incremental/QF_LIA/f/easy2,unsat,2,,industrial
non-incremental/QF_LIA/f/hard1,unknown,2,,industrial
non-incremental/QF_IDL/f/hard2,unsat,2,,industrial
non-incremental/QF_IDL/g/new,unsat,1,,industrial
non-incremental/QF_BV/g/other,sat,2,,industrial
incremental/QF_LIA/f/inc,,0,1,
`)
	history := writeList(t, dir, "job-2018.csv", starexecHistory)
	logics := []string{"QF_IDL", "QF_LIA"}
	for _, c := range []struct {
		year   string
		tracks map[string][]string // logics entered, by the submissions' track names
		vars   []string
		want   map[string]string
	}{
		{"2008", nil, nil, map[string]string{"single_query": "easy1 easy2 hard2 new other"}},
		{"2015", map[string][]string{"SingleQuery": logics}, nil,
			map[string]string{"single_query": "easy1 easy2 hard2 new other", "incremental": "inc"}},
		{"2019", map[string][]string{"SingleQuery": logics, "UnsatCore": logics},
			[]string{`history=["` + history + `"]`},
			map[string]string{"single_query": "hard1 hard2 new", "unsat_core": "easy2 hard2", "incremental": ""}},
		{"2022", map[string][]string{"SingleQuery": logics, "Cloud": logics, "Parallel": {"QF_LIA"}},
			[]string{`history=["` + history + `"]`},
			map[string]string{"single_query": "hard1 hard2 new", "cloud": "hard1 hard2 new", "parallel": "hard1"}},
		{"2026", map[string][]string{"SingleQuery": logics, "UnsatCore": logics, "Parallel": {"QF_LIA"}},
			[]string{`history=["` + history + `"]`},
			map[string]string{"single_query": "hard1 hard2 new", "unsat_core": "easy2 hard2", "parallel": "hard1"}},
	} {
		t.Run(c.year, func(t *testing.T) {
			args := []string{"run", "--progress", "none", "-p",
				filepath.Join(dir, "pipelines/competition-"+c.year+".hcl"), "--store", t.TempDir(),
				"--var", "list=" + list, "--var", "nyse_opening=10"}
			if c.tracks != nil {
				args = append(args, "--var", "submissions="+writeSubmissions(t, t.TempDir(), c.tracks))
			}
			for _, v := range c.vars {
				args = append(args, "--var", v)
			}
			stdout, _ := smtpipe(t, args...)
			// The seed is the sum of the entrants' numbers (two entrants with 1 each; in 2008, four with 1001 to 1004)
			// and the integer part of the opening value times 10 or, since 2022, times 100 (§6 "Pseudo-random numbers";
			// 2008, §4).
			want := map[string]string{"2008": "4020", "2015": "12", "2019": "12", "2022": "1002",
				"2026": "1002"}[c.year]
			if !strings.Contains(stdout, "seed = "+want+"\n") {
				t.Errorf("the seed is not %s:\n%s", want, stdout)
			}
			folder := filepath.Join(dir, "pipelines/selection-"+c.year)
			for track, want := range c.want {
				got := []string{}
				for _, r := range readCSV(t, filepath.Join(folder, track+".csv")) {
					got = append(got, r["name"])
				}
				slices.Sort(got)
				if diff := cmp.Diff(strings.Fields(want), got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", track, diff)
				}
				for _, name := range []string{track + "-counts.csv", track + "-exclusions.csv", "retired.csv"} {
					readCSV(t, filepath.Join(folder, name))
				}
			}
		})
	}
}

// TestHeats2022 checks that with weights 3 and 1, the first heat contains three of a division's four benchmarks,
// whatever their logics, and both heats together contain all four (SMT-COMP 2022 rules, §6, Heats: for each track and
// division).
func TestHeats2022(t *testing.T) {
	t.Parallel()
	dir := copyTree(t, "pipelines")
	list := writeList(t, dir, "list.csv", "path\nnon-incremental/QF_LIA/f/a\nnon-incremental/QF_LIA/f/b\n"+
		"non-incremental/QF_IDL/f/a\nnon-incremental/QF_IDL/f/b\n")
	logics := []string{"QF_IDL", "QF_LIA"}
	args := []string{"-p", filepath.Join(dir, "pipelines/competition-2022.hcl"), "--store", t.TempDir(),
		"--var", "list=" + list, "--var", "nyse_opening=10", "--var", "heats=[3, 1]",
		"--var", "submissions=" + writeSubmissions(t, t.TempDir(), map[string][]string{"SingleQuery": logics})}
	for run, want := range map[string]string{"1": "3", "2": "4"} {
		vars := slices.Concat(args, []string{"--var", "heats_run=" + run})
		smtpipe(t, append([]string{"run", "--progress", "none"}, vars...)...)
		got, _ := smtpipe(t, append([]string{"show", `module.tracks.stage.heat.first["single_query"].selection`,
			"--format", "csv", "--columns", "group,eligible,selected"}, vars...)...)
		if want := "group,eligible,selected\nQF_LinearIntArith,4," + want + "\n"; got != want {
			t.Errorf("after heat %s: got\n%swant\n%s", run, got, want)
		}
	}
}

// TestCloud2022 checks that submissions determine who takes part in the published cloud runs, which do not contain this
// information.
func TestCloud2022(t *testing.T) {
	t.Parallel()
	dir := copyTree(t, "pipelines")
	list := writeList(t, dir, "list.csv", "path,status\nnon-incremental/QF_LIA/f/a.smt2,sat\n")
	var runs []string
	for _, solver := range []string{"Solver one", "Solver two", "other"} {
		runs = append(runs, fmt.Sprintf(`{"track": "Cloud", "solver": %q, "file": {"incremental": false, "logic": "QF_LIA",
			"family": ["f"], "name": "a.smt2"}, "result": "sat", "cpu_time": 9, "wallclock_time": 1, "memory_usage": 1}`,
			solver))
	}
	cloud := writeList(t, dir, "results-cloud-2022.json", `{"results": [`+strings.Join(runs, ",")+`]}`)
	entries := writeSubmissions(t, t.TempDir(), map[string][]string{"Cloud": {"QF_LIA"}})
	two, err := os.ReadFile(filepath.Join(entries, "two.json"))
	if err != nil {
		t.Fatal(err)
	}
	writeList(t, entries, "two.json", strings.Replace(string(two), "{", `{"competitive": false, `, 1))
	args := []string{"-p", filepath.Join(dir, "pipelines/competition-2022.hcl"), "--store", t.TempDir(),
		"--var", "list=" + list, "--var", "nyse_opening=10", "--var", "submissions=" + entries,
		"--var", `cloud=["` + cloud + `"]`}
	smtpipe(t, append([]string{"run", "--progress", "none"}, args...)...)
	got, _ := smtpipe(t, append([]string{"show", `module.tracks.stage.verdicts.cloud["cloud"].verdicts`, "--format", "csv",
		"--columns", "solver,team,competitive,verdict"}, args...)...)
	if want := "solver,team,competitive,verdict\nSolver one,Solver one,true,correct\n" +
		"Solver two,Solver two,false,correct\nother,other,true,correct\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
