package rowexpr

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/smtpipe/smtpipe/internal/base/budget"
)

// Expr is a checked row expression. It is immutable and safe for concurrent use.
type Expr struct {
	src       hclsyntax.Expression
	outer     *hcl.EvalContext
	scope     Scope
	root      *node
	typ       cty.Type
	known     bool
	uses      []string
	canonical func() string // computed on demand, only once
	program   program
}

// Compile checks expr against the row variables of scope and the values and functions of outer, and prepares it for
// evaluation. Its result must have type want or be convertible to it without loss (String from a number or a bool). The
// dynamic type accepts any result. The diagnostics name unknown fields, functions and variables, with suggestions.
//
// An expression with unknown outer values is checked to the extent that its types are known. Such an expression is
// deferred: Known returns false, and evaluation fails.
func Compile(expr hcl.Expression, scope Scope, outer *hcl.EvalContext, want cty.Type) (*Expr, hcl.Diagnostics) {
	at := expr.Range()
	syntax, ok := hclsyntax.Expression(nil), false
	if syntax, ok = expr.(hclsyntax.Expression); !ok {
		return nil, hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "Unsupported syntax",
			Detail: "Row expressions must use HCL's native syntax.", Subject: &at}}
	}
	if err := scope.validate(); err != nil {
		return nil, hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "Invalid row expression scope",
			Detail: err.Error() + ".", Subject: &at}}
	}
	if outer == nil {
		outer = &hcl.EvalContext{}
	}
	bound := budget.In(outer)
	if bound == nil {
		bound = budget.New(context.Background(), Bounds)
		outer = outer.NewChild()
		outer.Variables = (&budget.Purse{Budget: bound}).Variables()
	}
	b := &builder{scope: &scope}
	root := b.build(syntax, env{ctx: b.rowContext(outer), rows: true, top: true})
	if !b.diags.HasErrors() {
		b.checkResult(root, at, want)
	}
	if over := bound.Over(); over != nil {
		b.diags = hcl.Diagnostics{over}
	}
	if b.diags.HasErrors() {
		return nil, b.diags
	}
	e := &Expr{src: syntax, outer: outer, scope: scope, root: root, typ: resultType(root.typ, want),
		known: true}
	e.summarize()
	if e.known {
		e.program = e.compile()
	}
	return e, b.diags
}

func resultType(typ, want cty.Type) cty.Type {
	if want == cty.NilType || want == cty.DynamicPseudoType {
		return typ
	}
	return want
}

// checkResult reports a result of the wrong type. It never accepts a string for a bool or number, which HCL would
// convert in some rows.
func (b *builder) checkResult(root *node, at hcl.Range, want cty.Type) {
	if want == cty.NilType || want == cty.DynamicPseudoType || root.typ == cty.DynamicPseudoType ||
		root.typ.Equals(want) {
		return
	}
	if convert.GetConversion(root.typ, want) != nil {
		return
	}
	if root.op == opConst {
		if _, err := convert.Convert(root.val, want); err == nil {
			return
		}
	}
	b.report(at, "Unsuitable result of a row expression",
		fmt.Sprintf("This must return a %s for every row, but it returns a %s.", want.FriendlyName(),
			root.typ.FriendlyName()))
}

// summarize derives the facts about the entire expression from its nodes.
func (e *Expr) summarize() {
	seen := map[string]bool{}
	e.root.walk(func(n *node) {
		switch n.op {
		case opConst:
			e.known = e.known && n.val.IsWhollyKnown()
		case opColumn:
			seen[n.name] = true
		case opRow:
			for _, f := range e.scope.lookup(n.name).Record.Fields {
				seen[n.name+"."+f.Name] = true
			}
		}
	})
	for name := range seen {
		e.uses = append(e.uses, name)
	}
	slices.Sort(e.uses)
	e.canonical = sync.OnceValue(func() string {
		var w strings.Builder
		e.root.canonical(&w)
		return w.String()
	})
}

// Canonical returns the normal form for cache keys: outer values are folded in, equal numbers have equal texts, and the
// pipeline's functions are inlined. It contains no names of locals, no white space and no comments. Digests represent
// long constants and values with a mark such as sensitive. The result is not HCL.
func (e *Expr) Canonical() string { return e.canonical() }

// Secret reports whether a constant in the expression carries a mark, such as sensitive.
func (e *Expr) Secret() bool {
	secret := false
	e.root.walk(func(n *node) { secret = secret || n.secret })
	return secret
}

// Type returns the results' type: the requested type, or the expression's type if none was requested.
func (e *Expr) Type() cty.Type { return e.typ }

// Known reports whether all outer values are known, which evaluation requires.
func (e *Expr) Known() bool { return e.known }

// Uses returns the sorted columns that a frame needs: "b.logic" for a field, "n" for a scalar.
func (e *Expr) Uses() []string { return slices.Clone(e.uses) }

// Range returns the expression's range in its source.
func (e *Expr) Range() hcl.Range { return e.src.Range() }
