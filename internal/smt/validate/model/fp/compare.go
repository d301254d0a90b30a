package fp

import (
	"cmp"
	"errors"
	"math/big"
)

// Compare compares two numbers and returns -1, 0 or 1. Both zeros are equal. ok is false if either is NaN.
func Compare(x, y Float) (c int, ok bool) {
	if x.Class == NaN || y.Class == NaN {
		return 0, false
	}
	sx, sy := x.sign(), y.sign()
	switch {
	case sx != sy:
		return cmp.Compare(sx, sy), true
	case sx == 0:
		return 0, true
	}
	return sx * compareMagnitude(x, y), true
}

func (x Float) sign() int {
	switch {
	case x.Class == Zero:
		return 0
	case x.Neg:
		return -1
	}
	return 1
}

func compareMagnitude(x, y Float) int {
	if x.Class == Inf || y.Class == Inf {
		switch {
		case x.Class == y.Class:
			return 0
		case x.Class == Inf:
			return 1
		}
		return -1
	}
	topX, topY := x.Exp+int64(x.Sig.BitLen()), y.Exp+int64(y.Sig.BitLen())
	switch {
	case topX < topY:
		return -1
	case topX > topY:
		return 1
	case x.Exp >= y.Exp:
		return new(big.Int).Lsh(x.Sig, uint(x.Exp-y.Exp)).Cmp(y.Sig)
	}
	return x.Sig.Cmp(new(big.Int).Lsh(y.Sig, uint(y.Exp-x.Exp)))
}

// Min computes fp.min. If the arguments are zeros with different signs, SMT-LIB does not define which of them is the
// result. In that case free is true and the result is x.
func Min(x, y Float) (r Float, free bool) { return pick(x, y, -1) }

// Max computes fp.max, with the same freedom as Min.
func Max(x, y Float) (r Float, free bool) { return pick(x, y, 1) }

func pick(x, y Float, want int) (Float, bool) {
	switch {
	case x.Class == NaN:
		return y, false
	case y.Class == NaN:
		return x, false
	case x.Class == Zero && y.Class == Zero && x.Neg != y.Neg:
		return x, true
	}
	if c, _ := Compare(x, y); c == want {
		return x, false
	}
	return y, false
}

// maxRatExponent limits the size of the numbers that Rat returns to 2^maxRatExponent.
const maxRatExponent = 1 << 26

// ErrTooLarge reports that a number is too large to convert to a fraction.
var ErrTooLarge = errors.New("the floating-point number is too large or too small to be computed as a real number")

// Rat computes fp.to_real for zeros and finite numbers. ok is false for NaN and infinities, whose value is unspecified.
func (x Float) Rat() (r *big.Rat, ok bool, err error) {
	switch {
	case x.Class == Zero:
		return new(big.Rat), true, nil
	case x.Class != Finite:
		return nil, false, nil
	case x.Exp > maxRatExponent || x.Exp < -maxRatExponent:
		return nil, false, ErrTooLarge
	}
	n := signed(x.Sig, x.Neg)
	if x.Exp >= 0 {
		return new(big.Rat).SetInt(new(big.Int).Lsh(n, uint(x.Exp))), true, nil
	}
	return new(big.Rat).SetFrac(n, new(big.Int).Lsh(one, uint(-x.Exp))), true, nil
}

// ToUnsigned computes fp.to_ubv for width w. ok is false if the value is unspecified: for NaN, infinities, and rounded
// values outside 0..2^w-1.
func ToUnsigned(m Mode, x Float, w int) (n *big.Int, ok bool) {
	n, ok = toInteger(m, x, w)
	if !ok || n.Sign() < 0 || n.BitLen() > w {
		return nil, false
	}
	return n, true
}

// ToSigned computes fp.to_sbv for width w as a signed integer. ok is false if the value is unspecified: for NaN,
// infinities, and rounded values outside -2^(w-1)..2^(w-1)-1.
func ToSigned(m Mode, x Float, w int) (n *big.Int, ok bool) {
	n, ok = toInteger(m, x, w)
	if !ok {
		return nil, false
	}
	low := n
	if n.Sign() < 0 {
		low = new(big.Int).Not(n) // -n-1
	}
	return n, low.BitLen() < w
}

func toInteger(m Mode, x Float, w int) (*big.Int, bool) {
	switch {
	case x.Class == Zero:
		return new(big.Int), true
	case x.Class != Finite || x.Exp+int64(x.Sig.BitLen()) > int64(w)+1:
		return nil, false
	}
	return signed(integral(m, x), x.Neg), true
}
