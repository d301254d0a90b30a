package runner

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// TestGuest executes the scenarios on an emulated machine with a pure cgroup v2 layout. It takes minutes and needs the
// Debian packages named in scripts/guest-test, so it requires SMTPIPE_GUEST=1.
func TestGuest(t *testing.T) {
	if os.Getenv("SMTPIPE_GUEST") != "1" {
		t.Skip("SMTPIPE_GUEST is not 1: emulating a machine takes minutes")
	}
	cmd := exec.Command("../../../scripts/guest-test")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
}

// TestMachineOutOfMemory executes a run that uses all of the machine's memory but stays below its own limit. The kernel
// kills the run, which is a machine error and not a result. The test needs a machine without other users, such as the
// guest.
func TestMachineOutOfMemory(t *testing.T) {
	if os.Getenv("SMTPIPE_EXHAUST") != "1" {
		t.Skip("SMTPIPE_EXHAUST is not 1: this machine's memory must not run out")
	}
	l := openBest(t)
	c := l.victim("spawn", "3", "alloc", "1200", "1h", ",", "alloc", "1200", "1h")
	c.Limits.MemoryBytes = 64e9
	c.Limits.WallTime = time.Hour // swap fills up first, which takes minutes on a busy emulated machine
	rec, err := l.host.Run(t.Context(), c)
	if err == nil || errors.Is(err, ErrStart) || !strings.Contains(err.Error(), "ran out of memory") {
		t.Errorf("%v, %s", err, describe(rec))
	}
	rec, err = l.host.Run(t.Context(), l.victim("exit", "0"))
	if err != nil || rec.Ending != comp.Exited {
		t.Errorf("the next run: %v, %s", err, describe(rec))
	}
}

// TestHostileWithCgroups shows what a hostile command can do with limits but without a sandbox, as
// docs/run/isolation.md documents. It may change the machine.
func TestHostileWithCgroups(t *testing.T) {
	if os.Getenv("SMTPIPE_EXHAUST") != "1" {
		t.Skip("SMTPIPE_EXHAUST is not 1: nothing must attack this machine")
	}
	h, err := Open(Config{Isolation: CgroupOnly, Jobs: 1, NoLock: true})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	l := &lab{mode: mode{config: Config{Isolation: CgroupOnly}}, host: h}
	c := l.victim("attack")
	c.Limits.WallTime = 60 * time.Second * slow
	rec, err := h.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s\n%s\n%s", describe(rec), rec.Stdout.Bytes(), rec.Stderr.Bytes())
	if !strings.Contains(string(rec.Stdout.Bytes()), "SUCCEEDED") {
		t.Error("no attack succeeds without a sandbox: the threat model is too modest")
	}
	c = l.victim("spawn", "3", "alloc", "400", "60s", ",", "alloc", "400", "60s")
	c.Limits.MemoryBytes = 100e6
	if rec, err = h.Run(t.Context(), c); err != nil || rec.Ending != comp.OutOfMemory {
		t.Errorf("the memory limit after the attacks: %v, %s", err, describe(rec))
	}
}
