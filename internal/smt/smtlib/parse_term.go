package smtlib

import "strings"

// frameKind states what an open term expects next.
type frameKind uint8

const (
	frameArguments frameKind = iota // another argument of an application, or its end
	frameLetValue                   // the value of the last pending binding
	frameBody                       // the body of a let, quantifier or lambda
	frameScrutinee                  // the term that match examines
	frameCase                       // the term of the last pending case
	frameSubject                    // the annotated term
	framePattern                    // another term of a pattern, or its end
)

// frame is an open term: it has begun but is not finished.
type frame struct {
	kind frameKind
	term Term // the term so far; Kids is set at the end
	base int  // start of its finished children on the operand stack
	mark int  // start of its pending bindings, cases or attributes
}

// term reads a term. Open terms are on a stack of frames, so nesting costs 48 bytes per level but no call stack.
func (p *parser) term() TermID {
	base := len(p.frames)
	for {
		id, done := p.termStart()
		for done {
			if len(p.frames) == base {
				return id
			}
			p.operands = append(p.operands, id)
			id, done = p.resume()
		}
		if p.err != nil {
			p.frames = p.frames[:base]
			return 0
		}
	}
}

// termStart reads a term without subterms, which is then complete, or opens another term.
func (p *parser) termStart() (id TermID, done bool) {
	t := Term{Pos: p.tok.Start}
	switch p.tok.Kind {
	case Numeral, Decimal, Hex, Binary, String:
		t.Kind = TermNumeral + TermKind(p.tok.Kind-Numeral)
		t.Sym = p.internToken()
		p.next()
		return p.addTerm(t), true
	case Symbol, QuotedSymbol:
		t.Sym = p.symbol("a term")
		return p.addIdentifier(t), true
	case LParen:
		p.next()
		return p.openTerm(t)
	}
	p.fail("a term")
	return 0, false
}

// openTerm reads the beginning of a term after its opening parenthesis.
func (p *parser) openTerm(t Term) (TermID, bool) {
	switch p.tok.Kind {
	case LParen:
		p.next()
		p.qualifiedHead(&t)
		p.openApplication(t)
		return 0, false
	case QuotedSymbol:
		t.Sym = p.symbol("a function")
		p.openApplication(t)
		return 0, false
	case Symbol:
		if sym := p.internToken(); reserved(sym) {
			return p.openReserved(t, sym)
		}
		t.Sym = p.symbol("a function")
		p.openApplication(t)
		return 0, false
	}
	p.fail("a function, let, a quantifier or an annotation")
	return 0, false
}

// openReserved opens the term that a reserved word begins. The word must be the current token.
func (p *parser) openReserved(t Term, word Sym) (TermID, bool) {
	switch word {
	case symUnderscore:
		if p.mapAhead() {
			p.next()
			t.Kind = TermMapApply
			p.push(frame{kind: frameArguments, term: t})
			return 0, false
		}
		p.qualified(&t)
		return p.addIdentifier(t), true
	case symAs:
		p.qualified(&t)
		return p.addIdentifier(t), true
	case symBang:
		p.next()
		t.Kind = TermAnnotated
		p.push(frame{kind: frameSubject, term: t, mark: len(p.attrs)})
	case symLet:
		p.next()
		t.Kind = TermLet
		p.push(frame{kind: frameLetValue, term: t, mark: len(p.pending)})
		p.open(`"(" and bindings`)
		p.letBinding()
	case symForall, symExists, symLambda:
		p.next()
		t.Kind = quantifierKind(word)
		p.open(`"(" and variables`)
		if p.tok.Kind != LParen {
			p.fail("a variable with its sort")
		}
		vars := p.sortedVars()
		t.a, t.b = vars.First, vars.Len
		p.bind(vars)
		p.push(frame{kind: frameBody, term: t})
	case symMatch:
		p.next()
		t.Kind = TermMatch
		p.push(frame{kind: frameScrutinee, term: t, mark: len(p.cases)})
	default: // par
		p.fail("a term")
	}
	return 0, false
}

func quantifierKind(word Sym) TermKind {
	switch word {
	case symForall:
		return TermForall
	case symExists:
		return TermExists
	}
	return TermLambda
}

// push opens a frame. Its children will be on the operand stack from here on.
func (p *parser) push(f frame) {
	f.base = len(p.operands)
	p.frames = append(p.frames, f)
}

// qualifiedHead reads an application's parenthesised head after its opening parenthesis.
func (p *parser) qualifiedHead(t *Term) {
	if !p.atWord(symUnderscore) && !p.atWord(symAs) {
		p.fail(`"_" or "as" in the head of an application`)
		return
	}
	p.qualified(t)
}

// qualified reads the rest of a qualified identifier after the opening parenthesis: "_ SYMBOL INDEX... )" or "as
// IDENTIFIER SORT )".
func (p *parser) qualified(t *Term) {
	if p.atWord(symUnderscore) {
		sym, index := p.indexedIdentifier()
		t.Sym, t.a = sym, int32(index)
		return
	}
	p.next()
	if p.tok.Kind == LParen {
		p.next()
		sym, index := p.indexedIdentifier()
		t.Sym, t.a = sym, int32(index)
	} else {
		t.Sym = p.symbol("an identifier")
	}
	t.b = int32(p.sort())
	p.close(`")" after the sort of as`)
}

// mapAhead reports whether "_" after a parenthesis, the current token, applies a map (version 2.7) instead of beginning
// an indexed identifier. Ambiguous text, such as (_ f 1), applies a map only if the symbol is a bound variable.
func (p *parser) mapAhead() bool {
	ahead := p.lex
	tok := ahead.Next()
	switch tok.Kind {
	case Symbol, QuotedSymbol:
		if len(p.shadowed) > 0 && p.binding(p.s.symbols.Lookup(strings.Trim(ahead.Text(tok), "|"))) != 0 {
			return true
		}
	case LParen, Numeral, Decimal, Hex, Binary, String:
		return true
	}
	for {
		switch ahead.Next().Kind {
		case Numeral, Hex, Symbol, QuotedSymbol:
		case LParen, Decimal, Binary, String:
			return true
		default:
			return false
		}
	}
}

func (p *parser) openApplication(t Term) {
	t.Kind = TermApply
	if t.a == 0 && p.binding(t.Sym) != 0 {
		t.Kind, t.a = TermApplyVar, int32(p.binding(t.Sym))
	}
	if p.tok.Kind == RParen {
		p.fail("an argument")
	}
	p.push(frame{kind: frameArguments, term: t})
}

// resume passes the child just finished to the innermost open term, and returns that term if it is now complete.
func (p *parser) resume() (id TermID, done bool) {
	f := &p.frames[len(p.frames)-1]
	switch f.kind {
	case frameArguments:
		if p.tok.Kind != RParen {
			return 0, false
		}
		if f.term.Kind == TermMapApply && len(p.operands)-f.base < 2 {
			p.fail("an argument of the map")
		}
		p.next()
		return p.finishTerm(f.term, f.base), true
	case frameLetValue:
		p.afterLetValue(f)
		return 0, false
	case frameBody:
		p.close(`")" after the body`)
		bound := f.term.Bindings()
		id = p.finishTerm(f.term, f.base)
		p.unbind(bound)
		return id, true
	case frameScrutinee:
		p.open(`"(" and the cases of match`)
		f.kind = frameCase
		p.matchCase()
		return 0, false
	case frameCase:
		return p.afterCase(f)
	case framePattern:
		if p.tok.Kind != RParen {
			return 0, false
		}
		p.next()
		a := &p.attrs[len(p.attrs)-1]
		a.Terms.Len = int32(len(p.operands)-f.base) - a.Terms.First
	}
	return p.annotations(f)
}

// finishTerm closes the innermost frame. Its children become the kids of t.
func (p *parser) finishTerm(t Term, base int) TermID {
	t.Kids = p.popKids(base)
	p.frames = p.frames[:len(p.frames)-1]
	return p.addTerm(t)
}

// popKids moves the terms from base on from the operand stack to the kid arena.
func (p *parser) popKids(base int) Span {
	sp := Span{First: int32(len(p.s.kids)), Len: int32(len(p.operands) - base)}
	p.s.kids = append(p.s.kids, p.operands[base:]...)
	p.operands = p.operands[:base]
	return sp
}

func (p *parser) addTerm(t Term) TermID {
	p.s.terms = append(p.s.terms, t)
	return TermID(len(p.s.terms) - 1)
}

// addIdentifier adds a constant or an occurrence of a variable.
func (p *parser) addIdentifier(t Term) TermID {
	t.Kind = TermIdent
	if t.a == 0 && p.binding(t.Sym) != 0 {
		t.Kind, t.a = TermVar, int32(p.binding(t.Sym))
	}
	return p.addTerm(t)
}
