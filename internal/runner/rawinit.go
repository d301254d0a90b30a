package runner

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// This file is what a nursery and the inits of runs execute after their forks: nothing here may allocate, grow the stack, lock, or call
// what does, because the runtime of the process that was forked is not there any more. It makes system calls and reads
// and writes memory that was made before. All signals are blocked.

// initMemory is what a nursery and its inits work with, made before the first fork and outside of the runtime's memory.
type initMemory struct {
	given   [64]span // memory of the runtime, to give back
	blocks  [programs]uintptr
	newPid  bool    // init is pid 1 of its own namespace
	size    [8]byte // of the block, as the driver sends it
	oob     [256]byte
	iov     unix.Iovec
	message unix.Msghdr
	birth   birth
	pidFD   int32

	reply   reply
	errno   uintptr
	index   uintptr // of the operation that failed
	command uintptr // the operation of the command that failed, and why; written by the command before its execve
	failed  uintptr
	pid     uintptr
	clone   cloneArgs
	status  uint32
	usage   unix.Rusage
	clock   unix.Timespec
	poll    [2]unix.PollFd
	signals [128]byte // struct signalfd_siginfo
	mask    uint64
	action  sigAction
	list    [4096]byte
	path    [32]byte
	pause   unix.Timespec
	zero    [1]byte
	word    [16]byte
	rights  [24]byte
}

// The programs that are always the same.
const (
	blockPlain    = iota // early in an init without namespaces
	blockIsolated        // early in one with them
	blockSettle          // of a nursery at its start
	blockGuard           // of a nursery before its first init with namespaces
	blockBase            // the same; runs can do without
	programs
)

// span is a range of addresses.
type span struct{ from, to uintptr }

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
	sigChild   = uint64(1) << (uint64(unix.SIGCHLD) - 1)
)

// childrenFile lists the children of the thread that opens it.
const childrenFile = "/proc/thread-self/children\x00"

// fill sets what stays as it is.
func (m *initMemory) fill() {
	m.mask = sigChild
	copy(m.path[:], childrenFile)
	m.zero[0] = '0'
	m.pause.Nsec = 200_000
}

// messageFor makes a message of data and control. Addresses are stored as numbers, because storing a pointer may call the
// collector.
//
//go:nosplit
//go:norace
//go:nocheckptr
func messageFor(m *initMemory, data unsafe.Pointer, size uintptr, control unsafe.Pointer, controlLen uintptr) {
	*(*uintptr)(unsafe.Pointer(&m.iov.Base)) = uintptr(data)
	m.iov.Len = uint64(size)
	*(*uintptr)(unsafe.Pointer(&m.message.Iov)) = uintptr(unsafe.Pointer(&m.iov))
	m.message.Iovlen = 1
	*(*uintptr)(unsafe.Pointer(&m.message.Control)) = uintptr(control)
	m.message.Controllen = uint64(controlLen)
	m.message.Flags = 0
}

// controlSize is the length of a control message with one descriptor: its length, two numbers that say what it is, and the
// descriptor.
const controlSize = 20

// putRights makes the control message.
//
//go:nosplit
//go:norace
//go:nocheckptr
func putRights(m *initMemory, fd int32) {
	*(*uintptr)(unsafe.Pointer(&m.rights[0])) = controlSize
	*(*int32)(unsafe.Pointer(&m.rights[8])) = unix.SOL_SOCKET
	*(*int32)(unsafe.Pointer(&m.rights[12])) = unix.SCM_RIGHTS
	*(*int32)(unsafe.Pointer(&m.rights[16])) = fd
}

// word reads a number of the block's header.
//
//go:nosplit
//go:norace
//go:nocheckptr
func word(block unsafe.Pointer, i uintptr) uintptr {
	return *(*uintptr)(unsafe.Add(block, 8*i))
}

// held reads a register.
//
//go:nosplit
//go:norace
//go:nocheckptr
func held(block unsafe.Pointer, register uintptr) uintptr {
	return *(*uintptr)(unsafe.Add(block, word(block, headRegisters)+8*register))
}

// blockAt gives one of the programs that are always the same.
//
//go:nosplit
//go:norace
//go:nocheckptr
func blockAt(m *initMemory, which uintptr) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(&m.blocks), which*unsafe.Sizeof(uintptr(0))))
}

// relocate makes addresses of what is relative to the block.
//
//go:nosplit
//go:norace
//go:nocheckptr
func relocate(block unsafe.Pointer) {
	places, n := word(block, headRelocations), word(block, headRelocationsN)
	for i := uintptr(0); i < n; i++ {
		p := (*uintptr)(unsafe.Add(block, *(*uintptr)(unsafe.Add(block, places+8*i))))
		*p += uintptr(block)
	}
}

// execute makes the system calls of n operations. It gives the index of the one that failed and its error, or zeros.
//
//go:nosplit
//go:norace
//go:nocheckptr
func execute(block unsafe.Pointer, operations, n uintptr) (index, errno uintptr) {
	for i := uintptr(0); i < n; i++ {
		op := (*operation)(unsafe.Add(block, operations+i*operationSize))
		var a [6]uintptr
		for k := uintptr(0); k < 6; k++ {
			a[k] = uintptr(op.args[k])
			if op.registers>>k&1 != 0 {
				a[k] = held(block, a[k])
			}
		}
		r, _, e := syscall.RawSyscall6(uintptr(op.call), a[0], a[1], a[2], a[3], a[4], a[5])
		for more := op.repeat; more > 0 && (e == 0 || op.tolerated[0] == anyError); more-- {
			a[0] += uintptr(op.steps & 1)
			a[1] += uintptr(op.steps >> 1)
			r, _, e = syscall.RawSyscall6(uintptr(op.call), a[0], a[1], a[2], a[3], a[4], a[5])
		}
		if e == 0 && op.exact != 0 && r != a[2] {
			e = unix.ENOSPC
		}
		if e != 0 {
			if op.tolerated[0] != anyError && op.tolerated[0] != uint32(e) && op.tolerated[1] != uint32(e) && op.tolerated[2] != uint32(e) {
				return i, uintptr(e)
			}
			i += uintptr(op.skip)
			continue
		}
		if op.store != noRegister {
			*(*uintptr)(unsafe.Add(block, word(block, headRegisters)+8*uintptr(op.store))) = r
		}
	}
	return 0, 0
}

// initMain is the life of an init.
//
//go:nosplit
//go:norace
//go:nocheckptr
func initMain(m *initMemory, control uintptr) {
	_, _, _ = syscall.RawSyscall(unix.SYS_DUP3, control, fdControl, unix.O_CLOEXEC)
	_, _, _ = syscall.RawSyscall(unix.SYS_CLOSE_RANGE, fdControl+1, ^uintptr(0)>>32, 0)
	early := blockAt(m, blockPlain)
	if m.newPid {
		early = blockAt(m, blockIsolated)
	}
	// Without namespaces init has to kill all below it before it ends, and sees the end of the socket.
	signal := uintptr(0)
	if m.newPid {
		signal = uintptr(unix.SIGKILL)
	}
	_, _, _ = syscall.RawSyscall6(unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, signal, 0, 0, 0, 0)
	_, _, _ = syscall.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(unix.SIGCHLD), uintptr(unsafe.Pointer(&m.action)), 0, sigSetSize, 0, 0)
	relocate(early)
	if m.index, m.errno = execute(early, word(early, headPrepare), word(early, headPrepareN)); m.errno != 0 {
		initFail(m, replyEarlyFailed)
	}
	block := initReceive(m)
	if m.index, m.errno = execute(block, word(block, headPrepare), word(block, headPrepareN)); m.errno != 0 {
		initFail(m, replyFailed)
	}
	if word(block, headCommandN) == 0 {
		initReply(m, replyDone)
		initExit()
	}
	initStart(m, block)
	initReap(m)
}

//go:nosplit
//go:norace
//go:nocheckptr
func initExit() {
	for {
		_, _, _ = syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
	}
}

// initReply sends the reply as it is.
//
//go:nosplit
//go:norace
//go:nocheckptr
func initReply(m *initMemory, kind uint64) {
	m.reply.Kind = kind
	_, _, _ = syscall.RawSyscall6(unix.SYS_SENDTO, fdControl, uintptr(unsafe.Pointer(&m.reply)), replySize, unix.MSG_NOSIGNAL, 0, 0)
}

// initFail reports the operation that failed and ends.
//
//go:nosplit
//go:norace
//go:nocheckptr
func initFail(m *initMemory, kind uint64) {
	m.reply.Index, m.reply.Errno = uint64(m.index), uint64(m.errno)
	initReply(m, kind)
	initExit()
}

// initReceive waits for the driver's block, whose first registers are the open files that come with it.
//
//go:nosplit
//go:norace
//go:nocheckptr
func initReceive(m *initMemory) unsafe.Pointer {
	messageFor(m, unsafe.Pointer(&m.size[0]), 8, unsafe.Pointer(&m.oob[0]), uintptr(len(m.oob)))
	n, _, e := syscall.RawSyscall(unix.SYS_RECVMSG, fdControl, uintptr(unsafe.Pointer(&m.message)), unix.MSG_CMSG_CLOEXEC)
	if e != 0 || n != 8 {
		initExit() // the driver has no use for us
	}
	size := *(*uintptr)(unsafe.Pointer(&m.size[0]))
	if size < headerSize || size > maxRequest {
		initExit()
	}
	at, _, e := syscall.RawSyscall6(unix.SYS_MMAP, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS,
		^uintptr(0), 0)
	if e != 0 {
		m.index, m.errno = 0, uintptr(e)
		initFail(m, replyEarlyFailed)
	}
	block := *(*unsafe.Pointer)(unsafe.Pointer(&at))
	*(*uintptr)(block) = size
	for have := uintptr(8); have < size; {
		n, _, e = syscall.RawSyscall6(unix.SYS_RECVFROM, fdControl, at+have, size-have, 0, 0, 0)
		if e != 0 || n == 0 {
			initExit()
		}
		have += n
	}
	relocate(block)
	if m.message.Controllen >= 16 {
		files := (*(*uintptr)(unsafe.Pointer(&m.oob[0])) - 16) / 4
		for i := uintptr(0); i < files && i < word(block, headRegistersN); i++ {
			fd := *(*int32)(unsafe.Add(unsafe.Pointer(&m.oob[0]), 16+4*i))
			*(*uintptr)(unsafe.Add(block, word(block, headRegisters)+8*i)) = uintptr(fd)
		}
	}
	return block
}

// initTasks moves init into the cgroups of v1 whose tasks files are open in registers.
//
//go:nosplit
//go:norace
//go:nocheckptr
func initTasks(m *initMemory, block unsafe.Pointer, first, n uintptr) uintptr {
	for i := uintptr(0); i < n; i++ {
		if _, _, e := syscall.RawSyscall(unix.SYS_WRITE, held(block, first+i), uintptr(unsafe.Pointer(&m.zero[0])), 1); e != 0 {
			return uintptr(e)
		}
	}
	return 0
}

// initStart clones the command and reports its start. The command uses the memory of init until its execve, while init
// waits, so that nothing has to be copied and nothing is charged to the command.
//
//go:nosplit
//go:norace
//go:nocheckptr
func initStart(m *initMemory, block unsafe.Pointer) {
	m.clone.flags = unix.CLONE_VM | unix.CLONE_VFORK
	m.clone.exitSignal = uint64(unix.SIGCHLD)
	if r := word(block, headCgroup); r != noRegister {
		m.clone.flags |= unix.CLONE_INTO_CGROUP
		m.clone.cgroup = uint64(held(block, r))
	}
	if m.errno = initTasks(m, block, word(block, headEnter), word(block, headEnterN)); m.errno != 0 {
		initFail(m, replyEnterFailed)
	}
	_, _, _ = syscall.RawSyscall(unix.SYS_CLOCK_GETTIME, unix.CLOCK_MONOTONIC, uintptr(unsafe.Pointer(&m.clock)), 0)
	m.reply.Clock = m.clock.Sec*1e9 + m.clock.Nsec
	pid, e := initClone(m, block)
	left := initTasks(m, block, word(block, headLeave), word(block, headLeaveN))
	if r := word(block, headScore); r != noRegister {
		_, _, _ = syscall.RawSyscall(unix.SYS_WRITE, held(block, r), uintptr(unsafe.Pointer(&m.zero[0])), 1)
	}
	if e != 0 {
		m.errno = e
		initFail(m, replyCloneFailed)
	}
	if m.failed != 0 {
		_, _, _ = syscall.RawSyscall6(unix.SYS_WAIT4, pid, 0, 0, 0, 0, 0)
		m.index, m.errno = m.command, m.failed
		m.index += word(block, headPrepareN)
		initFail(m, replyFailed)
	}
	if m.errno = left; left != 0 {
		initFail(m, replyEnterFailed)
	}
	m.pid = pid
	initStarted(m, block)
	// Only the command holds the pipes now.
	_, _, _ = syscall.RawSyscall(unix.SYS_CLOSE_RANGE, fdControl+1, ^uintptr(0)>>32, 0)
}

// initClone clones; the child becomes the command or dies.
//
//go:nosplit
//go:noinline
//go:norace
//go:nocheckptr
func initClone(m *initMemory, block unsafe.Pointer) (pid, errno uintptr) {
	pid, errno = rawVfork(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&m.clone)), unsafe.Sizeof(m.clone))
	if errno != 0 || pid != 0 {
		return pid, errno
	}
	m.command, m.failed = execute(block, word(block, headCommand), word(block, headCommandN))
	for {
		_, _, _ = syscall.RawSyscall(unix.SYS_EXIT_GROUP, 253, 0, 0)
	}
}

// initStarted reports the start, with the working folder if there is one.
//
//go:nosplit
//go:norace
//go:nocheckptr
func initStarted(m *initMemory, block unsafe.Pointer) {
	work := word(block, headWork)
	if work == noRegister {
		initReply(m, replyStarted)
		return
	}
	m.reply.Kind = replyStarted
	messageFor(m, unsafe.Pointer(&m.reply), replySize, unsafe.Pointer(&m.rights[0]), uintptr(len(m.rights)))
	putRights(m, int32(held(block, work)))
	_, _, _ = syscall.RawSyscall(unix.SYS_SENDMSG, fdControl, uintptr(unsafe.Pointer(&m.message)), unix.MSG_NOSIGNAL)
}

// initReap waits for all descendants until the driver closes the socket. It reports the command's end, and, after the
// driver's word, kills what is left, waits for it and reports what all used together.
//
//go:nosplit
//go:norace
//go:nocheckptr
func initReap(m *initMemory) {
	fd, _, e := syscall.RawSyscall6(unix.SYS_SIGNALFD4, ^uintptr(0), uintptr(unsafe.Pointer(&m.mask)), sigSetSize,
		unix.SFD_CLOEXEC|unix.SFD_NONBLOCK, 0, 0)
	if e != 0 {
		m.errno = uintptr(e)
		initFail(m, replyCloneFailed)
	}
	m.poll[0].Fd, m.poll[0].Events = fdControl, unix.POLLIN
	m.poll[1].Fd, m.poll[1].Events = int32(fd), unix.POLLIN
	finish, alone := false, initWait(m)
	for {
		if finish && alone {
			initUsage(m, unix.RUSAGE_CHILDREN)
			initReply(m, replyDone)
			finish = false
		}
		_, _, e := syscall.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&m.poll[0])), 2, 0, 0, 0, 0)
		if e != 0 && e != unix.EINTR {
			initExit()
		}
		if m.poll[1].Revents != 0 { // before the look, so that no end between the two is missed
			_, _, _ = syscall.RawSyscall(unix.SYS_READ, fd, uintptr(unsafe.Pointer(&m.signals[0])), uintptr(len(m.signals)))
			alone = initWait(m)
		}
		if m.poll[0].Revents == 0 {
			continue
		}
		n, _, e := syscall.RawSyscall(unix.SYS_READ, fdControl, uintptr(unsafe.Pointer(&m.word[0])), uintptr(len(m.word)))
		if e == unix.EINTR {
			continue
		}
		if !alone {
			initKill(m)
		}
		if e != 0 || n == 0 { // the driver is done with us, or dead
			initExit()
		}
		finish, alone = true, initWait(m)
	}
}

// initWait waits for all that ended and tells whether nothing is left.
//
//go:nosplit
//go:norace
//go:nocheckptr
func initWait(m *initMemory) (alone bool) {
	for {
		pid, _, e := syscall.RawSyscall6(unix.SYS_WAIT4, ^uintptr(0), uintptr(unsafe.Pointer(&m.status)), unix.WNOHANG,
			uintptr(unsafe.Pointer(&m.usage)), 0, 0)
		if e == unix.ECHILD {
			return true
		}
		if e != 0 || pid == 0 {
			return false
		}
		if pid != m.pid {
			continue
		}
		_, _, _ = syscall.RawSyscall(unix.SYS_CLOCK_GETTIME, unix.CLOCK_MONOTONIC, uintptr(unsafe.Pointer(&m.clock)), 0)
		m.reply.Clock = m.clock.Sec*1e9 + m.clock.Nsec
		m.reply.Status = uint64(m.status)
		m.pid = ^uintptr(0) // the number may be another's from now on
		initFill(m)
		initReply(m, replyExited)
	}
}

// initUsage puts what getrusage tells into the reply.
//
//go:nosplit
//go:norace
//go:nocheckptr
func initUsage(m *initMemory, who int) {
	_, _, _ = syscall.RawSyscall(unix.SYS_GETRUSAGE, uintptr(who), uintptr(unsafe.Pointer(&m.usage)), 0)
	initFill(m)
}

//go:nosplit
//go:norace
//go:nocheckptr
func initFill(m *initMemory) {
	r, u := &m.reply, &m.usage
	r.User = u.Utime.Sec*1e9 + u.Utime.Usec*1e3
	r.System = u.Stime.Sec*1e9 + u.Stime.Usec*1e3
	r.InBlocks, r.OutBlocks, r.MaxRSS = u.Inblock, u.Oublock, u.Maxrss<<10
}

// initKill kills all descendants. A pid namespace ends with its first process; without one, what a child leaves behind
// becomes a child of init, so killing children until there are none kills all.
//
//go:nosplit
//go:norace
//go:nocheckptr
func initKill(m *initMemory) {
	if m.newPid {
		_, _, _ = syscall.RawSyscall(unix.SYS_KILL, ^uintptr(0), uintptr(unix.SIGKILL), 0)
		return
	}
	for round := 0; round < 5000; round++ {
		if initWait(m) || !initKillChildren(m) {
			return
		}
		_, _, _ = syscall.RawSyscall(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&m.pause)), 0, 0)
	}
}

// initKillChildren kills the children that the kernel lists, and tells whether there were some.
//
//go:nosplit
//go:norace
//go:nocheckptr
func initKillChildren(m *initMemory) (some bool) {
	fd, _, e := syscall.RawSyscall6(unix.SYS_OPENAT, ^uintptr(99), uintptr(unsafe.Pointer(&m.path[0])), unix.O_RDONLY|unix.O_CLOEXEC, 0, 0, 0)
	if e != 0 {
		return false
	}
	pid := uintptr(0)
	for {
		n, _, e := syscall.RawSyscall(unix.SYS_READ, fd, uintptr(unsafe.Pointer(&m.list[0])), uintptr(len(m.list)))
		if e != 0 || n == 0 {
			break
		}
		for i := uintptr(0); i < n; i++ {
			c := *(*byte)(unsafe.Add(unsafe.Pointer(&m.list[0]), i))
			if c >= '0' && c <= '9' {
				pid = 10*pid + uintptr(c-'0')
			} else if pid != 0 {
				_, _, _ = syscall.RawSyscall(unix.SYS_KILL, pid, uintptr(unix.SIGKILL), 0)
				pid, some = 0, true
			}
		}
	}
	_, _, _ = syscall.RawSyscall(unix.SYS_CLOSE, fd, 0, 0)
	return some
}
