package filter

import "golang.org/x/sys/unix"

// callTables holds the convention of a 64-bit ARM machine. 32-bit programs are refused.
var callTables = []callTable{
	{true, unix.AUDIT_ARCH_AARCH64, unix.SYS_CLONE, unix.SYS_CLONE3, unix.SYS_SOCKET, unix.SYS_SOCKETPAIR,
		unix.SYS_PRLIMIT64, deniedCalls},
}
