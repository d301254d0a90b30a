package runner

import (
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The Go runtime's hooks around a fork. They are the ones that package syscall uses, and are kept for others who fork.

//go:linkname runtimeBeforeFork syscall.runtime_BeforeFork
func runtimeBeforeFork()

//go:linkname runtimeAfterFork syscall.runtime_AfterFork
func runtimeAfterFork()

//go:linkname runtimeAfterForkInChild syscall.runtime_AfterForkInChild
func runtimeAfterForkInChild()

// childSpec is a command to clone. Package syscall can do most of this, but cannot install a seccomp filter after the
// clone, and a filter from before would have to allow clone3, whose flags no filter can see.
type childSpec struct {
	program   string
	argv, env []string
	files     [3]int // stdin, stdout, stderr
	cgroup    int    // folder to clone into; -1 is that of the caller
	uid, gid  int    // -1 keeps the caller's
	setGroups bool   // drop supplementary groups, which a user namespace does not let
	limits    []childLimit
	guard     bool
}

// childLimit is a resource limit.
type childLimit struct {
	which int
	value unix.Rlimit
}

// childImage is a childSpec in the form that the child can use without allocating.
type childImage struct {
	program    *byte
	argv, env  []*byte
	files      [3]int
	uid, gid   int
	setGroups  bool
	limits     []childLimit
	guard      bool
	capHead    unix.CapUserHeader
	capData    [2]unix.CapUserData
	filter     []unix.SockFilter
	filterProg unix.SockFprog
	defaults   sigAction // all zero
	scheduling [2]int64  // struct sched_param, all zero: what SCHED_OTHER takes
	clone      cloneArgs
	step       int           // of the child, which shares our memory until execve
	errno      syscall.Errno // why it gave up there
}

// cloneArgs is struct clone_args of clone3(2), up to the cgroup field.
type cloneArgs struct {
	flags, pidFD, childTID, parentTID, exitSignal, stack, stackSize, tls, setTID, setTIDSize, cgroup uint64
}

// sigAction is the kernel's struct sigaction, of which only the handler matters here: 0 is the default, 1 ignores.
type sigAction struct {
	handler uintptr
	rest    [3]uintptr
}

const (
	sigSetSize = 8
	lastSignal = 64
)

// childSteps are the names of the steps, for messages. Only the last is the command's fault.
var childSteps = [...]string{
	"start a session", "connect the streams", "limit resources", "forbid new privileges", "drop capabilities",
	"change the user", "filter system calls", "execute",
}

const (
	stepSession = iota
	stepStreams
	stepLimits
	stepPrivileges
	stepCapabilities
	stepUser
	stepFilter
	stepExecute
)

// cloneChild starts a command and gives its process id. The calling thread must be
// locked. It returns when the command's execve has succeeded.
func cloneChild(spec *childSpec) (pid int, err error) {
	img, err := spec.image()
	if err != nil {
		return 0, err
	}
	defer func() {
		for _, fd := range img.files {
			_ = unix.Close(fd)
		}
	}()
	child, errno := forkChild(img)
	runtime.KeepAlive(img)
	if errno != 0 {
		return 0, step("clone", errno)
	}
	if img.errno == 0 {
		return int(child), nil
	}
	_, _ = unix.Wait4(int(child), nil, 0, nil)
	if img.step == stepExecute {
		return 0, &stepError{step: childSteps[img.step] + " " + spec.program, err: img.errno, start: startErrno(img.errno)}
	}
	return 0, step(childSteps[img.step], img.errno)
}

// image makes everything that the child needs.
func (s *childSpec) image() (*childImage, error) {
	img := &childImage{uid: s.uid, gid: s.gid, setGroups: s.setGroups, limits: s.limits, guard: s.guard}
	var err error
	if img.program, err = syscall.BytePtrFromString(s.program); err != nil {
		return nil, err
	}
	if img.argv, err = syscall.SlicePtrFromStrings(s.argv); err != nil {
		return nil, err
	}
	if img.env, err = syscall.SlicePtrFromStrings(s.env); err != nil {
		return nil, err
	}
	for i, fd := range s.files { // out of the way of 0, 1 and 2
		if img.files[i], err = unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3); err != nil {
			return nil, os.NewSyscallError("fcntl", err)
		}
	}
	img.capHead.Version = unix.LINUX_CAPABILITY_VERSION_3
	img.filter = filterProgram()
	img.filterProg = unix.SockFprog{Len: uint16(len(img.filter)), Filter: &img.filter[0]}
	img.clone.exitSignal = uint64(unix.SIGCHLD)
	img.clone.flags = unix.CLONE_VM | unix.CLONE_VFORK
	if s.cgroup >= 0 {
		img.clone.flags |= unix.CLONE_INTO_CGROUP
		img.clone.cgroup = uint64(s.cgroup)
	}
	return img, nil
}

// rawVfork makes a system call that clones, in a child that shares memory and stack with the waiting parent.
func rawVfork(trap, a1, a2 uintptr) (r1, errno uintptr)

// forkChild clones the process; the child becomes the command or dies. Until then it uses the memory of the parent, whose
// thread waits, so that nothing has to be copied and nothing is charged to the command. It is one thread without the Go
// runtime, so nothing may allocate, grow the stack or wait for a lock: it makes system calls and nothing else.
//
//go:noinline
//go:norace
//go:nocheckptr
func forkChild(img *childImage) (pid uintptr, errno syscall.Errno) {
	var (
		i   int
		no  uintptr
		err syscall.Errno
	)
	runtimeBeforeFork()
	pid, no = rawVfork(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&img.clone)), unsafe.Sizeof(img.clone))
	if no != 0 || pid != 0 {
		runtimeAfterFork()
		return pid, syscall.Errno(no)
	}

	// The child.
	runtimeAfterForkInChild()
	for i = 1; i <= lastSignal; i++ { // also those that the driver's parent made it ignore
		_, _, _ = syscall.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(i), uintptr(unsafe.Pointer(&img.defaults)), 0, sigSetSize, 0, 0)
	}
	_, _, _ = syscall.RawSyscall(unix.SYS_SCHED_SETSCHEDULER, 0, 0, uintptr(unsafe.Pointer(&img.scheduling)))
	img.step = stepSession
	if _, _, err = syscall.RawSyscall(unix.SYS_SETSID, 0, 0, 0); err != 0 {
		goto fail
	}
	_, _, _ = syscall.RawSyscall6(unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0, 0)
	img.step = stepStreams
	for i = 0; i < 3; i++ {
		if _, _, err = syscall.RawSyscall(unix.SYS_DUP3, uintptr(img.files[i]), uintptr(i), 0); err != 0 {
			goto fail
		}
	}
	img.step = stepLimits
	for i = 0; i < len(img.limits); i++ {
		if _, _, err = syscall.RawSyscall6(unix.SYS_PRLIMIT64, 0, uintptr(img.limits[i].which),
			uintptr(unsafe.Pointer(&img.limits[i].value)), 0, 0, 0); err != 0 {
			goto fail
		}
	}
	if img.guard {
		img.step = stepPrivileges
		if _, _, err = syscall.RawSyscall6(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0); err != 0 {
			goto fail
		}
		img.step = stepCapabilities
		for i = 0; i <= lastCapability; i++ {
			if _, _, err = syscall.RawSyscall6(unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, uintptr(i), 0, 0, 0, 0); err == syscall.EINVAL {
				break // the kernel has no more
			} else if err != 0 {
				goto fail
			}
		}
		if _, _, err = syscall.RawSyscall6(unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0, 0); err != 0 {
			goto fail
		}
	}
	img.step = stepUser
	if img.setGroups {
		if _, _, err = syscall.RawSyscall(unix.SYS_SETGROUPS, 0, 0, 0); err != 0 {
			goto fail
		}
	}
	if img.gid >= 0 {
		if _, _, err = syscall.RawSyscall(unix.SYS_SETRESGID, uintptr(img.gid), uintptr(img.gid), uintptr(img.gid)); err != 0 {
			goto fail
		}
	}
	if img.uid >= 0 {
		if _, _, err = syscall.RawSyscall(unix.SYS_SETRESUID, uintptr(img.uid), uintptr(img.uid), uintptr(img.uid)); err != 0 {
			goto fail
		}
	}
	if img.guard {
		img.step = stepCapabilities
		if _, _, err = syscall.RawSyscall(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&img.capHead)), uintptr(unsafe.Pointer(&img.capData)), 0); err != 0 {
			goto fail
		}
		img.step = stepFilter
		if _, _, err = syscall.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&img.filterProg))); err != 0 {
			goto fail
		}
	}
	img.step = stepExecute
	_, _, err = syscall.RawSyscall(unix.SYS_EXECVE, uintptr(unsafe.Pointer(img.program)),
		uintptr(unsafe.Pointer(&img.argv[0])), uintptr(unsafe.Pointer(&img.env[0])))
fail:
	img.errno = err
	for {
		_, _, _ = syscall.RawSyscall(unix.SYS_EXIT_GROUP, 253, 0, 0)
	}
}
