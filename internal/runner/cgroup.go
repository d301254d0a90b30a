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

// slotGroup is the cgroups of a slot. They live as long as the Host, so that the cores are assigned once.
type slotGroup struct {
	layout *layout
	v2     string            // folder in v2, or ""
	v1     map[string]string // folders in v1
	init   *os.File          // leaf of v2 for inits
	cores  *os.File          // tasks file of the cpuset of v1, or nil
	leave  []*os.File        // tasks files of v1, but that of cpuset, to which a cloning thread goes back
}

// newSlotGroup makes the cgroups of a slot below those of its driver. cpus and mems are lists in the kernel's form; empty
// ties the slot to nothing.
func newSlotGroup(l *layout, driver, name, cpus, mems string) (*slotGroup, error) {
	s := &slotGroup{layout: l, v1: map[string]string{}}
	if err := s.makeV2(driver, name, cpus, mems); err != nil {
		s.close()
		return nil, err
	}
	for _, c := range v1Controllers {
		base := l.v1[c]
		if base == "" {
			continue
		}
		parent := filepath.Join(base, driver)
		dir := filepath.Join(parent, name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			s.close()
			return nil, err
		}
		s.v1[c] = dir
		if err := errors.Join(prepareV1(c, base, parent), prepareV1(c, parent, dir)); err != nil {
			s.close()
			return nil, err
		}
		if c == "memory" {
			_ = writeFile(dir+"/memory.swappiness", "0") // of all below, too
		}
		if c == "cpuset" {
			if err := s.setCores(dir, cpus, mems); err != nil {
				s.close()
				return nil, err
			}
			continue
		}
		back, err := openRaw(filepath.Join(parent, "tasks"), unix.O_WRONLY)
		if err != nil {
			s.close()
			return nil, err
		}
		s.leave = append(s.leave, back)
	}
	return s, nil
}

// setCores ties the slot to its cores, as its folder in v2 does.
func (s *slotGroup) setCores(dir, cpus, mems string) (err error) {
	if cpus != "" {
		if err := errors.Join(writeFile(dir+"/cpuset.cpus", cpus), writeFile(dir+"/cpuset.mems", mems)); err != nil {
			return err
		}
	}
	s.cores, err = openRaw(dir+"/tasks", unix.O_WRONLY)
	return err
}

func (s *slotGroup) makeV2(driver, name, cpus, mems string) error {
	if s.layout.v2 == "" {
		return nil
	}
	parent := filepath.Join(s.layout.v2, driver)
	s.v2 = filepath.Join(parent, name)
	if err := os.MkdirAll(filepath.Join(s.v2, "init"), 0o755); err != nil {
		return err
	}
	for _, c := range s.layout.have {
		if err := enableController(parent, c); err != nil {
			return err
		}
	}
	if slices.Contains(s.layout.have, "cpuset") && cpus != "" {
		if err := errors.Join(writeFile(s.v2+"/cpuset.cpus", cpus), writeFile(s.v2+"/cpuset.mems", mems)); err != nil {
			return err
		}
	}
	for _, c := range s.layout.have {
		if err := enableController(s.v2, c); err != nil {
			return err
		}
	}
	var err error
	s.init, err = openDir(filepath.Join(s.v2, "init"))
	return err
}

// openDir opens a folder of cgroups for CLONE_INTO_CGROUP.
func openDir(dir string) (*os.File, error) {
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	return os.NewFile(uintptr(fd), dir), nil
}

// close removes the slot's cgroups.
func (s *slotGroup) close() error {
	var errs []error
	if s.init != nil {
		_ = s.init.Close()
	}
	for _, f := range append(s.leave, s.cores) {
		_ = f.Close() // of a nil file does nothing
	}
	if s.v2 != "" {
		errs = append(errs, removeCgroup(s.v2))
	}
	for _, dir := range s.v1 {
		errs = append(errs, removeCgroup(dir))
	}
	return errors.Join(errs...)
}

// runGroup is the cgroups of one run. Only the command and its children are in them, never init.
type runGroup struct {
	slot  *slotGroup
	v2    string
	v1    map[string]string
	tool  *os.File   // v2 folder to clone into, or nil
	enter []*os.File // tasks files of v1 to clone in
	cpu   *statFile  // cpu.stat, or cpuacct.usage of v1
	limit int64      // memory, zero for none; see setLimits

	killFile *os.File // cgroup.kill, where the kernel has it

	// Counters that are read at the end of every run, open from the start; nil where the kernel lacks them.
	peak, pidsPeakFile, pidsEvents, events *statFile
	pressures                              [3]*statFile // of CPU, memory and input and output
	oom                                    *os.File     // event of v1, see watchOOM
}

// newRunGroup makes the cgroups of a run, which have no limits yet.
func (s *slotGroup) newRunGroup(name string) (*runGroup, error) {
	g := &runGroup{slot: s, v1: map[string]string{}}
	if err := g.make(name); err != nil {
		g.remove()
		return nil, err
	}
	return g, nil
}

func (g *runGroup) make(name string) error {
	if g.slot.v2 != "" {
		if err := g.makeV2(name); err != nil {
			return err
		}
	}
	for _, c := range v1Controllers {
		base := g.slot.v1[c]
		if base == "" || c == "cpuset" { // the cores are the slot's
			continue
		}
		dir := filepath.Join(base, name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
		g.v1[c] = dir
		if c == "cpuacct" {
			var err error
			if g.cpu, err = openStat(dir + "/cpuacct.usage"); err != nil {
				return err
			}
		}
		tasks, err := openRaw(dir+"/tasks", unix.O_WRONLY)
		if err != nil {
			return err
		}
		g.enter = append(g.enter, tasks)
	}
	g.openCounters()
	return nil
}

// openCounters opens what is read later. The cgroups of a run are made while nobody waits for them.
func (g *runGroup) openCounters() {
	open := func(names ...string) *statFile {
		for _, name := range names {
			if f, err := openStat(name); err == nil {
				return f
			}
		}
		return nil
	}
	if dir := g.v1["memory"]; dir != "" {
		g.peak = open(dir+"/memory.memsw.max_usage_in_bytes", dir+"/memory.max_usage_in_bytes")
		g.oom, _ = registerOOM(dir)
	} else {
		g.peak = open(g.v2 + "/memory.peak")
	}
	pids := g.v2
	if d := g.v1["pids"]; d != "" {
		pids = d
	}
	g.pidsPeakFile, g.pidsEvents = open(pids+"/pids.peak"), open(pids+"/pids.events")
	if g.v2 == "" {
		return
	}
	g.events = open(g.v2 + "/cgroup.events")
	for i, name := range []string{"/cpu.pressure", "/memory.pressure", "/io.pressure"} {
		g.pressures[i] = open(g.v2 + name)
	}
}

func (g *runGroup) makeV2(name string) error {
	g.v2 = filepath.Join(g.slot.v2, name)
	if err := os.Mkdir(g.v2, 0o755); err != nil {
		return err
	}
	if slices.Contains(g.slot.layout.have, "memory") {
		if err := writeFile(g.v2+"/memory.oom.group", "1"); err != nil {
			return err
		}
		if err := writeFile(g.v2+"/memory.swap.max", "0"); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err // the file is missing where the kernel cannot swap
		}
	}
	var err error
	if g.tool, err = openDir(g.v2); err != nil {
		return err
	}
	if f, err := openRaw(g.v2+"/cgroup.kill", unix.O_WRONLY); err == nil {
		g.killFile = f // Linux 5.14
	}
	g.cpu, err = openStat(g.v2 + "/cpu.stat")
	return err
}

// setLimits sets the limits of memory, where zero is none, and of processes.
func (g *runGroup) setLimits(memory int64, processes int) error {
	g.limit = memory
	pids, have := g.v1["pids"], g.slot.layout.have
	if slices.Contains(have, "pids") {
		pids = g.v2
	}
	if pids != "" {
		if err := writeFile(pids+"/pids.max", strconv.Itoa(processes)); err != nil {
			return err
		}
	}
	limit := strconv.FormatInt(memory, 10)
	switch dir := g.v1["memory"]; {
	case memory == 0:
	case slices.Contains(have, "memory"):
		return writeFile(g.v2+"/memory.max", limit)
	case dir != "":
		if err := writeFile(dir+"/memory.limit_in_bytes", limit); err != nil {
			return err
		}
		if err := writeFile(dir+"/memory.memsw.limit_in_bytes", limit); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err // the file is missing where swap is not counted
		}
	}
	return nil
}

// cpuTime reads the CPU time of the run until now.
func (g *runGroup) cpuTime() (total time.Duration, err error) {
	var buf [statBytes]byte
	data, err := g.cpu.read(buf[:])
	if err != nil {
		return 0, err
	}
	if g.v2 == "" {
		n, err := parseInt(data)
		return time.Duration(n), err // nanoseconds
	}
	n, ok := findKey(data, "usage_usec")
	if !ok {
		return 0, fmt.Errorf("%s/cpu.stat has no usage_usec", g.v2)
	}
	return time.Duration(n) * time.Microsecond, nil
}

// cpuTimes reads the CPU time of the run, and its user and system time.
func (g *runGroup) cpuTimes() (total, user, system time.Duration) {
	if g.v2 == "" {
		total, _ = g.cpuTime()
		u, _ := readInt(g.v1["cpuacct"] + "/cpuacct.usage_user")
		s, _ := readInt(g.v1["cpuacct"] + "/cpuacct.usage_sys")
		return total, time.Duration(u), time.Duration(s)
	}
	var buf [statBytes]byte
	data, err := g.cpu.read(buf[:])
	if err != nil {
		return 0, 0, 0
	}
	t, _ := findKey(data, "usage_usec")
	u, _ := findKey(data, "user_usec")
	s, _ := findKey(data, "system_usec")
	return time.Duration(t) * time.Microsecond, time.Duration(u) * time.Microsecond, time.Duration(s) * time.Microsecond
}

// memoryPeak reads the highest memory use in bytes; ok is false where the kernel does not keep it (v2 before Linux 5.19).
func (g *runGroup) memoryPeak() (n int64, ok bool) { return g.peak.number() }

// oomKilled tells whether the kernel killed a process of the run for lack of memory: because the run's own limit was
// reached (own), or though it was not (system), which is when the whole machine has none left.
func (g *runGroup) oomKilled() (own, system bool) {
	var kills, fails int64
	if dir := g.v1["memory"]; dir != "" {
		kills, _ = readKey(dir+"/memory.oom_control", "oom_kill")
		fails, _ = readInt(dir + "/memory.failcnt")
	} else {
		events := g.v2 + "/memory.events.local"
		kills, _ = readKey(events, "oom_kill")
		fails, _ = readKey(events, "oom")
	}
	if kills == 0 {
		return false, false
	}
	// Old kernels count failures elsewhere when the limit of memory and swap together was met first. A run that was within
	// a small piece of its limit met it.
	const piece = 1 << 20
	peak, ok := g.memoryPeak()
	own = g.limit > 0 && (fails > 0 || ok && peak >= g.limit-piece)
	return own, !own
}

// pidsRefused tells whether creating a process or thread was refused.
func (g *runGroup) pidsRefused() bool {
	n, _ := g.pidsEvents.key("max")
	return n > 0
}

// pidsPeak reads the highest number of processes and threads; zero where the kernel does not keep it.
func (g *runGroup) pidsPeak() int {
	n, _ := g.pidsPeakFile.number()
	return int(n)
}

// pressure reads the run's pressure stall information.
func (g *runGroup) pressure() *Pressure {
	cpu, ok := g.pressures[0].pressure()
	if !ok {
		return nil
	}
	memory, _ := g.pressures[1].pressure()
	io, _ := g.pressures[2].pressure()
	return &Pressure{CPU: cpu, Memory: memory, IO: io}
}

// readPressure reads the total of "some" in a file of pressure stall information.
func readPressure(path string) (time.Duration, bool) {
	data, err := readSmall(path)
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

// procs lists the processes of the run, as the driver sees them.
func (g *runGroup) procs() []int {
	dir := g.v2
	if dir == "" {
		dir = g.v1["freezer"]
	}
	var pids []int
	for _, w := range readWords(dir + "/cgroup.procs") {
		if pid, err := strconv.Atoi(w); err == nil && pid > 0 {
			pids = append(pids, pid)
		}
	}
	return pids
}

// kill ends all processes of the run at once, frozen ones too.
func (g *runGroup) kill() error {
	if g.killFile != nil {
		_, err := g.killFile.WriteString("1")
		return err
	}
	return g.killSlowly()
}

// killSlowly is for kernels without cgroup.kill: freeze, so that nobody forks, signal everybody, thaw.
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
	if g.v2 != "" {
		value := map[bool]string{true: "1", false: "0"}[on]
		_ = writeFile(g.v2+"/cgroup.freeze", value)
		return
	}
	value := map[bool]string{true: "FROZEN", false: "THAWED"}[on]
	_ = writeFile(g.v1["freezer"]+"/freezer.state", value)
}

// waitEmpty waits until no process is left, which takes microseconds after a kill unless one hangs in the kernel.
func (g *runGroup) waitEmpty(limit time.Duration) error {
	wait := 20 * time.Microsecond
	for deadline := monotonic() + limit; ; {
		if g.empty() {
			return nil
		}
		if monotonic() > deadline {
			return fmt.Errorf("processes %v of the run are still there %v after they were killed", g.procs(), limit)
		}
		time.Sleep(wait)
		wait = min(2*wait, 10*time.Millisecond)
	}
}

func (g *runGroup) empty() bool {
	if g.v2 != "" {
		n, ok := g.events.key("populated")
		return ok && n == 0
	}
	return len(g.procs()) == 0
}

// remove removes the run's cgroups and closes its files.
func (g *runGroup) remove() error {
	for _, f := range append(g.pressures[:], g.cpu, g.peak, g.pidsPeakFile, g.pidsEvents, g.events) {
		f.close()
	}
	for _, f := range append(g.enter, g.tool, g.killFile, g.oom) {
		if f != nil {
			_ = f.Close()
		}
	}
	var errs []error
	if g.v2 != "" {
		errs = append(errs, removeCgroup(g.v2))
	}
	for _, dir := range g.v1 {
		errs = append(errs, removeCgroup(dir))
	}
	return errors.Join(errs...)
}
