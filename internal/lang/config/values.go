package config

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/smtpipe/smtpipe/internal/base/nearest"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// variable evaluates a variable.
func (e *evaluator) variable(v *variable, at *instance) result {
	return e.once(&v.decl, at, func() result {
		r := e.variableOnce(v, at)
		if v.sensitive {
			e.p.rememberSecrets(r.val)
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
				e.errorAt(a.Expr.Range(), "Wrong type",
					fmt.Sprintf("The variable %q of the module has the type %s (%s): %s.", v.name, typeName(v.typ),
						place(v.rng), conversionText(err)))
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

// validate checks a variable's validations if its value is known.
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
		d := errorAt(c.cond.Range(), "Invalid value of a variable", e.message(c.message,
			e.validationContext(c.message, at, self))+by)
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

// validationContext returns the context of a validation's expression: the validated variable, and the functions that it
// calls.
func (e *evaluator) validationContext(x hclsyntax.Expression, at *instance, vars cty.Value) *hcl.EvalContext {
	ctx, _ := e.context(x, at, blockScope{row: &validated})
	ctx.Variables = map[string]cty.Value{"var": vars}
	return ctx
}

// isCondition reports whether a condition's value can be true or false; if not, it reports an error.
func (e *evaluator) isCondition(x hclsyntax.Expression, v cty.Value, of string) bool {
	v, _ = v.Unmark()
	b, err := convert.Convert(v, cty.Bool)
	switch {
	case err != nil:
		e.errorAt(x.Range(), "Wrong type", fmt.Sprintf("The condition of a %s must be true or false, but this is %s.",
			of, article(v.Type())))
	case b.IsKnown() && b.IsNull():
		e.errorAt(x.Range(), "Wrong type", fmt.Sprintf("The condition of a %s must be true or false, but this is null.",
			of))
	default:
		return true
	}
	return false
}

// isTrueOrUnknown reports whether a condition that isCondition has checked is true or cannot be decided.
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
		values := map[string]cty.Value{"kind": cty.StringVal(x.kind.Name), "name": cty.StringVal(x.name)}
		types := stages.ExecutorType.AttributeTypes()
		var waits []string
		for _, name := range slices.Sorted(maps.Keys(types)) {
			if _, done := values[name]; done {
				continue
			}
			if types[name].Equals(stages.FileType) {
				r := e.plain(x.attrs[name], cty.DynamicPseudoType, at, blockScope{})
				values[name], waits = e.image(x.attrs[name], r.val), union(waits, r.waits)
				continue
			}
			r := e.plain(x.attrs[name], types[name], at, blockScope{})
			values[name], waits = r.val, union(waits, r.waits)
		}
		e.checkExecutor(x, values)
		return result{cty.ObjectVal(values), waits}
	})
}

// image converts the value of the "image" attribute, which may be missing, to a file.
func (e *evaluator) image(a *hclsyntax.Attribute, v cty.Value) cty.Value {
	if v.IsKnown() && v.IsNull() {
		return cty.NullVal(stages.FileType)
	}
	f, err := e.p.toFiles(v, stages.FileType)
	if err != nil {
		e.errorAt(a.Expr.Range(), "Invalid image", upperFirst(err.Error())+"."+stages.RegistryHint(v))
		return cty.UnknownVal(stages.FileType)
	}
	return f
}

// checkExecutor reports an executor's invalid and missing values.
func (e *evaluator) checkExecutor(x *executor, values map[string]cty.Value) {
	if v := values["isolation"]; known(v) && !slices.Contains(isolations, v.AsString()) {
		e.errorAt(x.attrs["isolation"].Expr.Range(), "Invalid isolation",
			fmt.Sprintf("There is no isolation %q.%s It is %s.", v.AsString(),
				nearest.Question(v.AsString(), isolations), words.OneOf(isolations)))
	}
	if v := values["jobs"]; known(v) && !wholeFrom(v, 1) {
		e.errorAt(x.attrs["jobs"].Expr.Range(), "Invalid number of jobs",
			"The number of concurrent runs must be a whole number of at least 1.")
	}
	for _, a := range x.kind.Attrs {
		if v := values[a.Name]; a.Required && v.IsKnown() && !v.IsMarked() && (v.IsNull() || v.CanIterateElements() &&
			v.LengthInt() == 0) {
			e.errorAt(x.rng, "Missing "+a.Name, fmt.Sprintf("An executor %q needs the attribute %q: %s.", x.kind.Name,
				a.Name, a.Doc))
		}
	}
}

var isolations = []string{"full", "cgroup", "namespaces", "none", "best_effort"}

// known reports whether a value can be inspected.
func known(v cty.Value) bool { return v.IsKnown() && !v.IsNull() && !v.IsMarked() }

func wholeFrom(v cty.Value, least int64) bool {
	n, accuracy := v.AsBigFloat().Int64()
	return accuracy == 0 && n >= least
}

// plain evaluates an attribute of a fixed type. It returns null if the attribute is missing.
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
		e.errorAt(a.Expr.Range(), "Wrong type", fmt.Sprintf("%q must be a %s: %s.", a.Name, typeName(want),
			mismatch(v.Type(), want, err)))
		return result{val: cty.UnknownVal(want)}
	}
	return result{canonical(converted), r.waits}
}
