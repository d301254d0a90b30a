package results

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// TestRowGroupsKeepTheirBytes adds twenty runs on one benchmark to a table and removes them again. All row groups but
// one must keep every byte, and equal rows must produce equal row groups.
func TestRowGroupsKeepTheirBytes(t *testing.T) {
	const fresh = "non-incremental/QF_BV/family/007777a.smt2"
	var rows []RunRow
	for i := range 15_000 {
		for s := range 20 {
			rows = append(rows, RunRow{
				Identity: run.Identity{Benchmark: fmt.Sprintf("non-incremental/QF_BV/family/%06d.smt2", i),
					Solver: fmt.Sprintf("solver %02d", s)},
				Measured: run.Measured{Stdout: "sat\n", Usage: run.Usage{WallTimeS: run.Seconds(i*20+s) / 8}},
			})
		}
	}
	all := groupsOf(t, rows)
	before := maps.Clone(all)
	if len(before) < 4 {
		t.Fatalf("%d rows are in %d row groups; the test needs some", len(rows), len(before))
	}
	more := slices.Clone(rows)
	for s := range 20 {
		more = append(more, RunRow{
			Identity: run.Identity{Benchmark: fresh, Solver: fmt.Sprintf("solver %02d", s)},
		})
	}
	after := groupsOf(t, more)
	for g := range after {
		delete(before, g)
	}
	if len(before) != 1 {
		t.Errorf("%d row groups changed, want the one that the new runs fall into", len(before))
	}
	again := groupsOf(t, slices.DeleteFunc(more, func(r RunRow) bool { return r.Benchmark == fresh }))
	for g := range all {
		if !again[g] {
			t.Error("the same rows give other row groups after some came and went")
		}
	}
}

// groupsOf writes rows and returns each row group's bytes.
func groupsOf(t *testing.T, rows []RunRow) map[string]bool {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, rows); err != nil {
		t.Fatal(err)
	}
	f, err := open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	groups := map[string]bool{}
	for _, g := range f.Metadata().RowGroups {
		groups[string(b.Bytes()[g.FileOffset:g.FileOffset+g.TotalCompressedSize])] = true
	}
	return groups
}

// TestWriteGroups writes a table from row groups, of which every second one is copied from another table, and compares
// its bytes with those of the same rows written together.
func TestWriteGroups(t *testing.T) {
	var rows, others []RunRow
	var starts []int
	var cut Cutter
	for i := range 150_000 {
		r := RunRow{
			Identity: run.Identity{Benchmark: fmt.Sprintf("b%06d", i), Solver: "s"},
			Measured: run.Measured{Stdout: fmt.Sprint(i), ExitCode: int64(i % 3),
				Ending: []comp.Ending{comp.Exited, comp.WallTimeout}[i%2],
				Usage:  run.Usage{WallTimeS: run.Seconds(i) / 8}},
		}
		if i == 0 || cut.Next(r.Benchmark, r.Solver) {
			starts = append(starts, i)
		}
		if i == 0 {
			cut.Next(r.Benchmark, r.Solver)
		}
		rows = append(rows, r)
		if i > 100 { // shifts all groups in the other table
			others = append(others, r)
		}
	}
	if len(starts) < 4 {
		t.Fatalf("there are %d row groups; the test needs some", len(starts))
	}
	var want, other, got bytes.Buffer
	for _, err := range []error{Write(&want, rows), Write(&other, others)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	groups, err := OpenGroups[RunRow](bytes.NewReader(other.Bytes()), int64(other.Len()))
	if err != nil {
		t.Fatal(err)
	}
	w, err := WriteGroups[RunRow](&got)
	if err != nil {
		t.Fatal(err)
	}
	for i, from := range starts {
		to := append(starts, len(rows))[i+1]
		if i%2 == 1 {
			err = w.Take(groups, i)
		} else {
			err = w.Rows(rows[from:to])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if n, err := w.End(); err != nil || n != int64(len(rows)) {
		t.Fatal(n, err)
	}
	if !bytes.Equal(want.Bytes(), got.Bytes()) {
		t.Errorf("a table of row groups that were taken over has other bytes than its rows: %d and %d bytes", got.Len(),
			want.Len())
	}
}

// TestCut compares where tables are cut with another program's results for the keys "0", "1" and so on.
func TestCut(t *testing.T) {
	c := &Cutter{}
	var cuts []int
	for i := range 200_000 {
		if c.Next(fmt.Sprint(i)) {
			cuts = append(cuts, i)
		}
		if c.Next(fmt.Sprint(i)) {
			t.Fatalf("a second row with the key %d begins a row group", i)
		}
	}
	if want := []int{30091, 58514, 93183, 109936, 142497, 174172}; !slices.Equal(cuts, want) {
		t.Errorf("row groups begin at %v, want %v", cuts, want)
	}
}

// TestOneValuePerGroup reads a column that has one value in each row group, but not in the whole table, and one that
// has the same value everywhere.
func TestOneValuePerGroup(t *testing.T) {
	var rows []UnfitRow
	c, group := &Cutter{}, 0
	for i := range 60_000 {
		name := fmt.Sprintf("%06d", i)
		if c.Next(name) {
			group++
		}
		rows = append(rows, UnfitRow{Benchmark: name, Logic: fmt.Sprint(group), Reason: "none"})
	}
	if group == 0 {
		t.Fatal("there is one row group; the test needs some")
	}
	var b bytes.Buffer
	if err := Write(&b, rows); err != nil {
		t.Fatal(err)
	}
	made, err := Open[UnfitRow](bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var read []UnfitRow
	if err := made.Each(func(r *UnfitRow) { read = append(read, *r) }); err != nil || !slices.Equal(read, rows) {
		t.Errorf("%d rows read, of %d, are not those that were written, %v", len(read), len(rows), err)
	}
	for name, constant := range map[string]bool{"logic": false, "reason": true} {
		if column, err := made.Column(name); err != nil || column.Constant() != constant {
			t.Errorf("column %s is constant: %t, %v", name, column.Constant(), err)
		}
	}
}
