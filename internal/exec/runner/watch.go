package runner

import (
	"context"
	"time"

	"golang.org/x/sys/unix"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

const (
	// slowPoll is the polling interval for conditions that trigger no event, such as refused processes.
	slowPoll = 100 * time.Millisecond
	// samplePoll is the interval between samples of a run without cgroups.
	samplePoll = 10 * time.Millisecond
	// oomPoll is the polling interval for a v1 cgroup that triggers no event when it runs out of memory.
	oomPoll = 5 * time.Millisecond
	// oomFastPoll is the polling interval after an out-of-memory event, which precedes the kernel's kill. Fast polling
	// lasts for oomGrace.
	oomFastPoll = 200 * time.Microsecond
	oomGrace    = 50 * time.Millisecond
	// minSleep is the watcher's shortest sleep, and about as long as runs may exceed a limit.
	minSleep = 100 * time.Microsecond
)

// watch enforces the limits until the command ends. It sleeps until the earliest time at which a limit can be reached.
func (e *execution) watch(ctx context.Context) (exit, error) {
	killed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(killed)
		e.end(comp.Killed)
	})
	defer func() {
		if !stop() {
			<-killed
		}
	}()
	var end exit
	var err error
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		end, err = e.tool.wait()
	}()
	oom := e.memoryEvents()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ended:
			return end, err
		case <-oom:
			e.oomUntil = monotonic() + oomGrace
			timer.Reset(0)
		case <-timer.C:
			if left := e.checkLimits(); left >= 0 {
				timer.Reset(max(left, minSleep))
			}
		}
	}
}

// memoryEvents returns a channel of the kernel's events for running out of memory, or nil unless the driver must end
// the run then. The channel's goroutine ends when the run's cgroups are removed.
func (e *execution) memoryEvents() <-chan struct{} {
	if e.group == nil || e.group.oom == nil || !e.group.killsOne() {
		return nil
	}
	events := make(chan struct{}, 1)
	go func() {
		var count [8]byte
		for {
			if _, err := e.group.oom.Read(count[:]); err != nil {
				return
			}
			select {
			case events <- struct{}{}:
			default:
			}
		}
	}()
	return events
}

// checkLimits enforces all limits and returns the time until the next check. A negative value means that the run was
// ended and needs no further checks.
func (e *execution) checkLimits() time.Duration {
	lim, next := e.cmd.Limits, slowPoll
	if why := e.cause.get(); why != "" {
		return e.end(why) // the kill after an event may have failed
	}
	wall := monotonic() - e.start
	if e.sampler != nil {
		next = samplePoll
		if e.sampler.look(lim.MemoryBytes) {
			return e.end(comp.OutOfMemory)
		}
	}
	if e.strays != nil {
		e.strays.look()
	}
	if lim.WallTime > 0 {
		if wall >= lim.WallTime {
			return e.end(comp.WallTimeout)
		}
		next = min(next, lim.WallTime-wall)
	}
	if soft := e.cmd.SoftWallTime; soft > 0 && e.flags&FlagSoftLimit == 0 {
		if wall >= soft {
			e.terminate()
		} else {
			next = min(next, soft-wall)
		}
	}
	if left, ended := e.checkCPUTime(); ended {
		return left
	} else if left > 0 {
		next = min(next, left)
	}
	if e.group != nil && wall > slowPoll/2 && e.group.pidsRefused() {
		return e.end(comp.PidsLimit)
	}
	oomNear := monotonic() < e.oomUntil
	if e.group != nil && e.group.killsOne() && (e.group.oom == nil || oomNear) {
		if own, system := e.group.oomKilled(); own || system {
			return e.end(comp.OutOfMemory)
		}
		if next = min(next, oomPoll); oomNear {
			next = min(next, oomFastPoll)
		}
	}
	return next
}

// checkCPUTime enforces the limits on CPU time. left is the shortest wall time until the next limit, with all of the
// slot's CPUs busy, or zero if there is no limit. If the run was ended, left is the result of end.
func (e *execution) checkCPUTime() (left time.Duration, ended bool) {
	hard, soft := e.cmd.Limits.CPUTime, e.cmd.SoftCPUTime
	if e.flags&FlagSoftLimit != 0 {
		soft = 0
	}
	if hard == 0 && soft == 0 {
		return 0, false
	}
	cpu, err := e.cpuTime()
	if err != nil {
		return minSleep, false
	}
	if hard > 0 && cpu >= hard {
		return e.end(comp.CPUTimeout), true
	}
	threads := time.Duration(e.threads())
	if soft > 0 && cpu >= soft {
		e.terminate()
		soft = 0
	}
	if soft > 0 {
		left = max(minSleep, (soft-cpu)/threads)
	}
	if hard > 0 {
		l := max(minSleep, (hard-cpu)/threads)
		if left == 0 || l < left {
			left = l
		}
	}
	return left, false
}

// threads returns the number of CPUs that the run can keep busy.
func (e *execution) threads() int {
	if e.host.pinned {
		return len(e.slot.plan.cpus)
	}
	return len(e.host.topology.CPUs)
}

// end kills the run with the given cause. Like checkLimits, it returns the time until the next attempt, or -1 unless
// the machine failed, for example for lack of descriptors.
func (e *execution) end(why comp.Ending) time.Duration {
	e.cause.set(why)
	if e.group != nil {
		if e.strays != nil {
			e.strays.kill()
		}
		if e.group.kill() != nil { // repeated after the command's end, where the error is checked
			return slowPoll
		}
	} else if e.sampler != nil {
		killDescendants(e.sampler.init)
	}
	return -1
}

// terminate sends SIGTERM to every process of the run, but only once.
func (e *execution) terminate() {
	e.flags |= FlagSoftLimit
	var pids []int
	if e.group != nil {
		pids = e.group.procs()
	} else {
		pids = descendants(e.sampler.init)
	}
	for _, pid := range pids {
		_ = unix.Kill(pid, unix.SIGTERM)
	}
}
