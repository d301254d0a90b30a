package budget

import (
	"math/big"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// Bounds of a value. If every local value is twice as long as the one before, forty of them would fill any memory.
const (
	MaxValueBytes = 32 << 20 // of all texts in it together
	MaxValueParts = 1 << 20
)

// Computes reports whether the value of an expression can be larger than the values that it refers to.
func Computes(x hclsyntax.Expression) bool {
	switch x.(type) {
	case *hclsyntax.ScopeTraversalExpr, *hclsyntax.LiteralValueExpr:
		return false
	}
	return true
}

// ValueTooLarge reports whether a value exceeds the bounds. It stops counting at the bounds, since parts that are
// shared in memory are counted as often as they occur.
func ValueTooLarge(v cty.Value) bool {
	s := SizeOf(v)
	return s.Exceeded()
}

// SizeOf counts a value.
func SizeOf(v cty.Value) Size {
	s := Size{}
	s.add(v)
	return s
}

// Size is the size of a value, counted up to slightly more than the allowed amount.
type Size struct {
	Bytes, Parts int
	inSets       int // of the parts
}

// Exceeded reports whether the bounds of a value are exceeded.
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
		s.Parts += v.LengthInt() // its texts were counted in its source; cty sorts a set to visit it
		s.inSets += v.LengthInt()
	case t.IsCollectionType() || t.IsTupleType() || t.IsObjectType():
		for it := v.ElementIterator(); it.Next() && !s.Exceeded(); {
			_, part := it.Element()
			s.add(part)
		}
	}
}

// longNumber returns the additional parts that a number counts for: one for each bit of its exponent if it has many,
// since its text has all digits.
func longNumber(f *big.Float) int {
	const usual = 1 << 17
	if bits := f.MantExp(nil); bits > usual || bits < -usual {
		return max(bits, -bits)
	}
	return 0
}
