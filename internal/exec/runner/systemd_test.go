package runner

import (
	"context"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// TestManagerReloads executes the command in SMTPIPE_DISTURB during a run. scripts/guest/checks uses it to make systemd
// reload all units and change controllers elsewhere. The run's cgroups must stay unchanged, and its limits in force.
func TestManagerReloads(t *testing.T) {
	disturb := os.Getenv("SMTPIPE_DISTURB")
	if disturb == "" {
		t.Skip("SMTPIPE_DISTURB names no command that disturbs: there is no systemd to reload")
	}
	l := openLab(t, modes[0])
	c := l.victim("print", "begun", ",", "stdin", ",", "alloc", "400", "5s")
	c.Limits.MemoryBytes = 100e6
	hold, release := io.Pipe()
	c.Stdin = hold
	var before, after map[string]string
	go func() {
		defer release.Close()
		dir := waitForRun(t, l, "stdin", 1)
		before = settings(dir)
		if out, err := exec.Command(disturb).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", disturb, err, out)
		}
		after = settings(dir)
	}()
	rec, err := l.host.Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	wantEnding(t, rec, comp.OutOfMemory)
	wantOut(t, rec, "begun", "stdin: 0 bytes, error <nil>")
	if len(before) == 0 {
		t.Error("the run has no cgroup")
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("the cgroups of the run changed:\n%s", diff)
	}
	t.Logf("cgroup %s: %v", l.host.layout.v2, before)
}

// TestStoppedWithDriver checks that a command counts as stopped if a signal ended it just before the driver received
// its own signal, but not if only the command received a signal.
func TestStoppedWithDriver(t *testing.T) {
	l := openLab(t, modes[0])
	for _, want := range []comp.Ending{comp.Killed, comp.Signalled} {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			dir := waitForRun(t, l, "sleep\x0021s", 1)
			for _, word := range readWords(dir + "/cgroup.procs") {
				if pid, err := strconv.Atoi(word); err == nil {
					_ = unix.Kill(pid, unix.SIGTERM)
				}
			}
			if want == comp.Killed {
				time.Sleep(20 * time.Millisecond)
				cancel()
			}
		}()
		rec, err := l.host.Run(ctx, l.victim("sleep", "21s"))
		cancel()
		if err != nil || rec.Ending != want || rec.Signal != int64(unix.SIGTERM) {
			t.Errorf("ending %q with signal %d, %v; want %q", rec.Ending, rec.Signal, err, want)
		}
	}
}

// TestChildStoppedWithDriver uses a shell that continues after a signal has ended its child, reports the signal, and
// exits normally.
func TestChildStoppedWithDriver(t *testing.T) {
	l := openLab(t, modes[0])
	for _, want := range []comp.Ending{comp.Killed, comp.Exited} {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			dir := waitForRun(t, l, "sleep\x0022s", 2)
			for _, word := range readWords(dir + "/cgroup.procs") {
				line, _ := os.ReadFile("/proc/" + word + "/cmdline")
				if pid, err := strconv.Atoi(word); err == nil && strings.Contains(string(line), "sleep\x0022s") {
					_ = unix.Kill(pid, unix.SIGTERM)
				}
			}
			if want == comp.Killed {
				time.Sleep(20 * time.Millisecond)
				cancel()
			}
		}()
		c := l.victim("sleep", "22s")
		c.Argv, c.HostSystem = []string{"sh", "-c", c.Argv[0] + " sleep 22s; echo sat"}, true
		rec, err := l.host.Run(ctx, c)
		cancel()
		if err != nil || rec.Ending != want || string(rec.Stdout.Bytes()) != "sat\n" {
			t.Errorf("ending %q, %v, stderr %q; want %q", rec.Ending, err, rec.Stderr.Bytes(), want)
		}
	}
}

// settings returns the settings of a run's cgroup and of its ancestors up to the base, and the processes in the cgroup.
func settings(dir string) map[string]string {
	m := map[string]string{}
	for _, name := range []string{"memory.max", "memory.swap.max", "memory.oom.group", "pids.max", "cgroup.procs"} {
		m[name] = strings.Join(readWords(filepath.Join(dir, name)), " ")
	}
	for range 4 {
		dir = filepath.Dir(dir)
		for _, name := range []string{"cpuset.cpus", "cpuset.mems", "cgroup.controllers", "cgroup.subtree_control"} {
			m[filepath.Join(filepath.Base(dir), name)] = strings.Join(readWords(filepath.Join(dir, name)), " ")
		}
	}
	maps.DeleteFunc(m, func(_, v string) bool { return v == "" })
	return m
}

// waitForRun returns the cgroup of the run in slot 0 once it contains the given number of processes, one of which has
// word on its command line.
func waitForRun(t *testing.T, l *lab, word string, processes int) string {
	for range 500 {
		dirs, _ := filepath.Glob(filepath.Join(l.host.layout.v2, l.host.driver, "slot-0", "run-*"))
		for _, dir := range dirs {
			if len(readWords(dir+"/cgroup.procs")) == processes && len(processesWith(word)) > 0 {
				return dir
			}
		}
		time.Sleep(10 * time.Millisecond * slow)
	}
	t.Error("no run begins")
	return ""
}
