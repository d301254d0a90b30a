package results

import (
	"bytes"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/data/run"
)

func TestTableRoundTrip(t *testing.T) {
	rows := []SolverRow{
		{Solver: "z", Track: "single_query", Logics: []string{"QF_BV", "LIA"}, Command: []string{"z", "-x y"},
			Seed: -1},
		{Solver: "a", Track: "single_query", Participation: 1, Competitive: true},
		{Solver: "a", Track: "single_query"},
	}
	var one, two bytes.Buffer
	if err := Write(&one, append([]SolverRow(nil), rows...)); err != nil {
		t.Fatal(err)
	}
	if err := Write(&two, []SolverRow{rows[1], rows[2], rows[0]}); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Error("the order of rows changes the bytes")
	}
	got, err := Read[SolverRow](bytes.NewReader(one.Bytes()), int64(one.Len()))
	if err != nil {
		t.Fatal(err)
	}
	want := []SolverRow{rows[2], rows[1], rows[0]} // sorted by solver, track and participation
	if diff := cmp.Diff(want, got,
		cmp.Comparer(func(a, b []string) bool {
			return strings.Join(a, "\x00") == strings.Join(b,
				"\x00")
		})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if _, err := Read[RunRow](bytes.NewReader(one.Bytes()), int64(one.Len())); err == nil ||
		!strings.Contains(err.Error(), `"solvers/1", want "runs/2"`) {
		t.Errorf("reading it as runs gives %v", err)
	}
}

func TestTableRefusesTwoRowsOfOneKey(t *testing.T) {
	err := Write(&bytes.Buffer{}, []ChoiceRow{{Benchmark: "x", Reason: "a"}, {Benchmark: "x", Reason: "b"}})
	if err == nil || !strings.Contains(err.Error(), "two rows with the key benchmark=x") {
		t.Errorf("error %v", err)
	}
}

func TestReadRefusesGarbage(t *testing.T) {
	for _, text := range []string{"", "PAR1", strings.Repeat("PAR1", 100)} {
		if _, err := Read[RunRow](strings.NewReader(text), int64(len(text))); err == nil {
			t.Errorf("%q was read as a table", text)
		}
	}
}

// TestCSVRoundTrip writes a row of every schema with every column set, reads it back, and requires the same bytes.
func TestCSVRoundTrip(t *testing.T) {
	for _, s := range Schemas() {
		t.Run(s.Name, func(t *testing.T) {
			row := reflect.New(s.row).Elem()
			for _, c := range s.Columns {
				switch f := c.Field(row); f.Kind() {
				case reflect.String:
					f.SetString("a \"b\",\nc")
				case reflect.Int64:
					f.SetInt(-7)
				case reflect.Float64:
					f.SetFloat(0.1)
				case reflect.Bool:
					f.SetBool(true)
				default:
					f.Set(reflect.ValueOf([]string{"x", "y"}))
				}
			}
			rows := s.sink()
			rows.add(row)
			var table, text, again bytes.Buffer
			if n, err := rows.write(&table); err != nil || n != 1 {
				t.Fatalf("%d rows, %v", n, err)
			}
			if err := Export(&text, bytes.NewReader(table.Bytes()), int64(table.Len()), CSV); err != nil {
				t.Fatal(err)
			}
			if n, err := FromCSV(&again, &text, s); err != nil || n != 1 {
				t.Fatalf("%d rows, %v", n, err)
			}
			if !bytes.Equal(table.Bytes(), again.Bytes()) {
				t.Error("CSV gives another table")
			}
		})
	}
}

func TestFromCSVRefuses(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "", "the first line must name the columns"},
		{"unknown column", "benchmark,nonsense\n", `no column "nonsense"`},
		{"column twice", "benchmark,benchmark\n", "occurs twice"},
		{"key missing", "logic\nQF_BV\n", `"benchmark" is missing`},
		{"not true or false", "benchmark,selected\nx,maybe\n",
			`line 2, column 3 (selected): "maybe" is neither true nor false`},
		{"fields missing", "benchmark,logic\nx\n", "line 2: the line has 1 fields, but the header names 2 columns"},
		{"row twice", "benchmark\nx\nx\n", "two rows with the key"},
	}
	refused := func(schema *Schema, text, want string) func(*testing.T) {
		return func(t *testing.T) {
			_, err := FromCSV(&bytes.Buffer{}, strings.NewReader(text), schema)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want one with %q", err, want)
			}
		}
	}
	for _, tt := range tests {
		t.Run(tt.name, refused(SchemaOf[ChoiceRow](), tt.text, tt.want))
	}
	for _, text := range []string{"NaN", "-Inf", "1e999"} {
		t.Run(text, refused(SchemaOf[ScoreRow](), "track,division,logic,view,solver,n\nt,d,l,v,s,"+text+"\n",
			strconv.Quote(text)))
	}
}

func FuzzFromCSV(f *testing.F) {
	f.Add("benchmark,logic,selected\nx,QF_BV,true\n")
	f.Fuzz(func(t *testing.T, text string) {
		var table bytes.Buffer
		n, err := FromCSV(&table, strings.NewReader(text), SchemaOf[ChoiceRow]())
		if err != nil {
			return
		}
		rows, err := Read[ChoiceRow](bytes.NewReader(table.Bytes()), int64(table.Len()))
		if err != nil || int64(len(rows)) != n {
			t.Errorf("%d rows were written, %d read: %v", n, len(rows), err)
		}
	})
}

func BenchmarkWriteRuns(b *testing.B) {
	rows := make([]RunRow, 100000)
	for i := range rows {
		rows[i] = RunRow{
			Identity: run.Identity{Benchmark: strings.Repeat("x", 40) + string(rune('a'+i%26)), Solver: "s"},
			Measured: run.Measured{Usage: run.Usage{WallTimeS: run.Seconds(i) / 7}}, Attempt: int64(i),
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := Write(&bytes.Buffer{}, rows); err != nil {
			b.Fatal(err)
		}
	}
}
