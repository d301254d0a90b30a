package runner

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// twoDrivers covers BenchExec issue 1285: two drivers choose the same cores and disturb each other unnoticed.
func twoDrivers(t *turn, l *lab) {
	cfg := l.mode.config
	cfg.NoLock = false
	cfg.Jobs = len(l.host.topology.CPUs)
	first, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	second, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	rec, err := second.Run(context.Background(), l.victim("exit", "0"))
	if err != nil {
		t.Fatal(err)
	}
	if !rec.Flags.Has(FlagCoresShared) {
		t.Errorf("flags %v do not say that the cores are shared", rec.Flags)
	}
}

func clockScenario(t *turn, l *lab) {
	before := machineState{asleep: time.Second}
	if f := before.compare(machineState{asleep: 3 * time.Second}, 0, time.Second); f != FlagSuspended {
		t.Errorf("flags %v after the machine slept", f)
	}
	start := time.Now()
	rec := l.run(t, l.victim("sleep", "50ms"))
	between(t, "wall time", rec.WallTimeS.Duration(), 50*time.Millisecond, time.Since(start))
	if rec.Started.Before(start.Add(-time.Millisecond)) || rec.Started.After(time.Now()) {
		t.Errorf("started %v, want about %v", rec.Started, start)
	}
}

func machineFlags(t *turn, l *lab) {
	stolen := func(at time.Duration, ticks ...int64) machineState {
		return machineState{stolen: stolenReading{at, ticks}}
	}
	const ms = time.Millisecond
	tests := []struct {
		name          string
		before, after machineState
		start, end    time.Duration
		want          Flags
	}{
		{"nothing", machineState{swapped: 5, throttled: 7}, machineState{swapped: 5, throttled: 7}, 0, time.Second, 0},
		{"swapped", machineState{swapped: 5}, machineState{swapped: 6}, 0, time.Second, FlagSwapped},
		{"throttled", machineState{}, machineState{throttled: 1}, 0, time.Second, FlagThrottled},
		{"stolen 3 %", stolen(100*ms, 7), stolen(1100*ms, 10), 100 * ms, 1100 * ms, FlagStolen},
		{"perhaps 2 %, perhaps 1 %", stolen(100*ms, 7), stolen(1100*ms, 9), 100 * ms, 1100 * ms, 0},
		{"one tick is no time at all", stolen(100*ms, 7), stolen(200*ms, 8), 100 * ms, 200 * ms, 0},
		{"nor is one of each CPU", stolen(100*ms, 7, 1, 2, 3), stolen(200*ms, 8, 2, 3, 4), 100 * ms, 200 * ms, 0},
		{"stolen 0.5 %", stolen(0, 0), stolen(10*time.Second, 6), 0, 10 * time.Second, 0},
		{"stolen from one of two", stolen(0, 0, 0), stolen(10*time.Second, 0, 12), 0, 10 * time.Second, FlagStolen},
		{"perhaps before a short run", stolen(0, 0), stolen(24*ms, 2), 10 * ms, 24 * ms, 0},
		{"perhaps after it", stolen(0, 0), stolen(40*ms, 3), 0, 20 * ms, 0},
		{"within it", stolen(0, 0), stolen(40*ms, 3), 0, 38 * ms, FlagStolen},
		{"a CPU came", stolen(0, 0), stolen(time.Second, 0, 50), 0, time.Second, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *turn) {
			if got := tt.before.compare(tt.after, tt.start, tt.end); got != tt.want {
				t.Errorf("flags %v, want %v", got, tt.want)
			}
		})
	}
	busy := Record{Processes: 9, Pressure: &Pressure{900 * ms}}
	busy.CPUTimeS = 1.9
	for cores, want := range map[int]bool{1: true, 2: true, 3: false, 9: false} {
		if crowded(&busy, time.Second, cores) != want {
			t.Errorf("9 threads that use 1.9 s in a second, on %d cores: crowded is %t", cores, !want)
		}
	}
	if l.cgroups() && l.host.layout.v2 != "" {
		if rec := l.run(t, l.victim("burn", "20ms")); rec.Pressure == nil {
			if _, err := os.Stat("/proc/pressure/cpu"); err == nil {
				t.Error("the kernel measures pressure, the record has none")
			}
		}
	}
}

// diskFull checks that a full disk is a machine error, not a solver's result.
func diskFull(t *turn, l *lab) {
	file := filepath.Join(t.TempDir(), "missing.smt2")
	c := l.victim("exit", "0")
	c.Inputs = []Input{{Source: file, Target: file}}
	_, err := l.host.Run(context.Background(), c)
	if err == nil || errors.Is(err, ErrStart) {
		t.Errorf("a missing input gave %v, want an error of the machine", err)
	}
	if l.namespaces() {
		c = l.victim("exit", "0")
		c.Inputs = []Input{{Content: make([]byte, inlineBytes+1), Target: "/input/large"}}
		t.Setenv("TMPDIR", "/nonexistent")
		if _, err := l.host.Run(context.Background(), c); err == nil || errors.Is(err, ErrStart) {
			t.Errorf("staging without a disk gave %v, want an error of the machine", err)
		}
	}
	into := t.TempDir()
	c = l.victim("write", "result", "1")
	if !l.namespaces() {
		c.Dir = t.TempDir()
	}
	c.Collect = &Collect{Into: filepath.Join(into, "missing"), Patterns: []string{"*"}}
	if rec := l.run(t, c); !rec.Flags.Has(FlagCollectPartly) {
		t.Errorf("flags %v do not say that nothing was collected", rec.Flags)
	}
}

func cgroupTrouble(t *turn, l *lab) {
	l.needCgroups(t, "there are none")
	dir := filepath.Join(l.host.layout.bases()[0], l.host.driver, "trouble")
	if err := os.MkdirAll(filepath.Join(dir, "child", "grandchild"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := removeCgroup(dir); err != nil { // busy, because it contains a cgroup
		t.Errorf("remove a cgroup with children: %v", err)
	}
	if err := removeCgroup(dir); err != nil {
		t.Errorf("remove a cgroup that is gone: %v", err)
	}
	g, err := l.host.slots[0].group.newRunGroup("run-twice")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.host.slots[0].group.newRunGroup("run-twice"); err == nil {
		t.Error("a cgroup that exists was taken for a new run")
	}
	_ = g.remove()
	wantEnding(t, l.run(t, l.victim("exit", "0")), comp.Exited)
}

// manyRuns covers BenchExec issues 1220 and 1293: descriptors and kernel locks with many concurrent runs.
func manyRuns(t *turn, l *lab) {
	cfg := l.mode.config
	cfg.Jobs, cfg.Overcommit, cfg.NoLock = 16, true, true
	before := openFiles()
	h, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 3 {
				rec, err := h.Run(context.Background(), l.victim("print", "sat"))
				if err != nil || rec.Ending != comp.Exited || string(rec.Stdout.Bytes()) != "sat\n" {
					t.Errorf("%v %s", err, describe(rec))
				}
				if !rec.Flags.Has(FlagOvercommit) {
					t.Errorf("flags %v do not tell of overcommit", rec.Flags)
				}
			}
		})
	}
	wg.Wait()
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	if after := openFiles(); after > before+2 {
		t.Errorf("%d descriptors are open, before the host was opened there were %d", after, before)
	}
	var lim unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &lim); err != nil || lim.Cur != lim.Max {
		t.Errorf("the driver may open %d of %d files", lim.Cur, lim.Max)
	}
}

func openFiles() int {
	entries, _ := os.ReadDir("/proc/self/fd")
	return len(entries)
}

// machinesOfAllKinds covers BenchExec issues 440 and 850. slots_test.go describes the machines.
func machinesOfAllKinds(t *turn, l *lab) {
	_, err := Open(Config{Isolation: l.mode.config.Isolation, Jobs: 1000, NoLock: true})
	if err == nil {
		t.Error("1000 runs at once were not refused")
	}
	_, err = Open(Config{Isolation: l.mode.config.Isolation, CoresPerRun: 5000, NoLock: true})
	if err == nil {
		t.Error("5000 cores a run were not refused")
	}
	_, err = Open(Config{Isolation: l.mode.config.Isolation, CPUs: []int{4095}, NoLock: true})
	if err == nil {
		t.Error("a CPU that is not there was not refused")
	}
	c := l.victim("exit", "0")
	c.Limits.Cores = 5000
	if _, err := l.host.Run(context.Background(), c); err == nil {
		t.Error("a run with more cores than its slot was not refused")
	}
}

// waitsForInput imitates a solver that mistakes --version for a file name and reads standard input.
func waitsForInput(t *turn, l *lab) {
	c := l.victim("echo")
	r, w := io.Pipe() // the pipe is never closed
	defer w.Close()
	c.Stdin = r
	c.Limits.WallTime = 150 * time.Millisecond * slow
	rec := l.run(t, c)
	wantEnding(t, rec, comp.WallTimeout)
	wantEnding(t, l.run(t, l.victim("echo")), comp.Exited) // reading /dev/null returns EOF
}

// TestSpareInitDies kills the init that waits for the next command. The next run must succeed nevertheless.
func TestSpareInitDies(t *testing.T) {
	l := openBest(t)
	for range 3 {
		wantEnding(t, l.run(t, l.victim("exit", "0")), comp.Exited)
		s := l.host.slots[0]
		s.making.Wait()
		p := s.spare.init
		p.kill()
		for p.alive() {
			time.Sleep(time.Millisecond)
		}
	}
}

// TestSpareGroupGone removes the cgroups that wait for the next run. The next run must succeed nevertheless.
func TestSpareGroupGone(t *testing.T) {
	l := openBest(t)
	for range 3 {
		wantEnding(t, l.run(t, l.victim("exit", "0")), comp.Exited)
		s := l.host.slots[0]
		s.making.Wait()
		g := s.spare.group
		if g == nil {
			t.Skipf("isolation %s needs no cgroups", l.host.isolation)
		}
		for _, dir := range g.v1 {
			_ = removeCgroup(dir.path)
		}
		if g.v2.is() {
			_ = removeCgroup(g.v2.path)
		}
	}
}
