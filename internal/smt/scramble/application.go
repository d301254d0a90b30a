package scramble

import "slices"

// application shuffles or mirrors a closed application. The first element is its head.
func (s *Scrambler) application(elems []word) {
	head := s.headSymbol(elems[0])
	if s.actions == nil && (head < wAnd || head > wDistinct) {
		s.reject(msgLogicNotSet, "an application before set-logic")
		return
	}
	if s.reorders {
		s.scramble(elems, head)
	}
}

// scramble draws the random numbers for an application of head.
func (s *Scrambler) scramble(elems []word, head sym) {
	var act action
	switch {
	case head >= numWords:
	case s.actions == nil:
		act = baseActions[head]
	default:
		act = s.actions[head]
	}
	if act.shuffles {
		if first := 1 + int(act.from); first < len(elems) {
			shuffle(&s.random, elems[first:])
		}
		return
	}
	if s.random.coin() && act.mirror != noSym {
		elems[0] = verbatim(act.mirror)
		slices.Reverse(elems[1:])
	}
}

// headSymbol returns the symbol that determines how an application is scrambled: the head itself, the symbol of I for
// (as I T), or "_" for (_ S I...).
func (s *Scrambler) headSymbol(head word) sym {
	if head&tagName != 0 {
		return sym(head & symMask)
	}
	first := s.tape[head]
	if sym(first&symMask) != wAs {
		return wUnderscore
	}
	inner := s.tape[head+1]
	if inner&tagName != 0 {
		return sym(inner & symMask)
	}
	return wUnderscore
}

// qualified reads the rest of a qualified identifier after the opening parenthesis: "_ SYMBOL INDEX... )" or "as
// IDENTIFIER SORT )".
func (s *Scrambler) qualified() word {
	switch {
	case s.tok == tokReserved && s.name == wUnderscore:
		return s.indexed()
	case s.tok == tokReserved && s.name == wAs:
		s.next()
		id := s.identifier("an identifier")
		w := s.list(fixed(wAs), id, s.sort())
		s.expect(tokClose, "the end of as")
		return w
	}
	s.syntax(`"_" or "as"`)
	return 0
}

// identifier reads a symbol or (_ SYMBOL INDEX...).
func (s *Scrambler) identifier(expected string) word {
	if s.tok != tokOpen {
		return renamed(s.symbol(expected))
	}
	s.next()
	return s.indexed()
}

// indexed reads "_ SYMBOL INDEX... )".
func (s *Scrambler) indexed() word {
	if s.tok != tokReserved || s.name != wUnderscore {
		s.syntax(`"_"`)
		return 0
	}
	base := len(s.ops)
	s.keyword()
	s.ops = append(s.ops, verbatim(s.symbol("the symbol of an indexed identifier")))
	for first := true; first || s.tok != tokClose && s.tok != tokEOF; first = false {
		switch s.tok {
		case tokNumeral:
			s.ops = append(s.ops, fixed(s.name))
		case tokSymbol:
			s.ops = append(s.ops, renamed(s.name))
		default:
			s.syntax("an index: a numeral or a symbol")
		}
		s.next()
	}
	s.expect(tokClose, "an index")
	return s.popList(base)
}

// sort reads a sort.
func (s *Scrambler) sort() word {
	bottom := len(s.sortBases)
	for {
		w, done := s.sortStart()
		for done {
			if len(s.sortBases) == bottom {
				return w
			}
			s.ops = append(s.ops, w)
			if s.tok != tokClose {
				break
			}
			s.next()
			base := s.sortBases[len(s.sortBases)-1]
			s.sortBases = s.sortBases[:len(s.sortBases)-1]
			w = s.popList(int(base))
		}
		if s.rejection != nil {
			s.sortBases = s.sortBases[:bottom]
			return 0
		}
	}
}

// sortStart reads an identifier, which is a complete sort, or opens a sort with arguments.
func (s *Scrambler) sortStart() (word, bool) {
	if s.tok != tokOpen {
		return renamed(s.symbol("a sort")), true
	}
	s.next()
	if s.tok == tokReserved {
		return s.indexed(), true
	}
	base := len(s.ops)
	s.ops = append(s.ops, s.identifier("the name of a sort"))
	if s.tok == tokClose {
		s.syntax("a sort")
	}
	s.sortBases = append(s.sortBases, uint32(base))
	return 0, false
}
