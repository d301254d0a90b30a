package config

import (
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/smtpipe/smtpipe/internal/base/nearest"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/all"
)

// forEachName is the attribute that repeats a block.
const forEachName = "for_each"

// locals decodes a block locals { name = expr }.
func (l *loader) locals(m *module, b *hclsyntax.Block) {
	for _, inner := range b.Body.Blocks {
		l.report(inner.TypeRange, "Unknown block", fmt.Sprintf("A \"locals\" block has only attributes: write %s = { "+
			"... } with an equals sign.", inner.Type))
	}
	for _, a := range sortedAttrs(b.Body.Attributes) {
		d := &local{expr: a.Expr}
		d.addr = m.address("local." + a.Name)
		d.uses = []use{{expr: a.Expr}}
		declare(l, m, &m.locals, a.Name, d, a.NameRange)
	}
}

// executor decodes a block executor "kind" "name".
func (l *loader) executor(m *module, b *hclsyntax.Block) {
	d := &executor{kind: all.Kind(b.Labels[0]), name: b.Labels[1], attrs: b.Body.Attributes}
	name := b.Labels[0] + "." + d.name
	d.addr = m.address("executor." + name)
	s := kindSchema("", "", executorAttrs(d.kind), nil, false)
	if d.kind == nil {
		l.unknownExecutor(b)
		d.bad = true
	} else {
		s.what = fmt.Sprintf("An executor %q", d.kind.Name)
		l.schema(s, b, &d.decl)
	}
	d.uses = usesOf(b.Body.Attributes, s.attrs...)
	declare(l, m, &m.executors, name, d, b.DefRange())
}

func (l *loader) unknownExecutor(b *hclsyntax.Block) {
	kinds := namesOf(all.Kinds(), func(k *worker.Kind) string { return k.Name })
	given := b.Labels[0]
	l.report(b.LabelRanges[0], "Unknown executor",
		fmt.Sprintf("There is no executor %q.%s The executors are %s.", given, nearest.Question(given, kinds),
			words.OneOf(kinds)))
}

// usesOf returns the uses in the named attributes that exist.
func usesOf(attrs hclsyntax.Attributes, names ...string) []use {
	var uses []use
	for _, a := range sortedAttrs(attrs) {
		if slices.Contains(names, a.Name) {
			uses = append(uses, use{expr: a.Expr})
		}
	}
	return uses
}

// repeated returns the uses in a block with for_each. All expressions except for_each itself can refer to each.
func repeated(attrs hclsyntax.Attributes, names ...string) []use {
	uses := usesOf(attrs, forEachName)
	each := len(uses) > 0
	for _, u := range usesOf(attrs, names...) {
		u.each, u.self = each, true
		uses = append(uses, u)
	}
	return uses
}

// output decodes a block output "name".
func (l *loader) output(m *module, b *hclsyntax.Block) {
	d := &output{name: b.Labels[0], forEach: exprOf(b.Body, forEachName), value: exprOf(b.Body, "value"),
		path: exprOf(b.Body, "path")}
	d.addr = m.address("output." + d.name)
	l.schema(schemaOf("output"), b, &d.decl)
	_, _ = l.text(b.Body, "description") // reports an invalid one
	if m.parent != nil {
		for _, name := range []string{"path", forEachName} {
			if a, ok := b.Body.Attributes[name]; ok {
				l.report(a.NameRange, "Unexpected attribute", fmt.Sprintf("An output of a module has no %q: it is a "+
					"value for the pipeline that uses the module. The pipeline's own outputs have one.", name))
			}
		}
	}
	d.uses = repeated(b.Body.Attributes, "value", "path")
	declare(l, m, &m.outputs, d.name, d, b.DefRange())
}

// check decodes a block check "name".
func (l *loader) check(m *module, b *hclsyntax.Block) {
	d := &check{name: b.Labels[0], condition: condition{cond: exprOf(b.Body, "condition"),
		message: exprOf(b.Body, "message")}}
	d.addr = m.address("check." + d.name)
	l.schema(schemaOf("check"), b, &d.decl)
	d.uses = repeated(b.Body.Attributes, "condition", "message")
	declare(l, m, &m.checks, d.name, d, b.DefRange())
}

// function decodes a block function "name" as HCL's user functions do: params, variadic_param, result.
func (l *loader) function(m *module, b *hclsyntax.Block) {
	d := &userFunction{name: b.Labels[0], result: exprOf(b.Body, "result")}
	d.addr = m.address("function." + d.name)
	l.schema(schemaOf("function"), b, &d.decl)
	if _, ok := l.p.builtin[d.name]; ok {
		l.report(b.LabelRanges[0], "Function exists", fmt.Sprintf("%s() is a function of the language. Give this one "+
			"another name.", d.name))
		d.bad = true
	}
	l.paramsOf(m, d, b.Body)
	if d.result != nil {
		names := slices.Clone(d.params)
		if d.variadic != "" {
			names = append(names, d.variadic)
		}
		d.uses = []use{{expr: d.result, names: names, own: d.own}}
	}
	declare(l, m, &m.functions, d.name, d, b.DefRange())
}

func (l *loader) paramsOf(m *module, d *userFunction, body *hclsyntax.Body) {
	add := func(e hcl.Expression) string {
		name := hcl.ExprAsKeyword(e)
		switch {
		case name == "":
			l.report(e.Range(), "Invalid parameter", "The parameters of a function are bare names: params = [a, b].")
			d.bad = true
		case slices.Contains(d.params, name):
			l.report(e.Range(), "Invalid parameter", fmt.Sprintf("Two parameters have the name %q.", name))
			d.bad = true
		}
		p := &decl{mod: m, addr: m.address("parameter." + name), rng: e.Range()}
		d.own, l.params = append(d.own, p), append(l.params, p)
		return name
	}
	if e := exprOf(body, "params"); e != nil {
		list, diags := hcl.ExprList(e)
		if diags.HasErrors() {
			l.report(e.Range(), "Invalid parameters", "The parameters of a function are a list of bare names: params "+
				"= [a, b].")
			d.bad = true
		}
		for _, p := range list {
			if name := add(p); name != "" {
				d.params = append(d.params, name)
			}
		}
	}
	if e := exprOf(body, "variadic_param"); e != nil {
		d.variadic = add(e)
	}
}
