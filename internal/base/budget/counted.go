package budget

import (
	"reflect"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// name is the variable that holds a purse in an evaluation context. No expression can refer to it.
const name = "(budget)"

// Purse holds the budget that a context charges, or nil.
type Purse struct{ Budget *Budget }

var purseType = cty.Capsule("budget", reflect.TypeFor[Purse]())

// Variables returns variables for a context. Expressions in that context and in its child contexts charge this purse.
func (p *Purse) Variables() map[string]cty.Value {
	return map[string]cty.Value{name: cty.CapsuleVal(purseType, p)}
}

// In returns the budget of a context, or nil if it has none.
func In(ctx *hcl.EvalContext) *Budget {
	for ; ctx != nil; ctx = ctx.Parent() {
		if v, ok := ctx.Variables[name]; ok {
			return v.EncapsulatedValue().(*Purse).Budget
		}
	}
	return nil
}

// counted is an expression that charges the budget for its values. To code that walks the syntax it looks like a pair
// of parentheses.
type counted struct {
	*hclsyntax.ParenthesesExpr
	chosen bool // a branch of a conditional
	handed bool // a loop body that only passes a value on, creating no text
}

// UnwrapExpression returns the expression as it was written.
func (c *counted) UnwrapExpression() hcl.Expression { return c.Expression }

// Value evaluates the expression unless the budget is used up.
func (c *counted) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	b := In(ctx)
	if b == nil {
		return c.Expression.Value(ctx)
	}
	if !b.Spend(1, 0, c.Range) {
		return cty.DynamicVal, nil
	}
	v, diags := c.Expression.Value(ctx)
	s := SizeOf(v)
	if c.handed {
		s.Bytes = 0
	}
	if !b.Charge(s, c.Range) || c.chosen && !b.Spend(unifying(v), 0, c.Range) {
		return cty.DynamicVal, nil
	}
	return v, diags
}

// unifying returns the number of steps that HCL needs to unify a value's type with another type, because it compares a
// tuple's element types pairwise.
func unifying(v cty.Value) int {
	if t := v.Type(); t.IsTupleType() {
		return t.Length() * t.Length() / 32
	}
	return 0
}

// counter wraps expressions that are evaluated many times or whose values are processed further: loop bodies, function
// arguments, the operands of comparisons and conditionals, and the parts of templates.
type counter struct {
	loops bool // wrap only expressions inside loops
	depth int  // number of enclosing loops
}

// Enter implements hclsyntax.Walker.
func (c *counter) Enter(n hclsyntax.Node) hcl.Diagnostics {
	if isLoop(n) {
		c.depth++
	}
	if c.loops && c.depth == 0 {
		return nil
	}
	switch x := n.(type) {
	case *hclsyntax.ForExpr:
		handed := !Computes(x.ValExpr)
		count(&x.KeyExpr, &x.ValExpr, &x.CondExpr)
		x.ValExpr.(*counted).handed = handed
	case *hclsyntax.SplatExpr:
		count(&x.Each)
	case *hclsyntax.FunctionCallExpr:
		for i := range x.Args {
			count(&x.Args[i])
		}
	case *hclsyntax.BinaryOpExpr:
		if x.Op == hclsyntax.OpEqual || x.Op == hclsyntax.OpNotEqual {
			count(&x.LHS, &x.RHS)
		}
	case *hclsyntax.ConditionalExpr:
		count(&x.TrueResult, &x.FalseResult)
		x.TrueResult.(*counted).chosen, x.FalseResult.(*counted).chosen = true, true
	case *hclsyntax.TemplateExpr:
		for i := range x.Parts {
			if _, literal := x.Parts[i].(*hclsyntax.LiteralValueExpr); !literal {
				count(&x.Parts[i])
			}
		}
	}
	return nil
}

// Exit implements hclsyntax.Walker.
func (c *counter) Exit(n hclsyntax.Node) hcl.Diagnostics {
	if isLoop(n) {
		c.depth--
	}
	return nil
}

func isLoop(n hclsyntax.Node) bool {
	switch n.(type) {
	case *hclsyntax.ForExpr, *hclsyntax.SplatExpr, *hclsyntax.TemplateExpr:
		return true
	}
	return false
}

func count(all ...*hclsyntax.Expression) {
	for _, x := range all {
		if inner := *x; inner != nil {
			*x = &counted{ParenthesesExpr: &hclsyntax.ParenthesesExpr{Expression: inner, SrcRange: inner.Range()}}
		}
	}
}

// CountAll wraps the expressions of a body, or of a single expression.
func CountAll(n hclsyntax.Node) { _ = hclsyntax.Walk(n, &counter{}) } // the walker returns no diagnostics

// CountLoops wraps only the expressions that loops evaluate. The work of any other expression is bounded by its length.
func CountLoops(n hclsyntax.Node) { _ = hclsyntax.Walk(n, &counter{loops: true}) }
