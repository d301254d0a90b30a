package config

import (
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/nearest"
	"github.com/smtpipe/smtpipe/internal/rowexpr"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Expand evaluates one stage block, given by the address of its node, with the outputs that are known. It returns the
// block's instances in the order of their keys. A block whose instances are not known yet returns a single instance
// with the address of the block. Arguments are checked by type in any case. Action is set when all arguments are known.
func (p *Pipeline) Expand(addr string, known stages.Known) ([]stages.Instance, hcl.Diagnostics) {
	s, ok := p.byAddr[addr]
	if !ok {
		return nil, hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "Unknown stage",
			Detail: fmt.Sprintf("The pipeline has no stage %s.%s", addr, nearest.Question(addr, p.addresses()))}}
	}
	if x, ok := p.takeChecked(addr); ok && len(known) == 0 {
		return x.instances, x.diags
	}
	var all []stages.Instance
	diags := p.evaluate(known, func(e *evaluator) { all = e.expandStage(s) })
	return all, diags
}

// Executor returns the value of the block executor "KIND" "NAME", by KIND.NAME.
func (p *Pipeline) Executor(name string) (v cty.Value, diags hcl.Diagnostics) {
	x, ok := p.root.executors.get(name)
	if !ok {
		return v, hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "Unknown executor",
			Detail: fmt.Sprintf("The pipeline has no executor %s.%s", name, nearest.Question(name,
				p.root.executors.order))}}
	}
	diags = p.evaluate(nil, func(e *evaluator) { v = e.executor(x, &instance{mod: p.root}).val })
	if !diags.HasErrors() && !v.IsWhollyKnown() {
		diags = hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "Executor not known", Subject: &x.rng,
			Detail: "It depends on the output of a stage."}}
	}
	return v, diags
}

// checkedStage is the result of checking a stage block.
type checkedStage struct {
	instances []stages.Instance
	diags     hcl.Diagnostics
}

// takeChecked returns the result for a block from the check of the whole pipeline. It does so once, since actions are
// not shared.
func (p *Pipeline) takeChecked(addr string) (checkedStage, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	x, ok := p.checked[addr]
	delete(p.checked, addr)
	return x, ok
}

func (p *Pipeline) addresses() []string {
	var all []string
	for _, n := range p.nodes {
		all = append(all, n.Addr)
	}
	return all
}

// expandStage returns the instances of a stage block in all instances of its module.
func (e *evaluator) expandStage(s *stage) []stages.Instance {
	var all []stages.Instance
	if s.kind.New == nil && s.kind.Outputs == nil {
		return nil // of an unknown kind, which is reported elsewhere
	}
	for _, at := range e.instancesOf(s.mod) {
		x := e.expand(&s.decl, s.forEach, at)
		addrs, scopes := x.scopes(at.address(&s.decl), selfValue(s.name))
		if e.tooMany(len(all)+len(addrs), &s.decl) {
			return nil
		}
		for i, addr := range addrs {
			all = append(all, e.stageInstance(s, at, addr, scopes[i]))
		}
	}
	return all
}

func (e *evaluator) stageInstance(s *stage, at *instance, addr string, sc blockScope) stages.Instance {
	before := len(e.diags)
	d := &argsDecoder{e: e, at: at, scope: sc, complete: true, waits: union(at.waits, sc.waits)}
	args := d.block(s.body, s.kind.Attrs, "", s.rng)
	args.SetEvidence(e.p.evidence, addr)
	for _, b := range s.body.Blocks {
		spec := findBlock(s.kind.Blocks, b.Type)
		if spec == nil {
			continue
		}
		label := ""
		if len(b.Labels) > 0 {
			label = b.Labels[0]
		}
		args.AddBlock(b.Type, d.block(b.Body, spec.Attrs, label, header(b)))
	}
	inst := stages.Instance{Addr: addr, Kind: s.kind, Args: args, Waits: d.waits, Open: len(at.waits)+len(sc.waits) > 0,
		Range: s.rng}
	if s.bad || s.kind.New == nil || d.broken {
		return inst
	}
	if e.diags[before:].HasErrors() || !d.complete || len(d.waits) > 0 {
		// A mistake in what is known is found before anything executes, and not weeks later.
		args = args.Trial()
		_, err := s.kind.New(args)
		e.report(args.Warnings())
		e.report(stages.Certain(err))
		return inst
	}
	action, err := s.kind.New(args)
	e.report(args.Warnings())
	if err != nil {
		e.report(stages.Diagnose(err, s.rng))
		return inst
	}
	inst.Action = action
	return inst
}

// argsDecoder evaluates the attributes of one instance.
type argsDecoder struct {
	e        *evaluator
	at       *instance
	scope    blockScope
	waits    []string
	complete bool // all values are known
	broken   bool // an expression has an error that was reported on loading
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

// byDefault sets an attribute to its default, if it has one.
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

// inherit sets an attribute to the part of the competition that is its default, if the competition has it.
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
	return fmt.Sprintf("%q is required, and this is null, which is the same as leaving it out. Write a value.", name)
}

// attr evaluates a plain attribute. null means that the attribute is not given.
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

// checkAll evaluates everything without any output, to find errors before anything executes.
func (p *Pipeline) checkAll() hcl.Diagnostics {
	checked := map[string]checkedStage{}
	diags := p.evaluate(nil, func(e *evaluator) {
		var all []stages.Instance
		modules := []*module{p.root}
		for len(modules) > 0 {
			m := modules[0]
			modules = modules[1:]
			for _, at := range e.instancesOf(m) {
				e.checkModule(m, at)
			}
			for _, s := range m.stages.all() {
				before := len(e.diags)
				instances := e.expandStage(s)
				checked[s.addr] = checkedStage{instances, tidy(p.redactAll(slices.Clone(e.diags[before:])))}
				all = append(all, instances...)
			}
			for _, c := range m.calls.all() {
				modules = append(modules, c.child)
			}
		}
		e.rootOutputs(&instance{mod: p.root}) // after the stages, whose inputs they must not be in
		e.report(checkConnections(all))
	})
	if !diags.HasErrors() {
		p.checked = checked
	}
	return diags
}

func (e *evaluator) checkModule(m *module, at *instance) {
	for _, v := range m.vars.all() {
		e.variable(v, at)
	}
	for _, v := range m.locals.all() {
		e.local(v, at)
	}
	e.allSolvers(at)
	for _, x := range m.executors.all() {
		e.executor(x, at)
	}
	for _, c := range m.calls.all() {
		e.call(c, at)
	}
	if m.parent != nil {
		for _, o := range m.outputs.all() {
			e.output(o, at)
		}
	}
	for _, c := range m.checks.all() {
		e.check(c, at)
	}
}
