package score

import (
	"testing"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// TestLiterals checks that a number is either a time in seconds with at most twelve decimals, or a factor, which must
// be whole and below a million.
func TestLiterals(t *testing.T) {
	for _, test := range []struct {
		number string
		time   Time
		factor bool
	}{
		{"0", 0, true}, {"1", Second, true}, {"0.25", Second / 4, false}, {"1.000000000001", Second + 1, false},
		{"999999", 999_999 * Second, true}, {"1000000", 1_000_000 * Second, false}, {"1.5", 3 * Second / 2, false},
	} {
		var c timeCompiler
		e := &hclsyntax.LiteralValueExpr{Val: cty.MustParseNumberVal(test.number)}
		got, _ := c.literal(e).Value(nil)
		if want := cty.NumberIntVal(int64(test.time)); !got.RawEquals(want) || len(c.diags) > 0 {
			t.Errorf("%s is %#v, want %#v; %v", test.number, got, want, c.diags)
		}
		if got := factor(e); got != test.factor {
			t.Errorf("%s is a factor: %t, want %t", test.number, got, test.factor)
		}
	}
	var c timeCompiler
	e := &hclsyntax.LiteralValueExpr{Val: cty.NumberIntVal(-1)}
	if c.literal(e); len(c.diags) != 1 || factor(e) {
		t.Errorf("a negative number is a time or a factor: %v", c.diags)
	}
}
