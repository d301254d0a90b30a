package bv

import "math/big"

var one = big.NewInt(1)

func modulus(w int) *big.Int { return new(big.Int).Lsh(one, uint(w)) }

func wideMask(w int) *big.Int {
	m := modulus(w)
	return m.Sub(m, one)
}

// Norm reduces any integer to 0..2^w-1. It modifies and returns x.
func Norm(w int, x *big.Int) *big.Int {
	if x.Sign() >= 0 && x.BitLen() <= w {
		return x
	}
	return x.And(x, wideMask(w))
}

// Signed returns the value of a in two's complement.
func Signed(w int, a *big.Int) *big.Int {
	if a.Bit(w-1) == 0 {
		return a
	}
	return new(big.Int).Sub(a, modulus(w))
}

// Wide computes op for any width.
func Wide(op Op, w int, a, b *big.Int) *big.Int {
	r := new(big.Int)
	switch op {
	case And:
		return r.And(a, b)
	case Or:
		return r.Or(a, b)
	case Xor:
		return r.Xor(a, b)
	case Nand:
		return r.Xor(r.And(a, b), wideMask(w))
	case Nor:
		return r.Xor(r.Or(a, b), wideMask(w))
	case Xnor:
		return r.Xor(r.Xor(a, b), wideMask(w))
	case Add:
		return Norm(w, r.Add(a, b))
	case Sub:
		return Norm(w, r.Sub(a, b))
	case Mul:
		return Norm(w, r.Mul(a, b))
	}
	if op <= Smod {
		return wideDivision(op, w, a, b)
	}
	return wideShift(op, w, a, b)
}

func wideDivision(op Op, w int, a, b *big.Int) *big.Int {
	x, y := a, b
	if op >= Sdiv {
		x, y = Signed(w, a), Signed(w, b)
	}
	if b.Sign() == 0 {
		return wideDivisionByZero(op, w, a, x)
	}
	r := new(big.Int)
	switch op {
	case Udiv, Sdiv:
		r.Quo(x, y)
	case Urem, Srem:
		r.Rem(x, y)
	case Smod:
		r.Rem(x, y)
		if r.Sign() != 0 && r.Sign() != y.Sign() {
			r.Add(r, y)
		}
	}
	return Norm(w, r)
}

// wideDivisionByZero returns op with a zero divisor. Unsigned division returns all ones; signed division negates that
// for a negative dividend, which yields 1. All remainders equal the dividend.
func wideDivisionByZero(op Op, w int, a, signedA *big.Int) *big.Int {
	switch {
	case op == Sdiv && signedA.Sign() < 0:
		return big.NewInt(1)
	case op == Udiv || op == Sdiv:
		return wideMask(w)
	}
	return a
}

func wideShift(op Op, w int, a, b *big.Int) *big.Int {
	if op == RotateLeft || op == RotateRight {
		n := uint(new(big.Int).Mod(b, big.NewInt(int64(w))).Uint64())
		if op == RotateRight {
			n = (uint(w) - n) % uint(w)
		}
		high := new(big.Int).Lsh(a, n)
		return Norm(w, high.Or(high, new(big.Int).Rsh(a, uint(w)-n)))
	}
	n := uint(w)
	if b.IsUint64() && b.Uint64() < uint64(w) {
		n = uint(b.Uint64())
	}
	switch op {
	case Shl:
		return Norm(w, new(big.Int).Lsh(a, n))
	case Lshr:
		return new(big.Int).Rsh(a, n)
	}
	return Norm(w, new(big.Int).Rsh(Signed(w, a), n))
}

// WidePred evaluates p for any width.
func WidePred(p Pred, w int, a, b *big.Int) bool {
	switch p {
	case Ult, Usubo:
		return a.Cmp(b) < 0
	case Ule:
		return a.Cmp(b) <= 0
	case Uaddo:
		return new(big.Int).Add(a, b).BitLen() > w
	case Umulo:
		return new(big.Int).Mul(a, b).BitLen() > w
	}
	x, y := Signed(w, a), Signed(w, b)
	switch p {
	case Slt:
		return x.Cmp(y) < 0
	case Sle:
		return x.Cmp(y) <= 0
	case Saddo:
		return !fitsSigned(w, new(big.Int).Add(x, y))
	case Ssubo:
		return !fitsSigned(w, new(big.Int).Sub(x, y))
	case Smulo:
		return !fitsSigned(w, new(big.Int).Mul(x, y))
	}
	return MinSigned(w, a) && y.Cmp(big.NewInt(-1)) == 0 // Sdivo
}

// fitsSigned reports whether -2^(w-1) <= x < 2^(w-1).
func fitsSigned(w int, x *big.Int) bool {
	if x.Sign() < 0 {
		x = new(big.Int).Not(x)
	}
	return x.BitLen() < w
}

// MinSigned reports whether a is the smallest signed number, whose negation overflows (bvnego).
func MinSigned(w int, a *big.Int) bool {
	return a.BitLen() == w && a.TrailingZeroBits() == uint(w-1)
}

// WideNot computes bvnot.
func WideNot(w int, a *big.Int) *big.Int { return new(big.Int).Xor(a, wideMask(w)) }

// WideNeg computes bvneg.
func WideNeg(w int, a *big.Int) *big.Int { return Norm(w, new(big.Int).Neg(a)) }

// Extract computes ((_ extract hi lo) a).
func Extract(hi, lo int, a *big.Int) *big.Int {
	return Norm(hi-lo+1, new(big.Int).Rsh(a, uint(lo)))
}

// Concat computes (concat a b), where b has width wb.
func Concat(a, b *big.Int, wb int) *big.Int {
	r := new(big.Int).Lsh(a, uint(wb))
	return r.Or(r, b)
}

// Repeat computes ((_ repeat n) a) for a of width w: a times 1 + 2^w + ... + 2^((n-1)w).
func Repeat(w, n int, a *big.Int) *big.Int {
	ones := new(big.Int).Quo(wideMask(w*n), wideMask(w))
	return ones.Mul(ones, a)
}

// SignExtend computes ((_ sign_extend n) a) for a of width w.
func SignExtend(w, n int, a *big.Int) *big.Int {
	return Norm(w+n, new(big.Int).Set(Signed(w, a)))
}
