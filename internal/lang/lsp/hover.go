package lsp

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/exec/worker/all"
	"github.com/smtpipe/smtpipe/internal/lang/config"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// maxValue limits the length of a value's text.
const maxValue = 1000

// hover returns information about the text at a position, or nil.
func (s *server) hover(pl *place) *hoverText {
	i := pl.token()
	if i < 0 {
		return nil
	}
	var m *member
	var expr string
	if s.inRuleSet(pl) {
		m = ruleMeaning(pl, i)
	} else {
		m, expr = s.meaning(pl, i)
	}
	if m == nil {
		return nil
	}
	var parts []string
	if m.detail != "" {
		parts = append(parts, "**"+m.name+"** — "+m.detail)
	} else {
		parts = append(parts, "**"+m.name+"**")
	}
	if m.doc != "" {
		parts = append(parts, m.doc)
	}
	if text := s.valueText(pl, expr); text != "" {
		parts = append(parts, text)
	}
	at := rangeOf(pl.src, spanOf(pl.chunk.tokens[i].Range))
	return &hoverText{markdown(strings.Join(parts, "\n\n")), at}
}

// valueText returns an expression's current value in the pipeline.
func (s *server) valueText(pl *place, expr string) string {
	if expr == "" {
		return ""
	}
	v := s.value(pl, expr)
	if v == cty.NilVal {
		return ""
	}
	v, _ = v.UnmarkDeep()
	if art, ok := stages.ArtifactOf(v); ok {
		return art.Text() + " in the store."
	}
	if !v.IsWhollyKnown() {
		return "Not known before it has been executed."
	}
	text := s.opt.ValueText(v)
	if len(text) > maxValue {
		text = strings.ToValidUTF8(text[:maxValue], "") + "…"
	}
	return "```\n" + text + "\n```"
}

// meaning returns the meaning of token i, and the expression to evaluate, if any.
func (s *server) meaning(pl *place, i int) (m *member, expr string) {
	c := &pl.chunk
	t := c.tokens[i]
	if c.open < 0 || i < c.open {
		return s.headMeaning(c, t)
	}
	if t.Type != hclsyntax.TokenIdent {
		return nil, ""
	}
	cur := c.walk(t.Range.Start.Byte, nil)
	top := cur.top()
	if top == nil {
		return nil, ""
	}
	blocks, name := cur.blocks()
	attrs, nested := s.body(c, blocks)
	if top.kind == bodyFrame && top.attr == "" {
		if a := stages.FindAttr(attrs, string(t.Bytes)); a != nil {
			m := attrDoc(a)
			return &m, ""
		}
		if b := stages.FindBlock(nested, string(t.Bytes)); b != nil {
			return &member{name: b.Name, detail: "block", doc: b.Doc}, ""
		}
		if c.head == "locals" {
			return &member{name: "local." + string(t.Bytes)}, "local." + string(t.Bytes)
		}
		return nil, ""
	}
	var row *stages.Row
	if a := stages.FindAttr(attrs, name); a != nil {
		row = a.Row
	}
	steps, from := c.pathBefore(i)
	last := len(steps) - 1
	call := i+1 < len(c.tokens) && c.tokens[i+1].Type == hclsyntax.TokenOParen
	for _, m := range s.members(pl, steps[:last], row, c.hasAttr("for_each")) {
		if m.name != steps[last] || last == 0 && call != (m.kind == functionMember) {
			continue
		}
		if call || row != nil && isRowVar(row, steps[0]) || steps[0] == "each" || steps[0] == "self" {
			return &m, ""
		}
		return &m, string(pl.src[c.tokens[from].Range.Start.Byte:t.Range.End.Byte])
	}
	return nil, ""
}

func isRowVar(row *stages.Row, name string) bool {
	return slices.ContainsFunc(row.Scope.Vars, func(v rowVar) bool { return v.Name == name })
}

// headMeaning explains the first line of a block.
func (s *server) headMeaning(c *chunk, t hclsyntax.Token) (m *member, expr string) {
	is := func(i int) bool { return i < len(c.labels) && c.labels[i].Range == t.Range }
	switch {
	case t.Type == hclsyntax.TokenIdent && string(t.Bytes) == c.head && !is(0) && !is(1):
		for _, b := range config.Blocks() {
			if b.Name == c.head {
				m := blockDoc(&b)
				return &m, ""
			}
		}
	case is(0) && c.head == "stage":
		if k := stages.FindKind(s.opt.Kinds, c.label(0)); k != nil {
			m := kindDoc(k)
			m.detail = ""
			return &m, ""
		}
	case is(0) && c.head == "executor":
		if k := all.Kind(c.label(0)); k != nil {
			return &member{name: k.Name, doc: k.Doc}, ""
		}
	case is(0) && (c.head == "variable" || c.head == "solver"):
		root := c.head
		if root == "variable" {
			root = "var"
		}
		return &member{name: root + "." + c.label(0), doc: c.text("description")}, root + "." + c.label(0)
	}
	return nil, ""
}
