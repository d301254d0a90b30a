package scoreio

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

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
		if err != nil || wantErr != nil {
			continue
		}
		if !bytes.Equal(packedForm(t, want), packedForm(t, got)) {
			t.Fatalf("table %d: runs: -CSV +Parquet\n%s", seed, diffRuns(want, got))
		}
	}
	if errors < 50 || errors > 300 {
		t.Errorf("%d of 400 tables have an error", errors)
	}
}

func byRow(err error) string {
	return strings.ReplaceAll(csvPlaces.ReplaceAllString(fmt.Sprint(err), "$1"), `"`, "") // numbers are quoted in CSV
}

func packedForm(t *testing.T, runs *score.Runs) []byte {
	t.Helper()
	var packed bytes.Buffer
	if err := runs.Pack(&packed); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// TestPack checks that nothing in runs is lost when they are packed.
func TestPack(t *testing.T) {
	var b score.Builder
	for i := range 6 {
		row := score.Row{Wall: score.Second, CPU: score.Second, Rest: score.Rest{Limit: 20 * score.Second, Cores: 4,
			Judged: run.Unjudged(), Recorded: score.NoRecord}}
		row.Track, row.Division, row.Logic = []string{"unsat_core", "single_query"}[i%2], "D", []string{"L", "M"}[i%4/2]
		row.Benchmark, row.Solver = fmt.Sprint("b", i), fmt.Sprint("s", i%2)
		row.SolverID, row.Team, row.Category = fmt.Sprint(i%2), "t", "industrial"
		row.New, row.Family = i == 3, "f"
		row.Status, row.Answer = "unsat", []string{"unsat", "sat", ""}[i%3]
		row.Assertions, row.Checks, row.CoreSize = int64(i), int64(2*i), int64(i/2)
		row.Value = score.Value{N: 0.5, Known: i > 2}
		if row.Track == "single_query" {
			row.CPU = -1
		}
		if err := b.Add(&row); err != nil {
			t.Fatal(err)
		}
	}
	unpacked, err := score.Unpack(bytes.NewReader(packedForm(t, b.Runs())))
	if err != nil {
		t.Fatal(err)
	}
	if diff := diffRuns(b.Runs(), unpacked); diff != "" {
		t.Errorf("-packed +unpacked\n%s", diff)
	}
}

// diffRuns compares everything in runs but what only the Builder uses.
func diffRuns(want, got *score.Runs) string {
	builders := []string{"benchmarkIDs", "unordered", "solverIDs", "groupIDs", "pairs", "lastDiv", "lastName", "lastID",
		"words", "limits", "names", "spaced", "codes", "last"}
	return cmp.Diff(want, got, cmp.Exporter(func(reflect.Type) bool { return true }), cmpopts.EquateEmpty(),
		cmp.FilterPath(func(p cmp.Path) bool {
			field, ok := p.Last().(cmp.StructField)
			return ok && slices.Contains(builders, field.Name())
		}, cmp.Ignore()))
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
