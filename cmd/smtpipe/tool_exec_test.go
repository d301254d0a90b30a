package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/base/exit"
)

// folderWithHole creates a folder with a sparse file of 1 TiB, which takes minutes to read.
func folderWithHole(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "hole")
	write(t, path, "", 0o644)
	if err := os.Truncate(path, 1<<40); err != nil {
		t.Skipf("no large file can be made here: %v", err)
	}
	return dir
}

// TestExecReadsNoFolder executes a command in folders that must not be read.
func TestExecReadsNoFolder(t *testing.T) {
	for _, dir := range []string{folderWithHole(t), "/", "/proc", "/proc/self", "/sys", "/dev", "/dev/shm", "/usr"} {
		t.Run(dir, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			args := []string{"tool", "exec", "--isolation", "best_effort", "--output", "-", "--", "/bin/true"}
			cmd := exec.CommandContext(ctx, "smtpipe", args...)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "returnvalue=0\n") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// TestExecIsInterrupted sends SIGTERM while the files in --read-only-dir are being read, before any limit applies.
func TestExecIsInterrupted(t *testing.T) {
	if !sandboxWorks() {
		t.Skip("without a sandbox no file is read before the start")
	}
	var text strings.Builder
	dir := folderWithHole(t)
	cmd := exec.Command("smtpipe", "tool", "exec", "--read-only-dir", dir, "--output", "-", "--", "/bin/true")
	cmd.Stderr = &text
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	for begun := time.Now(); bytesRead(cmd.Process.Pid) < 100e6; time.Sleep(10 * time.Millisecond) {
		if time.Since(begun) > time.Minute {
			t.Fatal("it does not read the folder")
		}
	}
	cmd.Process.Signal(syscall.SIGTERM)
	signalled := time.Now()
	cmd.Wait()
	const want = "interrupted before the command was started"
	if code := cmd.ProcessState.ExitCode(); code != exit.Interrupted || !strings.Contains(text.String(), want) {
		t.Errorf("exit code %d, want %d and %q\n%s", code, exit.Interrupted, want, &text)
	}
	if took := time.Since(signalled); took > 20*time.Second {
		t.Errorf("it took %v to end", took)
	}
}

// bytesRead returns the number of bytes that a process has read through system calls.
func bytesRead(pid int) int {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/io")
	if m := regexp.MustCompile(`rchar: (\d+)`).FindSubmatch(text); m != nil {
		n, _ := strconv.Atoi(string(m[1]))
		return n
	}
	return 0
}
