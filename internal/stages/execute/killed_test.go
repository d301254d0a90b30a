package execute_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/worker/workertest"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

const (
	localBlock = `
executor "local" "none" {
  isolation = "none"
  jobs      = 1
}
`
	benchexecBlock = `
executor "benchexec" "none" {
  isolation = "none"
  mode      = "local"
  folder    = "job"
  benchexec = ["benchexec", "--no-container"]
}
`
	slurmBlock = `
executor "slurm" "none" {
  isolation = "none"
  time      = "10m"
  jobs      = 1
  delay     = "1s"
  poll      = "200ms"
}
`
)

// TestKilledFromOutside uses a solver that is killed with SIGKILL in its first run or in all runs.
func TestKilledFromOutside(t *testing.T) {
	killed(t, localBlock, "executor.local.none")
}

// TestKilledInCluster is like TestKilledFromOutside, with jobs on a real Slurm cluster.
func TestKilledInCluster(t *testing.T) {
	workertest.StartCluster(t)
	killed(t, slurmBlock, "executor.slurm.none")
}

// TestKilledInBenchExec is like TestKilledFromOutside, with runs of BenchExec, which is called again to repeat them.
func TestKilledInBenchExec(t *testing.T) {
	t.Setenv("PATH", testkit.BenchExecRuns(t)+":"+os.Getenv("PATH"))
	killed(t, benchexecBlock, "executor.benchexec.none")
}

func killedPipeline(executor, name, option string) string {
	return `
stage "texts" "t" {
  scripts = { "non-incremental/QF_LIA/a.smt2" = "(check-sat)" }
}
solver "s" {
  command = ["./solver"]
}
` + executor + `
stage "execute" "x" {
  scripts  = stage.texts.t.scripts
  solvers  = solver
  track    = "single_query"
  executor = ` + name + `
  ` + option + `
  limits {
    wall_time = "1s"
    memory    = "200MB"
  }
}
`
}

func killed(t *testing.T, executor, name string) {
	dir := t.TempDir()
	for _, tt := range []struct {
		name, solver, option string
		want                 []int64 // signals of the attempts
	}{
		{"once", "#!/bin/sh\nmkdir " + filepath.Join(dir, "once") + " 2>/dev/null && kill -9 $$\necho sat\n", "",
			[]int64{9, 0}},
		{"always", "#!/bin/sh\necho sat\nkill -9 $$\n", "", []int64{9, 9}},
		{"switched off", "#!/bin/sh\necho sat\nkill -9 $$\n", "retry_killed = false", []int64{9}},
		{"another signal", "#!/bin/sh\nkill -11 $$\n", "", []int64{11}},
		{"a limit", "#!/bin/sh\nsleep 5\n", "", []int64{9}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newLab(t, map[string]string{"solver": tt.solver})
			pipeline := killedPipeline(executor, name, tt.option)
			rows, made, err := l.run(t, pipeline)
			if err != nil || made != 1 {
				t.Fatalf("%d runs were made, %v", made, err)
			}
			if len(rows) != len(tt.want) {
				t.Fatalf("%d attempts, want %d", len(rows), len(tt.want))
			}
			for i, signal := range tt.want {
				r := rows[i]
				strange := signal == 9 && tt.name != "a limit"
				if tt.name == "a limit" && r.Ending == comp.WallTimeout {
					signal = r.Signal // BenchExec does not report the signal
				}
				if r.Signal != signal || r.Attempt != int64(i) || strings.Contains(r.Flags, "foreign_kill") != strange {
					t.Errorf("attempt %d: %d, signal %d, flags %q", i, r.Attempt, r.Signal, r.Flags)
				}
				// The shell prints additional lines.
				if strange && tt.name != "once" && !strings.HasPrefix(r.Stdout, "sat\n") {
					t.Errorf("attempt %d printed %q", i, r.Stdout)
				}
			}
			again, made, err := l.run(t, pipeline)
			if err != nil || made != 0 || len(again) != len(rows) {
				t.Errorf("afterwards %d rows and %d runs were made, %v", len(again), made, err)
			}
		})
	}
}

// TestKilledThenInterrupted stops the driver halfway through the second attempt. The next driver executes only that
// attempt.
func TestKilledThenInterrupted(t *testing.T) {
	dir := t.TempDir()
	second := filepath.Join(dir, "second")
	l := newLab(t, map[string]string{"solver": "#!/bin/sh\nmkdir " + filepath.Join(dir, "first") +
		" 2>/dev/null && echo sat && kill -9 $$\nmkdir " + second + " 2>/dev/null && sleep 30\necho unsat\n"})
	pipeline := strings.Replace(killedPipeline(localBlock, "executor.local.none", ""), "\"1s\"", "\"40s\"", 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for {
			if _, err := os.Stat(second); err == nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	if rows, _, err := l.runWith(ctx, t, pipeline, nil); len(rows) > 0 || err != nil {
		t.Fatalf("it was not interrupted: %d rows, %v", len(rows), err)
	}
	rows, made, err := l.run(t, pipeline)
	if err != nil || made != 1 || len(rows) != 2 {
		t.Fatalf("%d runs were made, %d attempts, %v", made, len(rows), err)
	}
	if rows[0].Signal != 9 || rows[0].Stdout != "sat\n" || rows[1].Signal != 0 || rows[1].Stdout != "unsat\n" {
		t.Errorf("got %+v", rows)
	}
}
