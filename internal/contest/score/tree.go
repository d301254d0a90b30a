package score

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/base/hclsource"
)

// treeFormat is the version of the tree format.
const treeFormat = "rules/1"

// forPeople lists attributes without an effect. Trees omit them.
var forPeople = []string{"cite", "doc", "title", "upside_down"}

// RuleSetOf returns the rule set that a stage's action scores with, or nil if it does not score.
func RuleSetOf(action any) *RuleSet {
	if of, ok := action.(interface{ RuleSet() *RuleSet }); ok {
		return of.RuleSet()
	}
	return nil
}

// Tree returns the rule set as a JSON tree for programs that do not read HCL: one block per line, with its attributes
// as pairs in file order. A constant is written as itself; any other expression is a list that starts with its kind
// (see docs/write/scoring.md). Equal canonical forms have equal trees.
func (rs *RuleSet) Tree() []byte {
	var b bytes.Buffer
	b.WriteString(`{"format": "` + treeFormat + `", "blocks": [`)
	if body, ok := rs.file.Body.(*hclsyntax.Body); ok {
		between := "\n"
		for _, block := range body.Blocks {
			if block.Type == exampleBlock {
				continue
			}
			b.WriteString(between)
			between = ",\n"
			enc := json.NewEncoder(&b)
			enc.SetEscapeHTML(false)
			if err := enc.Encode(blockTree(block, rs.source)); err != nil {
				panic(err) // it contains only strings, numbers and lists
			}
			b.Truncate(b.Len() - 1)
		}
	}
	b.WriteString("\n]}\n")
	return b.Bytes()
}

// treeBlock is a block in a tree.
type treeBlock struct {
	Type       string      `json:"type"`
	Labels     []string    `json:"labels,omitempty"`
	Attributes [][2]any    `json:"attributes,omitempty"`
	Blocks     []treeBlock `json:"blocks,omitempty"`
}

func blockTree(block *hclsyntax.Block, src []byte) treeBlock {
	out := treeBlock{Type: block.Type, Labels: block.Labels}
	var attrs []*hclsyntax.Attribute
	for name, a := range block.Body.Attributes {
		if block.Type == "let" || !slices.Contains(forPeople, name) {
			attrs = append(attrs, a)
		}
	}
	slices.SortFunc(attrs, func(a, b *hclsyntax.Attribute) int { return a.SrcRange.Start.Byte - b.SrcRange.Start.Byte })
	for _, a := range attrs {
		out.Attributes = append(out.Attributes, [2]any{a.Name, exprTree(a.Expr, src)})
	}
	for _, inner := range block.Body.Blocks {
		out.Blocks = append(out.Blocks, blockTree(inner, src))
	}
	return out
}

// treeOps maps operators to their HCL spelling, for trees.
var treeOps = map[*hclsyntax.Operation]string{
	hclsyntax.OpLogicalOr: "||", hclsyntax.OpLogicalAnd: "&&", hclsyntax.OpLogicalNot: "!",
	hclsyntax.OpEqual: "==", hclsyntax.OpNotEqual: "!=", hclsyntax.OpGreaterThan: ">",
	hclsyntax.OpGreaterThanOrEqual: ">=", hclsyntax.OpLessThan: "<", hclsyntax.OpLessThanOrEqual: "<=",
	hclsyntax.OpAdd: "+", hclsyntax.OpSubtract: "-", hclsyntax.OpMultiply: "*", hclsyntax.OpDivide: "/",
	hclsyntax.OpModulo: "%", hclsyntax.OpNegate: "-",
}

func exprTree(e hclsyntax.Expression, src []byte) any {
	trees := func(head []any, list ...hclsyntax.Expression) []any {
		for _, x := range list {
			head = append(head, exprTree(x, src))
		}
		return head
	}
	switch e := e.(type) {
	case *hclsyntax.ParenthesesExpr:
		return exprTree(e.Expression, src)
	case *hclsyntax.LiteralValueExpr:
		if v, ok := constantTree(e.Val); ok {
			return v
		}
	case *hclsyntax.TemplateExpr:
		if e.IsStringLiteral() {
			return exprTree(e.Parts[0], src)
		}
	case *hclsyntax.ScopeTraversalExpr:
		if path, ok := pathTree(e.Traversal); ok {
			return path
		}
	case *hclsyntax.UnaryOpExpr:
		return trees([]any{treeOps[e.Op]}, e.Val)
	case *hclsyntax.BinaryOpExpr:
		return trees([]any{treeOps[e.Op]}, e.LHS, e.RHS)
	case *hclsyntax.ConditionalExpr:
		return trees([]any{"if"}, e.Condition, e.TrueResult, e.FalseResult)
	case *hclsyntax.FunctionCallExpr:
		if !e.ExpandFinal {
			return trees([]any{"call", e.Name}, e.Args...)
		}
	case *hclsyntax.TupleConsExpr:
		return trees([]any{"list"}, e.Exprs...)
	}
	return []any{"hcl", string(e.Range().SliceBytes(src))} // programs that do not read HCL cannot evaluate it
}

// constantTree returns a string, number, bool or null as itself. ok is false for other values.
func constantTree(v cty.Value) (any, bool) {
	switch {
	case v.IsNull():
		return nil, true
	case v.Type() == cty.String:
		return v.AsString(), true
	case v.Type() == cty.Bool:
		return v.True(), true
	case v.Type() == cty.Number:
		return json.Number(v.AsBigFloat().Text('f', -1)), true
	}
	return nil, false
}

// pathTree converts a reference, for example to ["get", "r", "wall_s"].
func pathTree(path hcl.Traversal) ([]any, bool) {
	out := []any{"get"}
	for i := range path {
		name, ok := hclsource.Step(path, i)
		if !ok {
			return nil, false
		}
		out = append(out, name)
	}
	return out, true
}
