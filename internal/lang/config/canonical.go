package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/base/hclsource"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// canonicalFunction returns the key text of a pipeline function, for calls in row expressions that cannot be inlined.
// The text depends on the function's behaviour, not on its name or the names inside it: parameters become numbers,
// values replace references, and white space and comments are omitted.
func (e *evaluator) canonicalFunction(f *userFunction, at *instance) string {
	rng := f.result.Range()
	file := e.p.sources[rng.Filename]
	if file == nil || rng.End.Byte > len(file.Bytes) {
		return f.addr
	}
	if !e.budget.Spend(stepsOfExpr, 0, f.result.Range) {
		return f.addr
	}
	spend := func(bytes int) bool { return e.budget.Spend(1, bytes, f.result.Range) }
	tokens, _ := hclsyntax.LexExpression(file.Bytes[rng.Start.Byte:rng.End.Byte], rng.Filename, rng.Start)
	replaced := e.replacements(f, at)
	var w strings.Builder
	fmt.Fprintf(&w, "function(%d,%v)", len(f.params), f.variadic != "")
	for _, t := range tokens {
		if t.Type == hclsyntax.TokenComment || t.Type == hclsyntax.TokenNewline || t.Type == hclsyntax.TokenEOF {
			continue
		}
		i := slices.IndexFunc(replaced, func(r replacement) bool {
			return r.rng.Start.Byte <= t.Range.Start.Byte && t.Range.End.Byte <= r.rng.End.Byte
		})
		switch {
		case i < 0:
			w.WriteByte(' ')
			w.Write(t.Bytes)
		case replaced[i].rng.Start.Byte == t.Range.Start.Byte && spend(len(replaced[i].text)):
			w.WriteByte(' ')
			w.WriteString(replaced[i].text)
		}
	}
	return w.String()
}

// replacement is a text that replaces a part of the source.
type replacement struct {
	rng  hcl.Range
	text string
}

func (e *evaluator) replacements(f *userFunction, at *instance) []replacement {
	params := slices.Clone(f.params)
	if f.variadic != "" {
		params = append(params, f.variadic)
	}
	ctx, _ := e.context(f.result, at, blockScope{row: &use{names: params}})
	var all []replacement
	for _, t := range f.result.Variables() {
		if i := slices.Index(params, t.RootName()); i >= 0 {
			all = append(all, replacement{t[0].SourceRange(), fmt.Sprintf("$%d", i)})
			continue
		}
		v, diags := t.TraverseAbs(ctx)
		if !diags.HasErrors() {
			all = append(all, replacement{t.SourceRange(), keyTextOf(v)})
		}
	}
	hclsource.Calls(f.result, func(call *hclsyntax.FunctionCallExpr) {
		if inner, ok := at.mod.functions.get(call.Name); ok && inner.result != nil {
			all = append(all, replacement{call.NameRange, e.canonicalFunction(inner, at)})
		}
	})
	return all
}

// keyTextOf returns a value as text for keys.
func keyTextOf(v cty.Value) string {
	secret := isSensitive(v)
	v, _ = v.UnmarkDeep()
	if !v.IsWhollyKnown() {
		return "unknown"
	}
	args := stages.NewArgs([]stages.Attr{{Name: "v", Type: cty.DynamicPseudoType}}, "", hcl.Range{})
	args.SetValue("v", canonical(v), hcl.Range{})
	k := cache.NewKeyWriter("value")
	args.WriteKey(k)
	text := fmt.Sprintf("%q", k.Components()[1:])
	if secret {
		return rowexpr.Secret(text)
	}
	return text
}
