package runner

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/smtpipe/smtpipe/internal/comp"
)

const (
	// slowLook is how often what gives no event is looked at: refused processes.
	slowLook = 100 * time.Millisecond
	// sampleLook is how often a run without cgroups is sampled.
	sampleLook = 10 * time.Millisecond
	// shortest is the shortest sleep of the watcher; a limit is exceeded by about as much.
	shortest = 100 * time.Microsecond
)

// watch ends the run at its limits until stop is called, which waits for the watcher.
func (e *execution) watch(ctx context.Context) (stop func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { e.watchLimits(ctx, done) })
	if e.group != nil {
		if notify := e.group.watchOOM(done); notify != nil {
			wg.Go(func() {
				if notify() {
					e.end(comp.OutOfMemory)
				}
			})
		}
	}
	return func() {
		close(done)
		wg.Wait()
	}
}

// watchLimits sleeps until the earliest moment at which a limit can be reached, looks, and sleeps again.
func (e *execution) watchLimits(ctx context.Context, done <-chan struct{}) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-done:
			return
		case <-ctx.Done():
			e.end(comp.Killed)
			return
		case <-timer.C:
		}
		next := e.look()
		if next < 0 {
			return
		}
		timer.Reset(max(next, shortest))
	}
}

// look enforces all limits and gives when to look again; negative means that the run was ended.
func (e *execution) look() time.Duration {
	lim, next := e.cmd.Limits, slowLook
	wall := monotonic() - e.start
	if e.sampler != nil {
		next = sampleLook
		if e.sampler.look(lim.MemoryBytes) {
			return e.end(comp.OutOfMemory)
		}
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
	if left, ended := e.lookCPU(); ended {
		return -1
	} else if left > 0 {
		next = min(next, left)
	}
	if e.group != nil && wall > slowLook/2 && e.group.pidsRefused() {
		return e.end(comp.PidsLimit)
	}
	return next
}

// lookCPU enforces the limits of CPU time. left is the shortest wall time in which the next one can be reached, with all
// of the slot's CPUs busy; zero without such a limit.
func (e *execution) lookCPU() (left time.Duration, ended bool) {
	hard, soft := e.cmd.Limits.CPUTime, e.cmd.SoftCPUTime
	if e.flags&FlagSoftLimit != 0 {
		soft = 0
	}
	if hard == 0 && soft == 0 {
		return 0, false
	}
	cpu, err := e.cpuTime()
	if err != nil {
		return shortest, false
	}
	if hard > 0 && cpu >= hard {
		e.end(comp.CPUTimeout)
		return 0, true
	}
	threads := time.Duration(e.threads())
	if soft > 0 && cpu >= soft {
		e.terminate()
		soft = 0
	}
	if soft > 0 {
		left = max(shortest, (soft-cpu)/threads)
	}
	if hard > 0 {
		l := max(shortest, (hard-cpu)/threads)
		if left == 0 || l < left {
			left = l
		}
	}
	return left, false
}

// threads is how many CPUs the run can keep busy at once.
func (e *execution) threads() int {
	if e.host.pinned {
		return len(e.slot.plan.cpus)
	}
	return len(e.host.topology.CPUs)
}

// end kills the run for a cause. It gives -1 for the convenience of look.
func (e *execution) end(why comp.Ending) time.Duration {
	e.cause.set(why)
	if e.group != nil {
		_ = e.group.kill() // repeated, with its error looked at, after the command's end
	} else if e.sampler != nil {
		e.sampler.kill()
	}
	return -1
}

// terminate sends SIGTERM to every process of the run, once.
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
