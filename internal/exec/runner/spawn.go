package runner

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// spawner starts processes from one thread that lives as long as the Host: a process receives its death signal when the
// thread that started it ends. The thread can also be moved into a v1 cgroup.
type spawner struct {
	jobs chan func()
	done chan struct{}
}

func newSpawner() *spawner {
	s := &spawner{jobs: make(chan func()), done: make(chan struct{})}
	onWorkerThread(func() {
		defer close(s.done)
		for job := range s.jobs {
			job()
		}
	})
	return s
}

// onWorkerThread executes f in a new goroutine on its own thread, which ends with f. The thread is never the process's
// first one, which would not end and whose cgroup is charged for the process's memory.
func onWorkerThread(f func()) {
	go func() {
		runtime.LockOSThread()
		if unix.Gettid() != unix.Getpid() {
			f()
			return
		}
		elsewhere := make(chan struct{})
		onWorkerThread(func() {
			close(elsewhere)
			f()
		})
		<-elsewhere
		runtime.UnlockOSThread()
	}()
}

// do calls f on the thread.
func (s *spawner) do(f func()) {
	done := make(chan struct{})
	s.jobs <- func() {
		defer close(done)
		f()
	}
	<-done
}

// enter moves the thread into a v1 cgroup permanently, together with everything that it starts. tasks is the cgroup's
// open tasks file, or -1.
func (s *spawner) enter(tasks int) (err error) {
	if tasks >= 0 {
		s.do(func() { _, err = unix.Write(tasks, []byte{'0'}) })
	}
	return os.NewSyscallError("write to the tasks of a cgroup", err)
}

func (s *spawner) close() {
	close(s.jobs)
	<-s.done
}
