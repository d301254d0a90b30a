package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/nearest"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// roots are the first words of references.
var roots = []string{"var", "local", "solver", "stage", "executor", "module", "competition", "each", "self", "path"}

// reference is what a traversal refers to: declarations, or nothing for the values of the block itself.
type reference struct {
	root  string
	decls []*decl
}

// exprInfo holds the facts about an expression before it is evaluated.
type exprInfo struct {
	deps []dep
	own  bool // refers to each or self
}

// fixed reports whether the value of an expression is the same for all outputs of stages and for all instances of its
// block.
func (p *Pipeline) fixed(x hclsyntax.Expression) bool {
	info, ok := p.exprs[x]
	if !ok || info.own {
		return false
	}
	for _, d := range info.deps {
		if p.dynamic[d.to.id] {
			return false
		}
	}
	return true
}

// resolve looks up all references of a declaration statically and enters them as its dependencies.
func (l *loader) resolve(d *decl) {
	for _, u := range d.uses {
		before, first := len(l.diags), len(d.deps)
		lost := false // refers to something that may be in a file that could not be parsed
		m := d.mod
		if u.mod != nil {
			m = u.mod
		}
		for _, t := range variablesOf(u.expr) {
			if u.hides(t.RootName()) {
				continue
			}
			ref, diag := m.lookup(t, &u)
			switch {
			case diag != nil && m.mayHave(t):
				lost = true
				continue
			case diag != nil:
				l.diags = append(l.diags, diag)
				continue
			}
			lost = lost || t.RootName() == "competition" && l.p.root.partial
			for _, to := range ref.decls {
				d.deps = append(d.deps, dep{to, t.SourceRange(), u.expr})
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
	if slices.Contains(u.names, name) {
		return true
	}
	if u.row == nil {
		return false
	}
	for _, v := range u.row.Vars {
		if v.Name == name {
			return true
		}
	}
	return false
}

// variablesOf returns the references of an expression in the order of the source.
func variablesOf(e hclsyntax.Expression) []hcl.Traversal {
	all := e.Variables()
	slices.SortStableFunc(all, func(a, b hcl.Traversal) int {
		return a.SourceRange().Start.Byte - b.SourceRange().Start.Byte
	})
	return all
}

// mayHave reports whether a declaration that was not found may be in a file that could not be parsed. That file already
// has an error, and follow-up errors would not help.
func (m *module) mayHave(t hcl.Traversal) bool {
	switch t.RootName() {
	case "var", "local", "solver", "stage", "executor":
		return m.partial
	case "module":
		name, _ := attrName(t, 1)
		c, ok := m.calls.get(name)
		return m.partial || ok && c.child != nil && c.child.partial
	}
	return false
}

// calls checks the names of the functions that an expression calls. It reports whether one may be in a file that could
// not be parsed.
func (l *loader) calls(d *decl, m *module, u *use) (lost bool) {
	visitCalls(u.expr, func(call *hclsyntax.FunctionCallExpr) {
		if f, ok := m.functions.get(call.Name); ok {
			d.deps = append(d.deps, dep{&f.decl, call.NameRange, u.expr})
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

func visitCalls(e hclsyntax.Expression, visit func(*hclsyntax.FunctionCallExpr)) {
	_ = hclsyntax.VisitAll(e, func(n hclsyntax.Node) hcl.Diagnostics {
		if call, ok := n.(*hclsyntax.FunctionCallExpr); ok {
			visit(call)
		}
		return nil
	})
}

// attrName returns the name of step i of a traversal, written as .name or ["name"].
func attrName(t hcl.Traversal, i int) (string, bool) {
	if i >= len(t) {
		return "", false
	}
	switch step := t[i].(type) {
	case hcl.TraverseAttr:
		return step.Name, true
	case hcl.TraverseIndex:
		// A computed key may be marked as sensitive, so that it must not be shown, or as waiting.
		if step.Key.Type() == cty.String && known(step.Key) {
			return step.Key.AsString(), true
		}
	}
	return "", false
}

// stepRange returns the range of step i, or of the whole if there is no such step.
func stepRange(t hcl.Traversal, i int) hcl.Range {
	if i < len(t) {
		return t[i].SourceRange()
	}
	return t.SourceRange()
}

// lookup resolves one traversal.
func (m *module) lookup(t hcl.Traversal, u *use) (reference, *hcl.Diagnostic) {
	switch root := t.RootName(); root {
	case "var":
		v, diag := find(m.vars, t, "var", "variable", "")
		if diag != nil {
			return reference{}, diag
		}
		return reference{root, []*decl{&v.decl}}, nil
	case "local":
		v, diag := find(m.locals, t, "local", "local value", "")
		if diag != nil {
			return reference{}, diag
		}
		return reference{root, []*decl{&v.decl}}, nil
	case "solver":
		return m.lookupSolver(t)
	case "stage":
		return m.lookupStage(t)
	case "executor":
		return m.lookupExecutor(t)
	case "module":
		return m.lookupModule(t)
	case "competition":
		return reference{root: root}, oneOfAttrs(t, root, "name", "year", "edition", "rules", "tracks")
	case "path":
		return reference{root: root}, oneOfAttrs(t, root, "module", "root")
	case "self":
		if !u.self {
			return reference{}, errorAt(t.SourceRange(), "Invalid reference",
				"There is no \"self\" here. It is the block itself, inside a stage, solver, output or check.")
		}
		return reference{root: root}, oneOfAttrs(t, root, "name")
	case "each":
		if !u.each {
			return reference{}, errorAt(t.SourceRange(), "Invalid reference",
				"There is no \"each\" here. It can be used in a block that has for_each, and not in for_each itself.")
		}
		return reference{root: root}, oneOfAttrs(t, root, "key", "value")
	default:
		return reference{}, m.unknownRoot(t, u)
	}
}

// find looks up step 1 of a traversal in a dictionary.
func find[T any](in named[T], t hcl.Traversal, root, what, remedy string) (T, *hcl.Diagnostic) {
	var none T
	name, ok := attrName(t, 1)
	if !ok {
		return none, errorAt(t.SourceRange(), "Invalid reference",
			fmt.Sprintf("A reference to a %s needs its name: write %s.NAME.", what, root))
	}
	v, ok := in.get(name)
	if !ok {
		if remedy == "" && len(in.order) > 0 && nearest.Name(name, in.order) == "" {
			remedy = fmt.Sprintf(" Declared are %s.", oneOf(in.order))
		}
		return none, errorAt(t.SourceRange(), "Unknown "+what, fmt.Sprintf("There is no %s %q.%s%s", what, name,
			nearest.Question(name, in.order), remedy))
	}
	return v, nil
}

// oneOfAttrs checks that step 1 is one of names; a reference to the whole is allowed.
func oneOfAttrs(t hcl.Traversal, root string, names ...string) *hcl.Diagnostic {
	name, ok := attrName(t, 1)
	if !ok && len(t) == 1 {
		return nil
	}
	if !slices.Contains(names, name) {
		return errorAt(t.SourceRange(), "Invalid reference", fmt.Sprintf("%q has no attribute %q.%s It has %s.", root,
			name, nearest.Question(name, names), oneOf(names)))
	}
	return nil
}

func (m *module) lookupSolver(t hcl.Traversal) (reference, *hcl.Diagnostic) {
	if _, named := attrName(t, 1); !named { // solver alone: all of them
		ref := reference{root: "solver"}
		for _, s := range m.solvers.all() {
			ref.decls = append(ref.decls, &s.decl)
		}
		return ref, nil
	}
	s, diag := find(m.solvers, t, "solver", "solver", "")
	if diag != nil {
		return reference{}, diag
	}
	ref := reference{"solver", []*decl{&s.decl}}
	at, diag := keyed(t, 2, "solver."+s.name, s.forEach != nil)
	if diag != nil || at >= len(t) {
		return ref, diag
	}
	name, ok := attrName(t, at)
	if names := attrNames(stages.SolverType); ok && !slices.Contains(names, name) {
		return ref, errorAt(stepRange(t, at), "Unknown attribute",
			fmt.Sprintf("A solver has no attribute %q.%s It has %s.", name, nearest.Question(name, names),
				oneOf(names)))
	}
	return ref, nil
}

// keyed checks the index of a block with for_each and returns the number of the step after it.
func keyed(t hcl.Traversal, at int, addr string, forEach bool) (int, *hcl.Diagnostic) {
	if at >= len(t) {
		return at, nil
	}
	switch step := t[at].(type) {
	case hcl.TraverseIndex:
		if !forEach {
			if _, isName := attrName(t, at); isName {
				return at, nil // ["output"] instead of .output
			}
			return at, errorAt(step.SrcRange, "Invalid reference", fmt.Sprintf("%s has no for_each, so it has no keys.",
				addr))
		}
		return at + 1, nil
	case hcl.TraverseAttr:
		if forEach {
			return at, errorAt(step.SrcRange, "Key missing", fmt.Sprintf("%s has for_each. Name one of its "+
				"instances, such as %s[\"key\"].%s, or use all of them: [for k, x in %s : x.%s].", addr, addr, step.Name,
				addr, step.Name))
		}
	case hcl.TraverseSplat:
		if !forEach {
			return at, errorAt(step.SrcRange, "Invalid reference",
				fmt.Sprintf("%s has no for_each, so [*] has no meaning for it.", addr))
		}
	}
	return at, nil
}

// split returns the two names of a traversal such as stage.kind.name.
func split(t hcl.Traversal) (first, second string, ok bool) {
	first, ok1 := attrName(t, 1)
	second, ok2 := attrName(t, 2)
	return first, second, ok1 && ok2
}

func (m *module) lookupStage(t hcl.Traversal) (reference, *hcl.Diagnostic) {
	kind, name, ok := split(t)
	if !ok {
		return reference{}, errorAt(t.SourceRange(), "Invalid reference",
			"A reference to a stage needs its kind and name: write stage.KIND.NAME.OUTPUT.")
	}
	s, ok := m.stages.get(kind + "." + name)
	if !ok {
		return reference{}, errorAt(t.SourceRange(), "Unknown stage", m.unknownStage(kind, name))
	}
	ref := reference{"stage", []*decl{&s.decl}}
	if s.bad && s.kind.Outputs == nil {
		return ref, nil // of an unknown kind, which is reported
	}
	at, diag := keyed(t, 3, "stage."+kind+"."+name, s.forEach != nil)
	if diag != nil || at >= len(t) {
		return ref, diag
	}
	out, ok := attrName(t, at)
	if ok && s.kind.Output(out) == nil {
		var names []string
		for _, o := range s.kind.Outputs {
			names = append(names, o.Name)
		}
		return ref, errorAt(stepRange(t, at), "Unknown output", fmt.Sprintf("A stage %q has no output %q.%s It has %s.",
			kind, out, nearest.Question(out, names), oneOf(names)))
	}
	return ref, nil
}

func (m *module) unknownStage(kind, name string) string {
	var same []string // of this kind
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
		return detail + fmt.Sprintf(" The stages of this kind are %s.", oneOf(same))
	}
	return detail
}

func (m *module) lookupExecutor(t hcl.Traversal) (reference, *hcl.Diagnostic) {
	kind, name, ok := split(t)
	if !ok {
		return reference{}, errorAt(t.SourceRange(), "Invalid reference",
			"A reference to an executor needs its kind and name: write executor.local.NAME.")
	}
	e, ok := m.executors.get(kind + "." + name)
	if !ok {
		best := nearest.Name(kind+"."+name, m.executors.order)
		hint := ""
		if best != "" {
			hint = fmt.Sprintf(" Did you mean executor.%s?", best)
		}
		return reference{}, errorAt(t.SourceRange(), "Unknown executor", fmt.Sprintf("There is no executor %q %q.%s",
			kind, name, hint))
	}
	return reference{"executor", []*decl{&e.decl}}, nil
}

func (m *module) lookupModule(t hcl.Traversal) (reference, *hcl.Diagnostic) {
	c, diag := find(m.calls, t, "module", "module", "")
	if diag != nil {
		return reference{}, diag
	}
	ref := reference{"module", []*decl{&c.decl}}
	for _, o := range c.child.outputs.all() {
		ref.decls = append(ref.decls, &o.decl)
	}
	at, diag := keyed(t, 2, "module."+c.name, c.forEach != nil)
	if diag != nil || at >= len(t) || c.bad {
		return ref, diag
	}
	name, ok := attrName(t, at)
	if !ok {
		return ref, nil
	}
	o, found := c.child.outputs.get(name)
	if !found {
		return ref, errorAt(stepRange(t, at), "Unknown output", fmt.Sprintf("The module %q has no output %q.%s", c.name,
			name, nearest.Question(name, c.child.outputs.order)))
	}
	return reference{"module", []*decl{&c.decl, &o.decl}}, nil
}

// unknownRoot explains a reference that begins with no known word.
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
	case nearest.Name(name, append(slices.Clone(roots), rows...)) != "":
		detail += nearest.Question(name, append(slices.Clone(roots), rows...))
	case m.kindNamed(name):
		detail += fmt.Sprintf(" Did you mean stage.%s?", name)
	case len(t) == 1:
		detail += " A text is written in quotes; a value with a name is local.NAME or var.NAME."
	case u.row != nil:
		detail += fmt.Sprintf(" The variables of this row expression are %s.", strings.Join(rows, ", "))
	default:
		detail += " A reference begins with " + oneOf(roots) + "."
	}
	return errorAt(t.SourceRange(), "Unknown reference", detail)
}

func (m *module) kindNamed(name string) bool {
	return slices.ContainsFunc(m.stages.all(), func(s *stage) bool { return s.kind.Name == name })
}
