package starexec_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/results/starexec"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

const job = `pair id,benchmark,benchmark id,solver,solver id,configuration,configuration id,status,cpu time,wallclock time,memory usage,result,expected,reduction,wrong-answers
7,Other Divisions/QF_BV/fam/x.smt2,11,Abacus,3,default,4,complete,1.5,0.75,2048.0,unsat,unsat,12,0
8,QF_BV/fam/y.smt2,12,Abacus,3,default,4,timeout (wallclock),9600.1,2400.0,1.0,starexec-unknown,starexec-unknown,-,0
`

func readAll(t *testing.T, text string) (starexec.Header, []starexec.Run) {
	t.Helper()
	var runs []starexec.Run
	header, err := starexec.Read(strings.NewReader(text), func(r starexec.Run) error {
		runs = append(runs, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return header, runs
}

func TestRead(t *testing.T) {
	header, runs := readAll(t, job)
	want := []starexec.Run{
		{Benchmark: "Other Divisions/QF_BV/fam/x.smt2", Solver: "Abacus", SolverID: "3", Configuration: "default",
			Status: "complete",
			Usage:  run.Usage{CPUTimeS: 1.5, WallTimeS: 0.75, MemoryBytes: 2097152}, Result: "unsat", Expected: "unsat",
			Attributes: []string{"12", "0"}},
		{Benchmark: "QF_BV/fam/y.smt2", Solver: "Abacus", SolverID: "3", Configuration: "default",
			Status: "timeout (wallclock)",
			Usage:  run.Usage{CPUTimeS: 9600.1, WallTimeS: 2400, MemoryBytes: 1024}, Result: "starexec-unknown",
			Expected: "starexec-unknown", Attributes: []string{"-", "0"}},
	}
	if diff := cmp.Diff(want, runs); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	if i := slices.Index(header.Attributes, "reduction"); i < 0 || runs[0].Attributes[i] != "12" {
		t.Errorf("reduction: column %d of %q", i, header.Attributes)
	}
	if runs[1].Answer() != comp.AnswerUnknown {
		t.Errorf("endings: %+v", runs)
	}
}

// TestReadCloud has the form of the cloud track of 2022: lines end as in Windows, values begin with a blank, ids and
// memory are absent, and a column is StarExec's not at all.
func TestReadCloud(t *testing.T) {
	header, runs := readAll(t, "benchmark,millisecond,result,cpu time,wallclock time,solver,solver id,configuration "+
		"id,expected,status\r\n"+
		"non-incremental/UF/x-1.smt2,176932, sat,176.932,176.932,Abacus,3,4,unknown,complete\r\n"+
		"non-incremental/UF/x-2.smt2,1200000, timeout,1200.0,1200.0,Abacus,3,4,unknown,complete\r\n")
	if len(runs) != 2 || runs[0].Answer() != comp.AnswerSat || runs[1].Answer() != comp.AnswerNone ||
		runs[0].MemoryBytes != -1 {
		t.Fatalf("runs %+v", runs)
	}
	if i := slices.Index(header.Attributes, "millisecond"); i < 0 || runs[0].Attributes[i] != "176932" {
		t.Errorf("millisecond: column %d of %q", i, header.Attributes)
	}
	row, err := runs[1].Row(2022, comp.Cloud)
	if err != nil || row.Benchmark != "non-incremental/UF/x-2.smt2" || row.Status != "" || row.WallTimeS != 1200 {
		t.Errorf("row %+v, %v", row, err)
	}
}

func TestRow(t *testing.T) {
	_, runs := readAll(t, job)
	got, err := runs[0].Row(2018, comp.SingleQuery)
	if err != nil {
		t.Fatal(err)
	}
	want := results.HistoryRow{
		Identity: run.Identity{Benchmark: "non-incremental/QF_BV/fam/x.smt2", Track: "single_query",
			Solver: "Abacus", Logic: "QF_BV"},
		Usage: run.Usage{CPUTimeS: 1.5, WallTimeS: 0.75, MemoryBytes: 2097152}, Year: 2018, Status: "unsat",
		Answer: "unsat", Result: "complete", Answers: -1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("row (-want +got):\n%s", diff)
	}
	runs[0].Benchmark = "x.smt2"
	if _, err := runs[0].Row(2018, comp.SingleQuery); err == nil {
		t.Error("a benchmark without logic was accepted")
	}
}

// TestOldHeaders has the table without ids, memory and expected result.
func TestOldHeaders(t *testing.T) {
	header, runs := readAll(t, "benchmark,solver,configuration,status,cpu time,wallclock "+
		"time,result\nLIA/f/x.smt2,A,d,memout,3,2,--\n")
	if len(header.Attributes) != 0 || len(runs) != 1 || runs[0].MemoryBytes != -1 ||
		runs[0].Answer() != comp.AnswerNone || runs[0].SolverID != "" {
		t.Errorf("got %+v, %+v", header, runs)
	}
}

// TestWithoutHeader has the form of the table of 2014.
func TestWithoutHeader(t *testing.T) {
	_, runs := readAll(t, "20,ALIA/f/x.smt2,83,CVC4 f7,12,default,17,complete,0.5,0.25,unsat,unsat\n"+
		"21,LIA/y.smt2,84,CVC4 f7,12,default,17,timeout (cpu),2400.1,2401,starexec-unknown,sat\n")
	want := []starexec.Run{
		{Benchmark: "ALIA/f/x.smt2", Solver: "CVC4 f7", SolverID: "12", Configuration: "default", Status: "complete",
			Usage: run.Usage{CPUTimeS: 0.5, WallTimeS: 0.25, MemoryBytes: -1}, Result: "unsat", Expected: "unsat"},
		{Benchmark: "LIA/y.smt2", Solver: "CVC4 f7", SolverID: "12", Configuration: "default", Status: "timeout (cpu)",
			Usage: run.Usage{CPUTimeS: 2400.1, WallTimeS: 2401, MemoryBytes: -1}, Result: "starexec-unknown",
			Expected: "sat"},
	}
	if diff := cmp.Diff(want, runs); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for _, text := range []string{"20,ALIA/f/x.smt2,83\n", "a,b,c,d,e,f,g,h,i,j,k,l\n"} {
		if _, err := starexec.Read(strings.NewReader(text), func(starexec.Run) error { return nil }); err == nil {
			t.Errorf("%q was read as a table", text)
		}
	}
}

// TestWordsForTimes has the form of the tables of the cloud and parallel tracks of 2021, and judges runs like the
// organisers' mapResults.py.
func TestWordsForTimes(t *testing.T) {
	_, runs := readAll(t, "benchmark,solver,wallclock time,result\n"+
		"cloud_new/non-incremental/LRA/smt-comp-044.smt2,par,1.592,UNSATISFIABLE\n"+
		"cloud_new/non-incremental/LRA/smt-comp-044.smt2,vampire,TIMEOUT,\n"+
		"cloud_new/non-incremental/LRA/smt-comp-044.smt2,gg,CRASHED,\n"+
		"cloud_new/non-incremental/LRA/smt-comp-045.smt2,gg,PARSE_ERROR,UNSATISFIABLE\n")
	var got []results.HistoryRow
	for _, r := range runs {
		row, err := r.Row(2021, comp.Cloud)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, row)
	}
	row := func(name, solver, answer, result string, wall run.Seconds) results.HistoryRow {
		return results.HistoryRow{
			Identity: run.Identity{Benchmark: "non-incremental/LRA/" + name, Track: "cloud", Solver: solver,
				Logic: "LRA"},
			Usage: run.Usage{CPUTimeS: -1, WallTimeS: wall}, Year: 2021, Answer: answer, Result: result,
			Answers: -1,
		}
	}
	want := []results.HistoryRow{
		row("smt-comp-044.smt2", "par", "unsat", "unsat", 1.592),
		row("smt-comp-044.smt2", "vampire", "", "timeout (wallclock)", 0),
		row("smt-comp-044.smt2", "gg", "", "crashed", 0),
		row("smt-comp-045.smt2", "gg", "", "parse error", 0),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	bad := "benchmark,solver,wallclock time,result\nLRA/x.smt2,par,SOON,\n"
	if _, err := starexec.Read(strings.NewReader(bad), func(starexec.Run) error { return nil }); err == nil {
		t.Error("SOON was read as a time")
	}
}

// TestCPUTimeNotMeasured: the tables of the cloud and parallel tracks of 2021 have a CPU time of -1; the run counts all
// the same.
func TestCPUTimeNotMeasured(t *testing.T) {
	for _, none := range []string{"-1", "-1.0", "-", ""} {
		_, runs := readAll(t, strings.Replace(job, ",1.5,", ","+none+",", 1))
		if len(runs) != 2 || runs[0].CPUTimeS != -1 || runs[0].WallTimeS != 0.75 {
			t.Errorf("%q: got %+v", none, runs)
		}
		row, err := runs[0].Row(2021, comp.Cloud)
		if err != nil || row.CPUTimeS != -1 || row.Answer != "unsat" {
			t.Errorf("%q: got %+v, %v", none, row, err)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "EOF"},
		{"no result", strings.Replace(job, ",result,", ",outcome,", 1), `no column "result"`},
		{"column twice", strings.Replace(job, "reduction", "status", 1), `two columns "status"`},
		{"time", strings.Replace(job, ",1.5,", ",fast,", 1), `line 2: cpu time is "fast"`},
		{"negative CPU time", strings.Replace(job, ",1.5,", ",-2,", 1), `cpu time is "-2"`},
		{"negative time", strings.Replace(job, ",0.75,", ",-1,", 1), `wallclock time is "-1"`},
		{"memory", strings.Replace(job, "2048.0", "NaN", 1), `memory usage is "NaN"`},
		{"short line", strings.Replace(job, ",12,0\n", "\n", 1), "wrong number of fields"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := starexec.Read(strings.NewReader(c.text), func(starexec.Run) error { return nil })
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want ...%s...", err, c.want)
			}
		})
	}
	stop := errors.New("enough")
	if _, err := starexec.Read(strings.NewReader(job), func(starexec.Run) error { return stop }); !errors.Is(err,
		stop) {
		t.Errorf("error of the callback: got %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(job)
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = starexec.Read(strings.NewReader(text), func(r starexec.Run) error {
			if r.WallTimeS < 0 || r.CPUTimeS < -1 || r.MemoryBytes < -1 {
				t.Errorf("%+v", r)
			}
			if row, err := r.Row(2020, comp.SingleQuery); err == nil && (row.Benchmark == "" || row.Logic == "") {
				t.Errorf("%+v is the row %+v", r, row)
			}
			return nil
		})
	})
}
