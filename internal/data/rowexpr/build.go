package rowexpr

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/customdecode"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/smtpipe/smtpipe/internal/base/hclsource"
	"github.com/smtpipe/smtpipe/internal/base/nearest"
)

// maxInline is the maximum depth of inlined calls. The language rejects recursive functions; this limit only protects
// against callers that did not check.
const maxInline = 32

// maxNodes is the maximum size of an expression including its functions, each counted at every call. Functions that
// call others twice grow exponentially.
const maxNodes = 100_000

// builder turns syntax into nodes, reports errors, and folds parts that do not depend on rows.
type builder struct {
	scope *Scope
	diags hcl.Diagnostics
	built int // number of nodes so far
	large bool
}

// env holds the meaning of names at a point in the expression.
type env struct {
	ctx    *hcl.EvalContext // row variables are unknown values of their types in this context
	rows   bool             // row variables are visible
	params map[string]*node // parameters of the function being inlined
	locals map[string]string
	splat  string // the name that represents the enclosing splat's element
	lazy   bool   // HCL may drop errors at this point
	top    bool   // HCL can evaluate the syntax at this point in a row's context
	depth  int
}

func (e env) lazily() env { e.lazy = true; return e }

// within returns the environment for the body of a for expression or splat.
func (e env) within(names ...string) env {
	e.locals = maps.Clone(e.locals)
	if e.locals == nil {
		e.locals = map[string]string{}
	}
	for _, n := range names {
		if n != "" {
			e.locals[n] = "$" + strconv.Itoa(len(e.locals))
		}
	}
	e.top = false
	return e
}

func (b *builder) rowContext(outer *hcl.EvalContext) *hcl.EvalContext {
	ctx := childOf(outer)
	for i := range b.scope.Vars {
		v := &b.scope.Vars[i]
		ctx.Variables[v.Name] = cty.UnknownVal(v.ctyType())
	}
	return ctx
}

func childOf(outer *hcl.EvalContext) *hcl.EvalContext {
	ctx := outer.NewChild()
	ctx.Variables = map[string]cty.Value{}
	return ctx
}

// build returns an expression's node, or a node with an unknown value if it has reported an error.
func (b *builder) build(expr hclsyntax.Expression, e env) *node {
	if p, ok := expr.(*hclsyntax.ParenthesesExpr); ok {
		return b.build(p.Expression, e)
	}
	if w, ok := expr.(interface{ UnwrapExpression() hcl.Expression }); ok {
		if inner, ok := w.UnwrapExpression().(hclsyntax.Expression); ok {
			return b.build(inner, e)
		}
	}
	if !b.varying(expr, e) {
		return b.fold(expr, e)
	}
	if b.built++; b.built > maxNodes {
		return b.tooLarge(expr)
	}
	before := len(b.diags)
	n := b.form(expr, e)
	if n.count() > maxNodes {
		return b.tooLarge(expr)
	}
	if e.top {
		n.src = expr
	}
	if n.typ == cty.NilType {
		n.typ = cty.DynamicPseudoType
	}
	if len(b.diags) > before || n.op == opError {
		return n
	}
	return b.typed(n, expr, e)
}

// tooLarge reports an expression with too many nodes, once.
func (b *builder) tooLarge(expr hclsyntax.Expression) *node {
	if !b.large {
		b.large = true
		b.report(expr.Range(), "Row expression too large", fmt.Sprintf("With the functions that it calls, and those "+
			"that these call, the expression has more than %d operations. Call a function once in another one, not "+
			"twice.", maxNodes))
	}
	return constant(cty.DynamicVal)
}

// quotesHint explains how to write values.
const quotesHint = "A text is written in quotes; numbers, true and false are not, and a number has no unit."

// checkOperands is stricter than HCL: it rejects operations for which HCL would convert a column's strings to numbers
// row by row, or compare values of different types, which are never equal.
func (b *builder) checkOperands(n *node, expr hclsyntax.Expression) {
	if n.op != opBinary && n.op != opUnary {
		return
	}
	if n.name == "==" || n.name == "!=" {
		l, r := n.args[0].typ, n.args[1].typ
		if l.IsPrimitiveType() && r.IsPrimitiveType() && !l.Equals(r) {
			b.report(expr.Range(), "Values that are never equal",
				fmt.Sprintf("The left side is a %s and the right side is a %s. %s", l.FriendlyName(), r.FriendlyName(),
					quotesHint))
		}
		b.checkWord(n.args[0], n.args[1], expr)
		b.checkWord(n.args[1], n.args[0], expr)
		return
	}
	want := cty.Number
	if n.name == "&&" || n.name == "||" || n.name == "!" {
		want = cty.Bool
	}
	for _, arg := range n.args {
		if arg.typ.IsPrimitiveType() && arg.typ != want {
			b.report(expr.Range(), "Invalid operand",
				fmt.Sprintf("The operator %s needs a %s, but this is a %s. %s", n.name, want.FriendlyName(),
					arg.typ.FriendlyName(), quotesHint))
		}
	}
}

// checkWord reports the comparison of a column with a text that the column never contains.
func (b *builder) checkWord(column, text *node, expr hclsyntax.Expression) {
	if len(column.words) == 0 || text.op != opConst || text.typ != cty.String || !text.val.IsKnown() ||
		text.val.IsNull() {
		return
	}
	if word := text.val.AsString(); !slices.Contains(column.words, word) {
		b.report(expr.Range(), "Values that are never equal", fmt.Sprintf("%s is one of %s, and never %q.%s",
			column.name, strings.Join(column.words, ", "), word, nearest.Question(word, column.words)))
	}
}

// varying reports whether the value may differ between rows or between the elements of an enclosing for expression.
func (b *builder) varying(expr hclsyntax.Expression, e env) bool {
	for _, t := range hclsyntax.Variables(expr) {
		name := t.RootName()
		if _, local := e.locals[name]; local {
			return true
		}
		if p, ok := e.params[name]; ok {
			if p.op != opConst {
				return true
			}
			continue
		}
		if e.rows && b.scope.lookup(name) != nil {
			return true
		}
	}
	if e.splat == "" {
		return false
	}
	found := false
	hclsyntax.VisitAll(expr, func(n hclsyntax.Node) hcl.Diagnostics { //nolint:errcheck // the visitor returns none
		_, is := n.(*hclsyntax.AnonSymbolExpr)
		found = found || is
		return nil
	})
	return found
}

// fold evaluates a part that does not depend on rows.
func (b *builder) fold(expr hclsyntax.Expression, e env) *node {
	val, diags := expr.Value(e.ctx)
	if diags.HasErrors() {
		if e.lazy {
			return &node{op: opError, name: diags[0].Summary + ": " + diags[0].Detail, typ: cty.DynamicPseudoType}
		}
		b.diags = append(b.diags, diags...)
		return constant(cty.DynamicVal)
	}
	secret := val.ContainsMarked()
	val, _ = val.UnmarkDeep()
	n := constant(val)
	n.secret = secret
	if e.top {
		n.src = expr
	}
	return n
}

func constant(val cty.Value) *node { return &node{op: opConst, val: val, typ: val.Type(), of: val} }

func (b *builder) form(expr hclsyntax.Expression, e env) *node {
	switch x := expr.(type) {
	case *hclsyntax.ScopeTraversalExpr:
		return b.traversal(x.Traversal, e)
	case *hclsyntax.RelativeTraversalExpr:
		return b.get(b.build(x.Source, e), x.Traversal)
	case *hclsyntax.BinaryOpExpr:
		sub := e
		if x.Op == hclsyntax.OpLogicalAnd || x.Op == hclsyntax.OpLogicalOr {
			sub = e.lazily()
		}
		return &node{op: opBinary, name: operators[x.Op], args: []*node{b.build(x.LHS, sub), b.build(x.RHS, sub)}}
	case *hclsyntax.UnaryOpExpr:
		return &node{op: opUnary, name: operators[x.Op], args: []*node{b.build(x.Val, e)}}
	case *hclsyntax.ConditionalExpr:
		return b.conditional(x, e)
	case *hclsyntax.FunctionCallExpr:
		return b.call(x, e)
	case *hclsyntax.TemplateExpr:
		return &node{op: opTemplate, args: b.buildAll(x.Parts, e)}
	case *hclsyntax.TemplateWrapExpr:
		return b.build(x.Wrapped, e)
	case *hclsyntax.IndexExpr:
		return b.index(x, e)
	case *hclsyntax.TupleConsExpr:
		return &node{op: opTuple, args: b.buildAll(x.Exprs, e)}
	case *hclsyntax.ObjectConsExpr:
		n := &node{op: opObject}
		for _, item := range x.Items {
			n.args = append(n.args, b.objectKey(item.KeyExpr, e), b.build(item.ValueExpr, e))
		}
		return n
	case *hclsyntax.ForExpr:
		return b.forExpr(x, e)
	case *hclsyntax.SplatExpr:
		sub := e
		sub.top = false
		sub.splat = "$" + strconv.Itoa(len(e.locals)) + "*"
		return &node{op: opSplat, args: []*node{b.build(x.Source, e), b.build(x.Each, sub)}}
	case *hclsyntax.AnonSymbolExpr:
		return &node{op: opLocal, name: e.splat, typ: cty.DynamicPseudoType}
	}
	b.report(expr.Range(), "Unsupported row expression",
		"This form of expression cannot be evaluated for rows of a table. Write it with operators, conditionals and "+
			"function calls.")
	return constant(cty.DynamicVal)
}

func (b *builder) buildAll(exprs []hclsyntax.Expression, e env) []*node {
	nodes := make([]*node, len(exprs))
	for i, x := range exprs {
		nodes[i] = b.build(x, e)
	}
	return nodes
}

// conditional builds the branches lazily: an error in a constant branch matters only if the branch is taken.
func (b *builder) conditional(x *hclsyntax.ConditionalExpr, e env) *node {
	lazy := e.lazily()
	return &node{op: opCond, args: []*node{b.build(x.Condition, e), b.build(x.TrueResult, lazy),
		b.build(x.FalseResult, lazy)}}
}

func (b *builder) objectKey(expr hclsyntax.Expression, e env) *node {
	if key, ok := expr.(*hclsyntax.ObjectConsKeyExpr); ok {
		if word := hcl.ExprAsKeyword(key.Wrapped); word != "" && !key.ForceNonLiteral {
			return constant(cty.StringVal(word))
		}
		return b.build(key.Wrapped, e)
	}
	return b.build(expr, e)
}

func (b *builder) forExpr(x *hclsyntax.ForExpr, e env) *node {
	sub := e.within(x.KeyVar, x.ValVar)
	n := &node{op: opFor, name: "for " + sub.locals[x.KeyVar] + "," + sub.locals[x.ValVar]}
	n.args = []*node{b.build(x.CollExpr, e), b.build(x.ValExpr, sub), nil, nil}
	if x.KeyExpr != nil {
		n.args[2] = b.build(x.KeyExpr, sub)
	}
	if x.CondExpr != nil {
		n.args[3] = b.build(x.CondExpr, sub)
	}
	if x.Group {
		n.name += "..."
	}
	return n
}

// index treats b["logic"] as b.logic.
func (b *builder) index(x *hclsyntax.IndexExpr, e env) *node {
	coll, key := b.build(x.Collection, e), b.build(x.Key, e)
	if coll.op == opRow && key.op == opConst && key.typ == cty.String && key.val.IsKnown() && !key.val.IsNull() {
		return b.field(b.scope.lookup(coll.name), key.val.AsString(), x.Key.Range())
	}
	return &node{op: opIndex, args: []*node{coll, key}}
}

// traversal resolves a name and the steps after it. Only varying names need it.
func (b *builder) traversal(t hcl.Traversal, e env) *node {
	name, rest := t.RootName(), t[1:]
	if place, ok := e.locals[name]; ok {
		return b.get(&node{op: opLocal, name: place, typ: cty.DynamicPseudoType}, rest)
	}
	if p, ok := e.params[name]; ok {
		return b.get(p, rest)
	}
	v := b.scope.lookup(name)
	if v.Record == nil {
		return b.get(&node{op: opColumn, name: v.Name, typ: v.Type}, rest)
	}
	return b.get(&node{op: opRow, name: v.Name, typ: v.Record.Type()}, rest)
}

// get follows a relative traversal. A row's field becomes a column.
func (b *builder) get(source *node, rest hcl.Traversal) *node {
	if len(rest) == 0 {
		return source
	}
	if source.op == opRow {
		v := b.scope.lookup(source.name)
		if name, ok := hclsource.Step(rest, 0); ok {
			return b.get(b.field(v, name, rest[0].SourceRange()), rest[1:])
		}
	}
	return &node{op: opGet, name: traversalText(rest), args: []*node{source}, typ: cty.DynamicPseudoType}
}

// field returns the column for a field, or reports that the record has no such field.
func (b *builder) field(v *Var, name string, at hcl.Range) *node {
	if f, ok := v.Record.Field(name); ok {
		return &node{op: opColumn, name: v.Name + "." + name, typ: f.Type, words: f.Words}
	}
	names := make([]string, len(v.Record.Fields))
	for i, f := range v.Record.Fields {
		names[i] = f.Name
	}
	hint := nearest.Question(name, names)
	if hint == "" {
		hint = " It has " + strings.Join(names, ", ") + "."
	}
	b.report(at, "Unknown field", fmt.Sprintf("%s is a row of %s, which has no field %q.%s", v.Name, v.Record.Name,
		name, hint))
	return constant(cty.DynamicVal)
}

func (b *builder) report(at hcl.Range, summary, detail string) {
	b.diags = append(b.diags, &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail,
		Subject: at.Ptr()})
}

// call inlines a function whose definition is known. It keeps other calls.
func (b *builder) call(x *hclsyntax.FunctionCallExpr, e env) *node {
	fn, found := functionOf(e.ctx, x.Name)
	if !found {
		b.unknownFunction(x, e)
		return constant(cty.DynamicVal)
	}
	sub := e
	if takesSyntax(fn) {
		sub = e.lazily()
	}
	n := &node{op: opCall, name: x.Name, fn: fn, args: b.buildAll(x.Args, sub)}
	if x.ExpandFinal {
		n.args[len(n.args)-1] = &node{op: opTuple, name: "...", args: n.args[len(n.args)-1:],
			typ: cty.DynamicPseudoType}
	}
	def, ok := b.scope.Functions[x.Name]
	if !ok {
		return n
	}
	n.called = x.Name
	body, isSyntax := def.Result.(hclsyntax.Expression)
	if isSyntax && !x.ExpandFinal && len(def.Params) == len(x.Args) && e.depth < maxInline && !n.has(opError) {
		return b.inline(n, def, body, e)
	}
	if def.Canonical != nil {
		n.name = def.Canonical()
	}
	return n
}

// inline replaces a defined function's call with the function's body. In HCL, null arguments and arguments that cannot
// be evaluated are errors even if the body does not use them, so the node keeps the arguments as well. A row passed as
// an argument is never null.
func (b *builder) inline(call *node, def *Function, body hclsyntax.Expression, e env) *node {
	sub := env{ctx: childOf(def.Outer), params: map[string]*node{}, lazy: e.lazy, depth: e.depth + 1}
	if def.Outer == nil {
		sub.ctx = &hcl.EvalContext{Variables: map[string]cty.Value{}}
	}
	for i, p := range def.Params {
		arg := call.args[i]
		sub.params[p] = arg
		sub.ctx.Variables[p] = cty.UnknownVal(arg.typ)
		if arg.op == opConst {
			sub.ctx.Variables[p] = arg.val
			if arg.secret {
				sub.ctx.Variables[p] = arg.val.Mark(secretMark{})
			}
		}
	}
	inlined := b.build(body, sub)
	n := &node{op: opInline, typ: inlined.typ, of: inlined.of}
	for _, arg := range call.args {
		if arg.op != opRow && (arg.op != opConst || arg.val.IsNull()) {
			n.args = append(n.args, arg)
		}
	}
	n.args = append(n.args, inlined)
	return n
}

// secretMark marks a function's secret argument within the function's body.
type secretMark struct{}

func (b *builder) unknownFunction(x *hclsyntax.FunctionCallExpr, e env) {
	var names []string
	for ctx := e.ctx; ctx != nil; ctx = ctx.Parent() {
		names = slices.AppendSeq(names, maps.Keys(ctx.Functions))
	}
	b.report(x.NameRange, "Unknown function", fmt.Sprintf("No function has the name %q.%s", x.Name,
		nearest.Question(x.Name, names)))
}

func functionOf(ctx *hcl.EvalContext, name string) (function.Function, bool) {
	for ; ctx != nil; ctx = ctx.Parent() {
		if f, ok := ctx.Functions[name]; ok {
			return f, true
		}
	}
	return function.Function{}, false
}

// takesSyntax reports whether the function receives an argument's syntax instead of its value. try and can do so.
func takesSyntax(fn function.Function) bool {
	params := fn.Params()
	if v := fn.VarParam(); v != nil {
		params = append(slices.Clone(params), *v)
	}
	for _, p := range params {
		if customdecode.CustomExpressionDecoderForType(p.Type) != nil {
			return true
		}
	}
	return false
}
