package scramble

import "math/bits"

// The end of a name is looked for in eight bytes at once.
const (
	everyByte = 0x0101010101010101
	firstStop = '*' // no byte from here on ends a name and every one below does, with exceptions; see names.word
)

// stops marks each byte below firstStop by its highest bit. Only the lowest mark is certain.
func stops(x uint64) uint64 { return (x - firstStop*everyByte) &^ x & (0x80 * everyByte) }

// wordRoom is how many bytes names.word looks at.
const wordRoom = 16

// word gives the entry of the name at src[i], which begins like a symbol, a number or bits, and the end of the name. It
// gives noSym for what has to be looked at more closely. There are wordRoom bytes from i.
//
// The end is found by a test that takes some other characters for parts of a name, and a few parts of names for the end.
// But whatever is in the table and begins so is a symbol, a number or bits; so what is found there is one, if it ends
// with white space or a parenthesis.
func (t *names) word(src []byte, i int) (sym, int) {
	low := load64(src[i:])
	var k key
	var home uint64
	var end int
	if m := stops(low) &^ 0x80; m != 0 {
		zeros := bits.TrailingZeros64(m) // eight for each byte of the name, and seven
		end = i + zeros>>3
		k.low = low << ((71 - zeros) & 63)
		home = homeOfEight(k.low, t.shift)
	} else {
		high := load64(src[i+8:])
		m = stops(high)
		if m == 0 {
			return noSym, i
		}
		zeros := bits.TrailingZeros64(m)
		end = i + 8 + zeros>>3
		k = key{low, high << (71 - zeros)}
		if k.high >= isLong {
			return noSym, i // no name, and it would be taken for the key of a long one
		}
		home = homeOfSixteen(low, k.high, t.shift)
		if k.high == 0 {
			home = homeOfEight(low, t.shift)
		}
	}
	if charClass[src[end]]-charSpace > charClose-charSpace {
		return noSym, i
	}
	if sl := &t.slots[home]; sl.key == k {
		return sl.name, end
	}
	return t.lookUp(k, home, i, end), end
}

// lookUp gives the entry of a name of up to shortName bytes, which is made if it is a symbol or a number, or noSym.
func (t *names) lookUp(k key, home uint64, start, end int) sym {
	mask := uint64(len(t.slots) - 1)
	for i := home; ; i = (i + 1) & mask {
		switch sl := &t.slots[i]; {
		case sl.name == noSym:
			if t.dense != nil {
				if sl = &t.slots[t.findDense(k, i)]; sl.name != noSym {
					return sl.name
				}
			}
			return t.newWord(sl, k, start, end)
		case sl.key == k:
			return sl.name
		}
	}
}

// newWord makes the entry of a new name that is a symbol or a number, for its empty slot.
func (t *names) newWord(sl *slot, k key, start, end int) sym {
	if charClass[t.src[start]] < charDigit || scanWord(t.src, start) != end {
		return noSym
	}
	*sl = slot{k, sym(len(t.places))}
	return t.addInterned(start, end)
}
