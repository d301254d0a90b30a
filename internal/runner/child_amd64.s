#include "textflag.h"

// func rawVfork(trap, a1, a2 uintptr) (r1, errno uintptr)
//
// The child runs on the stack of the waiting parent and overwrites the return address there, so the address is kept in a
// register, which clone gives to both.
TEXT ·rawVfork(SB), NOSPLIT|NOFRAME, $0-40
	MOVQ	trap+0(FP), AX
	MOVQ	a1+8(FP), DI
	MOVQ	a2+16(FP), SI
	XORL	DX, DX
	XORL	R10, R10
	XORL	R8, R8
	XORL	R9, R9
	POPQ	R12
	SYSCALL
	PUSHQ	R12
	CMPQ	AX, $0xfffffffffffff001
	JLS	ok
	MOVQ	$-1, r1+24(FP)
	NEGQ	AX
	MOVQ	AX, errno+32(FP)
	RET
ok:
	MOVQ	AX, r1+24(FP)
	MOVQ	$0, errno+32(FP)
	RET
