package scramble

import (
	"math/bits"
	"slices"
	"unsafe"
)

// Constants of plainRun.
const (
	plainBytes  = 1 << 10               // of text for which it makes room at a time
	plainMargin = wordRoom + 2          // so many bytes in front of the end of the text
	plainRoom   = plainBytes + wordRoom // for that many operands and frames
)

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

// plainEnd is why plainRun ended.
type plainEnd uint8

const (
	plainOther plainEnd = iota // something else comes, or the end of the text
	plainTerm                  // the last operand is a term that is no argument, and something else comes than the parenthesis behind
)

// plainRun is plainTerms for what needs no closer look: names of up to shortName bytes, lets that bind such names, and the ends
// of applications, lets and quantifiers. It gives the place in front of anything else.
//
// Reading a name touches wordRoom bytes and one more from its first byte on, and the byte before may be a parenthesis, so it
// stops in front of the last bytes of the text. A byte of the text leads to one operand and one frame at most, for which it makes
// room in advance.
func (s *Scrambler) plainRun(from, bottom int) (int, plainEnd) {
	if from > len(s.src)-plainMargin || s.actions == nil {
		return from, plainOther
	}
	src, i := unsafe.SliceData(s.src), uint64(from)
	last := uint64(len(s.src) - plainMargin)
	n, base := uint64(len(s.ops)), s.innermost(bottom)
	what := plainOther
run:
	for i <= last {
		if i > uint64(s.ahead) {
			s.lookAhead(int(i))
		}
		s.ops = slices.Grow(s.ops[:n], plainRoom)
		s.frames = slices.Grow(s.frames, plainRoom)
		ops := unsafe.SliceData(s.ops)
		for end := min(i+plainBytes, last+1); i < end; {
			switch class := charClass[*at(src, i)]; {
			case class == charSpace:
				i++
				continue
			case class == charClose:
				if n < base+2 || min(cap(s.tape)-1, s.tapeStep)-len(s.tape) < int(n-base) && !s.growTape(n-base+1) {
					break run
				}
				if s.scrambling {
					s.scramble(at(ops, base), n-base, s.headSymbol(*at(ops, base)))
				}
				*at(ops, base) = s.putList(at(ops, base), n-base)
				n = base + 1
				i++
				depth := len(s.frames) - 1
				s.frames = s.frames[:depth]
				if depth == bottom {
					what = plainTerm
					break run
				}
				if f := at(unsafe.SliceData(s.frames), uint64(depth-1)); f.kind == frameArgs {
					base = uint64(f.base)
					continue
				}
			case class >= charHash || class == charOpen:
				if class == charOpen {
					if charClass[*at(src, i+1)] != charSymbol {
						s.ops = s.ops[:n] // what is behind may be given back
						head, next := s.indexedHead(int(i) + 1)
						if next == 0 {
							break run
						}
						s.frames = append(s.frames, frame{kind: frameArgs, base: uint32(n)})
						*at(ops, n) = head
						i, n, base = uint64(next), n+1, n
						continue
					}
					depth := len(s.frames)
					s.frames = s.frames[:depth+1]
					*at(unsafe.SliceData(s.frames), uint64(depth)) = frame{kind: frameArgs, base: uint32(n)}
					base = n
					i++
				}
				low, high := load64At(src, i), uint64(0)
				var behind, home uint64
				if m := stops(low) &^ 0x80; m != 0 {
					zeros := uint64(bits.TrailingZeros64(m)) // eight for each byte of the name, and seven
					behind = i + zeros>>3
					low <<= (71 - zeros) & 63
					home = homeOfEight(low, s.names.shift)
				} else {
					high = load64At(src, i+8)
					m = stops(high)
					zeros := uint64(bits.TrailingZeros64(m))
					behind = i + 8 + zeros>>3
					high <<= 71 - zeros
					if m == 0 || high >= isLong { // with isLong it would be taken for the key of a long name
						behind = i // where no name ends
					}
					home = homeOfSixteen(low, high, s.names.shift)
					if high == 0 {
						home = homeOfEight(low, s.names.shift)
					}
				}
				stop := charClass[*at(src, behind)] - charSpace
				if stop > charClose-charSpace {
					name, next := s.atom(int(i))
					if name <= lastReserved {
						break run
					}
					*at(ops, n) = renamed(name) // a constant has no number
					n++
					if i = uint64(next); n > base {
						continue
					}
					break
				}
				sl := at(unsafe.SliceData(s.names.slots), home)
				name := sl.name
				if sl.key.low != low || sl.key.high != high {
					name = s.names.lookUp(key{low, high}, home, int(i), int(behind))
				}
				if name > lastReserved {
					*at(ops, n) = renamed(name)
					n++
					i = behind
					if n > base {
						continue
					}
					break
				}
				if n != base {
					break run
				}
				switch name {
				case wLet:
					next := s.openLet(int(behind))
					if next == 0 {
						break run
					}
					i, n, base = uint64(next), n+2, noArguments
					continue
				case wUnderscore:
					s.ops = s.ops[:n]
					identifier, next := s.plainIndexed(int(behind))
					if next == 0 {
						break run
					}
					s.frames = s.frames[:len(s.frames)-1]
					*at(ops, n) = identifier
					i, n, base = uint64(next), n+1, s.innermost(bottom)
					if base != noArguments {
						continue
					}
				default:
					break run
				}
			default:
				break run
			}
			// A term that is no argument has been read.
			s.ops = s.ops[:n]
			next, goesOn := s.plainEnds(int(i), bottom)
			i, n = uint64(next), uint64(len(s.ops))
			if !goesOn {
				what = plainTerm
				break run
			}
			base = s.innermost(bottom)
		}
	}
	if n == base && what == plainOther { // no head of an application stands behind the parenthesis
		i--
		s.frames = s.frames[:len(s.frames)-1]
	}
	s.ops = s.ops[:n]
	return int(i), what
}

// noArguments is in place of the first operand of the innermost frame if that is not an application. There are never so
// many operands.
const noArguments = 1 << 40

// innermost gives the place of the first operand of the innermost frame above bottom, or noArguments.
func (s *Scrambler) innermost(bottom int) uint64 {
	if top := len(s.frames) - 1; top >= bottom && s.frames[top].kind == frameArgs {
		return uint64(s.frames[top].base)
	}
	return noArguments
}

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
