package initproc

import (
	"syscall"
	"time"
	"unsafe"
)

// System calls that package syscall does not provide. Importing golang.org/x/sys/unix would delay this package; see the
// package comment. TestNumbers compares the numbers with those in that package.

// System call numbers. They are the same on all machines that Go supports.
const (
	sysOpenTree     = 428
	sysMoveMount    = 429
	sysFsopen       = 430
	sysFsconfig     = 431
	sysFsmount      = 432
	sysCloseRange   = 436
	sysMountSetattr = 442
)

// System call arguments.
const (
	atFdcwd            = -100
	atSymlinkNofollow  = 0x100
	atEmptyPath        = 0x1000
	atRecursive        = 0x8000
	openTreeClone      = 1
	moveMountFromEmpty = 4    // MOVE_MOUNT_F_EMPTY_PATH
	moveMountToLinks   = 0x10 // MOVE_MOUNT_T_SYMLINKS
	moveMountToEmpty   = 0x40 // MOVE_MOUNT_T_EMPTY_PATH
	fsopenCloexec      = 1
	fsconfigSetString  = 1
	fsconfigCreate     = 6
	fsmountCloexec     = 1
	mountReadOnly      = 1 // MOUNT_ATTR_RDONLY; likewise the next three
	mountNosuid        = 2
	mountNodev         = 4
	mountNoexec        = 8
	openPath           = 0x200000 // O_PATH
	closeRangeCloexec  = 4

	prSetNoNewPrivs    = 38
	prSetSubreaper     = 36 // PR_SET_CHILD_SUBREAPER
	prCapAmbient       = 47
	prCapAmbientClear  = 4 // PR_CAP_AMBIENT_CLEAR_ALL
	capabilityVersion3 = 0x20080522

	seccompSetModeFilter = 1
	seccompNewListener   = 8 // SECCOMP_FILTER_FLAG_NEW_LISTENER
	seccompNotifRecv     = 0xc0502100
	seccompNotifSend     = 0xc0182101
	seccompContinue      = 1 // SECCOMP_USER_NOTIF_FLAG_CONTINUE

	signalSetSize  = 8 // size of the kernel's signal sets, in bytes
	sigSetmask     = 2
	clockMonotonic = 1
)

// errnoOf returns a system call's error, or nil for zero.
func errnoOf(e syscall.Errno) error {
	if e == 0 {
		return nil
	}
	return e
}

func prctl(option, arg2, arg3 uintptr) error {
	_, _, e := syscall.RawSyscall6(syscall.SYS_PRCTL, option, arg2, arg3, 0, 0, 0)
	return errnoOf(e)
}

// closeRange applies flags to all descriptors from first on.
func closeRange(first, flags uintptr) error {
	const last = 1<<31 - 1
	_, _, e := syscall.Syscall(sysCloseRange, first, last, flags)
	return errnoOf(e)
}

// openTree returns a detached copy of the mounts at path.
func openTree(folder int, path string, flags uintptr) (fd int, err error) {
	name, err := syscall.BytePtrFromString(path)
	if err != nil {
		return -1, err
	}
	n, _, e := syscall.Syscall(sysOpenTree, uintptr(folder), uintptr(unsafe.Pointer(name)),
		openTreeClone|syscall.O_CLOEXEC|flags)
	return int(n), errnoOf(e)
}

// moveMount attaches a detached mount. With the matching flag, path may be empty.
func moveMount(mount, folder int, path string, flags uintptr) error {
	name, err := syscall.BytePtrFromString(path)
	if err != nil {
		return err
	}
	var empty byte
	_, _, e := syscall.Syscall6(sysMoveMount, uintptr(mount), uintptr(unsafe.Pointer(&empty)), uintptr(folder),
		uintptr(unsafe.Pointer(name)), moveMountFromEmpty|flags, 0)
	return errnoOf(e)
}

// setMountFlags sets a mount's flags. With recursive, it also sets those of all mounts below it.
func setMountFlags(mount int, flags uint64, recursive uintptr) error {
	attr := [4]uint64{flags} // struct mount_attr: set, clear, propagation, user namespace
	var empty byte
	_, _, e := syscall.Syscall6(sysMountSetattr, uintptr(mount), uintptr(unsafe.Pointer(&empty)), atEmptyPath|recursive,
		uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	return errnoOf(e)
}

func fsopen(kind string) (fs int, err error) {
	name, err := syscall.BytePtrFromString(kind)
	if err != nil {
		return -1, err
	}
	n, _, e := syscall.Syscall(sysFsopen, uintptr(unsafe.Pointer(name)), fsopenCloexec, 0)
	return int(n), errnoOf(e)
}

// fsconfig sets an option of a file system under construction.
func fsconfig(fs int, option, value string) error {
	name, err := syscall.BytePtrFromString(option)
	if err != nil {
		return err
	}
	text, err := syscall.BytePtrFromString(value)
	if err != nil {
		return err
	}
	_, _, e := syscall.Syscall6(sysFsconfig, uintptr(fs), fsconfigSetString, uintptr(unsafe.Pointer(name)),
		uintptr(unsafe.Pointer(text)), 0, 0)
	return errnoOf(e)
}

// fsmount creates the file system and returns a detached mount of it.
func fsmount(fs int, flags uintptr) (mount int, err error) {
	if _, _, e := syscall.Syscall6(sysFsconfig, uintptr(fs), fsconfigCreate, 0, 0, 0, 0); e != 0 {
		return -1, e
	}
	n, _, e := syscall.Syscall(sysFsmount, uintptr(fs), fsmountCloexec, flags)
	return int(n), errnoOf(e)
}

// resetSignals resets all signals to their default actions. The command inherits signal actions, and the driver's
// parent may have made the driver ignore some signals. In a pid namespace, the kernel keeps the first process from
// receiving signals with a default action from inside the namespace, so no command can end it. Elsewhere this process
// blocks signals. It does not need the Go runtime's signal handlers, because nothing here runs long enough to be
// preempted.
func resetSignals() {
	var standard [4]uint64 // the kernel's struct sigaction
	const lastSignal = 64
	for sig := uintptr(1); sig <= lastSignal; sig++ {
		_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, sig, uintptr(unsafe.Pointer(&standard)), 0,
			signalSetSize, 0, 0)
	}
}

// blockSignals replaces this thread's set of blocked signals and returns the previous set.
func blockSignals(set uint64) (before uint64, err error) {
	_, _, e := syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, sigSetmask, uintptr(unsafe.Pointer(&set)),
		uintptr(unsafe.Pointer(&before)), signalSetSize, 0, 0)
	return before, errnoOf(e)
}

// scheduleNormally gives this thread the default scheduling policy, if permitted.
func scheduleNormally() {
	var priority int32 // struct sched_param
	const other = 0    // SCHED_OTHER
	_, _, _ = syscall.RawSyscall(syscall.SYS_SCHED_SETSCHEDULER, 0, other, uintptr(unsafe.Pointer(&priority)))
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 0)
}

// dropInheritable empties the set of capabilities that programs with their own capabilities could inherit. In a user
// namespace the set is not empty, because this process's capabilities are ambient there.
func dropInheritable() error {
	head := struct {
		version uint32
		pid     int32
	}{version: capabilityVersion3}
	var data [2]struct{ effective, permitted, inheritable uint32 }
	if _, _, e := syscall.RawSyscall(syscall.SYS_CAPGET, uintptr(unsafe.Pointer(&head)), uintptr(unsafe.Pointer(&data)),
		0); e != 0 {
		return e
	}
	data[0].inheritable, data[1].inheritable = 0, 0
	_, _, e := syscall.RawSyscall(syscall.SYS_CAPSET, uintptr(unsafe.Pointer(&head)), uintptr(unsafe.Pointer(&data)), 0)
	return errnoOf(e)
}

// Monotonic returns the time of CLOCK_MONOTONIC, which is the same in all processes of a machine.
func Monotonic() time.Duration {
	var ts syscall.Timespec
	// The call cannot fail for this clock.
	_, _, _ = syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&ts)), 0)
	return time.Duration(ts.Nano())
}

// loopbackUp brings up the loopback interface.
func loopbackUp() error {
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(socket)
	request := struct { // struct ifreq
		name  [syscall.IFNAMSIZ]byte
		flags uint16
		_     [22]byte
	}{name: [syscall.IFNAMSIZ]byte{'l', 'o'}, flags: syscall.IFF_UP | syscall.IFF_RUNNING}
	_, _, e := syscall.Syscall(syscall.SYS_IOCTL, uintptr(socket), syscall.SIOCSIFFLAGS,
		uintptr(unsafe.Pointer(&request)))
	return errnoOf(e)
}

// installFilter installs a system call filter on this thread. With listen, it returns a listener for the calls that the
// filter asks about; otherwise it returns -1.
func installFilter(filter []syscall.SockFilter, listen bool) (listener int, err error) {
	prog := syscall.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	flags := uintptr(0)
	if listen {
		flags = seccompNewListener
	}
	fd, _, errno := syscall.Syscall(sysSeccomp, seccompSetModeFilter, flags, uintptr(unsafe.Pointer(&prog)))
	switch {
	case errno != 0:
		return -1, errno
	case !listen:
		return -1, nil
	}
	return int(fd), nil
}

// allowClone answers the filter's notification of a thread's clone3, whose flags a filter cannot see. Package syscall
// uses clone3 to clone into a cgroup. Once the listener is closed, clone3 fails with ENOSYS in the command, and
// libraries fall back.
func allowClone(listener, thread int, listening chan<- struct{}) {
	var call struct { // struct seccomp_notif
		id         uint64
		pid, flags uint32
		_          [64]byte // system call data
	}
	close(listening)
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(listener), seccompNotifRecv,
		uintptr(unsafe.Pointer(&call))); errno != 0 {
		return
	}
	answer := struct { // struct seccomp_notif_resp
		id           uint64
		value        int64
		error, flags int32
	}{id: call.id}
	if int(call.pid) == thread {
		answer.flags = seccompContinue
	} else {
		answer.error = -int32(syscall.ENOSYS)
	}
	_, _, _ = syscall.Syscall(syscall.SYS_IOCTL, uintptr(listener), seccompNotifSend, uintptr(unsafe.Pointer(&answer)))
}
