package runner

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// clockTick is the unit of times in /proc/PID/stat. Linux shows programs the same unit on all machines.
const clockTick = 10 * time.Millisecond

// descendants returns all descendants of pid, found by walking /proc.
func descendants(pid int) []int {
	var all []int
	level := []int{pid}
	for len(level) > 0 {
		var next []int
		for _, p := range level {
			next = append(next, children(p)...)
		}
		all = append(all, next...)
		level = next
	}
	return all
}

// children returns the direct children of all the threads in a process.
func children(pid int) []int {
	dir := "/proc/" + strconv.Itoa(pid) + "/task"
	tasks, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var list []int
	for _, t := range tasks {
		for _, w := range readWords(dir + "/" + t.Name() + "/children") {
			if c, err := strconv.Atoi(w); err == nil {
				list = append(list, c)
			}
		}
	}
	return list
}

// procStat holds the fields of /proc/PID/stat that a sample uses.
type procStat struct {
	own    time.Duration // CPU time of the process itself
	reaped time.Duration // CPU time of the children it waited for
	rss    int64
}

// readProcStat samples one process.
func readProcStat(pid int) (procStat, bool) {
	f, ok := statFields(pid)
	if !ok || len(f) < 22 {
		return procStat{}, false
	}
	number := func(field int) int64 { // fields are numbered as in proc_pid_stat(5)
		n, _ := strconv.ParseInt(f[field-3], 10, 64)
		return n
	}
	return procStat{
		own:    time.Duration(number(14)+number(15)) * clockTick,
		reaped: time.Duration(number(16)+number(17)) * clockTick,
		rss:    number(24) * int64(os.Getpagesize()),
	}, true
}

// statFields returns the fields of /proc/PID/stat from the third on. The second field is the name in parentheses, which
// may contain any characters.
func statFields(pid int) ([]string, bool) {
	data, err := readKernel("/proc/" + strconv.Itoa(pid) + "/stat")
	i := bytes.LastIndexByte(data, ')')
	if err != nil || i < 0 {
		return nil, false
	}
	return strings.Fields(string(data[i+1:])), true
}

// startTime returns the time when a process started, in ticks since boot; ok is false if the process is dead.
func startTime(pid int) (ticks string, ok bool) {
	f, ok := statFields(pid)
	if !ok || len(f) < 20 || f[0] == "Z" || f[0] == "X" {
		return "", false
	}
	return f[19], true
}

// sampler measures and kills an init's descendants without using cgroups.
type sampler struct {
	init int

	mu      sync.Mutex
	peak    int64
	highest int // highest number of concurrent processes
}

// look takes a sample and reports whether the run exceeds its memory limit, if any.
func (s *sampler) look(limit int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	pids := descendants(s.init)
	var rss int64
	for _, pid := range pids {
		if st, ok := readProcStat(pid); ok {
			rss += st.rss
		}
	}
	s.peak = max(s.peak, rss)
	s.highest = max(s.highest, len(pids))
	return limit > 0 && rss > limit
}

// cpuTime returns the total CPU time of all live processes and of the processes they waited for.
func (s *sampler) cpuTime() time.Duration {
	var cpu time.Duration
	for _, pid := range descendants(s.init) {
		if st, ok := readProcStat(pid); ok {
			cpu += st.own + st.reaped
		}
	}
	if st, ok := readProcStat(s.init); ok {
		cpu += st.reaped
	}
	return cpu
}

func (s *sampler) peakBytes() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.peak
}

func (s *sampler) highestProcesses() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.highest
}

// killDescendants kills all descendants of pid. It ignores dead processes that nobody has waited for yet.
func killDescendants(pid int) {
	for range 1000 {
		alive := false
		for _, child := range descendants(pid) {
			if _, ok := startTime(child); ok {
				alive = true
			}
			_ = unix.Kill(child, unix.SIGKILL)
		}
		if !alive {
			return
		}
		time.Sleep(200 * time.Microsecond)
	}
}
