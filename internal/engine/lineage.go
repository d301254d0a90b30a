package engine

import (
	"github.com/hashicorp/hcl/v2"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// trail remembers the blocks expanded so far, by address, for the lineage of later blocks.
type trail struct {
	blocks map[string][]stages.Instance
	deps   map[string][]string // blocks that an instance refers to, by its address
}

func newTrail() trail { return trail{map[string][]stages.Instance{}, map[string][]string{}} }

// expand evaluates one block with the outputs known so far, and passes each action that traces its lineage the origin
// of its arguments.
func (e *Engine) expand(node *stages.Node, known stages.Known, t trail) ([]stages.Instance, hcl.Diagnostics) {
	instances, diags := e.pipeline.Expand(node.Addr, known)
	instances = e.selected.filter(node.Addr, instances)
	t.blocks[node.Addr] = instances
	for i := range instances {
		t.deps[instances[i].Addr] = node.Deps
		if tracer, ok := instances[i].Action.(stages.Tracer); ok {
			tracer.Trace(t.lineage(&instances[i], known, e))
		}
	}
	return instances, diags
}

// lineage returns the lineage of an instance.
func (t trail) lineage(in *stages.Instance, known stages.Known, e *Engine) *stages.Lineage {
	l, absent := &stages.Lineage{Addr: in.Addr, Version: e.opt.Version}, e.Absent()
	done := map[string]bool{}
	var visit func(in *stages.Instance)
	visit = func(in *stages.Instance) {
		if done[in.Addr] {
			return
		}
		done[in.Addr] = true
		step := stages.LineageStep{Addr: in.Addr, Kind: in.Kind.Name, Files: in.Args.LineageFiles(),
			Absent: absent[in.Addr]}
		for _, from := range t.uses(in, known) {
			visit(from)
			step.Uses = append(step.Uses, from.Addr)
		}
		for _, out := range in.Kind.Outputs {
			if art, ok := stages.ArtifactOf(known[in.Addr][out.Name]); ok {
				step.Outputs = append(step.Outputs, stages.LineageOutput{Name: out.Name, Artifact: art})
			}
		}
		l.Steps = append(l.Steps, step)
	}
	visit(in)
	return l
}

// uses returns the instances that an instance uses, for each block that it refers to. These are the instances that
// produced its artifacts. If there are none, they are the instances with the same for_each keys, or else all instances
// of the block.
func (t trail) uses(in *stages.Instance, known stages.Known) []*stages.Instance {
	has := map[cache.Digest]bool{}
	for _, art := range in.Args.AllArtifacts() {
		has[art.Digest] = true
	}
	gave := func(from *stages.Instance) bool {
		for _, v := range known[from.Addr] {
			if art, ok := stages.ArtifactOf(v); ok && has[art.Digest] {
				return true
			}
		}
		return false
	}
	same := func(from *stages.Instance) bool { return keysOf(from.Addr) == keysOf(in.Addr) }
	var used []*stages.Instance
	for _, dep := range t.deps[in.Addr] {
		all := t.blocks[dep]
		some := filtered(all, gave)
		if len(some) == 0 {
			some = filtered(all, same)
		}
		if len(some) == 0 {
			some = filtered(all, func(*stages.Instance) bool { return true })
		}
		used = append(used, some...)
	}
	return used
}

func filtered(all []stages.Instance, keep func(*stages.Instance) bool) []*stages.Instance {
	var some []*stages.Instance
	for i := range all {
		if keep(&all[i]) {
			some = append(some, &all[i])
		}
	}
	return some
}
