package scramble

// frameKind states what an open list expects next.
type frameKind uint8

const (
	frameArgs      frameKind = iota // another argument of an application, or its end
	frameLetValue                   // the value of a binding, whose name is the previous operand
	frameLetBody                    // the body of let
	frameQuantBody                  // the body of a quantifier
	frameScrutinee                  // the term that match examines
	frameCase                       // the term of a case, whose pattern is the previous operand
	frameSubject                    // the annotated term
	framePattern                    // another term of a pattern, or its end
)

// frame is an open list. Its elements so far are the operands from base on.
type frame struct {
	kind  frameKind
	flags uint8 // attribute flags of an annotation
	base  uint32
}

// Attribute flags of an annotation.
const (
	attrOne     = 1 << iota // it has at least one attribute
	attrMore                // it has more than one attribute
	attrPattern             // its first attribute is :pattern
)

// term reads a term and returns its word.
func (s *Scrambler) term() word {
	bottom := len(s.frames)
	for {
		w, done := s.termStart()
		for done {
			if len(s.frames) == bottom {
				return w
			}
			s.ops = append(s.ops, w)
			w, done = s.resume()
		}
		if s.rejection != nil {
			s.frames = s.frames[:bottom]
			return 0
		}
	}
}

// termStart reads a term without subterms, which is then complete, or opens another term.
func (s *Scrambler) termStart() (word, bool) {
	switch s.tok {
	case tokSymbol:
		w := renamed(s.name)
		s.next()
		return w, true
	case tokOpen:
		s.next()
		return s.openTerm()
	case tokNumeral, tokDecimal, tokBits, tokString:
		w := fixed(s.name)
		s.next()
		return w, true
	}
	s.syntax("a term")
	return 0, false
}

// openTerm reads the beginning of a term after its opening parenthesis.
func (s *Scrambler) openTerm() (word, bool) {
	base := len(s.ops)
	switch s.tok {
	case tokSymbol:
		s.ops = append(s.ops, renamed(s.name))
		s.next()
		s.openFrame(frameArgs, base)
		return 0, false
	case tokOpen:
		s.next()
		s.ops = append(s.ops, s.qualified())
		s.openFrame(frameArgs, base)
		return 0, false
	case tokReserved:
		return s.openReserved(base)
	}
	s.syntax("a function, let, a quantifier, match or an annotation")
	return 0, false
}

// openReserved opens the term that the current reserved word begins.
func (s *Scrambler) openReserved(base int) (word, bool) {
	switch s.name {
	case wUnderscore, wAs:
		return s.qualified(), true
	case wLet:
		s.keyword()
		s.openFrame(frameLetValue, base)
		s.expect(tokOpen, "the bindings of let")
		if s.tok != tokOpen {
			s.syntax("a binding")
		}
		s.bindings()
	case wForall, wExists:
		s.keyword()
		s.ops = append(s.ops, s.sortedVars(1, "the variables of the quantifier"))
		s.openFrame(frameQuantBody, base)
	case wMatch:
		s.keyword()
		s.openFrame(frameScrutinee, base)
	case wBang:
		s.keyword()
		s.openFrame(frameSubject, base)
	default:
		s.syntax("a term")
	}
	return 0, false
}

// keyword adds the current reserved word as the first element of a list, and reads the next token.
func (s *Scrambler) keyword() {
	s.ops = append(s.ops, fixed(s.name))
	s.next()
}

func (s *Scrambler) openFrame(kind frameKind, base int) {
	s.frames = append(s.frames, frame{kind: kind, base: uint32(base)})
}

// resume continues the innermost open list after its term, the last operand, has been read. It returns the list's word
// if the list is complete.
func (s *Scrambler) resume() (word, bool) {
	f := &s.frames[len(s.frames)-1]
	switch f.kind {
	case frameArgs:
		if s.tok != tokClose {
			return 0, false
		}
		s.application(s.ops[f.base:])
		s.next()
		return s.closeFrame(f), true
	case frameLetValue:
		s.expect(tokClose, "the end of the binding")
		s.foldOperands(2)
		s.bindings()
		return 0, false
	case frameLetBody:
		s.expect(tokClose, "the end of let")
		return s.closeLet(f), true
	case frameQuantBody:
		s.expect(tokClose, "the end of the quantifier")
		return s.closeFrame(f), true
	case frameScrutinee:
		f.kind = frameCase
		s.expect(tokOpen, "the cases of match")
		s.matchCase()
		return 0, false
	case frameCase:
		return s.afterCase(f)
	case framePattern:
		if s.tok != tokClose {
			return 0, false
		}
		s.needZ3(sym(s.ops[f.base-1] & symMask))
		s.next()
		s.foldOperands(len(s.ops) - int(f.base))
		s.frames = s.frames[:len(s.frames)-1]
		f = &s.frames[len(s.frames)-1]
	}
	return s.attributes(f)
}

// closeFrame closes the innermost frame and returns the list of its operands.
func (s *Scrambler) closeFrame(f *frame) word {
	w := s.list(s.ops[f.base:]...)
	s.ops = s.ops[:f.base]
	s.frames = s.frames[:len(s.frames)-1]
	return w
}

// foldOperands replaces the last n operands by a list of them.
func (s *Scrambler) foldOperands(n int) {
	at := len(s.ops) - n
	w := s.list(s.ops[at:]...)
	s.ops = append(s.ops[:at], w)
}

// bindings reads "(" NAME of the next binding of the innermost let, or the end of its bindings. The variables' numbers
// are assigned only at that end, in text order.
func (s *Scrambler) bindings() {
	if s.tok == tokOpen {
		s.next()
		s.ops = append(s.ops, renamed(s.symbol("the name of a variable")))
		return
	}
	s.expect(tokClose, "a binding or the end of the bindings")
	if s.rejection != nil {
		return // the last operand may be the term of an unfinished binding
	}
	let := &s.frames[len(s.frames)-1]
	let.kind = frameLetBody
	for _, b := range s.ops[let.base+1:] {
		s.declare(sym(s.tape[b] & symMask))
	}
}

// closeLet shuffles the bindings, once the whole term has been read.
func (s *Scrambler) closeLet(f *frame) word {
	body := len(s.ops) - 1
	bindings := s.ops[f.base+1 : body]
	if s.reorders {
		shuffle(&s.random, bindings)
	}
	s.ops = append(s.ops[:f.base+1], s.list(bindings...), s.ops[body])
	return s.closeFrame(f)
}

// sortedVars reads "(" (NAME SORT)... ")" with at least the given number of variables and returns the list's word. Each
// variable's number is assigned at its closing parenthesis.
func (s *Scrambler) sortedVars(least int, expected string) word {
	s.expect(tokOpen, expected)
	base := len(s.ops)
	for s.tok == tokOpen || len(s.ops)-base < least && s.rejection == nil {
		s.expect(tokOpen, "a variable with its sort")
		name := s.symbol("the name of a variable")
		pair := s.list(renamed(name), s.sort())
		s.expect(tokClose, "the end of the variable")
		s.declare(name)
		s.ops = append(s.ops, pair)
	}
	s.expect(tokClose, "a variable or the end of the list")
	return s.popList(base)
}

// matchCase reads "(" PATTERN. In (C V...), the variables' numbers are assigned before the constructor's.
func (s *Scrambler) matchCase() {
	s.expect(tokOpen, "a case of match")
	if s.tok != tokOpen {
		name := s.symbol("a pattern")
		s.declare(name)
		s.ops = append(s.ops, renamed(name))
		return
	}
	s.next()
	base := len(s.ops)
	constructor := s.symbol("the name of a constructor")
	s.ops = append(s.ops, renamed(constructor))
	for first := true; first || s.tok == tokSymbol; first = false {
		name := s.symbol("a variable")
		s.declare(name)
		s.ops = append(s.ops, renamed(name))
	}
	s.declare(constructor)
	s.expect(tokClose, "a variable or the end of the pattern")
	s.foldOperands(len(s.ops) - base)
}

// afterCase closes a case and reads the beginning of the next one or the end of the match.
func (s *Scrambler) afterCase(f *frame) (word, bool) {
	s.expect(tokClose, "the end of the case")
	s.foldOperands(2)
	if s.tok == tokOpen {
		s.matchCase()
		return 0, false
	}
	s.expect(tokClose, "a case or the end of the cases")
	s.expect(tokClose, "the end of match")
	cases := int(f.base) + 2
	s.foldOperands(len(s.ops) - cases)
	return s.closeFrame(f), true
}
