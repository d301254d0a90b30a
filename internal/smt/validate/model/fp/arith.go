package fp

import "math/big"

// Neg returns x with the opposite sign. NaN stays NaN.
func Neg(x Float) Float {
	if x.Class != NaN {
		x.Neg = !x.Neg
	}
	return x
}

// Abs returns x with a positive sign.
func Abs(x Float) Float {
	x.Neg = false
	return x
}

// Add computes fp.add.
func (f Format) Add(m Mode, x, y Float) Float {
	switch {
	case x.Class == NaN || y.Class == NaN:
		return Float{}
	case x.Class == Inf:
		if y.Class == Inf && x.Neg != y.Neg {
			return Float{}
		}
		return x
	case y.Class == Inf:
		return y
	case x.Class == Zero && y.Class == Zero:
		if x.Neg == y.Neg {
			return x
		}
		return Float{Class: Zero, Neg: m == RTN}
	case x.Class == Zero:
		return f.Convert(m, y)
	case y.Class == Zero:
		return f.Convert(m, x)
	}
	return f.addFinite(m, x, y)
}

// Sub computes fp.sub.
func (f Format) Sub(m Mode, x, y Float) Float { return f.Add(m, x, Neg(y)) }

// addFinite rounds the sum of two finite numbers, which need not be representable in f.
func (f Format) addFinite(m Mode, x, y Float) Float {
	if x.Exp < y.Exp {
		x, y = y, x
	}
	a, b, exp := f.align(x, y)
	sum := new(big.Int).Add(signed(a, x.Neg), signed(b, y.Neg))
	if sum.Sign() == 0 {
		return Float{Class: Zero, Neg: m == RTN}
	}
	return f.round(m, sum.Sign() < 0, sum.Abs(sum), exp, false)
}

// align returns both significands for a common exponent. x must have the larger exponent. If y is so much smaller that
// it matters only as slightly more or less, it is replaced by one unit far below the last place of the result, which
// avoids a huge shift. The result's last place is at least at x.Exp-SB, and x is on a rounding boundary or well away
// from every boundary.
func (f Format) align(x, y Float) (a, b *big.Int, exp int64) {
	guard := int64(f.SB) + 4
	if far := x.Exp - guard; y.Exp+int64(y.Sig.BitLen()) < far {
		return new(big.Int).Lsh(x.Sig, uint(guard)), one, far
	}
	return new(big.Int).Lsh(x.Sig, uint(x.Exp-y.Exp)), y.Sig, y.Exp
}

func signed(n *big.Int, neg bool) *big.Int {
	if neg {
		return new(big.Int).Neg(n)
	}
	return n
}

// Mul computes fp.mul.
func (f Format) Mul(m Mode, x, y Float) Float {
	neg := x.Neg != y.Neg
	switch {
	case x.Class == NaN || y.Class == NaN:
		return Float{}
	case x.Class == Inf || y.Class == Inf:
		if x.Class == Zero || y.Class == Zero {
			return Float{}
		}
		return Float{Class: Inf, Neg: neg}
	case x.Class == Zero || y.Class == Zero:
		return Float{Class: Zero, Neg: neg}
	}
	return f.round(m, neg, new(big.Int).Mul(x.Sig, y.Sig), x.Exp+y.Exp, false)
}

// Div computes fp.div.
func (f Format) Div(m Mode, x, y Float) Float {
	neg := x.Neg != y.Neg
	switch {
	case x.Class == NaN || y.Class == NaN, x.Class == Inf && y.Class == Inf, x.Class == Zero && y.Class == Zero:
		return Float{}
	case x.Class == Inf || y.Class == Zero:
		return Float{Class: Inf, Neg: neg}
	case x.Class == Zero || y.Class == Inf:
		return Float{Class: Zero, Neg: neg}
	}
	return f.quotient(m, neg, x.Sig, x.Exp, y.Sig, y.Exp)
}

// FMA computes fp.fma: x*y + z, rounded once.
func (f Format) FMA(m Mode, x, y, z Float) Float {
	if x.Class != Finite || y.Class != Finite {
		return f.Add(m, f.Mul(m, x, y), z) // the product is exact because it is NaN, infinite or zero
	}
	p := Float{Class: Finite, Neg: x.Neg != y.Neg, Exp: x.Exp + y.Exp, Sig: new(big.Int).Mul(x.Sig, y.Sig)}
	return f.Add(m, p, z)
}

// Sqrt computes fp.sqrt.
func (f Format) Sqrt(m Mode, x Float) Float {
	switch {
	case x.Class == NaN || x.Class == Zero:
		return x
	case x.Neg:
		return Float{}
	case x.Class == Inf:
		return x
	}
	sig, exp := x.Sig, x.Exp
	up := max(int64(2*f.SB+6)-int64(sig.BitLen()), 0)
	if (exp-up)%2 != 0 {
		up++
	}
	sig = new(big.Int).Lsh(sig, uint(up))
	root := new(big.Int).Sqrt(sig)
	inexact := new(big.Int).Mul(root, root).Cmp(sig) != 0
	return f.round(m, false, root, (exp-up)/2, inexact)
}

// Rem computes fp.rem, the IEEE 754 remainder: x - y*n, where n is the integer nearest to x/y, with ties to even. The
// result is always exact.
func (f Format) Rem(x, y Float) Float {
	switch {
	case x.Class == NaN || y.Class == NaN || x.Class == Inf || y.Class == Zero:
		return Float{}
	case x.Class == Zero || y.Class == Inf:
		return x
	}
	topX, topY := x.Exp+int64(x.Sig.BitLen()), y.Exp+int64(y.Sig.BitLen())
	if topX+1 < topY { // |x| < |y|/2
		return x
	}
	exp := min(x.Exp, y.Exp)
	b := new(big.Int).Lsh(y.Sig, uint(y.Exp-exp))
	twice := new(big.Int).Lsh(b, 1)
	// r = |x| mod 2|y| keeps the parity of the quotient. The power is computed modulo 2|y| too, because |x| may be
	// astronomically larger.
	r := new(big.Int).Exp(big.NewInt(2), big.NewInt(x.Exp-exp), twice)
	r.Mod(r.Mul(r, x.Sig), twice)
	odd := r.Cmp(b) >= 0
	if odd {
		r.Sub(r, b)
	}
	if c := new(big.Int).Lsh(r, 1).Cmp(b); c > 0 || (c == 0 && odd) {
		r.Sub(r, b)
	}
	if r.Sign() == 0 {
		return Float{Class: Zero, Neg: x.Neg}
	}
	return f.round(RNE, x.Neg != (r.Sign() < 0), r.Abs(r), exp, false)
}

// RoundToIntegral computes fp.roundToIntegral. A zero result keeps the sign of x.
func (f Format) RoundToIntegral(m Mode, x Float) Float {
	if x.Class != Finite || x.Exp >= 0 {
		return x
	}
	n := integral(m, x)
	return f.round(m, x.Neg, n, 0, false)
}

// integral returns the magnitude of the finite x, rounded to an integer.
func integral(m Mode, x Float) *big.Int {
	if x.Exp >= 0 {
		return new(big.Int).Lsh(x.Sig, uint(x.Exp))
	}
	n, t := split(x.Sig, -x.Exp, false)
	if t.roundsUp(m, x.Neg, n.Bit(0) == 1) {
		n = new(big.Int).Add(n, one)
	}
	return n
}
