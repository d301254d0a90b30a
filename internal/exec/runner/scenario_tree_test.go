package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/runner/initproc"
)

// forkBombScenario covers BenchExec issue 235, which stopped machines at SV-COMP 2019: the number of processes is
// always limited.
func forkBombScenario(t *turn, l *lab) {
	l.needCgroups(t, "the number of processes is not limited without the pids controller")
	c := l.victim("forkbomb")
	c.Limits.Processes, c.Limits.WallTime = 60, 3*time.Second*slow
	rec := l.run(t, c)
	wantEnding(t, rec, comp.PidsLimit)
	if !rec.Flags.Has(FlagPidsLimit) {
		t.Errorf("flags %v lack the refused processes", rec.Flags)
	}
	if rec.WallTimeS.Duration() > 2*time.Second*slow {
		t.Errorf("it took %v to stop the bomb", rec.WallTimeS.Duration())
	}
	if rec.Processes > 61 { // includes one refused attempt
		t.Errorf("%d processes at one time, want at most 60", rec.Processes)
	}
	nobodyLeft(t, "forkbomb")
}

func daemonScenario(t *turn, l *lab) {
	c := l.victim("daemon", "burn", "20s")
	c.Argv = append(c.Argv, ",", "sleep", "200ms")
	rec := l.run(t, c)
	wantEnding(t, rec, comp.Exited)
	between(t, "wall time", rec.WallTimeS.Duration(), 200*time.Millisecond, time.Second)
	if l.cgroups() {
		if rec.CPUTimeS.Duration() < 10*time.Millisecond { // the command itself only sleeps
			t.Errorf("CPU time %v: the daemon's is missing", rec.CPUTimeS.Duration())
		}
		if !rec.Flags.Has(FlagLeftProcesses) {
			t.Errorf("flags %v do not tell of the daemon", rec.Flags)
		}
	}
	nobodyLeft(t, "burn\x0020s")
}

func ignoresSignals(t *turn, l *lab) {
	c := l.victim("ignore", ",", "sleep", "10s")
	c.Limits.WallTime, c.SoftWallTime = 200*time.Millisecond*slow, 100*time.Millisecond*slow
	wantEnding(t, l.run(t, c), comp.WallTimeout)
}

// zombies leaves children that nothing waits for, and orphans.
func zombies(t *turn, l *lab) {
	rec := l.run(t, l.victim("spawn", "20", "exit", "0", ",", "daemon", "exit", "0", ",", "sleep", "50ms"))
	wantEnding(t, rec, comp.Exited)
	nobodyLeft(t, "spawn\x0020")
	var left []int
	for range 100 { // init itself is waited for in the background
		left = nil
		for _, c := range children(os.Getpid()) {
			if f, ok := statFields(c); ok && f[0] == "Z" {
				left = append(left, c)
			}
		}
		if len(left) == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("zombies %v are left as children of the driver", left)
}

func stopsItself(t *turn, l *lab) {
	c := l.victim("stop")
	c.Limits.WallTime = 150 * time.Millisecond * slow
	rec := l.run(t, c)
	wantEnding(t, rec, comp.WallTimeout)
	nobodyLeft(t, "stop")
}

// frozen covers BenchExec issue 840: a frozen process must die too.
func frozen(t *turn, l *lab) {
	l.needCgroups(t, "nothing can freeze a run")
	c := l.victim("sleep", "20s")
	c.Limits.WallTime = 300 * time.Millisecond * slow
	frozen := make(chan bool, 1)
	go func() {
		base := l.host.layout.v2
		file, value := "cgroup.freeze", "1"
		if base == "" {
			base, file, value = l.host.layout.v1["freezer"], "freezer.state", "FROZEN"
		}
		for range 200 {
			found, _ := filepath.Glob(filepath.Join(base, l.host.driver, "slot-0", "run-*", file))
			// With v1, init is briefly in the cgroup while the command starts.
			if len(found) > 0 && len(processesWith("sleep\x0020s")) > 0 && len(readWords(filepath.Dir(found[0])+
				"/cgroup.procs")) == 1 {
				frozen <- writeFile(found[0], value) == nil
				return
			}
			time.Sleep(time.Millisecond)
		}
		frozen <- false
	}()
	rec := l.run(t, c)
	if !<-frozen {
		t.Fatal("the run was not frozen")
	}
	wantEnding(t, rec, comp.WallTimeout)
	between(t, "wall time", rec.WallTimeS.Duration(), 300*time.Millisecond, 1500*time.Millisecond)
}

func noCgroupsInside(t *turn, l *lab) {
	l.needNamespaces(t)
	rec := l.run(t, l.victim("ls", "/sys/fs/cgroup", ",", "read", "/proc/self/mountinfo"))
	if strings.Contains(string(rec.Stdout.Bytes()), "cgroup.procs") || strings.Contains(string(rec.Stdout.Bytes()),
		" - cgroup") {
		t.Errorf("cgroups are mounted inside; %s", describe(rec))
	}
}

func killsEverybody(t *turn, l *lab) {
	l.needNamespaces(t) // a run that sees the driver's processes would end the test
	rec := l.run(t, l.victim("killall", ",", "print", "alive"))
	wantEnding(t, rec, comp.Exited)
	wantOut(t, rec, "alive")
	rec = l.run(t, l.victim("kill", "9", "1", ",", "kill", "15", "1", ",", "print", "alive"))
	wantEnding(t, rec, comp.Exited)
	wantOut(t, rec, "alive")
}

func attacksInit(t *turn, l *lab) {
	l.needNamespaces(t)
	rec := l.run(t, l.victim("attack"))
	for _, line := range out(rec) {
		if strings.Contains(line, "init") && strings.HasSuffix(line, "SUCCEEDED") {
			t.Error(line)
		}
	}
	wantEnding(t, rec, comp.Exited)
	rec = l.run(t, l.victim("read", "/proc/1/cmdline"))
	if got := strings.Trim(string(rec.Stdout.Bytes()), "\x00"); got != initproc.Name {
		t.Errorf("the command line of init is %q and tells more than its name", got)
	}
}

// driverProcess starts this test binary as a driver and waits for its victim.
func driverProcess(t testing.TB, l *lab, victim string) *drivenProcess {
	t.Helper()
	return startDriver(t, []string{
		"SMTPIPE_TEST_DRIVER=" + victim, "SMTPIPE_TEST_ISOLATION=" + string(l.mode.config.Isolation),
		"SMTPIPE_VICTIM=" + victimPath,
	}, strings.ReplaceAll(victim, " ", "\x00"))
}

func driverInterrupted(t *turn, l *lab) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		d := driverProcess(t, l, "sleep 31s")
		if err := d.cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if text := d.wait(t); !strings.Contains(text, "ending "+string(comp.Killed)+" <nil>") {
			t.Errorf("after signal %d the driver says %q", sig, text)
		}
		nobodyLeft(t, "sleep\x0031s")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := l.host.Run(ctx, l.victim("sleep", "10s")); !errors.Is(err, context.Canceled) {
		t.Errorf("a run that begins after the end gives %v", err)
	}
}

func driverKilled(t *turn, l *lab) {
	d := driverProcess(t, l, "daemon sleep 32s , sleep 33s")
	if err := d.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	d.wait(t)
	nobodyLeft(t, "sleep\x0032s")
	nobodyLeft(t, "sleep\x0033s")
	other, err := Open(l.mode.config) // opening a host sweeps
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), fmt.Sprintf("%sdriver-%d-*", stagingPrefix,
		d.cmd.Process.Pid)))
	if len(left) > 0 {
		t.Errorf("%v is left of a dead driver", left)
	}
	if !l.cgroups() {
		return
	}
	for _, base := range other.layout.bases() {
		entries, _ := os.ReadDir(base)
		for _, e := range entries {
			if e.IsDir() && deadDriver(e.Name()) {
				t.Errorf("%s/%s is left of a dead driver", base, e.Name())
			}
		}
	}
}

// startingThreadEnds covers go.dev/issue/27505: a process receives its death signal when the thread that started it
// ends.
func startingThreadEnds(t *turn, l *lab) {
	type result struct {
		rec Record
		err error
	}
	done := make(chan result)
	go func() {
		lockAndLeave() // a locked thread ends with its goroutine
		rec, err := l.host.Run(context.Background(), l.victim("sleep", "200ms"))
		done <- result{rec, err}
	}()
	r := <-done
	if r.err != nil {
		t.Fatal(r.err)
	}
	wantEnding(t, r.rec, comp.Exited)
}
