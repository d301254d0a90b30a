package typing

import (
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/fp"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/sorts"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/value"
)

// fpSig returns a signature for an optional rounding mode and n numbers of the same format. The result has the same
// format unless another sort is given.
func fpSig(mode bool, n int, result sorts.ID) func(u *use) (term.Node, error) {
	return func(u *use) (term.Node, error) {
		rest := u.args
		if mode && len(rest) > 0 && rest[0] == sorts.RoundingModeID {
			rest = rest[1:]
		} else if mode {
			rest = nil
		}
		ok := len(rest) == n && u.c.Sorts.Kind(rest[0]) == sorts.Float
		for i := 1; ok && i < n; i++ {
			ok = rest[i] == rest[0]
		}
		switch {
		case !ok && mode:
			return u.wrong("a rounding mode and floating-point numbers of one format")
		case !ok:
			return u.wrong("floating-point numbers of one format")
		case result != 0:
			return term.Node{Sort: result, A: u.op.a}, nil
		}
		return term.Node{Sort: rest[0], A: u.op.a}, nil
	}
}

// fpChain checks a comparison of two or more numbers.
func fpChain(u *use) (term.Node, error) {
	if len(u.args) < 2 || !u.all(2, u.args[0]) || u.c.Sorts.Kind(u.args[0]) != sorts.Float {
		return u.wrong("two or more floating-point numbers of one format")
	}
	return term.Node{Sort: sorts.BoolID, A: u.op.a}, nil
}

func roundingMode(m fp.Mode) func(u *use) (term.Node, error) {
	return func(u *use) (term.Node, error) {
		if len(u.args) > 0 {
			return u.wrong("no arguments")
		}
		return u.c.constant(sorts.RoundingModeID, value.Value{N: uint64(m)})
	}
}

// fpSpecial returns the signature of a constant whose format the indices specify.
func fpSpecial(x fp.Float) func(u *use) (term.Node, error) {
	return func(u *use) (term.Node, error) {
		f, err := u.format()
		if err != nil || len(u.args) > 0 {
			return term.Node{}, errorf(u.t.Pos, "(_ %s eb sb) needs two indices greater than 1", u.name)
		}
		return u.c.constant(u.c.Sorts.Float(f.EB, f.SB), value.Bits(f.Width(), f.Pack(x)))
	}
}

func (u *use) format() (fp.Format, error) {
	f := fp.Format{EB: u.idx[0], SB: u.idx[1]}
	return f, f.Check()
}

var fpOps = []operator{
	{name: "RNE", sig: roundingMode(fp.RNE)}, {name: "roundNearestTiesToEven", sig: roundingMode(fp.RNE)},
	{name: "RNA", sig: roundingMode(fp.RNA)}, {name: "roundNearestTiesToAway", sig: roundingMode(fp.RNA)},
	{name: "RTP", sig: roundingMode(fp.RTP)}, {name: "roundTowardPositive", sig: roundingMode(fp.RTP)},
	{name: "RTN", sig: roundingMode(fp.RTN)}, {name: "roundTowardNegative", sig: roundingMode(fp.RTN)},
	{name: "RTZ", sig: roundingMode(fp.RTZ)}, {name: "roundTowardZero", sig: roundingMode(fp.RTZ)},
	{name: "NaN", indices: 2, sig: fpSpecial(fp.Float{})},
	{name: "+oo", indices: 2, sig: fpSpecial(fp.Float{Class: fp.Inf})},
	{name: "-oo", indices: 2, sig: fpSpecial(fp.Float{Class: fp.Inf, Neg: true})},
	{name: "+zero", indices: 2, sig: fpSpecial(fp.Float{Class: fp.Zero})},
	{name: "-zero", indices: 2, sig: fpSpecial(fp.Float{Class: fp.Zero, Neg: true})},
	{name: "fp", op: term.FpFp, sig: sigFp},
	{name: "fp.abs", op: term.FpAbs, sig: fpSig(false, 1, 0)}, {name: "fp.neg", op: term.FpNeg,
		sig: fpSig(false, 1, 0)},
	{name: "fp.add", op: term.FpAdd, sig: fpSig(true, 2, 0)}, {name: "fp.sub", op: term.FpSub, sig: fpSig(true, 2, 0)},
	{name: "fp.mul", op: term.FpMul, sig: fpSig(true, 2, 0)}, {name: "fp.div", op: term.FpDiv, sig: fpSig(true, 2, 0)},
	{name: "fp.fma", op: term.FpFma, sig: fpSig(true, 3, 0)}, {name: "fp.sqrt", op: term.FpSqrt,
		sig: fpSig(true, 1, 0)},
	{name: "fp.rem", op: term.FpRem, sig: fpSig(false, 2, 0)},
	{name: "fp.roundToIntegral", op: term.FpRoundToIntegral, sig: fpSig(true, 1, 0)},
	{name: "fp.min", op: term.FpMin, sig: fpSig(false, 2, 0)}, {name: "fp.max", op: term.FpMax,
		sig: fpSig(false, 2, 0)},
	{name: "fp.leq", op: term.FpCompare, a: term.FpLe, sig: fpChain}, {name: "fp.lt", op: term.FpCompare, a: term.FpLt,
		sig: fpChain},
	{name: "fp.geq", op: term.FpCompare, a: term.FpGe, sig: fpChain}, {name: "fp.gt", op: term.FpCompare, a: term.FpGt,
		sig: fpChain},
	{name: "fp.eq", op: term.FpCompare, a: term.FpEqual, sig: fpChain},
	{name: "fp.isNormal", op: term.FpIs, a: term.FpNormal, sig: fpSig(false, 1, sorts.BoolID)},
	{name: "fp.isSubnormal", op: term.FpIs, a: term.FpSubnormal, sig: fpSig(false, 1, sorts.BoolID)},
	{name: "fp.isZero", op: term.FpIs, a: term.FpZero, sig: fpSig(false, 1, sorts.BoolID)},
	{name: "fp.isInfinite", op: term.FpIs, a: term.FpInfinite, sig: fpSig(false, 1, sorts.BoolID)},
	{name: "fp.isNaN", op: term.FpIs, a: term.FpNaN, sig: fpSig(false, 1, sorts.BoolID)},
	{name: "fp.isNegative", op: term.FpIs, a: term.FpNegative, sig: fpSig(false, 1, sorts.BoolID)},
	{name: "fp.isPositive", op: term.FpIs, a: term.FpPositive, sig: fpSig(false, 1, sorts.BoolID)},
	{name: "fp.to_real", op: term.FpToReal, sig: fpSig(false, 1, sorts.RealID)},
	{name: "fp.to_ubv", indices: 1, op: term.FpToUbv, sig: sigFpToBv}, {name: "fp.to_sbv", indices: 1, op: term.FpToSbv,
		sig: sigFpToBv},
	{name: "to_fp", indices: 2, sig: sigToFp},
	{name: "to_fp_unsigned", indices: 2, op: term.FpFromUnsigned, sig: sigToFpUnsigned},
	{name: "fp.to_ieee_bv", op: term.FpToBits, sig: sigFpToBits}, {name: "to_ieee_bv", op: term.FpToBits,
		sig: sigFpToBits},
}

func sigFp(u *use) (term.Node, error) {
	s, e, m := u.width(0), u.width(1), u.width(2)
	f := fp.Format{EB: e, SB: m + 1}
	if len(u.args) != 3 || s != 1 || e == 0 || m == 0 || f.Check() != nil {
		return u.wrong("a bit, an exponent of at least two bits and a significand of at least one")
	}
	return term.Node{Sort: u.c.Sorts.Float(f.EB, f.SB)}, nil
}

func sigFpToBv(u *use) (term.Node, error) {
	node, err := fpSig(true, 1, sorts.IntID)(u)
	if err == nil && (u.idx[0] < 1 || u.idx[0] > maxWidth) {
		return term.Node{}, errorf(u.t.Pos, "(_ %s %d) needs a positive width", u.name, u.idx[0])
	}
	if err == nil {
		node.Sort = u.c.Sorts.BitVec(u.idx[0])
	}
	return node, err
}

func sigFpToBits(u *use) (term.Node, error) {
	node, err := fpSig(false, 1, sorts.IntID)(u)
	if err == nil {
		s := u.c.Sorts.At(u.args[0])
		node.Sort = u.c.Sorts.BitVec(s.N + s.M)
	}
	return node, err
}

// sigToFp is the signature of the five functions named to_fp, which it distinguishes by their arguments.
func sigToFp(u *use) (term.Node, error) {
	f, err := u.format()
	if err != nil {
		return term.Node{}, errorf(u.t.Pos, "%v", err)
	}
	node := term.Node{Sort: u.c.Sorts.Float(f.EB, f.SB)}
	switch {
	case len(u.args) == 1 && u.width(0) == f.Width():
		node.Op = term.FpFromBits
	case len(u.args) < 2 || u.args[0] != sorts.RoundingModeID:
		return u.wrong("a bit-vector of the format's width, or a rounding mode and a number")
	case len(u.args) == 3 && u.c.Fits(sorts.RealID, u.args[1]) && u.args[2] == sorts.IntID:
		node.Op = term.FpFromRealExp
	case len(u.args) > 2:
		return u.wrong("a rounding mode and a number")
	case u.c.Sorts.Kind(u.args[1]) == sorts.Float:
		node.Op = term.FpFromFp
	case u.c.Fits(sorts.RealID, u.args[1]):
		node.Op = term.FpFromReal
	case u.width(1) > 0:
		node.Op = term.FpFromSigned
	default:
		return u.wrong("a rounding mode and a number")
	}
	return node, nil
}

func sigToFpUnsigned(u *use) (term.Node, error) {
	f, err := u.format()
	if err != nil || len(u.args) != 2 || u.args[0] != sorts.RoundingModeID || u.width(1) == 0 {
		return u.wrong("a rounding mode and a bit-vector")
	}
	return term.Node{Sort: u.c.Sorts.Float(f.EB, f.SB)}, nil
}
