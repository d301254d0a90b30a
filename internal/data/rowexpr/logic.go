package rowexpr

import (
	"math"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/data/table"
)

func (c *compiler) binary(n *node) closure {
	switch n.name {
	case "&&", "||":
		return c.logic(n)
	case "==", "!=":
		return c.equality(n)
	case "<", "<=", ">", ">=":
		return c.comparison(n)
	}
	return c.arithmetic(n)
}

// logic follows HCL: if either side determines the result, an error on the other side does not matter.
func (c *compiler) logic(n *node) closure {
	if n.args[0].typ != cty.Bool || n.args[1].typ != cty.Bool {
		return nil
	}
	args := c.all(n.args)
	if args == nil {
		return nil
	}
	slot, decisive := c.slot(), n.name == "||"
	return func(ev *evaluation) *vec {
		b, x, y := &ev.bufs[slot], args[0](ev), args[1](ev)
		out := grow(&b.bools, ev.n)
		if decisive {
			for i := range out {
				out[i] = x.bools[i] || y.bools[i]
			}
		} else {
			for i := range out {
				out[i] = x.bools[i] && y.bools[i]
			}
		}
		b.out = vec{kind: table.Bool, bools: out}
		if x.doubt == nil && y.doubt == nil && x.null == nil && y.null == nil {
			return &b.out
		}
		doubt := grow(&b.doubt, ev.n)
		for i := range doubt {
			xd, yd := x.unsure(i), y.unsure(i)
			decided := (!xd && x.bools[i] == decisive) || (!yd && y.bools[i] == decisive)
			doubt[i] = (xd || yd) && !decided
			if decided {
				out[i] = decisive
			}
		}
		b.out.doubt = doubt
		return &b.out
	}
}

// unsure reports whether the row is null or doubtful.
func (v *vec) unsure(i int) bool {
	return (v.null != nil && v.null[i]) || (v.doubt != nil && v.doubt[i])
}

// comparison compiles < <= > >= for numbers.
func (c *compiler) comparison(n *node) closure {
	if n.args[0].typ != cty.Number || n.args[1].typ != cty.Number {
		return nil
	}
	args := c.all(n.args)
	if args == nil {
		return nil
	}
	slot := c.slot()
	// x > y is y < x, and x >= y is !(x < y).
	swap := n.name == ">" || n.name == "<="
	negated := n.name == ">=" || n.name == "<="
	return func(ev *evaluation) *vec {
		b, x, y := &ev.bufs[slot], args[0](ev), args[1](ev)
		if swap {
			x, y = y, x
		}
		out := grow(&b.bools, ev.n)
		b.out = vec{kind: table.Bool, bools: out, doubt: merge(&b.doubt, ev.n, x.null, y.null, x.doubt, y.doubt)}
		if x.kind == table.Int && y.kind == table.Int {
			for i, l := range x.ints {
				out[i] = (l < y.ints[i]) != negated
			}
			return &b.out
		}
		xf, xe := floatsOf(x, &b.tmp[0], &b.etmp[0], ev.n)
		yf, ye := floatsOf(y, &b.tmp[1], &b.etmp[1], ev.n)
		for i, l := range xf {
			out[i] = (l < yf[i]) != negated
		}
		if xe != nil || ye != nil {
			for i, l := range xf {
				if near(l, at(xe, i), yf[i], at(ye, i)) {
					b.out.doubt = doubtful(b, b.out.doubt, i, ev.n)
				}
			}
		}
		return &b.out
	}
}

// near reports whether two rounded numbers may have been equal or in a different order before rounding.
func near(x, xe, y, ye float64) bool {
	e := xe + ye
	return e != 0 && !(math.Abs(x-y) > widened(e))
}

// equality compiles == and != for two values of the same type, and for any value and null.
func (c *compiler) equality(n *node) closure {
	negated := n.name == "!="
	l, r := n.args[0], n.args[1]
	if isNull(l) {
		l, r = r, l
	}
	if isNull(r) {
		return c.nullTest(l, negated)
	}
	if !l.typ.Equals(r.typ) || l.typ.IsListType() || !columnType(l.typ) {
		return nil
	}
	args := c.all([]*node{l, r})
	if args == nil {
		return nil
	}
	slot := c.slot()
	return func(ev *evaluation) *vec {
		b, x, y := &ev.bufs[slot], args[0](ev), args[1](ev)
		out := grow(&b.bools, ev.n)
		b.out = vec{kind: table.Bool, bools: out, doubt: merge(&b.doubt, ev.n, x.doubt, y.doubt)}
		equal(ev, b, out, x, y)
		if x.null != nil || y.null != nil {
			for i := range out {
				xn, yn := x.null != nil && x.null[i], y.null != nil && y.null[i]
				if xn || yn {
					out[i] = xn && yn
				}
			}
		}
		if negated {
			for i := range out {
				out[i] = !out[i]
			}
		}
		return &b.out
	}
}

func equal(ev *evaluation, b *buffers, out []bool, x, y *vec) {
	switch {
	case x.kind == table.Bool:
		for i := range out {
			out[i] = x.bools[i] == y.bools[i]
		}
	case x.kind == table.String:
		for i := range out {
			out[i] = x.strings[i] == y.strings[i]
		}
	case x.kind == table.Int && y.kind == table.Int:
		for i := range out {
			out[i] = x.ints[i] == y.ints[i]
		}
	default:
		xf, xe := floatsOf(x, &b.tmp[0], &b.etmp[0], ev.n)
		yf, ye := floatsOf(y, &b.tmp[1], &b.etmp[1], ev.n)
		for i := range out {
			out[i] = xf[i] == yf[i]
			if (xe != nil || ye != nil) && near(xf[i], at(xe, i), yf[i], at(ye, i)) {
				b.out.doubt = doubtful(b, b.out.doubt, i, ev.n)
			}
		}
	}
}

func isNull(n *node) bool { return n.op == opConst && n.val.IsKnown() && n.val.IsNull() }

// nullTest compiles x == null. A row variable is never null.
func (c *compiler) nullTest(n *node, negated bool) closure {
	if n.op == opRow {
		return c.constant(cty.BoolVal(negated))
	}
	if !columnType(n.typ) {
		return nil
	}
	arg := c.node(n)
	if arg == nil {
		return nil
	}
	slot := c.slot()
	return func(ev *evaluation) *vec {
		b, a := &ev.bufs[slot], arg(ev)
		out := grow(&b.bools, ev.n)
		for i := range out {
			out[i] = (a.null != nil && a.null[i]) != negated
		}
		b.out = vec{kind: table.Bool, bools: out, doubt: a.doubt}
		return &b.out
	}
}
