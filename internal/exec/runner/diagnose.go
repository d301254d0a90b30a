package runner

import (
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"
)

// Report describes the machine as the runner sees it.
type Report struct {
	Hardware Profile
	State    State
	Topology *Topology
	// Layout is the cgroup layout; Isolation is the highest level that works.
	Layout    string
	Isolation Isolation
	Slots     int // number of slots with one core each
	Checks    []Check
}

// Check is one check of the machine.
type Check struct {
	Name   string
	State  CheckState
	Detail string // what was observed
	Remedy string // repair command or advice; empty if there is no problem
}

// CheckState is the outcome of a check.
type CheckState string

// The outcomes. A warning does not prevent measurements, but makes them incomparable with those of other days or
// machines.
const (
	CheckOK      CheckState = "ok"
	CheckWarning CheckState = "warning"
	CheckFailed  CheckState = "failed"
)

// Inspect returns what the machine reports about itself. It does not include the figures of a host and its runs.
func Inspect() (*Report, error) {
	t, _, _, err := divide(Config{}, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	r := &Report{Hardware: Hardware(), State: MachineState(), Topology: t}
	caps := probe(Config{})
	r.checkJob()
	r.checkMechanisms(caps)
	r.checkUserns("/", os.Geteuid(), caps.sandbox.ok)
	return r, nil
}

// Add appends a check to the report.
func (r *Report) Add(name string, state CheckState, detail, remedy string) {
	if state == CheckOK {
		remedy = ""
	}
	r.Checks = append(r.Checks, Check{name, state, detail, remedy})
}

// checkMechanisms adds the results of probe.
func (r *Report) checkMechanisms(caps *capabilities) {
	state, detail := CheckOK, "mount, pid, net, ipc, uts and cgroup namespaces with a private root"
	if caps.sandbox.userNS {
		detail += ", in a user namespace"
	}
	if !caps.sandbox.ok {
		state, detail = CheckFailed, caps.sandbox.why
	}
	r.Add("namespaces", state, detail, caps.remedy(NamespacesOnly))
	for _, c := range []string{"memory", "pids", "cpuset"} {
		state, where, remedy := CheckFailed, "not available", caps.remedy(CgroupOnly)
		switch {
		case caps.layout.v1[c] != "":
			state, where = CheckOK, "cgroup v1, "+caps.layout.v1[c]
		case slices.Contains(caps.layout.have, c):
			state, where = CheckOK, "cgroup v2, "+caps.layout.v2
		case c == "cpuset":
			state, where = CheckWarning, "not available: runs are not pinned to their cores"
			if caps.cgroups() {
				remedy = coresRemedy()
			}
		}
		r.Add("controller "+c, state, where, remedy)
	}
	if len(caps.layout.why) > 0 && caps.layout.kind == LayoutNone {
		r.Add("cgroups", CheckFailed, strings.Join(caps.layout.why, "; "), caps.remedy(CgroupOnly))
	}
	if caps.layout.intrudes {
		r.Add("cgroups of systemd", CheckWarning, caps.layout.v2+
			" is in a part of the hierarchy that systemd manages", rootScope)
	}
}

// Steady adds checks for reasons why the times of identical runs may differ.
func (r *Report) Steady() {
	r.Checks = append(r.Checks, r.State.Checks()...)
	if swap := memInfo("SwapTotal"); swap > 0 {
		r.Add("swap", CheckWarning, bytesText(swap)+"; runs cannot use it, but the driver can", "swapoff -a")
	} else {
		r.Add("swap", CheckOK, "none", "")
	}
	classes := map[string]bool{}
	for _, c := range r.Topology.CPUs {
		classes[c.Class] = true
	}
	if len(classes) > 1 {
		r.Add("cores of one kind", CheckWarning, fmt.Sprintf("%d kinds; each slot has cores of one kind, but slots "+
			"differ",
			len(classes)),
			"choose cores of one kind with --cpus")
	}
	if len(r.Topology.Offline) > 0 {
		r.Add("offline CPUs", CheckWarning, formatList(r.Topology.Offline), "for c in N; do echo 1 > "+cpuFolder+
			"/cpu$c/online; done")
	}
	busy, _ := readPressure("/proc/pressure/cpu")
	time.Sleep(200 * time.Millisecond)
	later, ok := readPressure("/proc/pressure/cpu")
	if share := float64(later-busy) / float64(200*time.Millisecond); ok && share > 0.1 {
		r.Add("other load", CheckWarning, fmt.Sprintf("some process was waiting for a core %.0f %% of the time",
			100*share), "stop other work on this machine")
	} else if ok {
		r.Add("other load", CheckOK, "negligible", "")
	}
}

// Full reports whether full isolation works.
func (r *Report) Full() bool { return r.Isolation == Full }
