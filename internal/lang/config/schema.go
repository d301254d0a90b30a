package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/smtpipe/smtpipe/internal/base/nearest"
	"github.com/smtpipe/smtpipe/internal/base/words"
)

// bodySchema describes the allowed contents of a block's body.
type bodySchema struct {
	what     string // description of the block, such as `A "solver" block`
	attrs    []string
	required []string
	blocks   []string
	see      string // where all attributes are listed
}

// elsewhere suggests replacements for attributes that similar languages use.
var elsewhere = map[string]string{
	"depends_on": "A stage waits only for what its attributes refer to: refer to the output that it " +
		"needs, as benchmarks = stage.cap.main.benchmarks.",
	"count":     "Write for_each = toset([\"a\", \"b\"]); each.key is the name of the instance.",
	"provider":  "There are no providers.",
	"lifecycle": "What is finished is never executed again; \"smtpipe run --fresh STAGE\" measures it again.",
}

// check reports attributes and blocks that are not in the schema, and missing required ones.
func (s *bodySchema) check(body *hclsyntax.Body, header hcl.Range) hcl.Diagnostics {
	var diags hcl.Diagnostics
	for _, a := range sortedAttrs(body.Attributes) {
		if slices.Contains(s.attrs, a.Name) {
			continue
		}
		detail := fmt.Sprintf("%s has no attribute %q.", s.what, a.Name)
		switch {
		case slices.Contains(s.blocks, a.Name):
			detail = fmt.Sprintf("In %s, %q is a block: write %s { ... } without an equals sign.", lowerFirst(s.what),
				a.Name, a.Name)
		case elsewhere[a.Name] != "":
			detail += " " + elsewhere[a.Name]
		default:
			detail += nearest.Question(a.Name, s.attrs) + s.hint(a.Name)
		}
		diags = append(diags, errorAt(a.NameRange, "Unknown attribute", detail))
	}
	for _, b := range body.Blocks {
		if slices.Contains(s.blocks, b.Type) {
			continue
		}
		detail := fmt.Sprintf("%s has no block %q.", s.what, b.Type)
		if slices.Contains(s.attrs, b.Type) {
			detail = fmt.Sprintf("In %s, %q is an attribute: write %s = ... with an equals sign.", lowerFirst(s.what),
				b.Type, b.Type)
		} else {
			detail += nearest.Question(b.Type, s.blocks) + s.hint(b.Type)
		}
		diags = append(diags, errorAt(b.TypeRange, "Unknown block", detail))
	}
	for _, name := range s.required {
		if _, ok := body.Attributes[name]; !ok && !slices.ContainsFunc(body.Blocks,
			func(b *hclsyntax.Block) bool { return b.Type == name }) {
			diags = append(diags, errorAt(header, "Missing attribute",
				strings.TrimSpace(fmt.Sprintf("%s needs the attribute %q. %s", s.what, name, s.see))))
		}
	}
	return diags
}

func (s *bodySchema) hint(given string) string {
	if nearest.Name(given, append(slices.Clone(s.attrs), s.blocks...)) != "" {
		return ""
	}
	if s.see != "" {
		return " " + s.see
	}
	if len(s.attrs) == 0 {
		return " It has no attributes."
	}
	return " It has " + words.OneOf(s.attrs) + "."
}

func lowerFirst(s string) string {
	if len(s) > 0 && s[0] == 'A' {
		return "a" + s[1:]
	}
	return s
}

// sortedAttrs returns attributes in source order.
func sortedAttrs(attrs hclsyntax.Attributes) []*hclsyntax.Attribute {
	return slices.SortedFunc(maps.Values(attrs), func(a, b *hclsyntax.Attribute) int {
		return a.SrcRange.Start.Byte - b.SrcRange.Start.Byte
	})
}
