// Package bv implements the arithmetic of SMT-LIB's theory FixedSizeBitVectors, including all functions of the logic
// QF_BV and the overflow predicates of version 2.7.
//
// A vector of width w is an unsigned number in 0..2^w-1: a uint64 for w <= 64 (Small...), or a *big.Int for any w
// (Wide...). Both families compute the same functions. Arguments must be in range, and so are results. Arguments of
// type *big.Int are not modified.
//
// Source: SMT-LIB theory FixedSizeBitVectors and logic QF_BV (2.7); division by zero: bvudiv returns all ones, bvurem
// the first operand.
package bv

import (
	"math/big"
	"math/bits"
)

// Op is a binary function on two vectors of equal width.
type Op uint8

// Functions that return a vector.
const (
	And Op = iota
	Or
	Xor
	Nand
	Nor
	Xnor
	Add
	Sub
	Mul
	Udiv
	Urem
	Sdiv
	Srem
	Smod
	Shl
	Lshr
	Ashr
	RotateLeft  // rotates by the second operand modulo the width (z3's ext_rotate_left)
	RotateRight // rotates by the second operand modulo the width (z3's ext_rotate_right)
)

// Pred is a binary predicate on two vectors of equal width.
type Pred uint8

// Predicates. The last seven hold if the result of the operation does not fit.
const (
	Ult Pred = iota
	Ule
	Slt
	Sle
	Uaddo
	Saddo
	Usubo
	Ssubo
	Umulo
	Smulo
	Sdivo
)

func mask(w int) uint64 { return ^uint64(0) >> (64 - w) }

// signed returns the value of a in two's complement.
func signed(w int, a uint64) int64 { return int64(a<<(64-w)) >> (64 - w) }

// Small computes op for 1 <= w <= 64.
func Small(op Op, w int, a, b uint64) uint64 {
	switch op {
	case And:
		return a & b
	case Or:
		return a | b
	case Xor:
		return a ^ b
	case Nand:
		return ^(a & b) & mask(w)
	case Nor:
		return ^(a | b) & mask(w)
	case Xnor:
		return ^(a ^ b) & mask(w)
	case Add:
		return (a + b) & mask(w)
	case Sub:
		return (a - b) & mask(w)
	case Mul:
		return (a * b) & mask(w)
	}
	if op <= Smod {
		return smallDivision(op, w, a, b)
	}
	return smallShift(op, w, a, b)
}

func smallDivision(op Op, w int, a, b uint64) uint64 {
	switch op {
	case Udiv:
		if b == 0 {
			return mask(w)
		}
		return a / b
	case Urem:
		if b == 0 {
			return a
		}
		return a % b
	}
	// The signed functions are defined in terms of the unsigned functions on absolute values.
	na, nb := signed(w, a) < 0, signed(w, b) < 0
	x, y := a, b
	if na {
		x = -a & mask(w)
	}
	if nb {
		y = -b & mask(w)
	}
	var r uint64
	neg := na
	if op == Sdiv {
		r, neg = smallDivision(Udiv, w, x, y), na != nb
	} else {
		r = smallDivision(Urem, w, x, y)
	}
	if neg {
		r = -r & mask(w)
	}
	if op == Smod && r != 0 && na != nb {
		r = (r + b) & mask(w)
	}
	return r
}

func smallShift(op Op, w int, a, b uint64) uint64 {
	switch op {
	case RotateLeft:
		n := uint(b % uint64(w))
		return (a<<n | a>>(uint(w)-n)) & mask(w)
	case RotateRight:
		n := uint(b % uint64(w))
		return (a>>n | a<<(uint(w)-n)) & mask(w)
	case Ashr:
		return uint64(signed(w, a)>>min(b, 63)) & mask(w)
	}
	if b >= uint64(w) {
		return 0
	}
	if op == Shl {
		return a << b & mask(w)
	}
	return a >> b
}

// SmallPred evaluates p for 1 <= w <= 64.
func SmallPred(p Pred, w int, a, b uint64) bool {
	switch p {
	case Ult:
		return a < b
	case Ule:
		return a <= b
	case Slt:
		return signed(w, a) < signed(w, b)
	case Sle:
		return signed(w, a) <= signed(w, b)
	case Uaddo:
		sum, carry := bits.Add64(a, b, 0)
		return carry != 0 || sum > mask(w)
	case Usubo:
		return a < b
	case Umulo:
		hi, lo := bits.Mul64(a, b)
		return hi != 0 || lo > mask(w)
	}
	return WidePred(p, w, new(big.Int).SetUint64(a), new(big.Int).SetUint64(b))
}

// SmallNot computes bvnot.
func SmallNot(w int, a uint64) uint64 { return ^a & mask(w) }

// SmallNeg computes bvneg.
func SmallNeg(w int, a uint64) uint64 { return -a & mask(w) }

// SmallSigned returns the value of a in two's complement.
func SmallSigned(w int, a uint64) int64 { return signed(w, a) }

// Truncate returns the low w <= 64 bits.
func Truncate(w int, a uint64) uint64 { return a & mask(w) }
