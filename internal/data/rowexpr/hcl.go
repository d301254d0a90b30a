package rowexpr

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/data/table"
)

// rowScope provides HCL with the variables of one row after another.
type rowScope struct {
	ctx     *hcl.EvalContext
	records []recordCells
	scalars []cell
}

// recordCells holds a row variable's columns that HCL needs.
type recordCells struct {
	name  string
	cells []cell
	attrs map[string]cty.Value // if the row is passed on as a whole, unused fields are unknown
}

type cell struct {
	name string
	vec  vec
}

// rowScope returns the scope, which it creates when HCL evaluates the first row.
func (ev *evaluation) rowScope() *rowScope {
	if ev.hcl == nil {
		ev.hcl = ev.newRowScope()
	}
	return ev.hcl
}

func (ev *evaluation) newRowScope() *rowScope {
	e, f := ev.e, ev.frame
	s := &rowScope{ctx: e.outer.NewChild()}
	s.ctx.Variables, s.ctx.Functions = ev.purse.Variables(), ev.bound()
	whole := map[string]bool{}
	for _, t := range e.src.Variables() {
		whole[t.RootName()] = whole[t.RootName()] || len(t) == 1
	}
	for _, v := range e.scope.Vars {
		if v.Record == nil {
			if col, ok := f.Column(v.Name); ok {
				s.scalars = append(s.scalars, cell{v.Name, vecOf(col)})
			}
			continue
		}
		r := recordCells{name: v.Name, attrs: map[string]cty.Value{}}
		if whole[v.Name] {
			for _, field := range v.Record.Fields {
				r.attrs[field.Name] = cty.UnknownVal(field.Type)
			}
		}
		for _, name := range e.uses {
			if field, ok := strings.CutPrefix(name, v.Name+"."); ok {
				col, _ := f.Column(name) // check has verified the column
				r.cells = append(r.cells, cell{field, vecOf(col)})
			}
		}
		s.records = append(s.records, r)
	}
	return s
}

// at sets the variables to a row's values. The context is valid until the next call.
func (s *rowScope) at(row int) *hcl.EvalContext {
	for _, c := range s.scalars {
		s.ctx.Variables[c.name] = c.vec.value(row)
	}
	for _, r := range s.records {
		for _, c := range r.cells {
			r.attrs[c.name] = c.vec.value(row)
		}
		s.ctx.Variables[r.name] = cty.ObjectVal(r.attrs)
	}
	return s.ctx
}

// hcl lets HCL evaluate part of the expression for every row.
func (c *compiler) hcl(n *node) closure {
	slot, typ := c.slot(), n.typ
	return func(ev *evaluation) *vec {
		b := &ev.bufs[slot]
		out := newRows(ev.n)
		scope := ev.rowScope()
		for i := range ev.n {
			if !ev.spend(1, 0) {
				out.reject(i)
				continue
			}
			val, diags := n.src.Value(scope.at(ev.from + i))
			val, _ = val.UnmarkDeep()
			if diags.HasErrors() || !val.Type().Equals(typ) || !ev.keep(val) {
				val = cty.NilVal
			}
			out.put(i, val)
		}
		return out.vecOf(b, typ)
	}
}

// rows collects values of one type, one per row.
type rows struct {
	vals  []cty.Value
	doubt []bool
}

func newRows(n int) *rows { return &rows{vals: make([]cty.Value, n), doubt: make([]bool, n)} }

func (r *rows) reject(i int) { r.doubt[i] = true }

// put stores a value. cty.NilVal means that the value could not be computed.
func (r *rows) put(i int, v cty.Value) {
	if v == cty.NilVal || v.IsMarked() || !v.IsWhollyKnown() {
		r.doubt[i] = true
		return
	}
	r.vals[i] = v
}

// vecOf returns the values as a vector. Numbers are integers if all of them are, and otherwise floats with a bound on
// their rounding error.
func (r *rows) vecOf(b *buffers, typ cty.Type) *vec {
	n := len(r.vals)
	b.out = vec{doubt: r.doubt, null: make([]bool, n)}
	if typ == cty.Number {
		return r.numbers(b)
	}
	b.out.kind, b.out.bools, b.out.strings, b.out.lists = table.Strings, nil, nil, nil
	switch typ {
	case cty.Bool:
		b.out.kind, b.out.bools = table.Bool, make([]bool, n)
	case cty.String:
		b.out.kind, b.out.strings = table.String, make([]string, n)
	default:
		b.out.lists = make([][]string, n)
	}
	for i, v := range r.vals {
		if r.doubt[i] {
			continue
		}
		if !v.Type().Equals(typ) {
			r.doubt[i] = true
			continue
		}
		if v.IsNull() {
			b.out.null[i] = true
			continue
		}
		one := constantVec(v)
		switch b.out.kind {
		case table.Bool:
			b.out.bools[i] = one.bools[0]
		case table.String:
			b.out.strings[i] = one.strings[0]
		default:
			b.out.lists[i] = one.lists[0]
			r.doubt[i] = one.doubt != nil
		}
	}
	return &b.out
}

func (r *rows) numbers(b *buffers) *vec {
	n := len(r.vals)
	ints, floats, errs := make([]int64, n), make([]float64, n), make([]float64, n)
	whole, exact := true, true
	for i, v := range r.vals {
		if r.doubt[i] {
			continue
		}
		if v.Type() != cty.Number {
			r.doubt[i] = true
			continue
		}
		if v.IsNull() {
			b.out.null[i] = true
			continue
		}
		one := numberVec(v.AsBigFloat())
		if one.kind == table.Int {
			ints[i], floats[i] = one.ints[0], float64(one.ints[0])
			if ints[i] > maxExact || ints[i] < -maxExact {
				errs[i], exact = max(floats[i], -floats[i])*ulp, false
			}
			continue
		}
		whole = false
		floats[i], errs[i] = one.floats[0], at(one.errs, 0)
		exact = exact && errs[i] == 0
		r.doubt[i] = one.doubt != nil
	}
	if whole {
		b.out.kind, b.out.ints = table.Int, ints
		return &b.out
	}
	b.out.kind, b.out.floats = table.Float, floats
	if !exact {
		b.out.errs = errs
	}
	return &b.out
}
