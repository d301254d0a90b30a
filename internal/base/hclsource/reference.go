package hclsource

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// References returns an expression's references to names defined outside it, in source order.
func References(e hcl.Expression) []hcl.Traversal {
	all := e.Variables()
	slices.SortStableFunc(all, func(a, b hcl.Traversal) int {
		return a.SourceRange().Start.Byte - b.SourceRange().Start.Byte
	})
	return all
}

// Calls calls visit for each function call in an expression.
func Calls(e hclsyntax.Node, visit func(*hclsyntax.FunctionCallExpr)) {
	_ = hclsyntax.VisitAll(e, func(n hclsyntax.Node) hcl.Diagnostics { // the visitor returns no diagnostics
		if call, ok := n.(*hclsyntax.FunctionCallExpr); ok {
			visit(call)
		}
		return nil
	})
}

// Step returns the name of a reference's step i, written as .name or ["name"]. Step 0 is the first name.
func Step(t hcl.Traversal, i int) (string, bool) {
	if i >= len(t) {
		return "", false
	}
	switch step := t[i].(type) {
	case hcl.TraverseRoot:
		return step.Name, true
	case hcl.TraverseAttr:
		return step.Name, true
	case hcl.TraverseIndex:
		// A computed key may be unknown, or sensitive and not to be shown.
		if k := step.Key; k.Type() == cty.String && k.IsKnown() && !k.IsNull() && !k.IsMarked() {
			return k.AsString(), true
		}
	}
	return "", false
}
