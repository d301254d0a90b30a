// Package filter builds the system call filter of a guarded command. Such a command cannot gain privileges: execve
// grants none (no_new_privs), all its capability sets including the bounding set are empty (package initproc empties
// them), and the filter refuses system calls that only a hostile program needs.
//
// elastic/go-seccomp-bpf cannot replace this package. Its policies cover only one calling convention, whereas this
// filter also covers 32-bit programs. It searches its list linearly at each call, and it does not support listeners.
package filter

import (
	"maps"
	"math"
	"slices"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// callTable lists the system calls to refuse in one calling convention.
type callTable struct {
	own                bool // whether this program uses the convention
	arch               uint32
	clone, clone3      uint32
	socket, socketpair uint32
	prlimit            uint32
	denied             []uintptr
}

// families lists the protocol families that a run may use. Other families have been used to attack the kernel. Network
// namespaces do not cover vsock, which reaches the host of a virtual machine.
var families = []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}

// newNamespaces are the clone flags that create namespaces. In a new user namespace, a command would gain privileges.
const newNamespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
	unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// Filter instructions, and offsets in struct seccomp_data.
const (
	load   = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	jumpEq = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	jumpGe = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
	ret    = unix.BPF_RET | unix.BPF_K

	nr       = 0
	arch     = 4
	firstArg = 16 // offset of the low half: all supported machines are little-endian
)

// action is what the filter does with a system call: instructions that end with an answer.
type action []syscall.SockFilter

func answer(value uint32) action { return action{{Code: ret, K: value}} }

var (
	allow   = answer(unix.SECCOMP_RET_ALLOW)
	ask     = answer(unix.SECCOMP_RET_USER_NOTIF) // ENOSYS if nothing listens
	refuse  = answer(unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM))
	foreign = answer(unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS))
)

// allowFamilies refuses sockets of families that are not listed.
func allowFamilies() action {
	check := action{{Code: load, K: firstArg}}
	for i, f := range families {
		check = append(check, syscall.SockFilter{Code: jumpEq, K: f, Jt: uint8(len(families) - i)})
	}
	return slices.Concat(check, answer(unix.SECCOMP_RET_ERRNO|uint32(unix.EAFNOSUPPORT)), allow)
}

// actions maps the numbers of calls in this convention to actions, except for calls that are simply allowed. Numbers
// from x32Bit on belong to x32, a convention without a table and with other numbers.
func (t *callTable) actions() map[uint32]action {
	sockets := allowFamilies()
	list := map[uint32]action{
		t.clone3: foreign, // the filter cannot see the flags of clone3; libraries fall back
		t.clone: slices.Concat(action{
			{Code: load, K: firstArg},
			{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: newNamespaces, Jf: 1},
		}, refuse, allow),
		t.socket:     sockets,
		t.socketpair: sockets,
		t.prlimit: slices.Concat(action{ // limits of other processes, such as init
			{Code: load, K: firstArg},
			{Code: jumpEq, K: 0, Jt: 1},
		}, refuse, allow),
		x32Bit: foreign,
	}
	for _, call := range t.denied {
		list[uint32(call)] = refuse
	}
	if t.own {
		list[t.clone3] = ask // see allowClone in initproc
		// The command is cloned under the filter and creates its cgroup namespace afterwards. Unprivileged commands
		// cannot create one.
		list[unix.SYS_UNSHARE] = slices.Concat(action{
			{Code: load, K: firstArg},
			{Code: jumpEq, K: unix.CLONE_NEWCGROUP, Jt: 1},
		}, refuse, allow)
	}
	return list
}

// callRange is a range of calls with the same action. It extends from first to the start of the next range.
type callRange struct {
	from uint32
	do   action
}

// ranges returns the actions of all numbers in order, merging neighbours with the same action.
func (t *callTable) ranges() []callRange {
	list := t.actions()
	all := []callRange{{0, allow}}
	add := func(from uint32, do action) {
		last := &all[len(all)-1]
		switch {
		case last.from == from:
			last.do = do
		case &last.do[0] != &do[0]:
			all = append(all, callRange{from, do})
		}
	}
	for _, n := range slices.Sorted(maps.Keys(list)) {
		add(n, list[n])
		if n != x32Bit {
			add(n+1, allow)
		}
	}
	return all
}

// searchTree finds the range of the loaded number. A tree is short on all paths: the kernel simulates it for every
// existing call when it installs the filter, executes it at every call that is not always allowed, and translates each
// instruction at every start.
type searchTree struct {
	code   []syscall.SockFilter
	leaves []leaf
}

// leaf is a jump from the tree to an action.
type leaf struct {
	jump int
	yes  bool
	do   action
}

// add appends a search among two or more ranges.
func (t *searchTree) add(ranges []callRange) {
	at, half := len(t.code), len(ranges)/2
	t.code = append(t.code, syscall.SockFilter{Code: jumpGe, K: ranges[half].from})
	for _, side := range []struct {
		yes    bool
		ranges []callRange
	}{{false, ranges[:half]}, {true, ranges[half:]}} {
		if len(side.ranges) == 1 {
			t.leaves = append(t.leaves, leaf{at, side.yes, side.ranges[0].do})
			continue
		}
		t.aim(at, side.yes, len(t.code))
		t.add(side.ranges)
	}
}

// aim sets the target of a jump.
func (t *searchTree) aim(jump int, yes bool, target int) {
	distance := target - jump - 1
	if distance > math.MaxUint8 {
		panic("the system call filter is too long for its jumps")
	}
	if yes {
		t.code[jump].Jt = uint8(distance)
	} else {
		t.code[jump].Jf = uint8(distance)
	}
}

// search returns instructions that find the range of the loaded number and execute its action. Each action occurs only
// once.
func search(ranges []callRange) []syscall.SockFilter {
	var t searchTree
	t.add(ranges)
	places := map[*syscall.SockFilter]int{}
	for _, l := range t.leaves {
		place, ok := places[&l.do[0]]
		if !ok {
			place = len(t.code)
			places[&l.do[0]] = place
			t.code = append(t.code, l.do...)
		}
		t.aim(l.jump, l.yes, place)
	}
	return t.code
}

// Program returns the filter, which is built only once. It refuses the system calls in this machine's tables with
// EPERM, and all calls of conventions without a table with ENOSYS.
var Program = sync.OnceValue(func() []syscall.SockFilter {
	prog := []syscall.SockFilter{{Code: load, K: arch}}
	for _, table := range callTables {
		section := slices.Concat([]syscall.SockFilter{{Code: load, K: nr}}, search(table.ranges()))
		prog = append(prog,
			syscall.SockFilter{Code: jumpEq, K: table.arch, Jt: 1},
			syscall.SockFilter{Code: unix.BPF_JMP | unix.BPF_JA, K: uint32(len(section))})
		prog = append(prog, section...)
	}
	return append(prog, foreign...)
})

// x32Bit marks calls of the x32 convention. On other machines, no call has a number this large.
const x32Bit = 0x40000000

// deniedCalls lists the calls refused to every guarded command. Solvers need none of them, and each has been used to
// escape a sandbox or to reach other users' data. Mounting and creating namespaces require privileges that a command
// lacks, but would obtain in a new user namespace.
var deniedCalls = []uintptr{
	unix.SYS_UNSHARE, unix.SYS_SETNS,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT,
	unix.SYS_FSOPEN, unix.SYS_FSMOUNT, unix.SYS_FSCONFIG, unix.SYS_FSPICK, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
	unix.SYS_MOUNT_SETATTR,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_USERFAULTFD, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT,
	unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
	unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_SYSLOG,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME,
}
