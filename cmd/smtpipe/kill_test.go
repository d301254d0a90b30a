package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/examples/quickstart"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/cache"
)

// countingPipeline executes a solver that appends a line to a file outside the store at every execution.
const countingPipeline = `
stage "fetch" "library" {
  path = "release"
  only = ["QF_UF"]
}
stage "index" "library" { source = stage.fetch.library.files }
stage "scramble" "main" {
  benchmarks = stage.index.library.benchmarks
  track      = "single_query"
  seed       = 7
}
solver "counter" { command = ["./counter.sh"] }
executor "local" "here" { isolation = "none" }
stage "execute" "main" {
  scripts  = stage.scramble.main.scripts
  solvers  = [solver.counter]
  track    = "single_query"
  executor = executor.local.here
  limits {
    wall_time = "10s"
    memory    = "500MB"
  }
}
`

// storm is a pipeline with solvers that write a line at every execution, containing the solver's number and the
// script's digest.
type storm struct {
	dir, log string
	total    int // number of runs
}

// newStorm writes a pipeline with the given number of solvers, which have 60 runs each.
func newStorm(t *testing.T, solvers int, pause string) *storm {
	t.Helper()
	s := &storm{dir: t.TempDir(), total: 60 * solvers}
	if err := os.CopyFS(s.dir, quickstart.Files); err != nil {
		t.Fatal(err)
	}
	s.log = filepath.Join(s.dir, "executions")
	var blocks strings.Builder
	for n := range solvers {
		fmt.Fprintf(&blocks, "solver \"counter%02d\" { command = [\"./counter.sh\", \"%02d\"] }\n", n, n)
	}
	text := strings.NewReplacer(
		"solver \"counter\" { command = [\"./counter.sh\"] }\n", blocks.String(),
		"[solver.counter]", "solver",
	).Replace(countingPipeline)
	write(t, filepath.Join(s.dir, "competition.hcl"), text, 0o666)
	write(t, filepath.Join(s.dir, "counter.sh"), `#!/bin/sh
echo "counter$1 $(sha256sum < "$2")" >> "${0%/*}/executions"
sleep $(cat "${0%/*}/pause")
echo unknown
`, 0o777)
	write(t, filepath.Join(s.dir, "pause"), pause, 0o666)
	return s
}

// executions returns the started runs in order, as "solver digest-of-script".
func (s *storm) executions(t *testing.T) []string {
	t.Helper()
	b, err := os.ReadFile(s.log)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var all []string
	for line := range strings.Lines(string(b)) {
		// A shorter line means that the solver was killed while computing the digest.
		if f := strings.Fields(line); len(f) > 1 {
			all = append(all, f[0]+" "+f[1])
		}
	}
	return all
}

// recorded returns the keys of the recorded runs.
func (s *storm) recorded(t *testing.T) map[string]bool {
	t.Helper()
	store, err := cache.Open(filepath.Join(s.dir, ".smtpipe"), cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	items, err := store.Items("execute")
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	if err := items.Each(func(k cache.Key, _ []byte) error { keys[k.String()] = true; return nil }); err != nil {
		t.Fatal(err)
	}
	return keys
}

func (s *storm) command(args ...string) *exec.Cmd {
	return exec.Command("smtpipe", append([]string{"run", "-p", s.dir, "--progress", "none", "-j", "2"}, args...)...)
}

// finish executes the remaining runs.
func (s *storm) finish(t *testing.T) {
	t.Helper()
	if out, err := s.command().CombinedOutput(); err != nil {
		t.Fatalf("the last run failed: %v\n%s", err, out)
	}
}

// measured lists the columns of runs that differ between executions.
var measured = []string{"wall_time_s", "cpu_time_s", "memory_bytes", "answer_wall_time_s", "flags", "measured_at"}

// tables returns the final tables: those with measurements as CSV without the measurements, and the others as digests.
func (s *storm) tables(t *testing.T) (runs [][]string, digests string) {
	t.Helper()
	out, err := exec.Command("smtpipe", "show", "-p", s.dir, "stage.execute.main.runs", "--format", "csv").Output()
	if err != nil {
		t.Fatalf("show: %v", err)
	}
	rows, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range rows[0] {
		if slices.Contains(measured, name) {
			for _, row := range rows[1:] {
				row[i] = ""
			}
		}
	}
	for _, table := range []string{"stage.index.library.benchmarks", "stage.scramble.main.scripts"} {
		out, err := exec.Command("smtpipe", "show", "-p", s.dir, table, "--format", "parquet").Output()
		if err != nil {
			t.Fatalf("show %s: %v", table, err)
		}
		digests += table + " " + cache.DigestOf(out).String() + "\n"
	}
	return rows, digests
}

// TestKilledRunGoesOn kills smtpipe at random moments during a fan-out, SMTPIPE_KILLS times (default 8), and then
// finishes the fan-out. Every run must be executed, none again after the journal contained its record, and the final
// tables must equal those of an undisturbed run, except for measurements.
func TestKilledRunGoesOn(t *testing.T) {
	most := 8
	if n, err := strconv.Atoi(os.Getenv("SMTPIPE_KILLS")); err == nil {
		most = n
	}
	// Two concurrent runs of at least a hundredth of a second complete at most 200 runs per second. A kill comes after
	// a fifth of a second on average, which includes the start.
	solvers := max(2, most/5)
	s := newStorm(t, solvers, "0.01")
	type moment struct {
		executed int             // number of executions so far
		recorded map[string]bool // keys of the recorded runs
	}
	var moments []moment
	kills, finished := 0, false
	for kills < most && !finished {
		cmd := s.command()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		select {
		case err := <-done:
			if err != nil {
				t.Fatalf("a run after %d kills failed: %v", kills, err)
			}
			finished = true
		case <-time.After(time.Duration(80+rand.IntN(240)) * time.Millisecond):
			kills++
			cmd.Process.Kill()
			<-done
			// Read the records before counting executions, because a solver that outlives smtpipe cannot start another
			// run.
			recorded := s.recorded(t)
			moments = append(moments, moment{len(s.executions(t)), recorded})
		}
	}
	s.finish(t)
	undisturbed := newStorm(t, solvers, "0.001")
	undisturbed.finish(t)
	rows, digests := s.tables(t)
	wantRows, wantDigests := undisturbed.tables(t)
	if diff := cmp.Diff(wantRows, rows); diff != "" || digests != wantDigests || len(rows) != s.total+1 {
		t.Errorf("%d rows; the tables of an undisturbed run are others (-want +got)\n%s\n%s%s", len(rows)-1, diff,
			wantDigests, digests)
	}
	keyOf := map[string]string{}
	column := func(name string) int { return slices.Index(rows[0], name) }
	for _, r := range rows[1:] {
		keyOf[r[column("solver")]+" "+r[column("script_sha256")]] = r[column("run_key")]
	}
	executions := s.executions(t)
	again, lost := 0, len(executions)-s.total
	for _, m := range moments {
		for _, run := range executions[m.executed:] {
			if m.recorded[keyOf[run]] {
				again++
				t.Errorf("%s was executed again after its record was there", run)
			}
		}
	}
	for _, run := range executions {
		delete(keyOf, run)
	}
	if len(keyOf) > 0 || lost > 2*kills {
		t.Errorf("%d runs were never executed; %d executions were lost by %d kills of 2 workers", len(keyOf), lost,
			kills)
	}
	left, err := filepath.Glob(filepath.Join(s.dir, ".smtpipe", "tmp", "work-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary folders of killed processes are left: %q, %v", left, err)
	}
	t.Logf("%d kills, %d runs, %d executions lost by kills, %d after the record was durable", kills, s.total, lost,
		again)
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// countExecutions counts the lines that the solver has written.
func countExecutions(t *testing.T, log string) int {
	t.Helper()
	b, err := os.ReadFile(log)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Count(string(b), "\n")
}

// countRecorded counts the recorded runs.
func countRecorded(t *testing.T, dir string) int {
	t.Helper()
	out, err := exec.Command("smtpipe", "cache", "stat", "--json", "--store", filepath.Join(dir, ".smtpipe")).Output()
	if err != nil {
		t.Fatalf("cache stat: %v", err)
	}
	var stat struct {
		Items map[string]int `json:"items"`
	}
	if err := json.Unmarshal(out, &stat); err != nil {
		t.Fatal(err)
	}
	return stat.Items["execute"]
}

// TestInterruptedRunGoesOn interrupts a fan-out with each polite signal. The exit code must show the interruption, and
// the next run must execute only what is left.
func TestInterruptedRunGoesOn(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, quickstart.Files); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(dir, "executions")
	write(t, filepath.Join(dir, "competition.hcl"), countingPipeline, 0o666)
	write(t, filepath.Join(dir, "counter.sh"), "#!/bin/sh\nsha256sum < \"$1\" >> "+log+"\nsleep 0.05\necho unknown\n",
		0o777)
	lost := 0
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		before := countExecutions(t, log)
		cmd := exec.Command("smtpipe", "run", "-p", dir, "--progress", "none", "-j", "2")
		var text strings.Builder
		cmd.Stderr = &text
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for start := time.Now(); countExecutions(t, log) < before+4; time.Sleep(5 * time.Millisecond) {
			if time.Since(start) > 30*time.Second {
				cmd.Process.Kill()
				t.Fatal("nothing is executed")
			}
		}
		cmd.Process.Signal(sig)
		cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != exit.Interrupted || !strings.Contains(text.String(),
			"interrupted; finished work is kept") {
			t.Errorf("after %v it ends with %d and says %q", sig, code, &text)
		}
		executed, recorded := countExecutions(t, log), countRecorded(t, dir)
		if lost = executed - recorded; lost < 0 || lost > 4 {
			t.Errorf("after %v %d runs were executed and %d are recorded", sig, executed, recorded)
		}
	}
	if out, err := exec.Command("smtpipe", "run", "-p", dir, "--progress", "none").CombinedOutput(); err != nil {
		t.Fatalf("the last run failed: %v\n%s", err, out)
	}
	if executed := countExecutions(t, log); executed != 60+lost {
		t.Errorf("%d runs were executed, want 60 and the %d that were interrupted", executed, lost)
	}
}
