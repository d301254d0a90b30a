package eval

import (
	"math/big"

	"github.com/smtpipe/smtpipe/internal/smt/validate/model/bv"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/fp"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/sorts"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/value"
)

func unpack(f fp.Format, v value.Value) fp.Float {
	if v.P != nil {
		return f.Unpack(v.P.(*big.Int))
	}
	neg := v.N>>(f.Width()-1)&1 == 1
	exp := int64(v.N >> (f.SB - 1) & (1<<f.EB - 1))
	frac := v.N & (1<<(f.SB-1) - 1)
	return f.Assemble(neg, exp, new(big.Int).SetUint64(frac))
}

func pack(f fp.Format, x fp.Float) value.Value { return value.Bits(f.Width(), f.Pack(x)) }

func (m *Machine) formatOf(sort sorts.ID) (fp.Format, bool) {
	s := m.Sorts.At(sort)
	return fp.Format{EB: s.N, SB: s.M}, s.Kind == sorts.Float
}

// float computes the functions of the theory FloatingPoint.
func (m *Machine) float(g *term.Graph, n *term.Node, args []value.Value) value.Value {
	kids := g.Kids(n)
	last := len(kids) - 1
	f, ok := m.formatOf(g.Nodes[kids[last]].Sort)
	if !ok {
		return m.toFloat(g, n, args)
	}
	if n.Op == term.FpFromFp {
		to, _ := m.formatOf(n.Sort)
		return pack(to, to.Convert(fp.Mode(args[0].N), unpack(f, args[1])))
	}
	var mode fp.Mode
	if g.Nodes[kids[0]].Sort == sorts.RoundingModeID {
		mode = fp.Mode(args[0].N)
		args = args[1:]
	}
	x := make([]fp.Float, len(args))
	for i, a := range args {
		x[i] = unpack(f, a)
	}
	switch n.Op {
	case term.FpCompare:
		return value.Bool(chain(n.A, x))
	case term.FpIs:
		return value.Bool(is(f, n.A, x[0]))
	case term.FpToUbv, term.FpToSbv:
		return m.floatToVector(n, mode, x[0])
	case term.FpToReal:
		return m.floatToReal(n, x[0])
	case term.FpToBits:
		return args[0]
	case term.FpMin, term.FpMax:
		return minMax(f, n, x[0], x[1])
	}
	return pack(f, floatArith(f, n.Op, mode, x))
}

func floatArith(f fp.Format, op term.Op, mode fp.Mode, x []fp.Float) fp.Float {
	switch op {
	case term.FpAbs:
		return fp.Abs(x[0])
	case term.FpNeg:
		return fp.Neg(x[0])
	case term.FpAdd:
		return f.Add(mode, x[0], x[1])
	case term.FpSub:
		return f.Sub(mode, x[0], x[1])
	case term.FpMul:
		return f.Mul(mode, x[0], x[1])
	case term.FpDiv:
		return f.Div(mode, x[0], x[1])
	case term.FpFma:
		return f.FMA(mode, x[0], x[1], x[2])
	case term.FpSqrt:
		return f.Sqrt(mode, x[0])
	case term.FpRem:
		return f.Rem(x[0], x[1])
	}
	return f.RoundToIntegral(mode, x[0])
}

// toFloat converts bits, integers and reals to a floating-point format.
func (m *Machine) toFloat(g *term.Graph, n *term.Node, args []value.Value) value.Value {
	f, _ := m.formatOf(n.Sort)
	switch n.Op {
	case term.FpFp:
		bits := bv.Concat(args[0].BigBits(), args[1].BigBits(), f.EB)
		return pack(f, f.Unpack(bv.Concat(bits, args[2].BigBits(), f.SB-1)))
	case term.FpFromBits:
		return pack(f, f.Unpack(args[0].BigBits()))
	}
	mode := fp.Mode(args[0].N)
	if n.Op == term.FpFromReal || n.Op == term.FpFromRealExp {
		return m.realToFloat(f, n, mode, args)
	}
	i := args[1].BigBits()
	if n.Op == term.FpFromSigned {
		i = bv.Signed(m.Sorts.At(g.Nodes[g.Kids(n)[1]].Sort).N, i)
	}
	return pack(f, f.FromInt(mode, i))
}

func (m *Machine) realToFloat(f fp.Format, n *term.Node, mode fp.Mode, args []value.Value) value.Value {
	if !rational(args[1]) {
		return unknownf("an irrational number is not rounded to floating point")
	}
	r := args[1].BigRat()
	if n.Op == term.FpFromRealExp {
		e := args[2]
		if e.P != nil || int64(e.N) > maxPower || int64(e.N) < -maxPower {
			return unknownf("the exponent %s is too large", e.Short())
		}
		scale := new(big.Int).Lsh(big.NewInt(1), uint(max(int64(e.N), -int64(e.N))))
		factor := new(big.Rat).SetInt(scale)
		if int64(e.N) < 0 {
			factor.Inv(factor)
		}
		r = new(big.Rat).Mul(r, factor)
	}
	return pack(f, f.FromRat(mode, r))
}

func chain(op int32, x []fp.Float) bool {
	for i := 1; i < len(x); i++ {
		c, ok := fp.Compare(x[i-1], x[i])
		holds := false
		switch op {
		case term.FpLe:
			holds = c <= 0
		case term.FpLt:
			holds = c < 0
		case term.FpGe:
			holds = c >= 0
		case term.FpGt:
			holds = c > 0
		case term.FpEqual:
			holds = c == 0
		}
		if !ok || !holds {
			return false
		}
	}
	return true
}

func is(f fp.Format, class int32, x fp.Float) bool {
	switch class {
	case term.FpNormal:
		return x.Class == fp.Finite && !f.Subnormal(x)
	case term.FpSubnormal:
		return f.Subnormal(x)
	case term.FpZero:
		return x.Class == fp.Zero
	case term.FpInfinite:
		return x.Class == fp.Inf
	case term.FpNaN:
		return x.Class == fp.NaN
	case term.FpNegative:
		return x.Class != fp.NaN && x.Neg
	}
	return x.Class != fp.NaN && !x.Neg
}

func (m *Machine) floatToVector(n *term.Node, mode fp.Mode, x fp.Float) value.Value {
	w := m.Sorts.At(n.Sort).N
	convert := fp.ToUnsigned
	if n.Op == term.FpToSbv {
		convert = fp.ToSigned
	}
	i, ok := convert(mode, x, w)
	if !ok {
		return open("a floating-point number is converted to a bit-vector of width %d that it does not fit", w)
	}
	return value.Bits(w, bv.Norm(w, new(big.Int).Set(i)))
}

func (m *Machine) floatToReal(n *term.Node, x fp.Float) value.Value {
	r, ok, err := x.Rat()
	switch {
	case err != nil:
		return unknownf("%v", err)
	case !ok:
		return open("NaN or an infinity is converted to a real number")
	}
	return value.Rat(r)
}

func minMax(f fp.Format, n *term.Node, x, y fp.Float) value.Value {
	pick := fp.Min
	if n.Op == term.FpMax {
		pick = fp.Max
	}
	r, free := pick(x, y)
	if !free {
		return pack(f, r)
	}
	return open("fp.min or fp.max of two zeros of different signs may be either")
}
