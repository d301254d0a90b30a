package budget

import (
	"math/big"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// Bounds of a value. Without them, forty local values that each double the previous one would exhaust the memory of any
// machine.
const (
	MaxValueBytes = 32 << 20 // total bytes of its texts
	MaxValueParts = 1 << 20
)

// Computes reports whether an expression's value can be larger than the values that it refers to.
func Computes(x hclsyntax.Expression) bool {
	switch x.(type) {
	case *hclsyntax.ScopeTraversalExpr, *hclsyntax.LiteralValueExpr:
		return false
	}
	return true
}

// ValueTooLarge reports whether a value exceeds the bounds. It stops counting there, because a part that is shared in
// memory counts each time it occurs.
func ValueTooLarge(v cty.Value) bool {
	s := SizeOf(v)
	return s.Exceeded()
}

// SizeOf returns the size of a value.
func SizeOf(v cty.Value) Size {
	s := Size{}
	s.add(v)
	return s
}

// Size is the size of a value. Counting stops slightly above the bounds.
type Size struct {
	Bytes, Parts int
	inSets       int // number of parts that are set elements
}

// Exceeded reports whether the size exceeds the bounds of a value.
func (s *Size) Exceeded() bool { return s.Bytes > MaxValueBytes || s.Parts > MaxValueParts }

func (s *Size) add(v cty.Value) {
	v, _ = v.Unmark()
	s.Parts++
	if !v.IsKnown() || v.IsNull() || s.Exceeded() {
		return
	}
	switch t := v.Type(); {
	case t == cty.String:
		s.Bytes += len(v.AsString())
	case t == cty.Number:
		s.Parts += longNumber(v.AsBigFloat())
	case t.IsSetType():
		s.Parts += v.LengthInt() // the texts were counted at their source; iterating over a set would sort it
		s.inSets += v.LengthInt()
	case t.IsCollectionType() || t.IsTupleType() || t.IsObjectType():
		for it := v.ElementIterator(); it.Next() && !s.Exceeded(); {
			_, part := it.Element()
			s.add(part)
		}
	}
}

// longNumber returns the number of additional parts that a number counts as: one for each bit of a large exponent,
// because its text contains every digit.
func longNumber(f *big.Float) int {
	const usual = 1 << 17
	if bits := f.MantExp(nil); bits > usual || bits < -usual {
		return max(bits, -bits)
	}
	return 0
}
