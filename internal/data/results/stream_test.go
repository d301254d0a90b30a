package results

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/run"
)

// streamed writes rows one after another.
func streamed(rows []RunRow) ([]byte, error) {
	var b bytes.Buffer
	err := WriteSeq(&b, func(yield func(RunRow, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	})
	return b.Bytes(), err
}

// TestWriteSeq checks that rows written one after another produce the same bytes as a table written as a whole.
func TestWriteSeq(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 65, groupLeast, 8 * groupLeast} {
		rows := make([]RunRow, n)
		for i := range rows {
			rows[i] = RunRow{
				Identity: run.Identity{Benchmark: fmt.Sprintf("b%07d", i/3), Solver: fmt.Sprint("s", i%3),
					Logic: fmt.Sprint("QF_", i/1000)},
				Measured: run.Measured{Stdout: strings.Repeat("unsat\n", i%40),
					Usage: run.Usage{WallTimeS: run.Seconds(i) / 7}},
				RunKey: fmt.Sprintf("%064x", i*7919),
			}
		}
		got, err := streamed(rows)
		if err != nil {
			t.Fatalf("%d rows: %v", n, err)
		}
		var want bytes.Buffer
		if err := Write(&want, rows); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%d rows: %d bytes that are not those of a table written at once (%d)", n, len(got), want.Len())
		}
	}
	rows := []RunRow{{Identity: run.Identity{Benchmark: "a", Solver: "x"}}, {
		Identity: run.Identity{Benchmark: "b", Solver: "x"},
	}, {Identity: run.Identity{Benchmark: "b", Solver: "x"}}}
	if _, err := streamed(rows); err == nil || !strings.Contains(err.Error(), "two rows with the key") {
		t.Errorf("a key that comes twice gives %v", err)
	}
	slices.Reverse(rows[1:])
	rows[2].Benchmark = "0"
	if _, err := streamed(rows); err == nil || !strings.Contains(err.Error(), "out of order") {
		t.Errorf("a row that comes too late gives %v", err)
	}
}
