package eval

import (
	"slices"

	"github.com/smtpipe/smtpipe/internal/smt/validate/model/bv"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/regex"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/sorts"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/value"
)

// compute computes a strict operator from known values.
func (m *Machine) compute(g *term.Graph, n *term.Node, args []value.Value) value.Value {
	op := n.Op
	switch {
	case op <= term.Update:
		return m.core(g, n, args)
	case op <= term.Log2:
		return m.arith(n, args)
	case op <= term.ConstArray:
		return m.array(g, n, args)
	case op == term.BvBin && args[0].P == nil:
		r := args[0].N
		for i := 1; i < len(args); i++ {
			r = bv.Small(bv.Op(n.A), int(n.B), r, args[i].N)
		}
		return value.Value{N: r}
	case op <= term.IntToBv:
		return m.vector(g, n, args)
	case op <= term.FpToBits:
		return m.float(g, n, args)
	case op <= term.SeqText:
		return m.seq(g, n, args)
	}
	return m.str(n, args)
}

func (m *Machine) core(g *term.Graph, n *term.Node, args []value.Value) value.Value {
	switch n.Op {
	case term.Quantifier:
		return m.groundQuantifier(n)
	case term.Lambda:
		return m.lambda(n.A, nil)
	case term.Not:
		return value.Bool(!args[0].True())
	case term.Xor:
		odd := false
		for _, a := range args {
			odd = odd != a.True()
		}
		return value.Bool(odd)
	case term.Eq:
		return m.equalAll(args)
	case term.Distinct:
		return m.distinct(args)
	case term.Construct:
		return m.construct(n, args)
	case term.Tester:
		return value.Bool(args[0].P.(*value.Data).Constructor == int(n.A))
	case term.Selector:
		return m.selector(g, n, args[0])
	case term.Update:
		d := args[0].P.(*value.Data)
		if d.Constructor != int(n.A) {
			return args[0]
		}
		fields := slices.Clone(d.Args)
		fields[n.B] = args[1]
		return m.construct(n, fields)
	}
	return unknownf("the operator %d is not supported", n.Op)
}

// construct applies constructor n.A, with canonical numbers as arguments.
func (m *Machine) construct(n *term.Node, args []value.Value) value.Value {
	fields := slices.Clone(args)
	if m.Irrational {
		for i, f := range m.Sorts.Constructors(n.Sort)[n.A].Fields {
			if fields[i] = m.canonical(f.Sort, fields[i]); fields[i].UnknownOf() != nil {
				return fields[i]
			}
		}
	}
	return m.Store.Data(int32(n.Sort), int(n.A), fields)
}

func (m *Machine) selector(g *term.Graph, n *term.Node, v value.Value) value.Value {
	d := v.P.(*value.Data)
	if d.Constructor == int(n.A) {
		return d.Args[n.B]
	}
	con := m.Sorts.Constructors(g.Nodes[g.Kids(n)[0]].Sort)[n.A]
	return open("selector %s is applied to a value that %s did not make", con.Fields[n.B].Name, con.Name)
}

// zero returns a simple value of a sort, such as 0.
func (m *Machine) zero(sort sorts.ID, depth int) (value.Value, bool) {
	s := m.Sorts.At(sort)
	switch s.Kind {
	case sorts.Bool, sorts.Int, sorts.Real, sorts.RoundingMode:
		return value.Value{}, true
	case sorts.BitVec:
		return value.Bits(s.N, value.Int64(0).BigInt()), true
	case sorts.Float:
		return value.Bits(s.N+s.M, value.Int64(0).BigInt()), true
	case sorts.String:
		return value.Value{P: value.Text(nil)}, true
	case sorts.Array:
		elem, ok := m.zero(s.Args[1], depth+1)
		return m.Store.Constant(elem, m.indices(s.Args[0])), ok
	case sorts.Seq:
		return m.Store.Data(int32(sort), 0, nil), true
	case sorts.Datatype:
		key := zeroKey{sort, depth}
		zero, known := m.zeros[key]
		if !known {
			zero = m.zeroData(sort, depth)
			m.zeros[key] = zero
		}
		return zero, zero.P != nil
	}
	return value.Value{}, false
}

// zeroKey identifies a datatype's simple value at a nesting depth.
type zeroKey struct {
	sort  sorts.ID
	depth int
}

// zeroData tries the constructors in order of their number of arguments. It returns the zero Value if none fits.
func (m *Machine) zeroData(sort sorts.ID, depth int) value.Value {
	all := m.Sorts.Constructors(sort)
	for arity := 0; depth < 20; arity++ {
		more := false
		for i, con := range all {
			more = more || len(con.Fields) > arity
			if len(con.Fields) != arity {
				continue
			}
			args := make([]value.Value, arity)
			ok := true
			for j, f := range con.Fields {
				var fits bool
				args[j], fits = m.zero(f.Sort, depth+1)
				ok = ok && fits
			}
			if ok {
				return m.Store.Data(int32(sort), i, args)
			}
		}
		if !more {
			break
		}
	}
	return value.Value{}
}

func (m *Machine) equalAll(args []value.Value) value.Value {
	all := value.Bool(true)
	for i := 1; i < len(args) && !isFalse(all); i++ {
		all = both(all, m.equal(args[i-1], args[i]))
	}
	return all
}

// Differ reports whether two values of the same sort are known to differ.
func (m *Machine) Differ(a, b value.Value) bool { return isFalse(m.equal(a, b)) }

// equal compares two values of the same sort.
func (m *Machine) equal(a, b value.Value) value.Value {
	if !rational(a) || !rational(b) {
		c, ok := algebraicCompare(a, b)
		if !ok {
			return undecided()
		}
		return value.Bool(c == 0)
	}
	if value.Equal(a, b) {
		return value.Bool(true)
	}
	if !a.Loose() && !b.Loose() {
		return value.Bool(false)
	}
	return m.equalLoose(a, b, 0)
}

// equalLoose compares values with different representations, which may nevertheless be equal.
func (m *Machine) equalLoose(a, b value.Value, depth int) value.Value {
	switch x := a.P.(type) {
	case *regex.Regex:
		eq, decided := m.Regex.Equal(m.ctx, x, b.P.(*regex.Regex))
		if !decided {
			return unknownf("the equality of these regular expressions is not decided")
		}
		return value.Bool(eq)
	case *value.Data:
		y := b.P.(*value.Data)
		if x.Constructor != y.Constructor {
			return value.Bool(false)
		}
		all := value.Bool(true)
		for i := range x.Args {
			if all = both(all, m.equalPart(x.Args[i], y.Args[i], depth)); isFalse(all) {
				break
			}
		}
		return all
	case *value.Array:
		return m.equalArrays(x, b.P.(*value.Array), depth)
	}
	return unknownf("the equality of these values is not decided")
}

// equalPart compares parts of values at the given nesting depth.
func (m *Machine) equalPart(a, b value.Value, depth int) value.Value {
	const deepest = 1000
	switch {
	case value.Equal(a, b):
		return value.Bool(true)
	case !a.Loose() && !b.Loose():
		return value.Bool(false)
	case depth == deepest:
		return unknownf("the equality of values so deep is not decided")
	}
	return m.equalLoose(a, b, depth+1)
}

// both returns the conjunction of two Bools. It is false if either is false, even if the other is unknown.
func both(a, b value.Value) value.Value {
	if a.P == nil && a.True() || isFalse(b) {
		return b
	}
	return a
}

func isFalse(b value.Value) bool { return b.P == nil && !b.True() }

// equalArrays compares arrays at the indices of their stored elements, and elsewhere if there are other indices.
func (m *Machine) equalArrays(x, y *value.Array, depth int) value.Value {
	if m.apart(x, y) {
		return value.Bool(false)
	}
	if x.Rule != nil || y.Rule != nil {
		return unknownf("the equality of arrays that are given by functions is not decided")
	}
	all := value.Bool(true)
	seen := map[string]bool{}
	stored := uint64(0)
	for _, e := range append(x.Entries(), y.Entries()...) {
		m.key = e.Index.AppendKey(m.key[:0])
		if seen[string(m.key)] {
			continue
		}
		seen[string(m.key)] = true
		if e.Index.P != nil || e.Index.N < firstUnnamed {
			stored++
		}
		p, _ := m.Store.Select(x, e.Index)
		q, _ := m.Store.Select(y, e.Index)
		if all = both(all, m.equalPart(p, q, depth)); isFalse(all) {
			return all
		}
	}
	n, least, finite := x.Indices()
	if finite && stored >= n && !least {
		return all
	}
	rest := m.equalPart(x.Default, y.Default, depth)
	if isFalse(rest) && finite && stored >= n {
		rest = unknown(unnamedEqual)
	}
	return both(all, rest)
}

// apart reports whether two arrays are based on different abstract arrays, which are different values ("considered to
// be not equal like in the UF logic"). Stored elements can make them equal only if there are finitely many indices.
func (m *Machine) apart(x, y *value.Array) bool {
	f, g := m.abstractOf(x), m.abstractOf(y)
	if f == nil || g == nil || f == g {
		return false
	}
	_, finite := m.least(f.Params[0])
	elems, few := m.Sorts.Cardinality(f.Result)
	return (!finite || x.Len()+y.Len() == 0) && (!few || elems > 1)
}

// abstractOf returns the function of the abstract array that an array is based on, or nil.
func (m *Machine) abstractOf(a *value.Array) *term.Func {
	if a.Rule == nil {
		return nil
	}
	if fn := m.Funcs[m.closures[a.Rule.Function].fn]; fn.Abstract {
		return fn
	}
	return nil
}

// distinct compares all pairs by their keys.
func (m *Machine) distinct(args []value.Value) value.Value {
	if len(args) == 2 {
		return m.distinctPairs(args, 0)
	}
	seen := make(map[string]bool, len(args))
	for i, a := range args {
		if !rational(a) {
			return m.distinctPairs(args, i)
		}
		if a.Loose() {
			return m.distinctPairs(args, 0)
		}
		m.key = a.AppendKey(m.key[:0])
		if seen[string(m.key)] {
			return value.Bool(false)
		}
		seen[string(m.key)] = true
	}
	return value.Bool(true)
}

// distinctPairs compares all pairs that include a value of args[i:], because keys do not show whether such values are
// equal.
func (m *Machine) distinctPairs(args []value.Value, i int) value.Value {
	all := value.Bool(true)
	for j := range args {
		for k := max(i, j+1); k < len(args); k++ {
			eq := m.equal(args[j], args[k])
			if eq.P == nil {
				eq = value.Bool(!eq.True())
			}
			if all = both(all, eq); isFalse(all) {
				return all
			}
		}
	}
	return all
}
