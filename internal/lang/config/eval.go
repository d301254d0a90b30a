package config

import (
	"errors"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/smtpipe/smtpipe/internal/base/budget"
	"github.com/smtpipe/smtpipe/internal/base/hclsource"
	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// result is the value of a declaration or expression. waits lists the stage instances with unknown outputs that the
// value needs, sorted; it is empty if the value is wholly known. Unknown parts of the value carry wait marks.
type result struct {
	val   cty.Value
	waits []string
}

// memory holds evaluated values.
type memory struct {
	results    map[memoryKey]result
	expansions map[memoryKey]*expansion
	instances  map[memoryKey][]*instance
	solvers    map[string]result // map of all solvers in a module, by the address of its instance
	rows       map[rowKey]*compiledRow
	fixedRows  map[rowKey]*rowexpr.Expr // row expressions that depend on neither instances nor outputs
}

type memoryKey struct {
	decl     int
	instance string // address of the module instance
}

func newMemory() memory {
	return memory{
		results: map[memoryKey]result{}, expansions: map[memoryKey]*expansion{}, instances: map[memoryKey][]*instance{},
		solvers: map[string]result{},
		rows:    map[rowKey]*compiledRow{}, fixedRows: map[rowKey]*rowexpr.Expr{},
	}
}

// evaluator evaluates declarations with the outputs known so far.
type evaluator struct {
	p     *Pipeline
	known stages.Known
	mem   memory
	diags hcl.Diagnostics

	budget    *budget.Budget
	purse     *budget.Purse
	functions map[functionKey]callable
	made      map[*moduleCall]int // number of module instances created
}

// evaluate calls f with an evaluator. Evaluators run one at a time because they share p.static. An evaluation that
// exceeds its budget reports only that error; its further results are unreliable and are dropped.
func (p *Pipeline) evaluate(known stages.Known, f func(*evaluator)) hcl.Diagnostics {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := &evaluator{p: p, known: known, mem: newMemory(), budget: budget.New(p.ctx, bounds),
		functions: map[functionKey]callable{}, made: map[*moduleCall]int{}}
	e.purse = &budget.Purse{Budget: e.budget}
	f(e)
	if over := e.budget.Over(); over != nil {
		p.static, e.diags = newMemory(), hcl.Diagnostics{over}
	}
	return tidy(p.redactAll(e.diags))
}

// memoryOf returns the memory for values of d.
func (e *evaluator) memoryOf(d *decl) *memory {
	if e.p.dynamic[d.id] {
		return &e.mem
	}
	return &e.p.static
}

// once evaluates a declaration in a module instance and stores the value. The value carries wait marks for everything
// that it needs.
func (e *evaluator) once(d *decl, at *instance, compute func() result) result {
	mem, key := e.memoryOf(d), memoryKey{d.id, at.addr}
	if r, ok := mem.results[key]; ok {
		return r
	}
	r := compute()
	r.val = waiting(r.val, r.waits)
	mem.results[key] = r
	return r
}

// instance is one instance of a module, for one key of its module block.
type instance struct {
	mod    *module
	parent *instance
	addr   string     // address; empty for the root, otherwise like module.x["k"]
	scope  blockScope // scope of the module block, for the module's inputs
	waits  []string   // if not empty, this stands for all instances, which are still unknown
}

// blockScope holds the names that a block adds to its module's: each and self. The zero value adds none.
type blockScope struct {
	key, value cty.Value     // each.key and each.value; cty.NilVal: each is not available
	self       cty.Value     // value of self; cty.NilVal: not available
	waits      []string      // waits of for_each, if the instances are unknown
	row        *use          // scope of the expression's own names, which must not be looked up
	purse      *budget.Purse // nil: the evaluation's purse
}

// address returns a declaration's address in this instance.
func (i *instance) address(d *decl) string {
	name := d.addr
	if d.mod.addr != "" {
		name = strings.TrimPrefix(d.addr, d.mod.addr+".")
	}
	if i.addr == "" {
		return name
	}
	return i.addr + "." + name
}

func (e *evaluator) report(diags hcl.Diagnostics) { e.diags = append(e.diags, diags...) }

func (e *evaluator) errorAt(rng hcl.Range, summary, detail string) {
	e.diags = append(e.diags, errorAt(rng, summary, detail))
}

// unknown is the value of anything whose error is reported elsewhere.
var unknown = result{val: cty.DynamicVal}

// expr evaluates an expression.
func (e *evaluator) expr(x hclsyntax.Expression, at *instance, sc blockScope) result {
	if x == nil || e.p.badExprs[x] {
		return unknown
	}
	if !e.budget.Spend(stepsOfExpr, 0, x.Range) {
		return unknown
	}
	ctx, waits := e.context(x, at, sc)
	v, diags := x.Value(ctx)
	e.report(e.p.addHints(unfold(diags)))
	if diags.HasErrors() {
		return unknown
	}
	if budget.Computes(x) {
		s := budget.SizeOf(v)
		if s.Exceeded() {
			e.errorAt(x.Range(), "Value too large", tooLargeText)
			return unknown
		}
		if !e.budget.Charge(s, x.Range) {
			return unknown
		}
	}
	if len(waits) == 0 {
		return result{val: v} // nothing in the value carries wait marks
	}
	if v.IsWhollyKnown() {
		return result{val: withoutWaits(v)}
	}
	if precise := waitsOf(v); len(precise) > 0 && !losesMarks(x) {
		waits = precise
	}
	return result{waiting(v, waits), waits}
}

// context returns exactly the values that an expression refers to and the functions that it calls.
func (e *evaluator) context(x hclsyntax.Expression, at *instance, sc blockScope) (*hcl.EvalContext, []string) {
	b := &contextBuilder{e: e, at: at, sc: sc, vars: tree{}}
	for _, t := range x.Variables() {
		if sc.row == nil || !sc.row.hides(t.RootName()) {
			b.add(t)
		}
	}
	if sc.purse == nil {
		sc.purse = e.purse
	}
	ctx := e.p.baseContext(sc.purse).NewChild()
	ctx.Variables = b.vars.values()
	ctx.Functions = map[string]function.Function{}
	hclsource.Calls(x, func(call *hclsyntax.FunctionCallExpr) {
		if f, ok := at.mod.functions.get(call.Name); ok {
			c := e.function(f, at, sc.purse)
			ctx.Functions[call.Name] = c.impl
			b.wait(c.waits)
		}
	})
	return ctx, b.waits
}

// baseContext returns a context with the language's functions.
func (p *Pipeline) baseContext(of *budget.Purse) *hcl.EvalContext {
	return &hcl.EvalContext{Functions: p.builtin, Variables: of.Variables()}
}

// contextBuilder collects an expression's variables.
type contextBuilder struct {
	e     *evaluator
	at    *instance
	sc    blockScope
	vars  tree
	waits []string
}

// tree holds values and trees by the names of a reference's steps.
type tree map[string]any

// values returns the tree's values. Inner trees become objects.
func (t tree) values() map[string]cty.Value {
	out := make(map[string]cty.Value, len(t))
	for name, v := range t {
		switch v := v.(type) {
		case cty.Value:
			out[name] = v
		case tree:
			out[name] = cty.ObjectVal(v.values())
		}
	}
	return out
}

func (b *contextBuilder) wait(addrs []string) { b.waits = union(b.waits, addrs) }

// union merges two sorted lists.
func union(a, b []string) []string {
	if len(b) == 0 {
		return a
	}
	if len(a) == 0 {
		return b
	}
	all := append(slices.Clone(a), b...)
	slices.Sort(all)
	return slices.Compact(all)
}

// set sets the value of a reference with the given steps. The value of a root takes precedence over those below it.
func (b *contextBuilder) set(r result, steps ...string) {
	b.wait(r.waits)
	in, last := b.vars, len(steps)-1
	for _, name := range steps[:last] {
		if in[name] == nil {
			in[name] = tree{}
		}
		inner, ok := in[name].(tree)
		if !ok {
			return
		}
		in = inner
	}
	in[steps[last]] = r.val
}

// add adds the value that a reference names. References have been checked at load time.
func (b *contextBuilder) add(t hcl.Traversal) {
	m := b.at.mod
	name, named := hclsource.Step(t, 1)
	switch t.RootName() {
	case "var":
		if v, ok := m.vars.get(name); ok {
			b.set(b.e.variable(v, b.at), "var", name)
		}
	case "local":
		if v, ok := m.locals.get(name); ok {
			b.set(b.e.local(v, b.at), "local", name)
		}
	case "solver":
		if !named {
			all := b.e.allSolvers(b.at)
			b.set(result{waiting(all.val, all.waits), all.waits}, "solver")
		} else if s, ok := m.solvers.get(name); ok {
			b.set(b.e.solver(s, b.at), "solver", name)
		}
	case "stage":
		kind, name, _ := split(t)
		if s, ok := m.stages.get(kind + "." + name); ok {
			b.set(b.e.stage(s, b.at), "stage", kind, name)
		}
	case "executor":
		kind, name, _ := split(t)
		if x, ok := m.executors.get(kind + "." + name); ok {
			b.set(b.e.executor(x, b.at), "executor", kind, name)
		}
	case "module":
		if c, ok := m.calls.get(name); ok {
			r := b.e.call(c, b.at)
			b.set(result{waiting(r.val, r.waits), r.waits}, "module", name)
		}
	case "competition":
		b.set(result{val: b.e.p.competitionValue()}, "competition")
	case "path":
		b.set(result{val: cty.StringVal(m.folder)}, "path", "module")
		b.set(result{val: cty.StringVal(".")}, "path", "root")
	case "self":
		if b.sc.self != cty.NilVal {
			b.set(result{val: b.sc.self}, "self")
		}
	case "each":
		if b.sc.key != cty.NilVal {
			b.set(result{waiting(b.sc.key, b.sc.waits), b.sc.waits}, "each", "key")
			b.set(result{waiting(b.sc.value, b.sc.waits), b.sc.waits}, "each", "value")
			b.wait(waitsOf(b.sc.value)) // for an instance with a known key and unknown outputs
		}
	}
}

// unfold replaces an error of a pipeline function with the errors inside it, which have locations of their own.
func unfold(diags hcl.Diagnostics) hcl.Diagnostics {
	var out hcl.Diagnostics
	for _, d := range diags {
		out = append(out, d)
		extra, ok := hcl.DiagnosticExtra[hclsyntax.FunctionCallDiagExtra](d)
		if !ok || extra.FunctionCallError() == nil {
			continue
		}
		if inner, ok := extra.FunctionCallError().(hcl.Diagnostics); ok {
			d.Detail = "The function " + extra.CalledFunctionName() +
				"() failed; the error inside it is reported as well."
			out = append(out, unfold(inner)...)
		}
	}
	return out
}

// callable is a pipeline function in callable form, with its definition for row expressions.
type callable struct {
	impl       function.Function
	definition *rowexpr.Function
	waits      []string
}

type functionKey struct {
	f        *userFunction
	instance string
	purse    *budget.Purse
}

// function returns a pipeline function in callable form. It builds each function only once, because functions that call
// others twice would otherwise take exponential time.
func (e *evaluator) function(f *userFunction, at *instance, of *budget.Purse) callable {
	key := functionKey{f, at.addr, of}
	c, ok := e.functions[key]
	if !ok {
		c = e.functionOnce(f, at, of)
		e.functions[key] = c
	}
	return c
}

// functionOnce builds a pipeline function in callable form.
//
// It differs from HCL's userfunc in two respects: it evaluates the result once per call rather than again for its type
// (which would take exponential time for functions that call functions), and it treats null as an ordinary argument.
func (e *evaluator) functionOnce(f *userFunction, at *instance, of *budget.Purse) callable {
	own := &use{names: slices.Clone(f.params)}
	if f.variadic != "" {
		own.names = append(own.names, f.variadic)
	}
	param := func(name string) function.Parameter {
		return function.Parameter{Name: name, Type: cty.DynamicPseudoType, AllowNull: true, AllowUnknown: true,
			AllowDynamicType: true, AllowMarked: true}
	}
	spec := &function.Spec{Type: function.StaticReturnType(cty.DynamicPseudoType)}
	for _, name := range f.params {
		spec.Params = append(spec.Params, param(name))
	}
	if f.variadic != "" {
		rest := param(f.variadic)
		spec.VarParam = &rest
	}
	outer, waits := &hcl.EvalContext{}, []string(nil)
	bad := f.result == nil || f.bad || e.p.badExprs[f.result]
	if !bad {
		outer, waits = e.context(f.result, at, blockScope{row: own, purse: of})
	}
	in := func(outer *hcl.EvalContext) function.Function {
		spec := *spec
		spec.Impl = func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			if slices.ContainsFunc(args, budget.ValueTooLarge) {
				return cty.DynamicVal, errors.New(lowerFirst(tooLargeText))
			}
			if bad {
				return cty.DynamicVal, nil
			}
			if b := budget.In(outer); b != nil && !b.Spend(1, 0, f.result.Range) {
				return cty.DynamicVal, nil
			}
			ctx := outer.NewChild()
			ctx.Variables = map[string]cty.Value{}
			for i, name := range f.params {
				ctx.Variables[name] = args[i]
			}
			if f.variadic != "" {
				ctx.Variables[f.variadic] = cty.TupleVal(args[len(f.params):])
			}
			v, diags := f.result.Value(ctx)
			if diags.HasErrors() {
				return cty.DynamicVal, diags
			}
			return v, nil
		}
		return function.New(&spec)
	}
	return callable{in(outer), &rowexpr.Function{Params: f.params, Result: f.result, Outer: outer, In: in}, waits}
}
