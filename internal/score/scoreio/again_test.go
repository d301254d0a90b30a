package scoreio

import (
	"bytes"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/results"
)

// TestContradictionsInVerdicts changes one verdict among many that say the same of their benchmarks and solvers again
// and again. What it says otherwise than earlier ones is an error that names the row, whichever way rows are read.
func TestContradictionsInVerdicts(t *testing.T) {
	const row = 4*100 + 2 // of four solvers; solver s2 on benchmark b200, whose run is the third
	for name, test := range map[string]struct {
		change func(*results.VerdictRow)
		want   string
	}{
		"nothing":       {func(*results.VerdictRow) {}, ""},
		"status":        {func(v *results.VerdictRow) { v.Status = "unsat" }, `has the status "unsat" here and "sat"`},
		"time limit":    {func(v *results.VerdictRow) { v.WallLimitS = 600 }, "column T is 600 here and 1200"},
		"cores":         {func(v *results.VerdictRow) { v.Cores = 8 }, "column m is 8 here and 4"},
		"assertions":    {func(v *results.VerdictRow) { v.Assertions = 3 }, "n_assertions 3 here and 0"},
		"team":          {func(v *results.VerdictRow) { v.Team = "others" }, `of team "others" here and of team "t1"`},
		"base solver":   {func(v *results.VerdictRow) { v.BaseSolver = "s0" }, `base solver "s0" here and ""`},
		"competitive":   {func(v *results.VerdictRow) { v.Competitive = false }, "competitive in one row"},
		"open source":   {func(v *results.VerdictRow) { v.OpenSource = true }, "open source in one row"},
		"entrant":       {func(v *results.VerdictRow) { v.NewEntrant = true }, "new entrant in one row"},
		"barred":        {func(v *results.VerdictRow) { v.Barred = "a portfolio" }, `barred for "a portfolio" here`},
		"negative time": {func(v *results.VerdictRow) { v.WallTimeS = -2 }, "column wall_s"},
		"core size":     {func(v *results.VerdictRow) { v.CoreSize = 2 }, "core_size is 2 and n_assertions is empty"},
		"last answer": {func(v *results.VerdictRow) { v.LastWallS = 1e6 },
			"the last answer cannot come after the end of the run"},
	} {
		t.Run(name, func(t *testing.T) {
			var verdicts []results.VerdictRow
			_, _, all := packedRuns()
			for _, v := range all {
				if v.Track == "single_query" {
					verdicts = append(verdicts, v)
				}
			}
			if v := verdicts[row]; v.Benchmark != "b200" || v.Solver != "s2" {
				t.Fatalf("row %d is of %s and %s", row, v.Benchmark, v.Solver)
			}
			test.change(&verdicts[row])
			var stored bytes.Buffer
			if err := results.Write(&stored, verdicts); err != nil {
				t.Fatal(err)
			}
			rs := ruleSet(t, "2026")
			runs, err := ReadVerdicts(DivideBy(rs.Divisions, nil, nil), bytes.NewReader(stored.Bytes()))
			switch {
			case test.want == "" && (err != nil || runs.Len() != len(verdicts)):
				t.Errorf("got %v", err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), "row 403: ") ||
				!strings.Contains(err.Error(), test.want)):
				t.Errorf("got %v, want %q of row 403", err, test.want)
			}
		})
	}
}
