package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/smtpipe/smtpipe/internal/comp"
)

// Report is the machine as the runner sees it.
type Report struct {
	Hardware Profile
	State    State
	Topology *Topology
	// Layout is the cgroup layout, Isolation the highest level that works.
	Layout    string
	Isolation Isolation
	Slots     int // of one core each
	Checks    []Check
}

// Check is one check of the machine.
type Check struct {
	Name   string
	State  CheckState
	Detail string // the observation
	Remedy string // the command that repairs it, or advice; empty if there is no problem
}

// CheckState is the outcome of a check.
type CheckState string

// The outcomes. A warning does not prevent measurements, but makes figures of other days or machines differ.
const (
	CheckOK      CheckState = "ok"
	CheckWarning CheckState = "warning"
	CheckFailed  CheckState = "failed"
)

// Diagnose finds out by trying which features runs can have on this machine: it executes short trial runs of this
// program itself, and takes about a second.
func Diagnose(ctx context.Context, cfg Config) (*Report, error) {
	r := &Report{Hardware: Hardware(), State: MachineState()}
	caps := probe(Config{Layout: cfg.Layout})
	r.checkJob()
	r.checkMechanisms(caps)
	r.checkUserns("/", os.Geteuid(), caps.sandbox.ok)
	cfg.Isolation, cfg.Jobs, cfg.CoresPerRun, cfg.MemoryPerRun = BestEffort, 0, 0, 0
	h, err := Open(cfg)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	r.Topology, r.Layout, r.Isolation, r.Slots = h.topology, h.Layout(), h.Isolation(), h.Slots()
	r.trials(ctx, h)
	r.checkSteady()
	return r, nil
}

func (r *Report) add(name string, state CheckState, detail, remedy string) {
	if state == CheckOK {
		remedy = ""
	}
	r.Checks = append(r.Checks, Check{name, state, detail, remedy})
}

// checkMechanisms reports the results of probe.
func (r *Report) checkMechanisms(caps *capabilities) {
	state, detail := CheckOK, "mount, pid, net, ipc, uts and cgroup namespaces with a private root"
	if caps.sandbox.userNS {
		detail += ", in a user namespace"
	}
	if !caps.sandbox.ok {
		state, detail = CheckFailed, caps.sandbox.why
	}
	r.add("namespaces", state, detail, caps.remedy(NamespacesOnly))
	for _, c := range []string{"memory", "pids", "cpuset"} {
		state, where, remedy := CheckFailed, "not available", caps.remedy(CgroupOnly)
		switch {
		case caps.layout.v1[c] != "":
			state, where = CheckOK, "cgroup v1, "+caps.layout.v1[c]
		case slices.Contains(caps.layout.have, c):
			state, where = CheckOK, "cgroup v2, "+caps.layout.v2
		case c == "cpuset":
			state, where = CheckWarning, "not available: runs are not tied to their cores"
			if caps.cgroups() {
				remedy = coresRemedy()
			}
		}
		r.add("controller "+c, state, where, remedy)
	}
	if len(caps.layout.why) > 0 && caps.layout.kind == LayoutNone {
		r.add("cgroups", CheckFailed, strings.Join(caps.layout.why, "; "), caps.remedy(CgroupOnly))
	}
	if caps.layout.intrudes {
		r.add("cgroups of systemd", CheckWarning, caps.layout.v2+
			" is in a part of the hierarchy that systemd has for itself", rootScope)
	}
}

// trials executes this program as the command of short runs, one for each limit and measurement.
func (r *Report) trials(ctx context.Context, h *Host) {
	exe, err := os.Executable()
	if err == nil {
		exe, err = filepath.EvalSymlinks(exe)
	}
	if err != nil {
		r.add("trial runs", CheckFailed, err.Error(), "reinstall smtpipe")
		return
	}
	t := trial{ctx: ctx, host: h, exe: exe}
	r.trialStart(t)
	r.trialCPU(t)
	r.trialWall(t)
	r.trialMemory(t)
	r.trialProcesses(t)
}

// trial executes trial commands.
type trial struct {
	ctx  context.Context
	host *Host
	exe  string
}

func (t trial) run(deed string, n int, lim comp.Limits) (Record, error) {
	cmd := Command{Argv: []string{t.exe, trialName, deed, strconv.Itoa(n)}, HostSystem: true, Limits: lim}
	if t.host.isolation == Full || t.host.isolation == NamespacesOnly {
		cmd.Argv[0] = SolverDir + "/trial"
		cmd.Mounts = []Mount{{Source: t.exe, Target: cmd.Argv[0], Warm: true}}
	}
	if cmd.Limits.WallTime == 0 {
		cmd.Limits.WallTime = 5 * time.Second
	}
	return t.host.Run(t.ctx, cmd)
}

const trialRemedy = "report this with the output of smtpipe doctor"

func (r *Report) trialStart(t trial) {
	best := time.Hour
	for range 5 {
		start := time.Now()
		rec, err := t.run("sleep", 0, comp.Limits{})
		if err != nil || rec.Ending != comp.Exited {
			r.add("start of a run", CheckFailed, trialFailure(rec, err), trialRemedy)
			return
		}
		best = min(best, time.Since(start)-rec.WallTimeS.Duration())
	}
	r.add("start of a run", CheckOK, fmt.Sprintf("%.1f ms around the command (best of 5)", milliseconds(best)), "")
}

func (r *Report) trialCPU(t trial) {
	rec, err := t.run("burn", 50, comp.Limits{})
	own, convErr := strconv.ParseInt(strings.TrimSpace(string(rec.Stdout.Bytes())), 10, 64)
	if err != nil || convErr != nil {
		r.add("CPU time", CheckFailed, trialFailure(rec, errors.Join(err, convErr)), trialRemedy)
		return
	}
	off := rec.CPUTimeS.Duration() - time.Duration(own)
	state := CheckOK
	if off < -time.Millisecond || off > 5*time.Millisecond {
		state = CheckFailed
	}
	r.add("CPU time", state, fmt.Sprintf("%.3f ms measured, %.3f ms by the process's own clock before its exit",
		milliseconds(rec.CPUTimeS.Duration()),
		float64(own)/1e6), trialRemedy)
}

func (r *Report) trialWall(t trial) {
	limit := 50 * time.Millisecond
	rec, err := t.run("sleep", 5000, comp.Limits{WallTime: limit})
	if err != nil || rec.Ending != comp.WallTimeout {
		r.add("wall time limit", CheckFailed, trialFailure(rec, err), trialRemedy)
		return
	}
	over := rec.WallTimeS.Duration() - limit
	state := CheckOK
	if over > 10*time.Millisecond {
		state = CheckWarning
	}
	r.add("wall time limit", state, fmt.Sprintf("enforced %.2f ms after the deadline", milliseconds(over)),
		"leave a core to the driver, or lower the load")
}

func (r *Report) trialMemory(t trial) {
	limit := int64(100e6)
	rec, err := t.run("touch", 300e6, comp.Limits{MemoryBytes: limit})
	if err != nil || rec.Ending != comp.OutOfMemory {
		r.add("memory limit", CheckFailed, trialFailure(rec, err), trialRemedy)
		return
	}
	r.add("memory limit", CheckOK, fmt.Sprintf("a run of 300 MB ended at %s", bytesText(rec.MemoryBytes)), "")
}

func (r *Report) trialProcesses(t trial) {
	if !t.host.layout.has("pids") {
		return // reported as a missing controller
	}
	rec, err := t.run("spawn", 40, comp.Limits{Processes: 20, WallTime: 3 * time.Second})
	if err != nil || rec.Ending != comp.PidsLimit {
		r.add("limit of processes", CheckFailed, trialFailure(rec, err), trialRemedy)
		return
	}
	r.add("limit of processes", CheckOK, "a run of 40 processes ended at 20", "")
}

func trialFailure(rec Record, err error) string {
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("the trial ended as %s (exit code %d, signal %d)", rec.Ending, rec.ExitCode, rec.Signal)
}

func milliseconds(d time.Duration) float64 { return float64(d) / 1e6 }

// checkSteady looks for causes of different times of equal runs.
func (r *Report) checkSteady() {
	r.Checks = append(r.Checks, r.State.Checks()...)
	if swap := memInfo("SwapTotal"); swap > 0 {
		r.add("swap", CheckWarning, bytesText(swap)+"; runs cannot use it, but the driver can", "swapoff -a")
	} else {
		r.add("swap", CheckOK, "none", "")
	}
	classes := map[string]bool{}
	for _, c := range r.Topology.CPUs {
		classes[c.Class] = true
	}
	if len(classes) > 1 {
		r.add("cores of one kind", CheckWarning, fmt.Sprintf("%d kinds; a slot has cores of one kind, but slots differ",
			len(classes)),
			"choose cores of one kind with --cpus")
	}
	if len(r.Topology.Offline) > 0 {
		r.add("offline CPUs", CheckWarning, formatList(r.Topology.Offline), "for c in N; do echo 1 > "+cpuFolder+
			"/cpu$c/online; done")
	}
	busy, _ := readPressure("/proc/pressure/cpu")
	time.Sleep(200 * time.Millisecond)
	later, ok := readPressure("/proc/pressure/cpu")
	if share := float64(later-busy) / float64(200*time.Millisecond); ok && share > 0.1 {
		r.add("other load", CheckWarning, fmt.Sprintf("some process waits for a core %.0f %% of the time",
			100*share), "stop other work on this machine")
	} else if ok {
		r.add("other load", CheckOK, "none to speak of", "")
	}
}

// Full reports whether full isolation works.
func (r *Report) Full() bool { return r.Isolation == Full }
