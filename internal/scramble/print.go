package scramble

import (
	"slices"
	"strconv"
	"unsafe"
)

// slack is the room in the output that is always there before a name or parenthesis is written: for a short name, which
// is written as sixteen bytes, and the blanks and parentheses around it.
const slack = 24

// printWord prints a term or another list. It walks through the tape without a stack: while a list is printed, the element
// of its parent that names it keeps where the parent's own parent goes on. So a list is printed once.
//
// A place in a word of the tape is that of a list which was closed before, and every list ends with a marked element, so all
// places are below root. The output has room for slack bytes, which are more than what is written before the next check.
func (s *Scrambler) printWord(w word) {
	root := uint64(len(s.tape))
	s.tape = append(s.tape, w|tagLast, 0, 0) // the list of which w is the only element, and what is looked at behind it
	tape, outputs := unsafe.SliceData(s.tape), unsafe.SliceData(s.names.outputs)
	out, n, full := s.buffer(s.out)
	hides := s.opt.Core != nil
	w |= tagLast
	next := root + 1 // the place behind w in its list
	var up word      // where the parent of this list goes on, marked if the list is its last element
	for {
		if n > full {
			out, n, full = s.buffer(unsafe.Slice(out, full+slack)[:n])
		}
		if w&tagName == 0 {
			place := uint64(w & placeMask)
			first := *at(tape, place)
			if hides && first == hiddenBang {
				w = *at(tape, place+1) | w&tagLast // only the subject of an annotation that is not printed
				continue
			}
			*at(out, n) = '('
			n++
			ahead := *at(tape, next+1)
			s.touched += uint64(*at(tape, uint64(ahead&placeMask&^word(int32(ahead)>>31))))
			*at(tape, next-1) = up
			up = word(next) | w&tagLast
			w, next = first, place+1
			continue
		}
		o := *at(outputs, uint64(w&symMask))
		if w&tagVerbatim == 0 && o>>stateShift-1 < imageBit|outputText {
			store64At(out, n, o)
			n += o >> stateShift & outputText
		} else {
			s.out = unsafe.Slice(out, full+slack)[:n]
			out, n, full = s.buffer(s.appendName(s.out, w))
		}
		for w&tagLast != 0 {
			if next == root+1 {
				s.out, s.tape = unsafe.Slice(out, full+slack)[:n], s.tape[:root]
				return
			}
			if n > full+slack-2 { // of which one is for the blank behind the last parenthesis
				out, n, full = s.buffer(unsafe.Slice(out, full+slack)[:n])
			}
			*at(out, n) = ')'
			n++
			w, next = up, uint64(up&placeMask)
			up = *at(tape, next-1)
		}
		*at(out, n) = ' '
		n++
		w = *at(tape, next)
		next++
	}
}

// buffer gives the array of an output, its length, and the length up to which there is room for slack bytes. It makes that room by
// writing what there is if there is somewhere to write to.
func (s *Scrambler) buffer(b []byte) (array *byte, n, full uint64) {
	if cap(b)-len(b) < slack {
		if s.sink != nil {
			s.out = b
			s.flush()
			b = s.out
		}
		b = slices.Grow(b, slack)
	}
	return unsafe.SliceData(b), uint64(len(b)), uint64(cap(b) - slack)
}

// appendOutput adds an output that is a text. There is room for slack bytes in out.
func appendOutput(out []byte, o uint64) []byte {
	n := len(out)
	store64(out[n:n+8], o)
	return out[:n+int(o>>stateShift&outputText)]
}

// textOutput gives the output that is a text of 1 to outputText bytes.
func textOutput(text []byte) uint64 {
	var b [8]byte
	copy(b[:], text)
	return load64(b[:]) | uint64(len(text))<<stateShift
}

// imageOutput gives the output for the image of a number.
func imageOutput(image uint32) uint64 {
	if image >= 1e6 {
		return stateImage<<stateShift | uint64(image)
	}
	digits, n := decimal(image)
	return digits<<8 | 'x' | (imageBit|uint64(n)+1)<<stateShift
}

// decimal gives the digits of a number below 10^8 as a little-endian text, and how many there are.
func decimal(n uint32) (digits uint64, count int) {
	// Both halves of four digits at a time, then both halves of these, then of these again, by multiplication in place
	// of division. The first digit is the lowest byte in the end.
	v := uint64(n/10000) | uint64(n%10000)<<32
	hundreds := v * 5243 >> 19 & 0x7F_0000_007F
	v = hundreds | (v-100*hundreds)<<16
	tens := v * 103 >> 10 & 0xF_000F_000F_000F
	v = tens | (v-10*tens)<<8
	count = 1
	for limit := uint32(10); count < 8 && n >= limit; limit *= 10 {
		count++
	}
	return (v | 0x3030303030303030) >> (8 * (8 - count)), count
}

// appendName adds a name with the image of its number, or as it is. There is room for slack bytes in out.
func (s *Scrambler) appendName(out []byte, w word) []byte {
	name := sym(w & symMask)
	if w&tagVerbatim != 0 {
		return s.appendText(out, name)
	}
	o := s.names.outputs[name]
	if o == 0 || o>>stateShift == stateAlias {
		o = s.names.decide(name)
	}
	switch {
	case o>>stateShift == statePlain:
		return s.appendText(out, name)
	case o>>stateShift != stateImage:
		return appendOutput(out, o)
	case uint32(o) >= 1e8:
		return strconv.AppendUint(append(out, 'x'), uint64(uint32(o)), 10)
	}
	digits, count := decimal(uint32(o))
	n := len(out)
	out = append(out, 'x')
	store64(out[n+1:n+9], digits)
	return out[:n+1+count]
}

// appendText adds a name as it is. There is room for slack bytes in out.
func (s *Scrambler) appendText(out []byte, name sym) []byte {
	if name < numWords {
		return append(out, wordTexts[name]...)
	}
	at := s.names.places[name]
	start, length := at>>placeBits, at&longPlace
	if length > 16 || start+16 > uint64(len(s.src)) {
		return append(out, s.names.text(name)...)
	}
	n, text := len(out), s.src[start:start+16]
	store64(out[n:n+8], load64(text))
	store64(out[n+8:n+16], load64(text[8:]))
	return out[:n+int(length)]
}
