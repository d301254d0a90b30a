package results

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/run"
)

// TestCheckBounds forges the bounds of a column with one value: smtpipe would read them, and other programs the values.
func TestCheckBounds(t *testing.T) {
	const is, claimed = "the-only-solver", "the-best-solver"
	var rows []RunRow
	for i := range 20_000 { // several row groups
		rows = append(rows, RunRow{Identity: run.Identity{Benchmark: fmt.Sprintf("QF_BV/f/%06d.smt2", i), Solver: is}})
	}
	var b bytes.Buffer
	if err := Write(&b, rows); err != nil {
		t.Fatal(err)
	}
	check := func() error { return CheckBounds(bytes.NewReader(b.Bytes()), int64(b.Len())) }
	if err := check(); err != nil {
		t.Fatalf("the bounds of a written table: %v", err)
	}
	end := b.Len() - 8
	footer := b.Bytes()[end-int(binary.LittleEndian.Uint32(b.Bytes()[end:])) : end]
	forged := bytes.ReplaceAll(footer, []byte(is), []byte(claimed))
	if bytes.Equal(footer, forged) {
		t.Fatal("the footer has no bounds of the solvers")
	}
	copy(footer, forged)
	read, err := Read[RunRow](bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil || read[0].Solver != claimed {
		t.Fatalf("the forged table has the solver %q, %v; the test needs one that is read from the bounds", read[0].Solver, err)
	}
	want := fmt.Sprintf("column solver has the value %q, but the bounds stored beside it say that all are %q", is, claimed)
	if err := check(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("forged bounds: %v, want %s", err, want)
	}
}
