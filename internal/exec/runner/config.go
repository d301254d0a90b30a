package runner

import (
	"fmt"
	"log/slog"
)

// Isolation is the degree to which a run is separated from the machine and from other runs.
type Isolation string

// The levels of isolation, from the one for competitions down to none.
const (
	// Full is namespaces (mount, pid, net, ipc, uts, cgroup, and user if the driver is not root), a private root file
	// system, and cgroups for limits and measures.
	Full Isolation = "full"
	// CgroupOnly limits and measures the process tree with cgroups but lets it see the machine like the driver. It is
	// for trusted commands.
	CgroupOnly Isolation = "cgroup"
	// NamespacesOnly has the namespaces but no cgroups: measurements come from rusage and samples of /proc.
	NamespacesOnly Isolation = "namespaces"
	// Unisolated has neither: resource limits, a subreaper and samples of /proc.
	Unisolated Isolation = "none"
	// BestEffort asks for the highest of the other levels that works here. Records contain the level.
	BestEffort Isolation = "best_effort"
)

// ParseIsolation parses a level as written in pipelines. The empty string is Full.
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
	// Isolation is the level that every run must have. Open fails if the machine cannot provide it; BestEffort takes
	// the best available.
	Isolation Isolation
	// Jobs is the number of slots, which is the number of concurrent runs. Zero means as many as cores and memory
	// allow.
	Jobs int
	// CoresPerRun is the number of cores of a slot; zero means one.
	CoresPerRun int
	// MemoryPerRun is the memory that a slot needs, in bytes. It bounds the number of slots. Zero means no bound.
	MemoryPerRun int64
	// UseSiblings lets a slot count the hardware threads of a physical core as cores of their own. Without it a slot
	// takes whole physical cores, and a run may use both threads of each.
	UseSiblings bool
	// CPUs restricts the slots to these logical CPUs; empty means all CPUs that the driver may use.
	CPUs []int
	// Overcommit allows more cores or memory in all slots together than the machine has. Records are flagged.
	Overcommit bool
	// Layout forces a cgroup layout ("v2", "hybrid", "v1", "none") instead of the detected one, for tests of the
	// others.
	Layout string
	// NoLock disables the locks that keep two drivers from sharing cores.
	NoLock bool
	// Logger receives warnings and decisions; nil discards them.
	Logger *slog.Logger
}
