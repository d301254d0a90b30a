package runner

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What a nursery executes after its own fork. The rules of rawinit.go hold here too.

// stackWindow is how far around the stack pointer memory is kept.
const stackWindow = 32 << 10

// nurseryMain is the life of a nursery after its own fork from a process with the Go runtime.
//
//go:nosplit
//go:norace
//go:nocheckptr
func nurseryMain(m *initMemory) {
	_, _, _ = syscall.RawSyscall6(unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0, 0)
	nurseryGiveBack(m)
	trouble, guarded := nurserySettle(m, blockSettle), false
	for {
		messageFor(m, unsafe.Pointer(&m.size[0]), 1, unsafe.Pointer(&m.oob[0]), uintptr(len(m.oob)))
		n, _, e := syscall.RawSyscall(unix.SYS_RECVMSG, fdControl, uintptr(unsafe.Pointer(&m.message)), unix.MSG_CMSG_CLOEXEC)
		if e == unix.EINTR {
			continue
		}
		if e != 0 || n == 0 || m.message.Controllen < controlSize {
			initExit() // the driver has no use for us, or is dead
		}
		control := uintptr(*(*int32)(unsafe.Pointer(&m.oob[16])))
		m.newPid = m.size[0] == bearIsolated
		m.clone.flags = unix.CLONE_PIDFD
		if m.newPid {
			m.clone.flags |= isolationFlags
		}
		m.clone.exitSignal = uint64(unix.SIGCHLD)
		m.clone.pidFD = uint64(uintptr(unsafe.Pointer(&m.pidFD)))
		if m.newPid && !guarded && trouble == 0 {
			if nurserySettle(m, blockBase) == 0 {
				m.birth.Base = 1
			}
			trouble, guarded = nurserySettle(m, blockGuard), true
		}
		m.birth.Errno = uint64(trouble)
		if trouble == 0 {
			nurseryFork(m, control)
		}
		nurseryTell(m)
		_, _, _ = syscall.RawSyscall(unix.SYS_CLOSE, control, 0, 0)
		if m.birth.Errno == 0 {
			_, _, _ = syscall.RawSyscall(unix.SYS_CLOSE, uintptr(m.pidFD), 0, 0)
		}
	}
}

// nurserySettle executes one of the programs that are always the same.
//
//go:nosplit
//go:norace
//go:nocheckptr
func nurserySettle(m *initMemory, which uintptr) (errno uintptr) {
	block := blockAt(m, which)
	relocate(block)
	_, errno = execute(block, word(block, headPrepare), word(block, headPrepareN))
	return errno
}

// nurseryGiveBack unmaps what the Go runtime had, so that there is nothing to copy at every fork.
//
//go:nosplit
//go:norace
//go:nocheckptr
func nurseryGiveBack(m *initMemory) {
	var here byte
	low := (uintptr(unsafe.Pointer(&here)) - stackWindow) &^ 0xffff
	high := low + 2*stackWindow + 0x10000
	for i := uintptr(0); i < uintptr(len(m.given)); i++ {
		s := (*span)(unsafe.Add(unsafe.Pointer(&m.given), i*unsafe.Sizeof(span{})))
		from, to := s.from, s.to
		if from < low && low < to {
			_, _, _ = syscall.RawSyscall(unix.SYS_MUNMAP, from, low-from, 0)
			from = low
		}
		if from >= low && from < high {
			from = high
		}
		if from < to {
			_, _, _ = syscall.RawSyscall(unix.SYS_MUNMAP, from, to-from, 0)
		}
	}
}

// nurseryFork forks an init, which never returns.
//
//go:nosplit
//go:noinline
//go:norace
//go:nocheckptr
func nurseryFork(m *initMemory, control uintptr) {
	pid, errno := rawVfork(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&m.clone)), unsafe.Sizeof(m.clone))
	if errno == 0 && pid == 0 {
		initMain(m, control)
	}
	m.birth.Pid, m.birth.Errno = uint64(pid), uint64(errno)
}

// nurseryTell tells the driver of an init.
//
//go:nosplit
//go:norace
//go:nocheckptr
func nurseryTell(m *initMemory) {
	if m.birth.Errno != 0 {
		messageFor(m, unsafe.Pointer(&m.birth), birthSize, nil, 0)
	} else {
		messageFor(m, unsafe.Pointer(&m.birth), birthSize, unsafe.Pointer(&m.rights[0]), uintptr(len(m.rights)))
		putRights(m, m.pidFD)
	}
	_, _, _ = syscall.RawSyscall(unix.SYS_SENDMSG, fdControl, uintptr(unsafe.Pointer(&m.message)), unix.MSG_NOSIGNAL)
}
