package benchexec_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/results"
	"github.com/smtpipe/smtpipe/internal/results/benchexec"
)

const file = `<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE result PUBLIC '+//IDN sosy-lab.org//DTD BenchExec result 3.0//EN' 'https://www.sosy-lab.org/benchexec/result-3.0.dtd'>
<result benchmarkname="abacus" name="sq" tool="Abacus" version="1.2" timelimit="1200 s" memlimit="30000000000 B" cpuCores="4" generator="BenchExec 3.29" date="2026-06-25 10:00:00 CEST" options="-q" toolmodule="benchexec.tools.abacus">
  <columns><column title="status"/><column title="cputime"/></columns>
  <systeminfo hostname="h"><os name="Linux"/><cpu cores="8" model="M"/></systeminfo>
  <run name="../non-incremental/QF_BV/fam/x.yml" files="[x.smt2]" properties="SMT-COMP" expectedVerdict="sat">
    <column title="status" value="sat"/>
    <column title="cputime" value="12.5s"/>
    <column title="walltime" value="3.25s"/>
    <column title="memory" value="787357696B"/>
    <column title="returnvalue" value="0"/>
    <column title="category" value="correct"/>
    <column title="host" value="node&lt;1&gt;"/>
  </run>
  <run name="QF_BV/fam/y.yml">
    <column title="status" value="TIMEOUT"/>
    <column title="walltime" value="1201.01"/>
    <column title="terminationreason" value="walltime"/>
    <column title="exitsignal" value="9"/>
  </run>
  <column title="cputime" value="100s"/>
</result>
`

func TestRead(t *testing.T) {
	var runs []benchexec.Run
	header, err := benchexec.Read(strings.NewReader(file), func(r benchexec.Run) error {
		runs = append(runs, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	wantHeader := benchexec.Header{Benchmark: "abacus", Name: "sq", Tool: "Abacus", ToolVersion: "1.2", Options: "-q",
		TimeLimit:   "1200 s",
		MemoryLimit: "30000000000 B", CPUCores: "4", Generator: "BenchExec 3.29", Date: "2026-06-25 10:00:00 CEST",
		Others: []benchexec.Column{{"toolmodule", "benchexec.tools.abacus"}}}
	if diff := cmp.Diff(wantHeader, header); diff != "" {
		t.Errorf("header (-want +got):\n%s", diff)
	}
	want := []benchexec.Run{
		{Name: "../non-incremental/QF_BV/fam/x.yml", Files: "[x.smt2]", Properties: "SMT-COMP", Status: "sat",
			Category: "correct",
			CPUTimeS: 12.5, WallTimeS: 3.25, MemoryBytes: 787357696,
			Others: []benchexec.Column{{"expectedVerdict", "sat"}, {"host", "node<1>"}}},
		{Name: "QF_BV/fam/y.yml", Status: "TIMEOUT", CPUTimeS: -1, WallTimeS: 1201.01, MemoryBytes: -1, ExitCode: -1,
			Signal: 9, Termination: "walltime"},
	}
	if diff := cmp.Diff(want, runs); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	row, err := runs[0].Row(2026, comp.SingleQuery, "Abacus")
	wantRow := results.HistoryRow{Benchmark: "non-incremental/QF_BV/fam/x.smt2", Year: 2026, Track: "single_query",
		Solver: "Abacus", Logic: "QF_BV",
		Answer: "sat", Result: "sat", CPUTimeS: 12.5, WallTimeS: 3.25, MemoryBytes: 787357696, Answers: -1}
	if diff := cmp.Diff(wantRow, row); diff != "" || err != nil {
		t.Errorf("row (-want +got), %v:\n%s", err, diff)
	}
	if runs[1].Answer() != comp.AnswerNone {
		t.Errorf("answer of a timeout: %q", runs[1].Answer())
	}
}

func TestAnswer(t *testing.T) {
	for status, want := range map[string]comp.Answer{"true": comp.AnswerSat, "false": comp.AnswerUnsat,
		"sat":   comp.AnswerSat,
		"unsat": comp.AnswerUnsat, "unknown": comp.AnswerUnknown, "ERROR": comp.AnswerUnknown,
		"TIMEOUT (true)": comp.AnswerNone,
		"OUT OF MEMORY":  comp.AnswerNone, "DONE": comp.AnswerNone, "": comp.AnswerNone} {
		if got := (benchexec.Run{Status: status}).Answer(); got != want {
			t.Errorf("%q: %q, want %q", status, got, want)
		}
	}
}

func TestEntry(t *testing.T) {
	for _, c := range []struct {
		name, solver  string
		participation int
		track         comp.Track
	}{
		{"Abacus,0,SingleQuery", "Abacus", 0, comp.SingleQuery},
		{"Abacus 2.1,3,UnsatCore.QF_BV", "Abacus 2.1", 3, comp.UnsatCore},
		{"", "", 0, 0}, {"sq", "", 0, 0}, {"Abacus,x,SingleQuery", "", 0, 0}, {"Abacus,0,Chess", "", 0, 0},
		{",0,SingleQuery", "", 0, 0},
	} {
		solver, participation, track, ok := (benchexec.Header{Name: c.name}).Entry()
		if solver != c.solver || participation != c.participation || track != c.track || ok != (c.solver != "") {
			t.Errorf("%q: %q, %d, %v, %v", c.name, solver, participation, track, ok)
		}
	}
}

// TestRowNames has names of runs and their benchmarks; empty: the name does not tell it.
func TestRowNames(t *testing.T) {
	for name, want := range map[string]string{
		"benchmarks/files/QF_BV/12_QF_BV_fam__x.yml": "", "QF_BV/scrambled12.yml": "", "QF_BV/12.yml": "", "x.yml": "",
		"QF_BV/12_x.smt2":                    "incremental/QF_BV/12_x.smt2",
		"incremental/QF_BV/2020-fam/12x.yml": "incremental/QF_BV/2020-fam/12x.smt2",
	} {
		row, err := (benchexec.Run{Name: name}).Row(2025, comp.Incremental, "Abacus")
		if row.Benchmark != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v, want %q", name, row.Benchmark, err, want)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "no element <result>"},
		{"not XML", "<result", "syntax error"},
		{"other document", "<benchmark/>", "begins with <benchmark>"},
		{"cut off", file[:strings.Index(file, "TIMEOUT")], "run 1"},
		{"cut off between runs", file[:strings.Index(file, `<run name="QF`)], "after 1 runs"},
		{"time", strings.Replace(file, "12.5s", "12.5min", 1), `column cputime is "12.5min"`},
		{"negative memory", strings.Replace(file, "787357696B", "-1B", 1), `column memory is "-1B"`},
		{"exit code", strings.Replace(file, `"returnvalue" value="0"`, `"returnvalue" value="zero"`, 1),
			"column returnvalue"},
		{"unknown element", strings.Replace(file, "<columns>", "<extras/><columns>", 1), "unknown element <extras>"},
		{"unknown element of a run", strings.Replace(file, `<column title="host"`, `<log/><column title="host"`, 1),
			"unknown element <log>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := benchexec.Read(strings.NewReader(c.text), func(benchexec.Run) error { return nil })
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want ...%s...", err, c.want)
			}
		})
	}
	stop := errors.New("enough")
	if _, err := benchexec.Read(strings.NewReader(file), func(benchexec.Run) error { return stop }); !errors.Is(err,
		stop) {
		t.Errorf("error of the callback: got %v", err)
	}
}
