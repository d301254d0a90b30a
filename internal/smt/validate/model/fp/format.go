// Package fp implements exact IEEE 754 binary floating-point arithmetic for every format and rounding mode of the
// SMT-LIB theory FloatingPoint: any number of exponent and significand bits, five rounding modes, and a single NaN.
//
// All operations first compute the exact result and then round it once. Numbers are unpacked (Float); Pack and Unpack
// convert to and from the bit patterns of IEEE 754 interchange formats.
//
// Source: SMT-LIB theory FloatingPoint (version 2017-11-25 and later), IEEE 754-2008, and Brain, Tinelli, Rümmer, Wahl,
// "An Automatable Formal Semantics for IEEE-754 Floating-Point Arithmetic", ARITH 2015.
package fp

import (
	"fmt"
	"math/big"
)

// Format is the sort (_ FloatingPoint EB SB), with EB exponent bits and SB significand bits, including the hidden bit.
type Format struct{ EB, SB int }

// MaxExponentBits is the largest supported EB. Exponents are int64.
const MaxExponentBits = 60

// MaxSignificandBits is the largest supported SB. It keeps the time of an operation below a second.
const MaxSignificandBits = 1 << 18

// Check returns an error if the package does not support the format. SMT-LIB requires EB and SB to be greater than one.
func (f Format) Check() error {
	switch {
	case f.EB < 2 || f.SB < 2:
		return fmt.Errorf("(_ FloatingPoint %d %d) is not a sort; both numbers must be greater than 1", f.EB, f.SB)
	case f.EB > MaxExponentBits:
		return fmt.Errorf("(_ FloatingPoint %d %d) has more than %d exponent bits, which is not supported", f.EB, f.SB,
			MaxExponentBits)
	case f.SB > MaxSignificandBits:
		return fmt.Errorf("(_ FloatingPoint %d %d) has more than %d significand bits, which is not supported", f.EB,
			f.SB, MaxSignificandBits)
	}
	return nil
}

// Width returns the number of bits in the packed form.
func (f Format) Width() int { return f.EB + f.SB }

func (f Format) bias() int64 { return int64(1)<<(f.EB-1) - 1 }
func (f Format) emax() int64 { return f.bias() }
func (f Format) emin() int64 { return 1 - f.bias() }

// Mode is a rounding mode.
type Mode uint8

func (m Mode) String() string { return [...]string{"RNE", "RNA", "RTP", "RTN", "RTZ"}[m] }

// The rounding modes of SMT-LIB, in the theory's order.
const (
	RNE Mode = iota // nearest, ties to even
	RNA             // nearest, ties away from zero
	RTP             // toward positive
	RTN             // toward negative
	RTZ             // toward zero
)

// Class distinguishes kinds of numbers. The zero Class is NaN.
type Class uint8

// The classes. Zero is not in the class Finite.
const (
	NaN Class = iota
	Inf
	Zero
	Finite
)

// Float is an unpacked number. A finite number is (-1)^Neg * Sig * 2^Exp with Sig > 0. Several pairs (Sig, Exp) may
// represent the same number. Sig is never modified after construction.
type Float struct {
	Class Class
	Neg   bool
	Exp   int64
	Sig   *big.Int
}

var one = big.NewInt(1)

// Unpack decodes an IEEE 754 bit pattern. Only the low Width bits of bits may be set.
func (f Format) Unpack(bits *big.Int) Float {
	sigBits := uint(f.SB - 1)
	frac := new(big.Int).And(bits, mask(sigBits))
	rest := new(big.Int).Rsh(bits, sigBits)
	exp := new(big.Int).And(rest, mask(uint(f.EB))).Int64()
	neg := bits.Bit(f.Width()-1) == 1
	return f.Assemble(neg, exp, frac)
}

// Assemble returns the number with the given fields of its bit pattern: sign, biased exponent and trailing significand.
func (f Format) Assemble(neg bool, biased int64, frac *big.Int) Float {
	top := int64(1)<<f.EB - 1
	switch {
	case biased == top && frac.Sign() != 0:
		return Float{Class: NaN}
	case biased == top:
		return Float{Class: Inf, Neg: neg}
	case biased == 0 && frac.Sign() == 0:
		return Float{Class: Zero, Neg: neg}
	case biased == 0:
		return Float{Class: Finite, Neg: neg, Exp: f.emin() - int64(f.SB-1), Sig: frac}
	}
	sig := new(big.Int).SetBit(frac, f.SB-1, 1)
	return Float{Class: Finite, Neg: neg, Exp: biased - f.bias() - int64(f.SB-1), Sig: sig}
}

// Pack returns the bit pattern of x, which must be representable in f (as every result of this package is). The pattern
// of NaN has a positive sign, and of the trailing significand only the highest bit is set.
func (f Format) Pack(x Float) *big.Int {
	bits := new(big.Int)
	top := int64(1)<<f.EB - 1
	switch x.Class {
	case NaN:
		bits.SetInt64(top)
		bits.Lsh(bits, uint(f.SB-1))
		return bits.SetBit(bits, f.SB-2, 1)
	case Inf:
		bits.SetInt64(top)
		bits.Lsh(bits, uint(f.SB-1))
	case Finite:
		f.packFinite(bits, x)
	}
	if x.Neg {
		bits.SetBit(bits, f.Width()-1, 1)
	}
	return bits
}

func (f Format) packFinite(bits *big.Int, x Float) {
	e := int64(x.Sig.BitLen()) - 1 + x.Exp
	lsb := max(e, f.emin()) - int64(f.SB-1)
	sig := shift(x.Sig, x.Exp-lsb)
	if e < f.emin() {
		bits.Set(sig)
		return
	}
	bits.SetInt64(e + f.bias())
	bits.Lsh(bits, uint(f.SB-1))
	bits.Or(bits, new(big.Int).And(sig, mask(uint(f.SB-1))))
}

// shift multiplies by 2^n. For negative n, it rounds down.
func shift(x *big.Int, n int64) *big.Int {
	if n >= 0 {
		return new(big.Int).Lsh(x, uint(n))
	}
	return new(big.Int).Rsh(x, uint(-n))
}

func mask(n uint) *big.Int {
	m := new(big.Int).Lsh(one, n)
	return m.Sub(m, one)
}

// Subnormal reports whether the finite x is smaller in magnitude than every normal number of f.
func (f Format) Subnormal(x Float) bool {
	return x.Class == Finite && int64(x.Sig.BitLen())-1+x.Exp < f.emin()
}
