package filter

import (
	"slices"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// runFilter executes a filter as the kernel does. It returns the filter's answer and the number of executed
// instructions.
func runFilter(t *testing.T, prog []syscall.SockFilter, convention, number, first uint32) (value uint32, steps int) {
	t.Helper()
	var acc uint32
	for i := 0; i < len(prog); i++ {
		steps++
		in := prog[i]
		jump := func(yes bool) {
			if i += int(in.Jf); yes {
				i += int(in.Jt) - int(in.Jf)
			}
		}
		switch in.Code {
		case load:
			acc = map[uint32]uint32{nr: number, arch: convention, firstArg: first}[in.K]
		case jumpEq:
			jump(acc == in.K)
		case jumpGe:
			jump(acc >= in.K)
		case unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K:
			jump(acc&in.K != 0)
		case unix.BPF_JMP | unix.BPF_JA:
			i += int(in.K)
		case ret:
			return in.K, steps
		default:
			t.Fatalf("instruction %#v is unknown", in)
		}
	}
	t.Fatal("the filter has no answer")
	return 0, 0
}

// wantAnswer returns the expected answer to a call, which it computes without the filter.
func wantAnswer(table *callTable, number, first uint32) uint32 {
	refused := uint32(unix.SECCOMP_RET_ERRNO) | uint32(unix.EPERM)
	switch {
	case table.own && number == table.clone3:
		return unix.SECCOMP_RET_USER_NOTIF
	case table.own && number == unix.SYS_UNSHARE && first == unix.CLONE_NEWCGROUP:
		return unix.SECCOMP_RET_ALLOW
	case number >= x32Bit || number == table.clone3:
		return unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	case slices.Contains(table.denied, uintptr(number)),
		number == table.clone && first&newNamespaces != 0,
		number == table.prlimit && first != 0:
		return refused
	case (number == table.socket || number == table.socketpair) && !slices.Contains(families, first):
		return unix.SECCOMP_RET_ERRNO | uint32(unix.EAFNOSUPPORT)
	}
	return unix.SECCOMP_RET_ALLOW
}

func TestFilter(t *testing.T) {
	prog := Program()
	numbers := []uint32{x32Bit - 1, x32Bit, x32Bit + 1, x32Bit + 56, 1<<31 - 1, 1 << 31, 1<<32 - 1}
	for n := range uint32(1000) {
		numbers = append(numbers, n)
	}
	firsts := []uint32{0, 1, 2, 10, 16, 17, 38, 40, 1<<32 - 1, unix.CLONE_VM, 17, unix.CLONE_THREAD}
	for bit := range 32 {
		firsts = append(firsts, 1<<bit)
	}
	most := 0
	for i := range callTables {
		table := &callTables[i]
		for _, n := range numbers {
			for _, first := range firsts {
				got, steps := runFilter(t, prog, table.arch, n, first)
				if want := wantAnswer(table, n, first); got != want {
					t.Errorf("convention %#x, call %d with %#x: got %#x, want %#x", table.arch, n, first, got, want)
				}
				most = max(most, steps)
			}
		}
	}
	if got, _ := runFilter(t, prog, 0x12345, 0, 0); got != unix.SECCOMP_RET_ERRNO|uint32(unix.ENOSYS) {
		t.Errorf("an unknown convention: got %#x", got)
	}
	t.Logf("%d instructions, %d steps at most", len(prog), most)
	if most > 30 || len(prog) > unix.BPF_MAXINSNS {
		t.Errorf("the filter takes up to %d steps and has %d instructions", most, len(prog))
	}
}

// TestFilterProgram checks that every jump in the seccomp filter lands inside it and that the filter ends in a verdict.
func TestFilterProgram(t *testing.T) {
	prog := Program()
	for i, ins := range prog {
		if ins.Code&0x07 != 0x05 { // BPF_JMP
			continue
		}
		if i+1+int(ins.Jt) >= len(prog) || i+1+int(ins.Jf) >= len(prog) {
			t.Errorf("instruction %d jumps out of %d", i, len(prog))
		}
	}
	if last := prog[len(prog)-1]; last.Code != 0x06 { // BPF_RET
		t.Errorf("the last instruction is %v", last)
	}
}
