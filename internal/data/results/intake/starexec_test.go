package intake_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/results/intake"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

const job = `pair id,benchmark,benchmark id,solver,solver id,configuration,configuration id,status,cpu time,wallclock time,memory usage,result,expected,reduction,wrong-answers
7,Other Divisions/QF_BV/fam/x.smt2,11,Abacus,3,default,4,complete,1.5,0.75,2048.0,unsat,unsat,12,0
8,QF_BV/fam/y.smt2,12,Abacus,3,default,4,timeout (wallclock),9600.1,2400.0,1.0,starexec-unknown,starexec-unknown,-,0
`

func readJob(t *testing.T, text string, year int, track comp.Track) (rows []results.HistoryRow) {
	t.Helper()
	if err := intake.ReadStarExec(strings.NewReader(text), intake.Source{Year: year, Track: track},
		func(r *results.HistoryRow) error {
			rows = append(rows, *r)
			return nil
		}); err != nil {
		t.Fatal(err)
	}
	return rows
}

// jobRow returns a row as in 2018.
func jobRow(benchmark, solver, status, answer, result string, wall, cpu run.Seconds, memory int64) results.HistoryRow {
	logic, _, _ := strings.Cut(benchmark, "/")
	return results.HistoryRow{
		Identity: run.Identity{Benchmark: "non-incremental/" + benchmark, Track: "single_query", Solver: solver,
			Logic: logic},
		Usage: run.Usage{WallTimeS: wall, CPUTimeS: cpu, MemoryBytes: memory}, Year: 2018, Status: status,
		Answer: answer, Result: result, Answers: -1,
	}
}

func TestReadStarExec(t *testing.T) {
	want := []results.HistoryRow{
		jobRow("QF_BV/fam/x.smt2", "Abacus", "unsat", "unsat", "complete", 0.75, 1.5, 2097152),
		jobRow("QF_BV/fam/y.smt2", "Abacus", "", "unknown", "timeout (wallclock)", 2400, 9600.1, 1024),
	}
	if diff := cmp.Diff(want, readJob(t, job, 2018, comp.SingleQuery)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	for _, row := range readJob(t, job, 2018, comp.Incremental) {
		if !strings.HasPrefix(row.Benchmark, "incremental/QF_BV/fam/") {
			t.Errorf("incremental: %+v", row)
		}
	}
}

// TestReadCloud reads a table in the form of the 2022 cloud track: lines end as on Windows, values begin with a space,
// IDs and memory are absent, and one column does not come from StarExec.
func TestReadCloud(t *testing.T) {
	rows := readJob(t, "benchmark,millisecond,result,cpu time,wallclock time,solver,solver id,configuration "+
		"id,expected,status\r\n"+
		"non-incremental/UF/x-1.smt2,176932, sat,176.932,176.932,Abacus,3,4,unknown,complete\r\n"+
		"non-incremental/UF/x-2.smt2,1200000, timeout,1200.0,1200.0,Abacus,3,4,unknown,complete\r\n", 2018,
		comp.SingleQuery)
	want := []results.HistoryRow{
		jobRow("UF/x-1.smt2", "Abacus", "", "sat", "complete", 176.932, 176.932, 0),
		jobRow("UF/x-2.smt2", "Abacus", "", "", "complete", 1200, 1200, 0),
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestOldHeaders reads a table without IDs, memory and expected result.
func TestOldHeaders(t *testing.T) {
	rows := readJob(t, "benchmark,solver,configuration,status,cpu time,wallclock "+
		"time,result\nLIA/f/x.smt2,A,d,memout,3,2,--\n", 2018, comp.SingleQuery)
	want := []results.HistoryRow{jobRow("LIA/f/x.smt2", "A", "", "", "memout", 2, 3, 0)}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestWithoutHeader reads a table in the form of 2014.
func TestWithoutHeader(t *testing.T) {
	rows := readJob(t, "20,ALIA/f/x.smt2,83,CVC4 f7,12,default,17,complete,0.5,0.25,unsat,unsat\n"+
		"21,LIA/y.smt2,84,CVC4 f7,12,default,17,timeout (cpu),2400.1,2401,starexec-unknown,sat\n", 2018,
		comp.SingleQuery)
	want := []results.HistoryRow{
		jobRow("ALIA/f/x.smt2", "CVC4 f7", "unsat", "unsat", "complete", 0.25, 0.5, 0),
		jobRow("LIA/y.smt2", "CVC4 f7", "sat", "unknown", "timeout (cpu)", 2401, 2400.1, 0),
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for _, text := range []string{"20,ALIA/f/x.smt2,83\n", "a,b,c,d,e,f,g,h,i,j,k,l\n"} {
		if err := intake.ReadStarExec(strings.NewReader(text), intake.Source{}, keepNone); err == nil {
			t.Errorf("%q was read as a table", text)
		}
	}
}

func keepNone(*results.HistoryRow) error { return nil }

// TestWordsForTimes reads tables in the form of the 2021 cloud and parallel tracks, and judges runs like the
// organisers' mapResults.py.
func TestWordsForTimes(t *testing.T) {
	got := readJob(t, "benchmark,solver,wallclock time,result\n"+
		"cloud_new/non-incremental/LRA/smt-comp-044.smt2,par,1.592,UNSATISFIABLE\n"+
		"cloud_new/non-incremental/LRA/smt-comp-044.smt2,vampire,TIMEOUT,\n"+
		"cloud_new/non-incremental/LRA/smt-comp-044.smt2,gg,CRASHED,\n"+
		"cloud_new/non-incremental/LRA/smt-comp-045.smt2,gg,PARSE_ERROR,UNSATISFIABLE\n", 2021, comp.Cloud)
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
	if err := intake.ReadStarExec(strings.NewReader(bad), intake.Source{}, keepNone); err == nil {
		t.Error("SOON was read as a time")
	}
}

// TestCPUTimeNotMeasured checks that a run with a CPU time of -1, as in the tables of the 2021 cloud and parallel
// tracks, counts nevertheless.
func TestCPUTimeNotMeasured(t *testing.T) {
	for _, none := range []string{"-1", "-1.0", "-", ""} {
		rows := readJob(t, strings.Replace(job, ",1.5,", ","+none+",", 1), 2021, comp.Cloud)
		if len(rows) != 2 || rows[0].CPUTimeS != -1 || rows[0].WallTimeS != 0.75 || rows[0].Answer != "unsat" {
			t.Errorf("%q: got %+v", none, rows)
		}
	}
}

func TestReadStarExecRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "EOF"},
		{"no result", strings.Replace(job, ",result,", ",outcome,", 1), `no column "result"`},
		{"column twice", strings.Replace(job, "reduction", "status", 1), `two columns "status"`},
		{"time", strings.Replace(job, ",1.5,", ",fast,", 1), `line 2: cpu time is "fast"`},
		{"negative CPU time", strings.Replace(job, ",1.5,", ",-2,", 1), `cpu time is "-2"`},
		{"negative time", strings.Replace(job, ",0.75,", ",-1,", 1), `wallclock time is "-1"`},
		{"memory", strings.Replace(job, "2048.0", "NaN", 1), `memory usage is "NaN"`},
		{"no logic", strings.Replace(job, "QF_BV/", "fam/", 1), "is not below a folder named like a logic"},
		{"short line", strings.Replace(job, ",12,0\n", "\n", 1), "it has 13 fields, but the first line has 15"},
		{"huge memory", strings.Replace(job, "2048.0", "1e17", 1), `memory usage is "1e17"`},
		{"open quote", strings.Replace(job, ",12,0\n", ",12,\"0\n", 1), "a quote is not closed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := intake.ReadStarExec(strings.NewReader(c.text), intake.Source{Track: comp.Cloud}, keepNone)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want ...%s...", err, c.want)
			}
		})
	}
	stop := errors.New("enough")
	if err := intake.ReadStarExec(strings.NewReader(job), intake.Source{}, func(*results.HistoryRow) error {
		return stop
	}); !errors.Is(err, stop) {
		t.Errorf("error of the callback: got %v", err)
	}
}

func FuzzReadStarExec(f *testing.F) {
	f.Add(job)
	f.Fuzz(func(t *testing.T, text string) {
		_ = intake.ReadStarExec(strings.NewReader(text), intake.Source{Year: 2020, Track: comp.SingleQuery},
			func(r *results.HistoryRow) error {
				if r.WallTimeS < 0 || r.CPUTimeS < -1 || r.MemoryBytes < 0 || r.Benchmark == "" || r.Logic == "" {
					t.Errorf("%+v", r)
				}
				return nil
			})
	})
}
