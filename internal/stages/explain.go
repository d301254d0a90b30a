package stages

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

// IsRun returns a function that reports whether a run is a solver's on a benchmark, of which the first folders may be
// omitted.
func IsRun(benchmark, solver string) func(track, ofBenchmark, ofSolver string) bool {
	return func(_, ofBenchmark, ofSolver string) bool {
		return ofSolver == solver && (ofBenchmark == benchmark || strings.HasSuffix(ofBenchmark, "/"+benchmark))
	}
}

// ExplainVerdict explains the run BENCHMARK@SOLVER from the first table of verdicts that contains it.
func ExplainVerdict(store *cache.Store, item string, tables ...cty.Value) ([]cache.Component, error) {
	benchmark, solver, ok := strings.Cut(item, "@")
	if !ok {
		return nil, errors.New("name a run as BENCHMARK@SOLVER")
	}
	for _, table := range tables {
		art, _ := ArtifactOf(table)
		rows, err := artifact.Select[results.VerdictRow](store, art, IsRun(benchmark, solver))
		if err != nil {
			return nil, err
		}
		if len(rows) > 0 {
			return verdictComponents(&rows[0]), nil
		}
	}
	return nil, fmt.Errorf("the stage has no run of %s on %s", solver, benchmark)
}

func verdictComponents(v *results.VerdictRow) []cache.Component {
	return []cache.Component{
		{Name: "benchmark", Value: v.Benchmark},
		{Name: "solver", Value: v.Solver},
		{Name: "team", Value: v.Team},
		{Name: "competitive", Value: strconv.FormatBool(v.Competitive)},
		{Name: "barred", Value: v.Barred},
		{Name: "status", Value: v.Status},
		{Name: "ending", Value: string(v.Ending)},
		{Name: "answer", Value: v.Answer},
		{Name: "verdict", Value: v.Verdict},
		{Name: "reason", Value: v.Reason},
		{Name: "validation", Value: v.Validation},
		{Name: "details", Value: strings.TrimSpace(v.Details)},
		{Name: "checks", Value: fmt.Sprintf("%d correct and %d wrong of %d", v.ChecksCorrect, v.ChecksWrong, v.Checks)},
		{Name: "core_size", Value: strconv.FormatInt(v.CoreSize, 10)},
		{Name: "votes", Value: fmt.Sprintf("%d unsat, %d sat", v.ValUnsat, v.ValSat)},
		{Name: "stdout", Value: v.Stdout + v.StdoutSHA256},
		{Name: "run_key", Value: v.RunKey},
	}
}
