package config

import (
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/smtpipe/smtpipe/internal/stages"
)

// checkAll evaluates the whole pipeline without any outputs, to find errors before anything is executed.
func (p *Pipeline) checkAll() hcl.Diagnostics {
	checked := map[string]checkedStage{}
	diags := p.evaluate(nil, func(e *evaluator) {
		var all []stages.Instance
		for _, m := range p.root.all() {
			for _, at := range e.instancesOf(m) {
				e.checkModule(m, at)
			}
			for _, s := range m.stages.all() {
				before := len(e.diags)
				instances := e.expandStage(s)
				checked[s.addr] = checkedStage{instances, tidy(p.redactAll(slices.Clone(e.diags[before:])))}
				all = append(all, instances...)
			}
		}
		e.rootOutputs(&instance{mod: p.root}) // evaluated after the stages, whose inputs must not include output paths
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

// checkedStage is the result of checking a stage block.
type checkedStage struct {
	instances []stages.Instance
	diags     hcl.Diagnostics
}

// takeChecked returns and removes a block's result from the check of the whole pipeline. Each result can be taken only
// once because actions must not be shared.
func (p *Pipeline) takeChecked(addr string) (checkedStage, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	x, ok := p.checked[addr]
	delete(p.checked, addr)
	return x, ok
}
