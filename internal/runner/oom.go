package runner

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// watchOOM prepares to wait for the kernel to kill one process of a v1 memory cgroup for lack of memory, after which the
// others would live on. In v2 the kernel kills all by itself. The result waits; it gives true after such a kill and false
// when done is closed. It is nil when there is nothing to wait for.
func (g *runGroup) watchOOM(done <-chan struct{}) (wait func() bool) {
	if !g.v1["memory"].is() || g.limit == 0 {
		return nil
	}
	event := g.oom
	if event == nil {
		return func() bool { return g.pollOOM(done) }
	}
	g.oom = nil // closed here
	go func() {
		<-done
		_ = event.SetReadDeadline(time.Now())
	}()
	return func() bool {
		defer event.Close()
		var count [8]byte
		for {
			if _, err := event.Read(count[:]); err != nil {
				return false
			}
			for range 100 { // the event comes before the kill
				if own, system := g.oomKilled(); own || system {
					return true
				}
				time.Sleep(100 * time.Microsecond)
			}
		}
	}
}

// registerOOM asks for an event when memory runs out. It is asked for before there is a limit, and costs nothing then.
func registerOOM(dir folder) (*os.File, error) {
	control, err := dir.open("memory.oom_control", unix.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer unix.Close(control)
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil, os.NewSyscallError("eventfd", err)
	}
	event := os.NewFile(uintptr(fd), "oom event")
	if err := dir.write("cgroup.event_control", fmt.Sprintf("%d %d", fd, control)); err != nil {
		_ = event.Close()
		return nil, err
	}
	return event, nil
}

// pollOOM looks every few milliseconds, for kernels without the event.
func (g *runGroup) pollOOM(done <-chan struct{}) bool {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return false
		case <-tick.C:
			if own, system := g.oomKilled(); own || system {
				return true
			}
		}
	}
}
