package runner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/smtpipe/smtpipe/internal/exec/runner/initproc"
)

// Host represents the machine to a driver. Its methods are safe for concurrent use.
type Host struct {
	config     Config
	log        *slog.Logger
	isolation  Isolation // isolation level of every run
	layout     *layout
	driver     string // name of the driver's cgroups
	overcommit bool
	pinned     bool
	topology   *Topology
	slots      []*Slot
	free       chan *Slot
	runs       atomic.Int64
	warm       sync.Map              // mount sources already read: path -> *warmth
	system     func() *initproc.Root // parts of the host visible to runs with HostSystem; computed once
	closeOnce  sync.Once
	sandbox    sandboxCan
}

// Slot is a part of the machine that executes one run after another.
type Slot struct {
	index  int
	plan   slotPlan
	group  *slotGroup // cgroups of the slot; nil without cgroups
	inits  *initStarter
	lock   *coreLock
	shared bool // whether another driver also uses the cores
	stolen stolenReading

	spare  spares
	making sync.WaitGroup // goroutine that makes the spares
	wait   sync.WaitGroup // goroutines that wait for inits to end and clean up
}

// spares are what the next run needs, made while the last run is being cleaned up. Each may be missing.
type spares struct {
	init  *initHandle
	group *runGroup
	stage string // host folder for a run without a private root
}

// takeInit returns an init that is ready for a command.
func (s *Slot) takeInit() (*initHandle, error) {
	s.making.Wait()
	changed := s.inits.mountsChanged()
	if p := s.spare.init; p != nil {
		s.spare.init = nil
		if !changed && p.alive() {
			return p, nil
		}
		p.end() // killed while waiting, such as for lack of memory, or with outdated mounts
	}
	return s.inits.start()
}

// takeGroup returns cgroups for a run, with its limits set.
func (s *Slot) takeGroup(h *Host, memory int64, processes int) (*runGroup, error) {
	s.making.Wait()
	if g := s.spare.group; g != nil {
		s.spare.group = nil
		if err := g.setLimits(memory, processes); err == nil {
			return g, nil
		}
		_ = g.remove() // possibly removed while waiting
	}
	g, err := s.group.newRunGroup(h.runName())
	if err != nil {
		return nil, err
	}
	if err := g.setLimits(memory, processes); err != nil {
		return nil, errors.Join(err, g.remove())
	}
	return g, nil
}

// takeStage returns an empty host folder.
func (s *Slot) takeStage(h *Host) (string, error) {
	s.making.Wait()
	dir := s.spare.stage
	s.spare.stage = ""
	if _, err := os.Lstat(dir); err == nil {
		return dir, nil
	}
	return h.makeStage()
}

func (h *Host) makeStage() (string, error) { return os.MkdirTemp("", stagingPrefix+h.driver+"-") }

// runName returns a new name for a run's cgroups.
func (h *Host) runName() string { return "run-" + strconv.FormatInt(h.runs.Add(1), 10) }

// prepareNext makes the spares. It is called only between runs, because it would disturb a run. It ignores errors,
// since takeInit and the others retry.
func (s *Slot) prepareNext(h *Host) {
	s.making.Go(func() {
		s.spare.init, _ = s.inits.start()
		if s.group != nil {
			s.spare.group, _ = s.group.newRunGroup(h.runName())
		}
		if !h.isolation.Private() {
			s.spare.stage, _ = h.makeStage()
		}
	})
}

// dropSpares removes the spares, which no run will use.
func (s *Slot) dropSpares() (err error) {
	s.making.Wait()
	defer s.wait.Wait()
	if s.spare.group != nil {
		err = s.spare.group.remove()
	}
	if s.spare.init != nil {
		s.spare.init.end()
	}
	return errors.Join(err, os.RemoveAll(s.spare.stage))
}

// Open determines the machine's capabilities, removes what dead drivers left, and creates the slots. If the configured
// isolation is not available, it returns an error that wraps ErrIsolation and explains how to enable it.
func Open(cfg Config) (_ *Host, err error) {
	if cfg.Isolation == "" {
		cfg.Isolation = Full
	}
	h := &Host{config: cfg, log: cfg.Logger, system: sync.OnceValue(systemRoot)}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	raiseOpenFiles()
	unlock := lockCgroups()
	defer func() {
		unlock()
		if err != nil {
			h.Close()
		}
	}()
	caps := probe(cfg)
	level, err := caps.choose(cfg.Isolation)
	if err != nil {
		caps.layout.leave()
		return nil, err
	}
	h.isolation, h.sandbox = level, caps.sandbox
	h.layout = caps.layout
	if level == NamespacesOnly || level == Unisolated {
		h.layout.leave()
		h.layout = &layout{kind: LayoutNone}
	}
	if level != Full && level != cfg.Isolation {
		h.log.Warn("isolation is weaker than full; \"smtpipe doctor\" explains why and how to repair it",
			"isolation", string(level))
	}
	if err := h.makeSlots(); err != nil {
		return nil, err
	}
	return h, nil
}

// driverCount distinguishes the drivers in one process.
var driverCount atomic.Int64

// driverName returns a name for a driver's cgroups that shows other drivers whether the driver is alive.
func driverName() string {
	pid := os.Getpid()
	start, _ := startTime(pid)
	return fmt.Sprintf("driver-%d-%s-%d", pid, start, driverCount.Add(1))
}

// deadDriver reports whether name belongs to a dead driver.
func deadDriver(name string) bool {
	f := strings.Split(name, "-")
	if len(f) != 4 || f[0] != "driver" {
		return false
	}
	pid, err := strconv.Atoi(f[1])
	if err != nil {
		return false
	}
	start, ok := startTime(pid)
	return !ok || start != f[2]
}

// Slots returns the number of concurrent runs that Open would provide, or the error that it would return.
func Slots(cfg Config) (int, error) {
	_, plans, _, err := divide(cfg, slog.New(slog.DiscardHandler))
	return len(plans), err
}

// divide divides the CPUs and memory available to this process into slots.
func divide(cfg Config, log *slog.Logger) (t *Topology, plans []slotPlan, overcommit bool, err error) {
	allowed, err := affinity()
	if err != nil {
		return nil, nil, false, err
	}
	if len(cfg.CPUs) > 0 {
		mayUse, chosen := allowed, map[int]bool{}
		for _, c := range cfg.CPUs {
			if !mayUse(c) {
				return nil, nil, false, fmt.Errorf("CPU %d is offline or unavailable to this process", c)
			}
			chosen[c] = true
		}
		allowed = func(c int) bool { return chosen[c] }
	}
	if t, err = readTopology("/", allowed); err != nil {
		return nil, nil, false, err
	}
	job := ReadJob()
	if usable := len(t.CPUs); job.ID != "" && job.CPUs > 0 && usable > job.CPUs {
		log.Warn("this job can use more CPUs than it was granted, as can other jobs; ask for TaskPlugin=task/cgroup "+
			"and ConstrainCores=yes", "granted", job.CPUs, "usable", usable)
		job.choose(t)
	}
	plans, overcommit, err = planSlots(t, cfg, job.memory(memInfo("MemTotal")))
	return t, plans, overcommit, err
}

func (h *Host) makeSlots() error {
	topology, plans, overcommit, err := divide(h.config, h.log)
	if err != nil {
		return err
	}
	h.topology = topology
	h.overcommit = overcommit
	h.driver = driverName()
	sweep(h.layout, h.log)
	sweepStaging(h.log)
	h.pinned = h.layout.has("cpuset")
	h.free = make(chan *Slot, len(plans))
	for k, p := range plans {
		s, err := h.newSlot(k, p)
		if err != nil {
			return fmt.Errorf("create slot %d: %w", k, err)
		}
		h.slots = append(h.slots, s)
		h.free <- s
	}
	return nil
}

func (h *Host) newSlot(k int, p slotPlan) (s *Slot, err error) {
	s = &Slot{index: k, plan: p}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if h.layout.kind != LayoutNone {
		cpus, mems := formatList(p.cpus), formatList(p.nodes)
		s.group, err = newSlotGroup(h.layout, h.driver, "slot-"+strconv.Itoa(k), cpus, mems)
		if err != nil {
			return s, err
		}
	}
	if !h.config.NoLock {
		s.lock, s.shared = lockCores(p.cpus)
		if s.shared {
			h.log.Warn("another driver has a slot on the same cores; its runs and ours disturb each other",
				"cpus", formatList(p.cpus))
		}
	}
	private := h.isolation.Private()
	s.inits, err = openInits(private, private && h.sandbox.userNS, s.group)
	return s, err
}

// close ends the slot's processes and removes its cgroups.
func (s *Slot) close() error {
	err := s.dropSpares()
	if s.inits != nil {
		s.inits.close()
	}
	if s.group != nil {
		err = errors.Join(err, s.group.close())
	}
	s.lock.release()
	return err
}

// Close ends the Host's threads and removes its cgroups. It must not be called during a run.
func (h *Host) Close() error {
	var errs []error
	h.closeOnce.Do(func() {
		for _, s := range h.slots {
			errs = append(errs, s.close())
		}
		if h.layout == nil || h.driver == "" {
			return
		}
		defer lockCgroups()()
		for _, base := range h.layout.bases() {
			errs = append(errs, removeCgroup(filepath.Join(base, h.driver)))
		}
		h.layout.leave()
	})
	return errors.Join(errs...)
}

// Slots returns the number of concurrent runs.
func (h *Host) Slots() int { return len(h.slots) }

// Isolation returns the isolation level of the Host's runs.
func (h *Host) Isolation() Isolation { return h.isolation }

// Layout returns the cgroup layout: v2, hybrid, v1 or none.
func (h *Host) Layout() string { return h.layout.kind }

// acquire waits for a free slot. Once ctx has ended, it fails even if a slot is free, because a run would be killed
// immediately.
func (h *Host) acquire(ctx context.Context) (*Slot, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	select {
	case s := <-h.free:
		return s, nil
	default:
	}
	select {
	case s := <-h.free:
		if ctx.Err() == nil {
			return s, nil
		}
		h.free <- s
	case <-ctx.Done():
	}
	return nil, context.Cause(ctx)
}

// bases returns this program's folders in all hierarchies, in a fixed order.
func (l *layout) bases() []string {
	var all []string
	if l.v2 != "" {
		all = append(all, l.v2)
	}
	for _, c := range v1Controllers {
		if l.v1[c] != "" {
			all = append(all, l.v1[c])
		}
	}
	return all
}

// leave removes the base folders unless another driver uses them.
func (l *layout) leave() {
	for _, base := range l.bases() {
		_ = unix.Rmdir(base)
	}
}

// sweep kills and removes what dead drivers left. It only logs what it fails to remove, since the remains do no harm.
func sweep(l *layout, log *slog.Logger) {
	for _, base := range l.bases() {
		entries, err := os.ReadDir(base)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if !e.IsDir() || !deadDriver(e.Name()) {
				continue
			}
			dir := filepath.Join(base, e.Name())
			_ = writeFile(filepath.Join(dir, "cgroup.kill"), "1")
			killTree(dir)
			if err := removeCgroup(dir); err != nil {
				log.Warn("cannot remove a dead driver's cgroups", "error", err)
			} else {
				log.Info("removed a dead driver's cgroups", "cgroup", dir)
			}
		}
	}
}

// stagingPrefix is the prefix of temporary folders for runs without a private root. The driver's name follows.
const stagingPrefix = "smtpipe-run-"

// sweepStaging removes this user's temporary folders whose driver is dead.
func sweepStaging(log *slog.Logger) {
	entries, err := os.ReadDir(os.TempDir())
	if err != nil {
		return
	}
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), stagingPrefix)
		i := strings.LastIndexByte(rest, '-')
		if !ok || i < 0 || !e.IsDir() || !deadDriver(rest[:i]) {
			continue
		}
		dir := filepath.Join(os.TempDir(), e.Name())
		if info, err := e.Info(); err != nil || int(info.Sys().(*syscall.Stat_t).Uid) != os.Geteuid() {
			continue
		}
		if err := os.RemoveAll(dir); err != nil {
			log.Warn("cannot remove a dead driver's files", "error", err)
		}
	}
}

// killTree signals all processes in a cgroup and below, for kernels and cgroup versions without cgroup.kill.
func killTree(dir string) {
	_ = filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && d.Name() == "cgroup.procs" {
			for _, w := range readWords(p) {
				if pid, err := strconv.Atoi(w); err == nil && pid > 0 {
					_ = unix.Kill(pid, unix.SIGKILL)
				}
			}
		}
		return nil
	})
}

// raiseOpenFiles raises the driver's limit on open files to the maximum, because every run needs about twenty.
func raiseOpenFiles() {
	var lim unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &lim) == nil && lim.Cur < lim.Max {
		lim.Cur = lim.Max
		_ = unix.Setrlimit(unix.RLIMIT_NOFILE, &lim)
	}
}
