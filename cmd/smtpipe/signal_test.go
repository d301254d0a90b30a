package main

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// archiveOf writes a .tar.gz archive with n files that contain the given text.
func archiveOf(t *testing.T, name string, n int, path func(i int) string, text string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := bufio.NewWriter(f)
	z, _ := gzip.NewWriterLevel(b, gzip.BestSpeed)
	w := tar.NewWriter(z)
	for i := range n {
		if err := w.WriteHeader(&tar.Header{Name: path(i), Mode: 0o755, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []interface{ Close() error }{w, z} {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
}

// TestEndsSoonAfterSignal sends the polite signals to long operations in turn; with SMTPIPE_LONG, both to each. Each
// operation would otherwise continue for many seconds.
func TestEndsSoonAfterSignal(t *testing.T) {
	if testing.Short() {
		t.Skip("large inputs")
	}
	const head = "competition {\n  name = \"X\"\n  year = 2026\n}\n"
	folder := func(t *testing.T, pipeline string) string {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "a.hcl"), head+pipeline, 0o666)
		return dir
	}
	official := func(t *testing.T) string { return testkit.Shared(t, "official-results", "2022-single-query") }
	tests := []struct {
		name  string
		after time.Duration
		args  func(t *testing.T) []string
	}{
		{"evaluation", time.Second, func(t *testing.T) []string {
			return []string{"check", "-p", folder(t, "locals {\n  n = range(1000)\n  a = [for x in local.n : [for y in "+
				"local.n : [for z in local.n : x + y]]]\n}\n")}
		}},
		{"evaluation for rows", 3 * time.Second, func(t *testing.T) []string {
			dir := folder(t, rowPipeline("length([for a in split(\"\", b.path) : [for x in split(\"\", b.path) : "+
				"strlen(a)]]) > 0"))
			writePaths(t, dir, 20_000, 90)
			return []string{"run", "--progress", "none", "-p", dir}
		}},
		{"unpacking", 3 * time.Second, func(t *testing.T) []string {
			dir := folder(t, `
solver "s" {
  archive = "s.tar.gz"
  command = ["bin/solver"]
}
executor "local" "here" { isolation = "best_effort" }
stage "fetch" "x" { path = "release" }
stage "index" "x" { source = stage.fetch.x.files }
stage "scramble" "x" {
  benchmarks = stage.index.x.benchmarks
  track      = "single_query"
  seed       = 7
}
stage "execute" "x" {
  scripts  = stage.scramble.x.scripts
  solvers  = solver
  track    = "single_query"
  executor = executor.local.here
  limits {
    wall_time = "1s"
    memory    = "1GB"
    cores     = 1
  }
}
`)
			archiveOf(t, filepath.Join(dir, "s.tar.gz"), 300_000, func(i int) string {
				if i == 0 {
					return "bin/solver"
				}
				return fmt.Sprintf("lib/%d/%d", i/1000, i)
			}, "#!/bin/sh\necho unknown\n")
			release := filepath.Join(dir, "release", "non-incremental")
			if err := os.MkdirAll(release, 0o777); err != nil {
				t.Fatal(err)
			}
			archiveOf(t, filepath.Join(release, "QF_LIA.tar.gz"), 1, func(int) string {
				return "non-incremental/QF_LIA/a/b.smt2"
			}, "(set-info :status sat)\n(set-logic QF_LIA)\n(check-sat)\n(exit)\n")
			return []string{"run", "--progress", "none", "-p", dir}
		}},
		{"hashing", time.Second, func(t *testing.T) []string {
			dir := folder(t, "locals {\n  f = file(\"big\")\n}\n")
			write(t, filepath.Join(dir, "big"), "", 0o666)
			if err := os.Truncate(filepath.Join(dir, "big"), 100<<30); err != nil { // a sparse file
				t.Fatal(err)
			}
			return []string{"run", "--progress", "none", "-p", dir}
		}},
		{"hashing of a program", time.Second, func(t *testing.T) []string {
			dir := folder(t, "solver \"s\" {\n  command = [\"./big\"]\n}\n")
			write(t, filepath.Join(dir, "big"), "", 0o777)
			if err := os.Truncate(filepath.Join(dir, "big"), 100<<30); err != nil {
				t.Fatal(err)
			}
			return []string{"check", "-p", dir}
		}},
		{"scoring", 300 * time.Millisecond, func(t *testing.T) []string {
			return []string{"tool", "score", "--official", official(t), "-o", filepath.Join(t.TempDir(), "out.json")}
		}},
		{"scrambling", 500 * time.Millisecond, func(t *testing.T) []string {
			script := filepath.Join(t.TempDir(), "a.smt2")
			f, err := os.Create(script)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			w := bufio.NewWriter(f)
			fmt.Fprintln(w, "(set-logic QF_LIA)\n(declare-fun x () Int)")
			for i := range 5_000_000 {
				fmt.Fprintf(w, "(assert (< x %d))\n", i)
			}
			fmt.Fprintln(w, "(check-sat)")
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
			return []string{"tool", "scramble", "--seed", "7", script}
		}},
		{"what-if", 300 * time.Millisecond, func(t *testing.T) []string {
			return []string{"what-if", "--official", official(t)}
		}},
		{"design", 4 * time.Second, func(t *testing.T) []string {
			return []string{"design", "--official", official(t)}
		}},
		{"report", 300 * time.Millisecond, func(t *testing.T) []string {
			return []string{"report", "--format", "smt-comp-site", "--published", testkit.Shared(t, "official-results",
				"raw"), "--submissions", testkit.Shared(t, "submissions-2025"), "--year", "2025", "-o",
				filepath.Join(t.TempDir(), "out")}
		}},
	}
	for i, tt := range tests {
		signals := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}
		if os.Getenv("SMTPIPE_LONG") == "" {
			signals = signals[i%2 : i%2+1] // one handler takes both
		}
		for _, sig := range signals {
			t.Run(tt.name+" "+sig.String(), func(t *testing.T) {
				cmd := exec.Command("smtpipe", tt.args(t)...)
				var text strings.Builder
				cmd.Stderr = &text
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				defer cmd.Process.Kill()
				done := make(chan struct{})
				go func() {
					cmd.Wait()
					close(done)
				}()
				select {
				case <-done:
					t.Fatalf("it ended before the signal: %v\n%s", cmd.ProcessState, &text)
				case <-time.After(tt.after):
				}
				begun := time.Now()
				cmd.Process.Signal(sig)
				select {
				case <-done:
				case <-time.After(30 * time.Second):
					t.Fatal("it goes on")
				}
				took := time.Since(begun)
				t.Log(took)
				if took > time.Second {
					t.Errorf("it ended %v after the signal", took)
				}
				if code := cmd.ProcessState.ExitCode(); code != exit.Interrupted {
					t.Errorf("exit code %d, want %d\n%s", code, exit.Interrupted, &text)
				}
			})
		}
	}
}

// TestRunEndsSoon interrupts stages that measure nothing, in a competition of 300,000 runs.
func TestRunEndsSoon(t *testing.T) {
	if testing.Short() {
		t.Skip("large inputs")
	}
	dir := t.TempDir()
	var history, benchmarks strings.Builder
	history.WriteString("benchmark,year,track,solver,logic,status,answer,result,cpu_time_s,wall_time_s,memory_bytes,answers\n")
	for b := range 10_000 {
		name := fmt.Sprintf("non-incremental/QF_LIA/family%02d/benchmark-%05d.smt2", b/500, b)
		fmt.Fprintln(&benchmarks, name)
		for s := range 30 {
			fmt.Fprintf(&history, "%s,2022,single_query,solver%02d,QF_LIA,sat,sat,sat,%d.5,%d.5,0,-1\n", name, s, b%900,
				b%900+s)
		}
	}
	write(t, filepath.Join(dir, "history.csv"), history.String(), 0o666)
	write(t, filepath.Join(dir, "benchmarks.txt"), benchmarks.String(), 0o666)
	write(t, filepath.Join(dir, "a.hcl"), `
competition {
  name = "X"
  year = 2022
}
stage "import" "x" {
  results    = ["history.csv"]
  kind       = "table"
  track      = "single_query"
  year       = 2022
  wall_time  = "20m"
  cores      = 4
  benchmarks = "benchmarks.txt"
}
stage "validate" "x" {
  runs       = stage.import.x.executed
  benchmarks = stage.import.x.benchmarks
}
stage "score" "x" {
  verdicts = stage.validate.x.verdicts
  rules    = competition.rules.scoring
}
stage "report" "x" {
  scores   = [stage.score.x.scores]
  verdicts = [stage.validate.x.verdicts]
  runs     = [stage.import.x.executed]
}
`, 0o666)
	for _, stage := range []string{"import", "validate", "score", "report"} {
		t.Run(stage, func(t *testing.T) {
			cmd := exec.Command("smtpipe", "run", "-p", dir, "--progress", "json")
			events, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Process.Kill()
			lines := bufio.NewScanner(events)
			for lines.Scan() && !strings.Contains(lines.Text(), `"stage.`+stage+`.x"`) {
			}
			time.Sleep(50 * time.Millisecond)
			begun := time.Now()
			cmd.Process.Signal(syscall.SIGTERM)
			for lines.Scan() {
			}
			cmd.Wait()
			took := time.Since(begun)
			t.Log(took)
			if took > time.Second {
				t.Errorf("it ended %v after the signal", took)
			}
			if code := cmd.ProcessState.ExitCode(); code != exit.Interrupted {
				t.Errorf("exit code %d, want %d", code, exit.Interrupted)
			}
		})
	}
	if out, err := exec.Command("smtpipe", "run", "-p", dir, "--progress", "none").CombinedOutput(); err != nil {
		t.Errorf("the next run: %v\n%s", err, out)
	}
	checkNothingLeft(t, filepath.Join(dir, ".smtpipe", "tmp"))
}
