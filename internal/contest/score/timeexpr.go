package score

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/base/hclsource"
	"github.com/smtpipe/smtpipe/internal/base/nearest"
	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
)

// Times are exact when they are added or compared with each other: they are then integers in picoseconds. Time columns,
// in contrast, are doubles: m * T is rounded, and different times beyond 8192 s can be equal. A time consists of time
// columns, literals in seconds, min and max, + between times, * with an integer or m, and conditionals. timeCompiler
// rewrites it as an expression over picoseconds.

// timeColumns are the columns that hold times.
var timeColumns = []string{"r.wall_s", "r.cpu_s", "r.last_wall_s", "r.last_cpu_s", "r.T", "T"}

// parallelTimeColumns are the additional time columns in views.
var parallelTimeColumns = []string{"p.w_s", "p.c_s", "p.aw_s", "p.ac_s"}

// picoseconds returns the name of a time column's version in picoseconds, which rule sets cannot use.
func picoseconds(column string) string {
	return "picoseconds of " + strings.ReplaceAll(column, ".", " ")
}

// timeCompiler checks and rewrites the times in rule sets.
type timeCompiler struct {
	columns  []string
	diags    hcl.Diagnostics
	measured bool // whether a column occurred
}

func (c *timeCompiler) fail(at hcl.Range, format string, args ...any) hclsyntax.Expression {
	c.diags = append(c.diags, &hcl.Diagnostic{
		Severity: hcl.DiagError, Summary: "Unsuitable time", Subject: &at, Detail: fmt.Sprintf(format, args...),
	})
	return &hclsyntax.LiteralValueExpr{Val: cty.Zero, SrcRange: at}
}

// compile rewrites a time expression.
func (c *timeCompiler) compile(e hcl.Expression) hclsyntax.Expression {
	switch e := e.(type) {
	case *hclsyntax.ParenthesesExpr:
		return c.compile(e.Expression)
	case *hclsyntax.LiteralValueExpr:
		return c.literal(e)
	case *hclsyntax.ScopeTraversalExpr:
		return c.column(e)
	case *hclsyntax.ConditionalExpr:
		out := *e
		out.Condition = c.compare(e.Condition)
		out.TrueResult, out.FalseResult = c.compile(e.TrueResult), c.compile(e.FalseResult)
		return &out
	case *hclsyntax.FunctionCallExpr:
		return c.call(e)
	case *hclsyntax.BinaryOpExpr:
		return c.binary(e)
	}
	return c.fail(e.Range(), "A time is made of the times %s, of seconds, min, max, +, * with a whole number or m, "+
		"and conditionals.",
		strings.Join(c.columns, ", "))
}

func (c *timeCompiler) literal(e *hclsyntax.LiteralValueExpr) hclsyntax.Expression {
	if e.Val.Type() != cty.Number {
		return c.fail(e.Range(), "This is not a number of seconds.")
	}
	t, err := ParseTime(e.Val.AsBigFloat().Text('f', -1))
	if err != nil {
		return c.fail(e.Range(), "%v.", err)
	}
	return &hclsyntax.LiteralValueExpr{Val: cty.NumberIntVal(int64(t)), SrcRange: e.SrcRange}
}

func (c *timeCompiler) column(e *hclsyntax.ScopeTraversalExpr) hclsyntax.Expression {
	name := e.Traversal.RootName()
	for i := range e.Traversal[1:] {
		if step, ok := hclsource.Step(e.Traversal, i+1); ok {
			name += "." + step
		}
	}
	if !slices.Contains(c.columns, name) {
		return c.fail(e.Range(), "%s is not a time; the times are %s.%s", name, strings.Join(c.columns, ", "),
			nearest.Question(name, c.columns))
	}
	c.measured = true
	root := hcl.TraverseRoot{Name: picoseconds(name), SrcRange: e.SrcRange}
	return &hclsyntax.ScopeTraversalExpr{Traversal: hcl.Traversal{root}, SrcRange: e.SrcRange}
}

func (c *timeCompiler) call(e *hclsyntax.FunctionCallExpr) hclsyntax.Expression {
	if e.Name != "min" && e.Name != "max" || e.ExpandFinal || len(e.Args) == 0 {
		return c.fail(e.Range(), "Time expressions can call only min and max, with at least one argument.")
	}
	out := *e
	out.Args = nil
	for _, arg := range e.Args {
		out.Args = append(out.Args, c.compile(arg))
	}
	return &out
}

func (c *timeCompiler) binary(e *hclsyntax.BinaryOpExpr) hclsyntax.Expression {
	out := *e
	switch {
	case e.Op == hclsyntax.OpAdd:
		out.LHS, out.RHS = c.compile(e.LHS), c.compile(e.RHS)
	case e.Op == hclsyntax.OpMultiply && factor(e.LHS):
		out.RHS = c.compile(e.RHS)
	case e.Op == hclsyntax.OpMultiply && factor(e.RHS):
		out.LHS = c.compile(e.LHS)
	default:
		return c.fail(e.Range(), "Times can be added, and multiplied with a whole number or m.")
	}
	return &out
}

// factor reports whether an expression is an integer literal, m, or a product of these.
func factor(e hcl.Expression) bool {
	switch e := e.(type) {
	case *hclsyntax.LiteralValueExpr:
		if e.Val.Type() != cty.Number {
			return false
		}
		i, acc := e.Val.AsBigFloat().Int64()
		return acc == 0 && i >= 0 && i < 1_000_000
	case *hclsyntax.ScopeTraversalExpr:
		return len(e.Traversal) == 1 && e.Traversal.RootName() == "m"
	case *hclsyntax.BinaryOpExpr:
		return e.Op == hclsyntax.OpMultiply && factor(e.LHS) && factor(e.RHS)
	}
	return false
}

// compare rewrites comparisons of two times in a row expression if at least one of the times uses a column.
func (c *timeCompiler) compare(e hclsyntax.Expression) hclsyntax.Expression {
	switch e := e.(type) {
	case *hclsyntax.ParenthesesExpr:
		return c.compare(e.Expression)
	case *hclsyntax.UnaryOpExpr:
		out := *e
		out.Val = c.compare(e.Val)
		return &out
	case *hclsyntax.BinaryOpExpr:
		out := *e
		switch e.Op {
		case hclsyntax.OpLessThan, hclsyntax.OpLessThanOrEqual, hclsyntax.OpGreaterThan,
			hclsyntax.OpGreaterThanOrEqual, hclsyntax.OpEqual, hclsyntax.OpNotEqual:
			times := timeCompiler{columns: c.columns}
			out.LHS, out.RHS = times.compile(e.LHS), times.compile(e.RHS)
			if !times.diags.HasErrors() && times.measured {
				return &out
			}
		}
		out.LHS, out.RHS = c.compare(e.LHS), c.compare(e.RHS)
		return &out
	case *hclsyntax.ConditionalExpr:
		out := *e
		out.Condition = c.compare(e.Condition)
		out.TrueResult, out.FalseResult = c.compare(e.TrueResult), c.compare(e.FalseResult)
		return &out
	}
	return e
}

// row compiles a row expression with exact comparisons of times.
func (c *compiler) row(e hcl.Expression, want cty.Type) (*rowexpr.Expr, hcl.Diagnostics) {
	e = fold(e, c.outer)
	if syntax, ok := e.(hclsyntax.Expression); ok {
		times := timeCompiler{columns: c.times}
		e = times.compare(syntax)
	}
	return rowexpr.Compile(e, c.scope, c.outer, want)
}

// time compiles a time to an expression over picoseconds.
func (c *compiler) time(e hcl.Expression) *rowexpr.Expr {
	if e == nil || c.onFailed(e) {
		return nil
	}
	if c.strict { // including branches that no reading takes
		if diags := c.names(e); diags.HasErrors() {
			c.diags = append(c.diags, diags...)
			return nil
		}
		if _, diags := c.picoseconds(e); diags.HasErrors() {
			c.diags = append(c.diags, diags...)
			return nil
		}
	}
	out, diags := c.picoseconds(fold(e, c.outer))
	c.diags = append(c.diags, diags...)
	return out
}

func (c *compiler) picoseconds(e hcl.Expression) (*rowexpr.Expr, hcl.Diagnostics) {
	times := timeCompiler{columns: c.times}
	out := times.compile(e)
	if times.diags.HasErrors() {
		return nil, times.diags
	}
	return rowexpr.Compile(out, c.scope, c.outer, cty.Number)
}

// errTooLong ends the message about a time that is too large to be summed exactly.
var errTooLong = errors.New("exceeds 10^16 seconds, the largest sum supported")

// evalTimes evaluates a time for the chunk's runs.
func (c *chunk) evalTimes(e *rowexpr.Expr) (*sumColumn, error) {
	small, wide, err := e.Wide(c.ctx, c.frame)
	if err != nil {
		return nil, err
	}
	out := &sumColumn{small: small}
	for i, v := range wide {
		sum, ok := sumOfBig(v)
		if !ok {
			b, rest := &c.t.Benchmarks[c.t.benchmark[c.lo+i]], c.t.restAt(c.lo+i)
			return nil, fmt.Errorf("%s: a time on benchmark %s of division %s, with m = %d and T = %s s, %w",
				e.Range(), b.Name, b.Division, rest.Cores, rest.Limit, errTooLong)
		}
		out.setWide(i, sum)
	}
	return out, nil
}
