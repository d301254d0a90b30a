package config

import (
	"slices"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/all"
)

// TestKindsWithUnknowns makes every kind check for mistakes with one attribute, or all attributes, unknown or partly
// unknown. No kind may panic or report an error about an unknown value.
func TestKindsWithUnknowns(t *testing.T) {
	t.Parallel()
	for _, kind := range all.Kinds() {
		for i := -1; i < len(kind.Attrs); i++ {
			for form := range len(unknowns(cty.DynamicPseudoType)) {
				args := unknownArgs(kind.Attrs, i, form)
				for _, b := range kind.Blocks {
					args.AddBlock(b.Name, unknownArgs(b.Attrs, -1, form))
				}
				_, err := kind.New(args.Trial())
				for _, d := range stages.Certain(err) {
					if d.Subject.Filename == notKnown.Filename {
						t.Errorf("%s with unknown attribute %d (-1: all) in form %d: %v", kind.Name, i, form, d)
					}
				}
			}
		}
	}
}

var notKnown = hcl.Range{Filename: "not known"}

// unknowns returns a type's unknown and partly unknown values.
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

// unknownArgs returns arguments in which one value, or every plain value, is unknown in some form; the rest have their
// defaults.
func unknownArgs(attrs []stages.Attr, which, form int) *stages.Args {
	args := stages.NewArgs(attrs, "x", hcl.Range{})
	for i, a := range attrs {
		switch forms := unknowns(a.Type); {
		case a.Row != nil && a.Required:
			args.SetRow(a.Name, constantRow(a), hcl.Range{})
		case a.Row != nil:
		case which < 0 || i == which || a.Required:
			args.SetValue(a.Name, forms[form%len(forms)], notKnown)
		case a.Default != cty.NilVal:
			args.SetValue(a.Name, a.Default, hcl.Range{})
		}
	}
	return args
}

// constantRow returns a row expression of the attribute's type.
func constantRow(a stages.Attr) *rowexpr.Expr {
	text := map[cty.Type]string{cty.Number: "1", cty.Bool: "true", cty.String: `"x"`}[a.Type]
	expr, _ := hclsyntax.ParseExpression([]byte(text), "row", hcl.InitialPos)
	row, _ := rowexpr.Compile(expr, a.Row.Scope, nil, a.Type)
	return row
}
