package results

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"golang.org/x/sys/cpu"

	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/data/table"
)

// TestEncode compares tables with the output of the Parquet library: entire tables, some of their rows, and a subset of
// those rows.
func TestEncode(t *testing.T) {
	for _, n := range []int{0, 1, 64, 65, 70_001} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			rows := manyRows(n)
			whole := opened(t, rows)
			sameBytes(t, "all rows", rows, whole)
			for _, nth := range []int{2, n + 1} {
				keep := make([]bool, n)
				var some []BenchmarkRow
				for i := range keep {
					if keep[i] = i%nth == nth-1; keep[i] {
						some = append(some, rows[i])
					}
				}
				part, err := whole.Where(keep)
				if err != nil {
					t.Fatal(err)
				}
				sameBytes(t, fmt.Sprintf("every %d-th row", nth), some, part)
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
	whole, err := Open[Row](bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return whole
}

func sameBytes[Row any](t *testing.T, what string, rows []Row, whole *Table[Row]) {
	t.Helper()
	var written, got bytes.Buffer
	if err := Write(&written, rows); err != nil {
		t.Fatal(err)
	}
	for whole != nil {
		got.Reset()
		if err := whole.Write(&got); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(written.Bytes(), got.Bytes()) {
			t.Errorf("%s: the rows take %d bytes, the columns %d, and they differ", what, written.Len(), got.Len())
		}
		if whole.rows != nil {
			break
		}
		whole = encodedAgain(t, whole)
	}
	// Not byte-identical without AVX2; see appendCodes.
	if want := byLibrary(t, rows); cpu.X86.HasAVX2 && !bytes.Equal(want, written.Bytes()) {
		t.Errorf("%s: the library writes %d bytes, we write %d, and they differ", what, len(want), written.Len())
	}
}

// encodedAgain returns the table such that Write copies nothing.
func encodedAgain[Row any](tb testing.TB, whole *Table[Row]) *Table[Row] {
	tb.Helper()
	whole, err := whole.Where(slices.Repeat([]bool{true}, whole.Len()))
	if err != nil {
		tb.Fatal(err)
	}
	return whole
}

// TestWith compares tables in which a column was replaced, so that the others are copied, with tables of the same rows.
// A file with other row groups, or by another program, is written anew.
func TestWith(t *testing.T) {
	for _, n := range []int{0, 1, 70_001} {
		rows := manyRows(n)
		whole := opened(t, rows)
		logics, keep := make([]string, n), make([]bool, n)
		for i := range rows {
			rows[i].Logic = fmt.Sprint("L", i%7)
			logics[i], keep[i] = rows[i].Logic, i%2 == 0
		}
		replaced, err := whole.With("logic", table.StringsOf(logics))
		if err != nil {
			t.Fatal(err)
		}
		sameBytes(t, "a new column", rows, replaced)
		some, err := replaced.Where(keep)
		if err != nil {
			t.Fatal(err)
		}
		if some, err = some.With("family", table.Coded([]string{"F"}, make([]int32, some.Len()))); err != nil {
			t.Fatal(err)
		}
		var left []BenchmarkRow
		for i := 0; i < n; i += 2 {
			left = append(left, rows[i])
			left[len(left)-1].Family = "F"
		}
		sameBytes(t, "a new column of some rows", left, some)
		for name, b := range map[string][]byte{
			"other row groups": writtenBy(t, rows, func(i int, _ []string) bool { return i%1000 == 999 }),
			"another program": writtenBy(t, rows, func(int, []string) bool { return false },
				parquet.CreatedBy("other", "1", ""), parquet.Compression(&parquet.Uncompressed)),
		} {
			other, err := Open[BenchmarkRow](bytes.NewReader(b), int64(len(b)))
			if err != nil {
				t.Fatal(err)
			}
			if other, err = other.With("logic", table.StringsOf(logics)); err != nil {
				t.Fatal(err)
			}
			sameBytes(t, name, rows, other)
		}
	}
	whole := opened(t, manyRows(1))
	for name, column := range map[string]table.Column{"none": sameText("", 1), "logic": table.BoolsOf([]bool{true}),
		"family": sameText("", 2)} {
		if _, err := whole.With(name, column); err == nil {
			t.Errorf("column %q was replaced", name)
		}
	}
}

// byLibrary returns the table that the Parquet library writes for rows in primary key order.
func byLibrary[Row any](t *testing.T, rows []Row) []byte {
	t.Helper()
	var cutter Cutter
	return writtenBy(t, rows, func(_ int, key []string) bool { return cutter.Next(key...) })
}

// writtenBy returns the table that the Parquet library writes with more options. A row group begins where begins says.
func writtenBy[Row any](t *testing.T, rows []Row, begins func(i int, key []string) bool,
	more ...parquet.WriterOption) []byte {
	t.Helper()
	schema := SchemaOf[Row]()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[any](&b, append([]parquet.WriterOption{schema.Parquet(), parquet.Compression(codec),
		parquet.CreatedBy("smtpipe", "1", ""),
		parquet.KeyValueMetadata("smtpipe.schema", schema.Name), parquet.DataPageStatistics(false)}, more...)...)
	write := func(rows []Row) {
		stored := make([]any, len(rows))
		for i := range rows {
			row := reflect.New(schema.Parquet().GoType()).Elem()
			for f, c := range schema.Columns {
				row.Field(f).Set(c.Field(reflect.ValueOf(&rows[i]).Elem()))
			}
			stored[i] = row.Interface()
		}
		if _, err := w.Write(stored); err != nil {
			t.Fatal(err)
		}
	}
	begin := 0
	for i := range rows {
		var key []string
		for _, c := range schema.Columns {
			if c.Key && c.Kind == table.String {
				key = append(key, c.Field(reflect.ValueOf(&rows[i]).Elem()).String())
			}
		}
		if !begins(i, key) {
			continue
		}
		write(rows[begin:i])
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		begin = i
	}
	write(rows[begin:])
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestEncodeSchemas is like TestEncode for every schema without lists, using rows with ascending keys and values of
// every kind.
func TestEncodeSchemas(t *testing.T) {
	encodeRandom[BenchmarkRow](t, 300)
	encodeRandom[ChoiceRow](t, 300)
	encodeRandom[ExclusionRow](t, 300)
	encodeRandom[HistoryRow](t, 33_000) // enough for several pages of numbers
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
		switch v := c.Field(row); {
		case c.Key && c.Kind == table.String:
			v.SetString(fmt.Sprintf("%s%08d", strings.Repeat("same beginning ", i/7919%4), i))
		case c.Key:
			v.SetInt(int64(i))
		case c.Kind == table.String && f%3 == 0:
			v.SetString(strings.Repeat("\xff", rng.IntN(40)) + fmt.Sprint(rng.IntN(3)))
		case c.Kind == table.String && rng.IntN(4) > 0:
			v.SetString(fmt.Sprint(rng.Uint64N(1 << rng.UintN(40))))
		case c.Kind == table.Int:
			v.SetInt(rng.Int64() >> rng.IntN(64))
		case c.Kind == table.Float:
			v.SetFloat([]float64{0, rng.NormFloat64(), math.NaN(), math.Inf(1), -1}[rng.IntN(5)])
		case c.Kind == table.Bool:
			v.SetBool(rng.IntN(2) == 0)
		}
	}
}

// TestEncodeGroups writes more rows than a row group holds, and columns that the test creates.
func TestEncodeGroups(t *testing.T) {
	const n = 1<<20 + 100
	rows := make([]ChoiceRow, n)
	var paths table.Texts
	var logics table.Dictionary
	selected, reasons := make([]bool, n), make([]int32, n)
	words := []string{"never", "first", "then"}
	for i := range rows {
		reasons[i] = 1 + int32(i/(n/2+1))
		rows[i] = ChoiceRow{Benchmark: fmt.Sprintf("%09d", i), Logic: fmt.Sprint(i * 13 / n),
			Selected: i == n-1, Reason: words[reasons[i]]}
		paths.Append(rows[i].Benchmark)
		logics.Append(rows[i].Logic)
		selected[i] = rows[i].Selected
	}
	benchmarks, err := paths.Column()
	if err != nil {
		t.Fatal(err)
	}
	made, err := Assemble[ChoiceRow](n, benchmarks, logics.Column(), table.BoolsOf(selected),
		table.Coded(words, reasons))
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

func encoded[Row any](t *testing.T, whole *Table[Row]) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := whole.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestBuilder checks that rows in any order produce the same table as Write.
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
		sameBytes(t, fmt.Sprintf("%d rows", n), rows, made) // Write sorts the rows
		isNew := make([]bool, n)
		for i := range rows {
			rows[i].New, isNew[i] = i == 7, i == 7
		}
		if made, err = made.With("new", table.BoolsOf(isNew)); err != nil {
			t.Fatal(err)
		}
		sameBytes(t, "another column", rows, made)
	}
	// The key has several columns, so its texts repeat.
	var runs []HistoryRow
	h := NewBuilder[HistoryRow]()
	for i := range 3_000 {
		runs = append(runs, HistoryRow{Identity: run.Identity{Benchmark: fmt.Sprintf("b%d", i*7%1_000), Track: "cloud",
			Solver: []string{"z", "a b", "z2"}[i%3], Logic: "LIA"}, Year: int64(2000 + i*7%10), Answers: -1})
		h.Append(&runs[i])
	}
	made, err := h.Table()
	if err != nil {
		t.Fatal(err)
	}
	sameBytes(t, "runs", runs, made)
	var again []HistoryRow
	if err := made.Each(func(r *HistoryRow) { again = append(again, *r) }); err != nil || !slices.Equal(again, runs) {
		t.Errorf("%d rows of the table are not the %d that it was made of, %v", len(again), len(runs), err)
	}
	b := NewBuilder[BenchmarkRow]()
	for range 2 {
		b.Append(&BenchmarkRow{Path: "a"})
	}
	if _, err := b.Table(); err == nil || !strings.Contains(err.Error(), "two rows with the key path=a") {
		t.Errorf("a key that occurs twice: %v", err)
	}
}

// TestEncodeOrder checks that unordered rows and duplicate keys are rejected.
func TestEncodeOrder(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  string
	}{{[]string{"a", "a"}, "two rows with the key benchmark=a"}, {[]string{"b", "a"}, "out of order"},
		{[]string{"a", "b"}, ""}} {
		var paths table.Texts
		for _, name := range c.names {
			paths.Append(name)
		}
		path, err := paths.Column()
		if err != nil {
			t.Fatal(err)
		}
		n := len(c.names)
		whole, err := Assemble[ChoiceRow](n, path, sameText("LIA", n), table.BoolsOf(make([]bool, n)),
			sameText("", n))
		if err != nil {
			t.Fatal(err)
		}
		err = whole.Write(&bytes.Buffer{})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: got %v, want %q", c.names, err, c.want)
		}
	}
	if _, err := Assemble[ChoiceRow](1, sameText("a", 1), sameText("a", 1), sameText("a", 1),
		sameText("a", 1)); err == nil {
		t.Error("a table was made with a text as a truth value")
	}
}

func BenchmarkEncode(b *testing.B) {
	var stored bytes.Buffer
	if err := Write(&stored, manyRows(100_000)); err != nil {
		b.Fatal(err)
	}
	whole, err := Open[BenchmarkRow](bytes.NewReader(stored.Bytes()), int64(stored.Len()))
	if err != nil {
		b.Fatal(err)
	}
	whole = encodedAgain(b, whole)
	b.ReportAllocs()
	for b.Loop() {
		if err := whole.Write(&bytes.Buffer{}); err != nil {
			b.Fatal(err)
		}
	}
}

// sameText returns a column with n equal texts.
func sameText(text string, n int) table.Column { return table.Coded([]string{text}, make([]int32, n)) }

// TestNegativeZero checks that 0 and -0, which are equal, remain different: builders store equal values once, and
// readers and writers of rows skip cells that have the value of the previous row.
func TestNegativeZero(t *testing.T) {
	want := []float64{0, 0, math.Copysign(0, -1), math.Copysign(0, -1), 0}
	b := NewBuilder[HistoryRow]()
	var rows []HistoryRow
	for i, x := range want {
		rows = append(rows, HistoryRow{Identity: run.Identity{Benchmark: fmt.Sprint(i)},
			Usage: run.Usage{WallTimeS: run.Seconds(x)}})
		b.Append(&rows[i])
	}
	made, err := b.Table()
	if err != nil {
		t.Fatal(err)
	}
	sameBytes(t, "zeros", rows, made)
	var stored, exported bytes.Buffer
	if err := made.Write(&stored); err != nil {
		t.Fatal(err)
	}
	r := bytes.NewReader(stored.Bytes())
	read, err := Read[HistoryRow](r, r.Size())
	if err != nil {
		t.Fatal(err)
	}
	if err := Export(&exported, r, r.Size(), JSONLines); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(exported.String(), "\n")
	for i, x := range want {
		if got := float64(read[i].WallTimeS); math.Signbit(got) != math.Signbit(x) {
			t.Errorf("row %d has %g, want %g", i, got, x)
		}
		if text := fmt.Sprintf(`"wall_time_s":%g,`, x); !strings.Contains(lines[i], text) {
			t.Errorf("row %d is exported as %s without %s", i, lines[i], text)
		}
	}
}
