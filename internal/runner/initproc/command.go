package initproc

import (
	"errors"
	"path"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
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
	var blocked unix.Sigset_t // all: the driver starts this process so
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &unix.Sigset_t{}, &blocked); err != nil {
		return 0, step("unblock signals", err)
	}
	defer unix.PthreadSigmask(unix.SIG_SETMASK, &blocked, nil)
	_ = unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr}, 0) // SCHED_OTHER, and not nice
	listener := -1
	if c.Guard {
		attr.Sys.Unshareflags = unix.CLONE_NEWCGROUP
		if listener, err = guard(c.IntoCgroup); err != nil {
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
		_ = unix.Close(listener)
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
		limit(unix.RLIMIT_CORE, NoCore, NoCore),
		limit(unix.RLIMIT_NOFILE, c.SoftFiles, c.HardFiles),
		limit(unix.RLIMIT_STACK, 8<<20, unix.RLIM_INFINITY), // solvers may raise it
	)
}

func limit(which int, soft, hard uint64) error {
	var have unix.Rlimit
	if unix.Getrlimit(which, &have) == nil {
		hard = min(hard, have.Max)
	}
	return unix.Setrlimit(which, &unix.Rlimit{Cur: min(soft, hard), Max: hard})
}

// guard takes from this thread what a guarded command may not have. The capabilities of the command itself go with its
// execve, which gives none to a user other than root. With a listener, which is returned, the next clone3 of this
// thread can be let through the filter.
func guard(listen bool) (listener int, err error) {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return -1, step("forbid new privileges", err)
	}
	for i := uintptr(0); ; i++ {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, i, 0, 0, 0); err == unix.EINVAL {
			break // the kernel has no more
		} else if err != nil {
			return -1, step("drop capabilities", err)
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return -1, step("drop capabilities", err)
	}
	if err := dropInheritable(); err != nil {
		return -1, step("drop capabilities", err)
	}
	listener, err = installFilter(filterProgram(), listen)
	return listener, step("filter system calls", err)
}

// dropInheritable empties the set of capabilities that programs with capabilities of their own could take over. It has
// some in a user namespace, where those of this process are ambient ones.
func dropInheritable() error {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&head, &data[0]); err != nil {
		return err
	}
	data[0].Inheritable, data[1].Inheritable = 0, 0
	return unix.Capset(&head, &data[0])
}

// clone clones the command and waits for its execve.
func (p *process) clone(c *Command, attr *syscall.ProcAttr, listener int) (clock time.Duration, err error) {
	if c.PreferVictim {
		_ = raiseOOMScore(true)
		defer raiseOOMScore(false)
	}
	for _, file := range programs(c.Argv[0], c.Env) {
		if listener >= 0 {
			listening := make(chan struct{})
			go allowClone(listener, uint32(unix.Gettid()), listening)
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
		if _, err := unix.Write(fd, []byte("0")); err != nil {
			return err
		}
	}
	return nil
}

// programs returns the files that a program's name may mean, in the order of PATH as execvp takes them; one at least.
func programs(name string, env []string) []string {
	if strings.Contains(name, "/") {
		return []string{name}
	}
	return SearchPath(name, env)
}

// NoPath is a folder that is never made, in which a program is looked for without a PATH.
const NoPath = "/nonexistent/"

// SearchPath returns where the PATH of env may have a program, one file at least.
func SearchPath(name string, env []string) []string {
	var files []string
	for _, kv := range env {
		if list, ok := strings.CutPrefix(kv, "PATH="); ok {
			for dir := range strings.SplitSeq(list, ":") {
				files = append(files, path.Join("/", dir, name))
			}
		}
	}
	if files == nil {
		return []string{NoPath + name}
	}
	return files
}
