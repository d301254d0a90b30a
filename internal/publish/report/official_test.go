package report

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// official2022 returns the 2022 single-query track in the form of tables: 658,873 runs in 19 divisions and 76 logics,
// and the published rankings.
func official2022(t testing.TB) *Input {
	t.Helper()
	folder := testkit.Shared(t, "official-results", "2022-single-query")
	in := &Input{
		Competition: Competition{Name: "SMT-COMP", Year: 2022, Edition: "17th"},
		Verdicts:    Rows(officialRuns(t, path.Join(folder, "runs.csv.gz"))),
	}
	in.Scores, in.Recognitions = officialScores(t, path.Join(folder, "published.json"))
	in.Provenance = sampleProvenance()
	return in
}

func officialRuns(t testing.TB, name string) []results.VerdictRow {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(z)
	r.ReuseRecord = true
	header, err := r.Read()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, h := range header {
		at[h] = i
	}
	texts := map[string]string{}
	intern := func(s string) string {
		if k, ok := texts[s]; ok {
			return k
		}
		k := strings.Clone(s)
		texts[k] = k
		return k
	}
	var rows []results.VerdictRow
	for {
		rec, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		get := func(col string) string { return intern(rec[at[col]]) }
		num := func(col string) run.Seconds { x, _ := strconv.ParseFloat(rec[at[col]], 64); return run.Seconds(x) }
		bench := get("benchmark")
		family := path.Dir(bench)
		_, family, _ = strings.Cut(family, "/")
		row := results.VerdictRow{
			Limits: run.Limits{WallLimitS: 1200, Cores: 4},
			Identity: run.Identity{Track: "single_query", Benchmark: intern("non-incremental/" + bench),
				Solver: get("solver"), Logic: get("logic")},
			Judged: run.Judged{Answer: get("answer"), Verdict: "unknown"},
			Measured: run.Measured{Ending: "exited", Usage: run.Usage{WallTimeS: num("wall_s"),
				CPUTimeS: num("cpu_s")}},
			Subject: run.Subject{Division: get("division"), Family: intern(family), Status: get("status")},
			Entrant: run.Entrant{Competitive: rec[at["competitive"]] == "true"},
		}
		if row.Answer == "limit" {
			row.Ending = "wall_timeout"
		}
		switch {
		case rec[at["error"]] == "1":
			row.Verdict, row.Reason = "wrong", "contradicts the status"
		case rec[at["n_correct"]] == "1":
			row.Verdict = "correct"
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b results.VerdictRow) int {
		if c := strings.Compare(a.Benchmark, b.Benchmark); c != 0 {
			return c
		}
		return strings.Compare(a.Solver, b.Solver)
	})
	return slices.CompactFunc(rows, func(a, b results.VerdictRow) bool {
		return a.Benchmark == b.Benchmark &&
			a.Solver == b.Solver
	})
}

type publishedRow struct {
	Solver      string
	Competitive bool
	Rank        *int64
	Error       int64
	Correct     float64
	CPU, Wall   float64
	Solved      int64
	SolvedSat   int64 `json:"solved_sat"`
	SolvedUnsat int64 `json:"solved_unsat"`
	Unsolved    int64
	Abstained   int64
	Timeout     int64
	Memout      int64
}

var publishedViews = map[string]string{"sequential": "seq", "parallel": "par", "sat": "sat", "unsat": "unsat",
	"twentyfour": "24s"}

func officialScores(t testing.TB, name string) ([]results.ScoreRow, []results.RecognitionRow) {
	body, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Divisions   map[string]map[string]json.RawMessage
		Logics      map[string]map[string]json.RawMessage
		BiggestLead map[string]json.RawMessage `json:"biggest_lead"`
		Largest     map[string]json.RawMessage `json:"largest_contribution"`
	}
	if err := json.Unmarshal(body, &doc); err != nil {
		t.Fatal(err)
	}
	divisionOf := map[string]string{}
	var rows []results.ScoreRow
	for _, d := range sortedKeys(keySet(doc.Divisions)) {
		var logics map[string]int64
		if err := json.Unmarshal(doc.Divisions[d]["logics"], &logics); err != nil {
			t.Fatal(err)
		}
		for l := range logics {
			divisionOf[l] = d
		}
		rows = append(rows, publishedScores(t, d, "", doc.Divisions[d])...)
	}
	for _, l := range sortedKeys(keySet(doc.Logics)) {
		rows = append(rows, publishedScores(t, divisionOf[l], l, doc.Logics[l])...)
	}
	return rows, append(publishedRecognitions(t, "biggest_lead", doc.BiggestLead), publishedRecognitions(t,
		"largest_contribution", doc.Largest)...)
}

func keySet(m map[string]map[string]json.RawMessage) map[string]bool {
	out := map[string]bool{}
	for k := range m {
		out[k] = true
	}
	return out
}

func publishedScores(t testing.TB, division, logic string, doc map[string]json.RawMessage) []results.ScoreRow {
	var rows []results.ScoreRow
	var winners map[string]*string
	if err := json.Unmarshal(doc["winners"], &winners); err != nil {
		t.Fatalf("%s %s: %v", division, logic, err)
	}
	var benchmarks int64
	if err := json.Unmarshal(doc["n_benchmarks"], &benchmarks); err != nil {
		t.Fatal(err)
	}
	for pub, view := range publishedViews {
		var list []publishedRow
		if doc[pub] == nil {
			continue
		}
		if err := json.Unmarshal(doc[pub], &list); err != nil {
			t.Fatal(err)
		}
		for i, p := range list {
			rows = append(rows, results.ScoreRow{Track: "single_query", Division: division, Logic: logic, View: view,
				Solver: p.Solver, Rank: int64(i + 1),
				Winner: winners[pub] != nil && *winners[pub] == p.Solver, Competitive: p.Competitive,
				Eligible: p.Competitive, Contested: winners[pub] != nil,
				Benchmarks: benchmarks, Errors: p.Error, Correct: p.Correct, WallS: p.Wall, CPUS: p.CPU,
				Solved: p.Solved, SolvedSat: p.SolvedSat,
				SolvedUnsat: p.SolvedUnsat, Unsolved: p.Unsolved, Abstained: p.Abstained, Timeouts: p.Timeout,
				Memouts: p.Memout})
		}
	}
	return rows
}

func publishedRecognitions(t testing.TB, kind string, doc map[string]json.RawMessage) []results.RecognitionRow {
	var rows []results.RecognitionRow
	for pub, view := range publishedViews {
		var list []struct {
			Solver, Second, Division string
			Score                    float64
			TimeScore                float64 `json:"time_score"`
		}
		if doc[pub] == nil {
			continue
		}
		if err := json.Unmarshal(doc[pub], &list); err != nil {
			t.Fatalf("%s %s: %v", kind, pub, err)
		}
		for i, p := range list {
			rows = append(rows, results.RecognitionRow{Track: "single_query", Kind: kind, View: view,
				Place: int64(i + 1), Solver: p.Solver, Division: p.Division,
				Second: p.Second, Score: p.Score, Time: p.TimeScore, Winner: i == 0})
		}
	}
	slices.SortFunc(rows, func(a, b results.RecognitionRow) int {
		if c := strings.Compare(a.View, b.View); c != 0 {
			return c
		}
		return int(a.Place - b.Place)
	})
	return rows
}
