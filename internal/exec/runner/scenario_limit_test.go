package runner

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

func notStartable(t *turn, l *lab) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	file := func(name, content string, mode os.FileMode) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		return p
	}
	// an ELF header for another machine: EM_S390, 22
	foreign := "\x7fELF\x02\x02\x01\x00" + strings.Repeat("\x00", 8) + "\x00\x02\x00\x16" + strings.Repeat("\x00", 200)
	tests := []struct {
		name, program string
		want          error
	}{
		{"not found", dir + "/missing", syscall.ENOENT},
		{"not in the path", "no-such-solver", syscall.ENOENT},
		{"not executable", file("plain", "#!/bin/true\n", 0o644), syscall.EACCES},
		{"missing interpreter", file("script", "#!/no/such/interpreter\n", 0o755), syscall.ENOENT},
		{"another machine", file("foreign", foreign, 0o755), syscall.ENOEXEC},
		{"no format at all", file("text", "hello\n", 0o755), syscall.ENOEXEC},
		{"a folder", dir, syscall.EACCES},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *turn) {
			c := Command{Argv: []string{tt.program}}
			if l.namespaces() && filepath.IsAbs(tt.program) && !strings.HasSuffix(tt.program, "missing") {
				c.Mounts = []Mount{{Source: tt.program, Target: tt.program}}
			}
			_, err := l.host.Run(context.Background(), c)
			if !errors.Is(err, ErrStart) || !errors.Is(err, tt.want) {
				t.Errorf("error %v, want ErrStart and %v", err, tt.want)
			}
		})
	}
}

func exitCodes(t *turn, l *lab) {
	for _, code := range []int{0, 1, 127, 137, 255} {
		rec := l.run(t, l.victim("exit", itoa(code)))
		wantEnding(t, rec, comp.Exited)
		if rec.ExitCode != int64(code) || rec.Signal != 0 {
			t.Errorf("exit %d signal %d, want exit %d", rec.ExitCode, rec.Signal, code)
		}
	}
	rec := l.run(t, l.victim("kill", "9")) // must differ from exit code 137
	wantEnding(t, rec, comp.Signalled)
	if rec.ExitCode != -1 || rec.Signal != 9 {
		t.Errorf("exit %d signal %d, want signal 9", rec.ExitCode, rec.Signal)
	}
	if !rec.Flags.Has(FlagForeignKill) {
		t.Errorf("flags %v do not say that the runner did not send the SIGKILL", rec.Flags)
	}
	c := l.victim("sleep", "30s")
	c.Limits.WallTime = 50 * time.Millisecond * slow
	for _, rec := range []Record{l.run(t, c), l.run(t, l.victim("kill", "15"))} {
		if rec.Flags.Has(FlagForeignKill) {
			t.Errorf("%s has the flags %v", rec.Ending, rec.Flags)
		}
	}
}

func diesBySignal(t *turn, l *lab) {
	dir := t.TempDir()
	for _, sig := range []syscall.Signal{syscall.SIGSEGV, syscall.SIGABRT, syscall.SIGFPE, syscall.SIGALRM} {
		c := l.victim("kill", itoa(int(sig)))
		if !l.namespaces() {
			c.Dir = dir
		}
		rec := l.run(t, c)
		if rec.Ending != comp.Signalled || rec.Signal != int64(sig) {
			t.Errorf("signal %d: %s %s", sig, rec.Ending, describe(rec))
		}
	}
	rec := l.run(t, l.victim("facts"))
	if facts(rec)["limit_core"] != "1,1" {
		t.Errorf("core dumps of %s, want none", facts(rec)["limit_core"])
	}
	if files, _ := filepath.Glob(dir + "/core*"); len(files) > 0 {
		t.Errorf("core dumps: %v", files)
	}
}

// cpuTolerance is how far a run may exceed its CPU limit: a kernel tick, plus a moment without the driver on a busy
// machine. Samples of /proc have a resolution of 10 ms.
func (l *lab) cpuTolerance() time.Duration {
	if l.cgroups() {
		return 60 * time.Millisecond
	}
	return 120 * time.Millisecond
}

func cpuLimitOneThread(t *turn, l *lab) {
	c := l.victim("burn", "10s")
	c.Limits.CPUTime = 200 * time.Millisecond
	rec := l.run(t, c)
	wantEnding(t, rec, comp.CPUTimeout)
	between(t, "CPU time", rec.CPUTimeS.Duration(), c.Limits.CPUTime, c.Limits.CPUTime+l.cpuTolerance())
}

func cpuLimitMany(t *turn, l *lab) {
	for _, args := range [][]string{
		{"burn", "10s", "4"},
		{"spawn", "3", "burn", "10s", ",", "burn", "10s"},
		{"daemon", "burn", "10s", ",", "sleep", "4s"},
	} {
		c := l.victim(args...)
		c.Limits.CPUTime = 200 * time.Millisecond
		rec := l.run(t, c)
		wantEnding(t, rec, comp.CPUTimeout)
		between(t, "CPU time of "+args[0], rec.CPUTimeS.Duration(), c.Limits.CPUTime,
			c.Limits.CPUTime+3*l.cpuTolerance())
	}
	nobodyLeft(t, "burn\x0010s")
}

func wallLimit(t *turn, l *lab) {
	c := l.victim("sleep", "30s")
	c.Limits.WallTime = 150 * time.Millisecond * slow
	rec := l.run(t, c)
	wantEnding(t, rec, comp.WallTimeout)
	between(t, "wall time", rec.WallTimeS.Duration(), c.Limits.WallTime, c.Limits.WallTime/slow+150*time.Millisecond)
	if rec.Signal != 9 {
		t.Errorf("signal %d, want SIGKILL", rec.Signal)
	}
}

func softLimits(t *turn, l *lab) {
	t.Run("ends in grace", func(t *turn) {
		c := l.victim("ignore", "report", ",", "burn", "10s")
		c.SoftCPUTime, c.Limits.CPUTime = 100*time.Millisecond*slow, 2*time.Second*slow
		rec := l.run(t, c)
		wantEnding(t, rec, comp.Exited)
		if rec.ExitCode != 7 || !rec.Flags.Has(FlagSoftLimit) {
			t.Errorf("want exit code 7 after SIGTERM; %s", describe(rec))
		}
	})
	t.Run("reaches children", func(t *turn) {
		c := l.victim("ignore", ",", "spawn", "1", "sleep", "90s", ",", "sleep",
			(300 * time.Millisecond * slow).String())
		c.SoftWallTime = 100 * time.Millisecond * slow
		rec := l.run(t, c)
		wantEnding(t, rec, comp.Exited)
		if rec.Flags.Has(FlagLeftProcesses) {
			t.Errorf("SIGTERM did not reach the child; %s", describe(rec))
		}
	})
	t.Run("ignored", func(t *turn) {
		c := l.victim("ignore", ",", "burn", "10s")
		c.SoftCPUTime, c.Limits.CPUTime = 50*time.Millisecond*slow, 150*time.Millisecond*slow
		rec := l.run(t, c)
		wantEnding(t, rec, comp.CPUTimeout)
		if !rec.Flags.Has(FlagSoftLimit) {
			t.Errorf("the soft limit is not flagged; %s", describe(rec))
		}
	})
	t.Run("wall", func(t *turn) {
		c := l.victim("sleep", "10s")
		c.SoftWallTime = 100 * time.Millisecond * slow
		rec := l.run(t, c)
		wantEnding(t, rec, comp.Signalled)
		if rec.Signal != int64(syscall.SIGTERM) || !rec.Flags.Has(FlagSoftLimit) {
			t.Errorf("want SIGTERM; %s", describe(rec))
		}
	})
}

// endsAtLimit runs commands that end by themselves close to the limit. The verdict must follow from the measured time,
// whether the end or the deadline came first.
func endsAtLimit(t *turn, l *lab) {
	for range 12 {
		c := l.victim("sleep", "40ms", ",", "print", "unsat")
		c.Limits.WallTime = 42 * time.Millisecond
		rec := l.run(t, c)
		want := comp.Exited
		if rec.WallTimeS.Duration() > c.Limits.WallTime {
			want = comp.WallTimeout
		}
		wantEnding(t, rec, want)
		if late := rec.Flags.Has(FlagLateExit); late != (want == comp.WallTimeout && rec.Signal == 0) {
			t.Errorf("late exit %v; %s", late, describe(rec))
		}
	}
}

// answersThenGoesOn covers BenchExec issue 1064: answers before the limit must be recorded.
func answersThenGoesOn(t *turn, l *lab) {
	c := l.victim("sleep", "50ms", ",", "print", "unsat", ",", "sleep", "10s")
	c.Limits.WallTime = 300 * time.Millisecond * slow
	rec := l.run(t, c)
	wantEnding(t, rec, comp.WallTimeout)
	if len(rec.Lines) != 1 || rec.Lines[0].Text != "unsat" {
		t.Fatalf("recorded lines %v, want unsat", rec.Lines)
	}
	between(t, "time of the answer", rec.Lines[0].At, 50*time.Millisecond, 290*time.Millisecond)
}

func memoryBomb(t *turn, l *lab) {
	c := l.victim("alloc", "400", "5s")
	c.Limits.MemoryBytes = 100e6
	rec := l.run(t, c)
	wantEnding(t, rec, comp.OutOfMemory)
	if l.cgroups() && (rec.MemoryBytes < 99e6 || rec.MemoryBytes > 101e6) {
		t.Errorf("memory %d, want the limit of 100 MB", rec.MemoryBytes)
	}
	c = l.victim("alloc", "80")
	c.Limits.MemoryBytes = 100e6
	rec = l.run(t, c)
	wantEnding(t, rec, comp.Exited)
	if l.cgroups() && (rec.MemoryBytes < 80e6 || rec.MemoryBytes > 88e6) {
		t.Errorf("memory %d, want 80 MB and some for the program", rec.MemoryBytes)
	}
}

func memoryBombChild(t *turn, l *lab) {
	c := l.victim("spawn", "1", "sleep", "9s", ",", "child", "alloc", "400", "5s", ",", "sleep", "9s")
	c.Limits.MemoryBytes = 100e6
	rec := l.run(t, c)
	wantEnding(t, rec, comp.OutOfMemory)
	if rec.WallTimeS.Duration() > 3*time.Second*slow {
		t.Errorf("the parent lived on for %v", rec.WallTimeS.Duration())
	}
	nobodyLeft(t, "sleep\x009s")
}

// tinyMemoryLimit covers BenchExec issues 779 and 1098: 100 kB is too little to start any program.
func tinyMemoryLimit(t *turn, l *lab) {
	l.needCgroups(t, "a sample may come after the end of a program that needs 1 MB")
	c := l.victim("sleep", "50ms")
	c.Limits.MemoryBytes = 100e3
	for range 3 {
		rec := l.run(t, c)
		wantEnding(t, rec, comp.OutOfMemory)
	}
}

// initSurvives covers BenchExec issue 1098: init is not in the cgroup whose processes are killed together.
func initSurvives(t *turn, l *lab) {
	l.needCgroups(t, "nothing kills by group")
	for range 3 {
		c := l.victim("spawn", "3", "alloc", "60", "5s", ",", "alloc", "60", "5s")
		c.Limits.MemoryBytes = 100e6
		rec := l.run(t, c) // would return an error if init had died
		wantEnding(t, rec, comp.OutOfMemory)
	}
}

// killedByMachine covers BenchExec issue 831: if the machine kills a run below its limit, the solver has no result.
func killedByMachine(t *turn, l *lab) {
	l.needCgroups(t, "who killed is not known")
	tests := []struct {
		name        string
		own, system bool
		want        bool // whether an error is expected
	}{
		{"own limit", true, false, false},
		{"machine", false, true, true},
		{"nobody", false, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *turn) {
			err := machineKilled(tt.own, tt.system, true, "")
			if (err != nil) != tt.want {
				t.Errorf("error %v, want one: %v", err, tt.want)
			}
		})
	}
	rec := l.run(t, l.victim("read", "/proc/self/oom_score_adj"))
	if l.namespaces() {
		wantOut(t, rec, "500") // the kernel kills the command before the driver
	}
}

func addressSpace(t *turn, l *lab) {
	c := l.victim("burn", "10ms")
	c.Limits.MemoryBytes = 60e6 // the victim's Go runtime reserves more address space
	wantEnding(t, l.run(t, c), comp.Exited)
}

func noSwap(t *turn, l *lab) {
	l.needCgroups(t, "swap cannot be kept from a process without a cgroup")
	c := l.victim("alloc", "300", "2s")
	c.Limits.MemoryBytes = 50e6
	wantEnding(t, l.run(t, c), comp.OutOfMemory) // with swap, 250 MB would be swapped out
}

func pageCache(t *turn, l *lab) {
	l.needCgroups(t, "samples count a process's own memory only")
	file := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(file, make([]byte, 60e6), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := dropCache(file); err != nil {
		t.Skipf("cannot empty the page cache: %v", err)
	}
	inside := file
	if l.namespaces() {
		inside = "/input/file"
	}
	c := l.victim("readall", inside)
	c.Inputs = []Input{{Source: file, Target: inside}}
	rec := l.run(t, c)
	wantOut(t, rec, "read 60000000 <nil>")
	if rec.MemoryBytes > 30e6 {
		t.Errorf("memory %d: the input of 60 MB is counted", rec.MemoryBytes)
	}
	if !l.namespaces() {
		return
	}
	if err := dropCache(file); err != nil {
		t.Fatal(err)
	}
	c = l.victim("readall", "/folder/input")
	c.Mounts = append(c.Mounts, Mount{Source: filepath.Dir(file), Target: "/folder", Warm: true})
	if rec := l.run(t, c); rec.MemoryBytes > 30e6 {
		t.Errorf("memory %d: the file of 60 MB in a warm mount is counted", rec.MemoryBytes)
	}
}

func scratchCounts(t *turn, l *lab) {
	l.needNamespaces(t)
	c := l.victim("write", "file", "40")
	c.Limits.ScratchBytes = 100e6
	rec := l.run(t, c)
	wantOut(t, rec, "written")
	if l.cgroups() && rec.MemoryBytes < 40e6 {
		t.Errorf("memory %d: 40 MB of files are not counted", rec.MemoryBytes)
	}
	for _, folder := range []string{"/work/file", "/tmp/file", "/dev/shm/file", "/home/solver/file"} {
		c = l.victim("write", folder, "40")
		c.Limits.ScratchBytes = 20e6
		rec = l.run(t, c)
		if !strings.Contains(string(rec.Stdout.Bytes()), "no space left") || !rec.Flags.Has(FlagScratchFull) {
			t.Errorf("%s: 40 MB fit into 20 MB of scratch space, or are not flagged; %s", folder, describe(rec))
		}
	}
}
