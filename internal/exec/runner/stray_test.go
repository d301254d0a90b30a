package runner

import (
	"os"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// TestLeavesCgroups runs a root command that sees the machine's cgroups and leaves them. Its record says so and
// contains the kernel's totals for the command, and its limit still ends the command.
func TestLeavesCgroups(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can move a process out of its cgroups")
	}
	for _, layout := range []string{"", LayoutV1} {
		l := openLab(t, mode{name: "cgroup_only", config: Config{Isolation: CgroupOnly, Layout: layout}})
		rec := l.run(t, l.victim("leavecgroup", ",", "alloc", "100", ",", "burn", "100ms"))
		wantEnding(t, rec, comp.Exited)
		if !rec.Flags.Has(FlagLeftCgroups) || rec.CPUTimeS.Duration() < 100*time.Millisecond ||
			rec.MemoryBytes < 100e6 {
			t.Errorf("outside its cgroups it has %s", describe(rec))
		}
		c := l.victim("leavecgroup", ",", "child", "sleep", "34s")
		c.Limits.WallTime = 200 * time.Millisecond
		rec = l.run(t, c)
		wantEnding(t, rec, comp.WallTimeout)
		if !rec.Flags.Has(FlagLeftCgroups) {
			t.Errorf("a sleeper outside its cgroups has %s", describe(rec))
		}
		nobodyLeft(t, "sleep\x0034s")
		rec = l.run(t, l.victim("leavecgroup", "memory", ",", "sleep", "150ms"))
		if l.host.layout.v1["memory"] != "" && !rec.Flags.Has(FlagLeftCgroups) {
			t.Errorf("outside its memory cgroup it has %s", describe(rec))
		}
		rec = l.run(t, l.victim("child", "burn", "100ms"))
		if rec.Flags.Has(FlagLeftCgroups) || rec.CPUTimeS.Duration() < 100*time.Millisecond {
			t.Errorf("inside its cgroups it has %s", describe(rec))
		}
	}
}
