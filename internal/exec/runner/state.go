package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// State is the part of a machine's configuration that may change from day to day and affects run times. Fields that the
// kernel does not report are empty. State is not part of any key.
type State struct {
	Kernel    string `json:"kernel,omitempty"`     // Linux release
	Governor  string `json:"governor,omitempty"`   // frequency governors, sorted and separated by ", "
	Turbo     string `json:"turbo,omitempty"`      // on or off
	SMT       string `json:"smt,omitempty"`        // on or off
	Shared    bool   `json:"smt_shared,omitempty"` // whether a core has one thread for runs and another for other work
	NUMANodes int    `json:"numa_nodes,omitempty"`
}

// MachineState returns this machine's state as this process sees it.
func MachineState() State {
	allowed, err := affinity()
	if err != nil {
		allowed = nil
	}
	return readState("/", allowed)
}

const cpuFolder = "/sys/devices/system/cpu"

// readState reads /sys and /proc below root (the real root outside tests). allowed reports whether runs may use a CPU;
// nil allows all.
func readState(root string, allowed func(cpu int) bool) State {
	word := func(path string) string {
		if w := readWords(filepath.Join(root, path)); len(w) > 0 {
			return w[0]
		}
		return ""
	}
	onOff := map[string]string{"1": "on", "0": "off"}
	s := State{Kernel: word("/proc/sys/kernel/osrelease"), SMT: onOff[word(cpuFolder+"/smt/active")]}
	if noTurbo := word(cpuFolder + "/intel_pstate/no_turbo"); noTurbo != "" {
		s.Turbo = map[string]string{"1": "off", "0": "on"}[noTurbo]
	} else {
		s.Turbo = onOff[word(cpuFolder+"/cpufreq/boost")]
	}
	nodes, _ := readList(filepath.Join(root, "/sys/devices/system/node/online"))
	s.NUMANodes = len(nodes)
	online, _ := readList(filepath.Join(root, cpuFolder, "online"))
	var governors []string
	for _, cpu := range online {
		if allowed != nil && !allowed(cpu) {
			continue
		}
		dir := filepath.Join(cpuFolder, "cpu"+strconv.Itoa(cpu))
		if g := word(dir + "/cpufreq/scaling_governor"); g != "" {
			governors = append(governors, g)
		}
		siblings, _ := readList(filepath.Join(root, dir, "topology/thread_siblings_list"))
		s.Shared = s.Shared || slices.ContainsFunc(siblings, func(sibling int) bool {
			return allowed != nil && !allowed(sibling) && slices.Contains(online, sibling)
		})
	}
	slices.Sort(governors)
	s.Governor = strings.Join(slices.Compact(governors), ", ")
	return s
}

// String returns the state in readable form.
func (s State) String() string {
	known := func(name, value string) string {
		if value == "" {
			return name + " not reported"
		}
		return name + " " + value
	}
	parts := []string{known("Linux", s.Kernel), known("governor", s.Governor), known("turbo", s.Turbo),
		known("SMT", s.SMT)}
	if s.Shared {
		parts[3] += " and shared with others"
	}
	if s.NUMANodes > 0 {
		parts = append(parts, fmt.Sprintf("NUMA nodes %d", s.NUMANodes))
	}
	return strings.Join(parts, ", ")
}

// Checks returns the reasons why times of identical runs may differ, and how to change them. BenchExec gives the same
// warnings (https://github.com/sosy-lab/benchexec/issues/912).
func (s State) Checks() []Check {
	var all []Check
	add := func(name, value string, good bool, detail, remedy string) {
		switch {
		case value == "":
		case good:
			all = append(all, Check{name, CheckOK, value, ""})
		default:
			all = append(all, Check{name, CheckWarning, value + ": " + detail, remedy})
		}
	}
	add("frequency governor", s.Governor, s.Governor == "performance", "times depend on earlier load",
		"cpupower frequency-set -g performance")
	add("frequency boost", s.Turbo, s.Turbo == "off", "times depend on other cores' load",
		"echo 1 > "+cpuFolder+"/intel_pstate/no_turbo, or echo 0 > "+cpuFolder+"/cpufreq/boost")
	add("SMT", s.SMT, !s.Shared, "other processes can use the second threads of the runs' cores",
		"give smtpipe whole cores, or echo off > "+cpuFolder+"/smt/control")
	return all
}

// Warnings returns the failed checks as sentences.
func (s State) Warnings() []string {
	var all []string
	for _, c := range s.Checks() {
		if c.State != CheckOK {
			all = append(all, fmt.Sprintf("%s %s; to change this: %s", c.Name, c.Detail, c.Remedy))
		}
	}
	return all
}

// The AppArmor restriction of Ubuntu since 24.04, and the profile that the Debian package installs.
const (
	usernsRule    = "kernel.apparmor_restrict_unprivileged_userns"
	usernsProfile = "/etc/apparmor.d/smtpipe"
)

// usernsRestricted reports whether the restriction is active.
func usernsRestricted(root string) bool {
	w := readWords(filepath.Join(root, "/proc/sys", strings.ReplaceAll(usernsRule, ".", "/")))
	return len(w) == 1 && w[0] != "0"
}

// usernsRemedy explains how to make user namespaces available to ordinary users.
func usernsRemedy(root string) string {
	if !usernsRestricted(root) {
		return `Allow user namespaces with "sysctl user.max_user_namespaces=100000 kernel.unprivileged_userns_clone=1", ` +
			`or start smtpipe as root.`
	}
	load := "apparmor_parser -r " + usernsProfile
	if _, err := os.Stat(filepath.Join(root, usernsProfile)); errors.Is(err, fs.ErrNotExist) {
		load = "install smtpipe's Debian package, which includes one"
	}
	return fmt.Sprintf(`AppArmor's rule %s (in Ubuntu since 24.04) denies user namespaces to programs `+
		`without a profile: %s, or have root execute "sysctl %[1]s=0", or start smtpipe as root.`, usernsRule, load)
}

// checkUserns reports the restriction if the machine has it.
func (r *Report) checkUserns(root string, uid int, works bool) {
	switch {
	case !usernsRestricted(root):
	case uid == 0:
		r.Add("user namespaces", CheckOK, usernsRule+" is on but does not affect root", "")
	case works:
		r.Add("user namespaces", CheckOK, usernsRule+" is on, but an AppArmor profile allows smtpipe", "")
	default:
		r.Add("user namespaces", CheckFailed, usernsRule+" is on, as it is in Ubuntu since 24.04", usernsRemedy(root))
	}
}
