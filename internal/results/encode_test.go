package results

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// TestEncode holds the bytes of tables that are written by columns equal to those that the Parquet library writes row by row: whole
// tables, some of their rows, and some of these.
func TestEncode(t *testing.T) {
	for _, n := range []int{0, 1, 64, 65, 70_001} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			rows := manyRows(n)
			table := opened(t, rows)
			sameBytes(t, "all rows", rows, table)
			for _, nth := range []int{2, n + 1} {
				keep := make([]bool, n)
				var some []BenchmarkRow
				for i := range keep {
					if keep[i] = i%nth == nth-1; keep[i] {
						some = append(some, rows[i])
					}
				}
				part, err := table.Where(keep)
				if err != nil {
					t.Fatal(err)
				}
				sameBytes(t, fmt.Sprintf("every %d-th row", nth), some, part)
				checkColumns(t, part, some)
				half := make([]bool, len(some))
				var fewer []BenchmarkRow
				for i := range half {
					if half[i] = i%3 != 1; half[i] {
						fewer = append(fewer, some[i])
					}
				}
				if part, err = part.Where(half); err != nil {
					t.Fatal(err)
				}
				sameBytes(t, fmt.Sprintf("some of every %d-th row", nth), fewer, part)
			}
		})
	}
}

func opened[Row any](t *testing.T, rows []Row) *Table[Row] {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, rows); err != nil {
		t.Fatal(err)
	}
	table, err := Open[Row](bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func sameBytes[Row any](t *testing.T, what string, rows []Row, table *Table[Row]) {
	t.Helper()
	var want, got bytes.Buffer
	if err := Write(&want, rows); err != nil {
		t.Fatal(err)
	}
	if err := table.Write(&got); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want.Bytes(), got.Bytes()) {
		t.Errorf("%s: row by row it takes %d bytes, by columns %d, and they differ", what, want.Len(), got.Len())
	}
}

// TestEncodeSchemas does it for every schema without lists, with rows whose keys ascend and values of every sort.
func TestEncodeSchemas(t *testing.T) {
	encodeRandom[BenchmarkRow](t, 300)
	encodeRandom[ChoiceRow](t, 300)
	encodeRandom[ExclusionRow](t, 300)
	encodeRandom[HistoryRow](t, 33_000) // several pages of numbers
	encodeRandom[RecognitionRow](t, 300)
	encodeRandom[RunRow](t, 300)
	encodeRandom[ScoreRow](t, 300)
	encodeRandom[ScriptRow](t, 300)
	encodeRandom[SelectionRow](t, 300)
	encodeRandom[VerdictRow](t, 300)
}

func encodeRandom[Row any](t *testing.T, most int) {
	t.Helper()
	schema := SchemaOf[Row]()
	t.Run(schema.Name, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(7, 11))
		for _, n := range []int{1, 3, most} {
			rows := make([]Row, n)
			for i := range rows {
				randomRow(rng, schema, reflect.ValueOf(&rows[i]).Elem(), i)
			}
			sameBytes(t, fmt.Sprintf("%d rows", n), rows, opened(t, rows))
		}
	})
}

func randomRow(rng *rand.Rand, schema *Schema, row reflect.Value, i int) {
	for f, c := range schema.Columns {
		switch v := row.Field(f); {
		case c.Key && c.Kind == String:
			v.SetString(fmt.Sprintf("%s%08d", strings.Repeat("same beginning ", i/7919%4), i))
		case c.Key:
			v.SetInt(int64(i))
		case c.Kind == String && f%3 == 0:
			v.SetString(strings.Repeat("\xff", rng.IntN(40)) + fmt.Sprint(rng.IntN(3)))
		case c.Kind == String && rng.IntN(4) > 0:
			v.SetString(fmt.Sprint(rng.Uint64N(1 << rng.UintN(40))))
		case c.Kind == Int:
			v.SetInt(rng.Int64() >> rng.IntN(64))
		case c.Kind == Float:
			v.SetFloat([]float64{0, rng.NormFloat64(), math.NaN(), math.Inf(1), -1}[rng.IntN(5)])
		case c.Kind == Bool:
			v.SetBool(rng.IntN(2) == 0)
		}
	}
}

// TestEncodeGroups has more rows than a row group, and columns that were made here.
func TestEncodeGroups(t *testing.T) {
	const n = rowsPerGroup + 100
	rows := make([]ChoiceRow, n)
	var paths Texts
	var logics Words
	selected, reasons := make([]bool, n), make([]int32, n)
	words := []string{"never", "first", "then"}
	for i := range rows {
		reasons[i] = 1 + int32(i/(n/2+1))
		rows[i] = ChoiceRow{Benchmark: fmt.Sprintf("%09d", i), Logic: fmt.Sprint(i * 13 / n), Selected: i == n-1, Reason: words[reasons[i]]}
		paths.Append(rows[i].Benchmark)
		logics.Append(rows[i].Logic)
		selected[i] = rows[i].Selected
	}
	benchmarks, err := paths.Vector()
	if err != nil {
		t.Fatal(err)
	}
	made, err := Assemble[ChoiceRow](n, benchmarks, logics.Vector(), BoolsOf(selected), TextsOf(words, reasons))
	if err != nil {
		t.Fatal(err)
	}
	sameBytes(t, "a table that was made", rows, made)
	stored := opened(t, rows)
	sameBytes(t, "a table that was opened", rows, stored)
	read, err := Read[ChoiceRow](bytes.NewReader(encoded(t, stored)), int64(len(encoded(t, stored))))
	if err != nil || len(read) != n || read[n-1] != rows[n-1] {
		t.Errorf("%d of %d rows were read: %v", len(read), n, err)
	}
}

func encoded[Row any](t *testing.T, table *Table[Row]) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := table.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestEncodeAgain writes the key of a table a second time, as the key of another table, where it stands elsewhere in the file.
func TestEncodeAgain(t *testing.T) {
	rows := manyRows(9_000)
	table := opened(t, rows) // which sorts them
	var choices []ChoiceRow
	keep := make([]bool, len(rows))
	for i := range keep {
		if keep[i] = i%5 != 2; keep[i] {
			choices = append(choices, ChoiceRow{Benchmark: rows[i].Path, Logic: strings.Repeat("L", i%3)})
		}
	}
	kept, err := table.Where(keep)
	if err != nil {
		t.Fatal(err)
	}
	first := encoded(t, kept)
	path, err := kept.Vector("path")
	if err != nil {
		t.Fatal(err)
	}
	if path.memo == nil || path.memo.data == nil {
		t.Error("what was written of the key is not kept")
	}
	var logics Words
	for _, c := range choices {
		logics.Append(c.Logic)
	}
	n := len(choices)
	again, err := Assemble[ChoiceRow](n, path, logics.Vector(), BoolsOf(make([]bool, n)), SameText("", n))
	if err != nil {
		t.Fatal(err)
	}
	sameBytes(t, "the choices", choices, again)
	if !bytes.Equal(first, encoded(t, kept)) {
		t.Error("written again, the table is another one")
	}
}

// TestBuilder holds the table of rows that come in any order equal to the one that Write makes of them.
func TestBuilder(t *testing.T) {
	for _, n := range []int{0, 1, 2_000} {
		rows := manyRows(n)
		rand.New(rand.NewPCG(1, 2)).Shuffle(n, func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		b := NewBuilder[BenchmarkRow]()
		for i := range rows {
			b.Append(&rows[i])
		}
		made, err := b.Table()
		if err != nil {
			t.Fatal(err)
		}
		sameBytes(t, fmt.Sprintf("%d rows", n), rows, made) // Write sorts them
		isNew := make([]bool, n)
		for i := range rows {
			rows[i].New, isNew[i] = i == 7, i == 7
		}
		if made, err = made.With("new", BoolsOf(isNew)); err != nil {
			t.Fatal(err)
		}
		sameBytes(t, "another column", rows, made)
	}
	b := NewBuilder[BenchmarkRow]()
	for range 2 {
		b.Append(&BenchmarkRow{Path: "a"})
	}
	if _, err := b.Table(); err == nil || !strings.Contains(err.Error(), "two rows with the key path=a") {
		t.Errorf("a key that occurs twice: %v", err)
	}
}

// TestEncodeOrder holds that rows out of order, and keys that occur twice, are refused.
func TestEncodeOrder(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  string
	}{{[]string{"a", "a"}, "two rows with the key benchmark=a"}, {[]string{"b", "a"}, "comes too late"}, {[]string{"a", "b"}, ""}} {
		var paths Texts
		for _, name := range c.names {
			paths.Append(name)
		}
		path, err := paths.Vector()
		if err != nil {
			t.Fatal(err)
		}
		n := len(c.names)
		table, err := Assemble[ChoiceRow](n, path, SameText("LIA", n), BoolsOf(make([]bool, n)), SameText("", n))
		if err != nil {
			t.Fatal(err)
		}
		err = table.Write(&bytes.Buffer{})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: got %v, want %q", c.names, err, c.want)
		}
	}
	if _, err := Assemble[ChoiceRow](1, SameText("a", 1), SameText("a", 1), SameText("a", 1), SameText("a", 1)); err == nil {
		t.Error("a table was made with a text as a truth value")
	}
}

func BenchmarkEncode(b *testing.B) {
	var stored bytes.Buffer
	if err := Write(&stored, manyRows(100_000)); err != nil {
		b.Fatal(err)
	}
	table, err := Open[BenchmarkRow](bytes.NewReader(stored.Bytes()), int64(stored.Len()))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := table.Write(&bytes.Buffer{}); err != nil {
			b.Fatal(err)
		}
	}
}
