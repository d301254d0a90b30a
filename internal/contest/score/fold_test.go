package score

import (
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// TestFold checks that folding removes exactly the parts that readings decide. The rest must evaluate to the same
// result for run a.
func TestFold(t *testing.T) {
	outer := &hcl.EvalContext{Variables: map[string]cty.Value{
		"reading":  cty.ObjectVal(map[string]cty.Value{"late": cty.StringVal("drop")}),
		"practice": cty.ObjectVal(map[string]cty.Value{"on": cty.True, "off": cty.False}),
		"track":    cty.StringVal("single_query"),
	}}
	for _, test := range []struct {
		src   string
		reads string // "a": the run is read; "true" or "false": a literal; "track": none of these
	}{
		{`practice.on`, "true"},
		{`!practice.on`, "false"},
		{`reading.late == "drop"`, "true"},
		{`practice.on && a`, "a"},
		{`a && practice.on`, "a"},
		{`practice.off && a`, "false"},
		{`a && practice.off`, "false"},
		{`practice.on || a`, "true"},
		{`a || practice.on`, "true"},
		{`practice.off || a`, "a"},
		{`a || (reading.late == "keep")`, "a"},
		{`reading.late == "drop" ? a : practice.off`, "a"},
		{`reading.late == "keep" ? a : practice.off`, "false"},
		{`reading.late == "keep" ? practice.on : a == b`, "a"},
		{`track == "single_query"`, "track"}, // only readings and switches are folded
		{`practice.gone && a`, "a"},          // an invalid reference stays, so the error is reported later
	} {
		e, diags := hclsyntax.ParseExpression([]byte(test.src), "test", hcl.InitialPos)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		got := fold(e, outer)
		yes, ok := decided(got.(hclsyntax.Expression))
		if want := test.reads == "true" || test.reads == "false"; ok != want || want && yes != (test.reads == "true") {
			t.Errorf("%s is decided: %v, %v; want %s", test.src, ok, yes, test.reads)
		}
		if ok {
			continue
		}
		roots := map[string]bool{}
		for _, v := range got.Variables() {
			roots[v.RootName()] = true
		}
		if !roots[test.reads] || roots["reading"] || roots["practice"] != (test.src == "practice.gone && a") {
			t.Errorf("%s reads %v, want %s", test.src, roots, test.reads)
		}
	}
	for _, src := range []string{"1", `"x"`, "null"} { // non-boolean literals
		e, _ := hclsyntax.ParseExpression([]byte(src), "test", hcl.InitialPos)
		if _, ok := decided(e); ok {
			t.Errorf("%s is a truth value", src)
		}
	}
}
