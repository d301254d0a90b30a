package typing

import (
	"strconv"
	"sync"

	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/bv"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/decimal"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/sorts"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/str"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/value"
)

// operator is a theory function. sig checks an application and returns its node, in which op replaces a zero Op.
type operator struct {
	name    string
	indices int // number of indices
	op      term.Op
	a, b    int32 // A and B of the node
	sig     func(u *use) (term.Node, error)
	alt     *operator // function of the same name with a different number of indices
}

// theory maps names to operators.
var theory = sync.OnceValue(func() map[string]*operator {
	m := map[string]*operator{}
	for _, list := range [][]operator{coreOps, arithOps, arrayOps, bvOps, fpOps, strOps, seqOps} {
		for _, o := range list {
			if old := m[o.name]; old != nil {
				old.alt = &o
			} else {
				m[o.name] = &o
			}
		}
	}
	return m
})

// wrong returns an error for arguments that do not fit.
func (u *use) wrong(want string) (term.Node, error) {
	return term.Node{}, errorf(u.t.Pos, "%s takes %s, not (%s)", u.name, want, u.c.sortsText(u.args))
}

// argument returns an error for argument i, whose sort does not fit.
func (u *use) argument(i int, want sorts.ID) (term.Node, error) {
	return term.Node{}, u.c.argumentError(u.t, u.name, i, want)
}

// argumentError returns an error for argument i of a term, at that argument's position.
func (c *Checker) argumentError(t *smtlib.Term, name string, i int, want sorts.ID) *Error {
	pos := c.script.Term(c.script.Kids(t)[i]).Pos
	return errorf(pos, "argument %d of %s has sort %s, not %s", i+1, name, c.Sorts.String(c.args[i]),
		c.Sorts.String(want))
}

// firstMismatch returns the index of the first argument with the wrong sort, or -1.
func (u *use) firstMismatch(params ...sorts.ID) int {
	for i, p := range params {
		if !u.c.Fits(p, u.args[i]) {
			return i
		}
	}
	return -1
}

// fixed returns a signature with fixed sorts.
func fixed(result sorts.ID, params ...sorts.ID) func(u *use) (term.Node, error) {
	return func(u *use) (term.Node, error) {
		if len(u.args) != len(params) {
			return u.wrong("(" + u.c.sortsText(params) + ")")
		}
		if i := u.firstMismatch(params...); i >= 0 {
			return u.argument(i, params[i])
		}
		return term.Node{Sort: result, A: u.op.a, B: u.op.b}, nil
	}
}

// fit reports whether the arguments have the given sorts.
func (u *use) fit(params ...sorts.ID) bool {
	return len(u.args) == len(params) && u.firstMismatch(params...) < 0
}

// all reports whether there are at least n arguments and all have the given sort.
func (u *use) all(n int, sort sorts.ID) bool {
	for _, a := range u.args {
		if !u.c.Fits(sort, a) {
			return false
		}
	}
	return len(u.args) >= n
}

// many returns a signature for n or more arguments of the same sort.
func many(n int, param, result sorts.ID) func(u *use) (term.Node, error) {
	return func(u *use) (term.Node, error) {
		for i, a := range u.args {
			if !u.c.Fits(param, a) {
				return u.argument(i, param)
			}
		}
		if len(u.args) < n {
			return u.wrong(strconv.Itoa(n) + " or more arguments of sort " + u.c.Sorts.String(param))
		}
		return term.Node{Sort: result}, nil
	}
}

var coreOps = []operator{
	{name: "true", sig: boolConst(true)},
	{name: "false", sig: boolConst(false)},
	{name: "not", op: term.Not, sig: fixed(sorts.BoolID, sorts.BoolID)},
	{name: "and", op: term.And, sig: many(1, sorts.BoolID, sorts.BoolID)},
	{name: "or", op: term.Or, sig: many(1, sorts.BoolID, sorts.BoolID)},
	{name: "xor", op: term.Xor, sig: many(2, sorts.BoolID, sorts.BoolID)},
	{name: "=>", op: term.Implies, sig: many(2, sorts.BoolID, sorts.BoolID)},
	{name: "=", op: term.Eq, sig: sigEqual},
	{name: "distinct", op: term.Distinct, sig: sigEqual},
	{name: "ite", op: term.Ite, sig: sigIte},
}

func boolConst(b bool) func(u *use) (term.Node, error) {
	return func(u *use) (term.Node, error) {
		if len(u.args) > 0 {
			return u.wrong("no arguments")
		}
		return u.c.constant(sorts.BoolID, value.Bool(b))
	}
}

func sigEqual(u *use) (term.Node, error) {
	if len(u.args) < 2 {
		return u.wrong("two or more arguments of one sort")
	}
	_, err := u.c.join(u.t.Pos, u.name, u.args...)
	return term.Node{Sort: sorts.BoolID}, err
}

func sigIte(u *use) (term.Node, error) {
	if len(u.args) != 3 || u.args[0] != sorts.BoolID {
		return u.wrong("a Bool and two terms of one sort")
	}
	sort, err := u.c.join(u.t.Pos, "ite", u.args[1], u.args[2])
	return term.Node{Sort: sort}, err
}

var arithOps = []operator{
	{name: "+", op: term.Add, sig: sigArith(1)},
	{name: "*", op: term.Mul, sig: sigArith(1)},
	{name: "-", op: term.Sub, sig: sigMinus},
	{name: "/", op: term.RealDiv, sig: many(2, sorts.RealID, sorts.RealID)},
	{name: "div", op: term.IntDiv, sig: many(2, sorts.IntID, sorts.IntID)},
	{name: "mod", op: term.Mod, sig: fixed(sorts.IntID, sorts.IntID, sorts.IntID)},
	{name: "rem", op: term.Rem, sig: fixed(sorts.IntID, sorts.IntID, sorts.IntID)},
	{name: "abs", op: term.Abs, sig: sigAbs},
	{name: "<=", op: term.Le, sig: many(2, sorts.RealID, sorts.BoolID)},
	{name: "<", op: term.Lt, sig: many(2, sorts.RealID, sorts.BoolID)},
	{name: ">=", op: term.Ge, sig: many(2, sorts.RealID, sorts.BoolID)},
	{name: ">", op: term.Gt, sig: many(2, sorts.RealID, sorts.BoolID)},
	{name: "to_real", op: term.ToReal, sig: fixed(sorts.RealID, sorts.RealID)},
	{name: "to_int", op: term.ToInt, sig: fixed(sorts.IntID, sorts.RealID)},
	{name: "is_int", op: term.IsInt, sig: fixed(sorts.BoolID, sorts.RealID)},
	{name: "divisible", indices: 1, op: term.Divisible, sig: sigDivisible},
	{name: "^", op: term.Pow, sig: sigArith(2)},
	{name: "**", op: term.Pow, sig: sigArith(2)},
	{name: "int.pow2", op: term.Pow2, sig: fixed(sorts.IntID, sorts.IntID)},
	{name: "int.log2", op: term.Log2, sig: fixed(sorts.IntID, sorts.IntID)},
	{name: "iand", indices: 1, op: term.IntAnd, sig: sigIntAnd},
}

func sigArith(n int) func(u *use) (term.Node, error) {
	return func(u *use) (term.Node, error) {
		if !u.all(n, sorts.RealID) {
			return u.wrong("numbers")
		}
		if u.all(n, sorts.IntID) {
			return term.Node{Sort: sorts.IntID}, nil
		}
		return term.Node{Sort: sorts.RealID}, nil
	}
}

func sigMinus(u *use) (term.Node, error) {
	node, err := sigArith(1)(u)
	if len(u.args) == 1 {
		node.Op = term.Neg
	}
	return node, err
}

func sigAbs(u *use) (term.Node, error) {
	if len(u.args) != 1 {
		return u.wrong("one number")
	}
	return sigArith(1)(u)
}

func sigDivisible(u *use) (term.Node, error) {
	if !u.fit(sorts.IntID) || u.idx[0] < 1 || u.idx[0] > 1<<31-1 {
		return u.wrong("an Int, and a positive index")
	}
	return term.Node{Sort: sorts.BoolID, A: int32(u.idx[0])}, nil
}

func sigIntAnd(u *use) (term.Node, error) {
	if !u.fit(sorts.IntID, sorts.IntID) || u.idx[0] < 1 || u.idx[0] > maxWidth {
		return u.wrong("two Ints, and a positive index")
	}
	return term.Node{Sort: sorts.IntID, A: int32(u.idx[0])}, nil
}

var arrayOps = []operator{
	{name: "select", op: term.Select, sig: func(u *use) (term.Node, error) {
		if len(u.args) == 2 {
			if s := u.c.Sorts.At(u.args[0]); s.Kind == sorts.Array && u.c.Fits(s.Args[0], u.args[1]) {
				return term.Node{Sort: s.Args[1]}, nil
			}
		}
		return u.wrong("an array and an index")
	}},
	{name: "store", op: term.Store, sig: func(u *use) (term.Node, error) {
		if len(u.args) == 3 {
			s := u.c.Sorts.At(u.args[0])
			if s.Kind == sorts.Array && u.c.Fits(s.Args[0], u.args[1]) && u.c.Fits(s.Args[1], u.args[2]) {
				return term.Node{Sort: u.args[0]}, nil
			}
		}
		return u.wrong("an array, an index and an element")
	}},
}

// width returns the width of argument i, or 0 if it is not a bit-vector.
func (u *use) width(i int) int {
	if i >= len(u.args) {
		return 0
	}
	if s := u.c.Sorts.At(u.args[i]); s.Kind == sorts.BitVec {
		return s.N
	}
	return 0
}

// sameWidth returns the common width of the arguments, or 0 if they differ or there are fewer than n.
func (u *use) sameWidth(n int) int {
	w := u.width(0)
	if len(u.args) < n || !u.all(n, u.args[0]) {
		return 0
	}
	return w
}

func bvBin(op bv.Op, max int) func(u *use) (term.Node, error) {
	return func(u *use) (term.Node, error) {
		w := u.sameWidth(2)
		if w == 0 || len(u.args) > max {
			return u.wrong("two bit-vectors of one width")
		}
		return term.Node{Op: term.BvBin, Sort: u.args[0], A: int32(op), B: int32(w)}, nil
	}
}

func bvPred(p bv.Pred, swap bool) func(u *use) (term.Node, error) {
	a := int32(p)
	if swap {
		a = -1 - a
	}
	return func(u *use) (term.Node, error) {
		w := u.sameWidth(2)
		if w == 0 || len(u.args) != 2 {
			return u.wrong("two bit-vectors of one width")
		}
		return term.Node{Op: term.BvPred, Sort: sorts.BoolID, A: a, B: int32(w)}, nil
	}
}

// bvUnary returns a signature whose result is a vector of the same width, or has the given sort.
func bvUnary(result sorts.ID) func(u *use) (term.Node, error) {
	return func(u *use) (term.Node, error) {
		if u.width(0) == 0 || len(u.args) != 1 {
			return u.wrong("one bit-vector")
		}
		if result != 0 {
			return term.Node{Sort: result}, nil
		}
		return term.Node{Sort: u.args[0]}, nil
	}
}

// bvResize returns a signature whose result is a vector. Its width depends on the argument's width and the index.
func bvResize(width func(w, n int) int) func(u *use) (term.Node, error) {
	return func(u *use) (term.Node, error) {
		w := u.width(0)
		if w == 0 || len(u.args) != 1 {
			return u.wrong("one bit-vector")
		}
		n := width(w, u.idx[0])
		if n < 1 || n > maxWidth {
			return term.Node{}, errorf(u.t.Pos, "(_ %s %d) of a bit-vector of width %d has no width of 1 to %d", u.name,
				u.idx[0], w, maxWidth)
		}
		return term.Node{Sort: u.c.Sorts.BitVec(n), A: int32(u.idx[0])}, nil
	}
}

func addWidth(w, n int) int { return w + n }

// unlimited marks left-associative functions with any number of arguments.
const unlimited = 1 << 30

var bvOps = []operator{
	{name: "bvand", sig: bvBin(bv.And, unlimited)}, {name: "bvor", sig: bvBin(bv.Or, unlimited)},
	{name: "bvxor", sig: bvBin(bv.Xor, unlimited)},
	{name: "bvnand", sig: bvBin(bv.Nand, 2)}, {name: "bvnor", sig: bvBin(bv.Nor, 2)},
	{name: "bvxnor", sig: bvBin(bv.Xnor, unlimited)},
	{name: "bvadd", sig: bvBin(bv.Add, unlimited)}, {name: "bvmul", sig: bvBin(bv.Mul, unlimited)},
	{name: "bvsub", sig: bvBin(bv.Sub, unlimited)},
	{name: "bvudiv", sig: bvBin(bv.Udiv, 2)}, {name: "bvurem", sig: bvBin(bv.Urem, 2)},
	{name: "bvsdiv", sig: bvBin(bv.Sdiv, 2)},
	{name: "bvsrem", sig: bvBin(bv.Srem, 2)}, {name: "bvsmod", sig: bvBin(bv.Smod, 2)},
	{name: "bvshl", sig: bvBin(bv.Shl, 2)}, {name: "bvlshr", sig: bvBin(bv.Lshr, 2)},
	{name: "bvashr", sig: bvBin(bv.Ashr, 2)},
	{name: "ext_rotate_left", sig: bvBin(bv.RotateLeft, 2)}, {name: "ext_rotate_right", sig: bvBin(bv.RotateRight, 2)},
	{name: "bvult", sig: bvPred(bv.Ult, false)}, {name: "bvule", sig: bvPred(bv.Ule, false)},
	{name: "bvugt", sig: bvPred(bv.Ult, true)}, {name: "bvuge", sig: bvPred(bv.Ule, true)},
	{name: "bvslt", sig: bvPred(bv.Slt, false)}, {name: "bvsle", sig: bvPred(bv.Sle, false)},
	{name: "bvsgt", sig: bvPred(bv.Slt, true)}, {name: "bvsge", sig: bvPred(bv.Sle, true)},
	{name: "bvuaddo", sig: bvPred(bv.Uaddo, false)}, {name: "bvsaddo", sig: bvPred(bv.Saddo, false)},
	{name: "bvusubo", sig: bvPred(bv.Usubo, false)}, {name: "bvssubo", sig: bvPred(bv.Ssubo, false)},
	{name: "bvumulo", sig: bvPred(bv.Umulo, false)}, {name: "bvsmulo", sig: bvPred(bv.Smulo, false)},
	{name: "bvsdivo", sig: bvPred(bv.Sdivo, false)},
	{name: "bvnot", op: term.BvNot, sig: bvUnary(0)}, {name: "bvneg", op: term.BvNeg, sig: bvUnary(0)},
	{name: "bvnego", op: term.BvNego, sig: bvUnary(sorts.BoolID)},
	{name: "bvcomp", op: term.BvComp, sig: func(u *use) (term.Node, error) {
		if u.sameWidth(2) == 0 || len(u.args) != 2 {
			return u.wrong("two bit-vectors of one width")
		}
		return term.Node{Sort: u.c.Sorts.BitVec(1)}, nil
	}},
	{name: "bvredor", op: term.BvRedOr, sig: bvReduce}, {name: "bvredand", op: term.BvRedAnd, sig: bvReduce},
	{name: "concat", op: term.BvConcat, sig: func(u *use) (term.Node, error) {
		total := 0
		for i := range u.args {
			w := u.width(i)
			if w == 0 {
				return u.wrong("bit-vectors")
			}
			total += w
		}
		if len(u.args) < 2 || total > maxWidth {
			return u.wrong("two or more bit-vectors")
		}
		return term.Node{Sort: u.c.Sorts.BitVec(total)}, nil
	}},
	{name: "extract", indices: 2, op: term.BvExtract, sig: func(u *use) (term.Node, error) {
		w := u.width(0)
		if w == 0 || len(u.args) != 1 {
			return u.wrong("one bit-vector")
		}
		hi, lo := u.idx[0], u.idx[1]
		if hi < lo || hi >= w {
			return term.Node{}, errorf(u.t.Pos, "(_ extract %d %d) of a bit-vector of width %d is out of range", hi, lo,
				w)
		}
		return term.Node{Sort: u.c.Sorts.BitVec(hi - lo + 1), A: int32(hi), B: int32(lo)}, nil
	}},
	{name: "zero_extend", indices: 1, op: term.BvZeroExtend, sig: bvResize(addWidth)},
	{name: "sign_extend", indices: 1, op: term.BvSignExtend, sig: bvResize(addWidth)},
	{name: "repeat", indices: 1, op: term.BvRepeat,
		sig: bvResize(func(w, n int) int { return w * min(n, maxWidth+1) })},
	{name: "rotate_left", indices: 1, op: term.BvRotate, sig: bvRotate(1)},
	{name: "rotate_right", indices: 1, op: term.BvRotate, sig: bvRotate(-1)},
	{name: "bv2nat", op: term.BvToNat, sig: bvUnary(sorts.IntID)}, {name: "ubv_to_int", op: term.BvToNat,
		sig: bvUnary(sorts.IntID)},
	{name: "bv2int", op: term.BvToNat, sig: bvUnary(sorts.IntID)}, {name: "sbv_to_int", op: term.BvToInt,
		sig: bvUnary(sorts.IntID)},
	{name: "int2bv", indices: 1, op: term.IntToBv, sig: sigIntToBv}, {name: "nat2bv", indices: 1, op: term.IntToBv,
		sig: sigIntToBv},
	{name: "int_to_bv", indices: 1, op: term.IntToBv, sig: sigIntToBv},
}

func bvReduce(u *use) (term.Node, error) {
	if u.width(0) == 0 || len(u.args) != 1 {
		return u.wrong("one bit-vector")
	}
	return term.Node{Sort: u.c.Sorts.BitVec(1)}, nil
}

func bvRotate(direction int) func(u *use) (term.Node, error) {
	return func(u *use) (term.Node, error) {
		w := u.width(0)
		if w == 0 || len(u.args) != 1 {
			return u.wrong("one bit-vector")
		}
		n := u.idx[0] % w * direction
		return term.Node{Sort: u.args[0], A: int32((n + w) % w)}, nil
	}
}

func sigIntToBv(u *use) (term.Node, error) {
	if !u.fit(sorts.IntID) {
		return u.wrong("an Int")
	}
	if u.idx[0] < 1 || u.idx[0] > maxWidth {
		return term.Node{}, errorf(u.t.Pos, "(_ %s %d) has no width of 1 to %d", u.name, u.idx[0], maxWidth)
	}
	return term.Node{Sort: u.c.Sorts.BitVec(u.idx[0])}, nil
}

// bitVectorLiteral parses (_ bv5 32).
func (c *Checker) bitVectorLiteral(t *smtlib.Term, digits string) (term.Node, error) {
	idx, ok := c.numerals(t.Index())
	n, isNumber := decimal.Int(digits)
	if !ok || !isNumber || idx[0] < 1 || idx[0] > maxWidth || len(c.args) > 0 {
		return term.Node{}, errorf(t.Pos, "(_ bv%s ...) is not a bit-vector", digits)
	}
	if n.BitLen() > idx[0] {
		return term.Node{}, errorf(t.Pos, "%s does not fit a bit-vector of width %d", digits, idx[0])
	}
	return c.constant(c.Sorts.BitVec(idx[0]), value.Bits(idx[0], n))
}

// charLiteral parses (_ char #x41).
func (c *Checker) charLiteral(t *smtlib.Term, index smtlib.Index) (term.Node, error) {
	text := c.script.Name(index.Sym)
	if index.Kind != smtlib.Hex {
		return term.Node{}, errorf(t.Pos, "(_ char ...) needs a hexadecimal constant")
	}
	n, err := strconv.ParseUint(text[2:], 16, 32)
	if err != nil || n > str.MaxChar {
		return term.Node{}, errorf(t.Pos, "%s is not a character; the last one is #x2FFFF", text)
	}
	return c.constant(sorts.StringID, value.Value{P: value.Text{rune(n)}})
}
