package freeze

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/smtpipe/smtpipe/internal/audit/frozen"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/contest/score/scoreio"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// TestCheckProgram checks that check.py stays small.
func TestCheckProgram(t *testing.T) {
	text, err := documents.ReadFile("documents/check.py")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(lines) > 700 {
		t.Errorf("check.py has %d lines, and 700 are enough", len(lines))
	}
	for i, line := range lines {
		if utf8.RuneCountInString(line) > 120 {
			t.Errorf("check.py:%d is too long", i+1)
		}
	}
}

// TestCheckPublished checks that check.py recomputes the published tables of all official sets, and that it notices a
// changed run.
func TestCheckPublished(t *testing.T) {
	for _, name := range officialSets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "2022-single-query" || name == "2019-unsat-core" { // takes a minute in Python
				testkit.Long(t)
			}
			dir := testkit.Shared(t, "official-results", name)
			if out, err := check(t, dir); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	t.Run("changed", func(t *testing.T) {
		from, to := testkit.Shared(t, "official-results", "2024-parallel"), t.TempDir()
		published, err := os.ReadFile(filepath.Join(from, "published.json"))
		if err != nil {
			t.Fatal(err)
		}
		write(t, to, "published.json", published)
		runs := bytes.Replace(unzipped(t, from), []byte(",unsat,1,1,0,471.596,"), []byte(",unsat,1,1,0,471.606,"), 1)
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := w.Write(runs); err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		write(t, to, "runs.csv.gz", packed.Bytes())
		if out, err := check(t, to); err == nil || !strings.Contains(out, "QF_LinearIntArith parallel: Z3-Parti-Z3++") {
			t.Errorf("a run that takes 0.01 s more is not found: %v\n%s", err, out)
		}
	})
}

var officialSets = []string{"2015-application", "2019-unsat-core", "2022-single-query", "2024-parallel",
	"2025-incremental"}

// TestCheckScores checks that our tables of the official runs, computed by the rules and without the organisers'
// practice, equal check.py's. It uses samples of most sets' benchmarks, and larger ones with SMTPIPE_LONG.
func TestCheckScores(t *testing.T) {
	for _, name := range officialSets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			scores := freezeOfficial(t, dir, testkit.Shared(t, "official-results", name), name[:4])
			out, err := check(t, dir)
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if rows := fmt.Sprintf(": %d rows of ", len(scores)); !strings.Contains(out, rows) {
				t.Errorf("not all %d rows were looked at:\n%s", len(scores), out)
			}
			i := len(scores) / 2
			scores[i].WallS += 1e-6
			write(t, dir, scoresDir+"/scores.csv", csvOf(t, scores))
			sums(t, dir)
			place := fmt.Sprintf("%s %s %s", scores[i].Division, scores[i].Logic, scores[i].View)
			if out, err := check(t, dir); err == nil || !strings.Contains(out, place) {
				t.Errorf("a microsecond more in %s is not found: %v\n%s", place, err, out)
			}
		})
	}
}

// TestCheckOwnRules checks that check.py supports any rule set: the rules are invented, and the table is computed by
// hand.
func TestCheckOwnRules(t *testing.T) {
	const own = `
rule_set { year = 2031 }
drop "d" { when = b.name == "d" && s.team != "A" }
score "own" {
  tracks = ["single_query"]
  let {
    said  = contains(["sat", "unsat"], r.answer)
    wrong = said && b.status != "unknown" && r.answer != b.status
    fast  = r.wall_s * 2 < T
  }
  e      = wrong
  n      = wrong ? -3 : said ? fast ? 2 : 1 : 0
  points = wrong ? -3 : said ? fast ? 2 : 1 : 0
  claim  = said ? r.answer : ""
  w      = said ? min(r.wall_s, T) : T
  c      = m * T
}
view "all" {
  tracks = ["single_query"]
  order  = ["-points", "w"]
}
view "short" {
  tracks = ["single_query"]
  limit  = "3s"
  where  = startswith(b.name, "x") || r.wall_s <= 3
  of     = b.status != "unknown"
  n      = short ? p.n : 0
  order  = ["e", "-n", "c"]
  absent { w = 10 }
}
competitive {
  teams = 2
  when  = !contains_text(division, "no")
}
derived {
  view    = "all"
  percent = 25
}
`
	rs, diags := score.Parse([]byte(own), "own.rules.hcl", nil)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	var verdicts []results.VerdictRow
	for _, r := range []struct {
		benchmark, logic, status, solver, answer string
		wall                                     run.Seconds
	}{
		{"x1", "L1", "sat", "A", "sat", 2}, {"x1", "L1", "sat", "B", "sat", 4}, {"x1", "L1", "sat", "D", "sat", 1},
		{"x2", "L1", "unsat", "A", "unsat", 6}, {"x2", "L1", "unsat", "B", "sat", 1},
		{"x2", "L1", "unsat", "D", "unknown", 3}, {"y", "no2", "unknown", "A", "sat", 1},
		{"y", "no2", "unknown", "D", "sat", 2}, {"d", "no2", "sat", "A", "sat", 4}, {"d", "no2", "sat", "B", "sat", 1},
		{"d", "no2", "sat", "D", "sat", 1},
	} {
		verdicts = append(verdicts, results.VerdictRow{
			Limits:   run.Limits{WallLimitS: 10, Cores: 2},
			Identity: run.Identity{Track: "single_query", Benchmark: r.benchmark, Logic: r.logic, Solver: r.solver},
			Judged: run.Judged{Answer: r.answer, LastWallS: -1, LastCPUS: -1, CoreSize: -1, ValUnsat: -1, ValSat: -1,
				Checks: 1},
			Measured: run.Measured{Usage: run.Usage{WallTimeS: r.wall, CPUTimeS: r.wall}},
			Subject:  run.Subject{Division: "Div", Status: r.status},
			Entrant: run.Entrant{Team: r.solver, Competitive: true,
				BaseSolver: map[string]string{"D": "A"}[r.solver]},
		})
	}
	dir := t.TempDir()
	got := ""
	for _, r := range freezeVerdicts(t, dir, verdicts, map[string]string{"L1": "Div", "no2": "Div"}, rs) {
		got += fmt.Sprintln(r.Logic, r.View, r.Solver, r.Rank, r.Winner, r.Benchmarks, "", r.Errors, r.Correct,
			r.Points, r.WallS, r.CPUS, "", r.Solved, r.Unsolved, r.Abstained)
	}
	const want = ` all A 1 true 4  0 7 7 13 80  4 0 0
 all D 2 false 4  0 4 4 13 60  2 1 1
 all B 3 false 4  1 -1 -1 5 40  1 1 2
 short A 1 true 3  0 4 0 6 18  3 0 0
 short D 2 false 3  0 3 0 16 18  2 1 0
 short B 3 false 3  1 -2 0 24 12  1 1 1
L1 all A 1 true 2  0 3 3 8 40  2 0 0
L1 all D 2 false 2  0 2 2 11 40  1 1 0
L1 all B 3 false 2  1 -1 -1 5 40  1 1 0
L1 short A 1 true 2  0 2 0 5 12  2 0 0
L1 short D 1 false 2  0 2 0 4 12  1 1 0
L1 short B 3 false 2  1 -2 0 4 12  1 1 0
no2 all A 1 false 2  0 4 4 5 40  2 0 0
no2 all D 2 false 2  0 2 2 2 20  1 0 1
no2 short A 1 false 1  0 2 0 1 6  1 0 0
no2 short D 2 false 1  0 1 0 12 6  1 0 0
`
	if got != want {
		t.Errorf("smtpipe computes\n%s\nand by hand it is\n%s", got, want)
	}
	if out, err := check(t, dir); err != nil || !strings.Contains(out, "16 rows of 1 divisions, by rule set ") {
		t.Errorf("check.py computes something else: %v\n%s", err, out)
	}
}

const (
	scoresDir   = "stages/stage.score.main"
	verdictsDir = "stages/stage.validate.main"
)

// freezeOfficial writes the parts of a frozen folder that check.py reads, with official runs as verdicts. It returns
// the scores.
func freezeOfficial(t *testing.T, dir, from, year string) []results.ScoreRow {
	verdicts, divisions := officialVerdicts(t, from)
	rs, _, diags := rules.FindScoring(year, "")
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return freezeVerdicts(t, dir, verdicts, divisions, rs)
}

// freezeVerdicts writes the parts of a frozen folder that check.py reads. It returns the scores.
func freezeVerdicts(t *testing.T, dir string, verdicts []results.VerdictRow, divisions map[string]string,
	rs *score.RuleSet) []results.ScoreRow {
	var parquet bytes.Buffer
	if err := results.Write(&parquet, verdicts); err != nil {
		t.Fatal(err)
	}
	runs, err := scoreio.ReadVerdicts(&scoreio.Divide{Of: func(_, logic string) string { return divisions[logic] }},
		bytes.NewReader(parquet.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	result, err := score.Compute(context.Background(), rs, runs, score.Readings{})
	if err != nil {
		t.Fatal(err)
	}
	scores := scoreio.ScoreRows(result, rs, runs)
	digest := cache.DigestOf(parquet.Bytes())
	k := cache.NewKeyWriter("stage/1")
	k.String("kind", "score")
	k.String("rules", fmt.Sprintf("sha256:%x", rs.Digest()))
	k.String("verdicts[0]", "verdicts/1 sha256:"+digest.String())
	write(t, dir, frozen.TreeName(rs.Digest()), rs.Tree())
	write(t, dir, scoresDir+"/record.json", recordOf(t, cache.Action{Address: "stage.score.main", Kind: "score",
		Components: k.Components(), Outputs: map[string]cache.Output{"scores": {Schema: "scores/1"}}}))
	write(t, dir, scoresDir+"/scores.csv", csvOf(t, scores))
	write(t, dir, verdictsDir+"/record.json", recordOf(t, cache.Action{Address: "stage.validate.main", Kind: "validate",
		Outputs: map[string]cache.Output{"verdicts": {Schema: "verdicts/1"}}}))
	write(t, dir, verdictsDir+"/verdicts.csv", csvOf(t, verdicts))
	if len(verdicts) > 9_000 { // as in tables with many runs
		if err := exec.Command("gzip", filepath.Join(dir, verdictsDir, "verdicts.csv")).Run(); err != nil {
			t.Fatal(err)
		}
	}
	lock := &frozen.Lock{Version: "0", Stages: map[string]frozen.Entry{"stage.score.main": {"key": k.Key().String()}},
		Outputs: map[string]frozen.Entry{"stage.score.main.scores": {"schema": "scores/1"},
			"stage.validate.main.verdicts": {"schema": "verdicts/1", "sha256": digest.String()}}}
	write(t, dir, frozen.LockName, lock.Encode())
	sums(t, dir)
	return scores
}

// officialVerdicts returns an official set's runs, and each logic's division.
func officialVerdicts(t *testing.T, from string) ([]results.VerdictRow, map[string]string) {
	var published struct {
		Year      int
		Divisions map[string]struct {
			TimeLimit float64 `json:"time_limit"`
		}
	}
	text, err := os.ReadFile(filepath.Join(from, "published.json"))
	if err == nil {
		err = json.Unmarshal(text, &published)
	}
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(unzipped(t, from))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	_, track, _ := strings.Cut(filepath.Base(from), "-")
	track = map[string]string{"application": "incremental", "incremental": "incremental", "parallel": "parallel",
		"single-query": "single_query", "unsat-core": "unsat_core"}[track]
	sample := map[string]uint32{"incremental": 8, "parallel": 1, "single_query": 64, "unsat_core": 32}
	if os.Getenv("SMTPIPE_LONG") != "" {
		sample = map[string]uint32{"incremental": 1, "parallel": 1, "single_query": 8, "unsat_core": 1}
	}
	divisions := map[string]string{}
	var out []results.VerdictRow
	for _, row := range rows[1:] {
		at := func(name string) string {
			if i := slices.Index(rows[0], name); i >= 0 {
				return row[i]
			}
			return ""
		}
		number := func(name string) int64 {
			n, err := strconv.ParseInt(at(name), 10, 64)
			if err != nil {
				return 0
			}
			return n
		}
		seconds := func(name string) run.Seconds {
			f, err := strconv.ParseFloat(at(name), 64)
			if err != nil {
				t.Fatal(err)
			}
			return run.Seconds(f)
		}
		h := fnv.New32()
		io.WriteString(h, at("benchmark"))
		if h.Sum32()%sample[track] != 0 {
			continue
		}
		divisions[at("logic")] = at("division")
		v := results.VerdictRow{
			Limits: run.Limits{Cores: 4, WallLimitS: run.Seconds(published.Divisions[at("division")].TimeLimit)},
			Identity: run.Identity{Track: track, Benchmark: at("benchmark"), Logic: at("logic"),
				Solver: strings.TrimSpace(at("solver") + " " + at("solver_id"))},
			Judged: run.Judged{Answer: at("answer"), LastWallS: -1, LastCPUS: -1, CoreSize: -1, ValUnsat: -1,
				ValSat: -1, Checks: 1},
			Measured: run.Measured{Usage: run.Usage{WallTimeS: seconds("wall_s"), CPUTimeS: seconds("cpu_s")}},
			Subject:  run.Subject{Division: at("division"), Status: at("status")},
			Entrant:  run.Entrant{Team: at("solver"), Competitive: at("competitive") == "true"},
		}
		if v.WallLimitS == 0 {
			v.WallLimitS = 2400 // 2015 rules, §5.1
		}
		switch {
		case track == "incremental":
			v.Status = "unknown"
			v.Answer, v.ChecksCorrect, v.ChecksWrong = "", number("n_correct"), number("error")
			v.Checks = max(number("n_total"), v.ChecksCorrect+v.ChecksWrong)
		case track == "unsat_core":
			v.Assertions = number("n_total")
			if v.Answer == "unsat" && at("core_size") != "-" {
				v.CoreSize = number("core_size")
				v.ValUnsat, v.ValSat = number("unsat_core_confirmations"), number("unsat_core_rejections")
			}
		}
		if !slices.Contains([]string{"sat", "unsat", "unknown"}, v.Answer) {
			v.Answer = ""
		}
		out = append(out, v)
	}
	return out, divisions
}

// check executes check.py and returns its output.
func check(t *testing.T, args ...string) (string, error) {
	t.Helper()
	python := testkit.Program(t, "python3")
	out, err := exec.Command(python, append([]string{"documents/check.py"}, args...)...).CombinedOutput()
	return string(out), err
}

func recordOf(t *testing.T, a cache.Action) []byte {
	t.Helper()
	text, err := cache.EncodeAction(&a)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func csvOf[Row any](t *testing.T, rows []Row) []byte {
	t.Helper()
	var parquet, text bytes.Buffer
	if err := results.Write(&parquet, slices.Clone(rows)); err != nil {
		t.Fatal(err)
	}
	if err := results.Export(&text, bytes.NewReader(parquet.Bytes()), int64(parquet.Len()), results.CSV); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

func unzipped(t *testing.T, dir string) []byte {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "runs.csv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func write(t *testing.T, dir, name string, content []byte) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
}

// sums writes the list of a folder's files with their digests.
func sums(t *testing.T, dir string) {
	t.Helper()
	all := frozen.Sums{}
	trees, err := filepath.Glob(filepath.Join(dir, "rules", "*.json"))
	if err != nil || len(trees) != 1 {
		t.Fatal(trees, err)
	}
	for _, name := range []string{frozen.LockName, scoresDir + "/record.json", scoresDir + "/scores.csv",
		verdictsDir + "/record.json", verdictsDir + "/verdicts.csv", "rules/" + filepath.Base(trees[0])} {
		content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if os.IsNotExist(err) {
			name += ".gz"
			content, err = os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		}
		if err != nil {
			t.Fatal(err)
		}
		all[name] = cache.DigestOf(content)
	}
	write(t, dir, frozen.SumsName, all.Encode())
}
