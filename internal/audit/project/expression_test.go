package project

import (
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// TestExpression checks that an expression's value is the value that it was written for.
func TestExpression(t *testing.T) {
	long := cty.StringVal(strings.Repeat("benchmark", 20))
	for _, v := range []cty.Value{
		cty.StringVal("${a} %{ if b } $${c} \"d\" \\ \t\r\n \x01\x7f\u00a0\u2028 ü 🙂"),
		cty.NumberFloatVal(0.1), cty.NumberFloatVal(1e-9), cty.NumberIntVal(-7),
		cty.MustParseNumberVal("123456789012345678901234567890"),
		cty.True, cty.NullVal(cty.String), cty.EmptyObjectVal, cty.EmptyTupleVal,
		cty.ObjectVal(map[string]cty.Value{"a": cty.Zero, "not a name ${x}": cty.TupleVal([]cty.Value{long, long})}),
	} {
		text := Expression(v)
		expr, diags := hclsyntax.ParseExpression([]byte(text), "", hcl.InitialPos)
		if diags.HasErrors() {
			t.Errorf("%s: %s", text, diags)
			continue
		}
		got, diags := expr.Value(nil)
		if got, err := convert.Convert(got, v.Type()); diags.HasErrors() || err != nil || !got.RawEquals(v) {
			t.Errorf("%s is %#v, want %#v: %v", text, got, v, diags)
		}
	}
}
