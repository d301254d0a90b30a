package runner

import (
	"fmt"
	"log/slog"
)

// Isolation is how strongly a run is separated from the machine and from other runs.
type Isolation string

// The isolation levels, from the one for competitions down to none.
const (
	// Full provides namespaces (mount, pid, net, ipc, uts, cgroup, and user unless the driver is root), a private root
	// file system, and cgroups for limits and measurements.
	Full Isolation = "full"
	// CgroupOnly limits and measures the process tree with cgroups, but the tree sees the same machine as the driver.
	// It is for trusted commands.
	CgroupOnly Isolation = "cgroup"
	// NamespacesOnly provides the namespaces but no cgroups. Measurements come from rusage and samples of /proc.
	NamespacesOnly Isolation = "namespaces"
	// Unisolated has neither. It uses resource limits, a subreaper and samples of /proc.
	Unisolated Isolation = "none"
	// BestEffort requests the highest level that works on this machine. Records contain the actual level.
	BestEffort Isolation = "best_effort"
)

// Private reports whether runs have namespaces and a private root instead of the machine's files.
func (i Isolation) Private() bool { return i == Full || i == NamespacesOnly }

// ParseIsolation parses a pipeline's isolation level. The empty string means Full.
func ParseIsolation(s string) (Isolation, error) {
	switch i := Isolation(s); i {
	case "":
		return Full, nil
	case Full, CgroupOnly, NamespacesOnly, Unisolated, BestEffort:
		return i, nil
	}
	return "", fmt.Errorf("unknown isolation %q; it must be full, cgroup, namespaces, none or best_effort", s)
}

// Config configures how a Host uses the machine. The zero Config means full isolation, one core per run, and as many
// slots as the machine has cores.
type Config struct {
	// Isolation is the level that every run must have. Open fails if the machine cannot provide it. BestEffort requests
	// the highest level available.
	Isolation Isolation
	// Jobs is the number of slots, and therefore of concurrent runs. Zero means as many as cores and memory allow.
	Jobs int
	// CoresPerRun is the number of cores per slot; zero means one.
	CoresPerRun int
	// MemoryPerRun is the memory in bytes that each slot needs, which limits the number of slots. Zero means no limit.
	MemoryPerRun int64
	// UseSiblings counts each hardware thread of a physical core as a core. Without it, a slot consists of whole
	// physical cores, and a run may use all threads of each.
	UseSiblings bool
	// CPUs restricts the slots to these logical CPUs; empty means all CPUs available to the driver.
	CPUs []int
	// Overcommit allows slots to use more cores or memory in total than the machine has. Their records are flagged.
	Overcommit bool
	// Layout forces a cgroup layout ("v2", "hybrid", "v1", "none") instead of detecting it. It is meant for tests.
	Layout string
	// NoLock disables the locks that prevent two drivers from sharing cores.
	NoLock bool
	// Logger receives warnings and decisions; nil discards them.
	Logger *slog.Logger
}
