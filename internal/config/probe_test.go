package config

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/rowexpr"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/all"
)

// panicOf calls f and returns what it panics with; nil: it does not.
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
		func() { _ = []int{}[len(attrs)] },
		func() { _ = cty.True.AsString() },
	} {
		want := panicOf(bug)
		kind := &stages.Kind{Name: "k", Attrs: attrs, New: func(*stages.Args) (stages.Action, error) {
			bug()
			return nil, nil
		}}
		if got := panicOf(func() { probe(kind, args) }); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("bug %d: the panic %v has become %v", i, want, got)
		}
	}
}

// TestKindsWithUnknowns checks every kind with each of its attributes unknown, or in part, and with all of them.
func TestKindsWithUnknowns(t *testing.T) {
	t.Parallel()
	for _, kind := range all.Kinds() {
		for i := -1; i < len(kind.Attrs); i++ {
			for form := range len(unknowns(cty.DynamicPseudoType)) {
				args := unknownArgs(kind.Attrs, i, form)
				for _, b := range kind.Blocks {
					args.AddBlock(b.Name, unknownArgs(b.Attrs, -1, form))
				}
				if r := panicOf(func() { probe(kind, args) }); r != nil {
					t.Errorf("%s with unknown attribute %d (-1: all) in form %d panics: %v", kind.Name, i, form, r)
				}
			}
		}
	}
}

// unknowns are values of a type that are not known, or not in full.
func unknowns(t cty.Type) []cty.Value {
	if t != cty.DynamicPseudoType {
		return []cty.Value{cty.UnknownVal(t)}
	}
	part := []cty.Value{cty.DynamicVal}
	table := stages.TableType("solvers/1")
	types := []cty.Type{stages.SolverType, table, stages.FileType, cty.String, cty.Number, cty.List(cty.String)}
	for _, t := range types {
		part = append(part, cty.UnknownVal(t))
	}
	all := slices.Clone(part)
	for _, v := range part {
		all = append(all, cty.TupleVal([]cty.Value{v, v}), cty.ObjectVal(map[string]cty.Value{"x": v}))
	}
	return all
}

// unknownArgs are arguments of which one is not known in some form, or all that are plain values; the others have their
// defaults.
func unknownArgs(attrs []stages.Attr, which, form int) *stages.Args {
	args := stages.NewArgs(attrs, "x", hcl.Range{})
	for i, a := range attrs {
		switch forms := unknowns(a.Type); {
		case a.Row != nil && a.Required:
			args.SetRow(a.Name, constantRow(a), hcl.Range{})
		case a.Row != nil:
		case which < 0 || i == which || a.Required:
			args.SetValue(a.Name, forms[form%len(forms)], hcl.Range{})
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
