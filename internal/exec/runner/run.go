package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/exec/runner/initproc"
)

// Run waits for a free slot, executes a command in it, and returns the record.
//
// If Run returns an error, there is no record. An error that wraps ErrStart is the command's fault. Any other error is
// the machine's fault, and the run should be repeated. If ctx ends during the run, the record's ending is Killed and
// the error is nil.
func (h *Host) Run(ctx context.Context, cmd Command) (Record, error) {
	if err := cmd.validate(); err != nil {
		return Record{}, err
	}
	if !h.isolation.Private() && cmd.hasImage() {
		return Record{},
			fmt.Errorf("a run in an image has a file system of its own, which the isolation %q does not provide; "+
				"use full or namespaces", h.isolation)
	}
	slot, err := h.acquire(ctx)
	if err != nil {
		return Record{}, err
	}
	defer func() { h.free <- slot }()
	if have := max(1, h.config.CoresPerRun); cmd.Limits.Cores > have {
		return Record{}, fmt.Errorf("the command requests %d cores, but slots have %d", cmd.Limits.Cores, have)
	}
	e := &execution{host: h, slot: slot, cmd: &cmd}
	e.pipes.clear()
	record, err := e.execute(ctx)
	if err != nil {
		if errors.Is(err, ErrStart) {
			return Record{}, err
		}
		return Record{}, fmt.Errorf("run %s: %w", cmd.Argv[0], err)
	}
	return record, nil
}

// execution is a run in progress.
type execution struct {
	host *Host
	slot *Slot
	cmd  *Command

	group    *runGroup // cgroups of the run; nil without cgroups
	sampler  *sampler  // sampler of a run without cgroups; nil otherwise
	strays   *strays   // finds processes that left the cgroups; nil unless the command sees the cgroups
	staging  string    // host folder for inputs that cannot be mounted directly
	pipes    pipes
	tool     *tool
	start    time.Duration // monotonic time when the command started
	wall     time.Duration
	oomKills int64         // kernelKills before a run without cgroups
	oomUntil time.Duration // until then, the kernel may still kill a process for lack of memory; see oomFastPoll

	cause cause
	flags Flags
	env   []string
}

// exit describes how a command ended.
type exit struct {
	status unix.WaitStatus
	clock  time.Duration
	usage  usage
}

// usage is the result of getrusage.
type usage = initproc.Usage

// cause is the reason for ending a run from outside, if any. Only the first cause is kept.
type cause struct {
	mu     sync.Mutex
	ending comp.Ending
}

func (c *cause) set(e comp.Ending) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ending == "" {
		c.ending = e
	}
}

func (c *cause) get() comp.Ending {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ending
}

func (e *execution) execute(ctx context.Context) (rec Record, err error) {
	defer e.cleanUp()
	if err := e.prepare(ctx); err != nil {
		return Record{}, err
	}
	before := readMachine(e.slot.plan.cpus, &e.slot.stolen)
	rec.Started = time.Now().UTC().Round(0)
	if err := e.launch(); err != nil {
		if e.starved(err) {
			return e.starvedRecord(rec), nil
		}
		return Record{}, err
	}
	clock := &Clock{start: e.start, cpu: e.cpuTime}
	e.pipes.begin(ctx, e, clock)
	end, err := e.watch(ctx)
	e.wall = end.clock - e.start
	if killErr := e.killAll(err == nil); err == nil {
		err = killErr
	}
	if err != nil {
		e.pipes.end()
		if e.starved(err) {
			return e.starvedRecord(rec), nil
		}
		return Record{}, err
	}
	e.slot.prepareNext(e.host)
	folder, full := e.tool.work()
	if full {
		e.flags |= FlagScratchFull
	}
	rec.Collected = e.collect(folder)
	attachment := e.attachment(folder)
	e.measure(&rec, end)
	if e.group == nil {
		all, err := e.tool.finish()
		if err != nil {
			e.pipes.end()
			return Record{}, err
		}
		e.measureSamples(&rec, all)
	}
	e.pipes.end()
	e.describe(&rec, end, before, attachment)
	err = e.decide(&rec, end)
	if e.stopped(ctx, &rec) {
		rec.Ending = comp.Killed
	}
	return rec, err
}

// stopGrace limits how much later than the command the driver may notice a signal.
const stopGrace = 500 * time.Millisecond

// stopped reports whether the driver is being stopped together with the command. systemd and Slurm send SIGTERM to all
// processes of a unit or job, and a command may die before the driver notices its own signal. Such a run has no result,
// even if the command did not die from the signal but, like a shell, only reported that its child did.
func (e *execution) stopped(ctx context.Context, rec *Record) bool {
	if ctx.Err() != nil {
		return true
	}
	died := rec.Signal
	if rec.Ending == comp.Exited && rec.ExitCode > 128 { // exit code that shells use for signals
		died = rec.ExitCode - 128
	}
	by, said := syscall.Signal(died), rec.Stderr.Bytes()
	told := bytes.Contains(said, []byte("Terminated")) || bytes.Contains(said, []byte("Hangup"))
	if e.flags.Has(FlagSoftLimit) || by != syscall.SIGTERM && by != syscall.SIGHUP && !told {
		return false
	}
	select {
	case <-ctx.Done():
		return true
	case <-time.After(stopGrace):
		return false
	}
}

// prepare creates the cgroups and pipes and reads the inputs.
func (e *execution) prepare(ctx context.Context) error {
	if err := e.readInputs(ctx); err != nil {
		return err
	}
	if e.slot.group != nil {
		g, err := e.slot.takeGroup(e.host, e.cmd.Limits.MemoryBytes, e.processes())
		if err != nil {
			return fmt.Errorf("make the cgroups of the run: %w", err)
		}
		e.group = g
	} else {
		e.oomKills = kernelKills()
	}
	return e.pipes.open(e.cmd)
}

// processes returns the limit on processes and threads, which every run has.
func (e *execution) processes() int {
	if n := e.cmd.Limits.Processes; n > 0 {
		return n
	}
	return defaultProcesses
}

// starved reports whether the memory limit is too low even to start the command. With cgroups v1, the kernel may then
// kill init, which is in the run's cgroup while it clones the command, and count the kill elsewhere. No program starts
// with less than a megabyte.
func (e *execution) starved(err error) bool {
	if e.group == nil || e.cmd.Limits.MemoryBytes == 0 || errors.Is(err, ErrStart) {
		return false
	}
	own, _ := e.group.oomKilled()
	return own || e.cmd.Limits.MemoryBytes < 1<<20
}

// starvedRecord returns the record of a command that the memory limit kept from starting.
func (e *execution) starvedRecord(rec Record) Record {
	rec.Ending, rec.ExitCode = comp.OutOfMemory, -1
	cpu, _ := e.group.cpuTime()
	rec.CPUTimeS = run.SecondsOf(cpu)
	rec.MemoryBytes, _ = e.group.memoryPeak()
	rec.Isolation, rec.Layout, rec.Slot, rec.Env = string(e.host.isolation), e.host.layout.kind, e.slot.index, e.env
	return rec
}

// cpuTime returns the CPU time that the run has used so far.
func (e *execution) cpuTime() (time.Duration, error) {
	if e.group != nil {
		return e.group.cpuTime()
	}
	return e.sampler.cpuTime(), nil
}

// killAll kills the run's remaining processes and waits until they are gone.
func (e *execution) killAll(ended bool) error {
	if e.group == nil {
		if e.sampler != nil {
			killDescendants(e.sampler.init)
		}
		return nil
	}
	empty := ended && e.group.empty()
	if e.strays != nil {
		e.strays.kill()
	}
	if empty {
		return nil
	}
	if ended && e.cause.get() == "" {
		e.flags |= FlagLeftProcesses
	}
	if err := e.group.kill(); err != nil {
		return fmt.Errorf("kill the run: %w", err)
	}
	return e.group.waitEmpty(10 * time.Second)
}

// measure fills in the record from the cgroup counters.
func (e *execution) measure(rec *Record, end exit) {
	rec.ReadBytes, rec.WrittenBytes = end.usage.InBlocks*512, end.usage.OutBlocks*512
	if e.group == nil {
		return
	}
	g := e.group
	cpu, user, system := g.cpuTimes()
	rec.CPUTimeS, rec.UserTime, rec.SystemTime = run.SecondsOf(cpu), user, system
	memory, ok := g.memoryPeak()
	if !ok {
		memory = end.usage.MaxRSS
		e.flags |= FlagSampled
	}
	rec.MemoryBytes = memory
	if e.strays != nil && e.strays.measure(rec, end.usage) {
		e.flags |= FlagLeftCgroups
	}
	rec.Processes = g.pidsPeak()
	rec.Pressure = g.pressure()
	if crowded(rec, e.wall, len(e.slot.plan.cpus)) {
		e.flags |= FlagCrowded
	}
	if g.pidsRefused() {
		e.flags |= FlagPidsLimit
	}
}

// crowded reports whether a run had more busy threads than cores. Sleeping threads, such as those of a virtual machine,
// are harmless, and on a shared machine the run does not have its cores to itself.
func crowded(rec *Record, wall time.Duration, cores int) bool {
	busy := rec.CPUTimeS.Duration() > time.Duration(cores)*wall*3/4
	return busy && rec.Processes > cores && rec.Pressure != nil && rec.Pressure[0] > wall/2
}

// measureSamples fills in the record of a run without cgroups from samples and from rusage, which contains the CPU time
// of all processes.
func (e *execution) measureSamples(rec *Record, all usage) {
	rec.CPUTimeS = run.SecondsOf(all.User + all.System)
	rec.UserTime, rec.SystemTime = all.User, all.System
	rec.MemoryBytes = max(all.MaxRSS, e.sampler.peakBytes())
	rec.Processes = e.sampler.highestProcesses()
	rec.ReadBytes, rec.WrittenBytes = all.InBlocks*512, all.OutBlocks*512
	e.flags |= FlagSampled
	if e.cmd.Limits.MemoryBytes > 0 {
		e.flags |= FlagNoMemoryLimit
	}
}

// describe fills in everything except the measurements.
func (e *execution) describe(rec *Record, end exit, before machineState, attachment []byte) {
	rec.WallTimeS = run.SecondsOf(e.wall)
	rec.ExitCode = -1
	if end.status.Exited() {
		rec.ExitCode = int64(end.status.ExitStatus())
	}
	if end.status.Signaled() {
		rec.Signal = int64(end.status.Signal())
	}
	rec.Stdout, rec.Stderr, rec.Lines = e.pipes.results(e.start)
	e.attach(&rec.Stdout, attachment)
	if rec.Stdout.Dropped()+rec.Stderr.Dropped() > 0 {
		e.flags |= FlagTruncated
	}
	e.flags |= before.compare(readMachineAfter(e.slot.plan.cpus, e.wall, before, &e.slot.stolen), e.start, end.clock)
	if e.slot.shared {
		e.flags |= FlagCoresShared
	}
	if e.host.overcommit {
		e.flags |= FlagOvercommit
	}
	if !e.host.pinned {
		e.flags |= FlagNotPinned
	} else {
		rec.CPUs = formatList(e.slot.plan.cpus)
	}
	rec.Isolation, rec.Layout, rec.Slot = string(e.host.isolation), e.host.layout.kind, e.slot.index
	rec.Env = e.env
}

// decide determines the verdict from the measurements, never from a race between the command's end and a deadline: a
// run above a limit is a timeout even if it ended by itself, and a run below the limit is not.
func (e *execution) decide(rec *Record, end exit) error {
	lim, ended := e.cmd.Limits, e.cause.get()
	own, system := false, false
	killed := end.status.Signaled() && end.status.Signal() == syscall.SIGKILL
	failed := !end.status.Exited() || end.status.ExitStatus() != 0
	// If a command continues after the kernel has killed one of its processes, as a script can, the kill did no harm. A
	// command that failed may have ended before the watcher noticed the kill.
	if e.group != nil && (failed || ended == comp.OutOfMemory) {
		own, system = e.group.oomKilled()
	}
	if e.group == nil && failed && ended == "" && kernelKills() > e.oomKills { // in this run or a concurrent one
		own = lim.MemoryBytes > 0 && rec.MemoryBytes >= lim.MemoryBytes
		system = !own
	}
	if err := machineKilled(own, system, failed, ended); err != nil {
		return err
	}
	switch {
	case own:
		rec.Ending = comp.OutOfMemory
	case lim.WallTime > 0 && e.wall > lim.WallTime:
		rec.Ending = comp.WallTimeout
	case lim.CPUTime > 0 && rec.CPUTimeS.Duration() > lim.CPUTime:
		rec.Ending = comp.CPUTimeout
	case ended != "" && (killed || ended == comp.OutOfMemory):
		rec.Ending = ended
	case failed && e.flags.Has(FlagScratchFull):
		rec.Ending = comp.FilesLimit
	case end.status.Signaled():
		rec.Ending = comp.Signalled
		if killed {
			e.flags |= FlagForeignKill
		}
	default:
		rec.Ending = comp.Exited
	}
	if rec.Ending.TimedOut() && end.status.Exited() {
		e.flags |= FlagLateExit
	}
	rec.Flags |= e.flags
	return nil
}

// machineKilled returns an error if the kernel killed the run for lack of memory although the run had not reached its
// own limit. own and system are the results of oomKilled. failed is whether the command failed. ended is the runner's
// reason for ending the run, if any: it may end the run after the kernel killed only one of its processes.
func machineKilled(own, system, failed bool, ended comp.Ending) error {
	if system && !own && failed && (ended == "" || ended == comp.OutOfMemory) {
		return errors.New("the machine or the job ran out of memory, and the kernel killed the run below its own " +
			"limit; " +
			"lower the number of jobs or give the job more memory, and run again")
	}
	return nil
}

// cleanUp removes the run's resources from the machine. The run's cgroups are empty by now. Removing the cgroups, their
// files and init's namespaces takes the kernel a while, but only Close must wait for that.
func (e *execution) cleanUp() {
	e.pipes.close()
	e.slot.wait.Go(func() {
		if e.group != nil {
			if err := e.group.remove(); err != nil {
				e.host.log.Warn("a cgroup of a run is left until the driver ends", "error", err)
			}
		}
		if e.staging != "" {
			if err := os.RemoveAll(e.staging); err != nil {
				e.host.log.Warn("files of a run are left", "error", err)
			}
		}
		if e.tool != nil {
			e.tool.end()
		}
	})
}
