package runner

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
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

// nursery makes the process that forks an init for every message of the driver, until the driver closes the socket or is
// dead. An init costs a tenth of what starting this program again would: that is why there is a nursery. It has no part in
// runs. The nursery itself is a fork without the Go runtime, with next to no memory; this process only waits for it.
func nursery() error {
	m, err := makeInitMemory()
	if err != nil {
		return err
	}
	if os.Geteuid() != 0 { // before the next step, which takes /proc/self from an ordinary user
		_ = writeFile("/proc/self/oom_score_adj", victimScore)
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return step("make init unreadable", err)
	}
	ignoreSignals()
	unix.Umask(0o022)
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, 0) // the driver may be nice; only root can go back
	if errno := forkNursery(m); errno != 0 {
		return step("fork the nursery", syscall.Errno(errno))
	}
	if err := unix.Close(fdControl); err != nil { // so that its end is seen by the driver
		return step("leave the socket to the nursery", err)
	}
	for {
		if _, err := unix.Wait4(-1, nil, 0, nil); err != unix.EINTR {
			return nil
		}
	}
}

// forkNursery forks. The child has a copy of all memory but only this thread, and never returns.
//
//go:noinline
//go:norace
//go:nocheckptr
func forkNursery(m *initMemory) (errno uintptr) {
	m.clone.exitSignal = uint64(unix.SIGCHLD)
	runtimeBeforeFork() // blocks all signals
	pid, errno := rawVfork(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&m.clone)), unsafe.Sizeof(m.clone))
	if errno == 0 && pid == 0 {
		nurseryMain(m)
	}
	runtimeAfterFork()
	return errno
}

// makeInitMemory makes the nursery's memory, with the programs that are always the same behind it.
func makeInitMemory() (*initMemory, error) {
	programs := [...]*program{blockPlain: earlyProgram(false), blockIsolated: earlyProgram(true), blockSettle: settleProgram(), blockGuard: boundsProgram(), blockBase: baseProgram()}
	var blocks [len(programs)][]byte
	const begin = (int(unsafe.Sizeof(initMemory{})) + 4095) &^ 4095
	size := begin
	for i, p := range programs {
		blocks[i] = p.finish()
		size += len(blocks[i]) + 8
	}
	memory, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, step("make the memory of init", err)
	}
	m := (*initMemory)(unsafe.Pointer(&memory[0]))
	m.fill()
	at := begin
	for i, block := range blocks {
		copy(memory[at:], block)
		m.blocks[i] = uintptr(unsafe.Pointer(&memory[at]))
		at = (at + len(block) + 7) &^ 7
	}
	own := uintptr(unsafe.Pointer(m))
	copy(m.given[:], runtimeMemory(span{own, own + uintptr(len(memory)+4095)&^4095}))
	return m, nil
}

// runtimeMemory lists what the Go runtime mapped, but for the program itself and what is to be kept. It lists nothing for a
// program that needs libraries, whose memory it cannot tell from the runtime's.
func runtimeMemory(keep span) []span {
	data, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return nil
	}
	var list []span
	var last uintptr // end of what is the program's
	file := ""
	for line := range strings.Lines(string(data)) {
		var s span
		var mode, offset, device, inode, name string
		_, err := fmt.Sscanf(line, "%x-%x %s %s %s %s", &s.from, &s.to, &mode, &offset, &device, &inode)
		if err != nil {
			return nil
		}
		if f := strings.Fields(line); len(f) > 5 {
			name = f[5]
		}
		switch {
		case inode != "0" && file == "":
			file = name
			last = s.to
		case inode != "0" && name != file:
			return nil
		case inode != "0" || s.from == last: // its variables follow the file's part
			last = s.to
		case name == "" || strings.HasPrefix(name, "[anon:"):
			if s.from < keep.from && keep.from < s.to {
				list = append(list, span{s.from, keep.from})
				s.from = keep.from
			}
			if s.from >= keep.from && s.from < keep.to {
				s.from = min(keep.to, s.to)
			}
			if s.from < s.to {
				list = append(list, s)
			}
		}
	}
	return list
}

// rawVfork makes a system call that clones, in a child that may share memory and stack with the waiting parent.
func rawVfork(trap, a1, a2 uintptr) (r1, errno uintptr)

// settleProgram does in the nursery what all commands inherit.
func settleProgram() *program {
	p := newProgram(0)
	// Also those signals that the driver's parent made it ignore. All are blocked here.
	p.call(unix.SYS_RT_SIGACTION, 1, p.bytes(make([]byte, unsafe.Sizeof(sigAction{}))), 0, sigSetSize).tolerate().repeated(lastSignal, 0)
	ignore := sigAction{handler: 1} // SIG_IGN, so that inits need not be waited for
	p.call(unix.SYS_RT_SIGACTION, int(unix.SIGCHLD), p.bytes(unsafe.Slice((*byte)(unsafe.Pointer(&ignore)), unsafe.Sizeof(ignore))),
		0, sigSetSize)
	p.limit(unix.RLIMIT_CORE, noCore, noCore)
	p.limit(unix.RLIMIT_STACK, 8<<20, unix.RLIM_INFINITY) // solvers may raise it
	return p
}

// boundsProgram does in the nursery what all guarded commands inherit: it forbids new privileges, and drops the capabilities
// that only a privileged process can drop. An init loses none by that, since it executes nothing.
func boundsProgram() *program {
	p := newProgram(0)
	p.call(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	// Until the kernel has no more.
	p.call(unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, 0, 0, 0, 0).tolerate(unix.EINVAL).repeated(lastCapability+1, 1)
	p.call(unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	return p
}

// baseProgram puts together in the nursery what runs with the host's programs see alike.
func baseProgram() *program {
	p := newProgram(0)
	base, _ := systemRoot(-1, -1, 0).base()
	p.addBase(base)
	return p
}

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
