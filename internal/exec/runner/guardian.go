package runner

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/smtpipe/smtpipe/internal/exec/runner/initproc"
)

// guardian is a process that kills the processes in a driver's cgroups once the driver has ended for any reason. Runs
// with an init do not need it, because init does the same. The guardian waits at one end of a pipe. Only the driver
// holds the other end.
type guardian struct {
	pid  int
	pipe int // driver's end of the pipe
}

// startGuardian starts a guardian for a driver's cgroup. It returns nil if the kernel cannot kill a whole cgroup in one
// step; the next driver then kills the processes that a dead driver left.
func startGuardian(cgroup string) (*guardian, error) {
	end, err := unix.Open(filepath.Join(cgroup, "cgroup.kill"), unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) { // Linux before 5.14
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open %s/cgroup.kill: %w", cgroup, err)
	}
	defer closeAll(end)
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("open "+os.DevNull, err)
	}
	defer closeAll(null)
	theirs, ours, err := pipe()
	if err != nil {
		return nil, err
	}
	defer closeAll(theirs)
	attr := &syscall.ProcAttr{
		Files: []uintptr{uintptr(null), uintptr(null), uintptr(null), uintptr(theirs), uintptr(end)}, Env: initEnv,
		Sys: &syscall.SysProcAttr{Setsid: true}, // keeps a terminal's signals and hangup from the guardian
	}
	runtime.LockOSThread()
	pid, err := startBlocked("/proc/self/exe", []string{initproc.GuardianName}, attr)
	runtime.UnlockOSThread()
	if err != nil {
		closeAll(ours)
		return nil, fmt.Errorf("start the guardian of the runs: %w", err)
	}
	return &guardian{pid: pid, pipe: ours}, nil
}

// close stops the guardian. It must not be called during a run.
func (g *guardian) close() {
	if g == nil {
		return
	}
	closeAll(g.pipe)
	for {
		if _, err := unix.Wait4(g.pid, nil, 0, nil); err != unix.EINTR {
			return
		}
	}
}
