package runner

import (
	"os"
	"os/exec"
	"testing"
)

// TestGuest executes the scenarios in an emulated machine with a pure cgroup v2 layout. It takes minutes and needs the
// Debian packages that scripts/guest-test names, so it waits for SMTPIPE_GUEST=1.
func TestGuest(t *testing.T) {
	if os.Getenv("SMTPIPE_GUEST") != "1" {
		t.Skip("SMTPIPE_GUEST is not 1: emulating a machine takes minutes")
	}
	cmd := exec.Command("../../scripts/guest-test")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
}
