package config

import (
	"fmt"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// Bounds of a value. A text that is twice another one doubles with every local value on the way, and forty of them
// would fill any memory.
const (
	maxValueBytes = 32 << 20 // of all texts in it together
	maxValueParts = 1 << 20
)

var tooLargeText = fmt.Sprintf("A value has at most %d MiB of text and %d parts, and this one has more. Large data "+
	"belongs in files and tables, which stages read.",
	maxValueBytes>>20, maxValueParts)

// computes reports whether the value of an expression can be larger than those that it refers to.
func computes(x hclsyntax.Expression) bool {
	switch x.(type) {
	case *hclsyntax.ScopeTraversalExpr, *hclsyntax.LiteralValueExpr:
		return false
	}
	return true
}

// tooLarge reports whether a value exceeds the bounds. It stops counting there, since parts that are shared in memory
// are counted as often as they occur.
func tooLarge(v cty.Value) bool {
	s := sizeOf(v)
	return s.exceeded()
}

func sizeOf(v cty.Value) size {
	s := size{}
	s.add(v)
	return s
}

type size struct {
	bytes, parts int
	inSets       int // of the parts
}

func (s *size) exceeded() bool { return s.bytes > maxValueBytes || s.parts > maxValueParts }

func (s *size) add(v cty.Value) {
	v, _ = v.Unmark()
	s.parts++
	if !v.IsKnown() || v.IsNull() || s.exceeded() {
		return
	}
	switch t := v.Type(); {
	case t == cty.String:
		s.bytes += len(v.AsString())
	case t.IsSetType():
		s.parts += v.LengthInt() // its texts were counted in what it was made of; cty sorts a set to visit it
		s.inSets += v.LengthInt()
	case t.IsCollectionType() || t.IsTupleType() || t.IsObjectType():
		for it := v.ElementIterator(); it.Next() && !s.exceeded(); {
			_, part := it.Element()
			s.add(part)
		}
	}
}
