package config

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// argsDecoder evaluates an instance's attributes.
type argsDecoder struct {
	e        *evaluator
	at       *instance
	scope    blockScope
	waits    []string
	complete bool // whether all values are known
	broken   bool // whether an expression has an error that was reported at load time
}

func (d *argsDecoder) block(body *hclsyntax.Body, attrs []stages.Attr, label string, rng hcl.Range) *stages.Args {
	args := stages.NewArgs(attrs, label, rng)
	for i := range attrs {
		attr := &attrs[i]
		a, given := body.Attributes[attr.Name]
		d.broken = d.broken || given && d.e.p.badExprs[a.Expr]
		switch {
		case given && attr.Row != nil:
			d.row(args, attr, a)
		case given:
			d.attr(args, attr, a)
		default:
			d.byDefault(args, attr, rng)
		}
	}
	return args
}

// byDefault sets an attribute to its default, if any.
func (d *argsDecoder) byDefault(args *stages.Args, attr *stages.Attr, rng hcl.Range) {
	switch {
	case len(attr.Inherit) > 0:
		d.inherit(args, attr, rng)
	case attr.Default == cty.NilVal:
	case attr.Row == nil:
		args.SetValue(attr.Name, attr.Default, rng)
	default:
		expr := &hclsyntax.LiteralValueExpr{Val: attr.Default, SrcRange: rng}
		compiled, diags := rowexpr.Compile(expr, attr.Row.Scope, nil, attr.Type)
		d.e.report(diags)
		if compiled != nil {
			args.SetRow(attr.Name, compiled, rng)
		}
	}
}

// inherit sets an attribute to its default in the competition, if the competition defines it.
func (d *argsDecoder) inherit(args *stages.Args, attr *stages.Attr, rng hcl.Range) {
	v := d.e.p.competitionValue()
	for _, name := range attr.Inherit {
		if v.IsNull() {
			return
		}
		v = v.GetAttr(name)
	}
	if v.IsNull() {
		return
	}
	v, err := checkWhole(v, attr)
	if err != nil {
		d.e.errorAt(rng, err.summary, err.detail)
	}
	args.SetValue(attr.Name, v, rng)
}

// nullRequired returns the message that a required attribute is null.
func nullRequired(name string) string {
	return fmt.Sprintf("%q is required, but this is null, which is the same as leaving it out. Write a value.", name)
}

// attr evaluates a plain attribute. null means that the attribute is absent.
func (d *argsDecoder) attr(args *stages.Args, attr *stages.Attr, a *hclsyntax.Attribute) {
	e, before := d.e, len(d.e.diags)
	r := e.expr(a.Expr, d.at, d.scope)
	rng := a.Expr.Range()
	v := r.val
	if len(r.waits) > 0 || e.p.sensitive {
		v, _ = v.UnmarkDeep()
	}
	if v.IsKnown() && v.IsNull() {
		if attr.Required {
			e.errorAt(rng, "Missing value", nullRequired(attr.Name))
		}
		d.byDefault(args, attr, args.Range)
		return
	}
	e.report(e.p.givenTwice(attr, a.Expr))
	v, err := e.p.convertAttr(v, attr)
	if err != nil {
		v = cty.UnknownVal(attr.Type)
	} else {
		v, err = checkWhole(v, attr)
	}
	if err != nil {
		diag := errorAt(rng, err.summary, err.detail)
		diag.Expression, diag.EvalContext = a.Expr, d.contextOf(a.Expr)
		e.report(hcl.Diagnostics{diag})
	}
	if !v.IsWhollyKnown() {
		d.complete = false
		d.waits = union(d.waits, r.waits)
		args.SetSources(attr.Name, sourcesOf(r.val))
	}
	if len(e.diags) > before && !v.IsKnown() {
		v = cty.UnknownVal(attr.Type)
	}
	args.SetValue(attr.Name, v, rng)
	d.setSensitive(args, attr, v, r.val, rng)
}

func (d *argsDecoder) contextOf(x hclsyntax.Expression) *hcl.EvalContext {
	ctx, _ := d.e.context(x, d.at, d.scope)
	return ctx
}
