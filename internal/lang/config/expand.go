package config

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/base/nearest"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Expand evaluates a stage block, given by its node's address, with the known outputs. It returns the block's instances
// in key order. A block whose instances are not known yet returns a single instance with the block's address. Argument
// types are always checked. Action is set if all arguments are known.
func (p *Pipeline) Expand(addr string, known stages.Known) ([]stages.Instance, hcl.Diagnostics) {
	s, ok := p.byAddr[addr]
	if !ok {
		return nil, hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "Unknown stage",
			Detail: fmt.Sprintf("The pipeline has no stage %s.%s", addr, nearest.Question(addr,
				namesOf(p.nodes, func(n stages.Node) string { return n.Addr })))}}
	}
	if x, ok := p.takeChecked(addr); ok && len(known) == 0 {
		return x.instances, x.diags
	}
	var all []stages.Instance
	diags := p.evaluate(known, func(e *evaluator) { all = e.expandStage(s) })
	return all, diags
}

// Executor returns the value of an executor block by KIND.NAME.
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

// expandStage returns a stage block's instances in all instances of its module.
func (e *evaluator) expandStage(s *stage) []stages.Instance {
	var all []stages.Instance
	if s.kind.New == nil && s.kind.Outputs == nil {
		return nil // the kind is unknown, which is reported elsewhere
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
		spec := stages.FindBlock(s.kind.Blocks, b.Type)
		if spec == nil {
			continue
		}
		label := ""
		if len(b.Labels) > 0 {
			label = b.Labels[0]
		}
		args.AddBlock(b.Type, d.block(b.Body, spec.Attrs, label, b.DefRange()))
	}
	inst := stages.Instance{Addr: addr, Kind: s.kind, Args: args, Waits: d.waits, Open: len(at.waits)+len(sc.waits) > 0,
		Range: s.rng}
	if s.bad || s.kind.New == nil || d.broken {
		return inst
	}
	if e.diags[before:].HasErrors() || !d.complete || len(d.waits) > 0 {
		// Mistakes in known values are reported before anything is executed, not weeks later.
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
