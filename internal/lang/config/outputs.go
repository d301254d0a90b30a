package config

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/smtpipe/smtpipe/internal/base/budget"
	"github.com/smtpipe/smtpipe/internal/base/hclsource"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Output is the value of one of the pipeline's output blocks.
type Output struct {
	Name      string // name; with for_each: name["key"]
	Value     cty.Value
	Path      string   // path that the value is written to, relative to the pipeline's folder; empty: none
	Waits     []string // addresses that the value still waits for; if there are any, Value is not wholly known
	Sensitive bool     // whether the value must not be shown
	Range     hcl.Range
}

// Outputs returns the pipeline's known outputs in declaration order.
func (p *Pipeline) Outputs(known stages.Known) ([]Output, hcl.Diagnostics) {
	var all []Output
	diags := p.evaluate(known, func(e *evaluator) { all = e.rootOutputs(&instance{mod: p.root}) })
	return all, diags
}

// rootOutputs returns the pipeline's outputs. Each must be written to a different path.
func (e *evaluator) rootOutputs(at *instance) []Output {
	var all []Output
	for _, o := range e.p.root.outputs.all() {
		for _, out := range e.rootOutput(o, at) {
			e.checkPath(o, &out, all)
			all = append(all, out)
		}
	}
	return all
}

// checkPath reports a path that another output already uses, that is inside another output's folder, or that does not
// suit the value.
func (e *evaluator) checkPath(o *output, out *Output, before []Output) {
	if out.Path == "" {
		return
	}
	for _, b := range before {
		switch {
		case b.Path == out.Path:
			e.errorAt(o.path.Range(), "Path used twice",
				fmt.Sprintf("The output %s is written to %q as well (%s). Give one of them another path.", b.Name,
					out.Path, place(b.Range)))
			return
		case b.Path != "" && (strings.HasPrefix(out.Path, b.Path+"/") || strings.HasPrefix(b.Path, out.Path+"/")):
			e.errorAt(o.path.Range(), "Path inside another", fmt.Sprintf("The output %s is written to %q (%s), and a "+
				"folder that is written is replaced as a whole. Give one of them a path outside the other.", b.Name,
				b.Path, place(b.Range)))
			return
		}
	}
	if folder := e.p.readAround(out.Path); folder != "" {
		e.errorAt(o.path.Range(), "Output inside an input", fmt.Sprintf("The pipeline reads the folder %q, and what "+
			"is written into it would be an input of the next run. Choose a path outside.", folder))
	}
	if err := stages.CheckPublished(out.Value.Type(), out.Path); err != nil {
		e.errorAt(o.path.Range(), "Unsuitable path of an output", upperFirst(err.Error())+".")
	}
}

func (e *evaluator) rootOutput(o *output, at *instance) []Output {
	var all []Output
	x := e.expand(&o.decl, o.forEach, at)
	names, scopes := x.scopes(o.name, selfValue(o.name))
	for i, name := range names {
		r := e.expr(o.value, at, scopes[i])
		out := Output{Name: name, Waits: union(r.waits, scopes[i].waits), Range: o.rng}
		out.Sensitive = isSensitive(r.val)
		if o.path != nil && o.value != nil {
			e.refuseSensitive(r.val, o.value.Range(), "an output with a path")
		}
		out.Value, _ = r.val.UnmarkDeep()
		if o.path != nil {
			out.Path, out.Waits = e.outputPath(o, at, scopes[i], out.Waits)
		}
		all = append(all, out)
	}
	return all
}

// outputPath checks that an output's path is inside the pipeline's folder.
func (e *evaluator) outputPath(o *output, at *instance, sc blockScope, waits []string) (string, []string) {
	r := e.expr(o.path, at, sc)
	if e.refuseSensitive(r.val, o.path.Range(), "the path of an output") {
		return "", waits
	}
	v, _ := r.val.UnmarkDeep()
	v, err := convert.Convert(v, cty.String)
	switch {
	case err != nil:
		e.errorAt(o.path.Range(), "Wrong type", "\"path\" must be a string: a path relative to the pipeline's folder.")
		return "", waits
	case !v.IsKnown():
		return "", union(waits, r.waits)
	case v.IsNull():
		return "", waits
	}
	path, ok := localPath(v.AsString())
	if !ok {
		e.errorAt(o.path.Range(), "Invalid path of an output", fmt.Sprintf("%q is not a path inside the pipeline's "+
			"folder. Outputs are written there and nowhere else; write for example \"site\".", v.AsString()))
		return "", waits
	}
	return path, waits
}

// Checks evaluates the check blocks. It returns an error for each check that is known to fail; it ignores checks that
// cannot be decided yet.
func (p *Pipeline) Checks(known stages.Known) hcl.Diagnostics {
	return p.evaluate(known, func(e *evaluator) {
		for _, m := range p.root.all() {
			for _, at := range e.instancesOf(m) {
				for _, c := range m.checks.all() {
					e.check(c, at)
				}
			}
		}
	})
}

func (e *evaluator) check(c *check, at *instance) {
	if c.bad || e.p.badExprs[c.cond] || e.p.badExprs[c.message] {
		return
	}
	sc := blockScope{self: selfValue(c.name)}
	r := e.expr(c.cond, at, sc)
	if !e.isCondition(c.cond, r.val, "check") || isTrueOrUnknown(r.val) {
		return
	}
	ctx, _ := e.context(c.cond, at, sc)
	messageCtx, _ := e.context(c.message, at, sc)
	d := errorAt(c.cond.Range(), fmt.Sprintf("Check %q failed", c.name), e.message(c.message, messageCtx))
	d.Expression, d.EvalContext = c.cond, ctx
	e.report(hcl.Diagnostics{d})
}

// message evaluates a condition's message.
func (e *evaluator) message(x hclsyntax.Expression, ctx *hcl.EvalContext) string {
	v, diags := x.Value(ctx)
	e.report(diags)
	secret := isSensitive(v)
	v, _ = v.Unmark()
	text, err := convert.Convert(v, cty.String)
	switch {
	case diags.HasErrors() || err != nil || text.IsKnown() && text.IsNull():
		return "The condition does not hold."
	case secret:
		return "The condition does not hold. Its message contains a sensitive value and is not shown."
	case !text.IsKnown():
		return "The condition does not hold; its message is not known yet."
	}
	return text.AsString()
}

// AddFunction adds a function that Eval's expressions can call. The pipeline itself cannot call it.
func (p *Pipeline) AddFunction(name string, f function.Function) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.builtin[name]; !ok {
		p.builtinNames = append(p.builtinNames, name)
	}
	p.builtin[name] = f
}

// Eval evaluates an expression in the pipeline's scope with the known outputs. It replaces sensitive values with a
// placeholder.
func (p *Pipeline) Eval(src string, known stages.Known) (cty.Value, hcl.Diagnostics) {
	const name = "<expression>"
	p.mu.Lock()
	p.sources[name] = &hcl.File{Bytes: []byte(src)}
	p.mu.Unlock()
	if diags := hclsource.CheckNesting([]byte(src), name); diags.HasErrors() {
		return cty.DynamicVal, diags
	}
	x, diags := hclsyntax.ParseExpression([]byte(src), name, hcl.InitialPos)
	if diags.HasErrors() {
		return cty.DynamicVal, diags
	}
	budget.CountAll(x)
	d := &decl{mod: p.root, addr: name, uses: []use{{expr: x}}}
	l := &loader{p: p}
	p.mu.Lock()
	l.resolve(d)
	p.mu.Unlock()
	if l.diags.HasErrors() {
		return cty.DynamicVal, tidy(l.diags)
	}
	v := cty.DynamicVal
	diags = p.evaluate(known, func(e *evaluator) {
		r := e.expr(x, &instance{mod: p.root}, blockScope{})
		if !e.diags.HasErrors() && len(r.waits) == 0 && !r.val.IsWhollyKnown() {
			e.errorAt(x.Range(), "No value", "This depends on something in the pipeline that has an error, which is "+
				"reported with the pipeline.")
		}
		v = shown(r.val)
	})
	return v, diags
}
