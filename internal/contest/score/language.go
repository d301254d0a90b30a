package score

import (
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
)

// BlockSyntax is a block that a rule set can contain.
type BlockSyntax struct {
	Name   string
	Labels []string
	Attrs  []string
	Inner  []string // types of the blocks that it can contain
}

// Blocks describes the blocks of rule sets, for editors. The decoder itself provides the attributes: each block is
// decoded once from an empty body that records the requested schema.
func Blocks() []BlockSyntax {
	var all []BlockSyntax
	for _, name := range sortedKeys(blockDecoders) {
		of := blockDecoders[name]
		body := &asked{}
		block := &hcl.Block{Type: name, Labels: slices.Repeat([]string{"x"}, len(of.labels)), Body: body}
		of.decode(&decoder{rs: &RuleSet{}}, block)
		if body.schema == nil {
			continue // obsolete blocks
		}
		b := BlockSyntax{Name: name, Labels: of.labels}
		for _, a := range body.schema.Attributes {
			b.Attrs = append(b.Attrs, a.Name)
		}
		for _, inner := range body.schema.Blocks {
			b.Inner = append(b.Inner, inner.Type)
		}
		all = append(all, b)
	}
	return all
}

// RowVars returns the variables of row expressions in views. Benchmark scores can use all of them except p.
func RowVars() []rowexpr.Var { return rowVars(true) }

// Functions returns the names of the functions available in rule sets.
func Functions() []string { return sortedKeys(ruleFunctions) }

// asked is an empty body that records the schema requested from it.
type asked struct{ schema *hcl.BodySchema }

// Content implements hcl.Body.
func (b *asked) Content(schema *hcl.BodySchema) (*hcl.BodyContent, hcl.Diagnostics) {
	b.schema = schema
	return &hcl.BodyContent{}, nil
}

// PartialContent implements hcl.Body.
func (b *asked) PartialContent(schema *hcl.BodySchema) (*hcl.BodyContent, hcl.Body, hcl.Diagnostics) {
	content, diags := b.Content(schema)
	return content, b, diags
}

// JustAttributes implements hcl.Body.
func (b *asked) JustAttributes() (hcl.Attributes, hcl.Diagnostics) { return nil, nil }

// MissingItemRange implements hcl.Body.
func (b *asked) MissingItemRange() hcl.Range { return hcl.Range{} }
