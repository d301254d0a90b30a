package runner

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func itoa(n int) string { return strconv.Itoa(n) }

func signalContext() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

// lockAndLeave locks the calling goroutine to its thread and never unlocks it.
func lockAndLeave() { runtime.LockOSThread() }

// drivenProcess is a driver in a separate process.
type drivenProcess struct {
	cmd *exec.Cmd
	out bytes.Buffer
}

// startDriver starts a driver and waits for a process with word on its command line.
func startDriver(t testing.TB, env []string, word string) *drivenProcess {
	t.Helper()
	d := &drivenProcess{cmd: exec.Command("/proc/self/exe")}
	d.cmd.Env = append(os.Environ(), env...)
	d.cmd.Stdout, d.cmd.Stderr = &d.out, &d.out
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.cmd.Process.Kill() })
	for range 500 {
		if len(processesWith(word)) > 0 {
			return d
		}
		time.Sleep(10 * time.Millisecond * slow)
	}
	_ = d.cmd.Process.Kill()
	_ = d.cmd.Wait()
	t.Fatalf("the driver does not execute %q; it says %s", word, d.out.String())
	return nil
}

// wait waits until the driver ends and returns its output.
func (d *drivenProcess) wait(t testing.TB) string {
	t.Helper()
	done := make(chan struct{})
	go func() {
		_ = d.cmd.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(5 * time.Second * slow):
		t.Fatal("the driver does not end")
	}
	return d.out.String()
}

// dropCache removes a file from the page cache.
func dropCache(file string) error {
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return err
	}
	return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
}

// TestNoDescriptors stops a driver that cannot open more files: everything that it needs to kill its runs must already
// be open.
func TestNoDescriptors(t *testing.T) {
	l := openLab(t, modes[0])
	d := driverProcess(t, l, "sleep 33s")
	few := unix.Rlimit{Cur: 3, Max: 4096}
	if err := unix.Prlimit(d.cmd.Process.Pid, unix.RLIMIT_NOFILE, &few, nil); err != nil {
		t.Fatal(err)
	}
	if err := d.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	nobodyLeft(t, "sleep\x0033s")
	few.Cur = few.Max
	if err := unix.Prlimit(d.cmd.Process.Pid, unix.RLIMIT_NOFILE, &few, nil); err != nil {
		t.Fatal(err)
	}
	d.wait(t)
}
