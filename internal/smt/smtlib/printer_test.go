package smtlib

import "strconv"

// The printer is a test tool. Its output shows how the parser read the text, and printing a parsed script again is a
// fixed point.

// Append appends the script to dst in canonical form: one command per line, one space between list elements, bars only
// around symbols that need them, and no comments. Parsing and printing the result produces the same bytes.
func (s *Script) Append(dst []byte) []byte {
	p := printer{s: s, out: dst}
	for i := range s.Commands {
		p.command(&s.Commands[i])
		p.out = append(p.out, '\n')
	}
	return p.out
}

// AppendCommand appends a command in canonical form.
func (s *Script) AppendCommand(dst []byte, c *Command) []byte {
	p := printer{s: s, out: dst}
	p.command(c)
	return p.out
}

// AppendTerm appends a term in canonical form.
func (s *Script) AppendTerm(dst []byte, id TermID) []byte {
	p := printer{s: s, out: dst}
	p.term(id)
	return p.out
}

// AppendSort appends a sort in canonical form.
func (s *Script) AppendSort(dst []byte, id SortID) []byte {
	p := printer{s: s, out: dst}
	p.sort(id)
	return p.out
}

// AppendSymbol appends a symbol, in bars if it needs them.
func (s *Script) AppendSymbol(dst []byte, sym Sym) []byte {
	p := printer{s: s, out: dst}
	p.symbol(sym)
	return p.out
}

// printer holds the output and the stacks of open terms and sorts.
type printer struct {
	s     *Script
	out   []byte
	terms []openTerm
	sorts []openSort
}

type openSort struct {
	id   SortID
	next int32
}

func (p *printer) text(parts ...string) {
	for _, t := range parts {
		p.out = append(p.out, t...)
	}
}

// symbol prints a symbol where the parser would recognise reserved words. For the sake of other parsers, it also adds
// bars to words that only the standard reserves.
func (p *printer) symbol(sym Sym) {
	name := p.s.Name(sym)
	if reserved(sym) || reservedElsewhere(sym) || !simpleSymbol(name) {
		p.text("|", name, "|")
		return
	}
	p.text(name)
}

// simpleSymbol reports whether a text is a symbol without bars.
func simpleSymbol(name string) bool {
	if name == "" || classes[name[0]] != classSymbol {
		return false
	}
	return scanWord(name, 0) == len(name)
}

func (p *printer) command(c *Command) {
	p.text("(", c.Kind.String())
	p.arguments(c)
	p.text(")")
}

// arguments prints the part of a command after its name.
func (p *printer) arguments(c *Command) {
	switch c.Kind {
	case CmdAssert:
		p.text(" ")
		p.term(c.Term)
	case CmdCheckSatAssuming, CmdGetValue:
		p.termList(p.s.TermList(c))
	case CmdDeclareConst:
		p.spaced(c.Sym)
		p.text(" ")
		p.sort(c.Sort)
	case CmdDeclareFun:
		p.spaced(c.Sym)
		p.text(" (")
		p.sortList(p.s.ArgSorts(c))
		p.text(") ")
		p.sort(c.Sort)
	case CmdDeclareSort:
		p.spaced(c.Sym)
		p.number(c.N)
	case CmdDeclareSortParameter, CmdSetLogic:
		p.spaced(c.Sym)
	case CmdDefineSort:
		p.spaced(c.Sym)
		p.text(" ")
		p.symList(p.s.SortParams(c))
		p.text(" ")
		p.sort(c.Sort)
	case CmdDeclareDatatype, CmdDeclareDatatypes:
		p.datatypes(c)
	case CmdDefineConst, CmdDefineFun, CmdDefineFunRec, CmdDefineFunsRec, CmdRefineFun:
		p.functions(c)
	case CmdPush, CmdPop:
		p.number(c.N)
	case CmdEcho, CmdGetInfo, CmdGetOption:
		p.text(" ", p.s.Name(c.Sym))
	case CmdSetInfo, CmdSetOption:
		p.text(" ", p.s.Name(c.Sym))
		if c.Value != 0 {
			p.text(" ")
			p.sexpr(c.Value)
		}
	}
}

func (p *printer) spaced(sym Sym) {
	p.text(" ")
	p.symbol(sym)
}

func (p *printer) number(n uint32) {
	p.out = strconv.AppendUint(append(p.out, ' '), uint64(n), 10)
}

func (p *printer) termList(ids []TermID) {
	p.text(" (")
	for i, id := range ids {
		p.separate(i)
		p.term(id)
	}
	p.text(")")
}

func (p *printer) sortList(ids []SortID) {
	for i, id := range ids {
		p.separate(i)
		p.sort(id)
	}
}

func (p *printer) symList(syms []Sym) {
	p.text("(")
	for i, sym := range syms {
		p.separate(i)
		p.symbol(sym)
	}
	p.text(")")
}

// separate prints the space before element i of a list, unless it is the first.
func (p *printer) separate(i int) {
	if i > 0 {
		p.text(" ")
	}
}

// functions prints one definition or, for define-funs-rec, first all signatures and then all bodies.
func (p *printer) functions(c *Command) {
	funs := p.s.Functions(c)
	if c.Kind != CmdDefineFunsRec {
		p.text(" ")
		p.signature(&funs[0], c.Kind != CmdDefineConst)
		p.text(" ")
		p.term(funs[0].Body)
		return
	}
	p.text(" (")
	for i := range funs {
		p.separate(i)
		p.text("(")
		p.signature(&funs[i], true)
		p.text(")")
	}
	p.text(") (")
	for i := range funs {
		p.separate(i)
		p.term(funs[i].Body)
	}
	p.text(")")
}

func (p *printer) signature(f *Function, withParams bool) {
	p.symbol(f.Sym)
	if withParams {
		p.text(" ")
		p.sortedVars(f.Params)
	}
	p.text(" ")
	p.sort(f.Sort)
}

func (p *printer) sortedVars(vars Span) {
	p.text("(")
	for i, b := range p.s.bindings[vars.First:vars.End()] {
		p.separate(i)
		p.text("(")
		p.symbol(b.Sym)
		p.text(" ")
		p.sort(b.Sort)
		p.text(")")
	}
	p.text(")")
}

func (p *printer) datatypes(c *Command) {
	all := p.s.Datatypes(c)
	if c.Kind == CmdDeclareDatatype {
		p.spaced(all[0].Sym)
		p.text(" ")
		p.datatype(&all[0])
		return
	}
	p.text(" (")
	for i := range all {
		p.separate(i)
		p.text("(")
		p.symbol(all[i].Sym)
		p.number(all[i].Arity)
		p.text(")")
	}
	p.text(") (")
	for i := range all {
		p.separate(i)
		p.datatype(&all[i])
	}
	p.text(")")
}

func (p *printer) datatype(d *Datatype) {
	if d.Arity > 0 {
		p.text("(par ")
		p.symList(p.s.DatatypeParams(d))
		p.text(" ")
	}
	p.text("(")
	for i, c := range p.s.Constructors(d) {
		p.separate(i)
		p.text("(")
		p.symbol(c.Sym)
		for _, sel := range p.s.Selectors(&c) {
			p.text(" (")
			p.symbol(sel.Sym)
			p.text(" ")
			p.sort(sel.Sort)
			p.text(")")
		}
		p.text(")")
	}
	p.text(")")
	if d.Arity > 0 {
		p.text(")")
	}
}

// identifier prints a symbol with its indices.
func (p *printer) identifier(sym Sym, index IndexID) {
	if index == 0 {
		p.symbol(sym)
		return
	}
	p.text("(_ ")
	p.symbol(sym)
	for _, ix := range p.s.Indices(index) {
		if ix.Kind == Symbol {
			p.spaced(ix.Sym)
			continue
		}
		p.text(" ", p.s.Name(ix.Sym))
	}
	p.text(")")
}

// sort prints a sort. It keeps the arguments on a separate stack.
func (p *printer) sort(id SortID) {
	bottom := len(p.sorts)
	p.openSort(id)
	for len(p.sorts) > bottom {
		top := &p.sorts[len(p.sorts)-1]
		args := p.s.SortArgs(top.id)
		if int(top.next) == len(args) {
			p.text(")")
			p.sorts = p.sorts[:len(p.sorts)-1]
			continue
		}
		arg := args[top.next]
		top.next++
		p.text(" ")
		p.openSort(arg)
	}
}

func (p *printer) openSort(id SortID) {
	sort := p.s.Sort(id)
	if sort.Args.Len > 0 {
		p.text("(")
		p.sorts = append(p.sorts, openSort{id: id})
	}
	p.identifier(sort.Sym, sort.Index)
}

// sexpr prints a value. A reserved word in bars keeps its bars, and one without bars is printed unchanged, because
// values may contain any word.
func (p *printer) sexpr(id SExprID) {
	stack := []span[SExprID]{{rest: []SExprID{id}}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if len(top.rest) == 0 {
			if stack = stack[:len(stack)-1]; len(stack) > 0 {
				p.text(")")
			}
			continue
		}
		e := p.s.SExpr(top.rest[0])
		p.separate(top.done)
		top.rest, top.done = top.rest[1:], top.done+1
		switch e.Kind {
		case LParen:
			p.text("(")
			stack = append(stack, span[SExprID]{rest: p.s.sexprKids[e.Kids.First:e.Kids.End()]})
		case QuotedSymbol:
			p.symbol(e.Sym)
		default:
			p.text(p.s.Name(e.Sym))
		}
	}
}

// span is the rest of a list that is still to be printed, and the number of elements already printed.
type span[T any] struct {
	rest []T
	done int
}
