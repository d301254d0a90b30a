package runner

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sysRoot writes files below a new root folder.
func sysRoot(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestReadState(t *testing.T) {
	const cpu = "sys/devices/system/cpu/"
	intel := map[string]string{ // two cores with two threads each
		"proc/sys/kernel/osrelease": "6.8.0-31-generic", cpu + "online": "0-3", cpu + "smt/active": "1",
		cpu + "intel_pstate/no_turbo": "0", "sys/devices/system/node/online": "0-1",
		cpu + "cpu0/topology/thread_siblings_list": "0,2", cpu + "cpu2/topology/thread_siblings_list": "0,2",
		cpu + "cpu1/topology/thread_siblings_list": "1,3", cpu + "cpu3/topology/thread_siblings_list": "1,3",
		cpu + "cpu0/cpufreq/scaling_governor": "powersave", cpu + "cpu1/cpufreq/scaling_governor": "performance",
		cpu + "cpu2/cpufreq/scaling_governor": "powersave", cpu + "cpu3/cpufreq/scaling_governor": "performance",
	}
	steady := map[string]string{
		"proc/sys/kernel/osrelease": "6.1.0", cpu + "online": "0", cpu + "smt/active": "0", cpu + "cpufreq/boost": "0",
		cpu + "cpu0/cpufreq/scaling_governor": "performance", "sys/devices/system/node/online": "0",
	}
	only := func(cpus ...int) func(int) bool { return func(c int) bool { return slices.Contains(cpus, c) } }
	for _, c := range []struct {
		name     string
		files    map[string]string
		allowed  func(int) bool
		want     State
		text     string
		warnings []string // prefixes of the expected warnings
	}{
		{"all CPUs", intel, nil,
			State{Kernel: "6.8.0-31-generic", Governor: "performance, powersave", Turbo: "on", SMT: "on", NUMANodes: 2},
			"Linux 6.8.0-31-generic, governor performance, powersave, turbo on, SMT on, NUMA nodes 2",
			[]string{"frequency governor performance, powersave: ", "frequency boost on: "}},
		{"half of each core", intel, only(1, 2),
			State{Kernel: "6.8.0-31-generic", Governor: "performance, powersave", Turbo: "on", SMT: "on", Shared: true,
				NUMANodes: 2},
			"Linux 6.8.0-31-generic, governor performance, powersave, turbo on, SMT on and shared with others, NUMA nodes 2",
			[]string{"frequency governor performance, powersave: ", "frequency boost on: ", "SMT on: "}},
		{"a whole core", intel, only(1, 3),
			State{Kernel: "6.8.0-31-generic", Governor: "performance", Turbo: "on", SMT: "on", NUMANodes: 2},
			"Linux 6.8.0-31-generic, governor performance, turbo on, SMT on, NUMA nodes 2", []string{"frequency boost on: "}},
		{"steady", steady, nil, State{Kernel: "6.1.0", Governor: "performance", Turbo: "off", SMT: "off", NUMANodes: 1},
			"Linux 6.1.0, governor performance, turbo off, SMT off, NUMA nodes 1", nil},
		{"a virtual machine", nil, nil, State{}, "Linux not reported, governor not reported, turbo not reported, SMT not reported",
			nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := readState(sysRoot(t, c.files), c.allowed)
			if got != c.want || got.String() != c.text {
				t.Errorf("got %+v (%s), want %+v (%s)", got, got, c.want, c.text)
			}
			warnings := got.Warnings()
			if !slices.EqualFunc(warnings, c.warnings, strings.HasPrefix) {
				t.Errorf("warnings %q, want %q", warnings, c.warnings)
			}
		})
	}
}

// TestUserNamespaces checks the effects of Ubuntu's restriction. The expected remedies are from the Ubuntu 24.04
// release notes, "Unprivileged user namespace restrictions".
func TestUserNamespaces(t *testing.T) {
	const rule = "proc/sys/kernel/apparmor_restrict_unprivileged_userns"
	profile := map[string]string{rule: "1", "etc/apparmor.d/smtpipe": "profile"}
	for _, c := range []struct {
		name   string
		files  map[string]string
		uid    int
		works  bool
		state  CheckState // expected state; empty means that there is no check
		remedy string
	}{
		{"no AppArmor", nil, 1000, false, "", ""},
		{"rule off", map[string]string{rule: "0"}, 1000, false, "", ""},
		{"root", map[string]string{rule: "1"}, 0, true, CheckOK, ""},
		{"with a profile that is loaded", profile, 1000, true, CheckOK, ""},
		{"with a profile that is not loaded", profile, 1000, false, CheckFailed,
			"apparmor_parser -r /etc/apparmor.d/smtpipe"},
		{"without a profile", map[string]string{rule: "1"}, 1000, false, CheckFailed,
			"install smtpipe's Debian package"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &Report{}
			r.checkUserns(sysRoot(t, c.files), c.uid, c.works)
			if c.state == "" {
				if len(r.Checks) > 0 {
					t.Errorf("got %+v, want no check", r.Checks)
				}
				return
			}
			if len(r.Checks) != 1 || r.Checks[0].State != c.state || !strings.Contains(r.Checks[0].Remedy, c.remedy) ||
				(c.remedy != "") != strings.Contains(r.Checks[0].Remedy, "sysctl "+usernsRule+"=0") {
				t.Errorf("got %+v, want %s with %q", r.Checks, c.state, c.remedy)
			}
		})
	}
}
