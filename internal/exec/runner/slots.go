package runner

import (
	"fmt"
	"math"
	"slices"
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
			"count hardware threads as cores, or allow overcommit", perRun, describeUnits(groups))
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
			"give the job more memory, or allow overcommit", bytesText(cfg.MemoryPerRun), bytesText(memory))
	}
	jobs := cfg.Jobs
	if jobs == 0 {
		jobs = min(len(possible), max(1, byMemory))
	}
	if jobs > byMemory && !cfg.Overcommit {
		return nil, false, fmt.Errorf("%d runs of %s need %s of memory, but the machine has %s for them; lower the "+
			"number of "+
			"jobs to %d or the memory limit, or allow overcommit", jobs, bytesText(cfg.MemoryPerRun),
			bytesText(int64(jobs)*cfg.MemoryPerRun), bytesText(memory), byMemory)
	}
	if jobs > len(possible) && !cfg.Overcommit {
		return nil, false, fmt.Errorf("%d runs of %d cores each do not fit %s; use at most %d, or allow overcommit",
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

// groupUnits groups units by class, package and node. The fastest class comes first; among classes with equal names,
// the one with the most units. Each group keeps the order of its units.
func groupUnits(units []unit) [][]unit {
	type key struct {
		class     string
		pkg, node int
	}
	var keys []key
	byKey := map[key][]unit{}
	for _, u := range units {
		k := key{u.class, u.pkg, u.node}
		if byKey[k] == nil {
			keys = append(keys, k)
		}
		byKey[k] = append(byKey[k], u)
	}
	groups := make([][]unit, len(keys))
	for i, k := range keys {
		groups[i] = byKey[k]
	}
	return groups
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
	byClass := map[string][]unit{}
	var classes []string
	for _, g := range left {
		for _, u := range g {
			if byClass[u.class] == nil {
				classes = append(classes, u.class)
			}
			byClass[u.class] = append(byClass[u.class], u)
		}
	}
	for _, class := range classes {
		for rest := byClass[class]; len(rest) >= perRun; rest = rest[perRun:] {
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
	counts := map[string]int{}
	var classes []string
	for _, g := range groups {
		if counts[g[0].class] == 0 {
			classes = append(classes, g[0].class)
		}
		counts[g[0].class] += len(g)
	}
	var parts []string
	for _, c := range classes {
		text := fmt.Sprintf("%d", counts[c])
		if c != "" {
			text += " of " + c
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
