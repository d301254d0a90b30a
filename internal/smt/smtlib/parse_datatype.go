package smtlib

// datatypes reads the arguments of declare-datatype and declare-datatypes.
func (p *parser) datatypes(kind CommandKind) Span {
	sp := Span{First: int32(len(p.s.datatypes))}
	if kind == CmdDeclareDatatype {
		d := Datatype{Pos: p.tok.Start}
		d.Sym = p.symbol("the name of a datatype")
		p.s.datatypes = append(p.s.datatypes, d)
		p.datatypeBody(sp.First, false)
		sp.Len = 1
		return sp
	}
	p.open(`"(" and the datatypes' names`)
	for p.tok.Kind == LParen || sp.Len == 0 && p.err == nil {
		p.open(`"(" and a datatype with its arity`)
		d := Datatype{Pos: p.tok.Start}
		d.Sym = p.symbol("the name of a datatype")
		d.Arity = p.numeral()
		p.close(`")" after the arity`)
		p.s.datatypes = append(p.s.datatypes, d)
		sp.Len++
	}
	p.close("a datatype with its arity, or the end of the datatypes")
	p.open(`"(" and the datatypes' constructors`)
	for i := sp.First; i < sp.End() && p.err == nil; i++ {
		p.datatypeBody(i, true)
	}
	p.close("the end of the constructor lists, as many as datatypes")
	return sp
}

// datatypeBody reads "(" CONSTRUCTOR... ")" or "(par (" SYMBOL... ") (" CONSTRUCTOR... "))" for datatype i. If an arity
// was declared, the number of parameters must equal it.
func (p *parser) datatypeBody(i int32, declared bool) {
	p.open(`"(" and constructors`)
	d := &p.s.datatypes[i]
	par := p.tok.Kind == Symbol && p.text() == "par"
	start := p.tok
	if par {
		p.next()
		d.Params = p.symList(true)
		p.open(`"(" and constructors`)
	}
	if declared && uint32(d.Params.Len) != d.Arity && p.err == nil {
		p.tok = start
		p.fail("as many sort parameters as the arity of the datatype says")
		return
	}
	d.Arity = uint32(d.Params.Len)
	d.Constructors = p.constructors()
	if par {
		p.close(`")" at the end of par`)
	}
}

// constructors reads CONSTRUCTOR... and the list's closing parenthesis. Parsing sorts creates no constructors, so a
// datatype's constructors are contiguous. So are a constructor's selectors.
func (p *parser) constructors() Span {
	sp := Span{First: int32(len(p.s.constructors))}
	for p.tok.Kind == LParen || sp.Len == 0 && p.err == nil {
		p.open(`"(" and a constructor`)
		c := Constructor{Pos: p.tok.Start}
		c.Sym = p.symbol("the name of a constructor")
		c.Selectors.First = int32(len(p.s.selectors))
		for p.tok.Kind == LParen {
			p.next()
			sel := Selector{Pos: p.tok.Start}
			sel.Sym = p.symbol("the name of a selector")
			sel.Sort = p.sort()
			p.close(`")" after the selector's sort`)
			p.s.selectors = append(p.s.selectors, sel)
			c.Selectors.Len++
		}
		p.close("a selector or the end of the constructor")
		p.ctors[c.Sym] = true
		p.s.constructors = append(p.s.constructors, c)
		sp.Len++
	}
	p.close("a constructor or the end of the constructors")
	return sp
}
