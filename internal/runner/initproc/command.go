package initproc

import (
	"errors"
	"math"
	"runtime"
	"syscall"
	"time"
)

// start starts the command. Filters, privileges and cgroups of v1 are those of a thread, and are inherited by what it
// clones. This is the first thread, to which init functions are bound; so it keeps them, which harms nothing that is
// still to be done, and other threads do not get them.
func (p *process) start() (clock time.Duration, err error) {
	runtime.LockOSThread() // new threads are cloned from another one, too
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
		files = files[1:]
	}
	if err := limitResources(c); err != nil {
		return 0, step("limit resources", err)
	}
	blocked, err := blockSignals(0) // all were: the driver starts this process so
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

// filesOf returns how many open files come with a command.
func (p *process) filesOf(c *Command) int {
	n := 3 + c.Enter + c.Leave
	if c.IntoCgroup {
		n++
	}
	return n
}

// NoCore is the limit of a core dump. Zero would not keep the kernel from starting the program that a machine may have
// for them (core(5), "Piping core dumps to a program"); one does both, being below the smallest dump (fs/coredump.c).
const NoCore = 1

// limitResources sets the limits of this process, which the command inherits.
func limitResources(c *Command) error {
	return errors.Join(
		limit(syscall.RLIMIT_CORE, NoCore, NoCore),
		limit(syscall.RLIMIT_NOFILE, c.SoftFiles, c.HardFiles),
		limit(syscall.RLIMIT_STACK, 8<<20, math.MaxUint64), // solvers may raise it
	)
}

func limit(which int, soft, hard uint64) error {
	var have syscall.Rlimit
	if syscall.Getrlimit(which, &have) == nil {
		hard = min(hard, have.Max)
	}
	return syscall.Setrlimit(which, &syscall.Rlimit{Cur: min(soft, hard), Max: hard})
}

// guard takes from this thread what a guarded command may not have. The capabilities of the command itself go with its
// execve, which gives none to a user other than root. With a listener, which is returned, the next clone3 of this
// thread can be let through the filter.
func guard(filter []syscall.SockFilter, listen bool) (listener int, err error) {
	if err := prctl(prSetNoNewPrivs, 1, 0); err != nil {
		return -1, step("forbid new privileges", err)
	}
	for i := uintptr(0); ; i++ {
		if err := prctl(syscall.PR_CAPBSET_DROP, i, 0); err == syscall.EINVAL {
			break // the kernel has no more
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

// clone clones the command and waits for its execve.
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
		if err == nil || !missing(next) { // one that is there and cannot be executed gives the error
			err = next
		}
		if !missing(next) && next != syscall.EACCES {
			break
		}
	}
	errno, _ := errors.AsType[syscall.Errno](err)
	return 0, &StepError{Step: "execute " + c.Argv[0], Err: err, Start: StartErrno(errno)}
}

func missing(err error) bool { return err == syscall.ENOENT || err == syscall.ENOTDIR }

// StartErrno reports whether an execve that fails so is the command's fault.
func StartErrno(e syscall.Errno) bool {
	switch e {
	case syscall.ENOENT, syscall.EACCES, syscall.ENOEXEC, syscall.ENOTDIR, syscall.EISDIR, syscall.ELOOP,
		syscall.EINVAL,
		syscall.ELIBBAD, syscall.E2BIG, syscall.ENAMETOOLONG, syscall.EPERM, syscall.ETXTBSY:
		return true
	}
	return false
}

// writeTasks moves this thread into cgroups of v1 whose tasks files are open.
func writeTasks(files []int) error {
	for _, fd := range files {
		if _, err := syscall.Write(fd, []byte("0")); err != nil {
			return err
		}
	}
	return nil
}
