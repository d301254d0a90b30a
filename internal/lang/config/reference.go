package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/base/hclsource"
	"github.com/smtpipe/smtpipe/internal/base/nearest"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Root is the first word of references.
type Root struct {
	Name  string
	Doc   string
	Block string        // type of the blocks that declare its targets; empty: the root itself is a value
	Names int           // number of names that select a declaration, such as 2 in stage.KIND.NAME
	Attrs []stages.Attr // attributes, if the root itself is a value
	Parts cty.Type      // attributes of each declaration; cty.NilType: they vary by declaration
}

var roots = []Root{
	{Name: "var", Doc: "variables", Block: "variable", Names: 1},
	{Name: "local", Doc: "local values", Block: "locals", Names: 1},
	{Name: "solver", Doc: "solvers", Block: "solver", Names: 1, Parts: stages.SolverType},
	{Name: "stage", Doc: "stages, such as stage.KIND.NAME.OUTPUT", Block: "stage", Names: 2},
	{Name: "executor", Doc: "executors, such as executor.KIND.NAME", Block: "executor", Names: 2,
		Parts: stages.ExecutorType},
	{Name: "module", Doc: "outputs of modules", Block: "module", Names: 1},
	{Name: "competition", Doc: "the competition", Attrs: []stages.Attr{{Name: "name"}, {Name: "year"},
		{Name: "edition"}, {Name: "rules", Doc: "rules of the year"},
		{Name: "tracks", Doc: "logics by track and division"},
		{Name: "image", Doc: "root file system of runs"}}},
	{Name: "each", Doc: "the instance of a block with for_each", Attrs: []stages.Attr{
		{Name: "key", Doc: "the key of this instance"}, {Name: "value", Doc: "its value"}}},
	{Name: "self", Doc: "the block itself", Attrs: []stages.Attr{{Name: "name", Doc: "the name of this block"}}},
	{Name: "path", Doc: "folders", Attrs: []stages.Attr{{Name: "module", Doc: "the folder of this module"},
		{Name: "root", Doc: "the folder of the pipeline"}}},
}

// Roots returns all possible first words of references.
func Roots() []Root { return slices.Clone(roots) }

// RootNamed returns the named root, or nil.
func RootNamed(name string) *Root {
	if i := slices.IndexFunc(roots, func(r Root) bool { return r.Name == name }); i >= 0 {
		return &roots[i]
	}
	return nil
}

func rootNames() []string { return namesOf(roots, func(r Root) string { return r.Name }) }

// target is a declaration that a reference leads to. step is the index of the step that names it, or 0 if none does.
type target struct {
	*decl
	step int
}

// exprInfo holds facts about an expression that are known before evaluation.
type exprInfo struct {
	deps []dep
	own  bool // whether it refers to each or self
}

// fixed reports whether an expression has the same value for all possible stage outputs and in all instances of its
// block.
func (p *Pipeline) fixed(x hclsyntax.Expression) bool {
	info, ok := p.exprs[x]
	if !ok || info.own {
		return false
	}
	return !slices.ContainsFunc(info.deps, func(d dep) bool { return p.dynamic[d.to.id] })
}

// resolve looks up all references in a declaration statically and adds their targets as its dependencies.
func (l *loader) resolve(d *decl) {
	for _, u := range d.uses {
		before, first := len(l.diags), len(d.deps)
		lost := false // whether the target of a reference may be in a file that could not be parsed
		m := d.mod
		if u.mod != nil {
			m = u.mod
		}
		for _, t := range hclsource.References(u.expr) {
			if u.hides(t.RootName()) {
				l.linkOwn(&u, t)
				continue
			}
			targets, diag := m.lookup(t, &u)
			for _, to := range targets {
				if to.step > 0 {
					l.link(to.decl, t[to.step].SourceRange(), t.SourceRange())
				}
			}
			switch {
			case diag != nil && m.mayHave(t):
				lost = true
				continue
			case diag != nil:
				l.diags = append(l.diags, diag)
				continue
			}
			lost = lost || t.RootName() == "competition" && l.p.root.partial
			for _, to := range targets {
				d.deps = append(d.deps, dep{to.decl, t.SourceRange(), u.expr})
			}
		}
		lost = l.calls(d, m, &u) || lost
		info := exprInfo{deps: d.deps[first:len(d.deps):len(d.deps)]}
		for _, t := range u.expr.Variables() {
			info.own = info.own || t.RootName() == "each" || t.RootName() == "self"
		}
		l.p.exprs[u.expr] = info
		if lost || l.diags[before:].HasErrors() {
			l.p.badExprs[u.expr] = true
		}
	}
}

// hides reports whether name is one of the expression's own variables.
func (u *use) hides(name string) bool {
	return slices.Contains(u.names, name) ||
		u.row != nil && slices.ContainsFunc(u.row.Vars, func(v rowexpr.Var) bool { return v.Name == name })
}

// mayHave reports whether a declaration that was not found may be in a file that could not be parsed. That file's error
// has already been reported, and follow-up errors would not help.
func (m *module) mayHave(t hcl.Traversal) bool {
	switch t.RootName() {
	case "var", "local", "solver", "stage", "executor":
		return m.partial
	case "module":
		name, _ := hclsource.Step(t, 1)
		c, ok := m.calls.get(name)
		return m.partial || ok && c.child != nil && c.child.partial
	}
	return false
}

// calls checks the names of the functions that an expression calls. It reports whether a function may be in a file that
// could not be parsed.
func (l *loader) calls(d *decl, m *module, u *use) (lost bool) {
	hclsource.Calls(u.expr, func(call *hclsyntax.FunctionCallExpr) {
		if f, ok := m.functions.get(call.Name); ok {
			d.deps = append(d.deps, dep{&f.decl, call.NameRange, u.expr})
			l.link(&f.decl, call.NameRange, call.NameRange)
			return
		}
		if _, ok := l.p.builtin[call.Name]; ok {
			return
		}
		if m.partial {
			lost = true
			return
		}
		names := append(slices.Clone(m.functions.order), l.p.builtinNames...)
		l.report(call.NameRange, "Unknown function", fmt.Sprintf("There is no function %q.%s", call.Name,
			nearest.Question(call.Name, names)))
	})
	return lost
}

// stepRange returns the range of step i, or the whole range if the step does not exist.
func stepRange(t hcl.Traversal, i int) hcl.Range {
	if i < len(t) {
		return t[i].SourceRange()
	}
	return t.SourceRange()
}

// lookup resolves a traversal. If it finds an error, it returns the targets of the steps before it.
func (m *module) lookup(t hcl.Traversal, u *use) ([]target, *hcl.Diagnostic) {
	root := t.RootName()
	switch root {
	case "var":
		v, diag := find(m.vars, t, "var", "variable")
		if diag != nil {
			return nil, diag
		}
		return []target{{&v.decl, 1}}, nil
	case "local":
		v, diag := find(m.locals, t, "local", "local value")
		if diag != nil {
			return nil, diag
		}
		return []target{{&v.decl, 1}}, nil
	case "solver":
		return m.lookupSolver(t)
	case "stage":
		return m.lookupStage(t)
	case "executor":
		return m.lookupExecutor(t)
	case "module":
		return m.lookupModule(t)
	}
	switch r := RootNamed(root); {
	case r == nil:
		return nil, m.unknownRoot(t, u)
	case root == "self" && !u.self:
		return nil, errorAt(t.SourceRange(), "Invalid reference",
			"There is no \"self\" here. It is the block itself, inside a stage, solver, output or check.")
	case root == "each" && !u.each:
		return nil, errorAt(t.SourceRange(), "Invalid reference",
			"There is no \"each\" here. It can be used in a block that has for_each, and not in for_each itself.")
	default:
		return nil, oneOfAttrs(t, root, namesOf(r.Attrs, func(a stages.Attr) string { return a.Name })...)
	}
}

// find looks up step 1 of a traversal in a dictionary.
func find[T any](in named[T], t hcl.Traversal, root, what string) (T, *hcl.Diagnostic) {
	var none T
	name, ok := hclsource.Step(t, 1)
	if !ok {
		return none, errorAt(t.SourceRange(), "Invalid reference",
			fmt.Sprintf("A reference to a %s needs its name: write %s.NAME.", what, root))
	}
	v, ok := in.get(name)
	if !ok {
		remedy := ""
		if len(in.order) > 0 && nearest.Name(name, in.order) == "" {
			remedy = fmt.Sprintf(" Declared are %s.", words.OneOf(in.order))
		}
		return none, errorAt(t.SourceRange(), "Unknown "+what, fmt.Sprintf("There is no %s %q.%s%s", what, name,
			nearest.Question(name, in.order), remedy))
	}
	return v, nil
}

// oneOfAttrs checks that step 1 is one of names. References to the whole value are allowed.
func oneOfAttrs(t hcl.Traversal, root string, names ...string) *hcl.Diagnostic {
	name, ok := hclsource.Step(t, 1)
	if !ok && len(t) == 1 {
		return nil
	}
	if !slices.Contains(names, name) {
		return errorAt(t.SourceRange(), "Invalid reference", fmt.Sprintf("%q has no attribute %q.%s It has %s.", root,
			name, nearest.Question(name, names), words.OneOf(names)))
	}
	return nil
}

func (m *module) lookupSolver(t hcl.Traversal) ([]target, *hcl.Diagnostic) {
	if _, named := hclsource.Step(t, 1); !named { // "solver" alone means all solvers
		var all []target
		for _, s := range m.solvers.all() {
			all = append(all, target{&s.decl, 0})
		}
		return all, nil
	}
	s, diag := find(m.solvers, t, "solver", "solver")
	if diag != nil {
		return nil, diag
	}
	ref := []target{{&s.decl, 1}}
	at, diag := keyed(t, 2, "solver."+s.name, s.forEach != nil)
	if diag != nil || at >= len(t) {
		return ref, diag
	}
	name, ok := hclsource.Step(t, at)
	if names := attrNames(stages.SolverType); ok && !slices.Contains(names, name) {
		return ref, errorAt(stepRange(t, at), "Unknown attribute",
			fmt.Sprintf("A solver has no attribute %q.%s It has %s.", name, nearest.Question(name, names),
				words.OneOf(names)))
	}
	return ref, nil
}

// keyed checks the key in a reference to a block with for_each, and returns the index of the next step.
func keyed(t hcl.Traversal, at int, addr string, forEach bool) (int, *hcl.Diagnostic) {
	if at >= len(t) {
		return at, nil
	}
	switch step := t[at].(type) {
	case hcl.TraverseIndex:
		if !forEach {
			if _, isName := hclsource.Step(t, at); isName {
				return at, nil // ["output"] instead of .output
			}
			return at, errorAt(step.SrcRange, "Invalid reference", fmt.Sprintf("%s does not use for_each, so it has "+
				"no keys.",
				addr))
		}
		return at + 1, nil
	case hcl.TraverseAttr:
		if forEach {
			return at, errorAt(step.SrcRange, "Key missing", fmt.Sprintf("%s uses for_each. Name one of its "+
				"instances, such as %s[\"key\"].%s, or use all of them: [for k, x in %s : x.%s].", addr, addr,
				step.Name,
				addr, step.Name))
		}
	case hcl.TraverseSplat:
		if !forEach {
			return at, errorAt(step.SrcRange, "Invalid reference",
				fmt.Sprintf("%s does not use for_each, so [*] cannot be applied to it.", addr))
		}
	}
	return at, nil
}

// split returns the two names in a traversal such as stage.kind.name.
func split(t hcl.Traversal) (first, second string, ok bool) {
	first, ok1 := hclsource.Step(t, 1)
	second, ok2 := hclsource.Step(t, 2)
	return first, second, ok1 && ok2
}

func (m *module) lookupStage(t hcl.Traversal) ([]target, *hcl.Diagnostic) {
	kind, name, ok := split(t)
	if !ok {
		return nil, errorAt(t.SourceRange(), "Invalid reference",
			"A reference to a stage needs its kind and name: write stage.KIND.NAME.OUTPUT.")
	}
	s, ok := m.stages.get(kind + "." + name)
	if !ok {
		return nil, errorAt(t.SourceRange(), "Unknown stage", m.unknownStage(kind, name))
	}
	ref := []target{{&s.decl, 2}}
	if s.bad && s.kind.Outputs == nil {
		return ref, nil // the kind is unknown, which is reported elsewhere
	}
	at, diag := keyed(t, 3, "stage."+kind+"."+name, s.forEach != nil)
	if diag != nil || at >= len(t) {
		return ref, diag
	}
	out, ok := hclsource.Step(t, at)
	if ok && s.kind.Output(out) == nil {
		names := namesOf(s.kind.Outputs, func(o stages.Output) string { return o.Name })
		return ref, errorAt(stepRange(t, at), "Unknown output", fmt.Sprintf("A stage %q has no output %q.%s It has %s.",
			kind, out, nearest.Question(out, names), words.OneOf(names)))
	}
	return ref, nil
}

func (m *module) unknownStage(kind, name string) string {
	var same []string // names of stages of this kind
	for _, s := range m.stages.all() {
		if s.kind.Name == kind {
			same = append(same, s.name)
		}
	}
	detail := fmt.Sprintf("There is no stage %q %q.", kind, name)
	if best := nearest.Name(name, same); best != "" {
		return detail + fmt.Sprintf(" Did you mean stage.%s.%s?", kind, best)
	}
	if best := nearest.Name(kind+"."+name, m.stages.order); best != "" {
		return detail + fmt.Sprintf(" Did you mean stage.%s?", best)
	}
	for _, s := range m.stages.all() {
		if s.name == name {
			return detail + fmt.Sprintf(" Did you mean stage.%s.%s?", s.kind.Name, name)
		}
	}
	if len(same) > 0 {
		return detail + fmt.Sprintf(" The stages of this kind are %s.", words.OneOf(same))
	}
	return detail
}

func (m *module) lookupExecutor(t hcl.Traversal) ([]target, *hcl.Diagnostic) {
	kind, name, ok := split(t)
	if !ok {
		return nil, errorAt(t.SourceRange(), "Invalid reference",
			"A reference to an executor needs its kind and name: write executor.local.NAME.")
	}
	e, ok := m.executors.get(kind + "." + name)
	if !ok {
		best := nearest.Name(kind+"."+name, m.executors.order)
		hint := ""
		if best != "" {
			hint = fmt.Sprintf(" Did you mean executor.%s?", best)
		}
		return nil, errorAt(t.SourceRange(), "Unknown executor", fmt.Sprintf("There is no executor %q %q.%s",
			kind, name, hint))
	}
	return []target{{&e.decl, 2}}, nil
}

func (m *module) lookupModule(t hcl.Traversal) ([]target, *hcl.Diagnostic) {
	c, diag := find(m.calls, t, "module", "module")
	if diag != nil {
		return nil, diag
	}
	ref := []target{{&c.decl, 1}}
	for _, o := range c.child.outputs.all() {
		ref = append(ref, target{&o.decl, 0})
	}
	at, diag := keyed(t, 2, "module."+c.name, c.forEach != nil)
	if diag != nil || at >= len(t) || c.bad {
		return ref, diag
	}
	name, ok := hclsource.Step(t, at)
	if !ok {
		return ref, nil
	}
	o, found := c.child.outputs.get(name)
	if !found {
		return ref, errorAt(stepRange(t, at), "Unknown output", fmt.Sprintf("The module %q has no output %q.%s", c.name,
			name, nearest.Question(name, c.child.outputs.order)))
	}
	return []target{{&c.decl, 1}, {&o.decl, at}}, nil
}

// unknownRoot explains a reference whose first word is unknown.
func (m *module) unknownRoot(t hcl.Traversal, u *use) *hcl.Diagnostic {
	name := t.RootName()
	detail := fmt.Sprintf("There is no %q here.", name)
	rows := slices.Clone(u.names)
	if u.row != nil {
		for _, v := range u.row.Vars {
			rows = append(rows, v.Name)
		}
	}
	switch _, isLocal := m.locals.get(name); {
	case isLocal:
		detail += fmt.Sprintf(" Did you mean local.%s?", name)
	case m.vars.by[name] != nil:
		detail += fmt.Sprintf(" Did you mean var.%s?", name)
	case len(t) == 1 && m.solvers.by[name] != nil:
		detail += fmt.Sprintf(" Did you mean solver.%s?", name)
	case nearest.Name(name, append(rootNames(), rows...)) != "":
		detail += nearest.Question(name, append(rootNames(), rows...))
	case m.kindNamed(name):
		detail += fmt.Sprintf(" Did you mean stage.%s?", name)
	case len(t) == 1:
		detail += " A text is written in quotes; a value with a name is local.NAME or var.NAME."
	case u.row != nil:
		detail += fmt.Sprintf(" The variables of this row expression are %s.", strings.Join(rows, ", "))
	default:
		detail += " A reference begins with " + words.OneOf(rootNames()) + "."
	}
	return errorAt(t.SourceRange(), "Unknown reference", detail)
}

func (m *module) kindNamed(name string) bool {
	return slices.ContainsFunc(m.stages.all(), func(s *stage) bool { return s.kind.Name == name })
}
