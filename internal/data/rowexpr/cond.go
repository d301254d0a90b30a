package rowexpr

import (
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/data/table"
)

// cond compiles c ? x : y, where x and y have the same type or one of them is null.
func (c *compiler) cond(n *node) closure {
	test, yes, no := n.args[0], n.args[1], n.args[2]
	if test.typ != cty.Bool {
		return nil
	}
	typ := yes.typ
	if isNull(yes) {
		typ = no.typ
	}
	if !columnType(typ) || (!isNull(no) && !no.typ.Equals(typ)) || isNull(yes) && isNull(no) {
		return nil
	}
	run, x, y := c.node(test), c.branch(yes, typ), c.branch(no, typ)
	if run == nil || x == nil || y == nil {
		return nil
	}
	slot := c.slot()
	return func(ev *evaluation) *vec {
		b, xv, yv := &ev.bufs[slot], x(ev), y(ev)
		out := choose(ev, b, run(ev), xv, yv)
		// HCL assigns no type to a literal null next to an error, and some functions treat a value without a type as
		// unknown.
		if isNull(no) && xv.doubt != nil {
			out.doubt = merge(&b.doubt, ev.n, out.doubt, xv.doubt)
		}
		if isNull(yes) && yv.doubt != nil {
			out.doubt = merge(&b.doubt, ev.n, out.doubt, yv.doubt)
		}
		return out
	}
}

// branch compiles a branch. The literal null becomes a vector of nulls.
func (c *compiler) branch(n *node, typ cty.Type) closure {
	if !isNull(n) {
		return c.node(n)
	}
	slot, k := c.slot(), table.Bool
	switch {
	case typ == cty.String:
		k = table.String
	case typ == cty.Number:
		k = table.Int
	case typ.IsListType():
		k = table.Strings
	}
	return func(ev *evaluation) *vec {
		b := &ev.bufs[slot]
		if b.filled == 0 {
			b.out = vec{kind: k, bools: make([]bool, ev.n), strings: make([]string, ev.n), ints: make([]int64, ev.n),
				lists: make([][]string, ev.n), null: times([]bool{true}, ev.n)}
			b.filled = ev.n
		}
		return b.out.head(&b.view, ev.n)
	}
}

func choose(ev *evaluation, b *buffers, test, x, y *vec) *vec {
	b.out = vec{kind: x.kind}
	pick := test.bools
	switch {
	case x.kind == table.Bool:
		b.out.bools = selectRows(&b.bools, ev.n, pick, x.bools, y.bools)
	case x.kind == table.String:
		b.out.strings = selectRows(&b.strs, ev.n, pick, x.strings, y.strings)
	case x.kind == table.Strings:
		b.out.lists = selectRows(&b.lists, ev.n, pick, x.lists, y.lists)
	case x.kind == table.Int && y.kind == table.Int:
		b.out.ints = selectRows(&b.ints, ev.n, pick, x.ints, y.ints)
	default:
		b.out.kind = table.Float
		xf, xe := floatsOf(x, &b.tmp[0], &b.etmp[0], ev.n)
		yf, ye := floatsOf(y, &b.tmp[1], &b.etmp[1], ev.n)
		b.out.floats = selectRows(&b.floats, ev.n, pick, xf, yf)
		if xe != nil || ye != nil {
			b.out.errs = selectRows(&b.errs, ev.n, pick, xe, ye)
		}
	}
	if x.null != nil || y.null != nil {
		b.out.null = selectRows(&b.null, ev.n, pick, x.null, y.null)
	}
	if x.doubt != nil || y.doubt != nil {
		b.out.doubt = selectRows(&b.doubt, ev.n, pick, x.doubt, y.doubt)
	}
	if test.null != nil || test.doubt != nil {
		for i := range ev.n {
			if test.unsure(i) {
				b.out.doubt = doubtful(b, b.out.doubt, i, ev.n)
			}
		}
	}
	return &b.out
}

// selectRows takes each row from x or y. A nil slice represents zero values.
func selectRows[T any](p *[]T, n int, pick []bool, x, y []T) []T {
	out := grow(p, n)
	var zero T
	for i := range out {
		from := y
		if pick[i] {
			from = x
		}
		if from == nil {
			out[i] = zero
			continue
		}
		out[i] = from[i]
	}
	return out
}

// template joins strings, integers and booleans.
func (c *compiler) template(n *node) closure {
	parts := make([]closure, len(n.args))
	for i, a := range n.args {
		run := c.node(a)
		if run == nil || !columnType(a.typ) || a.typ.IsListType() {
			return nil
		}
		parts[i] = c.toString(run, a.op == opColumn)
	}
	slot := c.slot()
	return func(ev *evaluation) *vec {
		b := &ev.bufs[slot]
		out := grow(&b.strs, ev.n)
		doubt := cleared(&b.doubt, ev.n)
		vecs := make([]*vec, len(parts))
		for k, p := range parts {
			vecs[k] = p(ev)
		}
		var w strings.Builder
		for i := range out {
			w.Reset()
			size := 0
			for _, v := range vecs {
				size += len(v.strings[i])
				doubt[i] = doubt[i] || v.unsure(i)
			}
			if doubt[i] || !ev.spend(1, size) {
				out[i], doubt[i] = "", true
				continue
			}
			for _, v := range vecs {
				w.WriteString(v.strings[i])
			}
			out[i] = w.String()
			if !table.IsASCII(out[i]) {
				out[i] = cty.NormalizeString(out[i])
			}
		}
		b.out = vec{kind: table.String, strings: out, doubt: doubt}
		return &b.out
	}
}

// toString converts like HCL. It leaves fractions to HCL, and also a zero that may be a product, since HCL may print it
// as -0.
func (c *compiler) toString(run closure, plain bool) closure {
	slot := c.slot()
	return func(ev *evaluation) *vec {
		b, a := &ev.bufs[slot], run(ev)
		if a.kind == table.String {
			return a
		}
		out := grow(&b.strs, ev.n)
		b.out = vec{kind: table.String, strings: out, null: a.null, doubt: a.doubt}
		switch a.kind {
		case table.Bool:
			for i, x := range a.bools {
				out[i] = strconv.FormatBool(x)
			}
		case table.Int:
			b.out.doubt = merge(&b.doubt, ev.n, a.doubt)
			for i, x := range a.ints {
				out[i] = strconv.FormatInt(x, 10)
				if x == 0 && !plain {
					b.out.doubt = doubtful(b, b.out.doubt, i, ev.n)
				}
			}
		default:
			b.out.doubt = cleared(&b.doubt, ev.n)
			for i := range out {
				b.out.doubt[i] = a.null == nil || !a.null[i]
			}
		}
		return &b.out
	}
}
