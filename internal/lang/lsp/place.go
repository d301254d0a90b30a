package lsp

import (
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/smtpipe/smtpipe/internal/lang/config"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// place is the position of a client's request.
type place struct {
	file   string
	src    []byte
	offset int
	root   string // path of the pipeline
	chunk  chunk
}

func (s *server) at(p *placeParams) *place {
	file := pathOf(p.TextDocument.URI)
	src := s.read(file)
	return s.placeIn(file, src, offsetOf(src, p.Position))
}

func (s *server) placeIn(file string, src []byte, offset int) *place {
	pl := &place{file: file, src: src, offset: offset, root: s.pipelineOf(file), chunk: chunk{open: -1}}
	for _, c := range chunksOf(src) {
		if c.start <= offset && offset <= c.end {
			pl.chunk = c // if two tokens meet here, the second
		}
	}
	return pl
}

// body describes a block's body: its attributes and nested blocks.
func (s *server) body(c *chunk, blocks []string) (attrs []stages.Attr, nested []stages.Block) {
	if len(blocks) == 0 {
		return nil, nil
	}
	all := config.Blocks()
	i := slices.IndexFunc(all, func(b config.BlockDoc) bool { return b.Name == blocks[0] })
	if i < 0 {
		return nil, nil
	}
	attrs = all[i].Attrs
	switch c.head {
	case "stage":
		if k := stages.FindKind(s.opt.Kinds, c.label(0)); k != nil {
			attrs, nested = slices.Concat(k.Attrs, attrs), k.Blocks
		}
	case "executor":
		attrs = config.ExecutorAttrs(c.label(0))
	case "variable":
		nested = []stages.Block{config.ValidationBlock()}
	}
	for _, name := range blocks[1:] {
		b := stages.FindBlock(nested, name)
		if b == nil {
			return nil, nil
		}
		attrs, nested = b.Attrs, nil
	}
	return attrs, nested
}

// token returns the index of the token that contains the offset or ends there; names take precedence over punctuation.
func (p *place) token() int {
	best := -1
	for i, t := range p.chunk.tokens {
		if t.Range.Start.Byte <= p.offset && p.offset <= t.Range.End.Byte && (best < 0 ||
			t.Type == hclsyntax.TokenIdent || t.Type == hclsyntax.TokenQuotedLit) {
			best = i
		}
	}
	return best
}
