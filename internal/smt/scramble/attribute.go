package scramble

// attributes reads attributes up to the end of the annotation or the first term of a pattern.
func (s *Scrambler) attributes(f *frame) (word, bool) {
	f.kind = frameSubject
	for first := f.flags == 0; first || s.tok != tokClose && s.tok != tokEOF; first = false {
		key := s.name
		if s.tok != tokReserved || key < wPattern {
			s.syntax("an attribute")
			return 0, false
		}
		f.count(key)
		s.ops = append(s.ops, fixed(key))
		s.next()
		if key == wPattern || key == wNoPattern {
			s.expect(tokOpen, "the terms of the pattern")
			if s.tok == tokClose {
				s.syntax("a term of the pattern")
			}
			s.openFrame(framePattern, len(s.ops))
			return 0, false
		}
		s.attributeValue(key)
	}
	s.expect(tokClose, "the end of the annotation")
	return s.closeAnnotation(f), true
}

// count records an attribute in the flags.
func (f *frame) count(key sym) {
	switch {
	case f.flags != 0:
		f.flags |= attrMore
	case key == wPattern:
		f.flags = attrOne | attrPattern
	default:
		f.flags = attrOne
	}
}

// attributeValue reads the value of an attribute that is not a pattern.
func (s *Scrambler) attributeValue(key sym) {
	want, expected := tokSymbol, "a symbol"
	if key == wWeight {
		want, expected = tokNumeral, "a numeral"
	}
	if s.tok != want {
		s.syntax(expected)
		return
	}
	name := s.name
	if s.needZ3(key); s.rejection != nil {
		return
	}
	s.next()
	switch key {
	case wQid, wSkolemid:
		s.declare(name)
		s.ops = append(s.ops, renamed(name))
	case wWeight:
		s.ops = append(s.ops, fixed(name))
	default:
		s.ops = append(s.ops, verbatim(name))
	}
}

// needZ3 rejects a z3 attribute unless the options accept such attributes. It must be called at the attribute's last
// token.
func (s *Scrambler) needZ3(key sym) {
	if !s.opt.Z3 && key != wNamed && key != wPattern {
		s.reject(msgAttribute(wordList[key]), "an attribute of z3")
	}
}

// closeAnnotation closes an annotation and drops it if it is not printed. With a core, the list stays on the tape in
// any case, because filterCore looks up assertion names there.
func (s *Scrambler) closeAnnotation(f *frame) word {
	printed := s.opt.Annotations == AllAnnotations ||
		s.opt.Annotations == PatternAnnotation && f.flags == attrOne|attrPattern
	switch {
	case s.opt.Core != nil && !printed:
		s.ops[f.base] = hiddenBang
		return s.closeFrame(f)
	case printed:
		return s.closeFrame(f)
	}
	subject := s.ops[f.base+1]
	s.ops = s.ops[:f.base]
	s.frames = s.frames[:len(s.frames)-1]
	return subject
}
