package eval

import (
	"slices"

	"github.com/smtpipe/smtpipe/internal/smt/validate/model/fp"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/sorts"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/value"
)

// PartialKey identifies a function that a theory leaves open for some arguments. It consists of the operator and
// whatever distinguishes the operator's functions: for a selector, the datatype, constructor and field; for a
// conversion, the format, and in A the bit-vector's sort; for fp.min, fp.max and powers, the sort.
type PartialKey struct {
	Op   term.Op
	Sort sorts.ID
	A, B int32
}

// KeyOf returns the key of the partial function that a node applies. ok is false if it does not apply one.
//
// Source: the theories of SMT-LIB 2.7. The following are open: division by zero in Ints and Reals; selectors of other
// constructors; in FloatingPoint, conversions of values that do not fit, and fp.min and fp.max of two different zeros.
// Bit-vector division and all functions on arrays and strings are total. Powers and sequences are not in any theory;
// seq.nth is open outside the sequence.
func KeyOf(g *term.Graph, n *term.Node) (key PartialKey, ok bool) {
	kid := func(i int) sorts.ID { return g.Nodes[g.Kids(n)[i]].Sort }
	switch n.Op {
	case term.RealDiv, term.IntDiv, term.Mod, term.Rem:
		return PartialKey{Op: n.Op}, true
	case term.Pow, term.FpMin, term.FpMax:
		return PartialKey{Op: n.Op, Sort: n.Sort}, true
	case term.FpToReal, term.SeqNth:
		return PartialKey{Op: n.Op, Sort: kid(0)}, true
	case term.FpToUbv, term.FpToSbv:
		return PartialKey{Op: n.Op, Sort: kid(1), A: int32(n.Sort)}, true
	case term.Selector:
		return PartialKey{Op: n.Op, Sort: kid(0), A: n.A, B: n.B}, true
	}
	return PartialKey{}, false
}

// Completion chooses the values of partial functions that neither a theory nor the model defines. It chooses zero-like
// values, and for fp.min and fp.max of two different zeros the negative or positive zero. These results may depend on
// the order of the operands, so there are two choices for each function: element 0 if the first operand is the positive
// zero, element 1 if it is the negative one.
type Completion struct {
	MinNegative, MaxNegative [2]bool
	Used                     bool // a value was chosen, other than for fp.min and fp.max
	UsedMinMax               bool
}

// open returns the value of a partial function outside its domain.
func open(format string, args ...any) value.Value {
	v := unknownf(format, args...)
	v.UnknownOf().Partial = true
	return v
}

// settle returns the value of node n at args, given its value v according to the theory alone. If v is open, the result
// comes from the model's definition or the completion. Otherwise v must agree with the definition.
func (m *Machine) settle(g *term.Graph, n *term.Node, args []value.Value, v value.Value) value.Value {
	if len(m.Partial) == 0 && m.Complete == nil {
		return v
	}
	u := v.UnknownOf()
	if u != nil && !u.Partial {
		return v
	}
	key, ok := KeyOf(g, n)
	if !ok {
		return v
	}
	f, defined := m.Partial[key]
	switch {
	case defined && int32(f) != g.Refines && (u != nil || m.Extends[f]):
		args = args[:min(len(args), len(m.Funcs[f].Params))] // z3's div0 takes only the dividend
		return m.refined(n, int32(f), v, slices.Clone(args))
	case u != nil:
		return m.complete(n, args, v)
	}
	return v
}

// maxNested limits the nesting of partial functions' definitions, because evaluating them uses Go's call stack.
const maxNested = 10_000

// refined returns the value of the model's function f for node n if v, its value in the theory, is open, and otherwise
// v.
func (m *Machine) refined(n *term.Node, f int32, v value.Value, args []value.Value) value.Value {
	if m.nested == maxNested {
		return unknownf("the model's definition of %s needs others, or itself, more than %d levels deep",
			m.Funcs[f].Name, maxNested)
	}
	m.nested++
	other := m.Apply(f, args)
	m.nested--
	conflict := false
	switch {
	case other.UnknownOf() != nil && v.UnknownOf() != nil:
		return other
	case other.UnknownOf() != nil:
		return v
	case v.UnknownOf() == nil:
		eq := m.equal(v, other)
		conflict = eq.P == nil && !eq.True()
	default: // any value may be chosen, but for fp.min and fp.max only a zero
		v = other
		format, _ := m.formatOf(n.Sort)
		conflict = (n.Op == term.FpMin || n.Op == term.FpMax) && unpack(format, other).Class != fp.Zero
	}
	if conflict {
		return unknown(&value.Unknown{Conflict: true, Reason: "the model's definition of " + m.Funcs[f].Name +
			" gives another value than the theory where the theory has one"})
	}
	return v
}

// complete returns the completion's choice for the open value v of node n, or v if there is none.
func (m *Machine) complete(n *term.Node, args []value.Value, v value.Value) value.Value {
	c := m.Complete
	if c == nil {
		return v
	}
	if n.Op == term.FpMin || n.Op == term.FpMax {
		c.UsedMinMax = true
		format, _ := m.formatOf(n.Sort)
		negative := c.MinNegative
		if n.Op == term.FpMax {
			negative = c.MaxNegative
		}
		first := 0
		if unpack(format, args[0]).Neg {
			first = 1
		}
		return pack(format, fp.Float{Class: fp.Zero, Neg: negative[first]})
	}
	if zero, ok := m.zero(n.Sort, 0); ok {
		c.Used = true
		return zero
	}
	return v
}

// isChain reports whether a node is a division of more than two numbers. Each step of it may be open.
func isChain(n *term.Node, args []value.Value) bool {
	return (n.Op == term.RealDiv || n.Op == term.IntDiv) && len(args) > 2
}

// divisions computes a division of more than two numbers, which is left-associative.
func (m *Machine) divisions(g *term.Graph, n *term.Node, args []value.Value) value.Value {
	r := args[0]
	for _, a := range args[1:] {
		pair := []value.Value{r, a}
		if r = m.settle(g, n, pair, m.arith(n, pair)); r.UnknownOf() != nil {
			break
		}
	}
	return m.derived(g, n, args, r)
}
