package runner

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// What is specific to cgroups v1, used alone or with v2 (hybrid): each controller has its own hierarchy, a thread
// enters the cgroups before it clones, and the driver must end a run that exhausts its memory.

// v1Controllers are the v1 controllers that a run uses. cpuacct and freezer are only needed without v2.
var v1Controllers = []string{"memory", "pids", "cpuset", "cpuacct", "freezer"}

// chooseV1 creates the base in each v1 hierarchy. If this process's cgroup has limits, the base is below that cgroup
// and the limits also apply to runs. Otherwise the base is below the root.
func (l *layout) chooseV1(hierarchies map[string]hierarchy) {
	for _, c := range v1Controllers {
		h, ok := hierarchies[c]
		if !ok {
			l.why = append(l.why, "cgroup v1: no "+c+" hierarchy is mounted")
			continue
		}
		if slices.Contains(l.have, c) {
			continue // v2 provides this controller
		}
		parents := []string{h.mount, h.own}
		if c == "memory" && limitedV1(h) || inJob(h) {
			parents = []string{h.own}
		}
		var err error
		for _, parent := range parents {
			base := filepath.Join(parent, baseName)
			if err = makeBase(base); err == nil {
				if err = prepareV1(c, parent, base); err == nil {
					l.v1[c] = base
					break
				}
			}
		}
		if err != nil {
			l.why = append(l.why, "cgroup v1: "+err.Error())
		}
	}
}

// limitedV1 reports whether the memory limit of this process's cgroup is below that of the whole hierarchy.
func limitedV1(h hierarchy) bool {
	return memoryLimitV1(h.own) < memoryLimitV1(h.mount)
}

// inJob reports whether this process's cgroup belongs to a Slurm job. The job would neither limit cgroups elsewhere nor
// account for them.
func inJob(h hierarchy) bool {
	return os.Getenv("SLURM_JOB_ID") != "" && h.own != h.mount
}

// prepareV1 makes a new v1 cgroup usable: a new cpuset is empty, and old kernels do not account memory hierarchically
// by default.
func prepareV1(controller, parent, dir string) error {
	switch controller {
	case "cpuset":
		for _, f := range []string{"cpuset.cpus", "cpuset.mems"} {
			if have := readWords(filepath.Join(dir, f)); len(have) > 0 {
				continue
			}
			value, err := os.ReadFile(filepath.Join(parent, f))
			if err != nil {
				return err
			}
			if err := writeFile(filepath.Join(dir, f), strings.TrimSpace(string(value))); err != nil {
				return err
			}
		}
	case "memory":
		_ = writeFile(filepath.Join(dir, "memory.use_hierarchy"), "1") // absent since Linux 5.11, where it is always on
	}
	return nil
}

// memoryLimitV1 returns the smallest memory limit among a v1 cgroup and its ancestors.
func memoryLimitV1(own string) int64 {
	if n, ok := readKey(filepath.Join(own, "memory.stat"), "hierarchical_memory_limit"); ok {
		return n
	}
	return math.MaxInt64
}

func (s *slotGroup) makeV1(controller, driver, name, cpus, mems string) (err error) {
	base := s.layout.v1[controller]
	parent := filepath.Join(base, driver)
	path := filepath.Join(parent, name)
	if err := os.MkdirAll(path, 0o755); err != nil {
		return err
	}
	dir, err := openFolder(path)
	if err != nil {
		return err
	}
	s.v1[controller] = dir
	if err := errors.Join(prepareV1(controller, base, parent), prepareV1(controller, parent, path)); err != nil {
		return err
	}
	switch controller {
	case "cpuset":
		if cpus != "" {
			if err := errors.Join(dir.write("cpuset.cpus", cpus), dir.write("cpuset.mems", mems)); err != nil {
				return err
			}
		}
		s.cores, err = dir.open("tasks", unix.O_WRONLY)
		return err
	case "memory":
		_ = dir.write("memory.swappiness", "0") // also applies to descendants
	}
	back, err := unix.Open(filepath.Join(parent, "tasks"), unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open %s/tasks: %w", parent, err)
	}
	s.leave = append(s.leave, back)
	return nil
}

// makeV1 creates the run's v1 cgroups.
func (g *runGroup) makeV1(name string) error {
	for _, c := range v1Controllers {
		parent := g.slot.v1[c]
		if !parent.is() || c == "cpuset" { // runs share the slot's cpuset
			continue
		}
		dir, err := parent.mkdir(name)
		if err != nil {
			return err
		}
		g.v1[c] = dir
		tasks, err := dir.open("tasks", unix.O_WRONLY)
		if err != nil {
			return err
		}
		g.enter = append(g.enter, tasks)
	}
	return nil
}

// limitMemoryV1 limits the run's memory, excluding swap, if the run has a memory cgroup.
func (g *runGroup) limitMemoryV1(limit string) error {
	dir := g.v1["memory"]
	if !dir.is() {
		return nil
	}
	if err := dir.write("memory.limit_in_bytes", limit); err != nil {
		return err
	}
	err := dir.write("memory.memsw.limit_in_bytes", limit)
	if errors.Is(err, os.ErrNotExist) { // the kernel does not account for swap
		return nil
	}
	return err
}

// cpuTimesV1 is the equivalent of cpuTimes on machines without v2.
func (g *runGroup) cpuTimesV1() (total, user, system time.Duration) {
	total, _ = g.cpuTime()
	dir := g.v1["cpuacct"].path
	u, _ := readInt(dir + "/cpuacct.usage_user")
	s, _ := readInt(dir + "/cpuacct.usage_sys")
	return total, time.Duration(u), time.Duration(s)
}

// oomCountsV1 returns how many processes the kernel killed because memory ran out, and how often the limit was reached.
func oomCountsV1(dir folder) (kills, fails int64) {
	kills, _ = readKey(dir.path+"/memory.oom_control", "oom_kill")
	fails, _ = readInt(dir.path + "/memory.failcnt")
	return kills, fails
}

// When a v1 memory cgroup runs out of memory, the kernel kills only one process. The driver therefore waits for a
// kernel event and ends the run itself. With v2, the kernel kills all of the run's processes.

// registerOOM requests an event for running out of memory, or returns nil if the kernel has no such event. It is called
// before a limit is set, when registering is cheap.
func registerOOM(dir folder) *os.File {
	control, err := dir.open("memory.oom_control", unix.O_RDONLY)
	if err != nil {
		return nil
	}
	defer unix.Close(control)
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil
	}
	event := os.NewFile(uintptr(fd), "memory event")
	if dir.write("cgroup.event_control", fmt.Sprintf("%d %d", fd, control)) != nil {
		_ = event.Close()
		return nil
	}
	return event
}

// killsOne reports whether the kernel kills only one process when the run reaches its memory limit.
func (g *runGroup) killsOne() bool { return g.limit > 0 && g.v1["memory"].is() }
