package rowexpr

import (
	"math"
	"slices"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"

	"github.com/smtpipe/smtpipe/internal/base/budget"
	"github.com/smtpipe/smtpipe/internal/data/table"
)

// call compiles a few functions, which it recognises by identity rather than name. It calls other functions for every
// row or for every distinct argument.
func (c *compiler) call(n *node) closure {
	var run closure
	switch n.fn {
	case stdlib.ContainsFunc:
		run = c.contains(n)
	case stdlib.MinFunc:
		run = c.extreme(n, func(x, y float64) bool { return x < y })
	case stdlib.MaxFunc:
		run = c.extreme(n, func(x, y float64) bool { return x > y })
	case FloorFunc:
		run = c.round(n, math.Floor)
	case CeilFunc:
		run = c.round(n, math.Ceil)
	case stdlib.AbsoluteFunc:
		run = c.absolute(n)
	}
	if run == nil {
		run = c.native(n)
	}
	if run == nil {
		run = c.generic(n)
	}
	return run
}

// contains checks whether a constant list, or a column of lists, contains a string.
func (c *compiler) contains(n *node) closure {
	list, item := n.args[0], n.args[1]
	if item.typ != cty.String {
		return nil
	}
	set, ok := stringSet(list)
	if !ok {
		if list.op != opConst && list.typ.IsListType() {
			return c.containsColumn(list, item)
		}
		return nil
	}
	run := c.node(item)
	if run == nil {
		return nil
	}
	slot := c.slot()
	return func(ev *evaluation) *vec {
		b, a := &ev.bufs[slot], run(ev)
		out := grow(&b.bools, ev.n)
		last, found := "", false
		for i, s := range a.strings {
			// Tables are sorted, so equal strings are often adjacent.
			if i == 0 || s != last {
				last = s
				_, found = set[s]
			}
			out[i] = found && !(a.null != nil && a.null[i])
		}
		b.out = vec{kind: table.Bool, bools: out, doubt: a.doubt}
		return &b.out
	}
}

func (c *compiler) containsColumn(list, item *node) closure {
	lists, items := c.node(list), c.node(item)
	if lists == nil || items == nil {
		return nil
	}
	slot := c.slot()
	return func(ev *evaluation) *vec {
		b, l, a := &ev.bufs[slot], lists(ev), items(ev)
		out := grow(&b.bools, ev.n)
		for i := range out {
			out[i] = !(a.null != nil && a.null[i]) && slices.Contains(l.lists[i], a.strings[i])
		}
		b.out = vec{kind: table.Bool, bools: out, doubt: merge(&b.doubt, ev.n, l.null, l.doubt, a.doubt)}
		return &b.out
	}
}

// stringSet returns the elements of a constant list, tuple or set if all of them are strings.
func stringSet(n *node) (map[string]struct{}, bool) {
	if n.op != opConst || n.val.IsNull() || !n.val.IsWhollyKnown() || !n.val.CanIterateElements() ||
		n.typ.IsMapType() || n.typ.IsObjectType() {
		return nil, false
	}
	set := make(map[string]struct{}, n.val.LengthInt())
	for it := n.val.ElementIterator(); it.Next(); {
		_, v := it.Element()
		if v.Type() != cty.String || v.IsNull() {
			return nil, false
		}
		set[v.AsString()] = struct{}{}
	}
	return set, true
}

// numbers compiles the arguments if all of them are numbers.
func (c *compiler) numbers(n *node) []closure {
	for _, a := range n.args {
		if a.typ != cty.Number {
			return nil
		}
	}
	return c.all(n.args)
}

// extreme compiles min and max. The result's error is at most the largest error of the arguments.
func (c *compiler) extreme(n *node, before func(x, y float64) bool) closure {
	args := c.numbers(n)
	if len(args) == 0 {
		return nil
	}
	slot := c.slot()
	return func(ev *evaluation) *vec {
		b := &ev.bufs[slot]
		vecs := make([]*vec, len(args))
		masks := make([][]bool, 0, 2*len(args))
		whole := true
		for k, run := range args {
			vecs[k] = run(ev)
			masks = append(masks, vecs[k].null, vecs[k].doubt)
			whole = whole && vecs[k].kind == table.Int
		}
		b.out = vec{doubt: merge(&b.doubt, ev.n, masks...)}
		if whole {
			return extremeInt(ev, b, vecs, before(1, 2))
		}
		return extremeFloat(ev, b, vecs, before)
	}
}

func extremeInt(ev *evaluation, b *buffers, vecs []*vec, least bool) *vec {
	out := grow(&b.ints, ev.n)
	copy(out, vecs[0].ints)
	for _, v := range vecs[1:] {
		for i, x := range v.ints {
			if (x < out[i]) == least {
				out[i] = x
			}
		}
	}
	b.out.kind, b.out.ints = table.Int, out
	return &b.out
}

func extremeFloat(ev *evaluation, b *buffers, vecs []*vec, before func(x, y float64) bool) *vec {
	out, errs := grow(&b.floats, ev.n), grow(&b.errs, ev.n)
	clear(errs)
	inexact := false
	for k, v := range vecs {
		f, e := floatsOf(v, &b.tmp[0], &b.etmp[0], ev.n)
		for i, x := range f {
			if k == 0 || before(x, out[i]) {
				out[i] = x
			}
			errs[i] = max(errs[i], at(e, i))
			inexact = inexact || errs[i] != 0
		}
	}
	b.out.kind, b.out.floats = table.Float, out
	if inexact {
		b.out.errs = errs
	}
	return &b.out
}

// round compiles floor and ceil. A row is doubtful if the ends of its error interval round to different numbers.
func (c *compiler) round(n *node, to func(float64) float64) closure {
	args := c.numbers(n)
	if len(args) != 1 {
		return nil
	}
	slot := c.slot()
	return func(ev *evaluation) *vec {
		b, a := &ev.bufs[slot], args[0](ev)
		b.out = vec{kind: table.Int, doubt: merge(&b.doubt, ev.n, a.null, a.doubt)}
		if a.kind == table.Int {
			b.out.ints = a.ints
			return &b.out
		}
		out := grow(&b.ints, ev.n)
		for i, x := range a.floats {
			e := widened(at(a.errs, i))
			r := to(x)
			if (e != 0 && (to(x-e) != r || to(x+e) != r)) || math.Abs(r) > maxExact {
				b.out.doubt = doubtful(b, b.out.doubt, i, ev.n)
				continue
			}
			out[i] = int64(r)
		}
		b.out.ints = out
		return &b.out
	}
}

func (c *compiler) absolute(n *node) closure {
	args := c.numbers(n)
	if len(args) != 1 {
		return nil
	}
	slot := c.slot()
	return func(ev *evaluation) *vec {
		b, a := &ev.bufs[slot], args[0](ev)
		b.out = vec{kind: a.kind, errs: a.errs, doubt: merge(&b.doubt, ev.n, a.null, a.doubt)}
		if a.kind == table.Float {
			b.out.floats = grow(&b.floats, ev.n)
			for i, x := range a.floats {
				b.out.floats[i] = math.Abs(x)
			}
			return &b.out
		}
		b.out.ints = grow(&b.ints, ev.n)
		for i, x := range a.ints {
			if x == math.MinInt64 {
				b.out.doubt = doubtful(b, b.out.doubt, i, ev.n)
			}
			b.out.ints[i] = max(x, -x)
		}
		return &b.out
	}
}

// generic calls the function with HCL values. It leaves errors to HCL, which reports their positions.
func (c *compiler) generic(n *node) closure {
	if !columnType(n.typ) {
		return nil
	}
	args := make([]callArg, len(n.args))
	varying := 0
	for i, a := range n.args {
		want, ok := paramType(n.fn, i)
		if !ok {
			return nil
		}
		if a.op == opConst {
			val, err := convert.Convert(a.val, want)
			if err != nil {
				return nil
			}
			args[i].val = val
			continue
		}
		if want != cty.DynamicPseudoType && !want.Equals(a.typ) {
			return nil
		}
		if args[i].run = c.node(a); args[i].run == nil {
			return nil
		}
		varying++
	}
	slot := c.slot()
	fn, typ, remember := n.fn, n.typ, varying == 1
	fixed := budget.Size{Parts: 1}
	for _, a := range args {
		if a.run == nil {
			s := budget.SizeOf(a.val)
			fixed.Parts, fixed.Bytes = fixed.Parts+s.Parts, fixed.Bytes+s.Bytes
		}
	}
	return func(ev *evaluation) *vec {
		b := &ev.bufs[slot]
		if b.vals == nil {
			b.vals = make([]cty.Value, len(args))
			b.memo.on = remember
		}
		if bound, ok := ev.bound()[n.called]; ok {
			return callRows(ev, b, bound, args, fixed, typ)
		}
		return callRows(ev, b, fn, args, fixed, typ)
	}
}

// callArg is an argument: a constant or a closure.
type callArg struct {
	val cty.Value
	run closure
	vec *vec
}

func paramType(fn function.Function, i int) (cty.Type, bool) {
	if p := fn.Params(); i < len(p) {
		return p[i].Type, true
	}
	if v := fn.VarParam(); v != nil {
		return v.Type, true
	}
	return cty.NilType, false
}

func callRows(ev *evaluation, b *buffers, fn function.Function, proto []callArg, fixed budget.Size,
	typ cty.Type) *vec {
	args := slices.Clone(proto)
	masks := make([][]bool, 0, 2*len(args))
	key := (*vec)(nil)
	for k := range args {
		if args[k].run == nil {
			b.vals[k] = args[k].val
			continue
		}
		v := args[k].run(ev)
		args[k].vec = v
		masks = append(masks, v.null, v.doubt, rounded(v))
		if v.kind == table.String {
			key = v
		}
	}
	out := newRows(ev.n)
	unsure := merge(&b.doubt, ev.n, masks...)
	for i := range ev.n {
		if unsure != nil && unsure[i] {
			out.reject(i)
			continue
		}
		if b.memo.on && key != nil {
			if i > 0 && key.strings[i] == key.strings[i-1] && out.vals[i-1] != cty.NilVal {
				out.vals[i] = out.vals[i-1]
				continue
			}
			if val, ok := b.memo.get(key.strings[i]); ok {
				out.put(i, val)
				continue
			}
		}
		steps, bytes := fixed.Parts, fixed.Bytes
		for k := range args {
			if args[k].vec != nil {
				s, t := args[k].vec.size(i)
				steps, bytes = steps+s, bytes+t
				b.vals[k] = args[k].vec.value(i)
			}
		}
		if !ev.spend(steps, bytes) {
			out.reject(i)
			continue
		}
		val, err := fn.Call(b.vals)
		if err != nil {
			val = cty.NilVal
		}
		if !ev.keep(val) {
			out.reject(i)
			continue
		}
		if b.memo.on && key != nil {
			b.memo.put(key.strings[i], val)
		}
		out.put(i, val)
	}
	return out.vecOf(b, typ)
}

// rounded marks inexact numbers, because a function must receive exactly HCL's value.
func rounded(v *vec) []bool {
	if v.errs == nil {
		return nil
	}
	mask := make([]bool, len(v.errs))
	for i, e := range v.errs {
		mask[i] = e != 0
	}
	return mask
}

// memo caches results by a string argument as long as that pays off. Most string columns have few distinct values, but
// all paths are different.
type memo struct {
	on     bool
	cells  map[string]cty.Value
	asked  int
	missed int
}

const (
	memoTrial = 4096
	memoLimit = 1 << 17
)

func (m *memo) get(s string) (cty.Value, bool) {
	m.asked++
	v, ok := m.cells[s]
	return v, ok
}

func (m *memo) put(s string, v cty.Value) {
	m.missed++
	if m.cells == nil {
		m.cells = map[string]cty.Value{}
	}
	m.cells[s] = v
	if len(m.cells) > memoLimit || (m.asked >= memoTrial && m.missed > m.asked/2) {
		*m = memo{}
	}
}
