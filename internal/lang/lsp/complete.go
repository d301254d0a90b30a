package lsp

import (
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
	"github.com/smtpipe/smtpipe/internal/exec/worker/all"
	"github.com/smtpipe/smtpipe/internal/lang/config"
	"github.com/smtpipe/smtpipe/internal/stages"
)

type rowVar = rowexpr.Var

// completion returns the possible texts at a position.
func (s *server) completion(pl *place) *completionList {
	list := &completionList{Items: []completionItem{}}
	start := pl.offset
	for start > 0 && isWord(pl.src[start-1]) {
		start--
	}
	at := rangeOf(pl.src, span{start, pl.offset})
	candidates := s.candidates
	if s.inRuleSet(pl) {
		candidates = ruleMembers
	}
	for _, m := range candidates(pl, start) {
		text := m.insert
		if text == "" {
			text = m.name
		}
		item := completionItem{Label: m.name, Kind: m.kind, Detail: m.detail, FilterText: m.name,
			TextEdit: textEdit{Range: at, NewText: text}}
		if m.doc != "" {
			item.Documentation = markdown(m.doc)
		}
		list.Items = append(list.Items, item)
	}
	return list
}

func isWord(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' || c == '-' || c >= 0x80 }

// candidates returns the possible texts from byte start on.
func (s *server) candidates(pl *place, start int) []member {
	c := &pl.chunk
	if start == 0 || start == c.start || c.head == "" {
		return blockMembers()
	}
	if c.open < 0 || start < c.tokens[c.open].Range.Start.Byte {
		return s.labelMembers(c, start)
	}
	cur := c.walk(start, nil)
	top := cur.top()
	if top == nil {
		return blockMembers()
	}
	if cur.last >= 0 && c.tokens[cur.last].Type == hclsyntax.TokenComment || c.inComment(start) {
		return nil
	}
	blocks, name := cur.blocks()
	attrs, nested := s.body(c, blocks)
	switch {
	case top.kind == bodyFrame && top.attr == "":
		if top.word != "" {
			return nil // between a name and the text that follows it
		}
		return s.bodyMembers(pl, attrs, nested, blocks)
	case top.kind == quoteFrame:
		return s.words(pl, c.takes(&cur, name))
	}
	var row *stages.Row
	if a := stages.FindAttr(attrs, name); a != nil {
		row = a.Row
	}
	var steps []string
	if cur.last >= 0 && c.tokens[cur.last].Type == hclsyntax.TokenDot {
		steps, _ = c.pathBefore(cur.last)
		steps = steps[:len(steps)-1]
		if len(steps) == 0 {
			return nil
		}
	}
	return s.members(pl, steps, row, c.hasAttr("for_each"))
}

func blockMembers() []member {
	var all []member
	for _, b := range config.Blocks() {
		all = append(all, blockDoc(&b))
	}
	return all
}

// labelMembers returns the possible kinds for a label.
func (s *server) labelMembers(c *chunk, start int) []member {
	quotes, open := 0, false
	for _, t := range c.tokens {
		if t.Range.End.Byte > start {
			break
		}
		switch t.Type {
		case hclsyntax.TokenOQuote:
			quotes, open = quotes+1, true
		case hclsyntax.TokenCQuote:
			open = false
		}
	}
	var found []member
	switch {
	case !open || quotes != 1:
	case c.head == "stage":
		for _, k := range s.opt.Kinds {
			found = append(found, kindDoc(k))
		}
	case c.head == "executor":
		for _, k := range all.Kinds() {
			found = append(found, member{name: k.Name, doc: k.Doc, kind: classMember})
		}
	}
	return found
}

// bodyMembers returns the attributes still missing in a body, and the blocks it can contain.
func (s *server) bodyMembers(pl *place, attrs []stages.Attr, nested []stages.Block, blocks []string) []member {
	var found []member
	for _, a := range attrs {
		if len(blocks) == 1 && pl.chunk.hasAttr(a.Name) {
			continue
		}
		m := attrDoc(&a)
		m.insert = a.Name + " = "
		found = append(found, m)
	}
	for _, b := range nested {
		m := member{name: b.Name, detail: "block", doc: b.Doc, kind: classMember,
			insert: b.Name + " {\n}"}
		if b.Label != "" {
			m.insert = b.Name + ` "` + b.Label + "\" {\n}"
		}
		found = append(found, m)
	}
	if len(blocks) == 1 && pl.chunk.head == "module" && len(pl.chunk.labels) > 0 {
		for _, sym := range s.symbols(s.modulePath(pl, pl.chunk.label(0))) {
			if sym.root == "var" && !pl.chunk.hasAttr(sym.name) {
				found = append(found, member{name: sym.name, detail: "variable of the module", doc: sym.doc,
					kind: propertyMember, insert: sym.name + " = "})
			}
		}
	}
	return found
}

// hasAttr reports whether the block itself sets an attribute.
func (c *chunk) hasAttr(name string) bool {
	found := false
	c.walk(c.end, func(cur *cursor, _ int) {
		found = found || len(cur.stack) == 1 && cur.top().attr == name
	})
	return found
}

func (c *chunk) inComment(offset int) bool {
	return slices.ContainsFunc(c.tokens, func(t hclsyntax.Token) bool {
		return t.Type == hclsyntax.TokenComment && t.Range.Start.Byte < offset && offset < t.Range.End.Byte
	})
}

// takes returns the name of the operand that a string is compared with, or else of the attribute that contains it.
func (c *chunk) takes(cur *cursor, attr string) string {
	i := cur.last
	for i >= 0 && c.tokens[i].Type != hclsyntax.TokenOQuote {
		i--
	}
	if i >= 2 && (c.tokens[i-1].Type == hclsyntax.TokenEqualOp || c.tokens[i-1].Type == hclsyntax.TokenNotEqual) {
		steps, _ := c.pathBefore(i - 2)
		return steps[len(steps)-1]
	}
	return attr
}
