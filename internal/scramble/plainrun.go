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
