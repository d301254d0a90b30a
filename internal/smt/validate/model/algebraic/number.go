// Package algebraic implements exact arithmetic on real algebraic numbers, which occur in models of non-linear real
// arithmetic. It never decides by approximation.
//
// A Number is an expression over rational numbers and roots of polynomials. Its sign is computed with intervals of
// increasing precision. A Number whose magnitude is below the separation bound is zero, because nonzero expressions
// are never that small.
//
// Source: Burnikel, Funke, Mehlhorn, Schirra, Schmitt, "A Separation Bound for Real Algebraic Expressions",
// Algorithmica 2009 (the bound is (u^(D-1) l)^-1, u and l bounding the conjugates of numerator and denominator, which
// are algebraic integers). Roots are isolated by Sturm's theorem.
package algebraic

import (
	"encoding/binary"
	"maps"
	"math/big"
	"sync/atomic"

	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/value"
)

// Number is a real number. A rational value may also be a Number if it was computed from irrational ones.
type Number struct {
	id     uint64
	op     term.Op // Const for a rational number, Param for a root, otherwise Add, Sub, Mul or RealDiv
	rat    *big.Rat
	root   *root
	a, b   *Number
	u, l   float64            // logarithms to base 2, rounded up; see the package comment
	leaves map[*root]struct{} // roots in the expression; their degrees multiply to the degree of the field

	at     int // precision of lo and hi
	lo, hi *big.Int
}

var ids atomic.Uint64

// maxBits limits the precision of intervals. An expression whose bound requires more is left undecided.
const maxBits = 1 << 18

// maxWork limits the product of the precision and the highest degree of a root, because refining the root computes with
// numbers of that size.
const maxWork = 1 << 20

// precision returns the highest precision to try for n.
func (n *Number) precision() int {
	most := maxBits
	for leaf := range n.leaves {
		most = min(most, maxWork/leaf.p.degree())
	}
	return max(most, 64)
}

// maxLeaves limits the number of different roots in an expression.
const maxLeaves = 12

func rational(r *big.Rat) *Number {
	n := &Number{id: ids.Add(1), op: term.Const, rat: r}
	n.u, n.l = float64(r.Num().BitLen()), float64(r.Denom().BitLen())
	return n
}

func ofRoot(r *root) *Number {
	top := new(big.Int).Abs(r.p[len(r.p)-1].Num())
	n := &Number{id: ids.Add(1), op: term.Param, root: r, leaves: map[*root]struct{}{r: {}}}
	b := r.p.bound()
	n.l = float64(top.BitLen())
	n.u = n.l + float64(b.Num().BitLen()-b.Denom().BitLen()+1)
	return n
}

func of(v value.Value) *Number {
	if n, ok := v.P.(*Number); ok {
		return n
	}
	return rational(v.BigRat())
}

// Binary computes Add, Sub, Mul or RealDiv of n and other, or of other and n if reversed is set. A divisor must be
// nonzero.
func (n *Number) Binary(op term.Op, other value.Value, reversed bool) value.Value {
	a, b := n, of(other)
	if reversed {
		a, b = b, a
	}
	r := &Number{id: ids.Add(1), op: op, a: a, b: b, leaves: map[*root]struct{}{}}
	for _, x := range []*Number{a, b} {
		maps.Copy(r.leaves, x.leaves)
	}
	switch op {
	case term.Mul:
		r.u, r.l = a.u+b.u, a.l+b.l
	case term.RealDiv:
		r.u, r.l = a.u+b.l, a.l+b.u
	default:
		r.u, r.l = max(a.u+b.l, a.l+b.u)+1, a.l+b.l
	}
	return value.Value{P: r}
}

// AppendKey appends a key of the expression. Equal numbers may have different keys.
func (n *Number) AppendKey(b []byte) []byte { return binary.LittleEndian.AppendUint64(b, n.id) }

// interval returns bounds such that lo <= n*2^k <= hi. ok is false if a divisor's interval contains zero at this
// precision.
func (n *Number) interval(k int) (lo, hi *big.Int, ok bool) {
	if n.lo != nil && n.at == k {
		return n.lo, n.hi, true
	}
	switch n.op {
	case term.Const:
		lo = floorScaled(n.rat, k)
		hi = new(big.Int).Add(lo, big.NewInt(1))
	case term.Param:
		n.root.refine(k)
		lo = floorScaled(n.root.lo, k)
		hi = new(big.Int).Add(floorScaled(n.root.hi, k), big.NewInt(1))
	default:
		if lo, hi, ok = n.combined(k); !ok {
			return nil, nil, false
		}
	}
	n.at, n.lo, n.hi = k, lo, hi
	return lo, hi, true
}

func (n *Number) combined(k int) (lo, hi *big.Int, ok bool) {
	alo, ahi, ok1 := n.a.interval(k)
	blo, bhi, ok2 := n.b.interval(k)
	if !ok1 || !ok2 {
		return nil, nil, false
	}
	switch n.op {
	case term.Add:
		return new(big.Int).Add(alo, blo), new(big.Int).Add(ahi, bhi), true
	case term.Sub:
		return new(big.Int).Sub(alo, bhi), new(big.Int).Sub(ahi, blo), true
	}
	if n.op == term.RealDiv && blo.Sign()*bhi.Sign() <= 0 {
		return nil, nil, false
	}
	for _, x := range []*big.Int{alo, ahi} {
		for _, y := range []*big.Int{blo, bhi} {
			low := new(big.Int)
			if n.op == term.Mul {
				low.Rsh(low.Mul(x, y), uint(k)) // Rsh rounds down
			} else {
				low = floorDiv(new(big.Int).Lsh(x, uint(k)), y)
			}
			high := new(big.Int).Add(low, big.NewInt(1))
			if lo == nil || low.Cmp(lo) < 0 {
				lo = low
			}
			if hi == nil || high.Cmp(hi) > 0 {
				hi = high
			}
		}
	}
	return lo, hi, true
}

func floorDiv(x, y *big.Int) *big.Int {
	q, r := new(big.Int).QuoRem(x, y, new(big.Int))
	if r.Sign() != 0 && r.Sign() != y.Sign() {
		q.Sub(q, big.NewInt(1))
	}
	return q
}

// Sign returns whether n is negative, zero or positive. ok is false if deciding that would require too much precision.
func (n *Number) Sign() (sign int, ok bool) {
	degree := 1.0
	for leaf := range n.leaves {
		degree *= float64(leaf.p.degree())
	}
	if len(n.leaves) > maxLeaves {
		degree = maxBits
	}
	zeroBits := (degree-1)*n.u + n.l + 1 // |n| < 2^-zeroBits only if n = 0
	for k, most := 64, n.precision(); k <= most; k *= 2 {
		lo, hi, done := n.interval(k)
		switch {
		case !done:
			continue
		case lo.Sign() > 0:
			return 1, true
		case hi.Sign() < 0:
			return -1, true
		}
		size := max(lo.BitLen(), hi.BitLen()) // |n| < 2^(size-k)
		if float64(k-size) > zeroBits {
			return 0, true
		}
	}
	return 0, false
}

// Compare compares n with other.
func (n *Number) Compare(other value.Value) (int, bool) {
	return of(n.Binary(term.Sub, other, false)).Sign()
}

// Floor returns the largest integer that is at most n.
func (n *Number) Floor() (*big.Int, bool) {
	for k, most := 64, n.precision(); k <= most; k *= 2 {
		lo, hi, ok := n.interval(k)
		if !ok {
			continue
		}
		low, high := new(big.Int).Rsh(lo, uint(k)), new(big.Int).Rsh(hi, uint(k))
		if low.Cmp(high) == 0 {
			return low, true
		}
		if d := new(big.Int).Sub(high, low); d.Cmp(big.NewInt(1)) == 0 { // high is the only other candidate
			c, ok := n.Compare(value.Int(high))
			if c >= 0 {
				return high, ok
			}
			return low, ok
		}
	}
	return nil, false
}
