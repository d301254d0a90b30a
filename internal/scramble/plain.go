package scramble

// plainArguments reads on inside applications as long as nothing comes but symbols, numbers, bits, applications with a plain
// symbol as head, and their ends. That is most of every benchmark, so it works on the text directly, with the same effect
// as going token by token. The innermost frame is an application.
//
// It returns true with the word of an application that it closed and that is not an argument of another one above
// bottom. It returns false in front of anything else, which the current token then is.
func (s *Scrambler) plainArguments(bottom int) (word, bool) {
	src, i := s.src, s.start // read the current token again
	f := &s.frames[len(s.frames)-1]
	fast := len(src) - wordRoom
	for i < len(src) {
		class := charClass[src[i]]
		if class >= charHash && i < fast {
			if name, end := s.names.word(src, i); name > lastReserved {
				s.ops = append(s.ops, renamed(name))
				i = end
				continue
			}
		}
		switch class {
		case charSpace:
			i++
			continue
		case charSymbol:
			end := scanWord(src, i+1)
			if name := s.names.intern(i, end); name > lastReserved {
				s.ops = append(s.ops, renamed(name))
				i = end
				continue
			}
		case charDigit:
			kind, end := scanNumber(src, i)
			if kind == tokSymbol {
				s.ops = append(s.ops, renamed(s.names.intern(i, end)))
			} else {
				s.ops = append(s.ops, fixed(s.names.constant(i, end)))
			}
			i = end
			continue
		case charHash:
			if kind, end := scanBits(src, i); kind == tokBits {
				s.ops = append(s.ops, fixed(s.names.constant(i, end)))
				i = end
				continue
			}
		case charOpen:
			if i > s.ahead {
				s.lookAhead(i)
			}
			if i+1 == len(src) || charClass[src[i+1]] != charSymbol {
				break
			}
			var name sym
			var end int
			if i+1 < fast {
				name, end = s.names.word(src, i+1)
			}
			if name == noSym {
				end = scanWord(src, i+2)
				name = s.names.intern(i+1, end)
			}
			if name > lastReserved {
				s.frames = append(s.frames, frame{kind: frameArgs, base: uint32(len(s.ops))})
				f = &s.frames[len(s.frames)-1]
				s.ops = append(s.ops, renamed(name))
				i = end
				continue
			}
		case charClose:
			elems := s.ops[f.base:]
			if len(elems) < 2 {
				break
			}
			s.start = i
			s.application(elems)
			if s.rejection != nil {
				return 0, false
			}
			w := s.closeFrame(f)
			i++
			if top := len(s.frames) - 1; top >= bottom && s.frames[top].kind == frameArgs {
				f = &s.frames[top]
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
		i = s.start // a comment or stray characters were skipped, and what follows may be plain again
	}
	s.pos = i
	s.next()
	return 0, false
}
