package scramble

// declareDatatype reads (declare-datatype S D) and collects it as declare-datatypes. The sort's number is assigned
// last.
func (s *Scrambler) declareDatatype() {
	name := s.symbol("the name of a datatype")
	constructors := s.constructors()
	s.end()
	s.declare(name)
	sort := s.list(renamed(name), fixed(wZero))
	s.collectDatatypes(s.list(sort), s.list(constructors))
}

// declareDatatypes reads (declare-datatypes ((S 0)...) (D...)). The sorts' numbers are assigned first.
func (s *Scrambler) declareDatatypes() {
	base := len(s.ops)
	s.expect(tokOpen, "the sorts of the datatypes")
	for s.tok == tokOpen {
		s.next()
		name := s.symbol("the name of a datatype")
		arity, ok := s.zeroArity(msgDatatypeArity, "a datatype with parameters")
		if !ok {
			return
		}
		s.next()
		s.declare(name)
		s.ops = append(s.ops, s.list(renamed(name), fixed(arity)))
	}
	if len(s.ops) == base {
		s.syntax("a sort and its arity")
	}
	s.expect(tokClose, "a sort and its arity")
	sorts := s.popList(base)
	s.expect(tokOpen, "the constructors of the datatypes")
	for first := true; first || s.tok == tokOpen; first = false {
		s.ops = append(s.ops, s.constructors())
	}
	s.expect(tokClose, "the constructors of a datatype")
	s.end()
	s.collectDatatypes(sorts, s.popList(base))
}

func (s *Scrambler) collectDatatypes(sorts, constructors word) {
	s.collect(cmdOther, s.list(fixed(wDeclareDatatypes), sorts, constructors))
}

// constructors reads ((C (SEL T)...)...) and shuffles it. A constructor's number is assigned after its selectors'
// numbers.
func (s *Scrambler) constructors() word {
	s.expect(tokOpen, "the constructors of a datatype")
	base := len(s.ops)
	for first := true; first || s.tok == tokOpen; first = false {
		s.expect(tokOpen, "a constructor")
		s.ops = append(s.ops, s.constructor())
	}
	s.expect(tokClose, "a constructor")
	if s.reorders {
		shuffle(&s.random, s.ops[base:])
	}
	return s.popList(base)
}

// constructor reads C (SEL T)... and the closing parenthesis.
func (s *Scrambler) constructor() word {
	name := s.symbol("the name of a constructor")
	base := len(s.ops)
	s.ops = append(s.ops, renamed(name))
	for s.tok == tokOpen {
		s.next()
		selector := s.symbol("the name of a selector")
		pair := s.list(renamed(selector), s.sort())
		s.expect(tokClose, "the end of the selector")
		s.declare(selector)
		s.ops = append(s.ops, pair)
	}
	s.expect(tokClose, "a selector")
	s.declare(name)
	return s.popList(base)
}
