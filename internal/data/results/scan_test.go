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

// TestSelect selects none, one, some and all of the rows of a table of several row groups, and compares them with those
// that were written.
func TestSelect(t *testing.T) {
	var rows []VerdictRow
	for i := range 5 * groupLeast {
		rows = append(rows, VerdictRow{
			Identity: run.Identity{Track: "single_query", Benchmark: fmt.Sprintf("a/%07d.smt2", i),
				Solver: fmt.Sprint("s", i%3)},
			Measured: run.Measured{Usage: run.Usage{WallTimeS: run.Seconds(i) / 7}, Stdout: strings.Repeat("x", i%5)},
			Entrant:  run.Entrant{Competitive: i%2 == 0}, RunKey: fmt.Sprint(i),
		})
	}
	var file bytes.Buffer
	if err := Write(&file, slices.Clone(rows)); err != nil {
		t.Fatal(err)
	}
	r, size := bytes.NewReader(file.Bytes()), int64(file.Len())
	if g, err := OpenGroups[VerdictRow](r, size); err != nil || g.Len() < 3 {
		t.Fatalf("want at least three row groups: %v", err)
	}
	for name, choose := range map[string]func(benchmark, solver string) bool{
		"none":      func(_, _ string) bool { return false },
		"the first": func(benchmark, _ string) bool { return benchmark == "a/0000000.smt2" },
		"the last":  func(benchmark, _ string) bool { return benchmark == rows[len(rows)-1].Benchmark },
		"a solver":  func(_, solver string) bool { return solver == "s1" },
		"all":       func(_, _ string) bool { return true },
	} {
		var want []VerdictRow
		for _, row := range rows {
			if choose(row.Benchmark, row.Solver) {
				want = append(want, row)
			}
		}
		got, err := Select[VerdictRow](r, size, []string{"benchmark", "solver"},
			func(texts []string) bool { return choose(texts[0], texts[1]) })
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %d rows, want %d: %v", name, len(got), len(want), err)
		}
	}
	for _, name := range []string{"nothing", "cores"} {
		if _, err := Select[VerdictRow](r, size, []string{name}, func([]string) bool { return true }); err == nil {
			t.Errorf("the column %s is accepted", name)
		}
	}
}
