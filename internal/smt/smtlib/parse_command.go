package smtlib

// command reads one command and appends it to the script.
func (p *parser) command() {
	c := Command{Pos: p.tok.Start, Terms: Span{First: int32(len(p.s.terms))}}
	p.open(`"(" and a command`)
	if p.tok.Kind == Symbol {
		c.Kind = commandOf(p.s.symbols.Lookup(p.text()))
	}
	if c.Kind == CmdRefineFun && !p.inModel {
		c.Kind = CmdNone
	}
	if c.Kind == CmdNone {
		p.fail("the name of a command")
		return
	}
	p.next()
	p.arguments(&c)
	c.Stop = p.tok.End
	c.Terms.Len = int32(len(p.s.terms)) - c.Terms.First
	p.close(commandEnds[c.Kind])
	if p.err == nil {
		p.s.Commands = append(p.s.Commands, c)
	}
}

// commandEnds describes the expected end of each command, for errors.
var commandEnds = func() (ends [len(commandNames)]string) {
	for k, name := range commandNames {
		ends[k] = `")" at the end of the command ` + name
	}
	return ends
}()

// arguments reads everything between a command's name and its closing parenthesis.
func (p *parser) arguments(c *Command) {
	switch c.Kind {
	case CmdAssert:
		c.Term = p.term()
	case CmdCheckSatAssuming, CmdGetValue:
		c.List = p.termList(c.Kind == CmdGetValue)
	case CmdDeclareConst:
		c.Sym, c.Sort = p.symbol("the name of a constant"), p.sort()
	case CmdDeclareFun:
		p.declareFun(c)
	case CmdDeclareSort:
		c.Sym = p.symbol("the name of a sort")
		if p.tok.Kind != RParen { // an omitted arity means 0, as in several solvers
			c.N = p.numeral()
		}
	case CmdDeclareSortParameter:
		c.Sym = p.symbol("the name of a sort parameter")
	case CmdDefineSort:
		c.Sym, c.Args, c.Sort = p.symbol("the name of a sort"), p.symList(false), p.sort()
	case CmdDeclareDatatype, CmdDeclareDatatypes:
		c.Datatypes = p.datatypes(c.Kind)
	case CmdDefineConst, CmdDefineFun, CmdDefineFunRec, CmdDefineFunsRec, CmdRefineFun:
		c.Functions = p.functions(c.Kind)
	case CmdEcho:
		c.Sym = p.token(String, "a string")
	case CmdPush, CmdPop:
		c.N = 1
		if p.tok.Kind != RParen { // an omitted numeral means 1, as in several solvers
			c.N = p.numeral()
		}
	case CmdGetInfo, CmdGetOption:
		c.Sym = p.keyword()
	case CmdSetInfo, CmdSetOption:
		c.Sym = p.keyword()
		if p.tok.Kind == Keyword {
			p.fail("a value")
		}
		if p.tok.Kind != RParen {
			c.Value = p.sexpr()
		}
	case CmdSetLogic:
		c.Sym = p.symbol("the name of a logic")
	}
}

func (p *parser) declareFun(c *Command) {
	c.Sym = p.symbol("the name of a function")
	p.open(`"(" and the sorts of the arguments`)
	base := len(p.sortStack)
	for p.tok.Kind != RParen && p.tok.Kind != EOF {
		p.sortStack = append(p.sortStack, p.sort())
	}
	c.Args = p.popSorts(base)
	p.close("a sort or the end of the argument sorts")
	c.Sort = p.sort()
}

// symList reads "(" SYMBOL... ")", optionally requiring at least one symbol.
func (p *parser) symList(atLeastOne bool) Span {
	p.open(`"(" and sort parameters`)
	sp := Span{First: int32(len(p.s.symLists))}
	for p.tok.Kind != RParen && p.tok.Kind != EOF || atLeastOne && sp.Len == 0 && p.err == nil {
		p.s.symLists = append(p.s.symLists, p.symbol("a sort parameter"))
		sp.Len++
	}
	p.close("the end of the sort parameters")
	return sp
}

// termList reads "(" TERM... ")".
func (p *parser) termList(atLeastOne bool) Span {
	p.open(`"(" and terms`)
	base := len(p.operands)
	for p.tok.Kind != RParen && p.tok.Kind != EOF || atLeastOne && len(p.operands) == base && p.err == nil {
		p.operands = append(p.operands, p.term())
	}
	p.close("a term or the end of the terms")
	return p.popKids(base)
}

// functions reads the arguments of the commands that define functions.
func (p *parser) functions(kind CommandKind) Span {
	sp := Span{First: int32(len(p.s.functions))}
	if kind != CmdDefineFunsRec {
		f := p.signature(kind != CmdDefineConst)
		p.body(&f)
		p.s.functions = append(p.s.functions, f)
		sp.Len = 1
		return sp
	}
	p.open(`"(" and the functions' signatures`)
	for p.tok.Kind == LParen || sp.Len == 0 && p.err == nil {
		p.open(`"(" and a signature`)
		p.s.functions = append(p.s.functions, p.signature(true))
		p.close(`")" at the end of the signature`)
		sp.Len++
	}
	p.close("a signature or the end of the signatures")
	p.open(`"(" and the functions' bodies`)
	for i := sp.First; i < sp.End() && p.err == nil; i++ {
		p.body(&p.s.functions[i])
	}
	p.close("the end of the bodies, as many as signatures")
	return sp
}

// signature reads the name, the optional parameters, and the sort of a function.
func (p *parser) signature(withParams bool) Function {
	f := Function{Pos: p.tok.Start}
	if withParams {
		f.Sym = p.symbol("the name of a function")
		p.open(`"(" and the parameters`)
		f.Params = p.sortedVars()
	} else {
		f.Sym = p.symbol("the name of a constant")
	}
	f.Sort = p.sort()
	return f
}

// body reads a function's term with its parameters in scope.
func (p *parser) body(f *Function) {
	p.bind(f.Params)
	f.Body = p.term()
	p.unbind(f.Params)
}

// sortedVars reads (NAME SORT)... and the list's closing parenthesis.
func (p *parser) sortedVars() Span {
	sp := Span{First: int32(len(p.s.bindings))}
	for p.tok.Kind == LParen {
		p.next()
		b := Binding{Pos: p.tok.Start}
		b.Sym = p.symbol("the name of a variable")
		b.Sort = p.sort()
		p.close(`")" after the variable's sort`)
		p.s.bindings = append(p.s.bindings, b)
		sp.Len++
	}
	p.close("a variable with its sort, or the end of the variables")
	return sp
}
