package eval

import (
	"math/big"

	"github.com/smtpipe/smtpipe/internal/smt/validate/model/bv"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/sorts"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/value"
)

// vector computes the functions on bit-vectors.
func (m *Machine) vector(g *term.Graph, n *term.Node, args []value.Value) value.Value {
	switch n.Op {
	case term.BvBin:
		r := args[0].BigBits()
		for _, a := range args[1:] {
			r = bv.Wide(bv.Op(n.A), int(n.B), r, a.BigBits())
		}
		return value.Bits(int(n.B), r)
	case term.BvPred:
		a, b, p := args[0], args[1], n.A
		if p < 0 {
			a, b, p = b, a, -1-p
		}
		if a.P == nil && b.P == nil && n.B <= 64 {
			return value.Bool(bv.SmallPred(bv.Pred(p), int(n.B), a.N, b.N))
		}
		return value.Bool(bv.WidePred(bv.Pred(p), int(n.B), a.BigBits(), b.BigBits()))
	case term.BvComp:
		return value.Bool(value.Equal(args[0], args[1]))
	case term.BvConcat:
		return m.concat(g, n, args)
	case term.IntToBv:
		w := m.Sorts.At(n.Sort).N
		return value.Bits(w, bv.Norm(w, new(big.Int).Set(args[0].BigInt())))
	}
	w := m.Sorts.At(g.Nodes[g.Kids(n)[0]].Sort).N
	if w <= 64 {
		if v, ok := m.smallUnary(n, w, args[0].N); ok {
			return v
		}
	}
	return m.wideUnary(n, w, args[0].BigBits())
}

func (m *Machine) concat(g *term.Graph, n *term.Node, args []value.Value) value.Value {
	total := m.Sorts.At(n.Sort).N
	if total <= 64 {
		var r uint64
		for i, k := range g.Kids(n) {
			r = r<<m.Sorts.At(g.Nodes[k].Sort).N | args[i].N
		}
		return value.Value{N: r}
	}
	r := new(big.Int)
	for i, k := range g.Kids(n) {
		r = bv.Concat(r, args[i].BigBits(), m.Sorts.At(g.Nodes[k].Sort).N)
	}
	return value.Bits(total, r)
}

// smallUnary computes functions of one vector whose argument and result have at most 64 bits.
func (m *Machine) smallUnary(n *term.Node, w int, a uint64) (value.Value, bool) {
	switch n.Op {
	case term.BvNot:
		return value.Value{N: bv.SmallNot(w, a)}, true
	case term.BvNeg:
		return value.Value{N: bv.SmallNeg(w, a)}, true
	case term.BvExtract:
		return value.Value{N: bv.Truncate(int(n.A-n.B)+1, a>>n.B)}, true
	case term.BvZeroExtend:
		return value.Value{N: a}, w+int(n.A) <= 64
	case term.BvSignExtend:
		total := w + int(n.A)
		if total > 64 {
			return value.Value{}, false
		}
		return value.Value{N: bv.Truncate(total, uint64(bv.SmallSigned(w, a)))}, true
	case term.BvRotate:
		by := bv.Truncate(w, uint64(n.A))
		return value.Value{N: bv.Small(bv.RotateLeft, w, a, by)}, uint64(n.A) == by
	case term.BvToInt:
		return value.Int64(bv.SmallSigned(w, a)), true
	}
	return value.Value{}, false
}

func (m *Machine) wideUnary(n *term.Node, w int, a *big.Int) value.Value {
	result := m.Sorts.At(n.Sort)
	var r *big.Int
	switch n.Op {
	case term.BvNot:
		r = bv.WideNot(w, a)
	case term.BvNeg:
		r = bv.WideNeg(w, a)
	case term.BvNego:
		return value.Bool(bv.MinSigned(w, a))
	case term.BvRedOr:
		return value.Bool(a.Sign() != 0)
	case term.BvRedAnd:
		return value.Bool(bv.WideNot(w, a).Sign() == 0)
	case term.BvExtract:
		r = bv.Extract(int(n.A), int(n.B), a)
	case term.BvZeroExtend:
		r = a
	case term.BvSignExtend:
		r = bv.SignExtend(w, int(n.A), a)
	case term.BvRotate:
		r = bv.Wide(bv.RotateLeft, w, a, big.NewInt(int64(n.A)))
	case term.BvRepeat:
		r = bv.Repeat(w, int(n.A), a)
	case term.BvToNat:
		return value.Int(a)
	case term.BvToInt:
		return value.Int(bv.Signed(w, a))
	default:
		return unknownf("the operator %d is not supported", n.Op)
	}
	if result.Kind != sorts.BitVec {
		return value.Int(r)
	}
	return value.Bits(result.N, r)
}
