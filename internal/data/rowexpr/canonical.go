package rowexpr

import (
	"crypto/sha256"
	"encoding/hex"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// longValue is the size in bytes from which a constant is represented by its digest. For example, a key may contain a
// list of 45,000 removed benchmarks, which nobody reads there.
const longValue = 1024

// canonical writes the node with all parentheses and without spaces.
func (n *node) canonical(w *strings.Builder) {
	if n == nil {
		return
	}
	arg := func(i int) { n.args[i].canonical(w) }
	switch n.op {
	case opConst:
		w.WriteString(shown(n.val, n.secret))
	case opColumn, opRow, opLocal:
		w.WriteString(n.name)
	case opError:
		w.WriteString("error(" + strconv.Quote(n.name) + ")")
	case opUnary:
		w.WriteString(n.name)
		arg(0)
	case opBinary:
		w.WriteByte('(')
		arg(0)
		w.WriteString(n.name)
		arg(1)
		w.WriteByte(')')
	case opCond:
		w.WriteByte('(')
		arg(0)
		w.WriteByte('?')
		arg(1)
		w.WriteByte(':')
		arg(2)
		w.WriteByte(')')
	case opInline:
		arg(len(n.args) - 1)
	case opCall:
		w.WriteString(n.name)
		n.list(w, "(", ")")
	case opTemplate:
		n.list(w, "concat(", ")")
	case opTuple:
		n.list(w, "["+n.name, "]")
	default:
		n.canonicalRare(w, arg)
	}
}

func (n *node) canonicalRare(w *strings.Builder, arg func(int)) {
	switch n.op {
	case opGet:
		arg(0)
		w.WriteString(n.name)
	case opIndex:
		arg(0)
		w.WriteByte('[')
		arg(1)
		w.WriteByte(']')
	case opSplat:
		arg(0)
		w.WriteString("[*]")
		arg(1)
	case opObject:
		n.list(w, "{", "}")
	case opFor:
		w.WriteString("{" + n.name + " in ")
		n.list(w, "", "}")
	}
}

func (n *node) list(w *strings.Builder, open, end string) {
	w.WriteString(open)
	for i, a := range n.args {
		if i > 0 {
			w.WriteByte(',')
		}
		a.canonical(w)
	}
	w.WriteString(end)
}

func traversalText(t hcl.Traversal) string {
	var w strings.Builder
	for _, step := range t {
		switch s := step.(type) {
		case hcl.TraverseAttr:
			w.WriteString("." + s.Name)
		case hcl.TraverseIndex:
			w.WriteString("[" + valueText(s.Key) + "]")
		case hcl.TraverseSplat:
			w.WriteString("[*]" + traversalText(s.Each))
		}
	}
	return w.String()
}

// shown returns a constant's text, or its digest if it is long or secret.
func shown(v cty.Value, secret bool) string {
	text := valueText(v)
	switch {
	case secret:
		return Secret(text)
	case len(text) <= longValue:
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Secret returns the text that replaces a sensitive value in keys: different values produce different keys, but nobody
// can read the value there. The value is digested with a prefix, because the result must differ from the digest of a
// file with that content.
//
// A digest does not hide a guessable value: a short number or word can be found by exhaustive search.
func Secret(text string) string {
	sum := sha256.Sum256([]byte("smtpipe sensitive value\x00" + text))
	return "(sensitive) sha256:" + hex.EncodeToString(sum[:])
}

// valueText returns the text of a value. Two values have the same text only if no expression can distinguish them.
func valueText(v cty.Value) string {
	var w strings.Builder
	writeValue(&w, v)
	return w.String()
}

func writeValue(w *strings.Builder, v cty.Value) {
	t := v.Type()
	switch {
	case !v.IsKnown():
		w.WriteString("unknown(" + t.FriendlyNameForConstraint() + ")")
	case v.IsNull():
		w.WriteString("null")
	case t == cty.String:
		w.WriteString(strconv.Quote(v.AsString()))
	case t == cty.Bool:
		w.WriteString(strconv.FormatBool(v.True()))
	case t == cty.Number:
		w.WriteString(numberText(v.AsBigFloat()))
	case t.IsTupleType():
		writeElements(w, "[", v, "]")
	case t.IsListType():
		writeElements(w, "list("+t.ElementType().FriendlyName()+")[", v, "]")
	case t.IsSetType():
		writeElements(w, "set("+t.ElementType().FriendlyName()+")[", v, "]")
	case t.IsMapType():
		writeEntries(w, "map("+t.ElementType().FriendlyName()+"){", v)
	case t.IsObjectType():
		writeEntries(w, "{", v)
	default:
		w.WriteString(t.FriendlyName())
	}
}

// writeElements writes the elements in their order. cty orders a set only by its values.
func writeElements(w *strings.Builder, open string, v cty.Value, end string) {
	w.WriteString(open)
	first := true
	for it := v.ElementIterator(); it.Next(); {
		if !first {
			w.WriteByte(',')
		}
		first = false
		_, elem := it.Element()
		writeValue(w, elem)
	}
	w.WriteString(end)
}

func writeEntries(w *strings.Builder, open string, v cty.Value) {
	entries := v.AsValueMap()
	keys := make([]string, 0, len(entries))
	for k := range entries {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	w.WriteString(open)
	for i, k := range keys {
		if i > 0 {
			w.WriteByte(',')
		}
		w.WriteString(strconv.Quote(k) + "=")
		writeValue(w, entries[k])
	}
	w.WriteByte('}')
}

// numberText returns equal texts for equal numbers, whatever their precision, and different texts for different
// numbers.
func numberText(f *big.Float) string {
	if f.Sign() == 0 {
		return "0" // -0 equals 0
	}
	if f.MinPrec() > precision {
		return f.Text('p', 0)
	}
	return new(big.Float).SetPrec(precision).Set(f).Text('g', -1)
}
