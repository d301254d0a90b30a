package model

import (
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/sorts"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/value"
)

// Atom is an atom that makes an assertion false, with its text, its truth value, and the values of its terms.
type Atom struct {
	Position smtlib.Position // position in the benchmark
	Text     string
	True     bool
	Terms    []TermValue
}

// TermValue is a benchmark term and its value, both as SMT-LIB text.
type TermValue struct{ Text, Value string }

// Limits of the explanation of a false assertion.
const (
	maxAtoms     = 10
	maxTerms     = 12 // per atom
	maxAtomNodes = 10_000
	maxText      = 120 // bytes per text
)

// reasons collects the atoms that determine a term's value.
type reasons struct {
	v    *validation
	g    *term.Graph
	vals []value.Value
	seen map[int32]bool
	out  []Atom
}

// atoms returns the atoms that make a false term false. If one operand determines the value of a connective, only that
// operand's atoms are returned.
func (v *validation) atoms(g *term.Graph, node int32, vals []value.Value) []Atom {
	r := reasons{v: v, g: g, vals: vals, seen: map[int32]bool{}}
	todo := []int32{node}
	for len(todo) > 0 && len(r.out) < maxAtoms && len(r.seen) < maxAtomNodes {
		next := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !r.seen[next] {
			r.seen[next] = true
			todo = append(todo, r.parts(next)...)
		}
	}
	return r.out
}

// parts returns the terms that determine the value of a Bool term, in reverse order. For an atom, it records the atom
// and returns nil.
func (r *reasons) parts(node int32) []int32 {
	n := &r.g.Nodes[node]
	kids := r.g.Kids(n)
	val := r.vals[node]
	if val.UnknownOf() != nil {
		return nil
	}
	switch n.Op {
	case term.Alias:
		return []int32{n.A}
	case term.And, term.Or:
		return r.operands(kids, val.True() == (n.Op == term.Or), val)
	case term.Implies:
		return r.implied(kids, val)
	case term.Not, term.Xor:
		return reversed(kids)
	case term.Ite:
		if c := r.vals[kids[0]]; c.UnknownOf() == nil {
			branch := kids[2]
			if c.True() {
				branch = kids[1]
			}
			return []int32{branch, kids[0]}
		}
	case term.Eq, term.Distinct:
		if r.g.Nodes[kids[0]].Sort == sorts.BoolID {
			return reversed(kids)
		}
	case term.Const:
		return nil
	}
	r.atom(node)
	return nil
}

// operands returns all operands, or if the flag one is set, only the first operand whose value is val.
func (r *reasons) operands(kids []int32, one bool, val value.Value) []int32 {
	if !one {
		return reversed(kids)
	}
	for _, k := range kids {
		if x := r.vals[k]; x.UnknownOf() == nil && x.True() == val.True() {
			return []int32{k}
		}
	}
	return nil
}

// implied is like parts, for an implication. A false premise or a true conclusion makes it true; all operands together
// make it false.
func (r *reasons) implied(kids []int32, val value.Value) []int32 {
	if !val.True() {
		return reversed(kids)
	}
	last := len(kids) - 1
	if p := r.operands(kids[:last], true, value.Bool(false)); p != nil {
		return p
	}
	return kids[last:]
}

func reversed(kids []int32) []int32 {
	kids = slices.Clone(kids)
	slices.Reverse(kids)
	return kids
}

// atom records an atom with the values of its operands and of the functions applied inside it.
func (r *reasons) atom(node int32) {
	a := Atom{Position: r.v.script.Position(r.pos(node)), Text: r.text(node), True: r.vals[node].True()}
	told := map[string]bool{a.Text: true}
	tell := func(k int32) {
		text, val := r.text(k), r.vals[k]
		if told[text] || len(a.Terms) >= maxTerms || val.UnknownOf() != nil || r.literal(k) {
			return
		}
		told[text] = true
		a.Terms = append(a.Terms, TermValue{text, abridged(r.v.show(r.g.Nodes[k].Sort, val, 0))})
	}
	kids := r.g.Kids(&r.g.Nodes[node])
	for _, k := range kids {
		tell(k)
	}
	seen := map[int32]bool{}
	todo := reversed(kids)
	for len(todo) > 0 && len(seen) < maxAtomNodes && len(a.Terms) < maxTerms {
		k := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[k] {
			continue
		}
		seen[k] = true
		n := &r.g.Nodes[k]
		if n.Op == term.Call {
			tell(k)
		}
		if n.Op == term.Alias || n.Op == term.CaseVar {
			todo = append(todo, n.A)
			continue
		}
		todo = append(todo, reversed(r.g.Kids(n))...)
	}
	r.out = append(r.out, a)
}

// literal reports whether a node is a theory constant or a constructor without arguments, whose text is its value.
func (r *reasons) literal(node int32) bool {
	n := &r.g.Nodes[node]
	negative := n.Op == term.Neg && r.g.Nodes[r.g.Kids(n)[0]].Op == term.Const
	return n.Op == term.Const || (n.Op == term.Construct && n.Len == 0) || negative
}

func (r *reasons) pos(node int32) uint32 { return r.v.script.Term(smtlib.TermID(r.g.First + node)).Pos }

// text returns a term's text in the benchmark, on one line.
func (r *reasons) text(node int32) string {
	const most = 4096
	from := int(r.pos(node))
	text := string(r.v.source[from:min(len(r.v.source), from+most)])
	return abridged(strings.Join(strings.Fields(text[:expressionLength(text)]), " "))
}

// abridged truncates a long text.
func abridged(s string) string {
	if len(s) <= maxText {
		return s
	}
	return strings.ToValidUTF8(s[:maxText-3], "") + "..."
}
