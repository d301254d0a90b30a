package eval

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"github.com/smtpipe/smtpipe/internal/smt/validate/model/algebraic"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/sorts"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/value"
)

func (m *Machine) arith(n *term.Node, args []value.Value) value.Value {
	for i := range args {
		if args[i].P != nil && !rational(args[i]) {
			return m.irrational(n, args)
		}
	}
	switch n.Op {
	case term.Neg:
		return negate(args[0])
	case term.Add, term.Sub, term.Mul:
		r := args[0]
		for _, a := range args[1:] {
			if tooLarge(r, a) {
				return largeNumber()
			}
			r = combine(n.Op, r, a)
		}
		return r
	case term.Le, term.Lt, term.Ge, term.Gt:
		for i := 1; i < len(args); i++ {
			if !ordered(n.Op, compare(args[i-1], args[i])) {
				return value.Bool(false)
			}
		}
		return value.Bool(true)
	case term.RealDiv, term.IntDiv: // for more than two numbers, see divisions
		return divide(n, args[0], args[1])
	case term.Mod, term.Rem:
		return modulo(n, args[0], args[1])
	case term.Abs:
		if sign(args[0]) < 0 {
			return negate(args[0])
		}
		return args[0]
	case term.ToReal:
		return args[0]
	case term.ToInt:
		return floor(args[0])
	case term.IsInt:
		return value.Bool(isInt(args[0]))
	}
	return m.rareArith(n, args)
}

func (m *Machine) rareArith(n *term.Node, args []value.Value) value.Value {
	switch n.Op {
	case term.Divisible:
		return value.Bool(new(big.Int).Rem(args[0].BigInt(), big.NewInt(int64(n.A))).Sign() == 0)
	case term.Pow:
		return m.power(n, args)
	case term.Pow2:
		return m.pow2(args[0])
	case term.Log2:
		if sign(args[0]) <= 0 {
			return value.Int64(0)
		}
		return value.Int64(int64(args[0].BigInt().BitLen() - 1))
	case term.IntAnd:
		mask := new(big.Int).Lsh(big.NewInt(1), uint(n.A))
		mask.Sub(mask, big.NewInt(1))
		mask.And(mask, args[0].BigInt())
		return value.Int(mask.And(mask, args[1].BigInt()))
	}
	return unknownf("the operator %d is not supported", n.Op)
}

// maxPower limits the bits of powers of integers, and exponents.
const maxPower = 1 << 24

func (m *Machine) pow2(e value.Value) value.Value {
	switch {
	case sign(e) < 0:
		return value.Int64(0)
	case e.P != nil || e.N > maxPower:
		return unknownf("2 to the power %s is too large to be computed", e.Short())
	}
	return value.Int(new(big.Int).Lsh(big.NewInt(1), uint(e.N)))
}

// power computes x^y for integer y. SMT-LIB has no such function, but solvers do.
func (m *Machine) power(n *term.Node, args []value.Value) value.Value {
	x, y := args[0], args[1]
	exact := y.P == nil && len(args) == 2 && int64(y.N) >= -maxPower && int64(y.N) <= maxPower
	if !exact || !rational(x) {
		return unknownf("this power is not computed")
	}
	r := x.BigRat()
	e := int64(y.N)
	limit := int64(maxPower)
	if !isInt(x) {
		limit = maxRationalBits
	}
	if int64(max(r.Num().BitLen(), r.Denom().BitLen()))*max(e, -e) > limit {
		return unknownf("a power is too large to be computed")
	}
	num, den := r.Num(), r.Denom()
	if e < 0 {
		if num.Sign() == 0 || n.Sort == sorts.IntID {
			return open("a power with a negative exponent has no value here")
		}
		num, den, e = den, num, -e
	}
	if e == 0 && num.Sign() == 0 {
		return open("0 to the power 0 has no value")
	}
	e2 := big.NewInt(e)
	return value.Rat(new(big.Rat).SetFrac(new(big.Int).Exp(num, e2, nil), new(big.Int).Exp(den, e2, nil)))
}

// tooLarge reports whether a number computed from two numbers may have too many bits. The limit is lower for rational
// numbers, because reducing them by a greatest common divisor takes quadratic time.
func tooLarge(a, b value.Value) bool {
	if a.P == nil || b.P == nil {
		return false
	}
	limit := maxBits
	if !isInt(a) || !isInt(b) {
		limit = maxRationalBits
	}
	return a.Size()+b.Size() > limit/8
}

func largeNumber() value.Value {
	return unknownf("an integer of more than %d bits, or a rational number of more than %d, is not computed", maxBits,
		maxRationalBits)
}

func rational(v value.Value) bool {
	_, no := v.P.(*algebraic.Number)
	return !no
}

// irrational computes an operator on reals if an operand is an algebraic number.
func (m *Machine) irrational(n *term.Node, args []value.Value) value.Value {
	switch n.Op {
	case term.Neg:
		return algebraicOp(term.Sub, value.Int64(0), args[0])
	case term.RealDiv:
		switch c, ok := algebraicCompare(args[1], value.Int64(0)); {
		case !ok:
			return undecided()
		case c == 0:
			return open("division by zero is not defined by the model")
		}
		return algebraicOp(n.Op, args[0], args[1])
	case term.Add, term.Sub, term.Mul:
		r := args[0]
		for _, a := range args[1:] {
			r = algebraicOp(n.Op, r, a)
		}
		return r
	case term.Le, term.Lt, term.Ge, term.Gt:
		for i := 1; i < len(args); i++ {
			c, ok := algebraicCompare(args[i-1], args[i])
			if !ok {
				return undecided()
			}
			if !ordered(n.Op, c) {
				return value.Bool(false)
			}
		}
		return value.Bool(true)
	case term.ToReal:
		return args[0]
	}
	return m.rareIrrational(n, args)
}

func (m *Machine) rareIrrational(n *term.Node, args []value.Value) value.Value {
	switch x := args[0]; n.Op {
	case term.Abs:
		c, ok := algebraicCompare(x, value.Int64(0))
		switch {
		case !ok:
			return undecided()
		case c < 0:
			return algebraicOp(term.Sub, value.Int64(0), x)
		}
		return x
	case term.ToInt, term.IsInt:
		f, ok := x.P.(*algebraic.Number).Floor()
		if !ok {
			return undecided()
		}
		if n.Op == term.ToInt {
			return value.Int(f)
		}
		c, ok := algebraicCompare(x, value.Int(f))
		if !ok {
			return undecided()
		}
		return value.Bool(c == 0)
	case term.Pow:
		const most = 64
		if e := args[1]; len(args) == 2 && e.P == nil && e.N > 0 && e.N <= most {
			r := x
			for range e.N - 1 {
				r = algebraicOp(term.Mul, r, x)
			}
			return r
		}
	}
	return unknownf("this function of an irrational number is not computed")
}

// canonical returns the same representative for all equal numbers, namely the first that occurred, because parts of
// arrays and datatypes are compared by their representations. It changes numbers only if the model contains irrational
// ones.
func (m *Machine) canonical(sort sorts.ID, v value.Value) value.Value {
	if !m.Irrational || sort != sorts.RealID || v.UnknownOf() != nil {
		return v
	}
	var stuck bool
	i, found := slices.BinarySearchFunc(m.reals, v, func(a, b value.Value) int {
		c, ok := algebraicCompare(a, b)
		stuck = stuck || !ok
		return c
	})
	switch {
	case stuck:
		return undecided()
	case found:
		return m.reals[i]
	}
	m.reals = slices.Insert(m.reals, i, v)
	return v
}

func undecided() value.Value {
	return unknownf("a comparison of algebraic numbers needs more precision than is supported")
}

// algebraicOp computes Add, Sub, Mul or RealDiv. It uses rational arithmetic for rational values.
func algebraicOp(op term.Op, a, b value.Value) value.Value {
	x, isA := a.P.(*algebraic.Number)
	y, isB := b.P.(*algebraic.Number)
	switch {
	case isA:
		return x.Binary(op, b, false)
	case isB:
		return y.Binary(op, a, true)
	case op == term.RealDiv:
		return value.Rat(new(big.Rat).Quo(a.BigRat(), b.BigRat()))
	}
	return combine(op, a, b)
}

func algebraicCompare(a, b value.Value) (int, bool) {
	x, isA := a.P.(*algebraic.Number)
	y, isB := b.P.(*algebraic.Number)
	switch {
	case isA:
		return x.Compare(b)
	case isB:
		c, ok := y.Compare(a)
		return -c, ok
	}
	return compare(a, b), true
}

func ordered(op term.Op, c int) bool {
	return op == term.Le && c <= 0 || op == term.Lt && c < 0 || op == term.Ge && c >= 0 || op == term.Gt && c > 0
}

func isInt(v value.Value) bool {
	switch v.P.(type) {
	case nil, *big.Int:
		return true
	}
	return false
}

func sign(v value.Value) int {
	switch p := v.P.(type) {
	case *big.Int:
		return p.Sign()
	case *big.Rat:
		return p.Sign()
	}
	return cmp.Compare(int64(v.N), 0)
}

func negate(v value.Value) value.Value {
	if v.P == nil && v.N != 1<<63 {
		return value.Value{N: -v.N}
	}
	if p, ok := v.P.(*big.Rat); ok {
		return value.Value{P: new(big.Rat).Neg(p)}
	}
	return value.Int(new(big.Int).Neg(v.BigInt()))
}

// combine computes Add, Sub or Mul, in 64 bits if the result fits.
func combine(op term.Op, a, b value.Value) value.Value {
	if a.P == nil && b.P == nil {
		if r, ok := combineSmall(op, int64(a.N), int64(b.N)); ok {
			return value.Int64(r)
		}
	}
	if isInt(a) && isInt(b) {
		r, x, y := new(big.Int), a.BigInt(), b.BigInt()
		switch op {
		case term.Add:
			r.Add(x, y)
		case term.Sub:
			r.Sub(x, y)
		default:
			r.Mul(x, y)
		}
		return value.Int(r)
	}
	r, x, y := new(big.Rat), a.BigRat(), b.BigRat()
	switch op {
	case term.Add:
		r.Add(x, y)
	case term.Sub:
		r.Sub(x, y)
	default:
		r.Mul(x, y)
	}
	return value.Rat(r)
}

func combineSmall(op term.Op, x, y int64) (int64, bool) {
	switch op {
	case term.Add:
		r := x + y
		return r, (r > x) == (y > 0)
	case term.Sub:
		r := x - y
		return r, (r < x) == (y > 0)
	}
	if x == math.MinInt64 || y == math.MinInt64 {
		return 0, false
	}
	hi, lo := bits.Mul64(uint64(max(x, -x)), uint64(max(y, -y)))
	return x * y, hi == 0 && lo < 1<<63
}

func compare(a, b value.Value) int {
	if a.P == nil && b.P == nil {
		return cmp.Compare(int64(a.N), int64(b.N))
	}
	if isInt(a) && isInt(b) {
		return a.BigInt().Cmp(b.BigInt())
	}
	return a.BigRat().Cmp(b.BigRat())
}

// divide computes / or div for one pair of numbers. SMT-LIB's div rounds so that the remainder is at least 0.
func divide(n *term.Node, a, b value.Value) value.Value {
	if sign(b) == 0 {
		return open("division by zero is not defined by the model")
	}
	if n.Op == term.RealDiv {
		if a.Size()+b.Size() > maxRationalBits/8 {
			return largeNumber()
		}
		return value.Rat(new(big.Rat).Quo(a.BigRat(), b.BigRat()))
	}
	q, _ := new(big.Int).DivMod(a.BigInt(), b.BigInt(), new(big.Int)) // Euclidean division, as in SMT-LIB
	return value.Int(q)
}

func modulo(n *term.Node, a, b value.Value) value.Value {
	if sign(b) == 0 {
		return open("the remainder of a division by zero is not defined by the model")
	}
	r := new(big.Int).Mod(a.BigInt(), b.BigInt())
	if n.Op == term.Rem && sign(b) < 0 {
		r.Neg(r)
	}
	return value.Int(r)
}

func floor(v value.Value) value.Value {
	if p, ok := v.P.(*big.Rat); ok {
		q, _ := new(big.Int).DivMod(p.Num(), p.Denom(), new(big.Int))
		return value.Int(q)
	}
	return v
}
