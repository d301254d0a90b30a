package runner

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// In a memory cgroup of v1 the kernel kills one process when memory runs out, and the others live on. The driver
// therefore waits for an event of the kernel, and ends the run. In v2 the kernel itself kills all.

// registerOOM requests an event for memory running out. It is called before there is a limit, when it costs nothing. It
// returns -1 if the kernel has no such event.
func registerOOM(dir folder) int {
	control, err := dir.open("memory.oom_control", unix.O_RDONLY)
	if err != nil {
		return -1
	}
	defer unix.Close(control)
	event, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return -1
	}
	if dir.write("cgroup.event_control", fmt.Sprintf("%d %d", event, control)) != nil {
		closeAll(event)
		return -1
	}
	return event
}

// killsOne reports whether the run has a memory limit at which the kernel kills only one process.
func (g *runGroup) killsOne() bool { return g.limit > 0 && g.v1["memory"].is() }

// takeOOM consumes the event that memory ran out.
func (g *runGroup) takeOOM() {
	var count [8]byte
	_, _ = unix.Read(g.oom, count[:])
}
