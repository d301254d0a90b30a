package score

import (
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// TestRounding checks that, as in pipelines, floor and ceil in rule sets tolerate the last bits of a decimal fraction:
// 100 * 0.63 is 63, although 0.63 as a binary number is slightly less.
func TestRounding(t *testing.T) {
	t.Parallel()
	tests := []struct {
		src  string
		want int64
	}{
		{"floor(100 * 0.63)", 63},
		{"ceil(100 * 0.07)", 7},
		{"floor(62.9)", 62},
		{"ceil(62.1)", 63},
	}
	for _, tt := range tests {
		expr, diags := hclsyntax.ParseExpression([]byte(tt.src), "test", hcl.InitialPos)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		got, diags := expr.Value(&hcl.EvalContext{Functions: ruleFunctions})
		if diags.HasErrors() || !got.RawEquals(cty.NumberIntVal(tt.want)) {
			t.Errorf("%s is %#v, %v; want %d", tt.src, got, diags, tt.want)
		}
	}
}
