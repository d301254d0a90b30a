package score

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/base/hclsource"
	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
)

// timeExpr is a compiled expression for a time. Unlike a number of a row expression it is exact: it picks, bounds, adds
// and multiplies times of the run, and its conditions are row expressions. Allowed are the time columns, T, literals of
// seconds, min and max, + between times, * with a whole number or m, and conditionals.
type timeExpr struct {
	op    timeOp
	at    hcl.Range     // for errors
	value Time          // opLiteral
	name  string        // opTimeColumn, opCores
	cond  *rowexpr.Expr // opChoose
	args  []*timeExpr
}

type timeOp uint8

const (
	opLiteral timeOp = iota
	opTimeColumn
	opMin
	opMax
	opAdd
	opTimes // args[0] times value, a plain number
	opCores // args[0] times m
	opChoose
)

// timeColumns are the leaves of time expressions.
var timeColumns = []string{"r.wall_s", "r.cpu_s", "r.last_wall_s", "r.last_cpu_s", "r.T", "T"}

// parallelTimeColumns are the further leaves in views.
var parallelTimeColumns = []string{"p.w_s", "p.c_s", "p.aw_s", "p.ac_s"}

// timeCompiler checks and compiles time expressions; condition compiles their conditions.
type timeCompiler struct {
	columns   []string
	condition func(hcl.Expression) (*rowexpr.Expr, hcl.Diagnostics)
	outer     *hcl.EvalContext
	diags     hcl.Diagnostics
}

func (c *timeCompiler) fail(at hcl.Range, format string, args ...any) *timeExpr {
	c.diags = append(c.diags, &hcl.Diagnostic{
		Severity: hcl.DiagError, Summary: "Unsuitable time", Subject: &at, Detail: fmt.Sprintf(format, args...),
	})
	return &timeExpr{}
}

func (c *timeCompiler) compile(e hcl.Expression) *timeExpr {
	switch e := e.(type) {
	case *hclsyntax.ParenthesesExpr:
		return c.compile(e.Expression)
	case *hclsyntax.LiteralValueExpr:
		return c.literal(e)
	case *hclsyntax.ScopeTraversalExpr:
		return c.column(e)
	case *hclsyntax.ConditionalExpr:
		return c.choose(e)
	case *hclsyntax.FunctionCallExpr:
		return c.call(e)
	case *hclsyntax.BinaryOpExpr:
		return c.binary(e)
	}
	return c.fail(e.Range(), "A time is made of the times %s, of seconds, min, max, +, * with a whole number or m, "+
		"and conditionals.",
		strings.Join(c.columns, ", "))
}

func (c *timeCompiler) literal(e *hclsyntax.LiteralValueExpr) *timeExpr {
	if e.Val.Type() != cty.Number {
		return c.fail(e.Range(), "This is not a number of seconds.")
	}
	t, err := ParseTime(e.Val.AsBigFloat().Text('f', -1))
	if err != nil {
		return c.fail(e.Range(), "%v.", err)
	}
	return &timeExpr{op: opLiteral, value: t}
}

func (c *timeCompiler) column(e *hclsyntax.ScopeTraversalExpr) *timeExpr {
	name := e.Traversal.RootName()
	for i := range e.Traversal[1:] {
		if step, ok := hclsource.Step(e.Traversal, i+1); ok {
			name += "." + step
		}
	}
	if !slices.Contains(c.columns, name) {
		return c.fail(e.Range(), "%s is not a time; the times are %s.%s", name, strings.Join(c.columns, ", "),
			nearest(name, c.columns))
	}
	return &timeExpr{op: opTimeColumn, name: name}
}

func (c *timeCompiler) choose(e *hclsyntax.ConditionalExpr) *timeExpr {
	a, b := c.compile(e.TrueResult), c.compile(e.FalseResult)
	cond, diags := c.condition(e.Condition)
	c.diags = append(c.diags, diags...)
	if diags.HasErrors() {
		return &timeExpr{}
	}
	// A condition that only depends on readings is decided here.
	if len(cond.Uses()) == 0 && cond.Known() {
		if v, diags := e.Condition.Value(c.outer); !diags.HasErrors() && v.Type() == cty.Bool && v.IsKnown() &&
			!v.IsNull() {
			if v.True() {
				return a
			}
			return b
		}
	}
	return &timeExpr{op: opChoose, cond: cond, args: []*timeExpr{a, b}}
}

func (c *timeCompiler) call(e *hclsyntax.FunctionCallExpr) *timeExpr {
	op := map[string]timeOp{"min": opMin, "max": opMax}[e.Name]
	if op == 0 || e.ExpandFinal || len(e.Args) == 0 {
		return c.fail(e.Range(), "The functions of times are min and max, with one argument or more.")
	}
	out := &timeExpr{op: op}
	for _, arg := range e.Args {
		out.args = append(out.args, c.compile(arg))
	}
	return out
}

func (c *timeCompiler) binary(e *hclsyntax.BinaryOpExpr) *timeExpr {
	switch e.Op {
	case hclsyntax.OpAdd:
		return &timeExpr{op: opAdd, at: e.Range(), args: []*timeExpr{c.compile(e.LHS), c.compile(e.RHS)}}
	case hclsyntax.OpMultiply:
		if f := c.factor(e.LHS); f != nil {
			return f(c.compile(e.RHS))
		}
		if f := c.factor(e.RHS); f != nil {
			return f(c.compile(e.LHS))
		}
	}
	return c.fail(e.Range(), "Times can be added, and multiplied with a whole number or m.")
}

// factor returns how to multiply with a plain whole number, m, or a product of such, or nil for anything else.
func (c *timeCompiler) factor(e hcl.Expression) func(*timeExpr) *timeExpr {
	switch e := e.(type) {
	case *hclsyntax.LiteralValueExpr:
		if e.Val.Type() != cty.Number {
			return nil
		}
		if i, acc := e.Val.AsBigFloat().Int64(); acc == 0 && i >= 0 && i < 1_000_000 {
			return func(t *timeExpr) *timeExpr {
				return &timeExpr{op: opTimes, at: e.Range(), value: Time(i), args: []*timeExpr{t}}
			}
		}
	case *hclsyntax.ScopeTraversalExpr:
		if len(e.Traversal) == 1 && e.Traversal.RootName() == "m" {
			return func(t *timeExpr) *timeExpr { return &timeExpr{op: opCores, at: e.Range(), args: []*timeExpr{t}} }
		}
	case *hclsyntax.BinaryOpExpr:
		if l, r := c.factor(e.LHS), c.factor(e.RHS); e.Op == hclsyntax.OpMultiply && l != nil && r != nil {
			return func(t *timeExpr) *timeExpr { return l(r(t)) }
		}
	}
	return nil
}

// uses collects the columns that the expression's conditions read.
func (t *timeExpr) uses(add func([]string)) {
	if t.cond != nil {
		add(t.cond.Uses())
	}
	for _, a := range t.args {
		a.uses(add)
	}
}
