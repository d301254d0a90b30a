package execute_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/workertest"
	"github.com/smtpipe/smtpipe/internal/smt/trace"
)

// serveWorker turns this test binary into a worker if an environment variable is set.
func serveWorker() {
	if os.Getenv("SMTPIPE_TEST_WORKER") == "" {
		return
	}
	if err := worker.Serve(context.Background(), os.Stdin, os.Stdout, workertest.OpenLocal, nil); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// needSandbox skips a test if this machine cannot isolate runs, or fails it if the machine must be able to.
func needSandbox(t *testing.T) {
	t.Helper()
	h, err := runner.Open(runner.Config{Jobs: 1, NoLock: true})
	if err == nil {
		err = h.Close()
	}
	if err != nil && os.Getenv("SMTPIPE_REQUIRE_CGROUPS") == "1" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skip(err)
	}
}

// TestWorkers executes the same pipelines here and on workers. The rows must be the same, except for the times.
func TestWorkers(t *testing.T) {
	const talk = "#!/bin/sh\nwhile read -r l; do case $l in '(check-sat)') echo sat;; '(exit)') exit;; *) echo " +
		"success;; esac; done\n"
	l := newLab(t, map[string]string{
		"a": "#!/bin/sh\necho sat; cat $1\n", "b": "#!/bin/sh\necho x >&2; exit 3\n", "c": "#!/bin/sh\nseq 1 200\n",
		"talk":  talk,
		"wrong": "#!/bin/sh\nread l; echo success; read l; echo success; read l; echo unsat; exec sleep 60\n",
	})
	needSandbox(t)
	l.zip(t, "s.zip", map[string]string{"bin/run": "#!/bin/sh\necho sat\necho \"$@\"\npwd\necho limit " +
		"$STAREXEC_WALLCLOCK_LIMIT\n"})
	archive := "solver \"s\" {\n command = [\"bin/run\"]\n archive = \"s.zip\"\n starexec = true\n}\n"
	const traced = "sat\n" + trace.Separator + "\n(set-logic QF_UF)\n(check-sat)\n(exit)\n"
	t.Setenv("SMTPIPE_TEST_WORKER", "1") // applies to the processes that the stage starts
	tests := []struct{ name, pipeline string }{
		{"argument", solverBlocks("a", "b", "c") + archive + fmt.Sprintf(pipeline, script, "single_query", "", "20s")},
		{"standard input", solverBlocks("a") + archive + fmt.Sprintf(pipeline, script, "single_query",
			`input = "stdin"`, "20s")},
		{"incremental", solverBlocks("talk", "wrong") + fmt.Sprintf(pipeline, traced, "incremental", "", "20s")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			here, made, err := l.run(t, tt.pipeline+"executor \"local\" \"x\" {}\n")
			if err != nil || made == 0 {
				t.Fatalf("%d runs were made here, error %v", made, err)
			}
			elsewhere := strings.Replace(tt.pipeline, "executor.local.here", "executor.process.x", 1) +
				"executor \"process\" \"x\" {\n command = [\"/proc/self/exe\"]\n jobs = 1\n}\n"
			there, made, err := l.runWith(t.Context(), t, elsewhere, []string{"stage.execute.x"})
			if err != nil || made == 0 {
				t.Fatalf("%d runs were made by the worker, error %v", made, err)
			}
			if diff := cmp.Diff(lasting(here), lasting(there)); diff != "" {
				t.Errorf("rows (-here +there):\n%s", diff)
			}
		})
	}
}

// TestWorkerIsKilled kills the first worker while it executes a run. The stage must continue with another worker, and
// every run must exit normally.
func TestWorkerIsKilled(t *testing.T) {
	second := fmt.Sprintf("1.%09d", os.Getpid()) // an unusual duration identifies the run
	l := newLab(t, map[string]string{"a": "#!/bin/sh\nsleep " + second + "; echo sat; cat $1\n",
		"b": "#!/bin/sh\necho unsat\n"})
	needSandbox(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("SMTPIPE_TEST_WORKER", "1")
	dir := t.TempDir()
	marker, start := filepath.Join(dir, "killed"), filepath.Join(dir, "start")
	// The runs of solver "a" take a second. The test kills the shell that becomes the worker during one of them.
	text := "if mkdir " + marker + " 2>/dev/null; then (while kill -0 $$; do grep -qs '[1]" + second[1:] +
		"' /proc/[0-9]*/cmdline && kill -9 $$; sleep 0.02; done) " +
		"</dev/null >/dev/null 2>&1 & fi\nexec " + exe + "\n"
	if err := os.WriteFile(start, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	elsewhere := strings.Replace(solverBlocks("a", "b")+fmt.Sprintf(pipeline, script, "single_query", "", "20s"),
		"executor.local.here", "executor.process.x", 1) +
		fmt.Sprintf("executor \"process\" \"x\" {\n command = [\"sh\", %q]\n jobs = 1\n}\n", start)
	rows, made, err := l.runWith(t.Context(), t, elsewhere, []string{"stage.execute.x"})
	if err != nil || made == 0 {
		t.Fatalf("%d runs were made, error %v", made, err)
	}
	if _, err := os.Stat(marker); err != nil {
		t.Errorf("no worker was killed: %v", err)
	}
	for _, r := range rows {
		if r.Ending != comp.Exited {
			t.Errorf("%s on %s ended as %s", r.Solver, r.Benchmark, r.Ending)
		}
	}
}

// lasting removes from rows the values that differ between two executions.
func lasting(rows []results.RunRow) []results.RunRow {
	var all []results.RunRow
	for _, r := range rows {
		if r.WallTimeS <= 0 || r.MemoryBytes <= 0 {
			r.Problem = "not measured"
		}
		r.WallTimeS, r.CPUTimeS, r.MemoryBytes, r.Attempt, r.RunKey, r.Flags = 0, 0, 0, 0, "", ""
		r.MeasuredAt = ""
		if r.AnswerWallTimeS >= 0 {
			r.AnswerWallTimeS = 0
		}
		if i := strings.Index(r.Trace, `"last_wall_s"`); i >= 0 { // the rest of the trace contains times
			r.Trace = r.Trace[:i]
		}
		all = append(all, r)
	}
	return all
}

// TestWorkerRefuses checks that the stage fails with the worker's message if the worker cannot execute the runs.
func TestWorkerRefuses(t *testing.T) {
	l := newLab(t, map[string]string{"a": "#!/bin/sh\necho sat\n"})
	p := strings.Replace(solverBlocks("a")+fmt.Sprintf(pipeline, script, "single_query", "", "20s"),
		"executor.local.here", "executor.process.x", 1)
	tests := []struct{ name, executor, want string }{
		{"says why", `command = ["echo", "{\"format\":\"smtpipe-results/1\",\"error\":\"I am busy\"}"]`, "I am busy"},
		{"other hardware", "command = [\"/proc/self/exe\"]\n hardware = \"abacus\"", `must be measured on "abacus"`},
		{"not there", `command = ["/nonexistent/worker"]`, "start the worker"},
	}
	t.Setenv("SMTPIPE_TEST_WORKER", "1")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := l.run(t, p+"executor \"process\" \"x\" {\n "+tt.executor+"\n}\n")
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}
