package results

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/smtpipe/smtpipe/internal/testkit"
)

// manyRows returns enough rows for several pages, with texts with and without a dictionary, and empty texts.
func manyRows(n int) []BenchmarkRow {
	rows := make([]BenchmarkRow, n)
	for i := range rows {
		rows[i] = BenchmarkRow{
			Path: fmt.Sprintf("non-incremental/QF_BV/family %d/%07d.smt2", i%97, i), Logic: []string{"QF_BV",
				"LIA"}[i%2],
			Family: fmt.Sprintf("%d/é\n", i*7919%n), Name: fmt.Sprintf("%d", i), Incremental: i%3 == 0, New: i%7 == 0,
			Asserts: int64(i) - 5, CheckSats: 1 << 40, SHA256: fmt.Sprintf("%064x", i),
			Problem: []string{"", "unreadable"}[i/(n/2+1)],
		}
	}
	return rows
}

// TestFill checks that reading by column returns the same values as the Parquet library's reading by row.
func TestFill(t *testing.T) {
	for _, n := range []int{0, 1, 9, 60_000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			var table bytes.Buffer
			if err := Write(&table, manyRows(n)); err != nil {
				t.Fatal(err)
			}
			want, err := parquet.Read[BenchmarkRow](bytes.NewReader(table.Bytes()), int64(table.Len()))
			if err != nil {
				t.Fatal(err)
			}
			all, err := Read[BenchmarkRow](bytes.NewReader(table.Bytes()), int64(table.Len()))
			if diff := cmp.Diff(want, all); diff != "" || err != nil {
				t.Errorf("by row (-) and by column (+): %v\n%s", err, diff)
			}
			opened, err := Open[BenchmarkRow](bytes.NewReader(table.Bytes()), int64(table.Len()))
			if err != nil {
				t.Fatal(err)
			}
			checkColumns(t, opened, want)
			for _, nth := range []int{2, n + 1} {
				keep := make([]bool, n)
				var some []BenchmarkRow
				for i := range keep {
					if keep[i] = i%nth == nth-1; keep[i] {
						some = append(some, want[i])
					}
				}
				part, err := opened.Where(keep)
				if err != nil {
					t.Fatal(err)
				}
				checkColumns(t, part, some)
			}
		})
	}
}

// checkColumns compares single columns with the rows' fields.
func checkColumns(t *testing.T, all *Table[BenchmarkRow], rows []BenchmarkRow) {
	t.Helper()
	families, err1 := all.Strings("family")
	logics, err2 := all.Strings("logic")
	counts, err3 := all.Column("asserts")
	marks, err4 := all.Column("new")
	asserts, isNew := counts.Ints(), marks.Bools()
	if err := errors.Join(err1, err2, err3, err4); err != nil || len(families) != len(rows) ||
		len(asserts) != len(rows) {
		t.Fatalf("%d families, %d numbers of asserts of %d rows: %v", len(families), len(asserts), len(rows), err)
	}
	for i, r := range rows {
		if families[i] != r.Family || logics[i] != r.Logic || asserts[i] != r.Asserts || isNew[i] != r.New {
			t.Fatalf("row %d: %q %q %d %v, want %+v", i, families[i], logics[i], asserts[i], isNew[i], r)
		}
	}
	for _, name := range []string{"asserts", "colour"} {
		if _, err := all.Strings(name); err == nil {
			t.Errorf("%s was read as text", name)
		}
	}
	if _, err := all.Where(make([]bool, len(rows)+1)); err == nil {
		t.Error("rows were kept by another number of choices")
	}
}

// TestReadDamaged changes single bytes of a table, and truncates it at each of them. The result may be wrong, because
// blobs are checked against their digests earlier, but reading must not panic.
func TestReadDamaged(t *testing.T) {
	var table bytes.Buffer
	if err := Write(&table, manyRows(9)); err != nil {
		t.Fatal(err)
	}
	for _, i := range testkit.Sample(table.Len(), table.Len()/4) {
		damaged := bytes.Clone(table.Bytes())
		damaged[i] ^= 0x55
		_, _ = Read[BenchmarkRow](bytes.NewReader(damaged), int64(len(damaged)))
		if opened, err := Open[BenchmarkRow](bytes.NewReader(damaged), int64(len(damaged))); err == nil {
			_ = opened.Write(io.Discard)
		}
	}
	for _, n := range testkit.Sample(table.Len(), table.Len()/4) {
		if _, err := Read[BenchmarkRow](bytes.NewReader(table.Bytes()[:n]), int64(n)); err == nil {
			t.Errorf("a table cut after %d bytes was read", n)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	var table bytes.Buffer
	if err := Write(&table, manyRows(100_000)); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read[BenchmarkRow](bytes.NewReader(table.Bytes()), int64(table.Len())); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	rows := manyRows(100_000)
	b.ReportAllocs()
	for b.Loop() {
		if err := Write(&bytes.Buffer{}, rows); err != nil {
			b.Fatal(err)
		}
	}
}
