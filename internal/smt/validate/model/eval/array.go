package eval

import (
	"slices"

	"github.com/smtpipe/smtpipe/internal/smt/validate/model/fp"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/sorts"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/value"
)

// rulePending represents an array element that a function call must compute.
type rulePending struct {
	closure int
	index   value.Value
}

// maxDomain is the maximum size of index sorts whose values are listed; see value.Domain.
const maxDomain = 1 << 16

func (m *Machine) array(g *term.Graph, n *term.Node, args []value.Value) value.Value {
	sort := n.Sort
	if n.Op == term.Select {
		sort = g.Nodes[g.Kids(n)[0]].Sort
	}
	parts := m.Sorts.At(sort).Args
	if n.Op == term.ConstArray {
		elem := m.canonical(parts[1], args[0])
		if elem.UnknownOf() != nil {
			return elem
		}
		return m.Store.Constant(elem, m.indices(parts[0]))
	}
	a := args[0].P.(*value.Array)
	index := m.canonical(parts[0], args[1])
	switch {
	case index.UnknownOf() != nil:
		return index
	case index.Loose() && (n.Op == term.Store || a.Len() > 0 || a.Rule != nil):
		return unknownf("an array is not evaluated at an index that is, or holds, a regular expression or an array that " +
			"is given by a function or has an uninterpreted index sort")
	}
	if n.Op == term.Store {
		elem := m.canonical(parts[1], args[2])
		if elem.UnknownOf() != nil {
			return elem
		}
		return m.Store.Store(a, index, elem)
	}
	elem, ok := m.Store.Select(a, index)
	if !ok {
		return value.Value{P: &rulePending{a.Rule.Function, index}}
	}
	return elem
}

// domain returns the values of a small finite index sort, or nil for other sorts.
func (m *Machine) domain(sort sorts.ID) *value.Domain {
	d, ok := m.domains[sort]
	if ok {
		return d
	}
	if n, finite := m.Sorts.Cardinality(sort); finite && n <= maxDomain {
		if values := m.values(sort); uint64(len(values)) == n {
			d = &value.Domain{Sort: int32(sort), Values: values}
		}
	}
	m.domains[sort] = d
	return d
}

// indices returns the domain of arrays over an index sort.
func (m *Machine) indices(sort sorts.ID) *value.Domain {
	if d := m.domain(sort); d != nil {
		return d
	}
	if d, ok := m.openDomains[sort]; ok {
		return d
	}
	var d *value.Domain
	if _, finite := m.Sorts.Cardinality(sort); !finite {
		if n, finite := m.least(sort); finite && n <= maxDomain {
			d = &value.Domain{Sort: int32(sort), Least: n}
		}
	}
	m.openDomains[sort] = d
	return d
}

// least returns the smallest possible number of values of a sort, given the values that the model names, and whether
// the sort can have exactly that many.
func (m *Machine) least(sort sorts.ID) (uint64, bool) {
	named := map[sorts.ID]uint64{}
	for s, u := range m.Universes {
		named[s] = uint64(len(u.Named))
	}
	return m.Sorts.Least(sort, named)
}

// values returns all values of a finite sort with at most maxDomain values.
func (m *Machine) values(sort sorts.ID) []value.Value {
	s := m.Sorts.At(sort)
	var out []value.Value
	switch s.Kind {
	case sorts.Bool, sorts.BitVec, sorts.RoundingMode:
		n, _ := m.Sorts.Cardinality(sort)
		for i := range n {
			out = append(out, value.Value{N: i})
		}
	case sorts.Float:
		f := fp.Format{EB: s.N, SB: s.M}
		for i := range uint64(1) << f.Width() {
			if x := unpack(f, value.Value{N: i}); x.Class != fp.NaN || f.Pack(x).Uint64() == i {
				out = append(out, value.Value{N: i})
			}
		}
	case sorts.Uninterpreted:
		if u := m.Universes[sort]; u.Whole {
			out = u.Named
		}
	case sorts.Array:
		out = m.arraysOf(s.Args[0], s.Args[1])
	case sorts.Datatype:
		for i, con := range m.Sorts.Constructors(sort) {
			out = m.products(out, sort, i, con.Fields, nil)
		}
	}
	return out
}

// arraysOf returns all arrays of a finite sort. It starts with a constant array and varies the element at each index in
// turn. The index sort may be infinite if there is only one element.
func (m *Machine) arraysOf(index, elem sorts.ID) (out []value.Value) {
	elems := m.values(elem)
	if len(elems) == 0 {
		return nil
	}
	domain := m.indices(index)
	out = append(out, m.Store.Constant(elems[0], domain))
	if len(elems) == 1 || domain == nil {
		return out
	}
	for _, i := range domain.Values {
		for _, a := range out[:len(out):len(out)] {
			for _, e := range elems[1:] {
				out = append(out, m.Store.Store(a.P.(*value.Array), i, e))
			}
		}
	}
	return out
}

func (m *Machine) products(out []value.Value, sort sorts.ID, con int, fields []sorts.Field,
	args []value.Value) []value.Value {
	if len(args) == len(fields) {
		return append(out, m.Store.Data(int32(sort), con, slices.Clone(args)))
	}
	for _, v := range m.values(fields[len(args)].Sort) {
		out = m.products(out, sort, con, fields, append(args, v))
	}
	return out
}

// ruled returns the array of a closure. It is a finite map if the function has one variable and either its body is a
// chain of ite over equalities with values, or the index sort is small. Otherwise the array calls the function.
func (m *Machine) ruled(n int) value.Value {
	if v, ok := m.arrays[n]; ok {
		return v
	}
	v := m.Store.Ruled(&value.Rule{Function: n})
	m.arrays[n] = v // set before the function is read, because a recursive function may be an array in its own body
	if params := m.Funcs[m.closures[n].fn].Params; len(params) == 1 {
		if t, ok := m.tabulate(n); ok {
			v = t
		} else if t, ok := m.tabulateCompared(n); ok {
			v = t
		} else if d := m.domain(params[0]); d != nil && len(d.Values) <= 256 {
			if t := m.tabulateDomain(n, d); t.P != nil {
				v = t
			}
		}
	}
	m.arrays[n] = v
	return v
}

func (m *Machine) tabulateDomain(n int, d *value.Domain) value.Value {
	var a value.Value
	elemSort := m.Funcs[m.closures[n].fn].Result
	for i, index := range d.Values {
		elem := m.canonical(elemSort, m.elementAt(n, index))
		if elem.UnknownOf() != nil {
			return value.Value{}
		}
		if i == 0 {
			a = m.Store.Constant(elem, d)
		}
		a = m.Store.Store(a.P.(*value.Array), index, elem)
	}
	return a
}

// tabulate reads a chain (ite (= x v1) e1 (ite (= x v2) e2 ... e)) in which no v or e depends on x.
func (m *Machine) tabulate(c int) (value.Value, bool) {
	fn := m.Funcs[m.closures[c].fn]
	if fn.Body == nil {
		return value.Value{}, false
	}
	type row struct{ index, elem value.Value }
	var rows []row
	node := fn.Root
	for {
		node = resolve(fn.Body, node)
		n := &fn.Body.Nodes[node]
		if n.Op != term.Ite {
			break
		}
		kids := fn.Body.Kids(n)
		index, ok1 := m.equated(c, kids[0])
		elem, ok2 := m.constantNode(c, kids[1], fn.Result)
		if !ok1 || !ok2 || index.Loose() {
			return value.Value{}, false
		}
		rows = append(rows, row{index, elem})
		node = kids[2]
	}
	elem, ok := m.constantNode(c, node, fn.Result)
	if !ok {
		return value.Value{}, false
	}
	a := m.Store.Constant(elem, m.indices(fn.Params[0]))
	for _, r := range slices.Backward(rows) { // in reverse, so that the first row of the chain wins
		a = m.Store.Store(a.P.(*value.Array), r.index, r.elem)
	}
	return a, true
}

func resolve(g *term.Graph, node int32) int32 {
	for g.Nodes[node].Op == term.Alias {
		node = g.Nodes[node].A
	}
	return node
}

// equated returns v if the node is (= x v) or (= v x), where x is the closure's variable.
func (m *Machine) equated(c int, node int32) (value.Value, bool) {
	fn := m.Funcs[m.closures[c].fn]
	g := fn.Body
	n := &g.Nodes[resolve(g, node)]
	kids := g.Kids(n)
	if n.Op != term.Eq || len(kids) != 2 {
		return value.Value{}, false
	}
	for i := range 2 {
		x := g.Nodes[resolve(g, kids[i])]
		if x.Op == term.Param && x.B == fn.Owner {
			return m.constantNode(c, kids[1-i], fn.Params[0])
		}
	}
	return value.Value{}, false
}

// tabulateCompared reads a function that only compares its argument with values, such as (or (= x 1) (= x 2)). Its
// value for an argument that equals none of them is the default element. Only at the compared values can the element
// differ.
func (m *Machine) tabulateCompared(c int) (value.Value, bool) {
	const most = 1000 // maximum number of calls
	fn := m.Funcs[m.closures[c].fn]
	if fn.Body == nil {
		return value.Value{}, false
	}
	outer := m.compared
	m.compared = nil
	elem, ok := m.nodeAt(c, fn.Root, fn.Result, unknown(elsewhere))
	indices := m.compared
	m.compared = outer
	if !ok || len(indices) > most {
		return value.Value{}, false
	}
	a := m.Store.Constant(elem, m.indices(fn.Params[0]))
	for _, index := range indices {
		if index = m.canonical(fn.Params[0], index); index.UnknownOf() != nil || index.Loose() {
			return value.Value{}, false
		}
		elem := m.canonical(fn.Result, m.elementAt(c, index))
		if elem.UnknownOf() != nil {
			return value.Value{}, false
		}
		a = m.Store.Store(a.P.(*value.Array), index, elem)
	}
	return a, true
}

// elsewhere is an argument that differs from every value that it is compared with. It is the value only of terms that
// represent the argument itself.
var elsewhere = &value.Unknown{Reason: "a bound variable has no value"}

// elsewhereEqual compares two values, one of which is elsewhere, and records the other.
func (m *Machine) elsewhereEqual(a, b value.Value) (equal, decided bool) {
	x, y := a.UnknownOf(), b.UnknownOf()
	switch {
	case x == elsewhere && y == elsewhere:
		return true, true
	case x == elsewhere && y == nil:
		m.compared = append(m.compared, b)
		return false, true
	case y == elsewhere && x == nil:
		m.compared = append(m.compared, a)
		return false, true
	}
	return false, false
}

// constantNode computes a node in the body of a closure's function with an argument that has no value. If there is a
// result, it does not depend on the argument. sort is the sort of that part of the array.
func (m *Machine) constantNode(c int, node int32, sort sorts.ID) (value.Value, bool) {
	return m.nodeAt(c, node, sort, unknown(boundVariable))
}

// nodeAt computes a node in the body of a closure's function with arg as the value of all its arguments.
func (m *Machine) nodeAt(c int, node int32, sort sorts.ID, arg value.Value) (value.Value, bool) {
	f, outer := m.closures[c].fn, m.closures[c].outer
	args := slices.Repeat([]value.Value{arg}, len(m.Funcs[f].Params))
	v := m.canonical(sort, m.computeNode(f, node, args, outer))
	return v, v.UnknownOf() == nil
}
