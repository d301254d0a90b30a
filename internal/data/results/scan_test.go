package results

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/smtpipe/smtpipe/internal/data/run"
)

// TestRows reads tables of several batches row by row, with and without repeated texts.
func TestRows(t *testing.T) {
	var rows []VerdictRow
	for i := range 2*batchRows + 17 {
		rows = append(rows, VerdictRow{
			Identity: run.Identity{Track: "single_query", Benchmark: fmt.Sprintf("a/%07d.smt2", i), Solver: "s"},
			Judged:   run.Judged{Verdict: []string{"correct", "", "wrong"}[i%3]},
			Measured: run.Measured{Usage: run.Usage{WallTimeS: run.Seconds(i) / 7, MemoryBytes: int64(i)}},
			Entrant:  run.Entrant{Competitive: i%3 == 0},
			Subject:  run.Subject{Division: strings.Repeat("d", i/batchRows)}, RunKey: fmt.Sprint(i),
		})
	}
	var file bytes.Buffer
	if err := Write(&file, slices.Clone(rows)); err != nil {
		t.Fatal(err)
	}
	all := Rows[VerdictRow](bytes.NewReader(file.Bytes()), int64(file.Len()))
	for range 2 { // the table can be read again
		var got []VerdictRow
		for r, err := range all {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, r)
		}
		if !slices.Equal(got, rows) {
			t.Fatal("the rows differ")
		}
	}
	for range all { // reading can stop early
		break
	}
	for _, damaged := range [][]byte{nil, file.Bytes()[:file.Len()/2], bytes.Replace(file.Bytes(), []byte("a/"),
		[]byte("\xff\xff"), -1)} {
		n := 0
		for _, err := range Rows[VerdictRow](bytes.NewReader(damaged), int64(len(damaged))) {
			if n++; err != nil {
				break
			}
		}
		if n == 0 || n > len(rows) {
			t.Errorf("%d rows of a damaged table", n)
		}
	}
	for _, err := range Rows[RunRow](bytes.NewReader(file.Bytes()), int64(file.Len())) {
		if err == nil || !strings.Contains(err.Error(), "verdicts/1") {
			t.Errorf("a table of verdicts was read as runs: %v", err)
		}
	}
}

// TestRowsWithLists compares rows that contain lists with those from the Parquet library, in several row groups,
// including missing and empty lists.
func TestRowsWithLists(t *testing.T) {
	var rows []SolverRow
	for i := range 3 * groupLeast {
		rows = append(rows, SolverRow{
			Solver: fmt.Sprintf("s%07d", i), Logics: strings.Fields(strings.Repeat("a b ", i%3)),
			Authors: []string{"", fmt.Sprint(i)}[:i%2], Seed: int64(i),
		})
	}
	var file bytes.Buffer
	if err := Write(&file, rows); err != nil {
		t.Fatal(err)
	}
	in := bytes.NewReader(file.Bytes())
	want, err := parquet.Read[SolverRow](in, in.Size())
	if err != nil {
		t.Fatal(err)
	}
	got, err := Read[SolverRow](in, in.Size())
	if diff := cmp.Diff(want[:10], got[:10]); diff != "" || err != nil || !reflect.DeepEqual(want, got) {
		t.Errorf("%v (-library +ours):\n%s", err, diff)
	}
	n := 0
	for r, err := range Rows[SolverRow](in, in.Size()) {
		if err != nil || !reflect.DeepEqual(r, want[n]) {
			t.Fatalf("row %d: %+v, want %+v; %v", n, r, want[n], err)
		}
		n++
	}
	if groups, _ := open(in, in.Size()); n != len(want) || len(groups.RowGroups()) < 2 {
		t.Errorf("%d rows of %d groups", n, len(groups.RowGroups()))
	}
}

func BenchmarkRows(b *testing.B) {
	var rows []VerdictRow
	for i := range 100_000 {
		rows = append(rows, VerdictRow{
			Identity: run.Identity{Track: "single_query", Benchmark: fmt.Sprintf("a/%07d.smt2", i), Solver: "s"},
		})
	}
	var file bytes.Buffer
	if err := Write(&file, rows); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		for _, err := range Rows[VerdictRow](bytes.NewReader(file.Bytes()), int64(file.Len())) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
