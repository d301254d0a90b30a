package smtlib

// sexprFrame is a list whose elements are being read.
type sexprFrame struct {
	pos  uint32
	base int // start of its elements on sexprStack
}

// sexpr reads an S-expression: an atom of any kind, or a list.
func (p *parser) sexpr() SExprID {
	base := len(p.sexprFrames)
	for {
		var id SExprID
		switch p.tok.Kind {
		case LParen:
			p.sexprFrames = append(p.sexprFrames, sexprFrame{p.tok.Start, len(p.sexprStack)})
			p.next()
			continue
		case RParen:
			if len(p.sexprFrames) == base {
				p.fail("a value")
				return 0
			}
			id = p.closeList()
		case Numeral, Decimal, Hex, Binary, String, Symbol, QuotedSymbol, Keyword:
			id = p.addSExpr(SExpr{Kind: p.tok.Kind, Sym: p.internToken(), Pos: p.tok.Start})
		default:
			p.fail("a value or the end of the list")
			p.sexprFrames = p.sexprFrames[:base]
			return 0
		}
		p.next()
		if len(p.sexprFrames) == base {
			return id
		}
		p.sexprStack = append(p.sexprStack, id)
	}
}

func (p *parser) closeList() SExprID {
	f := p.sexprFrames[len(p.sexprFrames)-1]
	p.sexprFrames = p.sexprFrames[:len(p.sexprFrames)-1]
	sp := Span{First: int32(len(p.s.sexprKids)), Len: int32(len(p.sexprStack) - f.base)}
	p.s.sexprKids = append(p.s.sexprKids, p.sexprStack[f.base:]...)
	p.sexprStack = p.sexprStack[:f.base]
	return p.addSExpr(SExpr{Kind: LParen, Kids: sp, Pos: f.pos})
}

func (p *parser) addSExpr(e SExpr) SExprID {
	p.s.sexprs = append(p.s.sexprs, e)
	return SExprID(len(p.s.sexprs) - 1)
}
