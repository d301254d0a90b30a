package score

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
)

// timeTest is a comparison of two times, such as r.cpu_s <= m * T. Row expressions have times only as doubles, in which
// m * T is rounded and different times beyond 8192 s can be equal. Comparisons of times are therefore taken out of row
// expressions and are exact.
type timeTest struct {
	op   *hclsyntax.Operation
	l, r *timeExpr
}

// holds turns an order of two times into the result of the comparison.
func (t *timeTest) holds(order int) bool {
	switch t.op {
	case hclsyntax.OpLessThan:
		return order < 0
	case hclsyntax.OpLessThanOrEqual:
		return order <= 0
	case hclsyntax.OpGreaterThan:
		return order > 0
	case hclsyntax.OpGreaterThanOrEqual:
		return order >= 0
	case hclsyntax.OpEqual:
		return order == 0
	}
	return order != 0
}

func (t *timeTest) eval(c *chunk) ([]bool, error) {
	l, err := t.l.eval(c)
	if err != nil {
		return nil, err
	}
	r, err := t.r.eval(c)
	if err != nil {
		return nil, err
	}
	out := make([]bool, c.n())
	for i := range out {
		out[i] = t.holds(l[i].Compare(r[i]))
	}
	return out, nil
}

// row compiles a row expression with its comparisons of times taken out. They become definitions before it.
func (c *compiler) row(e hcl.Expression, want cty.Type) (*rowexpr.Expr, hcl.Diagnostics) {
	e = fold(e, c.outer)
	if syntax, ok := e.(hclsyntax.Expression); ok {
		e = c.withoutTimes(syntax)
	}
	return rowexpr.Compile(e, c.scope, c.outer, want)
}

// withoutTimes replaces the comparisons of times in an expression by names.
func (c *compiler) withoutTimes(e hclsyntax.Expression) hclsyntax.Expression {
	switch e := e.(type) {
	case *hclsyntax.ParenthesesExpr:
		return c.withoutTimes(e.Expression)
	case *hclsyntax.UnaryOpExpr:
		out := *e
		out.Val = c.withoutTimes(e.Val)
		return &out
	case *hclsyntax.BinaryOpExpr:
		if test := c.timeTest(e); test != nil {
			return c.nameOf(test, e.Range())
		}
		out := *e
		out.LHS, out.RHS = c.withoutTimes(e.LHS), c.withoutTimes(e.RHS)
		return &out
	case *hclsyntax.ConditionalExpr:
		out := *e
		out.Condition = c.withoutTimes(e.Condition)
		out.TrueResult, out.FalseResult = c.withoutTimes(e.TrueResult), c.withoutTimes(e.FalseResult)
		return &out
	}
	return e
}

// timeTest compiles a comparison if both of its sides are times, and one of them a column; otherwise it returns nil.
func (c *compiler) timeTest(e *hclsyntax.BinaryOpExpr) *timeTest {
	switch e.Op {
	case hclsyntax.OpLessThan, hclsyntax.OpLessThanOrEqual, hclsyntax.OpGreaterThan, hclsyntax.OpGreaterThanOrEqual,
		hclsyntax.OpEqual, hclsyntax.OpNotEqual:
	default:
		return nil
	}
	times := timeCompiler{columns: c.times.columns, condition: c.times.condition, outer: c.outer}
	test := &timeTest{op: e.Op, l: times.compile(e.LHS), r: times.compile(e.RHS)}
	if times.diags.HasErrors() || !test.l.measured() && !test.r.measured() {
		return nil
	}
	return test
}

// measured reports whether the expression has a column of times.
func (t *timeExpr) measured() bool {
	found := t.op == opTimeColumn
	for _, a := range t.args {
		found = found || a.measured()
	}
	return found
}

// nameOf turns a test into a definition, whose name no rule set can use, and returns a reference to it.
func (c *compiler) nameOf(test *timeTest, at hcl.Range) hclsyntax.Expression {
	name := fmt.Sprintf("time test %d", len(c.lets))
	c.lets = append(c.lets, compiledLet{name: name, test: test})
	c.addVar(rowexpr.Var{Name: name, Type: cty.Bool})
	root := hcl.TraverseRoot{Name: name, SrcRange: at}
	return &hclsyntax.ScopeTraversalExpr{Traversal: hcl.Traversal{root}, SrcRange: at}
}
