package config

import (
	"fmt"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/rowexpr"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/all"
)

// panicOf calls f and gives what it panics with; nil: it does not.
func panicOf(f func()) (r any) {
	defer func() { r = recover() }()
	f()
	return nil
}

// TestPanicsOfKinds: a panic about what is not known ends the check of an instance, any other is not hidden.
func TestPanicsOfKinds(t *testing.T) {
	t.Parallel()
	text, number := cty.UnknownVal(cty.String), cty.UnknownVal(cty.Number)
	list := cty.UnknownVal(cty.List(cty.String))
	for i, use := range []func(){
		func() { _ = text.AsString() },
		func() { _ = number.AsBigFloat() },
		func() { cty.UnknownVal(cty.Bool).True() },
		func() { list.LengthInt() },
		func() { list.AsValueSlice() },
		func() { cty.UnknownVal(cty.Map(cty.String)).AsValueMap() },
		func() { _ = cty.UnknownVal(stages.FileType).EncapsulatedValue().(*stages.File) },
	} {
		if r := panicOf(use); r == nil || !aboutUnknown(r) {
			t.Errorf("use %d of an unknown value panics with %v, which is not known as such", i, r)
		}
	}
	attrs := []stages.Attr{{Name: "a", Type: cty.String}}
	args := stages.NewArgs(attrs, "", hcl.Range{})
	args.SetValue("a", text, hcl.Range{})
	for i, bug := range []func(){
		func() { panic("a bug") },
		func() { panic(fmt.Errorf("a bug")) },
		func() { var m map[string]int; m["a"] = 1 },
		func() { _ = cty.True.AsString() },
	} {
		want := panicOf(bug)
		kind := &stages.Kind{Name: "k", Attrs: attrs, New: func(*stages.Args) (stages.Action, error) { bug(); return nil, nil }}
		if got := panicOf(func() { probe(kind, args) }); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("bug %d: the panic %v has become %v", i, want, got)
		}
	}
}

// TestKindsWithUnknowns checks every kind with each of its attributes unknown, and with all of them.
func TestKindsWithUnknowns(t *testing.T) {
	t.Parallel()
	for _, kind := range all.Kinds() {
		for i := -1; i < len(kind.Attrs); i++ {
			args := unknownArgs(kind.Attrs, i)
			for _, b := range kind.Blocks {
				args.AddBlock(b.Name, unknownArgs(b.Attrs, -1))
			}
			if r := panicOf(func() { probe(kind, args) }); r != nil {
				t.Errorf("%s with unknown attribute %d (-1: all) panics: %v", kind.Name, i, r)
			}
		}
	}
}

// unknownArgs are arguments of which one is not known, or all that are plain values; the others have their defaults.
func unknownArgs(attrs []stages.Attr, which int) *stages.Args {
	args := stages.NewArgs(attrs, "x", hcl.Range{})
	for i, a := range attrs {
		switch {
		case a.Row != nil && a.Required:
			args.SetRow(a.Name, constantRow(a), hcl.Range{})
		case a.Row != nil:
		case which < 0 || i == which || a.Required:
			args.SetValue(a.Name, cty.UnknownVal(a.Type), hcl.Range{})
		case a.Default != cty.NilVal:
			args.SetValue(a.Name, a.Default, hcl.Range{})
		}
	}
	return args
}

// constantRow is a row expression of the attribute's type.
func constantRow(a stages.Attr) *rowexpr.Expr {
	text := map[cty.Type]string{cty.Number: "1", cty.Bool: "true", cty.String: `"x"`}[a.Type]
	expr, _ := hclsyntax.ParseExpression([]byte(text), "row", hcl.InitialPos)
	row, _ := rowexpr.Compile(expr, a.Row.Scope, nil, a.Type)
	return row
}
