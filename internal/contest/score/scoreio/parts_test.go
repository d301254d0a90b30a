package scoreio

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// TestParts checks that a table read in parts gives the same scores as row by row, and that the parts give nothing if
// they contradict each other. Row groups of 16384 runs meet within a benchmark, which has three.
func TestParts(t *testing.T) {
	rs := ruleSet(t, "2022")
	const straddling = 16384 // first run of the second of two halves, and the second run on its benchmark
	for name, test := range map[string]struct {
		change func(rows []results.VerdictRow)
		want   string
	}{
		"nothing": {func([]results.VerdictRow) {}, ""},
		"a solver that is new in the second half": {func(rows []results.VerdictRow) {
			rows[straddling+4].Solver, rows[straddling+4].Team = "new", "new"
		}, ""},
		"two statuses": {func(rows []results.VerdictRow) { rows[straddling].Status = "unsat" }, "has the status"},
		"two teams":    {func(rows []results.VerdictRow) { rows[straddling+4].Team = "x" }, "has the team"},
		"two limits": {func(rows []results.VerdictRow) {
			for i := range rows[straddling+2:] {
				rows[straddling+2+i].Cores = 2
			}
		}, "one number of cores"},
		"two sizes": {func(rows []results.VerdictRow) {
			rows[straddling+100].Assertions = 7
		}, "has n_assertions 7 here"},
		"two spellings": {func(rows []results.VerdictRow) { rows[straddling+4].Solver = "s 1" }, "only in blanks"},
	} {
		t.Run(name, func(t *testing.T) {
			rows := manyVerdicts()
			test.change(rows)
			var stored bytes.Buffer
			if err := results.Write(&stored, rows); err != nil {
				t.Fatal(err)
			}
			want := ""
			if test.want == "" {
				want = scoresOf(t, rs, inParts(t, stored.Bytes(), 0))
			}
			for _, n := range []int{2, 3} {
				runs := inParts(t, stored.Bytes(), n)
				if test.want == "" {
					if diff := cmp.Diff(want, scoresOf(t, rs, runs)); diff != "" {
						t.Errorf("-whole +in %d parts\n%s", n, diff)
					}
				} else if n == 2 && runs != nil {
					t.Error("contradictory parts were joined")
				}
			}
			_, err := ReadVerdicts(nil, bytes.NewReader(stored.Bytes()))
			if text := fmt.Sprint(err); err == nil && test.want != "" || !strings.Contains(text, test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

// TestTwoTables checks that a run in two tables is found, in a row whose solver has an earlier run in the second one.
func TestTwoTables(t *testing.T) {
	rows := manyVerdicts()
	var tables []*bytes.Reader
	for _, part := range [][]results.VerdictRow{rows[4:5], rows[:6]} {
		var stored bytes.Buffer
		if err := results.Write(&stored, part); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, bytes.NewReader(stored.Bytes()))
	}
	_, err := ReadVerdicts(nil, tables...)
	if want := "verdicts row 5: solver s1 has a second run on benchmark b00001 "; err == nil ||
		!strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

// inParts reads verdicts in n parts, or whole if n is 0. It returns nil if the parts cannot be joined.
func inParts(t *testing.T, stored []byte, n int) *score.Runs {
	t.Helper()
	in, err := openParquet(bytes.NewReader(stored), int64(len(stored)), "verdicts")
	if err != nil {
		t.Fatal(err)
	}
	if n == 0 {
		var b score.Builder
		if _, err := addRuns(&b, in, nil, false); err != nil {
			t.Fatal(err)
		}
		return b.Runs()
	}
	if _, _, err := newRunReader(in); err != nil {
		t.Fatal(err)
	}
	parts := in.split(n)
	if len(parts) != n {
		t.Fatalf("%d parts, want %d", len(parts), n)
	}
	return readParts(parts, nil, false)
}

func scoresOf(t *testing.T, rs *score.RuleSet, runs *score.Runs) string {
	t.Helper()
	res, err := score.Compute(t.Context(), rs, runs, score.Readings{})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := ResultJSON(rs, res, nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(doc)
}

// manyVerdicts returns 45,000 verdicts of three solvers in two tracks, which are three row groups.
func manyVerdicts() (rows []results.VerdictRow) {
	for i := range 15000 {
		for s := range 3 {
			v := results.VerdictRow{Judged: run.Unjudged()}
			v.Track = "parallel"
			if i >= 1000 {
				v.Track = "single_query"
			}
			v.Logic = []string{"QF_BV", "QF_LIA", "QF_LRA"}[i%4%3]
			v.Division, v.Benchmark, v.Status = v.Logic, fmt.Sprintf("b%05d", i), []string{"sat", "unknown"}[i%2]
			v.Solver, v.Team, v.Competitive = fmt.Sprint("s", s), fmt.Sprint("t", s), true
			v.Answer = []string{"sat", "unsat", "timeout", "sat", "unknown"}[(i*3+s)%5]
			v.WallTimeS, v.CPUTimeS = run.Seconds(float64((i*37+s*911)%13000)/10), run.Seconds(float64(i%9000)/8)
			v.WallLimitS, v.Cores = 1200, 4
			rows = append(rows, v)
		}
	}
	return rows
}
