package score

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// fold evaluates the parts of an expression that depend only on readings and practice switches: it removes constant
// operands of && and || together with the operator, and replaces a conditional with the branch taken. The rest varies
// by row.
func fold(e hcl.Expression, outer *hcl.EvalContext) hcl.Expression {
	if syntax, ok := e.(hclsyntax.Expression); ok {
		return foldSyntax(syntax, outer)
	}
	return e
}

func foldSyntax(e hclsyntax.Expression, outer *hcl.EvalContext) hclsyntax.Expression {
	switch e := e.(type) {
	case *hclsyntax.ParenthesesExpr:
		return foldSyntax(e.Expression, outer)
	case *hclsyntax.UnaryOpExpr:
		out := *e
		out.Val = foldSyntax(e.Val, outer)
		return constant(&out, outer)
	case *hclsyntax.BinaryOpExpr:
		return foldBinary(e, outer)
	case *hclsyntax.ConditionalExpr:
		out := *e
		out.Condition = foldSyntax(e.Condition, outer)
		out.TrueResult, out.FalseResult = foldSyntax(e.TrueResult, outer), foldSyntax(e.FalseResult, outer)
		if yes, ok := decided(out.Condition); ok {
			if yes {
				return out.TrueResult
			}
			return out.FalseResult
		}
		return &out
	case *hclsyntax.ScopeTraversalExpr:
		return constant(e, outer)
	}
	return e
}

func foldBinary(e *hclsyntax.BinaryOpExpr, outer *hcl.EvalContext) hclsyntax.Expression {
	out := *e
	out.LHS, out.RHS = foldSyntax(e.LHS, outer), foldSyntax(e.RHS, outer)
	if e.Op == hclsyntax.OpLogicalAnd || e.Op == hclsyntax.OpLogicalOr {
		or := e.Op == hclsyntax.OpLogicalOr
		for _, side := range [2][2]hclsyntax.Expression{{out.LHS, out.RHS}, {out.RHS, out.LHS}} {
			if yes, ok := decided(side[0]); ok {
				if yes == or {
					return side[0]
				}
				return side[1]
			}
		}
		return &out
	}
	return constant(&out, outer)
}

// constant replaces an expression with its value if it refers only to readings and practice switches.
func constant(e hclsyntax.Expression, outer *hcl.EvalContext) hclsyntax.Expression {
	for _, v := range e.Variables() {
		if root := v.RootName(); root != "reading" && root != "practice" {
			return e
		}
	}
	v, diags := e.Value(outer)
	if diags.HasErrors() || !v.IsWhollyKnown() || v.IsNull() {
		return e
	}
	return &hclsyntax.LiteralValueExpr{Val: v, SrcRange: e.Range()}
}

// decided returns the value of a boolean literal; ok is false for other expressions.
func decided(e hclsyntax.Expression) (yes, ok bool) {
	lit, isLiteral := e.(*hclsyntax.LiteralValueExpr)
	if !isLiteral || lit.Val.Type() != cty.Bool || lit.Val.IsNull() || !lit.Val.IsKnown() {
		return false, false
	}
	return lit.Val.True(), true
}
