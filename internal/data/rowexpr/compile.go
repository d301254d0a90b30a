package rowexpr

import (
	"math"
	"math/big"
	"slices"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/smtpipe/smtpipe/internal/data/table"
)

// program is an expression's compiled form. run is nil if HCL evaluates the entire expression for every row.
type program struct {
	run      closure
	nodes    int // number of buffers needed for an evaluation
	compiled bool
}

// closure computes a node for the current batch's rows. The vector is valid until the closure's next call.
type closure func(ev *evaluation) *vec

// compiler turns nodes into closures.
type compiler struct {
	e       *Expr
	prog    program
	byHCL   bool // HCL evaluates at least one node for every row
	natives []Native
}

func (e *Expr) compile() program {
	c := &compiler{e: e, natives: append(builtin(), e.scope.Natives...)}
	if e.root.has(opError) {
		return program{}
	}
	run := c.result(e.root)
	if run == nil {
		return program{}
	}
	c.prog.run = run
	c.prog.compiled = !c.byHCL
	return c.prog
}

// result compiles the root, including the conversion to the requested type.
func (c *compiler) result(root *node) closure {
	want := c.e.typ
	if root.op == opConst {
		val, err := convert.Convert(root.val, want)
		if err != nil {
			return nil
		}
		return c.constant(val)
	}
	run := c.node(root)
	if run == nil || root.typ.Equals(want) {
		return run
	}
	if want == cty.String {
		return c.toString(run, root.op == opColumn)
	}
	return nil
}

func (c *compiler) slot() int { c.prog.nodes++; return c.prog.nodes - 1 }

// node compiles a node, or lets HCL evaluate it for every row. It returns nil if neither is possible here.
func (c *compiler) node(n *node) closure {
	if run := c.form(n); run != nil {
		return run
	}
	if n.src == nil || !columnType(n.typ) {
		return nil
	}
	c.byHCL = true
	return c.hcl(n)
}

func (c *compiler) form(n *node) closure {
	switch n.op {
	case opConst:
		return c.constant(n.val)
	case opColumn:
		return c.column(n)
	case opUnary:
		return c.unary(n)
	case opBinary:
		return c.binary(n)
	case opCond:
		return c.cond(n)
	case opInline:
		return c.inline(n)
	case opTemplate:
		return c.template(n)
	case opCall:
		return c.call(n)
	}
	return nil
}

func (c *compiler) all(nodes []*node) []closure {
	out := make([]closure, len(nodes))
	for i, n := range nodes {
		if out[i] = c.node(n); out[i] == nil {
			return nil
		}
	}
	return out
}

// constant fills a vector once per evaluation.
func (c *compiler) constant(v cty.Value) closure {
	if v.IsNull() || !v.IsWhollyKnown() || !columnType(v.Type()) {
		return nil
	}
	slot := c.slot()
	proto := constantVec(v)
	return func(ev *evaluation) *vec {
		b := &ev.bufs[slot]
		if b.filled == 0 {
			b.out = repeat(proto, ev.n) // the first batch is the largest
			b.filled = ev.n
		}
		return b.out.head(&b.view, ev.n)
	}
}

// constantVec returns a vector with one row.
func constantVec(v cty.Value) vec {
	switch v.Type() {
	case cty.Bool:
		return vec{kind: table.Bool, bools: []bool{v.True()}}
	case cty.String:
		return vec{kind: table.String, strings: []string{v.AsString()}}
	case cty.Number:
		return numberVec(v.AsBigFloat())
	}
	items := []string{}
	for it := v.ElementIterator(); it.Next(); {
		_, elem := it.Element()
		if elem.IsNull() {
			return vec{kind: table.Strings, lists: [][]string{nil}, doubt: []bool{true}}
		}
		items = append(items, elem.AsString())
	}
	return vec{kind: table.Strings, lists: [][]string{items}}
}

// numberVec represents a number exactly if possible, and otherwise with a bound on its rounding error.
func numberVec(f *big.Float) vec {
	if i, acc := f.Int64(); acc == big.Exact {
		return vec{kind: table.Int, ints: []int64{i}}
	}
	x, acc := f.Float64()
	v := vec{kind: table.Float, floats: []float64{x}}
	if acc != big.Exact {
		v.errs = []float64{math.Abs(x) * ulp}
	}
	if math.IsInf(x, 0) || (x == 0 && acc != big.Exact) || (x != 0 && math.Abs(x) < tiny) {
		v.doubt = []bool{true}
	}
	return v
}

func repeat(v vec, n int) vec {
	return vec{kind: v.kind, bools: times(v.bools, n), strings: times(v.strings, n), ints: times(v.ints, n),
		floats: times(v.floats, n),
		errs:   times(v.errs, n), lists: times(v.lists, n), null: times(v.null, n), doubt: times(v.doubt, n)}
}

func times[T any](one []T, n int) []T {
	if one == nil {
		return nil
	}
	out := make([]T, n)
	for i := range out {
		out[i] = one[0]
	}
	return out
}

// head returns a vector's first n rows.
func (v *vec) head(view *vec, n int) *vec {
	*view = vec{kind: v.kind, bools: cut(v.bools, 0, n), strings: cut(v.strings, 0, n), ints: cut(v.ints, 0, n),
		floats: cut(v.floats, 0, n),
		errs:   cut(v.errs, 0, n), lists: cut(v.lists, 0, n), null: cut(v.null, 0, n), doubt: cut(v.doubt, 0, n)}
	return view
}

func cut[T any](s []T, from, to int) []T {
	if s == nil {
		return nil
	}
	return s[from:to]
}

// column returns a column's rows without copying. The evaluation has already checked that the frame has the column.
func (c *compiler) column(n *node) closure {
	slot, name := c.slot(), n.name
	return func(ev *evaluation) *vec {
		col, _ := ev.frame.Column(name)
		b, v := &ev.bufs[slot], vecOf(col)
		from, to := ev.from, ev.from+ev.n
		b.out = vec{kind: v.kind, bools: cut(v.bools, from, to), strings: cut(v.strings, from, to),
			ints:   cut(v.ints, from, to),
			floats: cut(v.floats, from, to), lists: cut(v.lists, from, to), null: cut(v.null, from, to)}
		if slices.ContainsFunc(b.out.floats, isWild) {
			b.out.doubt = wild(cleared(&b.doubt, ev.n), b.out.floats)
		}
		for row := range v.wide {
			if from <= row && row < to {
				b.out.doubt = doubtful(b, b.out.doubt, row-from, ev.n)
			}
		}
		return &b.out
	}
}

// wild marks numbers for which the error bounds do not hold: infinities and numbers near the smallest float64.
func wild(doubt []bool, floats []float64) []bool {
	for i, x := range floats {
		doubt[i] = isWild(x)
	}
	return doubt
}

func isWild(x float64) bool { return math.IsInf(x, 0) || (x != 0 && math.Abs(x) < tiny) }

// inline returns the body's closure. A null or doubtful argument makes the row doubtful, even if the body does not use
// it.
func (c *compiler) inline(n *node) closure {
	last := len(n.args) - 1
	args, body := c.all(n.args[:last]), c.node(n.args[last])
	if (args == nil && last > 0) || body == nil {
		return nil
	}
	if last == 0 {
		return body
	}
	slot := c.slot()
	return func(ev *evaluation) *vec {
		b := &ev.bufs[slot]
		out := body(ev)
		masks := [][]bool{out.doubt}
		for _, arg := range args {
			a := arg(ev)
			masks = append(masks, a.null, a.doubt)
		}
		b.out = *out
		b.out.doubt = merge(&b.doubt, ev.n, masks...)
		return &b.out
	}
}
