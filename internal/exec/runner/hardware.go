package runner

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// Profile describes the hardware on which runs are measured. Times measured on different profiles are not comparable.
type Profile struct {
	CPUModel    string
	Cores       int   // number of physical cores
	Threads     int   // number of online logical CPUs
	MemoryBytes int64 // total memory of the machine
	Kernel      string
	Machine     string // architecture reported by uname
}

// Hardware returns this machine's profile, which the first call determines.
func Hardware() Profile { return hardware() }

var hardware = sync.OnceValue(func() Profile {
	p := Profile{CPUModel: cpuModel(), MemoryBytes: memInfo("MemTotal")}
	if t, err := readTopology("/", nil); err == nil {
		p.Threads = len(t.CPUs)
		cores := map[int]bool{}
		for _, c := range t.CPUs {
			cores[c.Core] = true
		}
		p.Cores = len(cores)
	}
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		p.Kernel = unix.ByteSliceToString(u.Release[:])
		p.Machine = unix.ByteSliceToString(u.Machine[:])
	}
	return p
})

// String returns the profile as used in keys: processor, cores and memory. It omits the kernel and rounds memory to
// whole GB, because both may change on the same machine.
func (p Profile) String() string {
	return fmt.Sprintf("%s; %d cores; %d threads; %d GB; %s", p.CPUModel, p.Cores, p.Threads,
		(p.MemoryBytes+5e8)/1e9, p.Machine)
}

// cpuModel returns the processor's name from /proc/cpuinfo, or its identification numbers on ARM, which reports no
// name.
func cpuModel() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown"
	}
	defer f.Close()
	var arm []string
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), ":")
		switch key, value = strings.TrimSpace(key), strings.TrimSpace(value); key {
		case "model name":
			return strings.Join(strings.Fields(value), " ")
		case "CPU implementer", "CPU part", "CPU variant":
			if len(arm) < 3 {
				arm = append(arm, strings.ToLower(strings.Fields(key)[1])+" "+value)
			}
		}
	}
	if len(arm) > 0 {
		return strings.Join(arm, ", ")
	}
	return "unknown"
}
