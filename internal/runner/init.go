package runner

import (
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The Go runtime's hooks around a fork. They are the ones that package syscall uses, and are kept for others who fork.

//go:linkname runtimeBeforeFork syscall.runtime_BeforeFork
func runtimeBeforeFork()

//go:linkname runtimeAfterFork syscall.runtime_AfterFork
func runtimeAfterFork()

// MaybeInit must be called first thing in main. When this process was started by a Host as the nursery of its inits, it
// does that work and never returns; otherwise it returns at once. The same holds for the trial runs of Diagnose.
func MaybeInit() {
	maybeTrial()
	if len(os.Args) != 1 || os.Args[0] != initName {
		return
	}
	// The death signal of an init is sent when the thread that forked it ends.
	runtime.LockOSThread()
	if err := nursery(); err != nil {
		_, _ = os.Stderr.WriteString(err.Error())
	}
	os.Exit(0)
}

// What the driver sends for an init with namespaces of its own, and for one without.
const (
	bearIsolated = 'i'
	bearPlain    = 'p'
)

// nursery forks an init for every message of the driver, until the driver closes the socket or is dead. An init costs a
// tenth of what starting this program again would: that is why there is a nursery. It has no part in runs.
func nursery() error {
	if os.Geteuid() != 0 { // before the next step, which takes /proc/self from an ordinary user
		_ = writeFile("/proc/self/oom_score_adj", victimScore)
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return step("make init unreadable", err)
	}
	ignoreSignals()
	unix.Umask(0o022)
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, 0) // the driver may be nice; only root can go back
	for {
		var word [1]byte
		n, fds, err := receiveDescriptors(fdControl, word[:])
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 {
			return err
		}
		if len(fds) != 1 {
			return step("make an init", unix.EBADF)
		}
		if err := bear(fds[0], word[0] == bearIsolated); err != nil {
			return err
		}
	}
}

// bear forks one init and tells the driver of it.
func bear(control int, namespaces bool) error {
	defer unix.Close(control)
	m := newInitMemory(control, namespaces, earlyProgram(namespaces).finish())
	pidFD := int32(-1)
	clone := cloneArgs{
		flags: unix.CLONE_PIDFD, exitSignal: uint64(unix.SIGCHLD), pidFD: uint64(uintptr(unsafe.Pointer(&pidFD))),
	}
	if namespaces {
		clone.flags |= isolationFlags
	}
	pid, errno := forkInit(m, &clone)
	b := birth{Pid: uint64(pid), Errno: uint64(errno)}
	var rights []byte
	if errno == 0 {
		rights = unix.UnixRights(int(pidFD))
		defer unix.Close(int(pidFD))
	}
	return step("report an init", unix.Sendmsg(fdControl, bytesOf(&b), rights, nil, 0))
}

// forkInit forks. The child has a copy of all memory but only this thread, and never returns.
//
//go:noinline
//go:norace
//go:nocheckptr
func forkInit(m *initMemory, clone *cloneArgs) (pid, errno uintptr) {
	runtimeBeforeFork() // blocks all signals
	pid, errno = rawVfork(unix.SYS_CLONE3, uintptr(unsafe.Pointer(clone)), unsafe.Sizeof(*clone))
	if errno == 0 && pid == 0 {
		initMain(m)
	}
	runtimeAfterFork()
	return pid, errno
}

// rawVfork makes a system call that clones, in a child that may share memory and stack with the waiting parent.
func rawVfork(trap, a1, a2 uintptr) (r1, errno uintptr)

// earlyProgram does what is the same for every command, before there is one.
func earlyProgram(namespaces bool) *program {
	p := newProgram(0)
	if !namespaces {
		p.describe("become a subreaper")
		p.call(unix.SYS_PRCTL, unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
		return p
	}
	p.describe("name the machine")
	p.call(unix.SYS_SETHOSTNAME, Hostname, len(Hostname))
	p.describe("bring up the loopback interface")
	socket := p.open(unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	up := make([]byte, ifreqSize)
	copy(up, "lo")
	up[unix.IFNAMSIZ] = unix.IFF_UP | unix.IFF_RUNNING
	p.call(unix.SYS_IOCTL, socket, unix.SIOCSIFFLAGS, p.bytes(up))
	p.call(unix.SYS_CLOSE, socket)
	return p
}

// ifreqSize is the size of struct ifreq.
const ifreqSize = 40

// ignoreSignals keeps a command of the same user from ending the nursery by a signal; init has all signals blocked. What
// the Go runtime itself needs stays. SIGCHLD is ignored so that inits need not be waited for.
func ignoreSignals() {
	ignore := sigAction{handler: 1} // SIG_IGN
	for _, sig := range []unix.Signal{
		unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGABRT, unix.SIGUSR1, unix.SIGUSR2, unix.SIGPIPE, unix.SIGALRM,
		unix.SIGTERM, unix.SIGXCPU, unix.SIGXFSZ, unix.SIGVTALRM, unix.SIGPROF, unix.SIGIO, unix.SIGPWR, unix.SIGSYS,
		unix.SIGCHLD,
	} {
		_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&ignore)), 0, sigSetSize, 0, 0)
	}
}

// victimScore makes a process the first to die when the whole machine runs out of memory.
const victimScore = "500"

// noCore is the limit of a core dump. Zero would not keep the kernel from starting the program that a machine may have for
// them (core(5), "Piping core dumps to a program"); one does both, being below the smallest dump (fs/coredump.c).
const noCore = 1

func step(name string, err error) error {
	if err == nil {
		return nil
	}
	return &stepError{step: name, err: err}
}
