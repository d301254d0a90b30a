package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// copyTree copies the project's pipelines and examples, so that commands do not write to the project's folder.
func copyTree(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join("../..", name))); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// smtpipe executes a command in this process.
func smtpipe(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(args, strings.NewReader(""), &out, &errs); code != exit.Done {
		t.Fatalf("smtpipe %s: exit code %d\n%s", strings.Join(args, " "), code, errs.String())
	}
	return out.String(), errs.String()
}

// TestPipelines plans every year's competition with the small release and the 2026 submissions.
func TestPipelines(t *testing.T) {
	t.Parallel()
	release, entrants := testkit.Shared(t, "smtlib-mini"), testkit.Shared(t, "submissions-2026")
	submitted := []string{"--var", "submissions=" + entrants, "--var", "nyse_opening=23412.89"}
	tests := []struct {
		pipeline string
		vars     []string
		want     []string // expected addresses in the plan
	}{
		{"competition-2008.hcl", []string{"--var", "nyse_opening=8660.48"}, []string{`module.tracks.stage.pools.main`,
			`module.tracks.stage.execute.measured["single_query"]`}},
		{"competition-2015.hcl", submitted, []string{`stage.execute.tracks["incremental"]`,
			`stage.score.tracks["single_query"]`}},
		{"competition-2019.hcl", append(submitted, "--var", `challenge=["non-incremental/QF_BV/*"]`), []string{
			`stage.execute.parts["challenge"]`, `stage.execute.parts["challenge_incremental"]`,
			`stage.execute.parts["incremental"]`,
			`stage.validate.parts["model_validation"]`, `module.unsat_core["unsat_core"].stage.execute.votes`,
		}},
		{"competition-2022.hcl", submitted, []string{
			`stage.execute.first["parallel"]`, `stage.execute.later["proof"]`,
			`module.unsat_core["unsat_core"].stage.execute.votes`,
		}},
		{"competition-2026.hcl", submitted, []string{
			`stage.execute.first["incremental"]`, `stage.validate.models["model_validation"]`,
			`module.unsat_core["unsat_core"].stage.unsat_core_validation.unsat_core`,
		}},
	}
	dir := copyTree(t, "pipelines", "examples/mini")
	for _, tt := range tests {
		t.Run(tt.pipeline, func(t *testing.T) {
			release := release
			if tt.pipeline == "competition-2008.hcl" { // the 2008 benchmarks are in SMT-LIB 1.2
				release = filepath.Join(dir, "examples/mini/release-2008")
				testkit.Program(t, "boolector")
				testkit.Program(t, "python3")
			}
			args := []string{"plan", "-p", filepath.Join(dir, "pipelines", tt.pipeline), "--store", t.TempDir(),
				"--var", "release=" + release}
			plan, _ := smtpipe(t, append(args, tt.vars...)...)
			for _, addr := range tt.want {
				if !strings.Contains(plan, addr+":") {
					t.Errorf("the plan has no %s:\n%s", addr, plan)
				}
			}
		})
	}
}

// TestNamedEntrants checks that the competitions mark the new entrants that the organisers named, and that the 2015
// competition marks open-source solvers.
func TestNamedEntrants(t *testing.T) {
	t.Parallel()
	const example = "examples/quickstart/release"
	entrants, release := t.TempDir(), filepath.Join(copyTree(t, example), example)
	for i, name := range []string{"Alpha", "Beta"} {
		text := fmt.Sprintf(`{"name": %q, "contributors": ["C"], "contacts": ["%s <c@example.org>"], "seed": %d,
			"archive": {"url": "https://solver.example/a.zip"}, "website": "https://solver.example/",
			"system_description": "https://solver.example/d.pdf", "command": ["run"], "solver_type": "Standalone",
			"participations": [{"tracks": ["SingleQuery"], "logics": ["QF_UF"]}]}`, name, name, i)
		if err := os.WriteFile(filepath.Join(entrants, name+".json"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for year, want := range map[string]string{
		"2015": "Alpha,true,true\nBeta,true,false\n", "2019": "Alpha,false,true\nBeta,false,false\n",
		"2022": "Alpha,false,true\nBeta,false,false\n", "2026": "Alpha,false,true\nBeta,false,false\n",
	} {
		t.Run(year, func(t *testing.T) {
			args := []string{"-p", filepath.Join("../../pipelines", "competition-"+year+".hcl"), "--store", t.TempDir(),
				"--var", "submissions=" + entrants, "--var", "release=" + release, "--var", "nyse_opening=1",
				"--var", `new_entrants=["Alpha"]`}
			if year == "2015" {
				args = append(args, "--var", `open_source=["Alpha", "Beta"]`)
			}
			smtpipe(t, append([]string{"run", "stage.submissions.entrants"}, args...)...)
			table, _ := smtpipe(t, append([]string{"show", "stage.submissions.entrants.solvers", "--format", "csv",
				"--columns", "solver,open_source,new_entrant"}, args...)...)
			if _, rows, _ := strings.Cut(table, "\n"); rows != want {
				t.Errorf("the entrants are\n%swant\n%s", rows, want)
			}
		})
	}
}

// TestEntrants2008 checks that the 2008 module joins submissions as other years' modules do.
func TestEntrants2008(t *testing.T) {
	t.Parallel()
	dir := copyTree(t, "pipelines", "examples/mini")
	entrants := writeSubmissions(t, t.TempDir(), map[string][]string{"SingleQuery": {"QF_LIA"}})
	pipeline := writeList(t, dir, "own.hcl", `competition {
  name = "Test"
  year = 2008
}
stage "fetch" "all" { path = "examples/mini/release-2008" }
stage "index" "all" { source = stage.fetch.all.files }
stage "submissions" "entrants" { folder = "`+entrants+`" }
stage "solvers" "entrants" { solvers = stage.submissions.entrants.solvers }
module "tracks" {
  source     = "rules:tracks"
  benchmarks = stage.index.all.benchmarks
  solvers    = stage.solvers.entrants.programs
  measures   = stage.solvers.entrants.programs
  entrants   = [stage.submissions.entrants.entrants]
  seed       = 1
}
output "scores" { value = module.tracks.scores }
`)
	plan, _ := smtpipe(t, "plan", "-p", pipeline, "--store", t.TempDir())
	for _, addr := range []string{`stage.verdicts.main["single_query"]`, `stage.score.main["single_query"]`} {
		if !strings.Contains(plan, addr+":") {
			t.Errorf("the plan has no %s:\n%s", addr, plan)
		}
	}
}

// TestSeed2008 checks that only the numbers of entrants other than the organisers are added, and that each of these
// entrants must submit one (SMT-COMP 2008 rules, §4). The pipeline's four entrants submit 1001 to 1004, so the seed is
// 4010 + 8660.
func TestSeed2008(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"boolector", "python3", "z3"} {
		testkit.Program(t, program)
	}
	for _, tt := range []struct {
		name, attributes string
		fails            string // text in the error; empty if there is none
	}{
		{"organisers' solver with a number", "competitive = false\nseed = 7", ""},
		{"organisers' solver without a number", "competitive = false", ""},
		{"entrant without a number", "", "every solver that competes gives a number"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := copyTree(t, "pipelines", "examples/mini")
			pipeline := filepath.Join(dir, "pipelines/competition-2008.hcl")
			text, err := os.ReadFile(pipeline)
			if err != nil {
				t.Fatal(err)
			}
			text = append(text, "\nsolver \"more\" {\ncommand = [\"z3\"]\n"+tt.attributes+"\n}\n"...)
			if err := os.WriteFile(pipeline, text, 0o666); err != nil {
				t.Fatal(err)
			}
			var out, errs bytes.Buffer
			code := run([]string{"console", "-p", pipeline, "--store", t.TempDir(), "--var", "nyse_opening=8660.48",
				"--var", "release=" + filepath.Join(dir, "examples/mini/release-2008"), "-e", "local.seed"},
				strings.NewReader(""), &out, &errs)
			said := strings.Join(strings.Fields(errs.String()), " ")
			switch {
			case tt.fails != "" && (code == exit.Done || !strings.Contains(said, tt.fails)):
				t.Errorf("exit code %d, want an error that says %q:\n%s", code, tt.fails, errs.String())
			case tt.fails == "" && strings.TrimSpace(out.String()) != "12670":
				t.Errorf("the seed is %q, want 12670\n%s", out.String(), errs.String())
			}
		})
	}
}

// TestParallel2026 checks that the parallel track uses a machine with 128 processors and 1 TB (SMT-COMP 2026 rules, §4
// "Solver execution"). The module is opened alone, so its other variables have no values, which does not matter.
func TestParallel2026(t *testing.T) {
	var out, errs bytes.Buffer
	run([]string{"console", "-p", "../../pipelines/2026/tracks.hcl", "--store", t.TempDir(), "--var", "seed=1",
		"-e", "var.parallel_cores", "-e", "var.parallel_memory"}, strings.NewReader(""), &out, &errs)
	if got, want := out.String(), "128\n\"1TB\"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestChallenge2019 checks that non-competitive divisions of the industry challenge are not executed (SMT-COMP 2019
// rules, §6), and that all benchmarks dedicated to the challenge are taken from the other divisions, in both
// collections.
func TestChallenge2019(t *testing.T) {
	t.Parallel()
	release := testkit.Shared(t, "smtlib-mini")
	for _, program := range []string{"z3", "cvc5", "cvc4", "boolector"} {
		testkit.Program(t, program)
	}
	dir := copyTree(t, "pipelines", "examples/mini")
	pipeline := filepath.Join(dir, "examples/mini/all-2019.hcl")
	text, err := os.ReadFile(pipeline)
	if err != nil {
		t.Fatal(err)
	}
	const last = "  executor   = executor"
	text = bytes.Replace(text, []byte(last), []byte("  competitive = { industry_challenge = [\"QF_BV\"] }\n"+last), 1)
	if err := os.WriteFile(pipeline, text, 0o666); err != nil {
		t.Fatal(err)
	}
	args := []string{"-p", pipeline, "--store", t.TempDir(), "--var", "release=" + release, "--var", "sample=1000",
		"--var", `only=["non-incremental/QF_BV.tar.zst", "incremental/QF_BV.tar.zst", "incremental/QF_UFLRA.tar.zst"]`,
		"--var", `challenge=["non-incremental/QF_BV/20*", "incremental/QF_BV/*", "incremental/QF_UFLRA/*"]`}
	const tracks = `.tracks["industry_challenge"]`
	smtpipe(t, append([]string{"run", "--progress", "none", "module.tracks.stage.cap" + tracks}, args...)...)
	for _, tt := range []struct{ table, columns, want string }{
		{"cap" + tracks + ".selection", "group", "group\nQF_BV\nQF_BV (incremental)\n"},
		{"filter" + tracks + ".exclusions", "logic,reason",
			"logic,reason\nQF_BV,kept\nQF_BV,not dedicated to the industry challenge\n" +
				"QF_UFLRA,the division is not competitive\n"},
	} {
		show := []string{"show", "module.tracks.stage." + tt.table, "--format", "csv", "--columns", tt.columns}
		if got, _ := smtpipe(t, append(show, args...)...); got != tt.want {
			t.Errorf("%s is\n%s\nwant\n%s", tt.table, got, tt.want)
		}
	}
}

// TestMini executes the competitions in examples/mini on a sample. No run may be lost, no answer may be wrong, and
// answers must agree with the solvers' earlier answers. With SMTPIPE_MINI=all, the samples are large and take minutes.
func TestMini(t *testing.T) {
	t.Parallel()
	release := testkit.Shared(t, "smtlib-mini")
	for _, program := range []string{"z3", "cvc5", "cvc4", "boolector", "python3"} {
		testkit.Program(t, program)
	}
	reference := readReference(t, filepath.Join(release, "reference-verdicts.tsv"))
	cloud := filepath.Join(t.TempDir(), "results-cloud-2022.json")
	if err := os.WriteFile(cloud, []byte(cloudResults), 0o666); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		year     string
		few      []string // variables that select the small sample
		tracks   map[string]int
		compared int // minimum number of comparable answers
	}{
		{"2008", []string{
			`only=["non-incremental/QF_LIA.tar.zst", "non-incremental/QF_AUFBV.tar.zst", "non-incremental/AUFLIA-p.tar.zst"]`,
			"wall_time=1s"},
			map[string]int{"single_query": 3}, 0},
		{"2015", []string{"release=" + release, "sample=1", "wall_time=1s",
			`only=["non-incremental/QF_UF.tar.zst", "incremental/QF_UFLRA.tar.zst"]`},
			map[string]int{"single_query": 3, "incremental": 3}, 1},
		{"2019", []string{"release=" + release, "sample=1", "wall_time=1s", "challenge_time=1s",
			`only=["non-incremental/QF_BV.tar.zst", "incremental/QF_BV.tar.zst", "incremental/QF_UFL*.tar.zst"]`,
			`challenge=["non-incremental/QF_BV/20*", "incremental/QF_BV/*"]`}, // a logic in both collections
			map[string]int{"single_query": 3, "incremental": 3, "unsat_core": 3, "model_validation": 3, "challenge": 3,
				"challenge_incremental": 3}, 1},
		{"2022", []string{"release=" + release, `cloud=["` + cloud + `"]`, "sample=1", "wall_time=1s",
			`only=["non-incremental/QF_BV.tar.zst", "incremental/QF_UFLRA.tar.zst"]`},
			map[string]int{"single_query": 3, "incremental": 3, "unsat_core": 3, "model_validation": 3, "parallel": 3,
				"proof": 2, "cloud": 2}, 1},
		{"2026", []string{"release=" + release, "sample=2", "wall_time=1s",
			`only=["non-incremental/QF_BV.tar.zst", "non-incremental/QF_LRA.tar.zst", "incremental/QF_UFL*.tar.zst"]`},
			map[string]int{"single_query": 3, "incremental": 3, "unsat_core": 3, "model_validation": 3, "parallel": 3},
			5},
	}
	for _, tt := range tests {
		t.Run(tt.year, func(t *testing.T) {
			t.Parallel()
			if tt.year == "2015" || tt.year == "2019" { // TestGolden executes all their tracks
				testkit.Long(t)
			}
			dir := copyTree(t, "pipelines", "examples/mini")
			vars := append(tt.few, "isolation=best_effort")
			if os.Getenv("SMTPIPE_MINI") == "all" {
				vars = []string{"isolation=best_effort"}
				if tt.year != "2008" {
					vars = append(vars, "release="+release)
				}
				delete(tt.tracks, "cloud")
			}
			args := []string{"run", "-p", filepath.Join(dir, "examples/mini/all-"+tt.year+".hcl"), "--store",
				t.TempDir(), "--progress", "none"}
			for _, v := range vars {
				args = append(args, "--var", v)
			}
			smtpipe(t, args...)
			compared := 0
			for track, solvers := range tt.tracks {
				rows := readCSV(t, filepath.Join(dir, "examples/mini/results", tt.year, "verdicts-"+track+".csv"))
				compared += checkMini(t, track, solvers, rows, reference)
			}
			if compared < tt.compared {
				t.Errorf("only %d answers could be compared, want at least %d", compared, tt.compared)
			}
			t.Logf("%d answers agree with those that were given before", compared)
		})
	}
}

// cloudResults are two runs in the organisers' published format.
const cloudResults = `{"results": [
 {"track": "Cloud", "solver": "one", "file": {"incremental": false, "logic": "QF_BV", "family": ["20170531-Hansen-Check"], "name": "division_by_zero0.smt2"}, "result": "unsat", "cpu_time": 40.5, "wallclock_time": 1.5, "memory_usage": 1e9},
 {"track": "Cloud", "solver": "two", "file": {"incremental": false, "logic": "QF_BV", "family": ["20170531-Hansen-Check"], "name": "division_by_zero0.smt2"}, "result": "Timeout", "cpu_time": 9000.5, "wallclock_time": 1201, "memory_usage": 2e9}
]}`

// checkMini checks a track's verdicts and returns the number of comparable answers. Each benchmark must have runs by at
// least the given number of solvers.
func checkMini(t *testing.T, track string, solvers int, rows []map[string]string, reference map[string]string) (
	compared int) {
	t.Helper()
	pairs := map[string]int{}
	for _, r := range rows {
		pairs[r["benchmark"]]++
		// Boolector's 2019 models are malformed.
		if r["verdict"] == "wrong" && !strings.HasPrefix(r["reason"], "malformed: ") {
			t.Errorf("%s: %s is wrong on %s: %s", track, r["solver"], r["benchmark"], r["reason"])
		}
		before := reference[r["benchmark"]+"@"+r["solver"]]
		if strings.Contains(track, "incremental") || !decides(before) || !decides(r["answer"]) {
			continue
		}
		compared++
		if r["answer"] != before {
			t.Errorf("%s: %s says %s on %s, and said %s before", track, r["solver"], r["answer"], r["benchmark"],
				before)
		}
	}
	for b, n := range pairs {
		if n < solvers {
			t.Errorf("%s: %s has %d runs, want at least %d", track, b, n, solvers)
		}
	}
	if len(rows) == 0 {
		t.Errorf("%s has no runs", track)
	}
	return compared
}

func decides(answer string) bool { return answer == "sat" || answer == "unsat" }

// readReference reads answers of earlier runs, by BENCHMARK@SOLVER.
func readReference(t *testing.T, path string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]string{}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(line, "\t")
		const columns = 6 // path, status, and z3's and cvc5's verdict and time
		if len(f) == columns {
			answers[f[0]+"@z3"], answers[f[0]+"@cvc5"] = f[2], f[4]
		}
	}
	return answers
}

// readCSV reads a table's rows, each as values by column.
func readCSV(t *testing.T, path string) []map[string]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", path, err))
	}
	var rows []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}
