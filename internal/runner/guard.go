package runner

import "golang.org/x/sys/unix"

// lastCapability is above every capability of today's kernels; dropping stops at the first that the kernel lacks.
const lastCapability = 63

// A guarded command cannot gain privileges: execve gives none (no_new_privs), the capability bounding set is empty, so are
// all other sets, and system calls that only a hostile program needs fail. See forkChild.

// callTable is what one calling convention refuses.
type callTable struct {
	arch               uint32
	clone, clone3      uint32
	socket, socketpair uint32
	prlimit            uint32
	denied             []uintptr
}

// families are the protocol families that a run may use. Others have been ways into the kernel, and one of them, vsock,
// leads to the host of a virtual machine, because network namespaces do not divide it.
var families = []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}

// newNamespaces are the flags of clone that make namespaces; one of the user's own would give a command privileges.
const newNamespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// Instructions of the filter, and offsets in struct seccomp_data.
const (
	load   = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	jumpEq = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	jumpGe = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
	ret    = unix.BPF_RET | unix.BPF_K

	nr       = 0
	arch     = 4
	firstArg = 16 // low half on little-endian machines, which all supported ones are
)

// allowFamilies refuses sockets of other families. The number of the call is loaded, before and after.
func allowFamilies(table *callTable) []unix.SockFilter {
	n := len(families)
	check := []unix.SockFilter{
		{Code: jumpEq, K: table.socket, Jt: 1},
		{Code: jumpEq, K: table.socketpair, Jf: uint8(n + 3)},
		{Code: load, K: firstArg},
	}
	for i, f := range families {
		check = append(check, unix.SockFilter{Code: jumpEq, K: f, Jt: uint8(n - i)})
	}
	return append(check,
		unix.SockFilter{Code: ret, K: uint32(unix.SECCOMP_RET_ERRNO) | uint32(unix.EAFNOSUPPORT)},
		unix.SockFilter{Code: load, K: nr})
}

// filterProgram refuses the system calls of the tables of this machine with EPERM, and everything of a calling
// convention without a table (x32), whose numbers mean other calls, with ENOSYS.
func filterProgram() []unix.SockFilter {
	foreign := uint32(unix.SECCOMP_RET_ERRNO) | uint32(unix.ENOSYS)
	refused := uint32(unix.SECCOMP_RET_ERRNO) | uint32(unix.EPERM)
	prog := []unix.SockFilter{{Code: load, K: arch}}
	for _, table := range callTables {
		section := []unix.SockFilter{
			{Code: load, K: nr},
			{Code: jumpGe, K: x32Bit, Jf: 1},
			{Code: ret, K: foreign},
		}
		section = append(section,
			unix.SockFilter{Code: jumpEq, K: table.clone3, Jf: 1}, // its flags are out of a filter's sight; libraries fall back
			unix.SockFilter{Code: ret, K: foreign},
			unix.SockFilter{Code: jumpEq, K: table.clone, Jf: 3},
			unix.SockFilter{Code: load, K: firstArg},
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: newNamespaces, Jf: 1},
			unix.SockFilter{Code: ret, K: refused},
			unix.SockFilter{Code: load, K: nr})
		section = append(section, allowFamilies(&table)...)
		section = append(section, // limits of other processes, as init
			unix.SockFilter{Code: jumpEq, K: table.prlimit, Jf: 4},
			unix.SockFilter{Code: load, K: firstArg},
			unix.SockFilter{Code: jumpEq, K: 0, Jt: 1},
			unix.SockFilter{Code: ret, K: refused},
			unix.SockFilter{Code: load, K: nr})
		for _, call := range table.denied {
			section = append(section,
				unix.SockFilter{Code: jumpEq, K: uint32(call), Jf: 1},
				unix.SockFilter{Code: ret, K: refused})
		}
		section = append(section, unix.SockFilter{Code: ret, K: unix.SECCOMP_RET_ALLOW})
		prog = append(prog, unix.SockFilter{Code: jumpEq, K: table.arch, Jf: uint8(len(section))})
		prog = append(prog, section...)
	}
	return append(prog, unix.SockFilter{Code: ret, K: foreign})
}

// x32Bit marks the calls of the x32 convention; on other machines no call has such a number.
const x32Bit = 0x40000000

// deniedCalls are refused to every guarded command. None is of use to a solver; each has been a way out of a sandbox or
// into another's data. Mounting and namespaces need privileges that a command lacks anyway, but a user namespace of its
// own would give it some.
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
