package scoreio

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// csvPlaces matches the positions that errors give for CSV files.
var csvPlaces = regexp.MustCompile(`line \d+ \((row \d+)\)| \(also in (?:lines?|rows?) [^)]*\)`)

// TestParquetIsCSV reads random tables of verdicts both as Parquet, where most rows are read in bulk, and as CSV, where
// none are. Most tables contain a row that contradicts another or has an unusual value.
func TestParquetIsCSV(t *testing.T) {
	rs := ruleSet(t, "2022")
	errors := 0
	for seed := range uint64(400) {
		var stored, exported bytes.Buffer
		if err := results.Write(&stored, oddVerdicts(seed)); err != nil {
			t.Fatal(err)
		}
		packed := bytes.NewReader(stored.Bytes())
		if err := results.Export(&exported, packed, packed.Size(), results.CSV); err != nil {
			t.Fatal(err)
		}
		divide := DivideBy(rs.Divisions, nil, nil)
		got, _, err := ReadRuns(&stored, "table", divide)
		want, _, wantErr := ReadRuns(&exported, "table", divide)
		if wantErr != nil {
			errors++
		}
		if diff := cmp.Diff(byRow(wantErr), byRow(err)); diff != "" {
			t.Fatalf("table %d: errors: -CSV +Parquet\n%s", seed, diff)
		}
		if diff := cmp.Diff(textsOf(want), textsOf(got)); diff != "" {
			t.Fatalf("table %d: runs: -CSV +Parquet\n%s", seed, diff)
		}
	}
	if errors < 50 || errors > 300 {
		t.Errorf("%d of 400 tables have an error", errors)
	}
}

func byRow(err error) string {
	return strings.ReplaceAll(csvPlaces.ReplaceAllString(fmt.Sprint(err), "$1"), `"`, "") // numbers are quoted in CSV
}

// textsOf returns all runs as texts.
func textsOf(runs *score.Runs) []string {
	var all []string
	if runs == nil {
		return nil
	}
	for _, track := range runs.Tracks {
		track.Each(func(b *score.Benchmark, s *score.Solver, answer string, cpu score.Time) bool {
			all = append(all, fmt.Sprintf("%s %+v %+v %q %v", track.Name, *b, *s, answer, cpu))
			return true
		})
	}
	return all
}

// oddVerdicts returns a table with two tracks and odd values.
func oddVerdicts(seed uint64) []results.VerdictRow {
	rng := rand.New(rand.NewPCG(seed, 3))
	var rows []results.VerdictRow
	for _, track := range []string{"parallel", "single_query"} {
		for b := range 3 + rng.IntN(40) {
			logic := []string{"QF_BV", "LIA"}[rng.IntN(10)/9]
			for s := range 5 {
				if rng.IntN(6) == 0 {
					continue
				}
				rows = append(rows, results.VerdictRow{
					Limits: run.Limits{WallLimitS: 1200, Cores: 4},
					Identity: run.Identity{Track: track, Benchmark: fmt.Sprintf("b%03d", b), Logic: logic,
						Solver: fmt.Sprint("s", s)},
					Judged: run.Judged{Answer: []string{"sat", "unsat", "timeout", ""}[rng.IntN(4)], LastWallS: -1,
						LastCPUS: -1, CoreSize: -1, ValUnsat: -1, ValSat: -1},
					Measured: run.Measured{Usage: run.Usage{WallTimeS: run.Seconds(rng.IntN(1e9)) / 1e6,
						CPUTimeS: run.Seconds(rng.Float64()) * 1000}},
					Subject: run.Subject{Status: "sat"},
					Entrant: run.Entrant{Team: fmt.Sprint("t", s/2), Competitive: s > 0},
				})
			}
		}
	}
	r := &rows[rng.IntN(len(rows))]
	switch seed % 22 {
	case 0:
		r.WallLimitS = 60
	case 1:
		r.Cores = 8
	case 2:
		r.Cores = 0
	case 3:
		r.Status = "unsat"
	case 4:
		r.Logic = "UF"
	case 5:
		r.Team = "other"
	case 6:
		r.Competitive = !r.Competitive
	case 7:
		r.BaseSolver = "s1"
	case 8:
		r.Answer = "maybe"
	case 9:
		r.WallTimeS = -1
	case 10:
		r.CPUTimeS = run.Seconds(math.NaN())
	case 11:
		r.Benchmark += " "
	case 12:
		r.Benchmark = " b000"
	case 13:
		r.Validation = "VALID"
	case 14:
		r.LastWallS = r.WallTimeS + 1
	case 15:
		r.LastWallS = r.WallTimeS
	case 16:
		r.Checks = 3
	case 17:
		r.New, r.Family = true, "f"
	case 18:
		r.Solver, r.Team, r.Competitive = "S 1", "t9", true
	case 19:
		r.Division = "Other"
	}
	return rows
}
