package eval

import (
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/sorts"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/value"
)

// maxSeq is the maximum number of elements in a sequence.
const maxSeq = 1 << 20

// seq computes the functions on sequences. It computes most of them as functions on strings whose characters represent
// the elements.
func (m *Machine) seq(g *term.Graph, n *term.Node, args []value.Value) value.Value {
	switch n.Op {
	case term.SeqEmpty:
		return m.Store.Data(int32(n.Sort), 0, nil)
	case term.SeqUnit:
		e := m.canonical(m.Sorts.At(n.Sort).Args[0], args[0])
		if e.UnknownOf() != nil {
			return e
		}
		return m.Store.Data(int32(n.Sort), 1, []value.Value{e})
	case term.SeqNth:
		elems := args[0].P.(*value.Data).Args
		if i := position(args[1]); i >= 0 && i < len(elems) {
			return elems[i]
		}
		return open("seq.nth is applied to a position outside of the sequence")
	}
	a := alphabet{numbers: map[string]rune{}}
	texts := make([]value.Value, len(args))
	total := 0
	for i, v := range args {
		d, ok := v.P.(*value.Data)
		if !ok {
			texts[i] = v
			continue
		}
		if total += len(d.Args); total > maxSeq {
			return unknownf("sequences of more than %d elements are not computed", maxSeq)
		}
		if v.Loose() && !positional(n) {
			return unknownf("the equality of these elements of sequences is not decided")
		}
		texts[i] = a.text(d.Args, v.Loose())
	}
	out := m.str(&term.Node{Op: term.Op(n.A), Sort: sorts.StringID}, texts)
	t, ok := out.P.(value.Text)
	switch {
	case !ok:
		return out
	case len(t) > maxSeq:
		return unknownf("sequences of more than %d elements are not computed", maxSeq)
	}
	elems := make([]value.Value, len(t))
	for i, c := range t {
		elems[i] = a.elems[c]
	}
	return m.Store.Data(int32(n.Sort), len(elems), elems)
}

// positional reports whether a function does not compare elements.
func positional(n *term.Node) bool {
	switch term.Op(n.A) {
	case term.StrConcat, term.StrLen, term.StrAt, term.StrSubstr, term.StrUpdate, term.StrReverse:
		return true
	}
	return false
}

// alphabet maps elements to characters.
type alphabet struct {
	numbers map[string]rune
	elems   []value.Value
	key     []byte
}

// text returns elements as characters. If apart is set, equal elements may become different characters.
func (a *alphabet) text(elems []value.Value, apart bool) value.Value {
	out := make(value.Text, len(elems))
	for i, e := range elems {
		a.key = e.AppendKey(a.key[:0])
		c, ok := a.numbers[string(a.key)]
		if !ok || apart {
			c = rune(len(a.elems))
			a.elems = append(a.elems, e)
			a.numbers[string(a.key)] = c
		}
		out[i] = c
	}
	return value.Value{P: out}
}
