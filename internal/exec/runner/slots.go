package runner

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// slotPlan lists a slot's CPUs and NUMA nodes.
type slotPlan struct {
	cpus  []int // logical CPUs, sorted
	nodes []int
}

// planSlots divides the machine into slots. Each slot has coresPerRun physical cores (or logical CPUs with siblings) of
// one class and, if possible, of one NUMA node. Slots alternate between packages to minimise cache sharing. memory is
// the machine's memory for runs.
func planSlots(t *Topology, cfg Config, memory int64) (plans []slotPlan, overcommit bool, err error) {
	perRun := max(1, cfg.CoresPerRun)
	units := coreUnits(t, cfg.UseSiblings)
	groups := groupUnits(units)
	possible := packSlots(groups, perRun)
	if len(possible) == 0 && !cfg.Overcommit {
		return nil, false, fmt.Errorf("a run needs %d cores, but this machine has %s; lower the cores of a run, "+
			"or count hardware threads as cores", perRun, describeUnits(groups))
	}
	if len(possible) == 0 {
		possible = []slotPlan{wholeMachine(t)}
		overcommit = true
	}
	byMemory := math.MaxInt
	if cfg.MemoryPerRun > 0 {
		byMemory = int(memory / cfg.MemoryPerRun)
	}
	if byMemory == 0 && !cfg.Overcommit {
		return nil, false, fmt.Errorf("a run needs %s of memory, but there is %s for runs here; lower the memory limit, "+
			"or give the job more memory", bytesText(cfg.MemoryPerRun), bytesText(memory))
	}
	jobs := cfg.Jobs
	if jobs == 0 {
		jobs = min(len(possible), max(1, byMemory))
	}
	if jobs > byMemory && !cfg.Overcommit {
		return nil, false, fmt.Errorf("%d runs of %s need %s of memory, but the machine has %s for them; lower the "+
			"number of "+
			"jobs to %d or the memory limit", jobs, bytesText(cfg.MemoryPerRun),
			bytesText(int64(jobs)*cfg.MemoryPerRun), bytesText(memory), byMemory)
	}
	if jobs > len(possible) && !cfg.Overcommit {
		return nil, false, fmt.Errorf("%d runs of %d cores each do not fit %s; use at most %d",
			jobs, perRun,
			describeUnits(groups), len(possible))
	}
	overcommit = overcommit || jobs > len(possible) || jobs > byMemory
	for k := range jobs {
		plans = append(plans, possible[k%len(possible)])
	}
	return plans, overcommit, nil
}

// unit is a building block of a slot: a physical core with its hardware threads, or a single hardware thread.
type unit struct {
	cpus      []int
	pkg, node int
	class     string
}

func coreUnits(t *Topology, siblings bool) []unit {
	var units []unit
	last := -1
	for _, c := range t.CPUs {
		if !siblings && c.Core == last {
			u := &units[len(units)-1]
			u.cpus = append(u.cpus, c.ID)
			continue
		}
		last = c.Core
		units = append(units, unit{cpus: []int{c.ID}, pkg: c.Package, node: c.Node, class: c.Class})
	}
	return units
}

// groupBy groups items by key, in the order of each key's first item.
func groupBy[T any, K comparable](items []T, key func(T) K) (groups [][]T) {
	at := map[K]int{}
	for _, x := range items {
		i, known := at[key(x)]
		if !known {
			i = len(groups)
			at[key(x)], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], x)
	}
	return groups
}

func className(u unit) string { return u.class }

// groupUnits groups units by class, package and node.
func groupUnits(units []unit) [][]unit {
	type place struct {
		class     string
		pkg, node int
	}
	return groupBy(units, func(u unit) place { return place{u.class, u.pkg, u.node} })
}

// packSlots takes slots from the groups in turn, then uses the remaining units for slots that span groups of one class.
func packSlots(groups [][]unit, perRun int) []slotPlan {
	left := make([][]unit, len(groups))
	for i, g := range groups {
		left[i] = slices.Clone(g)
	}
	var plans []slotPlan
	for found := true; found; {
		found = false
		for i := range left {
			if len(left[i]) >= perRun {
				plans = append(plans, planOf(left[i][:perRun]))
				left[i] = left[i][perRun:]
				found = true
			}
		}
	}
	for _, rest := range groupBy(slices.Concat(left...), className) {
		for ; len(rest) >= perRun; rest = rest[perRun:] {
			plans = append(plans, planOf(rest[:perRun]))
		}
	}
	return plans
}

func planOf(units []unit) slotPlan {
	var p slotPlan
	for _, u := range units {
		p.cpus = append(p.cpus, u.cpus...)
		p.nodes = append(p.nodes, u.node)
	}
	slices.Sort(p.cpus)
	slices.Sort(p.nodes)
	p.nodes = slices.Compact(p.nodes)
	return p
}

func wholeMachine(t *Topology) slotPlan { return planOf(coreUnits(t, false)) }

// describeUnits describes each class's number of cores and memory nodes.
func describeUnits(groups [][]unit) string {
	var parts []string
	for _, g := range groupBy(slices.Concat(groups...), className) {
		text := strconv.Itoa(len(g))
		if g[0].class != "" {
			text += " of " + g[0].class
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " and ") + " cores"
}

// bytesText formats bytes in SI units.
func bytesText(n int64) string {
	switch {
	case n >= 10e9:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	case n >= 10e6:
		return fmt.Sprintf("%.0f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%d bytes", n)
}
