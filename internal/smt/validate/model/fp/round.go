package fp

import "math/big"

// round rounds (-1)^neg * (sig + d) * 2^exp to f. d is 0, or an unknown number with 0 < d < 1 if sticky is set. In the
// latter case, sig must have more than SB+1 bits or lie below the precision of the smallest subnormal.
func (f Format) round(m Mode, neg bool, sig *big.Int, exp int64, sticky bool) Float {
	if sig.Sign() == 0 && !sticky {
		return Float{Class: Zero, Neg: neg}
	}
	e := int64(sig.BitLen()) - 1 + exp
	lsb := max(e, f.emin()) - int64(f.SB-1)
	kept := sig
	if drop := lsb - exp; drop > 0 {
		var tail tail
		kept, tail = split(sig, drop, sticky)
		if tail.roundsUp(m, neg, kept.Bit(0) == 1) {
			kept = new(big.Int).Add(kept, one)
		}
		exp = lsb
	}
	if kept.Sign() == 0 {
		return Float{Class: Zero, Neg: neg}
	}
	if int64(kept.BitLen())-1+exp > f.emax() {
		return f.overflow(m, neg)
	}
	return Float{Class: Finite, Neg: neg, Exp: exp, Sig: kept}
}

// overflow returns infinity or the largest finite number, depending on the mode.
func (f Format) overflow(m Mode, neg bool) Float {
	if m == RTZ || (m == RTP && neg) || (m == RTN && !neg) {
		return Float{Class: Finite, Neg: neg, Exp: f.emax() - int64(f.SB-1), Sig: mask(uint(f.SB))}
	}
	return Float{Class: Inf, Neg: neg}
}

// tail compares the part that rounding drops with half a unit in the last place.
type tail struct {
	zero bool
	half int // -1 if below half a unit, 0 if equal, 1 if above
}

// split drops the lowest drop > 0 bits of sig.
func split(sig *big.Int, drop int64, sticky bool) (*big.Int, tail) {
	length := int64(sig.BitLen())
	if drop > length {
		return new(big.Int), tail{zero: sig.Sign() == 0 && !sticky, half: -1}
	}
	kept := new(big.Int).Rsh(sig, uint(drop))
	lowest := int64(sig.TrailingZeroBits())
	halfBit := sig.Bit(int(drop-1)) == 1
	rest := sticky || (sig.Sign() != 0 && lowest < drop-1)
	switch {
	case halfBit && rest:
		return kept, tail{half: 1}
	case halfBit:
		return kept, tail{half: 0}
	}
	return kept, tail{zero: !rest, half: -1}
}

func (t tail) roundsUp(m Mode, neg, odd bool) bool {
	if t.zero {
		return false
	}
	switch m {
	case RNE:
		return t.half > 0 || (t.half == 0 && odd)
	case RNA:
		return t.half >= 0
	case RTP:
		return !neg
	case RTN:
		return neg
	}
	return false
}

// FromRat rounds the rational number r. Zero becomes +0.
func (f Format) FromRat(m Mode, r *big.Rat) Float {
	if r.Sign() == 0 {
		return Float{Class: Zero}
	}
	num := new(big.Int).Abs(r.Num())
	return f.quotient(m, r.Sign() < 0, num, 0, r.Denom(), 0)
}

// FromInt rounds the integer n. Zero becomes +0.
func (f Format) FromInt(m Mode, n *big.Int) Float {
	return f.round(m, n.Sign() < 0, new(big.Int).Abs(n), 0, false)
}

// Convert rounds a number of another format to f.
func (f Format) Convert(m Mode, x Float) Float {
	if x.Class != Finite {
		return x
	}
	return f.round(m, x.Neg, x.Sig, x.Exp, false)
}

// quotient rounds (a * 2^ae) / (b * 2^be) for positive a and b.
func (f Format) quotient(m Mode, neg bool, a *big.Int, ae int64, b *big.Int, be int64) Float {
	scale := max(int64(f.SB+3)+int64(b.BitLen())-int64(a.BitLen()), 0)
	q, r := new(big.Int).QuoRem(new(big.Int).Lsh(a, uint(scale)), b, new(big.Int))
	return f.round(m, neg, q, ae-be-scale, r.Sign() != 0)
}
