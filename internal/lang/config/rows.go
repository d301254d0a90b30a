package config

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/base/budget"
	"github.com/smtpipe/smtpipe/internal/base/hclsource"
	"github.com/smtpipe/smtpipe/internal/base/pattern"
	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
	"github.com/smtpipe/smtpipe/internal/lang/config/functions"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// rowKey identifies a row expression in an instance of its module and, if the expression refers to each, of its block.
type rowKey struct {
	expr     hclsyntax.Expression
	instance string
}

// compiledRow is the last compiled form of a row expression in an instance, with the values and functions that it used.
// It is reused while these stay the same, so an expression that depends on no output is compiled only once.
type compiledRow struct {
	values    map[string]cty.Value
	functions map[string]*rowexpr.Function
	expr      *rowexpr.Expr
}

// same reports whether compiling with other values and functions would produce the same result. A pipeline function is
// identified by the values that it refers to, because its text does not change.
func (c *compiledRow) same(values map[string]cty.Value, functions map[string]*rowexpr.Function) bool {
	return sameValues(c.values, values) && maps.EqualFunc(c.functions, functions, func(a, b *rowexpr.Function) bool {
		return a == b || a.Outer != nil && b.Outer != nil && sameValues(a.Outer.Variables, b.Outer.Variables)
	})
}

func sameValues(a, b map[string]cty.Value) bool { return maps.EqualFunc(a, b, cty.Value.RawEquals) }

// row sets a row expression. An expression that depends on no instance and no output is compiled only once.
func (d *argsDecoder) row(args *stages.Args, attr *stages.Attr, a *hclsyntax.Attribute) {
	compiled, done := d.e.p.static.fixedRows[rowKey{a.Expr, d.at.addr}]
	if !done {
		var waits []string
		compiled, waits = d.compile(attr, a)
		if compiled != nil && !compiled.Known() {
			d.waits = union(d.waits, waits)
		}
		if compiled != nil && compiled.Known() && d.e.p.fixed(a.Expr) {
			d.e.p.static.fixedRows[rowKey{a.Expr, d.at.addr}] = compiled
		}
	}
	if compiled == nil || !compiled.Known() {
		d.complete = false
	}
	switch {
	case compiled == nil:
	case compiled.Known() && compiled.Canonical() == "null" && attr.Required:
		d.e.errorAt(a.Expr.Range(), "Missing value", nullRequired(attr.Name))
	case compiled.Known() && compiled.Canonical() == "null": // equivalent to an absent attribute
		d.byDefault(args, attr, args.Range)
	case compiled.Secret() && !attr.TakesSensitive():
		d.e.errorAt(a.Expr.Range(), "Sensitive value", fmt.Sprintf("The row expression %q returns texts, which become "+
			"part of tables, and refers to a sensitive value. Use a variable that is not sensitive.", attr.Name))
	default:
		args.SetRow(attr.Name, compiled, a.Expr.Range())
	}
}

// compile compiles a row expression with the outer values that it uses. It returns nil if there are errors.
func (d *argsDecoder) compile(attr *stages.Attr, a *hclsyntax.Attribute) (*rowexpr.Expr, []string) {
	e := d.e
	if e.p.badExprs[a.Expr] {
		return nil, nil
	}
	sc := d.scope
	sc.row, sc.purse = &use{row: &attr.Row.Scope}, &budget.Purse{Budget: e.budget}
	// A stage evaluates it for table rows in many goroutines, each with a budget of its own.
	defer func(p *budget.Purse) { p.Budget = nil }(sc.purse)
	ctx, waits := e.context(a.Expr, d.at, sc)
	if len(waits) > 0 || e.p.sensitive {
		for name, v := range ctx.Variables {
			ctx.Variables[name] = withoutWaits(v)
		}
	}
	defined := map[string]*rowexpr.Function{}
	maps.Copy(defined, attr.Row.Scope.Functions)
	d.definitions(a.Expr, ctx, defined, sc.purse)
	key := rowKey{a.Expr, d.at.addr + d.keyFor(a.Expr)}
	if before := e.p.static.rows[key]; before != nil && before.same(ctx.Variables, defined) {
		return before.expr, waits
	}
	scope := attr.Row.Scope
	scope.Natives = append(slices.Clone(scope.Natives), functions.Natives()...)
	scope.Functions = defined
	compiled, diags := rowexpr.Compile(a.Expr, scope, ctx, attr.Type)
	e.report(diags)
	if diags.HasErrors() {
		return nil, nil
	}
	if reader := fileReader(compiled); reader != "" {
		e.errorAt(a.Expr.Range(), "Row expression that reads files", fmt.Sprintf("%q calls %s() for each row, and "+
			"keys could not cover the contents of the files. Read them in \"locals\", and refer to the value.",
			attr.Name, reader))
		return nil, nil
	}
	e.p.static.rows[key] = &compiledRow{ctx.Variables, defined, compiled}
	return compiled, waits
}

// keyFor returns a key that distinguishes the block's instances if the expression refers to them.
func (d *argsDecoder) keyFor(x hclsyntax.Expression) string {
	if !d.e.p.exprs[x].own || d.scope.key == cty.NilVal || !known(d.scope.key) {
		return ""
	}
	return keyText(d.scope.key.AsString())
}

// definitions collects the definitions of the pipeline functions that an expression calls, directly or indirectly.
func (d *argsDecoder) definitions(x hclsyntax.Expression, ctx *hcl.EvalContext, into map[string]*rowexpr.Function,
	of *budget.Purse) {
	hclsource.Calls(x, func(call *hclsyntax.FunctionCallExpr) {
		f, ok := d.at.mod.functions.get(call.Name)
		if !ok || into[call.Name] != nil || f.result == nil {
			return
		}
		c := d.e.function(f, d.at, of)
		ctx.Functions[call.Name] = c.impl
		definition := c.definition
		into[call.Name] = definition
		definition.Canonical = sync.OnceValue(func() string { return d.e.canonicalFunction(f, d.at) })
		if f.variadic != "" {
			definition.Result = nil // variadic functions cannot be inlined
		}
		d.definitions(f.result, ctx, into, of)
	})
}

// fileReader returns a function that reads files and that a row expression calls for each row, or "" if there is none.
func fileReader(x *rowexpr.Expr) string {
	if !x.Known() || !readsFiles().MatchString(x.Canonical()) {
		return ""
	}
	tokens, _ := hclsyntax.LexExpression([]byte(x.Canonical()), "", hcl.InitialPos) // tells calls from texts
	for i, t := range tokens {
		if t.Type == hclsyntax.TokenOParen && i > 0 && tokens[i-1].Type == hclsyntax.TokenIdent &&
			readsFiles().MatchString(string(tokens[i-1].Bytes)+"(") {
			return string(tokens[i-1].Bytes)
		}
	}
	return ""
}

// readsFiles matches calls of the functions that read files.
var readsFiles = pattern.Lazy(`\b(file|fileset|file_text|rules) ?\(`)
