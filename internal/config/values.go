package config

import (
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/smtpipe/smtpipe/internal/stages"
)

// variable evaluates a variable.
func (e *evaluator) variable(v *variable, at *instance) result {
	return e.once(&v.decl, at, func() result {
		r := e.variableOnce(v, at)
		if v.sensitive {
			e.p.learn(r.val)
			r.val = r.val.Mark(stages.Sensitive{})
		}
		if !v.bad {
			e.validate(v, at, r.val)
		}
		return r
	})
}

func (e *evaluator) variableOnce(v *variable, at *instance) result {
	if v.bad {
		return unknown
	}
	r := result{val: v.def}
	switch {
	case at.parent != nil:
		if a, ok := at.mod.call.inputs[v.name]; ok {
			r = e.expr(a.Expr, at.parent, at.scope)
			converted, err := v.convert(r.val)
			if err != nil {
				e.errorAt(a.Expr.Range(), "Wrong type", fmt.Sprintf("The variable %q of the module has the type %s (%s): %s.", v.name, typeName(v.typ), place(v.rng), conversionText(err)))
				return unknown
			}
			r.val = converted
		}
	case v.given != cty.NilVal:
		r = result{val: v.given}
	}
	if r.val == cty.NilVal {
		return unknown
	}
	return r
}

// validate checks the validations of a variable as far as its value is known.
func (e *evaluator) validate(v *variable, at *instance, val cty.Value) {
	self := cty.ObjectVal(map[string]cty.Value{v.name: val})
	for _, c := range v.validations {
		if e.p.badExprs[c.cond] || e.p.badExprs[c.message] {
			continue
		}
		ctx := e.validationContext(c.cond, at, self)
		holds, diags := c.cond.Value(ctx)
		e.report(unfold(diags))
		if diags.HasErrors() || !e.isCondition(c.cond, holds, "validation") || isTrueOrUnknown(holds) {
			continue
		}
		by := ""
		if v.given != cty.NilVal && at.parent == nil {
			by = " The value was given by " + v.givenBy + "."
		}
		d := errorAt(c.rng, "Invalid value of a variable", e.message(c.message, e.validationContext(c.message, at, self))+by)
		subject := c.cond.Range()
		d.Subject = &subject
		d.Expression, d.EvalContext = c.cond, ctx
		if at.parent != nil {
			if a, ok := at.mod.call.inputs[v.name]; ok {
				d.Subject = a.Expr.Range().Ptr()
				d.Expression, d.EvalContext = nil, nil
			}
		}
		e.report(hcl.Diagnostics{d})
	}
}

// validationContext gives an expression of a validation the variable that is validated, and the functions that it calls.
func (e *evaluator) validationContext(x hclsyntax.Expression, at *instance, vars cty.Value) *hcl.EvalContext {
	ctx, _ := e.context(x, at, blockScope{row: &validated})
	ctx.Variables = map[string]cty.Value{"var": vars}
	return ctx
}

// isCondition reports a condition that is neither true nor false.
func (e *evaluator) isCondition(x hclsyntax.Expression, v cty.Value, of string) bool {
	v, _ = v.Unmark()
	b, err := convert.Convert(v, cty.Bool)
	switch {
	case err != nil:
		e.errorAt(x.Range(), "Wrong type", fmt.Sprintf("The condition of a %s must be true or false, and this is %s.", of, article(v.Type())))
	case b.IsKnown() && b.IsNull():
		e.errorAt(x.Range(), "Wrong type", fmt.Sprintf("The condition of a %s must be true or false, and this is null.", of))
	default:
		return true
	}
	return false
}

// isTrueOrUnknown tells whether a condition, which isCondition found to be one, holds or cannot be decided.
func isTrueOrUnknown(v cty.Value) bool {
	v, _ = v.Unmark()
	b, err := convert.Convert(v, cty.Bool)
	return err == nil && (!b.IsKnown() || b.True())
}

// local evaluates a local value.
func (e *evaluator) local(v *local, at *instance) result {
	return e.once(&v.decl, at, func() result { return e.expr(v.expr, at, blockScope{}) })
}

// executor evaluates an executor block.
func (e *evaluator) executor(x *executor, at *instance) result {
	return e.once(&x.decl, at, func() result {
		if x.bad {
			return unknown
		}
		jobs := e.plain(x.attrs["jobs"], cty.Number, at, blockScope{})
		isolation := e.plain(x.attrs["isolation"], cty.String, at, blockScope{})
		if known(isolation.val) && !slices.Contains(isolations, isolation.val.AsString()) {
			given := isolation.val.AsString()
			e.errorAt(x.attrs["isolation"].Expr.Range(), "Invalid isolation", fmt.Sprintf("There is no isolation %q.%s It is %s.", given, didYouMean(given, isolations), oneOf(isolations)))
		}
		if known(jobs.val) && !wholeFrom(jobs.val, 1) {
			e.errorAt(x.attrs["jobs"].Expr.Range(), "Invalid number of jobs", "The number of runs at one time is a whole number from 1.")
		}
		command := e.plain(x.attrs["command"], cty.List(cty.String), at, blockScope{})
		hardware := e.plain(x.attrs["hardware"], cty.String, at, blockScope{})
		if x.kind == "process" && (x.attrs["command"] == nil || known(command.val) && command.val.LengthInt() == 0) {
			e.errorAt(x.rng, "Missing command", `An executor "process" needs the command of its workers, as ["ssh", "node1", "smtpipe", "tool", "worker"].`)
		}
		v := cty.ObjectVal(map[string]cty.Value{
			"kind": cty.StringVal(x.kind), "name": cty.StringVal(x.name), "jobs": jobs.val, "isolation": isolation.val,
			"command": command.val, "hardware": hardware.val,
		})
		return result{v, union(union(jobs.waits, isolation.waits), union(command.waits, hardware.waits))}
	})
}

var isolations = []string{"full", "cgroup", "namespaces", "none", "best_effort"}

// known tells whether a value can be looked at.
func known(v cty.Value) bool { return v.IsKnown() && !v.IsNull() && !v.IsMarked() }

func wholeFrom(v cty.Value, least int64) bool {
	n, accuracy := v.AsBigFloat().Int64()
	return accuracy == 0 && n >= least
}

// plain evaluates an attribute of a fixed type; null if it is not there.
func (e *evaluator) plain(a *hclsyntax.Attribute, want cty.Type, at *instance, sc blockScope) result {
	if a == nil {
		return result{val: cty.NullVal(want)}
	}
	r := e.expr(a.Expr, at, sc)
	if e.refuseSensitive(r.val, a.Expr.Range(), fmt.Sprintf("the attribute %q", a.Name)) {
		return result{val: cty.UnknownVal(want)}
	}
	v, _ := r.val.UnmarkDeep()
	converted, err := convert.Convert(v, want)
	if err != nil {
		e.errorAt(a.Expr.Range(), "Wrong type", fmt.Sprintf("%q must be a %s: %s.", a.Name, typeName(want), conversionText(err)))
		return result{val: cty.UnknownVal(want)}
	}
	return result{canonical(converted), r.waits}
}
