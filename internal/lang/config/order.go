package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/smtpipe/smtpipe/internal/graph"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// sort orders the declarations and creates the stages' nodes. It reports cycles and breaks them, to find other errors,
// too. It returns false if no order exists.
func (l *loader) sort() bool {
	p := l.p
	g, order, err := p.order()
	for err != nil {
		cycle, ok := errors.AsType[*graph.CycleError](err)
		switch {
		case errors.Is(err, graph.ErrTooLarge):
			l.diags = append(l.diags, &hcl.Diagnostic{Severity: hcl.DiagError, Summary: "Pipeline too large",
				Detail: fmt.Sprintf("The pipeline declares %d blocks and local values; at most %d are possible. "+
					"Whatever is numerous, such as benchmarks and runs, belongs in rows of tables, not in blocks.", len(p.decls),
					graph.MaxNodes)})
			return false
		case !ok:
			l.diags = append(l.diags, &hcl.Diagnostic{Severity: hcl.DiagError, Summary: "Cannot order the pipeline",
				Detail: err.Error()})
			return false
		}
		cut := true
		for _, path := range cycle.Cycles {
			l.diags = append(l.diags, p.cycle(path))
			cut = p.breakCycle(path) && cut
		}
		if !cut {
			return false
		}
		g, order, err = p.order()
	}
	reach := g.Reach(order, func(v int) bool { return p.decls[v].stage })
	byDecl := p.stagesByDecl()
	p.dynamic = make([]bool, len(p.decls))
	for _, v := range order {
		d := p.decls[v]
		p.dynamic[v] = d.stage || len(reach[v]) > 0
		if d.stage {
			p.node(byDecl[d], reach[v])
		}
	}
	return true
}

// order returns an order of the declarations. Its error is from package graph.
func (p *Pipeline) order() (*graph.Graph, []int, error) {
	g, err := graph.New(len(p.decls))
	if err != nil {
		return nil, nil, err
	}
	for _, d := range p.decls {
		for _, dep := range d.deps {
			g.Need(d.id, dep.to.id)
		}
		if call := d.mod.call; call != nil {
			g.Need(d.id, call.id) // a module's declarations exist once per instance of the module
		}
	}
	order, err := g.Sort()
	return g, order, err
}

// breakCycle breaks a cycle. The expressions that contain its first reference are marked as wrong and are not
// evaluated. It returns false for a cycle without a reference.
func (p *Pipeline) breakCycle(path []int) bool {
	for i, v := range path {
		d, next := p.decls[v], p.decls[path[(i+1)%len(path)]]
		kept := slices.DeleteFunc(slices.Clone(d.deps), func(dep dep) bool {
			if dep.to == next {
				p.badExprs[dep.expr] = true
			}
			return dep.to == next
		})
		if len(kept) < len(d.deps) {
			d.deps = kept
			return true
		}
	}
	return false
}

// stagesByDecl maps declarations to the stages of all modules.
func (p *Pipeline) stagesByDecl() map[*decl]*stage {
	all, seen := map[*decl]*stage{}, map[*module]bool{}
	for _, d := range p.decls {
		if seen[d.mod] {
			continue
		}
		seen[d.mod] = true
		for _, s := range d.mod.stages.all() {
			all[&s.decl] = s
		}
	}
	return all
}

// node adds a stage's node.
func (p *Pipeline) node(s *stage, needs []int) {
	deps := make([]string, len(needs))
	for i, n := range needs {
		deps[i] = p.decls[n].addr
	}
	slices.Sort(deps)
	p.nodes = append(p.nodes, stages.Node{Addr: s.addr, Kind: s.kind, Deps: deps, Range: s.rng})
	p.byAddr[s.addr] = s
}

// cycle reports a cycle with the location of every reference in it.
func (p *Pipeline) cycle(path []int) *hcl.Diagnostic {
	var names []string
	var w strings.Builder
	for i, v := range path {
		d, next := p.decls[v], p.decls[path[(i+1)%len(path)]]
		names = append(names, d.addr)
		fmt.Fprintf(&w, "\n  %s refers to %s (%s)", d.addr, next.addr, place(d.reference(next)))
	}
	first := p.decls[path[0]]
	summary, what := "Cycle of references", "These declarations form a cycle"
	if len(path) == 1 {
		what = "A declaration cannot refer to itself"
	}
	if strings.Contains(first.addr, "function.") {
		what += "; a function cannot be recursive"
	}
	names = append(names, first.addr)
	at := first.reference(p.decls[path[1%len(path)]])
	return errorAt(at, summary, fmt.Sprintf("%s: %s.%s\nRemove one of these references.", what,
		strings.Join(names, " → "), w.String()))
}

// reference returns the range of a declaration's first reference to another one, or its own range if it has none.
func (d *decl) reference(to *decl) hcl.Range {
	if i := slices.IndexFunc(d.deps, func(dep dep) bool { return dep.to == to }); i >= 0 {
		return d.deps[i].rng
	}
	return d.rng
}
