#include "textflag.h"

// func rawVfork(trap, a1, a2 uintptr) (r1, errno uintptr)
//
// The return address is in the link register, which clone gives to both parent and child.
TEXT ·rawVfork(SB), NOSPLIT, $0-40
	MOVD	trap+0(FP), R8
	MOVD	a1+8(FP), R0
	MOVD	a2+16(FP), R1
	MOVD	$0, R2
	MOVD	$0, R3
	MOVD	$0, R4
	MOVD	$0, R5
	SVC
	CMN	$4095, R0
	BCC	ok
	MOVD	$-1, R4
	MOVD	R4, r1+24(FP)
	NEG	R0, R0
	MOVD	R0, errno+32(FP)
	RET
ok:
	MOVD	R0, r1+24(FP)
	MOVD	ZR, errno+32(FP)
	RET
