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

// guardian is a process that kills the processes in a driver's cgroups when the driver is gone, however it ended. Runs
// with an init need no guardian, because their init does that. The guardian waits at one end of a pipe. Only the driver
// has the other end.
type guardian struct {
	pid  int
	pipe int // ours
}

// startGuardian starts the guardian of a driver's cgroup. It returns nil if the kernel cannot kill a whole cgroup in
// one step. In that case, the next driver kills the processes that a dead driver left.
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
		Sys: &syscall.SysProcAttr{Setsid: true}, // it must not receive a terminal's signals or hangup
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

// close ends the guardian. No run may be in progress.
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
