// Package doctor finds out by short trial runs what a machine can do for measured runs. It executes the program that
// imports it as the command of these runs.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/local"
)

// Diagnose determines by trial which features of runs work on this machine. It takes about a second. prepare changes
// each command before it runs, such as to run in an image.
func Diagnose(ctx context.Context, prepare func(*runner.Command, runner.Isolation) error) (*runner.Report, error) {
	r, err := runner.Inspect()
	if err != nil {
		return nil, err
	}
	x, err := local.Open(worker.Header{Isolation: runner.BestEffort}, runner.Config{NoLock: true})
	if err != nil {
		return nil, err
	}
	h := x.Hello()
	r.Layout, r.Isolation, r.Slots = h.Layout, h.Isolation, h.Slots
	exe, err := os.Executable()
	if err == nil {
		exe, err = filepath.EvalSymlinks(exe)
	}
	if err != nil {
		r.Add("trial runs", runner.CheckFailed, err.Error(), "reinstall smtpipe")
	} else {
		t := trial{r, ctx, x, exe, prepare}
		t.start()
		t.cpu()
		t.wall()
		t.memory()
		t.processes()
	}
	r.Steady()
	return r, x.Close()
}

// trial executes the program as the command of short runs, one for each limit and each measurement.
type trial struct {
	*runner.Report
	ctx context.Context
	x   *local.Executor
	exe string

	prepare func(*runner.Command, runner.Isolation) error
}

func (t trial) run(deed string, n int, lim comp.Limits) (rec runner.Record, err error) {
	cmd := runner.Command{Argv: []string{t.exe, trialName, deed, strconv.Itoa(n)}, HostSystem: true, Limits: lim}
	if t.Isolation.Private() {
		cmd.Argv[0] = runner.SolverDir + "/trial"
		cmd.Mounts = []runner.Mount{{Source: t.exe, Target: cmd.Argv[0], Warm: true}}
	}
	if cmd.Limits.WallTime == 0 {
		cmd.Limits.WallTime = 5 * time.Second
	}
	if err := t.prepare(&cmd, t.Isolation); err != nil {
		return rec, err
	}
	results, err := worker.Do(t.ctx, t.x, &worker.Work{ID: deed, Here: &cmd})
	switch {
	case err != nil:
		return rec, err
	case results[0].Failure != nil:
		return rec, results[0].Failure.Err()
	}
	return *results[0].Record, nil
}

const trialRemedy = "report this with the output of smtpipe doctor"

func (t trial) start() {
	best := time.Hour
	for range 5 {
		start := time.Now()
		rec, err := t.run("sleep", 0, comp.Limits{})
		if err != nil || rec.Ending != comp.Exited {
			t.Add("start of a run", runner.CheckFailed, trialFailure(rec, err), trialRemedy)
			return
		}
		best = min(best, time.Since(start)-rec.WallTimeS.Duration())
	}
	text := fmt.Sprintf("%.1f ms around the command (best of 5)", milliseconds(best))
	t.Add("start of a run", runner.CheckOK, text, "")
}

func (t trial) cpu() {
	rec, err := t.run("burn", 50, comp.Limits{})
	own, convErr := strconv.ParseInt(strings.TrimSpace(string(rec.Stdout.Bytes())), 10, 64)
	if err != nil || convErr != nil {
		t.Add("CPU time", runner.CheckFailed, trialFailure(rec, errors.Join(err, convErr)), trialRemedy)
		return
	}
	off := rec.CPUTimeS.Duration() - time.Duration(own)
	state := runner.CheckOK
	if off < -time.Millisecond || off > 5*time.Millisecond {
		state = runner.CheckFailed
	}
	t.Add("CPU time", state, fmt.Sprintf("%.3f ms measured, %.3f ms by the process's own clock before its exit",
		milliseconds(rec.CPUTimeS.Duration()),
		float64(own)/1e6), trialRemedy)
}

func (t trial) wall() {
	limit := 50 * time.Millisecond
	rec, err := t.run("sleep", 5000, comp.Limits{WallTime: limit})
	if err != nil || rec.Ending != comp.WallTimeout {
		t.Add("wall time limit", runner.CheckFailed, trialFailure(rec, err), trialRemedy)
		return
	}
	over := rec.WallTimeS.Duration() - limit
	state := runner.CheckOK
	if over > 10*time.Millisecond {
		state = runner.CheckWarning
	}
	t.Add("wall time limit", state, fmt.Sprintf("enforced %.2f ms after the deadline", milliseconds(over)),
		"leave a core to the driver, or lower the load")
}

func (t trial) memory() {
	limit := int64(100e6)
	rec, err := t.run("touch", 300e6, comp.Limits{MemoryBytes: limit})
	if err != nil || rec.Ending != comp.OutOfMemory {
		t.Add("memory limit", runner.CheckFailed, trialFailure(rec, err), trialRemedy)
		return
	}
	t.Add("memory limit", runner.CheckOK, fmt.Sprintf("a run of 300 MB ended at %s", words.Bytes(rec.MemoryBytes)), "")
}

func (t trial) processes() {
	if slices.ContainsFunc(t.Checks, func(c runner.Check) bool {
		return c.Name == "controller pids" && c.State == runner.CheckFailed
	}) {
		return
	}
	rec, err := t.run("spawn", 40, comp.Limits{Processes: 20, WallTime: 3 * time.Second})
	if err != nil || rec.Ending != comp.PidsLimit {
		t.Add("limit of processes", runner.CheckFailed, trialFailure(rec, err), trialRemedy)
		return
	}
	t.Add("limit of processes", runner.CheckOK, "a run of 40 processes ended at 20", "")
}

func trialFailure(rec runner.Record, err error) string {
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("the trial ended as %s (exit code %d, signal %d)", rec.Ending, rec.ExitCode, rec.Signal)
}

func milliseconds(d time.Duration) float64 { return float64(d) / 1e6 }

// trialName is the first argument that makes the program act as the command of a trial run.
const trialName = "smtpipe-trial-run"

// A process that the doctor started as a trial run's command is handled here and never returns.
func init() {
	if len(os.Args) != 4 || os.Args[1] != trialName {
		return
	}
	n, err := strconv.Atoi(os.Args[3])
	if err != nil {
		os.Exit(64)
	}
	switch os.Args[2] {
	case "burn": // use n milliseconds of CPU time, then print the exact amount in nanoseconds
		for processCPU() < time.Duration(n)*time.Millisecond {
		}
		fmt.Println(processCPU().Nanoseconds())
	case "touch": // use n bytes of memory
		mem, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err != nil {
			os.Exit(65)
		}
		for i := 0; i < n; i += os.Getpagesize() {
			mem[i] = 1
		}
		runtime.KeepAlive(mem)
	case "sleep": // sleep n milliseconds
		time.Sleep(time.Duration(n) * time.Millisecond)
	case "spawn": // start n concurrent processes
		for range n {
			if err := exec.Command("/proc/self/exe", trialName, "sleep", "2000").Start(); err != nil {
				time.Sleep(time.Second)
			}
		}
	}
	os.Exit(0)
}

// processCPU returns the CPU time used by this process.
func processCPU() time.Duration {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &ts) // cannot fail for the calling process
	return time.Duration(ts.Nano())
}
