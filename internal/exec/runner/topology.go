package runner

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// CPU is an online logical CPU.
type CPU struct {
	ID      int
	Core    int // number of the physical core, unique on the machine
	Package int
	Node    int    // number of the NUMA node
	Class   string // name of the CPU's speed class; empty if all CPUs are equally fast
}

// Topology describes the processors that this process may use.
type Topology struct {
	CPUs    []CPU // CPUs, sorted by Package, Node, Core and ID
	Offline []int
	Nodes   map[int]int64 // memory of each NUMA node, in bytes
}

// readTopology reads /sys below root (the real root outside tests) and keeps the CPUs that allowed accepts; nil allows
// all.
func readTopology(root string, allowed func(cpu int) bool) (*Topology, error) {
	base := filepath.Join(root, "/sys/devices/system")
	online, err := readList(filepath.Join(base, "cpu/online"))
	if err != nil {
		return nil, fmt.Errorf("find the CPUs that are online: %w", err)
	}
	offline, _ := readList(filepath.Join(base, "cpu/offline"))
	t := &Topology{Offline: offline, Nodes: map[int]int64{}}
	nodeOf := t.readNodes(base)
	cores := map[[2]int]int{}
	var speeds []int64
	var speedUnit string
	for _, id := range online {
		if allowed != nil && !allowed(id) {
			continue
		}
		dir := filepath.Join(base, "cpu", "cpu"+strconv.Itoa(id))
		pkg, _ := readInt(dir + "/topology/physical_package_id")
		core := id
		if n, err := readInt(dir + "/topology/core_id"); err == nil {
			key := [2]int{int(pkg), int(n)}
			if siblings, err := readList(dir + "/topology/thread_siblings_list"); err == nil && len(siblings) > 0 {
				key = [2]int{-1, siblings[0]} // on some machines, different dies use the same core_id
			}
			if _, ok := cores[key]; !ok {
				cores[key] = len(cores)
			}
			core = cores[key]
		}
		speed, unit := cpuSpeed(dir)
		speeds, speedUnit = append(speeds, speed), unit
		t.CPUs = append(t.CPUs, CPU{ID: id, Core: core, Package: int(pkg), Node: nodeOf[id]})
	}
	if len(t.CPUs) == 0 {
		return nil, fmt.Errorf("none of the CPUs %v is available", online)
	}
	t.nameClasses(speeds, speedUnit)
	slices.SortFunc(t.CPUs, func(a, b CPU) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Node, b.Node), cmp.Compare(a.Core, b.Core),
			cmp.Compare(a.ID, b.ID))
	})
	return t, nil
}

// readNodes sets Nodes and returns the node of each CPU.
func (t *Topology) readNodes(base string) map[int]int {
	nodeOf := map[int]int{}
	nodes, err := readList(filepath.Join(base, "node/online"))
	if err != nil {
		return nodeOf // a kernel without NUMA
	}
	for _, n := range nodes {
		dir := filepath.Join(base, "node", "node"+strconv.Itoa(n))
		cpus, _ := readList(dir + "/cpulist")
		for _, c := range cpus {
			nodeOf[c] = n
		}
		data, _ := os.ReadFile(dir + "/meminfo")
		for line := range strings.Lines(string(data)) {
			if f := strings.Fields(line); len(f) >= 4 && f[2] == "MemTotal:" {
				kb, _ := strconv.ParseInt(f[3], 10, 64)
				t.Nodes[n] = kb << 10
			}
		}
	}
	return nodeOf
}

// cpuSpeed returns a CPU's speed and its unit: the capacity on ARM, the maximum frequency elsewhere. It returns zero if
// the kernel reports neither.
func cpuSpeed(dir string) (speed int64, unit string) {
	if n, err := readInt(dir + "/cpu_capacity"); err == nil {
		return n, "capacity"
	}
	if n, err := readInt(dir + "/cpufreq/cpuinfo_max_freq"); err == nil {
		return n / 1000, "MHz"
	}
	return 0, ""
}

// nameClasses sets each CPU's class by its speed. The speeds of identical cores differ by a few per cent because some
// cores are favoured, so a class includes all cores with at least 90 % of its fastest core's speed. A single class
// remains unnamed.
func (t *Topology) nameClasses(speeds []int64, unit string) {
	order := slices.Sorted(slices.Values(speeds))
	slices.Reverse(order)
	fastest := map[int64]int64{} // speed → fastest speed in its class
	classes, top := 0, int64(0)
	for _, s := range order {
		if classes == 0 || s*10 < top*9 {
			classes, top = classes+1, s
		}
		fastest[s] = top
	}
	if classes < 2 {
		return
	}
	for i, s := range speeds {
		t.CPUs[i].Class = fmt.Sprintf("%d %s", fastest[s], unit)
	}
}

// affinity returns the CPUs that this process may use.
func affinity() (func(int) bool, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("find the CPUs available to this process: %w", err)
	}
	return set.IsSet, nil
}

// readKernel reads a file of /proc, /sys or a cgroup file system, which the kernel keeps small.
func readKernel(path string) ([]byte, error) { return os.ReadFile(path) }

// readList parses a file that contains a list in the kernel's format, such as "0-3,8".
func readList(path string) ([]int, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseList(strings.TrimSpace(string(data)))
}

func parseList(s string) ([]int, error) {
	var list []int
	if s == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(s, ",") {
		from, to, isRange := strings.Cut(part, "-")
		a, err := strconv.Atoi(from)
		if err != nil {
			return nil, fmt.Errorf("%q is not a list of CPUs", s)
		}
		b := a
		if isRange {
			if b, err = strconv.Atoi(to); err != nil || b < a {
				return nil, fmt.Errorf("%q is not a list of CPUs", s)
			}
		}
		for i := a; i <= b; i++ {
			list = append(list, i)
		}
	}
	return list, nil
}

// ParseCPUs parses a list of CPUs in the kernel's format, such as "0-3,8".
func ParseCPUs(s string) ([]int, error) { return parseList(s) }

// formatList formats a sorted list in the kernel's format.
func formatList(list []int) string {
	var b strings.Builder
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(list[i]))
		if j > i {
			b.WriteString("-" + strconv.Itoa(list[j]))
		}
		i = j + 1
	}
	return b.String()
}

// memInfo returns a value in /proc/meminfo in bytes.
func memInfo(key string) int64 {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if w := strings.Fields(lines.Text()); len(w) >= 2 && w[0] == key+":" {
			kb, _ := strconv.ParseInt(w[1], 10, 64)
			return kb << 10
		}
	}
	return 0
}
