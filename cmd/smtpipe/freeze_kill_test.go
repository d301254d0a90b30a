package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/base/exit"
)

// killedFreeze executes "smtpipe freeze" and kills it when only some of the files are written. It returns the folder
// that the command wrote to and the names of the written files.
func killedFreeze(t *testing.T, project, out string, args ...string) (partial string, whole []string) {
	t.Helper()
	partial = filepath.Join(filepath.Dir(out), ".smtpipe-freeze-"+filepath.Base(out))
	note := regexp.MustCompile(`(?m)^[0-9a-f]{64} [0-9a-f]{64} "(.*)"$`)
	for range 50 {
		cmd := exec.Command("smtpipe", append([]string{"freeze", "-p", project, "-o", out}, args...)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for running := true; running; {
			select {
			case <-ended: // the command ended before the journal showed a file
				running = false
			case <-time.After(time.Millisecond):
				journal, err := os.ReadFile(filepath.Join(partial, "journal"))
				if found := note.FindAllSubmatch(journal, -1); err == nil && len(found) > 0 {
					_ = cmd.Process.Kill() // the process may have ended
					<-ended
					running = false
				}
			}
		}
		if journal, err := os.ReadFile(filepath.Join(partial, "journal")); err == nil {
			for _, m := range note.FindAllSubmatch(journal, -1) {
				whole = append(whole, string(m[1]))
			}
			return partial, whole
		}
		if err := os.RemoveAll(out); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("freeze always ended before it could be killed")
	return "", nil
}

// TestKilledFreeze checks that after a kill, the next freeze reuses the files that are complete and wanted, and that
// its folder equals one written without a kill.
func TestKilledFreeze(t *testing.T) {
	t.Parallel()
	project := smallProject(t)
	dir := t.TempDir()
	same := func(out string, args ...string) string {
		t.Helper()
		undisturbed := out + "-undisturbed"
		for _, name := range []string{out, undisturbed} {
			cmd := exec.Command("smtpipe", append([]string{"freeze", "-p", project, "-o", name}, args...)...)
			text, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if name == out {
				defer func() { t.Logf("%s", text) }()
			}
		}
		if text, err := exec.Command("diff", "-r", out, undisturbed).CombinedOutput(); err != nil {
			t.Errorf("the folder is another one:\n%s", text)
		}
		if left, err := filepath.Glob(filepath.Join(dir, ".smtpipe-*")); err != nil || len(left) > 0 {
			t.Errorf("%q is left, %v", left, err)
		}
		return out
	}

	// Existing files are not written again.
	out := filepath.Join(dir, "kept")
	partial, whole := killedFreeze(t, project, out, "--inputs")
	kept := filepath.Join(partial, "kept", filepath.FromSlash(whole[0]))
	before, err := os.Stat(kept)
	if err != nil {
		t.Fatal(err)
	}
	same(out, "--inputs")
	after, err := os.Stat(filepath.Join(out, filepath.FromSlash(whole[0])))
	if err != nil || !os.SameFile(before, after) {
		t.Errorf("%s was written again (%v)", whole[0], err)
	}

	// A file that was damaged in the meantime is written again.
	out = filepath.Join(dir, "damaged")
	partial, whole = killedFreeze(t, project, out)
	if err := os.Truncate(filepath.Join(partial, "damaged", filepath.FromSlash(whole[0])), 1); err != nil {
		t.Fatal(err)
	}
	same(out)

	// Unwanted files are removed.
	out = filepath.Join(dir, "other")
	partial, _ = killedFreeze(t, project, out, "--inputs")
	write(t, filepath.Join(partial, "other", "more"), "of somebody", 0o666)
	same(out, "--records")

	// If two freezes run concurrently, the second fails and explains why.
	out = filepath.Join(dir, "two")
	first := exec.Command("flock", filepath.Join(dir, ".smtpipe-freeze-two", "lock"), "sh", "-c", "echo locked; cat")
	if _, err := exec.LookPath("flock"); err != nil {
		t.Skip("there is no flock")
	}
	if err := os.Mkdir(filepath.Join(dir, ".smtpipe-freeze-two"), 0o777); err != nil {
		t.Fatal(err)
	}
	release, err := first.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	said, err := first.StdoutPipe()
	if err == nil {
		err = first.Start()
	}
	if err == nil {
		_, err = said.Read(make([]byte, 1))
	}
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	code := run([]string{"freeze", "-p", project, "-o", out}, strings.NewReader(""), &stdout, &stderr)
	if code != exit.Error || !strings.Contains(stderr.String(), "another process is writing "+out) {
		t.Errorf("exit code %d: %s", code, &stderr)
	}
	if err := release.Close(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait() // Wait ends cat
	same(out)
}
