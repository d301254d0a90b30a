package eval

import (
	"encoding/binary"

	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/value"
)

// A value is open if neither the theory nor the model defines it. Partial functions are still functions, so equal
// arguments produce equal values. Open values are therefore numbered by the terms that produce them, which makes a
// comparison of a value with itself decidable.

// maxOpenTerms limits the number of numbered terms, and so their memory.
const maxOpenTerms = 1 << 20

// derived returns v, the value of node n of g at args. If v is open, it gets a number that identifies the operator with
// these arguments.
func (m *Machine) derived(g *term.Graph, n *term.Node, args []value.Value, v value.Value) value.Value {
	u := v.UnknownOf()
	switch {
	case u == elsewhere:
		return unknown(boundVariable)
	case u == nil || !u.Partial:
		return v
	}
	c := *u
	c.Term = m.openTerm(g, n, args)
	return unknown(&c)
}

// anonymous returns an Unknown for a term that depends on v but is a different value. It is open like v, but without
// the number.
func anonymous(v value.Value) value.Value {
	u := v.UnknownOf()
	switch {
	case u == elsewhere:
		return unknown(boundVariable)
	case u.Term == 0:
		return v
	}
	c := *u
	c.Term = 0
	return unknown(&c)
}

// openTerm returns the number of a node's operator with its arguments, or 0 if an unknown argument has no number.
func (m *Machine) openTerm(g *term.Graph, n *term.Node, args []value.Value) uint64 {
	k := append([]byte(nil), byte(n.Op))
	for _, i := range [...]int32{n.A, n.B, int32(n.Sort)} {
		k = binary.AppendVarint(k, int64(i))
	}
	kids := g.Kids(n)
	for i, a := range args {
		k = binary.AppendVarint(k, int64(g.Nodes[kids[i]].Sort))
		u := a.UnknownOf()
		switch {
		case u == nil:
			k = a.AppendKey(append(k, 0))
		case u.Term == 0:
			return 0
		default:
			k = binary.AppendUvarint(append(k, 1), u.Term)
		}
		if len(k) > maxKey {
			return 0
		}
	}
	number, ok := m.openTerms[string(k)]
	if !ok && len(m.openTerms) < maxOpenTerms {
		number = uint64(len(m.openTerms) + 1)
		m.openTerms[string(k)] = number
	}
	return number
}

// strict returns the value of a strict operator at args, of which at least one is unknown. first is the first Unknown.
func (m *Machine) strict(g *term.Graph, n *term.Node, args []value.Value, first value.Value) value.Value {
	if len(args) == 2 && (n.Op == term.Eq || n.Op == term.Distinct) {
		if equal, decided := m.elsewhereEqual(args[0], args[1]); decided {
			return value.Bool(equal == (n.Op == term.Eq))
		}
	}
	if !first.UnknownOf().Partial {
		return anonymous(first)
	}
	switch n.Op {
	case term.Eq:
		if equal, decided := m.equalOpen(args); decided {
			return value.Bool(equal)
		}
	case term.Distinct:
		if m.someEqual(args) {
			return value.Bool(false)
		}
	case term.Le, term.Ge, term.Lt, term.Gt:
		if len(args) == 2 && sameOpen(args[0], args[1]) {
			return value.Bool(n.Op == term.Le || n.Op == term.Ge)
		}
	}
	return m.derived(g, n, args, first)
}

// sameOpen reports whether two values are the same open value.
func sameOpen(a, b value.Value) bool {
	u, w := a.UnknownOf(), b.UnknownOf()
	return u != nil && w != nil && u.Term != 0 && u.Term == w.Term
}

// equalOpen compares adjacent values. All of them must be equal, so two known values that differ decide the result.
func (m *Machine) equalOpen(args []value.Value) (equal, decided bool) {
	equal = true
	for i := 1; i < len(args); i++ {
		a, b := args[i-1], args[i]
		if a.UnknownOf() != nil || b.UnknownOf() != nil {
			equal = equal && sameOpen(a, b)
			continue
		}
		switch eq := m.equal(a, b); {
		case eq.P != nil:
			equal = false
		case !eq.True():
			return false, true
		}
	}
	return equal, equal
}

// someEqual reports whether any two arguments are known to be equal.
func (m *Machine) someEqual(args []value.Value) bool {
	seen := map[uint64]bool{}
	for _, a := range args {
		if u := a.UnknownOf(); u != nil && u.Term != 0 {
			if seen[u.Term] {
				return true
			}
			seen[u.Term] = true
		}
	}
	return false
}
