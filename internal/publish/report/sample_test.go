package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// sampleProvenance describes a pipeline as the engine would.
func sampleProvenance() Provenance {
	digest := func(c byte) string {
		b := make([]byte, 64)
		for i := range b {
			b[i] = "0123456789abcdef"[(int(c)*7+i*3)%16]
		}
		return string(b)
	}
	return Provenance{
		ToolVersion: "1.0.0 (go1.26.8)",
		Rules:       "2022",
		Machine: []Fact{{"CPU", "Intel Xeon E5-2620 v4, 2.10 GHz"}, {"Memory", "128 GB"},
			{"Operating system", "Linux 6.1"}},
		Inputs: []InputFile{{Name: "library.tar.zst", Digest: digest('a'), SizeBytes: 36_000_000_000,
			From: "https://zenodo.org/records/1"}, {Name: "submissions/z3.json", Digest: digest('b'), SizeBytes: 912}},
		Nodes: []Node{
			{Address: "stage.fetch.library", Kind: "fetch", Output: digest(1)}, {Address: "stage.index.library",
				Kind: "index", Output: digest(2), Note: "450,474 benchmarks"},
			{Address: "stage.submissions.entrants", Kind: "submissions", Output: digest(3)},
			{Address: "stage.cap.single_query", Kind: "cap", Output: digest(4)},
			{Address: "stage.scramble.single_query", Kind: "scramble", Output: digest(5)},
			{Address: "stage.execute.single_query", Kind: "execute", Output: digest(6), Note: "658,873 runs"},
			{Address: "stage.validate.single_query", Kind: "validate", Output: digest(7)},
			{Address: "stage.score.single_query", Kind: "score", Output: digest(8)},
		},
		Edges: []Edge{{"stage.fetch.library", "stage.index.library"}, {"stage.index.library", "stage.cap.single_query"},
			{"stage.cap.single_query", "stage.scramble.single_query"},
			{"stage.scramble.single_query", "stage.execute.single_query"}, {"stage.submissions.entrants",
				"stage.execute.single_query"},
			{"stage.execute.single_query", "stage.validate.single_query"}, {"stage.cap.single_query",
				"stage.validate.single_query"}, {"stage.validate.single_query", "stage.score.single_query"}},
		Verify: []string{"smtpipe verify frozen/", "smtpipe verify --rerun 1 frozen/"},
	}
}

// hostile contains texts that a solver author or a benchmark could choose to break a page, a script, a spreadsheet or a
// paper.
var hostile = []string{
	`</script><script>window.hacked=1</script>`,
	`"><img src=x onerror="window.hacked=2">`,
	`' onmouseover='window.hacked=3`,
	`=HYPERLINK("http://evil.example","x")`,
	`\input{/etc/passwd}$x_1^{2}$ & %`,
	"line\nbreak\x00\x1b[31m\u2028\u202Eevil",
	`]]><!--<svg onload=window.hacked=4>`,
	`../../../etc/passwd`,
	`{{.Site}}${window.hacked=5}`,
	`a|b*c_d` + "`code`" + `[x](javascript:alert(1))`,
}

// sample returns a small competition with two tracks and everything that a report can show. If evil is set, the names
// of solvers, benchmarks and divisions, and the outputs, are the hostile texts.
func sample(evil bool) *Input {
	name := func(plain string, k int) string {
		if evil {
			return plain + hostile[k%len(hostile)]
		}
		return plain
	}
	logics := []string{"QF_BV", "QF_ABV", "LIA"}
	divisions := map[string]string{"QF_BV": name("QF_Bitvec", 0), "QF_ABV": name("QF_Bitvec", 0),
		"LIA": name("Arith", 1)}
	solvers := []string{name("alpha", 0), name("Beta", 3), name("gamma-wide", 5), name("delta", 9)}
	in := &Input{
		Competition: Competition{Name: name("SMT-COMP", 1), Year: 2026},
		Provenance:  sampleProvenance(),
		Limits:      []TrackLimits{{"single_query", 30_000_000_000}},
		Log:         func(digest string) ([]byte, error) { return []byte("log of " + digest + "\n" + hostile[0]), nil },
		LogBytes:    1 << 16,
	}
	if evil {
		in.Provenance.Inputs[0].Name, in.Provenance.Nodes[2].Address, in.Provenance.Nodes[3].Note = hostile[0],
			hostile[1], hostile[6]
	}
	for i, s := range solvers {
		in.Solvers = append(in.Solvers, results.SolverRow{Solver: s, Track: "single_query", Team: name("team", i+2),
			Competitive: i != 2, Type: "standalone",
			Command: []string{"./" + s, "--smt2"}, Website: name("https://example.org/", i),
			Description: name("javascript:window.hacked=9//", i), ProgramSHA256: fakeDigest(i)})
	}
	measured := func(runKey string) (Measured, bool) {
		// Every fourth run has no record, like old runs.
		return Measured{AnswerWallS: 0.125, Signal: 11, ExitCode: -1, MeasuredAt: "2026-05-01T12:00:00Z",
				Setting: Setting{Hardware: name("Intel Xeon E5-2620 v4", 7), Isolation: "cgroup", MeasuredWith: "1.0.0",
					Flags: "truncated", WallLimitS: 1200, CPULimitS: 4800, MemoryLimit: 30_000_000_000, Cores: 4}},
			runKey < "c"
	}
	in.Measured = func() (func(string) (Measured, bool), error) { return measured, nil }
	in.Verdicts = Rows(sampleVerdicts(logics, divisions, solvers, name))
	in.Scores = sampleScores(logics, divisions, solvers)
	in.Recognitions = []results.RecognitionRow{
		{Track: "single_query", Kind: "biggest_lead", View: "par", Place: 1, Solver: solvers[0],
			Division: divisions["LIA"], Winner: true, Score: 1.5, Time: 0.25, Second: solvers[1]},
		{Track: "single_query", Kind: "disagreement", Place: 1, Division: divisions["LIA"], Item: sampleBench("LIA", 3,
			name)},
	}
	// Last year, alpha was called omega and solved 30 of 60 benchmarks in LIA. Beta solved 45, and sigma, which no
	// longer takes part, solved 15.
	in.Renamed = map[string]string{solvers[0]: name("omega", 2)}
	for i, s := range []string{solvers[1], name("omega", 2), name("sigma", 4)} {
		in.Previous = append(in.Previous, results.ScoreRow{Track: "single_query", Division: divisions["LIA"],
			View: "par", Solver: s, Rank: int64(i + 1), Winner: i == 0, Competitive: true, Eligible: true,
			Contested: true, Benchmarks: 60, Solved: int64(45 - 15*i)})
	}
	for i, s := range solvers {
		in.Confidence = append(in.Confidence, results.ConfidenceRow{Track: "single_query", Division: divisions["LIA"],
			View: "par", Solver: s, Rank: int64(i + 1), Winner: i == 0, Close: i == 0, Benchmarks: 40, Families: 7,
			Correct: int64(40 - 7*i), CorrectLow: 30.25, CorrectHigh: 39, PlaceLow: int64(max(1, i)),
			PlaceHigh: int64(i + 2), WinShare: 0.5, RemovedLeast: 3, RemovedMost: 3, LostLeast: 2, LostMost: 3,
			WrongLeast: 1, WrongMost: 1, Slowdown: 1.25})
	}
	in.Selections = []Selection{{Track: "single_query", Groups: []results.SelectionRow{{Group: "LIA", Eligible: 700,
		NewFamilies: 2, Quota: 350, Selected: 350}, {Group: name("QF_BV", 4), Eligible: 90, Quota: 90, Selected: 90}},
		Exclusions: []results.ExclusionRow{{Logic: "LIA", Reason: name("easy", 6), Count: 41}}}}
	in.Retired = []results.UnfitRow{{Benchmark: "incremental/LIA/other.smt2", Logic: "LIA",
		Reason: "of the other collection"},
		{Benchmark: "non-incremental/LIA/retired.smt2", Logic: "LIA", Reason: name("not well-formed", 2)}}
	in.Removed = []results.UnfitRow{{Benchmark: sampleBench("LIA", 5, name), Logic: "LIA",
		Reason: name("the status is wrong", 8)}}
	return in
}

func fakeDigest(k int) string {
	sum := sha256.Sum256([]byte{byte(k), byte(k >> 8)})
	return hex.EncodeToString(sum[:])
}

func sampleBench(logic string, k int, name func(string, int) string) string {
	return fmt.Sprintf("non-incremental/%s/20260101-family%d/%s.smt2", logic, k%3,
		strings.ReplaceAll(name(fmt.Sprintf("bench_%03d", k), k), "/", "_"))
}

// sampleVerdicts returns verdicts on 40 benchmarks in each logic. Solver i solves the benchmarks with k % (i+2) != 0,
// in 0.01·(k+1)·(i+1) seconds. gamma is wrong on two benchmarks. delta is killed by a signal on every tenth.
func sampleVerdicts(logics []string, divisions map[string]string, solvers []string,
	name func(string, int) string) []results.VerdictRow {
	var rows []results.VerdictRow
	for li, logic := range logics {
		for k := range 40 {
			for i, s := range solvers {
				row := results.VerdictRow{
					Limits: run.Limits{WallLimitS: 1200, Cores: 4},
					Identity: run.Identity{Track: "single_query", Benchmark: sampleBench(logic, k, name), Solver: s,
						Logic: logic},
					Judged: run.Judged{Answer: []string{"sat", "unsat", "sat"}[k%3], Verdict: "correct", Checks: 1,
						CoreSize: -1},
					Measured: run.Measured{Ending: "exited", Stdout: name("sat", k), Usage: run.Usage{
						WallTimeS: 0.01 * run.Seconds((k+1)*(i+1)), MemoryBytes: int64(1e6 * (k + 10) * (i + 1))}},
					Subject: run.Subject{Division: divisions[logic], Family: fmt.Sprintf("20260101-family%d", k%3),
						Status: []string{"sat", "unsat", "unknown"}[k%3]},
					Entrant:      run.Entrant{Team: fmt.Sprint("team", i), Competitive: i != 2},
					RunKey:       fakeDigest(li*1000 + k*10 + i),
					ScriptSHA256: fakeDigest(k),
				}
				row.CPUTimeS = row.WallTimeS * 1.5
				switch {
				case k%(i+2) == 0:
					row.Answer, row.Verdict, row.Ending, row.WallTimeS, row.CPUTimeS, row.Reason = "", "unknown",
						"wall_timeout", 1200.5, 4800, "no answer"
				case i == 2 && (k == 1 || k == 7):
					row.Answer, row.Verdict, row.Reason, row.StdoutSHA256 = "sat", "wrong",
						name("contradicts the status", k), fakeDigest(9000+k)
				case i == 3 && k%10 == 3:
					row.Answer, row.Verdict, row.Ending, row.StderrSHA256 = "", "unknown", "signalled",
						fakeDigest(8000+k)
				}
				rows = append(rows, row)
			}
		}
	}
	slices.SortFunc(rows, func(a, b results.VerdictRow) int {
		return cmp.Or(strings.Compare(a.Benchmark, b.Benchmark), strings.Compare(a.Solver, b.Solver))
	})
	return rows
}

func sampleScores(logics []string, divisions map[string]string, solvers []string) []results.ScoreRow {
	var rows []results.ScoreRow
	add := func(division, logic string, n int64) {
		for _, view := range []string{"par", "seq", "24s", "my_view"} {
			for i, s := range solvers {
				row := results.ScoreRow{Track: "single_query", Division: division, Logic: logic, View: view, Solver: s,
					Rank: int64(i + 1), Winner: i == 0,
					Competitive: i != 2, Eligible: i != 2, Contested: true, Benchmarks: n,
					Correct: float64(n - int64(7*i)), Solved: n - int64(7*i), SolvedSat: n / 2,
					SolvedUnsat: n - int64(7*i) - n/2, Unsolved: int64(7 * i), WallS: 12.345 * float64(i+1),
					CPUS: 1234.5 * float64(i+1), Timeouts: int64(7 * i)}
				if i == 2 {
					row.Errors = 2
				}
				if i == 3 {
					row.BaseSolver = solvers[0]
				}
				rows = append(rows, row)
			}
		}
	}
	add(divisions["QF_BV"], "", 80)
	add(divisions["LIA"], "", 40)
	for _, l := range logics {
		add(divisions[l], l, 40)
	}
	return rows
}
