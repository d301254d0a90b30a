package scramble

// plainTerms reads a term, or on inside applications, lets and quantifiers, as long as nothing comes but atoms, applications with
// a plain symbol as head, lets, and their ends. That is most of every benchmark, so it works on the text directly, with the same
// effect as going token by token. A term comes next, or the end of an application.
//
// It returns true with the word of a term that it read which is the last of its frame, or is in no frame above bottom. It
// returns false in front of anything else, which the current token then is.
func (s *Scrambler) plainTerms(bottom int) (word, bool) {
	src, i := s.src, s.start // read the current token again
	for i < len(src) {
		var what plainEnd
		i, what = s.plainRun(i, bottom)
		if s.rejection != nil { // the tape became too long
			return 0, false
		}
		if what == plainTerm {
			last := len(s.ops) - 1
			w := s.ops[last]
			s.ops = s.ops[:last]
			s.pos = i
			s.next()
			return w, true
		}
		if i == len(src) {
			break
		}
		base := s.innermost(bottom)
		if name, end := s.atom(i); name != noSym {
			if s.rejection != nil {
				return 0, false
			}
			i = end
			if base != noArguments {
				s.ops = append(s.ops, renamed(name)) // a constant has no number
				continue
			}
			s.pos = i
			s.next()
			return renamed(name), true
		}
		switch charClass[src[i]] {
		case charOpen:
			if i+1 == len(src) || charClass[src[i+1]] != charSymbol {
				break
			}
			if name, end := s.atom(i + 1); name > lastReserved {
				s.openFrame(frameArgs, len(s.ops))
				s.ops = append(s.ops, renamed(name))
				i = end
				continue
			}
		case charClose:
			if base == noArguments || len(s.ops) < int(base)+2 {
				break
			}
			s.start = i
			s.application(s.ops[base:])
			if s.rejection != nil {
				return 0, false
			}
			w := s.closeFrame(&s.frames[len(s.frames)-1])
			i++
			if s.innermost(bottom) != noArguments {
				s.ops = append(s.ops, w)
				continue
			}
			s.pos = i
			s.next()
			return w, true
		}
		s.pos = i
		if s.next(); s.start == i || s.tok == tokEOF {
			return 0, false
		}
		i = s.start // white space, a comment or stray characters were skipped, and what follows may be plain again
	}
	s.pos = i
	s.next()
	return 0, false
}

// atom gives the entry of the symbol or constant at i, and its end, or noSym.
func (s *Scrambler) atom(i int) (sym, int) {
	switch src := s.src; charClass[src[i]] {
	case charSymbol:
		end := scanWord(src, i+1)
		if name := s.names.intern(i, end); name > lastReserved {
			return name, end
		}
	case charDigit:
		kind, end := scanNumber(src, i)
		if kind == tokSymbol {
			return s.names.intern(i, end), end
		}
		return s.names.constant(i, end), end
	case charHash, charQuote, charBar:
		if kind, end := scanRare(src, i); kind != tokEOF {
			s.rareToken(kind, i, end)
			return s.name, end
		}
	}
	return noSym, i
}
