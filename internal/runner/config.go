package runner

import (
	"fmt"
	"log/slog"
)

// Isolation is how far a run is kept apart from the machine and from other runs.
type Isolation string

// The levels of isolation, from the one that a competition needs down to none.
const (
	// Full is namespaces (mount, pid, net, ipc, uts, cgroup, and user where the driver is not root), a private root
	// file system, and cgroups for limits and measures.
	Full Isolation = "full"
	// CgroupOnly limits and measures the process tree by cgroups but lets it see the machine as the driver does. It is
	// for trusted commands.
	CgroupOnly Isolation = "cgroup"
	// NamespacesOnly has the namespaces but no cgroups: measures are rusage and samples of /proc.
	NamespacesOnly Isolation = "namespaces"
	// Unisolated has neither: resource limits, a subreaper and samples of /proc.
	Unisolated Isolation = "none"
	// BestEffort asks for the highest of the other levels that works here. Records say which it was.
	BestEffort Isolation = "best_effort"
)

// ParseIsolation reads a level as it is written in pipelines. The empty string is Full.
func ParseIsolation(s string) (Isolation, error) {
	switch i := Isolation(s); i {
	case "":
		return Full, nil
	case Full, CgroupOnly, NamespacesOnly, Unisolated, BestEffort:
		return i, nil
	}
	return "", fmt.Errorf("unknown isolation %q; it must be full, cgroup, namespaces, none or best_effort", s)
}

// Config says how a Host uses the machine. The zero Config is full isolation, one core a run, and as many slots as the
// machine has cores.
type Config struct {
	// Isolation is the level that every run must have. Open fails when the machine cannot give it; BestEffort takes
	// what there is.
	Isolation Isolation
	// Jobs is the number of slots, that is of runs at one time. Zero means as many as cores and memory allow.
	Jobs int
	// CoresPerRun is the number of cores of a slot; zero means one.
	CoresPerRun int
	// MemoryPerRun is what a slot needs, in bytes; it bounds the number of slots. Zero bounds nothing.
	MemoryPerRun int64
	// UseSiblings lets a slot count the hardware threads of a physical core as cores of their own. Without it a slot
	// takes whole physical cores, and a run may use both threads of each.
	UseSiblings bool
	// CPUs restricts the slots to these logical CPUs; empty means all that the driver may use.
	CPUs []int
	// Overcommit allows more cores or memory in all slots together than the machine has. Records are flagged.
	Overcommit bool
	// Layout forces a cgroup layout ("v2", "hybrid", "v1", "none") instead of the one found; for tests of the others.
	Layout string
	// NoLock leaves out the locks that keep two drivers from the same cores.
	NoLock bool
	// Logger receives warnings and decisions; nil discards them.
	Logger *slog.Logger
}
