package initproc

import (
	"encoding/binary"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The system calls for which there are no functions.

// resetSignals resets all signals to their default actions, which the command inherits, whatever the driver's parent
// made the driver ignore. The kernel keeps signals with a default action from the first process of a pid namespace when
// they come from inside, so that no command can end it; elsewhere signals are blocked. The Go runtime's own are not
// needed: nothing here runs long enough to be preempted.
func resetSignals() {
	var standard [4]uint64 // struct sigaction of the kernel
	const sigSetSize, lastSignal = 8, 64
	for sig := uintptr(1); sig <= lastSignal; sig++ {
		_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, sig, uintptr(unsafe.Pointer(&standard)), 0, sigSetSize, 0, 0)
	}
}

// installFilter installs a filter of system calls on this thread. With a listener, which is returned, somebody answers
// for the calls that the filter asks about; without, it is -1.
func installFilter(filter []unix.SockFilter, listen bool) (listener int, err error) {
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	flags := uintptr(0)
	if listen {
		flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER
	}
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&prog)))
	switch {
	case errno != 0:
		return -1, errno
	case !listen:
		return -1, nil
	}
	return int(fd), nil
}

// allowClone answers the notification of the filter that a thread wants to make a clone3, whose flags are out of a
// filter's sight. Package syscall makes it, to clone into a cgroup. When the listener is closed, clone3 fails with
// ENOSYS for the command, whose libraries fall back.
func allowClone(listener int, thread uint32, listening chan<- struct{}) {
	var call [80]byte   // struct seccomp_notif: id, pid, flags and the call
	var answer [24]byte // struct seccomp_notif_resp: id, value, error and flags
	close(listening)
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(listener), unix.SECCOMP_IOCTL_NOTIF_RECV,
		uintptr(unsafe.Pointer(&call))); errno != 0 {
		return
	}
	copy(answer[:8], call[:8])
	if binary.NativeEndian.Uint32(call[8:]) == thread {
		binary.NativeEndian.PutUint32(answer[20:], unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE)
	} else {
		refused := -int32(unix.ENOSYS)
		binary.NativeEndian.PutUint32(answer[16:], uint32(refused))
	}
	_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(listener), unix.SECCOMP_IOCTL_NOTIF_SEND,
		uintptr(unsafe.Pointer(&answer)))
}
