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

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/frozen"
	"github.com/smtpipe/smtpipe/internal/results"
	"github.com/smtpipe/smtpipe/internal/rules"
	"github.com/smtpipe/smtpipe/internal/score"
	"github.com/smtpipe/smtpipe/internal/score/scoreio"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// TestCheckProgram: check.py is small, and knows the rule sets of the years.
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
	for _, name := range rules.Names() {
		rs, _, diags := rules.FindScoring(name, "")
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		own, _ := score.Decode(rs.Source(), name, nil)
		want := fmt.Sprintf("%q: %d", fmt.Sprintf("%x", rs.Digest()), own.Year)
		if !strings.Contains(string(text), want) {
			t.Errorf("check.py does not know the rule set of %s; see that it computes what that says, and write %s",
				name, want)
		}
	}
}

// TestCheckPublished: check.py computes the published tables of all official sets again, and sees when a run is
// another.
func TestCheckPublished(t *testing.T) {
	for _, name := range officialSets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
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

// TestCheckScores: our tables of the official runs, by the rules and not by the practice of the organisers, are those
// that check.py makes. Of the largest set every eighth benchmark is taken.
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

const (
	scoresDir   = "stages/stage.score.main"
	verdictsDir = "stages/stage.validate.main"
)

// freezeOfficial writes what check.py reads of a frozen folder, with official runs as verdicts, and returns the scores.
func freezeOfficial(t *testing.T, dir, from, year string) []results.ScoreRow {
	verdicts, divisions := officialVerdicts(t, from)
	var parquet bytes.Buffer
	if err := results.Write(&parquet, verdicts); err != nil {
		t.Fatal(err)
	}
	rs, _, diags := rules.FindScoring(year, "")
	if diags.HasErrors() {
		t.Fatal(diags)
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
	write(t, dir, scoresDir+"/record.json", recordOf(t, cache.Action{Address: "stage.score.main", Kind: "score",
		Components: k.Components(), Outputs: map[string]cache.Output{"scores": {Schema: "scores/1"}}}))
	write(t, dir, scoresDir+"/scores.csv", csvOf(t, scores))
	write(t, dir, verdictsDir+"/record.json", recordOf(t, cache.Action{Address: "stage.validate.main", Kind: "validate",
		Outputs: map[string]cache.Output{"verdicts": {Schema: "verdicts/1"}}}))
	write(t, dir, verdictsDir+"/verdicts.csv", csvOf(t, verdicts))
	lock := &frozen.Lock{Version: "0", Stages: map[string]frozen.Entry{"stage.score.main": {"key": k.Key().String()}},
		Outputs: map[string]frozen.Entry{"stage.score.main.scores": {"schema": "scores/1"},
			"stage.validate.main.verdicts": {"schema": "verdicts/1", "sha256": digest.String()}}}
	write(t, dir, frozen.LockName, lock.Encode())
	sums(t, dir)
	return scores
}

// officialVerdicts reads the runs of an official set, and the division of each logic.
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
		seconds := func(name string) float64 {
			f, err := strconv.ParseFloat(at(name), 64)
			if err != nil {
				t.Fatal(err)
			}
			return f
		}
		h := fnv.New32()
		io.WriteString(h, at("benchmark"))
		if track == "single_query" && h.Sum32()%8 != 0 {
			continue
		}
		divisions[at("logic")] = at("division")
		v := results.VerdictRow{Track: track, Benchmark: at("benchmark"), Division: at("division"), Logic: at("logic"),
			Solver: strings.TrimSpace(at("solver") + " " + at("solver_id")), Team: at("solver"),
			Competitive: at("competitive") == "true", Status: at("status"), Answer: at("answer"),
			WallTimeS: seconds("wall_s"), CPUTimeS: seconds("cpu_s"), Cores: 4, LastWallS: -1, LastCPUS: -1,
			CoreSize: -1, ValUnsat: -1, ValSat: -1, Checks: 1,
			WallLimitS: published.Divisions[at("division")].TimeLimit}
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

// check executes check.py.
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

// sums writes the digests of the files of a folder.
func sums(t *testing.T, dir string) {
	t.Helper()
	all := frozen.Sums{}
	for _, name := range []string{frozen.LockName, scoresDir + "/record.json", scoresDir + "/scores.csv",
		verdictsDir + "/record.json", verdictsDir + "/verdicts.csv"} {
		content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		all[name] = cache.DigestOf(content)
	}
	write(t, dir, frozen.SumsName, all.Encode())
}
