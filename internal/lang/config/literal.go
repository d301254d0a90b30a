package config

import (
	"fmt"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// text returns a constant string attribute. ok is false if the attribute is missing or invalid; it reports an invalid
// one.
func (l *loader) text(b *hclsyntax.Body, name string) (s string, ok bool) {
	v, ok := l.constant(b, name, cty.String)
	if !ok {
		return "", false
	}
	return v.AsString(), true
}

// truth returns a constant bool, or false if the attribute is missing or invalid; it reports an invalid one.
func (l *loader) truth(b *hclsyntax.Body, name string) bool {
	v, ok := l.constant(b, name, cty.Bool)
	return ok && v.True()
}

// constant returns a constant of the given type. ok is false if it is missing, null or invalid.
func (l *loader) constant(b *hclsyntax.Body, name string, want cty.Type) (cty.Value, bool) {
	at, given, ok := l.literal(b, name)
	if !ok || given.IsNull() {
		return cty.NilVal, false
	}
	v, err := convert.Convert(given, want)
	if err != nil || !v.IsKnown() {
		l.report(at, "Wrong type", fmt.Sprintf("%q must be a %s.", name, typeName(want)))
		return cty.NilVal, false
	}
	return v, true
}
