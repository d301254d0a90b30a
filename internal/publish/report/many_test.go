package report

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// many returns a competition with 60 solvers and 137,280 runs in 76 logics of eight divisions. Every fiftieth answer is
// wrong.
func many() *Input {
	const solvers, benchmarks, divisions = 60, 2288, 19
	in := &Input{Competition: Competition{Name: "Many", Year: 1}}
	var rows []results.VerdictRow
	for k := range benchmarks {
		logic := fmt.Sprintf("LOGIC%02d", k*4*divisions/benchmarks)
		for s := range solvers {
			row := results.VerdictRow{
				Limits: run.Limits{WallLimitS: 1200, Cores: 4},
				Identity: run.Identity{Track: "single_query", Logic: logic, Solver: fmt.Sprintf("solver%02d", s),
					Benchmark: fmt.Sprintf("non-incremental/%s/family%03d/benchmark-%06d.smt2", logic, k/20, k)},
				Judged: run.Judged{Answer: "sat", Verdict: "correct"},
				Measured: run.Measured{Ending: "exited", Usage: run.Usage{
					WallTimeS: run.Seconds((k*7919+s*104729)%1_200_000) / 1000, MemoryBytes: int64(k*1000+s) * 1000}},
				Subject: run.Subject{Division: "Division" + logic[5:6], Family: fmt.Sprintf("family%03d", k/20),
					Status: "sat"},
				Entrant: run.Entrant{Team: fmt.Sprint("team", s), Competitive: true}, RunKey: fakeDigest(k*solvers + s),
				ScriptSHA256: fakeDigest(k),
			}
			row.CPUTimeS = row.WallTimeS
			switch {
			case (k+s)%4 == 0:
				row.Answer, row.Verdict = "", "unknown"
			case (k*solvers+s)%50 == 0:
				row.Answer, row.Verdict, row.Reason = "unsat", "wrong", "contradicts the status"
			}
			rows = append(rows, row)
		}
	}
	in.Verdicts = Rows(rows)
	for d := range 8 {
		division := fmt.Sprintf("Division%d", d)
		for l := -1; l < 10; l++ {
			logic := ""
			if l >= 0 {
				logic = fmt.Sprintf("LOGIC%d%d", d, l)
			}
			for _, view := range []string{"par", "seq", "sat", "unsat", "24s"} {
				for s := range solvers {
					in.Scores = append(in.Scores, results.ScoreRow{Track: "single_query", Division: division,
						Logic: logic, View: view, Solver: fmt.Sprintf("solver%02d", s), Rank: int64(s + 1),
						Winner: s == 0, Competitive: true, Eligible: true, Contested: true, Benchmarks: 286,
						Correct: float64(286 - s), Solved: int64(286 - s)})
				}
			}
		}
	}
	return in
}

// TestManySolvers writes a site with 137,280 runs by 60 solvers. The goal is 3 s on two cores; the test measures CPU
// time.
func TestManySolvers(t *testing.T) {
	if os.Getenv("SMTPIPE_SCALE") != "1" {
		t.Skip("takes a while; set SMTPIPE_SCALE=1")
	}
	sink, err := openDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	in := many()
	start, before := time.Now(), cpuTime(t)
	if err := Write(context.Background(), sink, in); err != nil {
		t.Fatal(err)
	}
	took, cpu := time.Since(start), cpuTime(t)-before
	t.Logf("%v, %v of CPU time", took.Round(time.Millisecond), cpu.Round(time.Millisecond))
	if cpu > 2*3*time.Second {
		t.Errorf("%v of CPU time; the goal is 3 s on two cores", cpu)
	}
}
