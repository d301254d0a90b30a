package config

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/nearest"
)

// addHints adds suggestions to errors of HCL about attributes and keys that a value does not have.
func addHints(diags hcl.Diagnostics) hcl.Diagnostics {
	for _, d := range diags {
		if d.EvalContext == nil {
			continue
		}
		switch x := d.Expression.(type) {
		case *hclsyntax.ScopeTraversalExpr:
			root, diags := x.Traversal[:1].TraverseAbs(d.EvalContext)
			if !diags.HasErrors() {
				d.Detail += suggestStep(root, x.Traversal[1:])
			}
		case *hclsyntax.RelativeTraversalExpr:
			source, diags := x.Source.Value(d.EvalContext)
			if !diags.HasErrors() {
				d.Detail += suggestStep(source, x.Traversal)
			}
		case *hclsyntax.IndexExpr:
			source, diags := x.Collection.Value(d.EvalContext)
			key, more := x.Key.Value(d.EvalContext)
			if !diags.HasErrors() && !more.HasErrors() {
				d.Detail += suggestStep(source, hcl.Traversal{hcl.TraverseIndex{Key: key}})
			}
		}
	}
	return diags
}

// suggestStep walks into a value as far as possible and suggests a name for the first step that does not exist.
func suggestStep(v cty.Value, steps hcl.Traversal) string {
	for i := range steps {
		next, diags := steps[i : i+1].TraverseRel(v)
		if !diags.HasErrors() {
			v = next
			continue
		}
		name, ok := attrName(steps, i)
		if !ok {
			return ""
		}
		names := namesIn(v)
		if hint := nearest.Question(name, names); hint != "" || len(names) == 0 {
			return hint
		}
		return " It has " + oneOf(names) + "."
	}
	return ""
}

// namesIn lists the attributes of an object or the keys of a known map.
func namesIn(v cty.Value) []string {
	v, _ = v.Unmark()
	switch t := v.Type(); {
	case t.IsObjectType():
		return attrNames(t)
	case t.IsMapType() && v.IsKnown() && !v.IsNull():
		var names []string
		for it := v.ElementIterator(); it.Next(); {
			key, _ := it.Element()
			names = append(names, key.AsString())
		}
		return names
	}
	return nil
}
