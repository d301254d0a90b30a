package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/base/exit"
)

// tmpfs mounts a small file system in memory, which requires root.
func tmpfs(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("smtpipe-test", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("a tmpfs cannot be mounted here, which needs root: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

// remount changes a tmpfs's size and mode.
func remount(t *testing.T, dir, size string, flags uintptr) {
	t.Helper()
	if err := syscall.Mount("smtpipe-test", dir, "tmpfs", syscall.MS_REMOUNT|flags, "size="+size); err != nil {
		t.Fatal(err)
	}
}

// TestFullDisk runs with a store on a disk that becomes full during a fan-out. The error must be clear and the store
// undamaged, and the run must continue when there is more space. Afterwards, the test makes the file system read-only.
func TestFullDisk(t *testing.T) {
	disk := tmpfs(t, "8m")
	s := newStorm(t, 1, "0.001")
	// Each run prints a quarter of a megabyte of incompressible noise, so 60 runs print 15 MB.
	write(t, filepath.Join(s.dir, "counter.sh"), `#!/bin/sh
echo "counter$1 $(sha256sum < "$2")" >> "${0%/*}/executions"
head -c 250000 /dev/urandom
`, 0o777)
	store := filepath.Join(disk, "store")
	out, err := s.command("--store", store).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "no space left") {
		t.Fatalf("on a full disk: %v\n%s", err, out)
	}
	executed := len(s.executions(t))
	if executed == 0 || executed >= s.total {
		t.Fatalf("%d of %d runs were executed before the disk was full", executed, s.total)
	}
	remount(t, disk, "256m", 0)
	if out, err := exec.Command("smtpipe", "cache", "verify", "--store", store).CombinedOutput(); err != nil {
		t.Errorf("after the disk was full: %v\n%s", err, out)
	}
	if out, err := s.command("--store", store).CombinedOutput(); err != nil {
		t.Fatalf("with more space: %v\n%s", err, out)
	}
	// The two concurrent runs that could not be recorded, in up to three tries.
	if again := len(s.executions(t)) - s.total; again > 2*3 {
		t.Errorf("%d runs were executed again", again)
	}

	remount(t, disk, "256m", syscall.MS_RDONLY)
	if out, err := s.command("--store", store).CombinedOutput(); err != nil || !strings.Contains(string(out),
		"Nothing to execute") {
		t.Errorf("nothing to do on a read-only store: %v\n%s", err, out)
	}
	out, err = s.command("--store", store, "--fresh", "stage.execute.main").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "can be read here but not written to") {
		t.Errorf("a new attempt on a read-only store: %v\n%s", err, out)
	}
}

// TestSecondSignal interrupts a run, which then waits for uploads to a server that accepts none. A second signal must
// end it immediately.
func TestSecondSignal(t *testing.T) {
	t.Parallel()
	stop := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPut {
			http.NotFound(w, r)
			return
		}
		select {
		case <-stop:
		case <-r.Context().Done():
		}
	}))
	defer server.Close()
	defer close(stop)
	s := newStorm(t, 1, "0.05")
	cmd := s.command("--remote", server.URL)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	for begun := time.Now(); len(s.executions(t)) == 0; time.Sleep(10 * time.Millisecond) {
		if time.Since(begun) > 2*time.Minute {
			t.Fatal("nothing is executed")
		}
	}
	cmd.Process.Signal(os.Interrupt)
	said := make([]byte, 4096)
	n, err := stderr.Read(said)
	if err != nil || !strings.Contains(string(said[:n]), "A second signal stops at once") {
		t.Fatalf("after the first signal it says %q, %v", said[:n], err)
	}
	time.Sleep(50 * time.Millisecond)
	cmd.Process.Signal(os.Interrupt)
	begun := time.Now()
	cmd.Wait()
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if took := time.Since(begun); took > 10*time.Second ||
		!(status.Signaled() || status.ExitStatus() == exit.Interrupted) {
		t.Errorf("after the second signal it took %v and ended with %v", took, cmd.ProcessState)
	}
	write(t, filepath.Join(s.dir, "pause"), "0.001", 0o666)
	s.finish(t)
}
