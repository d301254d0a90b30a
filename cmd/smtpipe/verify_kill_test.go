package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/base/exit"
)

// signalled starts a command, sends it a signal when ready returns true, and returns its exit code.
func signalled(t *testing.T, sig syscall.Signal, ready func() bool, env []string, args ...string) int {
	t.Helper()
	cmd := exec.Command("smtpipe", args...)
	cmd.Env = append(os.Environ(), env...)
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); !ready(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			cmd.Process.Kill()
			t.Fatalf("it never came so far:\n%s", &text)
		}
	}
	if err := cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if cmd.ProcessState.Success() {
		t.Fatalf("it ended before the signal:\n%s", &text)
	}
	return cmd.ProcessState.ExitCode()
}

// TestInterruptedVerify checks that verify leaves nothing behind: immediately after a signal, and after a SIGKILL as
// soon as the next verify starts.
func TestInterruptedVerify(t *testing.T) {
	project := smallProject(t)
	out, temp := filepath.Join(t.TempDir(), "frozen.zip"), t.TempDir()
	execSmtpipe(t, exit.Done, "freeze", "-p", project, "-o", out)
	env := []string{"TMPDIR=" + temp}
	left := func() []string {
		t.Helper()
		found, err := filepath.Glob(filepath.Join(temp, "smtpipe-verify-*"))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	inside := func() bool { // the child has started
		found, _ := filepath.Glob(filepath.Join(temp, "smtpipe-verify-*", "*"))
		return len(found) > 0
	}
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		if code := signalled(t, sig, inside, env, "verify", out); code != exit.Interrupted || len(left()) > 0 {
			t.Errorf("%v: exit code %d, left %q", sig, code, left())
		}
	}
	signalled(t, syscall.SIGKILL, inside, env, "verify", out)
	abandoned := left()
	if len(abandoned) != 1 {
		t.Fatalf("after a SIGKILL: %q", abandoned)
	}
	hour := time.Now().Add(-time.Hour)
	// Age the folder, because a new one may not be locked yet.
	if err := os.Chtimes(abandoned[0], hour, hour); err != nil {
		t.Fatal(err)
	}
	next := exec.Command("smtpipe", "verify", out)
	next.Env = append(os.Environ(), env...)
	if text, err := next.CombinedOutput(); err != nil || len(left()) > 0 {
		t.Errorf("%v, left %q\n%s", err, left(), text)
	}
}

// TestInterruptedRerun checks that an interrupted rerun ends with the signal's exit code.
func TestInterruptedRerun(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "competition.hcl"), `
competition {
  name = "X"
  year = 2026
}
stage "command" "slow" {
  program = file("slow.sh")
}
`, 0o666)
	write(t, filepath.Join(dir, "slow.sh"), "#!/bin/sh\nsleep 3\necho made >a\n", 0o777)
	execSmtpipe(t, exit.Done, "run", "-p", dir, "--progress", "none")
	start := time.Now()
	after := func() bool { return time.Since(start) > time.Second }
	code := signalled(t, syscall.SIGINT, after, nil, "cache", "verify", "--rerun", "-p", dir)
	if code != exit.Interrupted {
		t.Errorf("exit code %d, want %d", code, exit.Interrupted)
	}
}
