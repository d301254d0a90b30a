package filter

import "golang.org/x/sys/unix"

// callTables holds the conventions of a 64-bit x86 machine: the native one, and that of 32-bit programs, such as
// solvers from the first years.
var callTables = []callTable{
	{true, unix.AUDIT_ARCH_X86_64, unix.SYS_CLONE, unix.SYS_CLONE3, unix.SYS_SOCKET, unix.SYS_SOCKETPAIR,
		unix.SYS_PRLIMIT64, deniedCalls},
	{false, unix.AUDIT_ARCH_I386, 120, unix.SYS_CLONE3, 359, 360, 340, denied32},
}

// denied32 contains the same calls as deniedCalls, with the numbers of arch/x86/entry/syscalls/syscall_32.tbl. Calls
// numbered 424 and above have the same numbers in all conventions.
var denied32 = []uintptr{
	310, 346, // unshare, setns
	102,                 // socketcall: the filter cannot see the socket's family
	21, 22, 52, 217, 61, // mount, umount, umount2, pivot_root, chroot
	unix.SYS_FSOPEN, unix.SYS_FSMOUNT, unix.SYS_FSCONFIG, unix.SYS_FSPICK, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
	unix.SYS_MOUNT_SETATTR,
	288, 286, 287, // keyctl, add_key, request_key
	374, 357, 336, // userfaultfd, bpf, perf_event_open
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	342, 341, // open_by_handle_at, name_to_handle_at
	283, 128, 350, 129, // kexec_load, init_module, finit_module, delete_module
	88, 87, 115, 51, 131, 103, // reboot, swapon, swapoff, acct, quotactl, syslog
	25, 79, 264, 404, 124, 343, 405, // stime, settimeofday, clock_settime, ~64, adjtimex, clock_adjtime, ~64
}
