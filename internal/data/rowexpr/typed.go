package rowexpr

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// typed evaluates the expression with unknown rows, so that HCL returns the type and reports type errors.
func (b *builder) typed(n *node, expr hclsyntax.Expression, e env) *node {
	if len(e.locals) > 0 || e.splat != "" || n.op == opInline {
		return n
	}
	if n.has(opError) {
		return n
	}
	val, diags := once(n, expr).Value(e.ctx)
	if diags.HasErrors() {
		diags = original(diags, expr)
		for _, d := range diags {
			if d.Summary == "Invalid operand" {
				d.Detail += " " + quotesHint
			}
		}
		b.diags = append(b.diags, diags...)
		return n
	}
	n.typ, n.of = val.Type(), val
	b.checkOperands(n, expr)
	return n
}

// once returns an expression whose parts have the values found earlier, so that each part is evaluated only once
// instead of again for every enclosing expression.
func once(n *node, expr hclsyntax.Expression) hclsyntax.Expression {
	switch x := expr.(type) {
	case *hclsyntax.BinaryOpExpr:
		c := *x
		c.LHS, c.RHS = found(n.args[0], x.LHS), found(n.args[1], x.RHS)
		return &c
	case *hclsyntax.UnaryOpExpr:
		c := *x
		c.Val = found(n.args[0], x.Val)
		return &c
	case *hclsyntax.ConditionalExpr:
		c := *x
		c.Condition, c.TrueResult, c.FalseResult = found(n.args[0], x.Condition), found(n.args[1], x.TrueResult),
			found(n.args[2], x.FalseResult)
		return &c
	case *hclsyntax.FunctionCallExpr:
		if n.op != opCall || x.ExpandFinal || takesSyntax(n.fn) {
			return x
		}
		c := *x
		c.Args = slices.Clone(x.Args)
		for i := range c.Args {
			c.Args[i] = found(n.args[i], x.Args[i])
		}
		return &c
	}
	return expr
}

// found returns a literal for a part with a known value, and the part itself otherwise.
func found(n *node, expr hclsyntax.Expression) hclsyntax.Expression {
	if n.of == cty.NilVal {
		return expr
	}
	return &hclsyntax.LiteralValueExpr{Val: n.of, SrcRange: expr.Range()}
}

// original maps errors about an expression from once to errors about the source expression.
func original(diags hcl.Diagnostics, expr hclsyntax.Expression) hcl.Diagnostics {
	parts := []hclsyntax.Expression{expr}
	switch x := expr.(type) {
	case *hclsyntax.BinaryOpExpr:
		parts = append(parts, x.LHS, x.RHS)
	case *hclsyntax.UnaryOpExpr:
		parts = append(parts, x.Val)
	case *hclsyntax.ConditionalExpr:
		parts = append(parts, x.Condition, x.TrueResult, x.FalseResult)
	case *hclsyntax.FunctionCallExpr:
		parts = append(parts, x.Args...)
	}
	for _, d := range diags {
		if d.Expression == nil {
			continue
		}
		for _, p := range parts {
			if d.Expression.Range() == p.Range() {
				d.Expression = p
				break
			}
		}
	}
	return diags
}
