package smtlib

// openTerm is a partly printed term.
type openTerm struct {
	id   TermID
	next int32 // next child to print
	attr int32 // next attribute of an annotation to print
}

// term prints a term. Open terms are on a stack.
func (p *printer) term(id TermID) {
	bottom := len(p.terms)
	p.openTerm(id)
	for len(p.terms) > bottom {
		top := &p.terms[len(p.terms)-1]
		t := p.s.Term(top.id)
		if top.next == t.Kids.Len {
			p.after(t, top)
			p.terms = p.terms[:len(p.terms)-1]
			continue
		}
		p.before(t, top)
		kid := p.s.Kids(t)[top.next]
		top.next++
		p.openTerm(kid)
	}
}

// openTerm prints a term without children, or the part of another term before its first child.
func (p *printer) openTerm(id TermID) {
	t := p.s.Term(id)
	switch t.Kind {
	case TermNumeral, TermDecimal, TermHex, TermBinary, TermString:
		p.text(p.s.Name(t.Sym))
		return
	case TermIdent, TermVar:
		p.qualified(t)
		return
	case TermApply, TermApplyVar:
		p.text("(")
		p.qualified(t)
	case TermLet:
		p.text("(let (")
	case TermForall, TermExists, TermLambda:
		p.text(quantifierWord(t.Kind))
		p.sortedVars(t.Bindings())
	case TermMatch:
		p.text("(match")
	case TermAnnotated:
		p.text("(!")
	case TermMapApply:
		p.text("(_")
	}
	p.terms = append(p.terms, openTerm{id: id})
}

func quantifierWord(kind TermKind) string {
	switch kind {
	case TermForall:
		return "(forall "
	case TermExists:
		return "(exists "
	}
	return "(lambda "
}

// qualified prints a term's identifier, with its sort if it has one.
func (p *printer) qualified(t *Term) {
	if t.As() == 0 {
		p.identifier(t.Sym, t.Index())
		return
	}
	p.text("(as ")
	p.identifier(t.Sym, t.Index())
	p.text(" ")
	p.sort(t.As())
	p.text(")")
}

// before prints the text before the next child.
func (p *printer) before(t *Term, o *openTerm) {
	switch t.Kind {
	case TermLet:
		p.beforeLet(t, o.next)
	case TermMatch:
		p.beforeMatch(t, o.next)
	case TermAnnotated:
		p.beforeAttribute(t, o)
	default:
		p.text(" ")
	}
}

func (p *printer) beforeLet(t *Term, i int32) {
	bindings := t.Bindings()
	switch {
	case i == bindings.Len:
		p.text(")) ")
		return
	case i > 0:
		p.text(") ")
	}
	p.text("(")
	p.symbol(p.s.bindings[bindings.First+i].Sym)
	p.text(" ")
}

func (p *printer) beforeMatch(t *Term, i int32) {
	switch i {
	case 0:
		p.text(" ")
		return
	case 1:
		p.text(" ((")
	default:
		p.text(") (")
	}
	p.pattern(&p.s.Cases(t)[i-1])
	p.text(" ")
}

// pattern prints a case's pattern.
func (p *printer) pattern(c *Case) {
	vars := p.s.bindings[c.Vars.First:c.Vars.End()]
	switch {
	case c.Constructor == 0:
		p.variable(vars[0].Sym)
	case len(vars) == 0:
		p.symbol(c.Constructor)
	default:
		p.text("(")
		p.symbol(c.Constructor)
		for _, v := range vars {
			p.text(" ")
			p.variable(v.Sym)
		}
		p.text(")")
	}
}

// variable prints a pattern variable, which may be the reserved word "_".
func (p *printer) variable(sym Sym) {
	if sym == symUnderscore {
		p.text("_")
		return
	}
	p.symbol(sym)
}

// beforeAttribute prints the text between the previous child of an annotation and the next one: the end of a pattern,
// attributes without terms, and the beginning of the next pattern.
func (p *printer) beforeAttribute(t *Term, o *openTerm) {
	if o.next == 0 {
		p.text(" ")
		return
	}
	attrs := p.s.Attributes(t)
	kid := t.Kids.First + o.next
	if o.attr > 0 {
		if terms := attrs[o.attr-1].Terms; terms.Len > 0 {
			if kid < terms.End() {
				p.text(" ")
				return
			}
			p.text(")")
		}
	}
	for {
		a := &attrs[o.attr]
		o.attr++
		p.attribute(a)
		if a.Terms.Len > 0 {
			return
		}
	}
}

// attribute prints an attribute, or only its beginning if it has terms.
func (p *printer) attribute(a *Attribute) {
	p.text(" ", p.s.Name(a.Keyword))
	switch {
	case a.Terms.Len > 0:
		p.text(" (")
	case a.Value != 0:
		p.text(" ")
		p.sexpr(a.Value)
	}
}

// after prints the text after the last child.
func (p *printer) after(t *Term, o *openTerm) {
	switch t.Kind {
	case TermMatch:
		p.text(")))")
		return
	case TermAnnotated:
		attrs := p.s.Attributes(t)
		if o.attr > 0 && attrs[o.attr-1].Terms.Len > 0 {
			p.text(")")
		}
		for i := range attrs[o.attr:] {
			p.attribute(&attrs[int(o.attr)+i])
		}
	}
	p.text(")")
}
