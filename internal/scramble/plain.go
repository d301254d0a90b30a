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

// plainArguments reads on inside applications as long as nothing comes but symbols, numbers, bits, applications with a plain
// symbol as head, and their ends. That is most of every benchmark, so it works on the text directly, with the same effect
// as going token by token. The innermost frame is an application.
//
// It returns true with the word of an application that it closed and that is not an argument of another one above
// bottom. It returns false in front of anything else, which the current token then is.
func (s *Scrambler) plainArguments(bottom int) (word, bool) {
	src, i := s.src, s.start // read the current token again
	for i < len(src) {
		var what plainEnd
		if i, what = s.plainRun(i, bottom); what == plainClosed {
			s.pos = i
			s.next()
			last := len(s.ops) - 1
			w := s.ops[last]
			s.ops = s.ops[:last]
			return w, true
		}
		switch class := charClass[src[i]]; class {
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
		case charQuote, charBar:
			if kind, end := scanRare(src, i); kind != tokEOF {
				s.rareToken(kind, i, end)
				if s.rejection != nil {
					return 0, false
				}
				s.ops = append(s.ops, renamed(s.name)) // a constant has no number
				i = end
				continue
			}
		case charOpen:
			if i+1 == len(src) || charClass[src[i+1]] != charSymbol {
				break
			}
			end := scanWord(src, i+2)
			if name := s.names.intern(i+1, end); name > lastReserved {
				s.openFrame(frameArgs, len(s.ops))
				s.ops = append(s.ops, renamed(name))
				i = end
				continue
			}
		case charClose:
			f := &s.frames[len(s.frames)-1]
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

// plainEnd is why plainRun ended.
type plainEnd uint8

const (
	plainOther  plainEnd = iota // something else comes, or the end of the text
	plainClosed                 // an application was closed that is no argument of one above the bottom: it is the last operand
)

// plainRun is plainArguments for what needs no closer look: names of up to shortName bytes, and the ends of applications. It
// gives the place in front of anything else.
//
// Reading a name touches wordRoom bytes and one more from its first byte on, and the byte before may be a parenthesis, so it
// stops in front of the last bytes of the text. A byte of the text leads to one operand and one frame at most, for which it makes
// room in advance.
func (s *Scrambler) plainRun(from, bottom int) (int, plainEnd) {
	if from > len(s.src)-plainMargin || s.actions == nil {
		return from, plainOther
	}
	t, src, i := &s.names, unsafe.SliceData(s.src), uint64(from)
	last := uint64(len(s.src) - plainMargin)
	slots, shift := unsafe.SliceData(t.slots), t.shift
	n, depth := uint64(len(s.ops)), uint64(len(s.frames))
	base := uint64(s.frames[depth-1].base)
	what := plainOther
run:
	for i <= last {
		if i > uint64(s.ahead) {
			s.lookAhead(int(i))
		}
		s.ops = slices.Grow(s.ops[:n], plainRoom)
		s.frames = slices.Grow(s.frames[:depth], plainRoom)
		ops, frames := unsafe.SliceData(s.ops), unsafe.SliceData(s.frames)
		for end := min(i+plainBytes, last+1); i < end; {
			switch class := charClass[*at(src, i)]; class {
			case charSpace:
				i++
				continue
			case charClose:
				if n < base+2 || uint64(min(cap(s.tape)-1, s.tapeStep)-len(s.tape)) < n-base && !s.growTape(n-base+1) {
					break run
				}
				if s.scrambling {
					s.scramble(at(ops, base), n-base, s.headSymbol(*at(ops, base)))
				}
				*at(ops, base) = s.putList(at(ops, base), n-base)
				n, depth = base+1, depth-1
				i++
				if depth <= uint64(bottom) || at(frames, depth-1).kind != frameArgs {
					what = plainClosed
					break run
				}
				base = uint64(at(frames, depth-1).base)
				continue
			case charOpen:
				if charClass[*at(src, i+1)] != charSymbol {
					break run
				}
				*at(frames, depth) = frame{kind: frameArgs, base: uint32(n)}
				base = n
				depth++
				i++
			default:
				if class < charHash {
					break run
				}
			}
			low, high := load64At(src, i), uint64(0)
			var behind, home uint64
			if m := stops(low) &^ 0x80; m != 0 {
				zeros := uint64(bits.TrailingZeros64(m)) // eight for each byte of the name, and seven
				behind = i + zeros>>3
				low <<= (71 - zeros) & 63
				home = homeOfEight(low, shift)
			} else {
				high = load64At(src, i+8)
				m = stops(high)
				zeros := uint64(bits.TrailingZeros64(m))
				behind = i + 8 + zeros>>3
				high <<= 71 - zeros
				if m == 0 || high >= isLong { // with isLong it would be taken for the key of a long name
					break run
				}
				home = homeOfSixteen(low, high, shift)
				if high == 0 {
					home = homeOfEight(low, shift)
				}
			}
			sl := at(slots, home)
			name := sl.name
			if sl.key.low != low || sl.key.high != high {
				name = t.lookUp(key{low, high}, int(i), int(behind))
				slots, shift = unsafe.SliceData(t.slots), t.shift
			}
			stop := charClass[*at(src, behind)] - charSpace
			if name <= lastReserved || stop > charClose-charSpace {
				break run
			}
			*at(ops, n) = renamed(name)
			n++
			i = behind + uint64(stop-1)>>63 // behind a blank
		}
	}
	if n == base && what == plainOther { // no head of an application stands behind the parenthesis
		i, depth = i-1, depth-1
	}
	s.ops, s.frames = s.ops[:n], s.frames[:depth]
	return int(i), what
}
