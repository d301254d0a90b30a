package ui

import (
	"bytes"
	"strings"
	"testing"
	"unicode"

	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/engine"
)

// TestInert prints texts that others choose: a reason for a failure, which may be a line of a solver's output, and the
// names of solvers. None of them may command the terminal.
func TestInert(t *testing.T) {
	const evil = "a\x1b]0;b\x07c\u009b2Jd\re"
	var out bytes.Buffer
	o := &lines{w: &out, told: told{}}
	o.Observe(engine.ItemsStarted{Addr: "stage.validate.main", Total: 1})
	o.Observe(engine.ItemFailed{Addr: "stage.validate.main", Item: "x", Cause: "crashed", Detail: evil})
	o.Observe(engine.StageFinished{Addr: "stage.validate.main"})
	rows := []results.ScoreRow{{Track: "single_query", Division: "D", View: "par", Solver: evil, Rank: 1, Winner: true,
		Competitive: true, Contested: true, Eligible: true, Benchmarks: 1, Correct: 1, Solved: 1}}
	var table bytes.Buffer
	if err := results.Write(&table, rows); err != nil {
		t.Fatal(err)
	}
	if err := WritePodium(&out, rows); err != nil {
		t.Fatal(err)
	}
	if err := WriteTable(&out, bytes.NewReader(table.Bytes()), int64(table.Len()), TableOptions{}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "2Jd"); n != 3 {
		t.Errorf("the text is printed %d times, want 3:\n%s", n, out.String())
	}
	if strings.ContainsFunc(out.String(), func(r rune) bool { return unicode.IsControl(r) && r != '\n' }) {
		t.Errorf("control characters are printed: %q", out.String())
	}
}
