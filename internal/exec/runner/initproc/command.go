package initproc

import (
	"errors"
	"math"
	"runtime"
	"syscall"
	"time"
)

// start starts the command. Filters, privileges and v1 cgroups belong to a thread and are inherited by its clones.
// start changes only the first thread, because init functions are bound to it. The changes do not affect the thread's
// remaining work.
func (p *process) start() (clock time.Duration, err error) {
	runtime.LockOSThread() // the runtime then clones new threads only from other threads
	c := p.req.Command
	files := p.socket.Files
	if want := p.filesOf(c); len(files) != want {
		return 0, step("read the request", errors.New("the open files do not fit it"))
	}
	attr := &syscall.ProcAttr{Env: c.Env, Sys: &syscall.SysProcAttr{Setsid: true}}
	for _, fd := range files[:3] {
		attr.Files = append(attr.Files, uintptr(fd))
	}
	files = files[3:]
	if !p.isolated() {
		attr.Sys.Pdeathsig = syscall.SIGKILL
	}
	if c.User != nil {
		attr.Sys.Credential = &syscall.Credential{Uid: c.User.UID, Gid: c.User.GID}
	}
	if c.IntoCgroup {
		attr.Sys.UseCgroupFD, attr.Sys.CgroupFD = true, files[0]
		if !p.isolated() { // an error means that the kernel has no cgroup.kill
			p.end, _ = syscall.Openat(files[0], "cgroup.kill", syscall.O_WRONLY|syscall.O_CLOEXEC, 0)
		}
		files = files[1:]
	}
	if err := limitResources(c); err != nil {
		return 0, step("limit resources", err)
	}
	blocked, err := blockSignals(0) // the driver blocked all signals
	if err != nil {
		return 0, step("unblock signals", err)
	}
	defer blockSignals(blocked)
	scheduleNormally()
	listener := -1
	if len(c.Filter) > 0 {
		attr.Sys.Unshareflags = syscall.CLONE_NEWCGROUP
		if listener, err = guard(c.Filter, c.IntoCgroup); err != nil {
			return 0, err
		}
	}
	if err := writeTasks(files[:c.Enter]); err != nil {
		return 0, step("enter the run's cgroups", err)
	}
	clock, err = p.clone(c, attr, listener)
	if back := writeTasks(files[c.Enter:]); back != nil && err == nil {
		return 0, step("leave the run's cgroups", back)
	}
	if listener >= 0 {
		_ = syscall.Close(listener)
	}
	return clock, err
}

// filesOf returns the number of open files that accompany a command.
func (p *process) filesOf(c *Command) int {
	n := 3 + c.Enter + c.Leave
	if c.IntoCgroup {
		n++
	}
	return n
}

// noCore is the limit on core dumps. With zero, the kernel would still start the machine's core dump program, if any
// (core(5), "Piping core dumps to a program"). One prevents both, because it is below the smallest dump
// (fs/coredump.c).
const noCore = 1

// limitResources sets this process's limits, which the command inherits.
func limitResources(c *Command) error {
	return errors.Join(
		limit(syscall.RLIMIT_CORE, noCore, noCore),
		limit(syscall.RLIMIT_NOFILE, c.SoftFiles, c.HardFiles),
		limit(syscall.RLIMIT_STACK, 8<<20, math.MaxUint64),         // solvers may raise the soft limit
		limit(syscall.RLIMIT_DATA, math.MaxUint64, math.MaxUint64), // other mechanisms limit memory
	)
}

func limit(which int, soft, hard uint64) error {
	var have syscall.Rlimit
	if syscall.Getrlimit(which, &have) == nil {
		hard = min(hard, have.Max)
	}
	return syscall.Setrlimit(which, &syscall.Rlimit{Cur: min(soft, hard), Max: hard})
}

// guard drops those of this thread's privileges that a guarded command must not have. The command loses its own
// capabilities at execve, which grants none to users other than root. With listen, guard returns a listener that can
// let this thread's next clone3 pass the filter.
func guard(filter []syscall.SockFilter, listen bool) (listener int, err error) {
	if err := prctl(prSetNoNewPrivs, 1, 0); err != nil {
		return -1, step("forbid new privileges", err)
	}
	for i := uintptr(0); ; i++ {
		if err := prctl(syscall.PR_CAPBSET_DROP, i, 0); err == syscall.EINVAL {
			break // the kernel has no further capabilities
		} else if err != nil {
			return -1, step("drop capabilities", err)
		}
	}
	if err := prctl(prCapAmbient, prCapAmbientClear, 0); err != nil {
		return -1, step("drop capabilities", err)
	}
	if err := dropInheritable(); err != nil {
		return -1, step("drop capabilities", err)
	}
	listener, err = installFilter(filter, listen)
	return listener, step("filter system calls", err)
}

// clone clones the command and waits until the command has called execve.
func (p *process) clone(c *Command, attr *syscall.ProcAttr, listener int) (clock time.Duration, err error) {
	if c.PreferVictim {
		_ = raiseOOMScore(true)
		defer raiseOOMScore(false)
	}
	for _, file := range c.Programs {
		if listener >= 0 {
			listening := make(chan struct{})
			go allowClone(listener, syscall.Gettid(), listening)
			<-listening
		}
		clock = Monotonic()
		var next error
		if p.tool, next = syscall.ForkExec(file, c.Argv, attr); next == nil {
			return clock, nil
		}
		if err == nil || !missing(next) { // return the error of a program that exists but is not executable
			err = next
		}
		if !missing(next) && next != syscall.EACCES {
			break
		}
	}
	errno, _ := errors.AsType[syscall.Errno](err)
	return 0, &StepError{Step: "execute " + c.Argv[0], Err: err, Start: startErrno(errno)}
}

func missing(err error) bool { return err == syscall.ENOENT || err == syscall.ENOTDIR }

// startErrno reports whether an execve that failed with e is the command's fault.
func startErrno(e syscall.Errno) bool {
	switch e {
	case syscall.ENOENT, syscall.EACCES, syscall.ENOEXEC, syscall.ENOTDIR, syscall.EISDIR, syscall.ELOOP,
		syscall.EINVAL,
		syscall.ELIBBAD, syscall.E2BIG, syscall.ENAMETOOLONG, syscall.EPERM, syscall.ETXTBSY:
		return true
	}
	return false
}

// writeTasks moves this thread into v1 cgroups through their open tasks files.
func writeTasks(files []int) error {
	for _, fd := range files {
		if _, err := syscall.Write(fd, []byte("0")); err != nil {
			return err
		}
	}
	return nil
}
