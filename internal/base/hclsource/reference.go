package hclsource

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// References returns the references of an expression to names from outside, in the order of the source.
func References(e hcl.Expression) []hcl.Traversal {
	all := e.Variables()
	slices.SortStableFunc(all, func(a, b hcl.Traversal) int {
		return a.SourceRange().Start.Byte - b.SourceRange().Start.Byte
	})
	return all
}

// Calls visits the calls of functions in an expression.
func Calls(e hclsyntax.Node, visit func(*hclsyntax.FunctionCallExpr)) {
	_ = hclsyntax.VisitAll(e, func(n hclsyntax.Node) hcl.Diagnostics { // the visitor returns no errors
		if call, ok := n.(*hclsyntax.FunctionCallExpr); ok {
			visit(call)
		}
		return nil
	})
}

// Step returns the name of step i of a reference, written as .name or ["name"]; step 0 is its first word.
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
		// A computed key may be sensitive, so that it must not be shown, or unknown.
		if k := step.Key; k.Type() == cty.String && k.IsKnown() && !k.IsNull() && !k.IsMarked() {
			return k.AsString(), true
		}
	}
	return "", false
}
