package runner

import (
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/smtpipe/smtpipe/internal/data/run"
)

// strays finds a command's processes that left the run's cgroups, which then neither measure nor kill them. A command
// that is isolated only by cgroups sees the machine's cgroup file system, where root may move processes.
type strays struct {
	group *runGroup
	init  int // process ID of the init, whose descendants all belong to the run

	mu   sync.Mutex
	next time.Duration // time of the next check
	left bool          // whether any process left the cgroups
}

// look checks for strays, at most once per slowPoll.
func (s *strays) look() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := monotonic(); now >= s.next {
		s.next = now + slowPoll
		s.find()
	}
}

func (s *strays) find() {
	for _, pid := range descendants(s.init) {
		s.left = s.left || s.group.lacks(pid)
	}
}

// kill kills the run's processes, including those that left the cgroups.
func (s *strays) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.find()
	killDescendants(s.init)
}

// measure corrects the measurements of a command that left its cgroups, using the kernel's totals for the command and
// the children that it waited for. It reports whether the command left the cgroups.
func (s *strays) measure(rec *Record, u usage) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.left && u.User+u.System <= rec.CPUTimeS.Duration()+clockTick {
		return false
	}
	if cpu := run.SecondsOf(u.User + u.System); cpu > rec.CPUTimeS {
		rec.CPUTimeS, rec.UserTime, rec.SystemTime = cpu, u.User, u.System
	}
	rec.MemoryBytes = max(rec.MemoryBytes, u.MaxRSS)
	return true
}

// lacks reports whether a process is outside the run's cgroups. It ignores v1 cgroups once the process is exiting,
// because the kernel then shows "/" for them.
func (g *runGroup) lacks(pid int) bool {
	data, err := readKernel("/proc/" + strconv.Itoa(pid) + "/cgroup")
	if err != nil {
		return false
	}
	exits := exiting(pid)
	for line := range strings.Lines(string(data)) {
		_, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		controllers, path, _ := strings.Cut(rest, ":")
		for c := range strings.SplitSeq(controllers, ",") {
			dir := g.v2
			if c != "" {
				dir = g.v1[c]
			}
			if c == "cpuset" {
				dir = g.slot.v1[c]
			}
			if dir.is() && (c == "" || !exits) && !within(path, dir.path) {
				return true
			}
		}
	}
	return false
}

// exiting reports whether a process is exiting or gone.
func exiting(pid int) bool {
	const (
		flags   = 9 - 3 // from proc_pid_stat(5)
		leaving = 4     // PF_EXITING from linux/sched.h
	)
	f, ok := statFields(pid)
	if !ok || len(f) <= flags {
		return true
	}
	n, err := strconv.ParseUint(f[flags], 10, 64)
	return err != nil || n&leaving != 0
}

// within reports whether a path in /proc/PID/cgroup is at or below a folder of the cgroup file system. It compares only
// the part of the path from this program's cgroup on, because a mount may show only part of the hierarchy.
func within(path, folder string) bool {
	ours := folder[strings.LastIndex(folder, "/"+baseName+"/"):]
	return strings.Contains(path+"/", ours+"/")
}
