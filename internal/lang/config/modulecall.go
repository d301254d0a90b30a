package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/base/nearest"
	"github.com/smtpipe/smtpipe/internal/graph"
	"github.com/smtpipe/smtpipe/internal/lang/config/functions"
)

// maxModules limits how deeply modules can be nested.
const maxModules = 32

// moduleCall decodes a block module "name" and loads the module.
func (l *loader) moduleCall(m *module, b *hclsyntax.Block) {
	d := &moduleCall{name: b.Labels[0], forEach: exprOf(b.Body, forEachName), inputs: hclsyntax.Attributes{}}
	d.addr = m.address("module." + d.name)
	for _, inner := range b.Body.Blocks {
		l.report(inner.TypeRange, "Unknown block", fmt.Sprintf("A \"module\" block has only attributes: write %s = { "+
			"... } with an equals sign.", inner.Type))
	}
	d.uses = usesOf(b.Body.Attributes, forEachName)
	if !declare(l, m, &m.calls, d.name, d, b.DefRange()) {
		return
	}
	d.child = &module{addr: d.addr, parent: m, call: d}
	for name, a := range b.Body.Attributes {
		if !slices.Contains(ofModule, name) {
			d.inputs[name] = a
		}
	}
	source, ok := l.text(b.Body, "source")
	if !ok {
		d.bad = true
		if b.Body.Attributes["source"] == nil {
			l.report(b.DefRange(), "Missing attribute",
				`A "module" block needs the attribute "source": the module's folder or file, relative to this one.`)
		}
		return
	}
	loaded := l.child(m, d, source, b.Body.Attributes["source"].Expr.Range())
	d.bad = d.bad || !loaded
	if a := b.Body.Attributes[sharedName]; a != nil {
		l.share(d, a.Expr)
	}
	if loaded {
		l.inputs(d)
	}
}

// sharedName is the module block attribute that lists the module's variables to declare in the enclosing module, too.
const sharedName = "variables"

// ofModule lists a module block's attributes that are not variables of the module.
var ofModule = []string{"source", sharedName, forEachName}

// share declares a module's variables in the enclosing module, with their types, defaults and descriptions, and passes
// their values on.
func (l *loader) share(d *moduleCall, list hclsyntax.Expression) {
	names, ok := list.(*hclsyntax.TupleConsExpr)
	if !ok {
		l.report(list.Range(), "Invalid list of variables", invalidShared)
		return
	}
	for _, e := range names.Exprs {
		v, _ := l.constantOf(e)
		if !v.IsWhollyKnown() || v.IsNull() || v.Type() != cty.String {
			l.report(e.Range(), "Invalid list of variables", invalidShared)
			continue
		}
		name, at := v.AsString(), e.Range()
		if a := d.inputs[name]; a != nil {
			l.report(at, "Variable given twice", fmt.Sprintf("%q has a value of its own at %s. Remove one of them.",
				name, place(a.NameRange)))
			continue
		}
		own := &variable{name: name, typ: cty.DynamicPseudoType}
		if of, ok := d.child.vars.get(name); ok {
			*own = *of
			own.decl, own.validations = decl{bad: of.bad}, nil // the module itself validates the value
		} else if own.bad = true; !d.bad && !d.child.partial {
			l.report(at, "Unknown variable", fmt.Sprintf("The module %q has no variable %q.%s", d.name, name,
				nearest.Question(name, d.child.vars.order)))
		}
		own.addr = d.mod.address("var." + name)
		if declare(l, d.mod, &d.mod.vars, name, own, at) &&
			!own.bad {
			d.inputs[name] = &hclsyntax.Attribute{Name: name, NameRange: at, SrcRange: at,
				Expr: &hclsyntax.ScopeTraversalExpr{SrcRange: at, Traversal: hcl.Traversal{
					hcl.TraverseRoot{Name: "var", SrcRange: at}, hcl.TraverseAttr{Name: name, SrcRange: at}}}}
		}
	}
}

const invalidShared = "\"" + sharedName + "\" is a list of names of variables of the module, such as [\"wall_time\", " +
	"\"memory\"]."

// child loads the module of a module block and reports whether it exists.
func (l *loader) child(m *module, d *moduleCall, source string, at hcl.Range) bool {
	if filepath.IsAbs(source) {
		l.report(at, "Invalid source of a module", "The source of a module is a folder or file relative to the "+
			"folder of this file, such as \"./modules/selection\".")
		return false
	}
	if name, ok := strings.CutPrefix(source, rulesPrefix); ok {
		file, ok := l.rulesModule(name, at)
		return ok && l.childFile(d, source, file, at)
	}
	name := filepath.Join(filepath.FromSlash(m.folder), filepath.FromSlash(source))
	if err := functions.CheckLinks(l.root, name); err != nil {
		l.report(at, "Invalid source of a module", "The source "+err.Error()+".")
		return false
	}
	return l.childFile(d, source, filepath.Join(l.root, name), at)
}

// rulesPrefix is the source prefix of modules in the competition's rules, as in "rules:tracks".
const rulesPrefix = "rules:"

// rulesModule finds a module in the competition's rules.
func (l *loader) rulesModule(name string, at hcl.Range) (file string, ok bool) {
	r := l.p.competition.Rules
	if r == nil && l.p.competition.brokenRules {
		return "", false
	}
	if r == nil {
		l.report(at, "Invalid source of a module", "The competition has no rules, so they have no module. Write "+
			"rules = \"...\" in the \"competition\" block: a year that smtpipe knows, or a folder.")
		return "", false
	}
	if file, ok = r.Module(name); !ok {
		l.report(at, "Invalid source of a module", fmt.Sprintf("The rules %s have no module %q: there is no file "+
			"%s.hcl in their folder, nor in those that they are based on.", r.Name, name, name))
	}
	return file, ok
}

// childFile loads the module in a file or folder and reports whether it succeeded.
func (l *loader) childFile(d *moduleCall, source, file string, at hcl.Range) bool {
	if slices.ContainsFunc(append(slices.Clone(l.loading), l.root), func(before string) bool {
		return samePath(before,
			file)
	}) {
		l.report(at, "Module uses itself", fmt.Sprintf("%q leads back to a module that is being read. A module "+
			"cannot be a part of itself.", source))
		return false
	}
	if len(l.loading) > maxModules {
		l.report(at, "Modules nested too deeply", fmt.Sprintf("Modules can be nested %d deep. A link may lead back "+
			"to a folder above.", maxModules))
		return false
	}
	if len(l.p.decls) > graph.MaxNodes {
		return false // reported once for the whole pipeline
	}
	l.loading = append(l.loading, file)
	before := len(l.diags)
	l.module(file, d.child, &at)
	d.bad = d.bad || l.diags[before:].HasErrors()
	l.loading = l.loading[:len(l.loading)-1]
	return true
}

// samePath reports whether two paths lead to the same place, judging by name only.
func samePath(a, b string) bool {
	x, err1 := filepath.Abs(a)
	y, err2 := filepath.Abs(b)
	return err1 == nil && err2 == nil && x == y
}

// inputs connects a module block's attributes to the module's variables.
func (l *loader) inputs(d *moduleCall) {
	vars := d.child.vars
	for _, a := range sortedAttrs(d.inputs) {
		v, ok := vars.get(a.Name)
		if !ok && d.child.partial {
			continue // it may be in a file that could not be parsed
		}
		if !ok {
			l.report(a.NameRange, "Unknown attribute", fmt.Sprintf("The module %q has no variable %q.%s", d.name,
				a.Name, nearest.Question(a.Name, append(slices.Clone(vars.order), ofModule...))))
			continue
		}
		l.link(&v.decl, a.NameRange, a.NameRange)
		v.uses = append(v.uses, use{expr: a.Expr, each: d.forEach != nil, mod: d.mod})
	}
	for _, v := range vars.all() {
		if _, ok := d.inputs[v.name]; !ok && v.def == cty.NilVal && !v.bad {
			l.report(d.rng, "Missing attribute", fmt.Sprintf("The module %q needs the attribute %q, because its "+
				"variable at %s has no default.", d.name, v.name, place(v.rng)))
			v.bad = true
		}
	}
}

// call returns a module block's outputs. They are not cached with the block, which may be known before its outputs are.
func (e *evaluator) call(c *moduleCall, at *instance) result {
	key := memoryKey{c.id, at.addr}
	if r, ok := e.mem.results[key]; ok {
		return r
	}
	r := e.callOnce(c, at)
	e.mem.results[key] = r
	return r
}

func (e *evaluator) callOnce(c *moduleCall, at *instance) result {
	if e.made[c] > maxInstances {
		return unknown // the error is reported elsewhere
	}
	x := e.expand(&c.decl, c.forEach, at)
	switch {
	case c.bad, x.failed:
		return unknown
	case len(x.waits) > 0:
		return result{cty.DynamicVal, x.waits}
	}
	values, waits := map[string]cty.Value{}, []string(nil)
	for i, child := range e.instances(c, at) {
		outputs := map[string]cty.Value{}
		for _, o := range c.child.outputs.all() {
			r := e.output(o, child)
			outputs[o.name] = waiting(r.val, r.waits)
			waits = union(waits, r.waits)
		}
		if x.single {
			return result{cty.ObjectVal(outputs), waits}
		}
		values[x.keys[i]] = cty.ObjectVal(outputs)
	}
	return result{cty.ObjectVal(values), waits}
}

// output returns an output block's value in a module.
func (e *evaluator) output(o *output, at *instance) result {
	return e.once(&o.decl, at, func() result { return e.expr(o.value, at, blockScope{self: selfValue(o.name)}) })
}

// instances returns a module block's instances, or none if they cannot be evaluated.
func (e *evaluator) instances(c *moduleCall, at *instance) []*instance {
	mem, key := e.memoryOf(&c.decl), memoryKey{c.id, at.addr}
	if all, ok := mem.instances[key]; ok {
		return all
	}
	if e.made[c] > maxInstances {
		return nil // the error is reported elsewhere
	}
	x := e.expand(&c.decl, c.forEach, at)
	addrs, scopes := x.scopes(at.address(&c.decl), cty.NilVal)
	var all []*instance
	if e.made[c] += len(addrs); e.tooMany(e.made[c], &c.decl) {
		return nil
	}
	for i, addr := range addrs {
		all = append(all, &instance{mod: c.child, parent: at, addr: addr, scope: scopes[i],
			waits: union(at.waits, x.waits)})
	}
	mem.instances[key] = all
	return all
}

// instancesOf returns all instances of a module.
func (e *evaluator) instancesOf(m *module) []*instance {
	if m.parent == nil {
		return []*instance{{mod: m}}
	}
	if m.call.bad {
		return nil
	}
	var all []*instance
	for _, parent := range e.instancesOf(m.parent) {
		all = append(all, e.instances(m.call, parent)...)
	}
	return all
}
