package intake_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/results/compressed"
	"github.com/smtpipe/smtpipe/internal/data/results/intake"
	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

const listJSON = `{
 "incremental": [
  {"file": {"incremental": true, "logic": "LIA", "family": ["20200101-A", "b c"], "name": "x.smt2"}, "check_sats": 7}
 ],
 "non_incremental": [
  {"status": "sat", "asserts": 3, "file": {"name": "q\"\u00e9\\.smt2", "family": ["f"], "logic": "QF_BV", "incremental": false}},
  {"file": {"incremental": false, "logic": "QF_BV", "family": [], "name": "top.smt2"}, "status": "unknown", "asserts": 0}
 ]
}
`

func readEntries(t *testing.T, r io.Reader) []results.BenchmarkRow {
	t.Helper()
	var entries []results.BenchmarkRow
	if err := intake.ReadBenchmarks(r, func(e *results.BenchmarkRow) error {
		entries = append(entries, *e)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return entries
}

func TestReadBenchmarks(t *testing.T) {
	want := []results.BenchmarkRow{
		{Path: "incremental/LIA/20200101-A/b c/x.smt2", Incremental: true, Logic: "LIA", Family: "20200101-A/b c",
			Name: "x.smt2", Status: "incremental", CheckSats: 7},
		{Path: `non-incremental/QF_BV/f/q"é\.smt2`, Logic: "QF_BV", Family: "f", Name: `q"é\.smt2`,
			Status: "sat", Asserts: 3, CheckSats: 1},
		{Path: "non-incremental/QF_BV/top.smt2", Logic: "QF_BV", Name: "top.smt2", Status: "unknown", CheckSats: 1},
	}
	for _, c := range []struct {
		name string
		r    io.Reader
	}{
		{"whole", strings.NewReader(listJSON)},
		{"byte by byte", iotest.OneByteReader(strings.NewReader(listJSON))},
		{"end with the last bytes", iotest.DataErrReader(strings.NewReader(listJSON))},
		{"without white space",
			strings.NewReader(strings.NewReplacer("\n", "", ": ", ":", ", ", ",").Replace(listJSON))},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(want, readEntries(t, c.r)); diff != "" {
				t.Errorf("entries (-want +got):\n%s", diff)
			}
		})
	}
}

// TestEntriesByteByByte checks that reading byte by byte returns the same values and errors.
func TestEntriesByteByByte(t *testing.T) {
	file := func(file string) string { return `{"file": ` + file + `, "status": "sat", "asserts": 3}` }
	for _, entry := range []string{
		file(`{"incremental": false, "logic": "LIA", "family": ["a", "b"], "name": "x"}`),
		file(`{"incremental": false, "logic": "LIA", "family": ["", "b"], "name": "x"}`),
		file(`{"incremental": false, "logic": "LIA", "family": ["a",], "name": "x"}`),
		file(`{"incremental": false, "logic": "LIA", "family": [ ], "name": "x\u0041\""}`),
		file(`{"incremental": false, "logic": "", "family": [], "name": "x"}`),
		file(`{"incremental": false, "logic": "LIA", "family": [], "name": ""}`),
		file(`{"incremental": true, "logic": "LIA", "family": [], "name": "x"}`),
		file(`{"incremental": falsey, "logic": "LIA", "family": [], "name": "x"}`),
		file(`{"logic": "LIA", "incremental": false, "family": [], "name": "x"}`),
		file(`{"incremental": false, "logic": "LIA", "family": [], "name": "x", "size": 1}`),
		file("{\"incremental\": false, \"logic\": \"LIA\", \"family\": [], \"name\": \"x\ny\"}"),
	} {
		for _, entry := range []string{
			entry,
			strings.Replace(entry, `"sat"`, `"maybe"`, 1),
			strings.Replace(entry, "3}", "null}", 1),
			strings.Replace(entry, "3}", "3.0}", 1),
			strings.Replace(entry, "3}", "-3}", 1),
			strings.Replace(entry, "3}", "12345678901234567}", 1),
			strings.Replace(entry, "3}", "3, \"asserts\": 4}", 1),
			strings.Replace(entry, `"status"`, `"check_sats"`, 1),
		} {
			list := `{"non_incremental": [` + entry + `, ` +
				file(`{"incremental": false, "logic": "LIA", "family": [], "name": "last"}`) + `]}`
			read := func(r io.Reader) string {
				var all []results.BenchmarkRow
				err := intake.ReadBenchmarks(r, func(e *results.BenchmarkRow) error {
					all = append(all, *e)
					return nil
				})
				return fmt.Sprintf("%+v %v", all, err)
			}
			if want, got := read(iotest.OneByteReader(strings.NewReader(listJSON))),
				read(strings.NewReader(listJSON)); got != want {
				t.Errorf("%s:\n got %s\nwant %s", list, got, want)
			}
		}
	}
}

func TestReadBenchmarksRefuses(t *testing.T) {
	const file = `{"incremental": false, "logic": "LIA", "family": ["f"], "name": "x"}`
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "the file ends too early"},
		{"other list", `{"proofs": []}`, `unknown field "proofs"`},
		{"unknown field", `{"non_incremental": [{"file": ` + file + `, "status": "sat", "asserts": 1, "size": 2}]}`,
			`entry 0 of non_incremental: byte 131: unknown field "size"`},
		{"missing field", `{"non_incremental": [{"file": ` + file + `, "status": "sat"}]}`,
			"needs file and status, asserts"},
		{"field twice",
			`{"non_incremental": [{"file": ` + file + `, "status": "sat", "status": "sat", "asserts": 1}]}`,
			`the field "status" occurs twice`},
		{"check_sats in the wrong list", `{"non_incremental": [{"file": ` + file + `, "check_sats": 1}]}`,
			"needs file and status, asserts"},
		{"wrong list", `{"incremental": [{"file": ` + file + `, "check_sats": 1}]}`, "contradicts the list"},
		{"status", `{"non_incremental": [{"file": ` + file + `, "status": "SAT", "asserts": 1}]}`,
			`unknown status "SAT"`},
		{"asserts word", `{"non_incremental": [{"file": ` + file + `, "status": "sat", "asserts": "1"}]}`,
			`got "1" where a whole number is expected`},
		{"asserts fraction", `{"non_incremental": [{"file": ` + file + `, "status": "sat", "asserts": 1.5}]}`,
			"whole number"},
		{"file number", `{"non_incremental": [{"file": 17, "status": "sat", "asserts": 1}]}`,
			"got number where an object is expected"},
		{"file field", `{"non_incremental": [{"file": {"id": 3}}]}`, `unknown field "id"`},
		{"file without name", `{"non_incremental": [{"file": {"incremental": false, "logic": "LIA", "family": []}}]}`,
			"a file needs"},
		{"open string", `{"non_incremental": [{"file": {"name": "x`, "the file ends too early"},
		{"string over lines", "{\"non_\nincremental\": []}", "expecting non-control character"},
		{"bad escape", `{"non_incremental": [{"file": {"name": "\q"`, "invalid escape sequence"},
		{"missing comma", `{"incremental": [] "non_incremental": []}`, "expecting ',' or '}'"},
		{"more behind", `{"incremental": []} {}`, "after the end"},
		{"cut off", `{"incremental": [`, "the file ends too early"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := intake.ReadBenchmarks(strings.NewReader(c.text), func(*results.BenchmarkRow) error { return nil })
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want ...%s...", err, c.want)
			}
		})
	}
}

func TestReadersStopAtAnError(t *testing.T) {
	stop := errors.New("enough")
	calls := 0
	err := intake.ReadBenchmarks(strings.NewReader(listJSON), func(*results.BenchmarkRow) error {
		calls++
		return stop
	})
	if !errors.Is(err, stop) || calls != 1 {
		t.Errorf("error of the callback: got %v after %d calls", err, calls)
	}
	if err := intake.ReadBenchmarks(iotest.ErrReader(stop), nil); !errors.Is(err, stop) {
		t.Errorf("error of the reader: got %v", err)
	}
}

const runsJSON = `{"results": [
 {"track": "UnsatCore", "solver": "Abacus", "file": {"incremental": false, "logic": "LIA", "family": ["f", "g"], "name": "x.smt2"},
  "result": "unsat", "cpu_time": 1.25, "wallclock_time": 0.5, "memory_usage": 787357696.0, "nb_answers": 4},
 {"nb_answers": null, "memory_usage": 1.5e3, "wallclock_time": 1201.5, "cpu_time": 0, "result": "Timeout",
  "file": {"incremental": true, "logic": "LIA", "family": [], "name": "y.smt2"}, "solver": "Zählwerk", "track": "Incremental"}
]}`

func TestReadResults(t *testing.T) {
	want := []results.HistoryRow{
		{Identity: run.Identity{Track: "unsat_core", Solver: "Abacus", Benchmark: "non-incremental/LIA/f/g/x.smt2",
			Logic: "LIA"}, Year: 2025, Result: "unsat", Answer: "unsat",
			Usage: run.Usage{CPUTimeS: 1.25, WallTimeS: 0.5, MemoryBytes: 787357696}, Answers: 4},
		{Identity: run.Identity{Track: "incremental", Solver: "Zählwerk", Benchmark: "incremental/LIA/y.smt2",
			Logic: "LIA"}, Year: 2025, Result: "Timeout", Usage: run.Usage{WallTimeS: 1201.5, MemoryBytes: 1500},
			Answers: -1},
	}
	var got []results.HistoryRow
	if err := intake.ReadResults(strings.NewReader(runsJSON), 2025, func(r *results.HistoryRow) error {
		got = append(got, *r)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
}

func TestReadResultsRefuses(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"unknown field", `"solver": "Abacus"`, `"solver": "Abacus", "host": "h"`,
			`run 0: byte 58: unknown field "host"`},
		{"unknown result", `"Timeout"`, `"TIMEOUT"`, `run 1: `},
		{"unknown track", `"UnsatCore"`, `"Main"`, `unknown track "Main"`},
		{"missing", `"cpu_time": 0, `, ``, "a run needs"},
		{"time is not a number", `1.25`, `NaN`, "byte 179: invalid character 'N'"},
		{"time is too large", `1.25`, `1e999`, "where a number is expected"},
		{"huge memory", `"memory_usage": 787357696.0`, `"memory_usage": 1e300`, "memory_usage is 1e+300"},
		{"other list", `"results"`, `"runs"`, `unknown field "runs"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := intake.ReadResults(strings.NewReader(strings.Replace(runsJSON, c.old, c.new, 1)), 2025,
				func(*results.HistoryRow) error { return nil })
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want ...%s...", err, c.want)
			}
		})
	}
}

func placeOf(e *results.BenchmarkRow) comp.Location {
	return comp.Location{Incremental: e.Incremental, Logic: comp.Logic(e.Logic), Family: comp.Family(e.Family),
		Name: e.Name}
}

// TestOfficialFilesOf2025 compares counts with the files' description.
func TestOfficialFilesOf2025(t *testing.T) {
	raw := testkit.Shared(t, "official-results", "raw")
	in, err := compressed.Open(filepath.Join(raw, "benchmarks-2025.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	incremental, other := 0, 0
	err = intake.ReadBenchmarks(in, func(e *results.BenchmarkRow) error {
		if loc, ok := comp.ParseLocation(e.Path); !ok || loc != placeOf(e) {
			return fmt.Errorf("%s is not the place %+v", e.Path, placeOf(e))
		}
		if e.Incremental {
			incremental++
		} else {
			other++
		}
		return nil
	})
	if err != nil || incremental != 44708 || other != 450474 {
		t.Errorf("got %d and %d benchmarks (%v), want 44708 and 450474", incremental, other, err)
	}
	for file, want := range map[string]int{"results-inc-2025.json.gz": 65327, "results-parallel-2025.json.gz": 951} {
		n := 0
		in, err := compressed.Open(filepath.Join(raw, file))
		if err != nil {
			t.Fatal(err)
		}
		err = intake.ReadResults(in, 2025, func(r *results.HistoryRow) error { n++; return nil })
		if err != nil || n != want {
			t.Errorf("%s: got %d runs (%v), want %d", file, n, err, want)
		}
		in.Close()
	}
}

func FuzzReadBenchmarks(f *testing.F) {
	f.Add([]byte(listJSON))
	f.Add([]byte(runsJSON))
	f.Fuzz(func(t *testing.T, data []byte) {
		check := func(path string, loc comp.Location) error {
			if loc.Path() != path && !strings.Contains(path, "//") && !strings.Contains(path, "/.") {
				t.Errorf("%q is not the path of %+v", path, loc)
			}
			return nil
		}
		one := intake.ReadBenchmarks(strings.NewReader(string(data)),
			func(e *results.BenchmarkRow) error { return check(e.Path, placeOf(e)) })
		two := intake.ReadBenchmarks(iotest.OneByteReader(strings.NewReader(string(data))),
			func(e *results.BenchmarkRow) error { return nil })
		if fmt.Sprint(one) != fmt.Sprint(two) {
			t.Errorf("read at once %v, byte by byte %v", one, two)
		}
		_ = intake.ReadResults(strings.NewReader(string(data)), 2025, func(r *results.HistoryRow) error {
			if math.IsNaN(float64(r.CPUTimeS)) {
				t.Error("CPU time is not a number")
			}
			return nil
		})
	})
}

func FuzzReadParsed(f *testing.F) {
	f.Add("file,answer,cputime_s,memory_B,walltime_s,solver,track,benchmark_yml\n1,0,1.5,9,2,A,1,1_QF_LIA__a.yml\n")
	f.Add("file,answer,cputime_s,memory_B,walltime_s,solver,track\n1,Timeout,1e9,9,-2,\"A\",SingleQuery\n")
	f.Fuzz(func(t *testing.T, text string) {
		rows, _ := intake.History(write(t, []byte(text)), intake.Source{Year: 2025, Mapping: mapping(t, list)})
		for _, r := range rows {
			if math.IsNaN(float64(r.CPUTimeS)) || math.IsInf(float64(r.WallTimeS), 0) || r.Benchmark == "" {
				t.Errorf("%+v", r)
			}
		}
	})
}

// BenchmarkReadBenchmarks reads the compressed list of 2025, which is in the page cache.
func BenchmarkReadBenchmarks(b *testing.B) {
	path := testkit.Shared(b, "official-results", "raw", "benchmarks-2025.json.gz")
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.SetBytes(info.Size())
	for b.Loop() {
		in, err := compressed.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		if err := intake.ReadBenchmarks(in, func(*results.BenchmarkRow) error { n++; return nil }); err != nil ||
			n != 495182 {
			b.Fatal(n, err)
		}
		in.Close()
	}
}
