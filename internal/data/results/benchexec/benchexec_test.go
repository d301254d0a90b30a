package benchexec_test

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results/benchexec"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

const file = `<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE result PUBLIC '+//IDN sosy-lab.org//DTD BenchExec result 3.0//EN' 'https://www.sosy-lab.org/benchexec/result-3.0.dtd'>
<result benchmarkname="abacus" name="sq.task" block="task" tool="Abacus" version="1.2" timelimit="1200s" memlimit="30000000000B" cpuCores="4" generator="BenchExec 3.29" date="2026-06-25 10:00:00 CEST" starttime="2026-06-25T10:00:00.5+02:00" options="-q" toolmodule="benchexec.tools.abacus">
  <columns><column title="status"/><column title="cputime"/></columns>
  <systeminfo hostname="h"><os name="Linux"/><cpu cores="8" model="M"/><ram size="33000000000B"/><environment><var name="TOKEN">secret</var></environment></systeminfo>
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
  <run name="QF_BV/fam/z.yml"><column title="category" value="missing"/></run>
  <column title="cputime" value="100s"/>
</result>
`

func TestRead(t *testing.T) {
	var runs []benchexec.Run
	header, err := benchexec.Read(strings.NewReader(file), func(h *benchexec.Header, r benchexec.Run) error {
		if h.Machine == "" || h.Cores != 4 {
			t.Errorf("before a run the header is %+v", h)
		}
		runs = append(runs, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	wantHeader := benchexec.Header{Benchmark: "abacus", Name: "sq.task", Block: "task", Tool: "Abacus",
		Started: "2026-06-25T10:00:00.5+02:00", CPULimitS: 1200, MemoryBytes: 30_000_000_000, Cores: 4,
		Machine:    "M; 8 cores; 33000000000B",
		Processors: map[string]string{"h": "M"}}
	if diff := cmp.Diff(wantHeader, header); diff != "" {
		t.Errorf("header (-want +got):\n%s", diff)
	}
	if header.Definition() != "sq" {
		t.Errorf("definition %q", header.Definition())
	}
	want := []benchexec.Run{
		{Name: "../non-incremental/QF_BV/fam/x.yml", Status: "sat",
			Usage: run.Usage{CPUTimeS: 12.5, WallTimeS: 3.25, MemoryBytes: 787357696}, Host: "node<1>"},
		{Name: "QF_BV/fam/y.yml", Status: "TIMEOUT", Usage: run.Usage{CPUTimeS: -1, WallTimeS: 1201.01,
			MemoryBytes: -1}, ExitCode: -1,
			Signal: 9, Termination: "walltime"},
		{Name: "QF_BV/fam/z.yml", Usage: run.Usage{CPUTimeS: -1, WallTimeS: -1, MemoryBytes: -1}, ExitCode: -1},
	}
	if diff := cmp.Diff(want, runs); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	for i, executed := range []bool{true, true, false} {
		if runs[i].Executed() != executed {
			t.Errorf("%s: executed %v", runs[i].Name, !executed)
		}
	}
}

// TestMachines reads files from several nodes: equal nodes count as one machine, and different nodes as no machine.
func TestMachines(t *testing.T) {
	info := func(model string) string {
		return `<systeminfo hostname="h"><cpu model="` + model + `"/><environment><var name="A">b</var></environment></systeminfo>`
	}
	for text, want := range map[string]string{
		"": "", info("M"): "M", info("M") + info("M"): "M", info("M") + info("N"): "",
		info("M") + info("N") + info("M"): "",
	} {
		h, err := benchexec.Read(strings.NewReader("<result>"+text+"</result>"), nil)
		if h.Machine != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", text, h.Machine, err, want)
		}
	}
}

func TestAnswer(t *testing.T) {
	for status, want := range map[string]comp.Answer{"true": comp.AnswerSat, "false": comp.AnswerUnsat,
		"sat":   comp.AnswerSat,
		"unsat": comp.AnswerUnsat, "unknown": comp.AnswerUnknown, "ERROR": comp.AnswerUnknown,
		"TIMEOUT (true)": comp.AnswerNone,
		"OUT OF MEMORY":  comp.AnswerNone, "DONE": comp.AnswerNone, "": comp.AnswerNone} {
		if got := (&benchexec.Run{Status: status}).Answer(); got != want {
			t.Errorf("%q: %q, want %q", status, got, want)
		}
	}
}

func TestEntry(t *testing.T) {
	for _, c := range []struct {
		name, block string
		want        benchexec.Entry
	}{
		{"Abacus,0,SingleQuery", "", benchexec.Entry{Solver: "Abacus", Track: comp.SingleQuery}},
		{"Abacus 2.1,3,UnsatCore.QF_BV", "QF_BV",
			benchexec.Entry{Solver: "Abacus 2.1", Participation: 3, Track: comp.UnsatCore}},
		{"Abacus,1,UnsatCoreValidation", "",
			benchexec.Entry{Solver: "Abacus", Participation: 1, Track: comp.SingleQuery, OfCores: true}},
		{"", "", benchexec.Entry{}}, {"sq", "", benchexec.Entry{}}, {"Abacus,x,SingleQuery", "", benchexec.Entry{}},
		{"Abacus,0,Chess", "", benchexec.Entry{}}, {",0,SingleQuery", "", benchexec.Entry{}},
	} {
		got, ok := (&benchexec.Header{Name: c.name, Block: c.block}).Entry()
		if got != c.want || ok != (c.want != benchexec.Entry{}) {
			t.Errorf("%q: %+v, %v", c.name, got, ok)
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
		{"cut off in the machine", file[:strings.Index(file, "TOKEN")], "element <systeminfo>"},
		{"time", strings.Replace(file, "12.5s", "12.5min", 1), `column cputime is "12.5min"`},
		{"negative memory", strings.Replace(file, "787357696B", "-1B", 1), `column memory is "-1B"`},
		{"huge memory", strings.Replace(file, "787357696B", "1e300B", 1), `column memory is "1e300B"`},
		{"exit code", strings.Replace(file, `"returnvalue" value="0"`, `"returnvalue" value="zero"`, 1),
			"column returnvalue"},
		{"limit", strings.Replace(file, `timelimit="1200s"`, `timelimit="20min"`, 1), `attribute timelimit is "20min"`},
		{"unknown element", strings.Replace(file, "<columns>", "<extras/><columns>", 1), "unknown element <extras>"},
		{"unknown element of a run", strings.Replace(file, `<column title="host"`, `<log/><column title="host"`, 1),
			"unknown element <log>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := benchexec.Read(strings.NewReader(c.text), skip)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want ...%s...", err, c.want)
			}
		})
	}
	stop := errors.New("enough")
	if _, err := benchexec.Read(strings.NewReader(file), func(*benchexec.Header, benchexec.Run) error {
		return stop
	}); !errors.Is(err, stop) {
		t.Errorf("error of the callback: got %v", err)
	}
}

func skip(*benchexec.Header, benchexec.Run) error { return nil }

// repeated reads a text that is repeated many times.
type repeated struct {
	text string
	left int
	now  strings.Reader
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.now.Len() == 0 {
		if r.left == 0 {
			return 0, io.EOF
		}
		r.left--
		r.now.Reset(r.text)
	}
	return r.now.Read(p)
}

// TestReadKeepsOneRun reads 200,000 runs, which are 60 MB of text, and checks how much memory is in use between runs.
func TestReadKeepsOneRun(t *testing.T) {
	const runs = 200_000
	run := file[strings.Index(file, "<run"):strings.Index(file, "<run name=\"QF")]
	in := io.MultiReader(strings.NewReader("<result>"), &repeated{text: run, left: runs},
		strings.NewReader("</result>"))
	var before, during runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	n := 0
	_, err := benchexec.Read(in, func(*benchexec.Header, benchexec.Run) error {
		if n++; n == runs {
			runtime.GC()
			runtime.ReadMemStats(&during)
		}
		return nil
	})
	if err != nil || n != runs {
		t.Fatalf("%d runs, %v", n, err)
	}
	if kept := int64(during.HeapAlloc) - int64(before.HeapAlloc); kept > 1<<20 {
		t.Errorf("after %d runs, %d bytes more are kept", runs, kept)
	}
}

// TestOutcome covers the behaviours in CLUSTERS.md, part B2, with and without the wall time killer, and the contents of
// other tools' files.
func TestOutcome(t *testing.T) {
	exited := func(code int) benchexec.Outcome { return benchexec.Outcome{Ending: comp.Exited, ExitCode: code} }
	by := func(signal int) benchexec.Outcome {
		return benchexec.Outcome{Ending: comp.Signalled, ExitCode: -1, Signal: signal}
	}
	stopped := func(e comp.Ending) benchexec.Outcome { return benchexec.Outcome{Ending: e, ExitCode: -1} }
	lost := benchexec.Outcome{Ending: comp.Exited, CodeLost: true}
	plain, killer := &benchexec.Log{}, &benchexec.Log{Killer: true}
	ran := func(status string, code, signal int, reason string) benchexec.Run {
		return benchexec.Run{Status: status, Usage: run.Usage{WallTimeS: 1}, ExitCode: code, Signal: signal,
			Termination: reason}
	}
	for _, c := range []struct {
		run  benchexec.Run
		log  *benchexec.Log
		want benchexec.Outcome
	}{
		{ran("true", 0, 0, ""), plain, exited(0)},
		{ran("true", 1, 0, ""), plain, exited(1)},
		{ran("ERROR (1)", 1, 0, ""), plain, exited(1)},
		{ran("TIMEOUT", -1, 9, "walltime"), plain, stopped(comp.WallTimeout)},
		{ran("TIMEOUT", -1, 9, "cputime"), plain, stopped(comp.CPUTimeout)},
		{ran("OUT OF MEMORY (TIMEOUT)", -1, 9, "memory"), plain, stopped(comp.OutOfMemory)},
		{ran("FILES-COUNT LIMIT", -1, 9, "files-count"), plain, stopped(comp.FilesLimit)},
		{ran("ERROR (None)", -1, 11, ""), plain, by(11)},
		{ran("ABORTED", -1, 6, ""), plain, by(6)},
		{ran("TIMEOUT", -1, 9, ""), plain, by(9)},           // the solver killed itself
		{ran("TIMEOUT (true)", 0, 0, ""), plain, exited(0)}, // the solver ended by itself just after the limit
		{ran("true", 0, 0, ""), killer, lost},
		{ran("ERROR", 0, 0, ""), killer, lost},
		{ran("TIMEOUT", 9, 0, ""), &benchexec.Log{Killer: true, TimedOut: true}, stopped(comp.WallTimeout)},
		{ran("true", 9, 0, ""), &benchexec.Log{Killer: true, TimedOut: true}, stopped(comp.WallTimeout)},
		{ran("unknown", 9, 0, ""), killer, by(9)},
		{ran("unknown", 11, 0, ""), killer, by(11)},
		{ran("unknown", 128+11, 0, ""), killer, by(11)}, // with a core dump
		{ran("OUT OF MEMORY", -1, 9, "memory"), killer, stopped(comp.OutOfMemory)},
		{ran("TIMEOUT", -1, 0, ""), nil, stopped(comp.WallTimeout)},
		{ran("OUT OF JAVA MEMORY", -1, 0, ""), nil, stopped(comp.OutOfMemory)},
		{ran("KILLED BY SIGNAL 9", -1, 0, ""), nil, by(9)},
		{ran("SEGMENTATION FAULT", -1, 0, ""), nil, by(11)},
		{ran("ERROR (3)", -1, 0, ""), nil, exited(3)},
		{ran("ERROR (recursion)", -1, 0, ""), nil, exited(1)},
		{ran("sat", -1, 0, ""), nil, exited(0)},
		{ran("DONE (7 correct)", -1, 0, ""), nil, exited(0)},
		{ran("", -1, 0, "failed"), nil,
			benchexec.Outcome{Ending: comp.Exited, ExitCode: -1, Problem: "BenchExec could not start the command"}},
	} {
		got, err := c.run.Outcome(&benchexec.Header{}, c.log)
		if got != c.want || err != nil {
			t.Errorf("%+v with %+v: %+v, %v, want %+v", c.run, c.log, got, err, c.want)
		}
	}
	late := benchexec.Run{Status: "TIMEOUT", Usage: run.Usage{CPUTimeS: 11}, ExitCode: -1}
	if got, _ := late.Outcome(&benchexec.Header{CPULimitS: 10}, nil); got.Ending != comp.CPUTimeout {
		t.Errorf("above the CPU limit: %+v", got)
	}
	for _, bad := range []benchexec.Run{ran("purple", -1, 0, ""), ran("x", 0, 0, "eclipse"),
		ran("KILLED BY SIGNAL many", -1, 0, "")} {
		if o, err := bad.Outcome(&benchexec.Header{}, nil); err == nil {
			t.Errorf("%+v: %+v", bad, o)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(file)
	f.Add("<result><run name='a/b.yml'><column title='walltime' value='1s'/></run></result>")
	f.Add("<result timelimit='-' memlimit='1B'><systeminfo/></result>")
	f.Fuzz(func(t *testing.T, text string) {
		_, err := benchexec.Read(strings.NewReader(text), func(h *benchexec.Header, r benchexec.Run) error {
			if r.WallTimeS < -1 || r.MemoryBytes < -1 || h.CPULimitS < 0 || h.MemoryBytes < 0 || h.Cores < 0 {
				t.Errorf("header %+v, run %+v", h, r)
			}
			h.Entry()
			o, err := r.Outcome(h, nil)
			if err == nil && (o.Ending == "" || (o.Ending == comp.Signalled) != (o.Signal > 0)) {
				return fmt.Errorf("%+v", o)
			}
			return nil
		})
		if err != nil && strings.HasPrefix(err.Error(), "{") {
			t.Error(err)
		}
	})
}
