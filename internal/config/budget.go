package config

import (
	"context"
	"fmt"
	"reflect"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// Bounds of one evaluation. Loading a pipeline is one, and so is each later look at a stage or at the outputs.
const (
	maxSteps     = 10_000_000 // parts of values that are computed, handed to functions or compared
	maxTextBytes = 1 << 30    // of their texts
	stepsOfExpr  = 20         // of one expression, besides those of its value
	stepsOfSet   = 64         // of each element of a set, which cty sorts to visit it
	stepsToCheck = 4096       // between two looks at the context
)

// budget counts what an evaluation does. The first expression beyond the bounds is kept for the error. From there every
// counted expression is unknown and costs nothing, so that loops around it end at once.
type budget struct {
	ctx          context.Context
	steps, bytes int
	look         int // steps at which the context is looked at next
	over         *hcl.Diagnostic
}

// charge counts the value of an expression, and reports whether the evaluation may go on.
func (b *budget) charge(s size, at func() hcl.Range) bool {
	return b.spend(s.parts+stepsOfSet*s.inSets, s.bytes, at)
}

func (b *budget) spend(steps, bytes int, at func() hcl.Range) bool {
	if b.over != nil {
		return false
	}
	b.steps, b.bytes = b.steps+steps, b.bytes+bytes
	if b.steps > maxSteps || b.bytes > maxTextBytes {
		b.over = errorAt(at(), "Evaluation too large", fmt.Sprintf("With this expression the evaluation has more than "+
			"%d steps or %d MiB of text. Make the lists shorter that loops go over, call functions with smaller values, "+
			"or give a value that is used often a name in \"locals\". Large data belongs in tables, which stages read.", maxSteps, maxTextBytes>>20))
		return false
	}
	if b.steps >= b.look {
		b.look = b.steps + stepsToCheck
		if b.ctx.Err() != nil {
			b.over = errorAt(at(), "Interrupted", "The evaluation was ended here by a signal. Start it again.")
			return false
		}
	}
	return true
}

// budgetName is the name under which the budget of an evaluation is in the context of its expressions. No expression
// can refer to it.
const budgetName = "(budget)"

// purse is what a context has of a budget: nothing if it is nil. That of a row expression is taken away when it was
// compiled, since many goroutines evaluate it for the rows of tables, as part of a stage.
type purse struct{ budget *budget }

var purseType = cty.Capsule("budget", reflect.TypeFor[purse]())

// budgetOf returns the budget of a context, nil without one.
func budgetOf(ctx *hcl.EvalContext) *budget {
	for ; ctx != nil; ctx = ctx.Parent() {
		if v, ok := ctx.Variables[budgetName]; ok {
			return v.EncapsulatedValue().(*purse).budget
		}
	}
	return nil
}

// counted is an expression whose values count. For those who walk the syntax it is a pair of parentheses.
type counted struct {
	*hclsyntax.ParenthesesExpr
	chosen bool // one of the two of a conditional
	handed bool // the body of a loop that only hands on a value: no text is made
}

// UnwrapExpression returns the expression as it was written.
func (c *counted) UnwrapExpression() hcl.Expression { return c.Expression }

// Value evaluates the expression unless the budget is used up.
func (c *counted) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	b := budgetOf(ctx)
	if b == nil {
		return c.Expression.Value(ctx)
	}
	if !b.spend(1, 0, c.Range) {
		return cty.DynamicVal, nil
	}
	v, diags := c.Expression.Value(ctx)
	s := sizeOf(v)
	if c.handed {
		s.bytes = 0
	}
	if !b.charge(s, c.Range) || c.chosen && !b.spend(unifying(v), 0, c.Range) {
		return cty.DynamicVal, nil
	}
	return v, diags
}

// unifying returns the steps in which HCL finds the common type of a value and another: it compares the types of the
// elements of a tuple with each other.
func unifying(v cty.Value) int {
	if t := v.Type(); t.IsTupleType() {
		return t.Length() * t.Length() / 32
	}
	return 0
}

// counter makes the expressions counted that are evaluated many times, or whose values something is done with: the
// bodies of loops, the arguments of functions, what is compared or chosen, and the parts of templates.
type counter struct{}

func (counter) Exit(hclsyntax.Node) hcl.Diagnostics { return nil }

func (counter) Enter(n hclsyntax.Node) hcl.Diagnostics {
	switch x := n.(type) {
	case *hclsyntax.ForExpr:
		handed := !computes(x.ValExpr)
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

func count(all ...*hclsyntax.Expression) {
	for _, x := range all {
		if inner := *x; inner != nil {
			*x = &counted{ParenthesesExpr: &hclsyntax.ParenthesesExpr{Expression: inner, SrcRange: inner.Range()}}
		}
	}
}

// countAll makes the expressions of a body or of an expression counted.
func countAll(n hclsyntax.Node) { _ = hclsyntax.Walk(n, counter{}) } // the walker gives no errors
