package scramble

// openLet reads "((" NAME behind let and makes a let of the frame that was opened for an application. It gives the place behind,
// or 0 for anything else.
func (s *Scrambler) openLet(i int) int {
	if i = s.blank(i); i == len(s.src) || s.src[i] != '(' {
		return 0
	}
	name, next := s.nextBinding(i + 1)
	if name == noSym {
		return 0
	}
	f := &s.frames[len(s.frames)-1]
	f.kind = frameLetValue
	s.ops = append(s.ops[:f.base], fixed(wLet), renamed(name))
	return next
}

// plainEnds goes on behind a term that is the last operand and no argument: over the end of a binding and the name of the
// next one, of the bindings, or of the terms that it completes. It tells whether another term comes next, or an argument; else
// what comes next is not plain, and the last operand is such a term still.
func (s *Scrambler) plainEnds(i, bottom int) (int, bool) {
	src := s.src
	for {
		i = s.blank(i)
		if len(s.frames) == bottom || i == len(src) || src[i] != ')' || len(s.tape)+len(s.ops) > maxTape {
			return i, false
		}
		f := &s.frames[len(s.frames)-1]
		var w word
		switch f.kind {
		case frameLetValue:
			name, next := s.nextBinding(i + 1)
			if next > 0 {
				s.foldOperands(2)
			}
			switch {
			case next == 0:
				return i, false
			case name != noSym:
				s.ops = append(s.ops, renamed(name))
			default:
				s.openBody(f)
			}
			return next, true
		case frameLetBody:
			w = s.closeLet(f)
		case frameQuantBody:
			w = s.closeFrame(f)
		default:
			return i, false
		}
		s.ops = append(s.ops, w)
		i++
		if s.innermost(bottom) != noArguments {
			return i, true
		}
	}
}

// indexedHead reads "(_" SYMBOL INDEX... ")" and gives its word and the place behind, or 0 for anything else.
func (s *Scrambler) indexedHead(i int) (word, int) {
	if s.src[i] == '(' && s.src[i+1] == '_' && charClass[s.src[i+2]] == charSpace {
		return s.plainIndexed(i + 2)
	}
	return 0, 0
}

// plainIndexed is indexed for what stands behind "(_", if there are few indices and nothing but blanks between them. It gives
// the word and the place behind, or 0 for anything else.
func (s *Scrambler) plainIndexed(i int) (word, int) {
	elems := [6]word{fixed(wUnderscore)}
	for n := 1; ; n++ {
		if i = s.blank(i); i > len(s.src)-plainMargin {
			return 0, 0
		}
		class := charClass[s.src[i]]
		if class == charClose && n > 2 {
			return s.list(elems[:n]...), i + 1
		}
		if n == len(elems) || class != charSymbol && (class != charDigit || n == 1) {
			return 0, 0
		}
		name, end := s.names.word(s.src, i)
		switch {
		case name <= lastReserved:
			return 0, 0
		case n == 1:
			elems[n] = verbatim(name)
		case class == charDigit && scanDigits(s.src, i) != end:
			return 0, 0 // a decimal, or a symbol that begins with a digit
		default:
			elems[n] = renamed(name) // a constant has no number
		}
		i = end
	}
}

// nextBinding reads what stands behind a binding: "(" NAME of the next one, or the end of the bindings, for which it gives noSym, each
// with the place behind. For anything else the place is 0.
func (s *Scrambler) nextBinding(i int) (sym, int) {
	src := s.src
	switch i = s.blank(i); {
	case i+1 >= len(src):
	case src[i] == ')':
		return noSym, i + 1
	case src[i] == '(' && charClass[src[i+1]] == charSymbol:
		if i < len(src)-plainMargin {
			if name, end := s.names.word(src, i+1); name > lastReserved {
				return name, end
			}
		}
		if name, end := s.atom(i + 1); name != noSym {
			return name, end
		}
	}
	return noSym, 0
}
