package lsp

import (
	"bytes"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// chunk is the text of a top-level block, up to the next one. A chunk starts at a line that begins with a letter, so
// incomplete text in one block, such as an unclosed quote, does not affect the others.
type chunk struct {
	span
	tokens hclsyntax.Tokens
	head   string // the block's type
	headAt span
	labels []hclsyntax.Token
	open   int // index of its { token; -1 if missing
}

// chunksOf splits a text into chunks.
func chunksOf(src []byte) []chunk {
	var chunks []chunk
	for at := 0; at < len(src); {
		end := len(src)
		for next := at; ; {
			i := bytes.IndexByte(src[next:], '\n')
			if i < 0 {
				break
			}
			next += i + 1
			if next < len(src) && isLetter(src[next]) {
				end = next
				break
			}
		}
		chunks = append(chunks, newChunk(src, span{at, end}))
		at = end
	}
	return chunks
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }

func newChunk(src []byte, s span) chunk {
	c := chunk{span: s, open: -1}
	c.tokens, _ = hclsyntax.LexConfig(src[s.start:s.end], "", hcl.Pos{Line: 1, Column: 1, Byte: s.start})
	c.tokens = slices.DeleteFunc(c.tokens, func(t hclsyntax.Token) bool { return t.Type == hclsyntax.TokenEOF })
	i := 0
	for i < len(c.tokens) && (c.tokens[i].Type == hclsyntax.TokenNewline || c.tokens[i].Type ==
		hclsyntax.TokenComment) {
		i++
	}
	if i >= len(c.tokens) || c.tokens[i].Type != hclsyntax.TokenIdent {
		return c
	}
	c.head, c.headAt = string(c.tokens[i].Bytes), spanOf(c.tokens[i].Range)
	for i++; i < len(c.tokens); i++ {
		switch t := c.tokens[i]; t.Type {
		case hclsyntax.TokenQuotedLit, hclsyntax.TokenIdent:
			c.labels = append(c.labels, t)
		case hclsyntax.TokenOQuote, hclsyntax.TokenCQuote:
		case hclsyntax.TokenOBrace:
			c.open = i
			return c
		default:
			return c
		}
	}
	return c
}

func (c *chunk) label(i int) string {
	if i >= len(c.labels) {
		return ""
	}
	return string(c.labels[i].Bytes)
}

// frameKind is the kind of construct that a bracket opens.
type frameKind uint8

const (
	bodyFrame  frameKind = iota // the body of a block: attributes and blocks
	valueFrame                  // an object, list, call, parenthesis or template
	quoteFrame                  // a string
)

type frame struct {
	kind frameKind
	name string // the block's type
	attr string // in a body: attribute whose value is being written
	word string // in a body: first word of the line
}

// cursor is a position in a block.
type cursor struct {
	stack []frame
	last  int // index of the last token before it, or -1
}

// walk processes the block's tokens that end at or before byte end. If visit is not nil, it is called for each
// attribute in a body with the index of its equals sign.
func (c *chunk) walk(end int, visit func(cur *cursor, equals int)) cursor {
	cur := cursor{last: -1}
	for i := range c.tokens {
		t := &c.tokens[i]
		if t.Range.End.Byte > end {
			break
		}
		cur.last = i
		if c.open >= 0 && i < c.open {
			continue
		}
		cur.take(t, c.head)
		if top := cur.top(); visit != nil && t.Type == hclsyntax.TokenEqual && top != nil && top.kind == bodyFrame {
			visit(&cur, i)
		}
	}
	return cur
}

func (cur *cursor) top() *frame {
	if len(cur.stack) == 0 {
		return nil
	}
	return &cur.stack[len(cur.stack)-1]
}

// take processes one token.
func (cur *cursor) take(t *hclsyntax.Token, head string) {
	top := cur.top()
	inBody := top != nil && top.kind == bodyFrame
	switch t.Type {
	case hclsyntax.TokenIdent:
		if inBody && top.word == "" {
			top.word = string(t.Bytes)
		}
	case hclsyntax.TokenEqual:
		if inBody && top.attr == "" {
			top.attr = top.word
		}
	case hclsyntax.TokenNewline:
		if inBody {
			top.attr, top.word = "", ""
		}
	case hclsyntax.TokenOBrace:
		switch {
		case top == nil:
			cur.push(frame{kind: bodyFrame, name: head})
		case inBody && top.attr == "" && top.word != "":
			cur.push(frame{kind: bodyFrame, name: top.word})
		default:
			cur.push(frame{kind: valueFrame})
		}
	case hclsyntax.TokenOParen, hclsyntax.TokenOBrack, hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
		cur.push(frame{kind: valueFrame})
	case hclsyntax.TokenOQuote, hclsyntax.TokenOHeredoc:
		cur.push(frame{kind: quoteFrame})
	case hclsyntax.TokenCBrace, hclsyntax.TokenCParen, hclsyntax.TokenCBrack, hclsyntax.TokenTemplateSeqEnd,
		hclsyntax.TokenCQuote, hclsyntax.TokenCHeredoc:
		if top != nil {
			cur.stack = cur.stack[:len(cur.stack)-1]
		}
	}
}

func (cur *cursor) push(f frame) { cur.stack = append(cur.stack, f) }

// blocks returns the types of the blocks around the cursor, outermost first. attr is the attribute whose value contains
// the cursor.
func (cur *cursor) blocks() (blocks []string, attr string) {
	for _, f := range cur.stack {
		if f.kind == bodyFrame {
			blocks, attr = append(blocks, f.name), f.attr
		}
	}
	return blocks, attr
}

// pathBefore reads a reference backwards from token i, which must be a name or a dot. The steps are its names, with []
// for an index; from is the index of its first token. The last step of a reference that ends with a dot is empty.
func (c *chunk) pathBefore(i int) (steps []string, from int) {
	if i < 0 || i >= len(c.tokens) {
		return nil, i + 1
	}
	if c.tokens[i].Type == hclsyntax.TokenDot {
		steps = []string{""}
	} else {
		steps = []string{string(c.tokens[i].Bytes)}
		i--
	}
	from = i + 1
	for i >= 1 && c.tokens[i].Type == hclsyntax.TokenDot {
		i--
		for i >= 0 && c.tokens[i].Type == hclsyntax.TokenCBrack {
			depth := 0
			for ; i >= 0; i-- {
				switch c.tokens[i].Type {
				case hclsyntax.TokenCBrack:
					depth++
				case hclsyntax.TokenOBrack:
					depth--
				}
				if depth == 0 {
					break
				}
			}
			i--
			steps = append(steps, "[]")
		}
		if i < 0 || c.tokens[i].Type != hclsyntax.TokenIdent {
			break
		}
		steps = append(steps, string(c.tokens[i].Bytes))
		from = i
		i--
	}
	slices.Reverse(steps)
	return steps, from
}
