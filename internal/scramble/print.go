package scramble

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strconv"
)

// span is the part of an open list that is still to be printed.
type span struct{ next, end word }

// slack is the room in the output that is always there before a name or parenthesis is written: for a short name, which
// is written as sixteen bytes, and the blanks and parentheses around it.
const slack = 24

// printWord prints a term or another list.
func (s *Scrambler) printWord(w word) {
	bottom := len(s.spans)
	out, outputs := s.out, s.names.outputs
	var cur span // the innermost open list
	for {
		if cap(out)-len(out) < slack {
			out = slices.Grow(out, slack)
		}
		for w&tagName == 0 && s.tape[w]&annotationBit != 0 {
			w = s.tape[w+2] // only the subject of an annotation that is not printed
		}
		if w&tagName == 0 {
			s.spans = append(s.spans, cur)
			cur = span{w + 1, w + 1 + s.tape[w]>>1}
			out = append(out, '(')
			if len(out) >= flushSize && s.sink != nil {
				s.out = out
				s.flush()
				out = s.out
			}
		} else {
			if o := outputs[w&symMask]; w&tagVerbatim == 0 && o-1 < longOutput-1 { // decided and short
				out = appendOutput(out, o)
			} else {
				out = s.appendName(out, w)
			}
			if cur.next < cur.end {
				out = append(out, ' ')
			}
		}
		for cur.next == cur.end {
			if len(s.spans) == bottom {
				s.out = out
				return
			}
			out = append(out, ')')
			cur = s.spans[len(s.spans)-1]
			s.spans = s.spans[:len(s.spans)-1]
			if cur.next < cur.end {
				out = append(out, ' ')
			}
		}
		w = s.tape[cur.next]
		cur.next++
	}
}

// appendOutput adds an output of one to eight bytes. There is room for slack bytes in out.
func appendOutput(out []byte, o uint64) []byte {
	n := len(out)
	binary.LittleEndian.PutUint64(out[n:n+8], o)
	return out[:n+(bits.Len64(o)+7)/8]
}

// appendName adds a name with the image of its number, or as it is. There is room for slack bytes in out.
func (s *Scrambler) appendName(out []byte, w word) []byte {
	name := sym(w & symMask)
	if w&tagVerbatim != 0 {
		return s.appendText(out, name)
	}
	o := s.names.outputs[name]
	if o == 0 {
		o = s.names.decide(name, s.permutation)
	}
	if o == longOutput {
		return s.appendLong(out, name)
	}
	return appendOutput(out, o)
}

// appendLong adds a name whose output is longer than eight bytes or empty.
func (s *Scrambler) appendLong(out []byte, name sym) []byte {
	e := &s.names.entries[name]
	if e.base != name {
		e = &s.names.entries[e.base]
	}
	if n := e.number; n > 0 {
		return strconv.AppendInt(append(out, 'x'), int64(s.permutation[n]), 10)
	}
	return s.appendText(out, name)
}

// appendText adds a name as it is. There is room for slack bytes in out.
func (s *Scrambler) appendText(out []byte, name sym) []byte {
	e := &s.names.entries[name]
	if name < numWords || e.length > 16 || e.off+16 > uint64(len(s.src)) {
		return append(out, s.names.text(name)...)
	}
	n, text := len(out), s.src[e.off:e.off+16]
	binary.LittleEndian.PutUint64(out[n:n+8], binary.LittleEndian.Uint64(text))
	binary.LittleEndian.PutUint64(out[n+8:n+16], binary.LittleEndian.Uint64(text[8:]))
	return out[:n+int(e.length)]
}
