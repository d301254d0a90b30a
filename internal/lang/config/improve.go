package config

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/base/hclsource"
	"github.com/smtpipe/smtpipe/internal/base/nearest"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
)

// addHints adds suggestions to HCL's errors about missing attributes and keys.
func (p *Pipeline) addHints(diags hcl.Diagnostics) hcl.Diagnostics {
	for _, d := range diags {
		if d.EvalContext == nil {
			continue
		}
		switch x := d.Expression.(type) {
		case *hclsyntax.ScopeTraversalExpr:
			if p.withoutRules(x.Traversal) {
				d.Summary, d.Detail = "No rules", fmt.Sprintf("This program has no rules of the year %d, only those of %s. "+
					"Name the ones that count in the block competition, as rules = %q, or a folder that has them; \"smtpipe "+
					"init --year %s --as %d\" writes one.", p.competition.Year, strings.Join(rules.Names(), ", "),
					rules.Newest(), rules.Newest(), p.competition.Year)
				continue
			}
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

// withoutRules reports whether a reference refers to the rules of a competition that has none.
func (p *Pipeline) withoutRules(t hcl.Traversal) bool {
	if p.competition.Rules != nil || len(t) < 3 || t.RootName() != "competition" {
		return false
	}
	step, ok := t[1].(hcl.TraverseAttr)
	return ok && step.Name == "rules"
}

// suggestStep follows a reference into a value as long as the steps exist, and suggests a name for the first missing
// one.
func suggestStep(v cty.Value, steps hcl.Traversal) string {
	for i := range steps {
		next, diags := steps[i : i+1].TraverseRel(v)
		if !diags.HasErrors() {
			v = next
			continue
		}
		name, ok := hclsource.Step(steps, i)
		if !ok || v.IsNull() {
			return ""
		}
		names := namesIn(v)
		if hint := nearest.Question(name, names); hint != "" || len(names) == 0 {
			return hint
		}
		return " It has " + words.OneOf(names) + "."
	}
	return ""
}

// namesIn returns the attributes of an object, or the keys of a known map.
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
