package runner

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// TestDecide compares verdicts with those worked out by hand: a run above a limit is a timeout no matter who ended it,
// a run exactly at the limit is not, and an unexplained kill is flagged.
func TestDecide(t *testing.T) {
	const exited0, exited3, term, kill = unix.WaitStatus(0), unix.WaitStatus(3 << 8), unix.WaitStatus(15),
		unix.WaitStatus(9)
	const s = time.Second
	limits := comp.Limits{WallTime: 10 * s, CPUTime: 20 * s, MemoryBytes: 100}
	const no, yes = math.MaxInt64, -1 // kernelKills before the run: there were kills during the run (yes) or not (no)
	for _, test := range []struct {
		name      string
		status    unix.WaitStatus
		limits    comp.Limits
		wall, cpu time.Duration
		memory    int64
		kills     int64
		cause     comp.Ending
		flags     Flags
		want      comp.Ending // empty: the run has no result
		wantFlags Flags
	}{
		{"ends by itself", exited0, limits, s, s, 1, no, "", 0, comp.Exited, 0},
		{"fails", exited3, limits, s, s, 1, no, "", 0, comp.Exited, 0},
		{"crashes", term, limits, s, s, 1, no, "", 0, comp.Signalled, 0},
		{"is killed by a stranger", kill, limits, s, s, 1, no, "", 0, comp.Signalled, FlagForeignKill},

		{"exactly the wall time", exited0, limits, 10 * s, s, 1, no, "", 0, comp.Exited, 0},
		{"more wall time", exited0, limits, 10*s + 1, s, 1, no, "", 0, comp.WallTimeout, FlagLateExit},
		{"more wall time, and is killed", kill, limits, 10*s + 1, s, 1, no, comp.WallTimeout, 0, comp.WallTimeout, 0},
		{"killed for the other limit first", kill, limits, 10*s + 1, 20*s + 1, 1, no, comp.CPUTimeout, 0,
			comp.WallTimeout, 0},
		{"exactly the CPU time", exited0, limits, s, 20 * s, 1, no, "", 0, comp.Exited, 0},
		{"more CPU time", exited0, limits, s, 20*s + 1, 1, no, "", 0, comp.CPUTimeout, FlagLateExit},
		{"a crash above a limit", term, limits, s, 20*s + 1, 1, no, "", 0, comp.CPUTimeout, 0},
		{"no limits", exited0, comp.Limits{}, time.Hour, time.Hour, 1 << 40, no, "", 0, comp.Exited, 0},
		{"ended by itself before it was killed", exited0, limits, s, s, 1, no, comp.PidsLimit, 0, comp.Exited, 0},
		{"killed for processes", kill, limits, s, s, 1, no, comp.PidsLimit, 0, comp.PidsLimit, 0},
		{"killed at a limit that it did not exceed", kill, limits, 10 * s, s, 1, no, comp.WallTimeout, 0,
			comp.WallTimeout, 0},
		{"crashed before it was killed", term, limits, s, s, 1, no, comp.PidsLimit, 0, comp.Signalled, 0},

		{"fails with a full disk", exited3, limits, s, s, 1, no, "", FlagScratchFull, comp.FilesLimit, FlagScratchFull},
		{"crashes with a full disk", term, limits, s, s, 1, no, "", FlagScratchFull, comp.FilesLimit, FlagScratchFull},
		{"succeeds with a full disk", exited0, limits, s, s, 1, no, "", FlagScratchFull, comp.Exited, FlagScratchFull},
		{"late with a full disk", exited3, limits, 10*s + 1, s, 1, no, "", FlagScratchFull, comp.WallTimeout,
			FlagScratchFull | FlagLateExit},

		{"the sampler saw too much memory", kill, limits, s, s, 101, no, comp.OutOfMemory, 0, comp.OutOfMemory, 0},
		{"the same, of a process other than the command", exited3, limits, s, s, 101, no, comp.OutOfMemory, 0,
			comp.OutOfMemory, 0},
		{"the kernel kills at the limit", kill, limits, s, s, 100, yes, "", 0, comp.OutOfMemory, 0},
		{"the kernel kills above the limit", exited3, limits, s, s, 101, yes, "", 0, comp.OutOfMemory, 0},
		{"memory before time", kill, limits, 11 * s, 21 * s, 100, yes, "", 0, comp.OutOfMemory, 0},
		{"the kernel kills below the limit", kill, limits, s, s, 99, yes, "", 0, "", 0},
		{"the kernel kills without a limit", kill, comp.Limits{}, s, s, 100, yes, "", 0, "", 0},
		{"the kernel kills something else", exited0, limits, s, s, 100, yes, "", 0, comp.Exited, 0},
		{"the kernel kills after we did", kill, limits, 11 * s, s, 99, yes, comp.WallTimeout, 0, comp.WallTimeout, 0},
	} {
		e := &execution{cmd: &Command{Limits: test.limits}, wall: test.wall, oomKills: test.kills, flags: test.flags}
		if test.cause != "" {
			e.cause.set(test.cause)
		}
		rec := Record{Measured: run.Measured{Usage: run.Usage{CPUTimeS: run.SecondsOf(test.cpu),
			MemoryBytes: test.memory}}}
		checkDecision(t, test.name, e, &rec, test.status, test.want, test.wantFlags)
	}
}

func checkDecision(t *testing.T, name string, e *execution, rec *Record, status unix.WaitStatus, want comp.Ending,
	flags Flags) {
	t.Helper()
	err := e.decide(rec, exit{status: status})
	if (err != nil) != (want == "") {
		t.Errorf("%s: error %v, want ending %q", name, err, want)
	} else if err == nil && (rec.Ending != want || rec.Flags != flags) {
		t.Errorf("%s: %s, flags %q; want %s, %q", name, rec.Ending, rec.Flags, want, flags)
	}
}

// TestDecideNoKill checks that no kill is assumed if the kernel's kill count is the same before and after the run.
func TestDecideNoKill(t *testing.T) {
	e := &execution{cmd: &Command{Limits: comp.Limits{MemoryBytes: 100}}, oomKills: kernelKills()}
	rec := Record{Measured: run.Measured{Usage: run.Usage{MemoryBytes: 100}}}
	checkDecision(t, "no kill", e, &rec, unix.WaitStatus(15), comp.Signalled, 0)
}

// TestDecideGroup uses the counters of a run's cgroup, whose limit is 8 MiB. A run that the kernel killed exceeded its
// own memory limit if its use came within 1 MiB of the limit. Otherwise it has no result.
func TestDecideGroup(t *testing.T) {
	const mib = 1 << 20
	const kill, exited0 = unix.WaitStatus(9), unix.WaitStatus(0)
	const exited3, exited137 = unix.WaitStatus(3 << 8), unix.WaitStatus(137 << 8)
	for _, test := range []struct {
		name               string
		limit              int64
		kills, fails, peak int64
		status             unix.WaitStatus
		cause              comp.Ending
		wall               time.Duration // the limit is 10 s
		want               comp.Ending
		flags              Flags
	}{
		{"no kill by the kernel", 8 * mib, 0, 1, 8 * mib, kill, "", 0, comp.Signalled, FlagForeignKill},
		{"the limit was met", 8 * mib, 1, 1, mib, kill, "", 0, comp.OutOfMemory, 0},
		{"1 MiB below it", 8 * mib, 1, 0, 7 * mib, kill, "", 0, comp.OutOfMemory, 0},
		{"more than 1 MiB below it", 8 * mib, 1, 0, 7*mib - 1, kill, "", 0, "", 0},
		{"no limit", 0, 1, 1, 8 * mib, kill, "", 0, "", 0},
		{"another process, of the machine's memory", 0, 1, 1, 8 * mib, exited3, comp.OutOfMemory, 0, "", 0},
		{"another process, seen", 8 * mib, 1, 1, 8 * mib, exited3, comp.OutOfMemory, 0, comp.OutOfMemory, 0},
		{"another process, not seen", 8 * mib, 1, 1, 8 * mib, exited3, "", 0, comp.OutOfMemory, 0},
		{"a shell says so", 8 * mib, 1, 1, 8 * mib, exited137, "", 0, comp.OutOfMemory, 0},
		{"a shell says so, and nothing was killed", 8 * mib, 0, 1, 8 * mib, exited137, "", 0, comp.Exited, 0},
		{"a shell says so, of the machine's memory", 8 * mib, 1, 0, mib, exited137, "", 0, "", 0},
		{"another process, not seen and without harm", 8 * mib, 1, 1, 8 * mib, exited0, "", 0, comp.Exited, 0},
		{"another process, seen, and late", 8 * mib, 1, 1, 8 * mib, exited3, comp.OutOfMemory, 11 * time.Second,
			comp.OutOfMemory, 0},
		{"another process, without harm", 8 * mib, 1, 0, 0, exited0, comp.OutOfMemory, 0, comp.OutOfMemory, 0},
	} {
		dir := t.TempDir()
		events := fmt.Sprintf("low 0\noom %d\noom_kill %d\n", test.fails, test.kills)
		for name, text := range map[string]string{"memory.events.local": events,
			"memory.peak": fmt.Sprintln(test.peak)} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		f, err := openFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		e := &execution{cmd: &Command{Limits: comp.Limits{WallTime: 10 * time.Second}}, wall: test.wall, oomKills: -1,
			group: &runGroup{v2: f, limit: test.limit, peak: f.counter("memory.peak")}}
		if test.cause != "" {
			e.cause.set(test.cause)
		}
		var rec Record
		checkDecision(t, test.name, e, &rec, test.status, test.want, test.flags)
		unix.Close(e.group.peak.fd)
		f.close()
	}
}
