package stagetest

import (
	"math/big"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// checkDeclaration checks that a kind's declaration is complete, and that every attribute is part of the key unless
// declared otherwise.
func checkDeclaration(t *testing.T, kind *stages.Kind) {
	t.Helper()
	if kind.Version < 1 || kind.Summary == "" || kind.Doc == "" || kind.Example == "" || len(kind.Outputs) == 0 ||
		kind.New == nil {
		t.Errorf("kind %s lacks a version, summary, description, example, outputs or constructor", kind.Name)
	}
	for _, o := range kind.Outputs {
		if o.Doc == "" {
			t.Errorf("output %s of kind %s has no description", o.Name, kind.Name)
		}
	}
	checkAttrs(t, kind.Name, kind.Attrs)
	for _, b := range kind.Blocks {
		if b.Doc == "" {
			t.Errorf("block %s of kind %s has no description", b.Name, kind.Name)
		}
		checkAttrs(t, kind.Name+"."+b.Name, b.Attrs)
	}
}

func checkAttrs(t *testing.T, where string, attrs []stages.Attr) {
	t.Helper()
	for _, a := range attrs {
		if a.Doc == "" {
			t.Errorf("attribute %s of %s has no description", a.Name, where)
		}
		first, second := keyWith(t, attrs, &a, 1), keyWith(t, attrs, &a, 2)
		if (first == second) != a.NotInKey {
			t.Errorf("attribute %s of %s: another value gives the same key: %v, declared: %v", a.Name, where,
				first == second, a.NotInKey)
		}
	}
}

// keyWith returns the key of arguments in which one attribute has the sample value number which.
func keyWith(t *testing.T, attrs []stages.Attr, a *stages.Attr, which int64) cache.Key {
	t.Helper()
	args := stages.NewArgs(attrs, "", hcl.Range{})
	if a.Row != nil {
		args.SetRow(a.Name, rowSample(t, a, which), hcl.Range{})
	} else {
		args.SetValue(a.Name, sample(a.Type, which), hcl.Range{})
	}
	k := cache.NewKeyWriter("test")
	args.WriteKey(k)
	return k.Key()
}

func rowSample(t *testing.T, a *stages.Attr, which int64) *rowexpr.Expr {
	t.Helper()
	src := map[cty.Type][2]string{
		cty.Bool:   {"1 < 2", "2 < 1"},
		cty.Number: {"1", "2"},
		cty.String: {`"a"`, `"b"`},
	}[a.Type][which-1]
	expr, diags := hclsyntax.ParseExpression([]byte(src), "test", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	e, diags := rowexpr.Compile(expr, a.Row.Scope, nil, a.Type)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return e
}

// sample returns a value of a type; which selects one of several different values.
func sample(t cty.Type, which int64) cty.Value {
	digest := cache.Digest{byte(which)}
	switch {
	case stages.IsArtifact(t):
		art := stages.Artifact{Digest: digest}
		return cty.CapsuleVal(t, &art)
	case t.Equals(stages.FileType):
		return stages.FileVal(stages.File{Name: "f", Digest: digest})
	case t == cty.Number:
		return cty.NumberVal(big.NewFloat(float64(which)))
	case t == cty.Bool:
		return cty.BoolVal(which == 1)
	case t.IsListType():
		return cty.ListVal([]cty.Value{sample(t.ElementType(), which)})
	case t.IsMapType():
		return cty.MapVal(map[string]cty.Value{"k": sample(t.ElementType(), which)})
	case t.IsObjectType():
		attrs := map[string]cty.Value{}
		for name, at := range t.AttributeTypes() {
			attrs[name] = sample(at, which)
		}
		return cty.ObjectVal(attrs)
	}
	return cty.StringVal(string(rune('a' + which)))
}
