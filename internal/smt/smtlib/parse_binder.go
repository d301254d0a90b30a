package smtlib

// binding returns the innermost binding of a name in scope, or 0.
func (p *parser) binding(sym Sym) BindingID {
	if int(sym) >= len(p.scope) {
		return 0
	}
	return p.scope[sym]
}

// bind adds variables to the scope.
func (p *parser) bind(vars Span) {
	for id := vars.First; id < vars.End(); id++ {
		sym := p.s.bindings[id].Sym
		p.scope = growTo(p.scope, int(sym)+1)
		p.shadowed = append(p.shadowed, p.scope[sym])
		p.scope[sym] = BindingID(id)
	}
}

// unbind undoes the last bind, which must have had the same variables.
func (p *parser) unbind(vars Span) {
	for id := vars.End() - 1; id >= vars.First; id-- {
		last := len(p.shadowed) - 1
		p.scope[p.s.bindings[id].Sym] = p.shadowed[last]
		p.shadowed = p.shadowed[:last]
	}
}

// letBinding reads "(" NAME. The binding's value comes next.
func (p *parser) letBinding() {
	p.open(`"(" and a binding`)
	b := Binding{Pos: p.tok.Start}
	b.Sym = p.symbol("the name of a variable")
	p.pending = append(p.pending, b)
}

// afterLetValue closes a binding and reads the beginning of the next one or the body. The variables are in scope only
// in the body.
func (p *parser) afterLetValue(f *frame) {
	p.close(`")" after the value of the binding`)
	p.pending[len(p.pending)-1].Value = p.operands[len(p.operands)-1]
	if p.tok.Kind == LParen {
		p.letBinding()
		return
	}
	p.close("a binding or the end of the bindings")
	bound := Span{First: int32(len(p.s.bindings)), Len: int32(len(p.pending) - f.mark)}
	p.s.bindings = append(p.s.bindings, p.pending[f.mark:]...)
	p.pending = p.pending[:f.mark]
	p.bind(bound)
	f.term.a, f.term.b = bound.First, bound.Len
	f.kind = frameBody
}

// matchCase reads "(" PATTERN and adds its variables to the scope. The case's term comes next. A single symbol is a
// variable unless one of the script's datatypes has a constructor with that name.
func (p *parser) matchCase() {
	p.open(`"(" and a case`)
	c := Case{Pos: p.tok.Start, Vars: Span{First: int32(len(p.s.bindings))}}
	switch {
	case p.tok.Kind == LParen:
		p.next()
		c.Constructor = p.symbol("the name of a constructor")
		for p.tok.Kind != RParen && p.tok.Kind != EOF {
			p.patternVar(&c, "a variable")
		}
		if c.Vars.Len == 0 {
			p.fail("a variable")
		}
		p.close("a variable or the end of the pattern")
	case p.atWord(symUnderscore):
		p.next()
		p.s.bindings = append(p.s.bindings, Binding{Sym: symUnderscore, Pos: c.Pos})
		c.Vars.Len = 1
	default:
		if sym := p.symbolAhead(); p.ctors[sym] {
			c.Constructor = p.symbol("a pattern")
		} else {
			p.patternVar(&c, "a pattern: a symbol, or a constructor with variables in parentheses")
		}
	}
	p.bind(c.Vars)
	p.cases = append(p.cases, c)
}

// symbolAhead returns the Sym of the current token if it is a symbol, without reading it.
func (p *parser) symbolAhead() Sym {
	if p.tok.Kind != Symbol && p.tok.Kind != QuotedSymbol {
		return 0
	}
	return p.internToken()
}

// patternVar reads a variable in a pattern. Version 2.7 allows "_" for an unused one.
func (p *parser) patternVar(c *Case, expected string) {
	b := Binding{Pos: p.tok.Start}
	if p.atWord(symUnderscore) {
		b.Sym = symUnderscore
		p.next()
	} else {
		b.Sym = p.symbol(expected)
	}
	p.s.bindings = append(p.s.bindings, b)
	c.Vars.Len++
}

// afterCase closes a case and reads the beginning of the next one or the end of the match.
func (p *parser) afterCase(f *frame) (id TermID, done bool) {
	p.close(`")" at the end of the case`)
	p.unbind(p.cases[len(p.cases)-1].Vars)
	if p.tok.Kind == LParen {
		p.matchCase()
		return 0, false
	}
	p.close("a case or the end of the cases")
	p.close(`")" at the end of match`)
	f.term.a, f.term.b = int32(len(p.s.cases)), int32(len(p.cases)-f.mark)
	p.s.cases = append(p.s.cases, p.cases[f.mark:]...)
	p.cases = p.cases[:f.mark]
	return p.finishTerm(f.term, f.base), true
}

// annotations reads attributes up to the end of the annotation or the first term of a pattern.
func (p *parser) annotations(f *frame) (id TermID, done bool) {
	if p.tok.Kind != Keyword && len(p.attrs) == f.mark {
		p.fail("an attribute, as :named")
		return 0, false
	}
	for p.tok.Kind == Keyword {
		var a Attribute
		a.Keyword = p.keyword()
		a.Terms.First = int32(len(p.operands) - f.base)
		if p.tok.Kind == LParen && (a.Keyword == symPattern || a.Keyword == symNoPattern) {
			p.next()
			if p.tok.Kind == RParen {
				p.fail("a term of the pattern")
			}
			p.attrs = append(p.attrs, a)
			f.kind = framePattern
			return 0, false
		}
		p.attributeValue(&a)
		p.attrs = append(p.attrs, a)
	}
	p.close("an attribute or the end of the annotation")
	return p.finishAnnotation(f), true
}

func (p *parser) attributeValue(a *Attribute) {
	if a.Keyword == symNamed {
		if sym := p.symbolAhead(); sym == 0 || p.tok.Kind == Symbol && reserved(sym) {
			p.fail("a name")
		}
	}
	if p.tok.Kind != Keyword && p.tok.Kind != RParen {
		a.Value = p.sexpr()
	}
}

// finishAnnotation converts pattern spans, which count from the term's first child, to spans of the kid arena.
func (p *parser) finishAnnotation(f *frame) TermID {
	first := int32(len(p.s.kids))
	for i := f.mark; i < len(p.attrs); i++ {
		if p.attrs[i].Terms.Len == 0 {
			p.attrs[i].Terms = Span{}
			continue
		}
		p.attrs[i].Terms.First += first
	}
	f.term.a, f.term.b = int32(len(p.s.attributes)), int32(len(p.attrs)-f.mark)
	p.s.attributes = append(p.s.attributes, p.attrs[f.mark:]...)
	p.attrs = p.attrs[:f.mark]
	return p.finishTerm(f.term, f.base)
}
