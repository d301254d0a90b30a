package intake_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ulikunitz/xz"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/results/intake"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

func write(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, text string) ([]intake.Benchmark, []string) {
	t.Helper()
	var list []intake.Benchmark
	columns, err := intake.Benchmarks(write(t, []byte(text)), func(b *intake.Benchmark) error {
		list = append(list, *b)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list, columns
}

// TestBenchmarksForms reads the same benchmark in every form, with the data that each form can express.
func TestBenchmarksForms(t *testing.T) {
	row := results.BenchmarkRow{Path: "non-incremental/LIA/fam/x.smt2", Logic: "LIA", Family: "fam", Name: "x.smt2",
		Status: "sat", Asserts: 3, CheckSats: 1}
	var table bytes.Buffer
	if err := results.Write(&table, []results.BenchmarkRow{row}); err != nil {
		t.Fatal(err)
	}
	var csv, lines bytes.Buffer
	for format, w := range map[results.Format]*bytes.Buffer{results.CSV: &csv, results.JSONLines: &lines} {
		if err := results.Export(w, bytes.NewReader(table.Bytes()), int64(table.Len()), format); err != nil {
			t.Fatal(err)
		}
	}
	const official = `{"file": {"incremental": false, "logic": "LIA", "family": ["fam"], "name": "x.smt2"}, "status": "sat", "asserts": 3}`
	for _, c := range []struct {
		name, text, named string
		facts             bool
	}{
		{"plain", "\n./LIA/fam/x.smt2\n", "./LIA/fam/x.smt2", false},
		{"organisers' JSON", "{\n \"incremental\": [], \"non_incremental\": [" + official + "]}", row.Path, true},
		{"organisers' JSON on one line", `{"non_incremental":[` + official + `]}`, row.Path, true},
		{"organisers' table", "benchmark,number of asserts,status,sqSatRes,sqUnsatRes\n./LIA/fam/x.smt2,3,sat,0,2\n",
			"./LIA/fam/x.smt2", true},
		{"own Parquet", table.String(), row.Path, true},
		{"own CSV", csv.String(), row.Path, true},
		{"own JSON lines", lines.String(), row.Path, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, columns := read(t, c.text)
			if len(list) != 1 {
				t.Fatalf("%d benchmarks", len(list))
			}
			b := list[0]
			if b.Named != c.named || b.Logic != "LIA" || b.Family != "fam" || b.Name != "x.smt2" ||
				b.Division != "LIA" || b.Incremental || b.KnownPrefix != -1 {
				t.Errorf("got %+v", b)
			}
			if slices.Contains(columns, "status") != c.facts || c.facts && (b.Status != "sat" || b.Asserts != 3) {
				t.Errorf("columns %v, status %q, %d asserts", columns, b.Status, b.Asserts)
			}
			if b.SaysUnsat != strings.Contains(c.text, "sqUnsatRes") || b.SaysSat {
				t.Errorf("says sat %v, unsat %v", b.SaysSat, b.SaysUnsat)
			}
		})
	}
}

func TestBenchmarksColumns(t *testing.T) {
	list, _ := read(t, "path,category,difficulty,solved,total,division,known_prefix,statuses,retired,new,says_sat\n"+
		"incremental/UF/a/b/x.smt2,crafted,4,,,UF+p,,\"sat*3,unsat,unknown,sat\",broken,true,yes\n"+
		"/data/non-incremental/qf_uf/y.smt2,check,,1,2,,5,,,,0\n")
	x, y := list[0], list[1]
	if !x.Incremental || x.Family != "a/b" || x.Difficulty != 4 || x.Division != "UF+p" || x.KnownPrefix != 4 ||
		x.Retired != "broken" || !x.New || !x.SaysSat {
		t.Errorf("first: %+v", x)
	}
	if y.Incremental || y.Logic != "QF_UF" || y.Family != "" || y.Difficulty != -1 || y.Solved != 1 || y.Total != 2 ||
		y.KnownPrefix != 5 || y.SaysSat {
		t.Errorf("second: %+v", y)
	}
}

func TestBenchmarksRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"unknown column", "path,colour\nLIA/x.smt2,red\n", `unknown column "colour"`},
		{"no path", "logic,status\nLIA,sat\n", "needs the column path"},
		{"no logic", "x/y.smt2\n", "line 1: \"x/y.smt2\" is not below a folder"},
		{"column twice", "path,path\na,b\n", "occurs twice"},
		{"number", "path,asserts\nLIA/x.smt2,many\n", `line 2, column asserts: "many" is not a whole number`},
		{"truth", "path,new\nLIA/x.smt2,maybe\n", `neither true nor false`},
		{"statuses", "path,statuses\nLIA/x.smt2,sat*x\n", `"x" is not a number of times`},
		{"too many statuses", "path,statuses\nLIA/x.smt2,\"sat*9223372036854775807,sat\"\n",
			`"9223372036854775807" is not a number of times`},
		{"two objects", `{"path": "LIA/x.smt2"} {"path": "LIA/y.smt2"}`, "line 1: the line continues after the end"},
		{"unknown field", `{"path": "LIA/x.smt2", "colour": 1}`, `line 1: unknown column "colour"`},
		{"object", `{"path": {}}`, "an object cannot be a value"},
		{"not JSON", "{\"path\": \n", "line 1"},
		{"XML", "<result/>", "not a list of benchmarks"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := intake.Benchmarks(write(t, []byte(c.text)), func(*intake.Benchmark) error { return nil })
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want ...%s...", err, c.want)
			}
		})
	}
}

// TestHistoryForms reads the same run in every form.
func TestHistoryForms(t *testing.T) {
	row := results.HistoryRow{
		Identity: run.Identity{Benchmark: "non-incremental/LIA/fam/x.smt2", Track: "single_query", Solver: "A",
			Logic: "LIA"},
		Usage: run.Usage{CPUTimeS: 1.5, WallTimeS: 0.5}, Year: 2023, Answer: "sat", Answers: -1,
	}
	var table, csv bytes.Buffer
	if err := results.Write(&table, []results.HistoryRow{row}); err != nil {
		t.Fatal(err)
	}
	if err := results.Export(&csv, bytes.NewReader(table.Bytes()), int64(table.Len()), results.CSV); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, text string }{
		{"organisers", `{"results": [{"track": "SingleQuery", "solver": "A", "file": {"incremental": false, "logic": "LIA", "family": ["fam"], "name": "x.smt2"},
			"result": "sat", "cpu_time": 1.5, "wallclock_time": 0.5, "memory_usage": 0}]}`},
		{"StarExec", "benchmark,solver,configuration,status,cpu time,wallclock time,memory " +
			"usage,result\nLIA/fam/x.smt2,A,d,complete,1.5,0.5,0,sat\n"},
		{"BenchExec", `<?xml version="1.0"?><result tool="A"><run name="non-incremental/LIA/fam/x.smt2"><column title="status" value="sat"/>
			<column title="cputime" value="1.5s"/><column title="walltime" value="0.5s"/></run></result>`},
		{"own Parquet", table.String()},
		{"own CSV", csv.String()},
		{"own JSON lines",
			`{"benchmark": "non-incremental/LIA/fam/x.smt2", "year": 2023, "track": "single_query", "solver": "A", "logic": "LIA", "answer": "sat", "cpu_time_s": 1.5, "wall_time_s": 0.5}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := write(t, []byte(c.text))
			rows, err := intake.History(path, intake.Source{Year: 2023, Track: comp.SingleQuery})
			if err != nil || len(rows) != 1 {
				t.Fatalf("%d rows, %v", len(rows), err)
			}
			rows[0].Result = ""
			if diff := cmp.Diff(row, rows[0]); diff != "" {
				t.Errorf("row (-want +got):\n%s", diff)
			}
			if !strings.HasPrefix(c.name, "own") {
				if _, err := intake.History(path, intake.Source{Track: comp.SingleQuery}); err == nil ||
					!strings.Contains(err.Error(), "year") {
					t.Errorf("without a year: %v", err)
				}
			}
			if rows, err := intake.History(path, intake.Source{Year: 2023, Track: comp.UnsatCore}); err != nil {
				t.Error(err)
			} else if c.name != "StarExec" && c.name != "BenchExec" && len(rows) != 0 {
				t.Errorf("%d rows of another track", len(rows))
			}
		})
	}
}

// TestHistoryRunDefinition reads solver and track from the run definition's name in the organisers' form.
func TestHistoryRunDefinition(t *testing.T) {
	path := write(t,
		[]byte(`<result tool="Abacus" name="Abacus 2,0,UnsatCore.QF_BV"><run name="QF_BV/fam/x.yml"><column title="status" value="false"/></run></result>`))
	rows, err := intake.History(path, intake.Source{Year: 2025})
	if err != nil || len(rows) != 1 || rows[0].Solver != "Abacus 2" || rows[0].Track != "unsat_core" ||
		rows[0].Answer != "unsat" || rows[0].Benchmark != "non-incremental/QF_BV/fam/x.smt2" {
		t.Errorf("%+v, %v", rows, err)
	}
	if rows, err := intake.History(path, intake.Source{Year: 2025, Track: comp.SingleQuery}); err != nil ||
		len(rows) != 0 {
		t.Errorf("%d rows of another track, %v", len(rows), err)
	}
}

func TestHistoryTellsRunsApart(t *testing.T) {
	rows, err := intake.History(write(t, []byte("benchmark,solver,status,cpu time,wallclock time,result\n"+
		"LIA/x.smt2,A,complete,1,1,sat\nLIA/x.smt2,A,complete,2,2,sat\nLIA/y.smt2,A,complete,3,3,sat\n")),
		intake.Source{Year: 2018, Track: comp.SingleQuery})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows {
		got = append(got, fmt.Sprintf("%s %s", r.Benchmark, r.Solver))
	}
	want := []string{"non-incremental/LIA/x.smt2 A", "non-incremental/LIA/x.smt2 A #2", "non-incremental/LIA/y.smt2 A"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("solvers (-want +got):\n%s", diff)
	}
}

func TestHistoryRefuses(t *testing.T) {
	source := intake.Source{Year: 2023, Track: comp.SingleQuery}
	for _, text := range []string{"a list of words\n", "benchmark,answer,colour\n",
		"<result><run name=\"x\"><column title=\"status\" value=\"sat\"/></run></result>"} {
		if _, err := intake.History(write(t, []byte(text)), source); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
	if _, err := intake.History(write(t, []byte("<result/>")), intake.Source{Year: 2023}); err == nil ||
		!strings.Contains(err.Error(), "name the track") {
		t.Errorf("without a track: %v", err)
	}
	if _, err := intake.History(write(t, []byte(`<result error="incomplete"/>`)), source); err == nil ||
		!strings.Contains(err.Error(), "did not finish") {
		t.Errorf("incomplete file: %v", err)
	}
	if rows, err := intake.History(write(t, nil), source); err != nil || len(rows) != 0 {
		t.Errorf("empty file: %v, %v", rows, err)
	}
}

// TestHistoryIsChecked checks that impossible values in a table of runs from an earlier competition are rejected. All
// of them must be reported together, with their rows.
func TestHistoryIsChecked(t *testing.T) {
	const header = "benchmark,year,track,solver,logic,status,answer,wall_time_s,cpu_time_s\n"
	for _, c := range []struct {
		name, rows string
		want       []string // expected problems; empty if the table is valid
	}{
		{"good", "QF_BV/a,2024,single_query,s,QF_BV,sat,sat,1,1\nQF_BV/a,2025,single_query,s " +
			"t,QF_BV,unsat,sat,1,-1\nQF_BV/a,2024,cloud,s t,QF_BV,unsat,sat,1,1\n", nil},
		{"blank", "QF_BV/a,2024,single_query, ,QF_BV,sat,sat,1,1\n,2024,single_query,s,\t,sat,sat,1,1\n", []string{
			`row 1: column solver is empty`, `row 2: column benchmark is empty`}},
		{"blank within a line of JSON",
			`{"benchmark":"QF_BV/a","year":2024,"track":"single_query","solver":"\t","logic":" ","wall_time_s":1}`,
			[]string{
				`row 1: column solver is blank: "\t"`, `row 1: column logic is blank: " "`}},
		{"no text", "QF_BV/a,2024,single_query,s\xff,QF_BV,sat,sat,1,1\n",
			[]string{`row 1: column solver has bytes that are not UTF-8: "s\xff"`}},
		{"names", "QF_BV/a,2024,single_query,s " +
			"t,QF_BV,sat,sat,1,1\nQF_BV/a,2024,single_query,st,QF_BV,sat,sat,1,1\nQF_BV/ a,2024,single_query,s " +
			"t,QF_BV,sat,sat,1,1\n", []string{
			`row 2: solver "st" differs from "s t" in an earlier row only in blanks`,
			`row 3: benchmark "QF_BV/ a" differs from "QF_BV/a"`}},
		{"status", "QF_BV/a,2024,single_query,s,QF_BV,sat,sat,1,1\nQF_BV/a,2024,single_query,t,QF_UF,unsat,sat,1,1\n",
			[]string{
				`row 2: benchmark QF_BV/a has the logic "QF_UF" here and "QF_BV" in an earlier row`,
				`row 2: benchmark QF_BV/a has the status "unsat" here and "sat"`}},
		{"times", "QF_BV/a,2024,single_query,s,QF_BV,sat,sat,-1,1\nQF_BV/b,2024,single_query,s,QF_BV,sat,sat,NaN,Inf\n",
			[]string{
				"row 1: column wall_time_s is -1", "row 2: column wall_time_s is NaN",
				"row 2: column cpu_time_s is +Inf"}},
	} {
		text := header + c.rows
		if strings.HasPrefix(c.rows, "{") {
			text = c.rows
		}
		_, err := intake.History(write(t, []byte(text)), intake.Source{})
		if len(c.want) == 0 && err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q is not in\n%v", c.name, want, err)
			}
		}
	}
}

// TestTextIsUTF8 checks that bytes that are not UTF-8 are also detected in JSON, where a decoder replaces them, and in
// lists of benchmarks.
func TestTextIsUTF8(t *testing.T) {
	rows := `{"benchmark":"QF_BV/a","year":2024,"track":"single_query","solver":"s` + "\xff" +
		`","logic":"QF_BV","wall_time_s":1}` + "\n"
	official := `{"results": [{"track": "SingleQuery", "solver": "s` + "\xff" +
		`", "file": {"incremental": false, "logic": "QF_BV", "family": ["f"], "name": "a.smt2"}, "result": "sat", "cpu_time": 1, "wallclock_time": 1, "memory_usage": 1}]}`
	for _, text := range []string{rows, official} {
		if _, err := intake.History(write(t, []byte(text)), intake.Source{Year: 2024}); err == nil ||
			!strings.Contains(err.Error(), "UTF-8") {
			t.Errorf("%s: %v", text, err)
		}
	}
	_, err := intake.Benchmarks(write(t, []byte("QF_BV/a\xff.smt2\n")), func(*intake.Benchmark) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "line 1: column path has bytes that are not UTF-8") {
		t.Error(err)
	}
}

// TestTableInTar reads a .tar.xz that contains only a StarExec table, the form in which some years keep the results.
func TestTableInTar(t *testing.T) {
	const table = "benchmark,solver,status,cpu time,wallclock time,result\nLIA/x.smt2,A,complete,1,1,sat\n"
	for _, c := range []struct {
		names []string
		want  string // expected text in the error; empty if there is none
	}{
		{[]string{"job/", "job/Job1_info.csv"}, ""},
		{[]string{"a.csv", "b.csv"}, "there are several files in the archive, a.csv and b.csv; unpack it and name one"},
		{[]string{"job/"}, "there is no file in the archive"},
	} {
		var packed bytes.Buffer
		z, err := xz.NewWriter(&packed)
		if err != nil {
			t.Fatal(err)
		}
		archive := tar.NewWriter(z)
		for _, name := range c.names {
			h := &tar.Header{Name: name, Mode: 0o755, Typeflag: tar.TypeDir}
			if !strings.HasSuffix(name, "/") {
				h.Typeflag, h.Size = tar.TypeReg, int64(len(table))
			}
			err := archive.WriteHeader(h)
			if h.Size > 0 && err == nil {
				_, err = archive.Write([]byte(table))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(archive.Close(), z.Close()); err != nil {
			t.Fatal(err)
		}
		rows, err := intake.History(write(t, packed.Bytes()), intake.Source{Year: 2018, Track: comp.SingleQuery})
		if c.want == "" && (err != nil || len(rows) != 1 || rows[0].Benchmark != "non-incremental/LIA/x.smt2") {
			t.Errorf("%v: %+v, %v", c.names, rows, err)
		}
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: %v, want %q", c.names, err, c.want)
		}
	}
}
