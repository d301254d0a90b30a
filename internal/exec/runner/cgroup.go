package runner

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// slotGroup holds a slot's cgroups. They live as long as the Host, so cores are assigned only once.
type slotGroup struct {
	layout *layout
	v2     folder
	v1     map[string]folder
	init   folder // leaf cgroup of v2 for inits
	cores  int    // tasks file of the v1 cpuset cgroup, or -1
	leave  []int  // tasks files of the other v1 cgroups, which a thread re-enters after cloning
}

// newSlotGroup creates a slot's cgroups below its driver's cgroups. cpus and mems are lists in the kernel's format; an
// empty list imposes no restriction.
func newSlotGroup(l *layout, driver, name, cpus, mems string) (*slotGroup, error) {
	s := &slotGroup{layout: l, v1: map[string]folder{}, cores: -1}
	if err := s.makeV2(driver, name, cpus, mems); err != nil {
		return nil, errors.Join(err, s.close())
	}
	for _, c := range v1Controllers {
		if l.v1[c] == "" {
			continue
		}
		if err := s.makeV1(c, driver, name, cpus, mems); err != nil {
			return nil, errors.Join(err, s.close())
		}
	}
	return s, nil
}

func (s *slotGroup) makeV2(driver, name, cpus, mems string) (err error) {
	if s.layout.v2 == "" {
		return nil
	}
	parent := filepath.Join(s.layout.v2, driver)
	path := filepath.Join(parent, name)
	if err := os.MkdirAll(filepath.Join(path, "init"), 0o755); err != nil {
		return err
	}
	if s.v2, err = openFolder(path); err != nil {
		return err
	}
	for _, c := range s.layout.have {
		if err := enableController(parent, c); err != nil {
			return err
		}
	}
	if slices.Contains(s.layout.have, "cpuset") && cpus != "" {
		if err := errors.Join(s.v2.write("cpuset.cpus", cpus), s.v2.write("cpuset.mems", mems)); err != nil {
			return err
		}
	}
	for _, c := range s.layout.have {
		if err := enableController(path, c); err != nil {
			return err
		}
	}
	s.init, err = openFolder(filepath.Join(path, "init"))
	return err
}

// close removes the slot's cgroups.
func (s *slotGroup) close() error {
	var errs []error
	s.init.close()
	closeAll(s.leave...)
	closeAll(s.cores)
	errs = append(errs, s.v2.remove())
	for _, dir := range s.v1 {
		errs = append(errs, dir.remove())
	}
	return errors.Join(errs...)
}

// runGroup holds a run's cgroups. They contain only the command and its children, never init.
type runGroup struct {
	slot  *slotGroup
	v2    folder // cgroup into which the command is cloned
	v1    map[string]folder
	enter []int // tasks files of the v1 cgroups to enter before cloning
	// cgroup.kill, or -1 if the kernel lacks it; kept open because a kill must not need a new descriptor
	end   int
	cpu   *statFile // cpu.stat, or cpuacct.usage of v1
	limit int64     // memory limit in bytes; zero means no limit; see setLimits

	// Counters read at the end of every run. They are opened when the cgroups are created, and are nil if the kernel
	// lacks them.
	peak, pidsPeakFile, pidsEvents, events *statFile
	pressures                              [3]*statFile // pressure files of CPU, memory and I/O
	oom                                    *os.File     // event that v1 raises when memory runs out, or nil
}

// newRunGroup creates a run's cgroups, initially without limits.
func (s *slotGroup) newRunGroup(name string) (*runGroup, error) {
	g := &runGroup{slot: s, v1: map[string]folder{}, end: -1}
	if err := g.make(name); err != nil {
		return nil, errors.Join(err, g.remove())
	}
	return g, nil
}

func (g *runGroup) make(name string) (err error) {
	if g.slot.v2.is() {
		if err := g.makeV2(name); err != nil {
			return err
		}
	}
	if err := g.makeV1(name); err != nil {
		return err
	}
	return g.openCounters()
}

// openCounters opens the counter files now, because nothing waits while a run's cgroups are created.
func (g *runGroup) openCounters() error {
	if dir := g.v1["memory"]; dir.is() {
		g.peak = dir.counter("memory.memsw.max_usage_in_bytes", "memory.max_usage_in_bytes")
		g.oom = registerOOM(dir)
	} else {
		g.peak = g.v2.counter("memory.peak")
	}
	pids := g.v2
	if d := g.v1["pids"]; d.is() {
		pids = d
	}
	g.pidsPeakFile, g.pidsEvents = pids.counter("pids.peak"), pids.counter("pids.events")
	if !g.v2.is() {
		if g.cpu = g.v1["cpuacct"].counter("cpuacct.usage"); g.cpu == nil {
			return errors.New("the cpuacct cgroup of the run has no usage that can be read")
		}
		return nil
	}
	if g.cpu = g.v2.counter("cpu.stat"); g.cpu == nil {
		return fmt.Errorf("%s has no readable cpu.stat", g.v2.path)
	}
	g.events = g.v2.counter("cgroup.events")
	for i, name := range []string{"cpu.pressure", "memory.pressure", "io.pressure"} {
		g.pressures[i] = g.v2.counter(name)
	}
	return nil
}

func (g *runGroup) makeV2(name string) (err error) {
	if g.v2, err = g.slot.v2.mkdir(name); err != nil {
		return err
	}
	// cgroup.kill requires Linux 5.14.
	if g.end, err = g.v2.open("cgroup.kill", unix.O_WRONLY); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if slices.Contains(g.slot.layout.have, "memory") {
		if err := g.v2.write("memory.oom.group", "1"); err != nil {
			return err
		}
		if err := g.v2.write("memory.swap.max", "0"); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err // the file is missing if the kernel cannot swap
		}
	}
	return nil
}

// setLimits sets the limits on memory (zero means none) and on the number of processes.
func (g *runGroup) setLimits(memory int64, processes int) error {
	g.limit = memory
	pids, have := g.v1["pids"], g.slot.layout.have
	if slices.Contains(have, "pids") {
		pids = g.v2
	}
	if pids.is() {
		if err := pids.write("pids.max", strconv.Itoa(processes)); err != nil {
			return err
		}
	}
	limit := strconv.FormatInt(memory, 10)
	switch {
	case memory == 0:
		return nil
	case slices.Contains(have, "memory"):
		return g.v2.write("memory.max", limit)
	}
	return g.limitMemoryV1(limit)
}

// cpuTime returns the CPU time that the run has used so far.
func (g *runGroup) cpuTime() (total time.Duration, err error) {
	var buf [statBytes]byte
	data, err := g.cpu.read(buf[:])
	if err != nil {
		return 0, err
	}
	if !g.v2.is() {
		n, err := parseInt(data)
		return time.Duration(n), err // cpuacct.usage is in nanoseconds
	}
	n, ok := findKey(data, "usage_usec")
	if !ok {
		return 0, fmt.Errorf("%s/cpu.stat has no usage_usec", g.v2.path)
	}
	return time.Duration(n) * time.Microsecond, nil
}

// cpuTimes returns the run's total, user and system CPU time.
func (g *runGroup) cpuTimes() (total, user, system time.Duration) {
	if !g.v2.is() {
		return g.cpuTimesV1()
	}
	var buf [statBytes]byte
	data := g.cpu.content(buf[:])
	t, _ := findKey(data, "usage_usec")
	u, _ := findKey(data, "user_usec")
	s, _ := findKey(data, "system_usec")
	return time.Duration(t) * time.Microsecond, time.Duration(u) * time.Microsecond, time.Duration(s) * time.Microsecond
}

// memoryPeak returns the highest memory use in bytes; ok is false if the kernel does not record it (v2 before Linux
// 5.19).
func (g *runGroup) memoryPeak() (n int64, ok bool) { return g.peak.number() }

// oomKilled reports whether the kernel killed one of the run's processes because the run reached its memory limit
// (own), or because the machine ran out of memory (system).
func (g *runGroup) oomKilled() (own, system bool) {
	var kills, fails int64
	if dir := g.v1["memory"]; dir.is() {
		kills, fails = oomCountsV1(dir)
	} else {
		events := g.v2.path + "/memory.events.local"
		kills, _ = readKey(events, "oom_kill")
		fails, _ = readKey(events, "oom")
	}
	if kills == 0 {
		return false, false
	}
	// Old kernels count a failure elsewhere if the limit on memory plus swap was reached first. A run close to its
	// limit therefore counts as having reached it.
	const piece = 1 << 20
	peak, ok := g.memoryPeak()
	own = g.limit > 0 && (fails > 0 || ok && peak >= g.limit-piece)
	return own, !own
}

// pidsRefused reports whether the kernel refused to create a process or thread.
func (g *runGroup) pidsRefused() bool {
	n, _ := g.pidsEvents.key("max")
	return n > 0
}

// pidsPeak returns the highest number of processes and threads, or zero if the kernel does not record it.
func (g *runGroup) pidsPeak() int {
	n, _ := g.pidsPeakFile.number()
	return int(n)
}

// pressure returns the run's pressure stall information.
func (g *runGroup) pressure() *Pressure {
	cpu, ok := g.pressures[0].pressure()
	if !ok {
		return nil
	}
	memory, _ := g.pressures[1].pressure()
	io, _ := g.pressures[2].pressure()
	return &Pressure{cpu, memory, io}
}

// readPressure returns the "some" total in a pressure stall information file.
func readPressure(path string) (time.Duration, bool) {
	data, err := readKernel(path)
	if err != nil {
		return 0, false
	}
	return parsePressure(data)
}

func parsePressure(data []byte) (time.Duration, bool) {
	for line := range bytes.Lines(data) {
		if rest, ok := bytes.CutPrefix(line, []byte("some ")); ok {
			_, total, _ := bytes.Cut(bytes.TrimSpace(rest), []byte("total="))
			n, err := strconv.ParseInt(string(total), 10, 64)
			return time.Duration(n) * time.Microsecond, err == nil
		}
	}
	return 0, false
}

// procs returns the run's processes with the IDs that the driver sees.
func (g *runGroup) procs() []int {
	dir := g.v2
	if !dir.is() {
		dir = g.v1["freezer"]
	}
	var pids []int
	for _, w := range readWords(dir.path + "/cgroup.procs") {
		if pid, err := strconv.Atoi(w); err == nil && pid > 0 {
			pids = append(pids, pid)
		}
	}
	return pids
}

// kill kills all of the run's processes together, including frozen ones.
func (g *runGroup) kill() error {
	if g.end < 0 {
		return g.killSlowly()
	}
	if _, err := unix.Write(g.end, []byte("1")); err != nil {
		return fmt.Errorf("write 1 to %s/cgroup.kill: %w", g.v2.path, err)
	}
	return nil
}

// killSlowly replaces kill on kernels without cgroup.kill. It freezes the processes to prevent forks, signals all of
// them, and thaws them.
func (g *runGroup) killSlowly() error {
	for range 100 {
		g.freeze(true)
		pids := g.procs()
		for _, pid := range pids {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
		g.freeze(false)
		if len(pids) == 0 {
			return nil
		}
		time.Sleep(time.Millisecond)
	}
	return fmt.Errorf("processes %v of the run do not die", g.procs())
}

func (g *runGroup) freeze(on bool) {
	if g.v2.is() {
		_ = g.v2.write("cgroup.freeze", map[bool]string{true: "1", false: "0"}[on])
		return
	}
	_ = g.v1["freezer"].write("freezer.state", map[bool]string{true: "FROZEN", false: "THAWED"}[on])
}

// waitEmpty waits until the cgroup contains no process. After a kill, this takes microseconds unless a process hangs in
// the kernel.
func (g *runGroup) waitEmpty(limit time.Duration) error {
	wait := 20 * time.Microsecond
	for deadline := monotonic() + limit; ; {
		if g.empty() {
			return nil
		}
		if monotonic() > deadline {
			return fmt.Errorf("processes %v of the run still exist %v after they were killed", g.procs(), limit)
		}
		time.Sleep(wait)
		wait = min(2*wait, 10*time.Millisecond)
	}
}

func (g *runGroup) empty() bool {
	if g.v2.is() {
		n, ok := g.events.key("populated")
		return ok && n == 0
	}
	return len(g.procs()) == 0
}

// remove removes the run's cgroups and closes their files.
func (g *runGroup) remove() error {
	for _, f := range append(g.pressures[:], g.cpu, g.peak, g.pidsPeakFile, g.pidsEvents, g.events) {
		f.close()
	}
	closeAll(g.enter...)
	closeAll(g.end)
	_ = g.oom.Close() // no-op for nil
	errs := []error{g.v2.remove()}
	for _, dir := range g.v1 {
		errs = append(errs, dir.remove())
	}
	return errors.Join(errs...)
}
