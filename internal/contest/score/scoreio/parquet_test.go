package scoreio

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// packedRun is a line of a runs table as another program would store it in a data frame: numbers as numbers, missing
// values as null.
type packedRun struct {
	Benchmark   string   `parquet:"benchmark,dict"`
	Logic       string   `parquet:"logic,dict"`
	Division    string   `parquet:"division,dict"`
	Track       string   `parquet:"track,dict"`
	Solver      string   `parquet:"solver,dict"`
	Team        string   `parquet:"team,dict"`
	Competitive bool     `parquet:"competitive"`
	Status      string   `parquet:"status,dict"`
	Answer      *string  `parquet:"answer,optional,dict"`
	Checks      *float64 `parquet:"n_checks,optional"`
	Correct     *float64 `parquet:"n_checks_correct,optional"`
	Wrong       *float64 `parquet:"n_checks_wrong,optional"`
	LastWall    *float64 `parquet:"last_wall_s,optional"`
	Wall        float64  `parquet:"wall_s"`
	CPU         float64  `parquet:"cpu_s"`
	Cores       int64    `parquet:"m"`
	Limit       int32    `parquet:"T"`
}

const packedHeader = "benchmark,logic,division,track,solver,team,competitive,status,answer,n_checks,n_checks_correct,n_checks_wrong,last_wall_s,wall_s,cpu_s,m,T"

// packedRuns returns runs in two tracks, also as CSV and as verdicts.
func packedRuns() (packed []packedRun, table string, verdicts []results.VerdictRow) {
	lines := []string{packedHeader}
	for i := range 400 {
		for s := range 4 {
			r := packedRun{
				Benchmark: fmt.Sprintf("b%03d", i), Logic: []string{"QF_BV", "QF_LIA", "QF_LRA"}[i%3],
				Track:  "single_query",
				Solver: fmt.Sprint("s", s), Team: fmt.Sprint("t", s/2), Competitive: s > 0, Status: "sat",
				Wall: float64((i*37+s*911)%13000)/10 + 0.1, CPU: float64((i*53+s*7)%9000) / 1000, Cores: 4, Limit: 1200,
			}
			r.Division = map[string]string{"QF_BV": "QF_Bitvec", "QF_LIA": "QF_LinearIntArith",
				"QF_LRA": "QF_LinearRealArith"}[r.Logic]
			answer := []string{"sat", "unsat", "unknown", "sat", "sat"}[(i*3+s)%5]
			v := results.VerdictRow{Judged: run.Judged{LastWallS: -1, LastCPUS: -1, CoreSize: -1, ValUnsat: -1,
				ValSat: -1}}
			checks, correct, wrong, last := "", "", "", ""
			if i%2 == 1 {
				total, right, none := float64(i), float64((i+1)/2), 0.0
				r.Track, r.Status, answer = "incremental", "unknown", ""
				r.Checks, r.Correct, r.Wrong, r.LastWall = &total, &right, &none, &r.Wall
				checks, correct, wrong, last = fmt.Sprint(i), fmt.Sprint((i+1)/2), "0", strconv.FormatFloat(r.Wall,
					'f', -1, 64)
				v.Checks, v.ChecksCorrect, v.LastWallS = int64(i), int64((i+1)/2), run.Seconds(r.Wall)
			} else {
				r.Answer = &answer
			}
			packed = append(packed, r)
			lines = append(lines, fmt.Sprintf("%s,%s,%s,%s,%s,%s,%t,%s,%s,%s,%s,%s,%s,%v,%v,4,1200", r.Benchmark,
				r.Logic, r.Division,
				r.Track, r.Solver, r.Team, r.Competitive, r.Status, answer, checks, correct, wrong, last,
				r.Wall, r.CPU))
			v.Track, v.Benchmark, v.Solver, v.Logic, v.Team, v.Competitive = r.Track, r.Benchmark, r.Solver,
				r.Logic, r.Team, r.Competitive
			v.Status, v.Answer, v.WallTimeS, v.CPUTimeS, v.WallLimitS, v.Cores = r.Status, answer,
				run.Seconds(r.Wall), run.Seconds(r.CPU),
				1200, 4
			verdicts = append(verdicts, v)
		}
	}
	return packed, strings.Join(lines, "\n"), verdicts
}

// TestFormsAgree checks that the same runs score alike from CSV, from Parquet, and from a stored table of verdicts
// whose divisions come from the rule set.
func TestFormsAgree(t *testing.T) {
	packed, table, verdicts := packedRuns()
	rs := ruleSet(t, "2026")
	scored := func(runs *score.Runs, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return scoresOf(t, rs, runs)
	}
	runs, _, err := ReadRuns(strings.NewReader(table), "runs", nil)
	want := scored(runs, err)
	if !strings.Contains(want, `"QF_LinearRealArith"`) {
		t.Fatal(want)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "runs.parquet")
	if err := parquet.WriteFile(path, packed); err != nil {
		t.Fatal(err)
	}
	runs, warnings, err := ReadRunsFile(path, nil)
	if diff := cmp.Diff(want, scored(runs, err)); diff != "" || len(warnings) > 0 {
		t.Errorf("parquet: %v; -csv +parquet\n%s", warnings, diff)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	runs, _, err = ReadRuns(bytes.NewReader(data), "standard input", nil)
	if diff := cmp.Diff(want, scored(runs, err)); diff != "" {
		t.Errorf("parquet from a stream: -csv +parquet\n%s", diff)
	}
	var stored bytes.Buffer
	if err := results.Write(&stored, verdicts); err != nil {
		t.Fatal(err)
	}
	runs, err = ReadVerdicts(DivideBy(rs.Divisions, nil, nil), bytes.NewReader(stored.Bytes()))
	if diff := cmp.Diff(want, scored(sortedTracks(runs), err)); diff != "" {
		t.Errorf("verdicts: -csv +verdicts\n%s", diff)
	}
	var exported bytes.Buffer
	if err := results.Export(&exported, bytes.NewReader(stored.Bytes()), int64(stored.Len()), results.CSV); err != nil {
		t.Fatal(err)
	}
	runs, warnings, err = ReadRuns(&exported, "verdicts.csv", DivideBy(rs.Divisions, nil, nil))
	if diff := cmp.Diff(want, scored(sortedTracks(runs), err)); diff != "" || len(warnings) > 0 {
		t.Errorf("verdicts as CSV: %v; -csv +verdicts\n%s", warnings, diff)
	}
}

// sortedTracks moves the single-query track first, as in the table. A stored table is sorted by track name.
func sortedTracks(runs *score.Runs) *score.Runs {
	if runs != nil && runs.Tracks[0].Name == "incremental" {
		runs.Tracks[0], runs.Tracks[1] = runs.Tracks[1], runs.Tracks[0]
	}
	return runs
}

// TestBadParquetRows checks that an error in a row of a Parquet file is reported with the row's number.
func TestBadParquetRows(t *testing.T) {
	nan := 0.0
	nan /= nan
	word, half := "maybe", 0.5
	for _, test := range []struct {
		name   string
		change func(*packedRun)
		want   string
	}{
		{"not finite", func(r *packedRun) { r.Wall = nan }, "row 2: column wall_s: NaN is not a number of seconds"},
		{"negative", func(r *packedRun) { r.CPU = -1 }, "row 2: column cpu_s"},
		{"unknown word", func(r *packedRun) { r.Answer = &word }, `row 2: column answer cannot be "maybe"`},
		{"no cores", func(r *packedRun) { r.Cores = 0 }, "row 2: column m is 0"},
		{"part of an answer", func(r *packedRun) { r.Checks = &half }, `row 2: column n_checks cannot be "0.5"`},
		{"duplicate", func(r *packedRun) { r.Solver = "s0"; r.Team = "t0"; r.Competitive = false },
			"row 2: solver s0 has a second run on benchmark b000"},
	} {
		t.Run(test.name, func(t *testing.T) {
			packed, _, _ := packedRuns()
			packed = packed[:2]
			test.change(&packed[1])
			path := filepath.Join(t.TempDir(), "runs.parquet")
			if err := parquet.WriteFile(path, packed); err != nil {
				t.Fatal(err)
			}
			if _, _, err := ReadRunsFile(path, nil); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
