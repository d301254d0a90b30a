package scramble

import (
	"encoding/binary"
	"slices"
	"strconv"
)

// slack is the space in the output that is reserved before printing a name. It fits a short name, which is written as
// sixteen bytes, and the text around it.
const slack = 32

// printList prints a term or another list. It walks the tape without a stack: while a list is printed, the element of
// its parent that refers to it holds the return position in the grandparent. A list can therefore be printed only once.
func (s *Scrambler) printList(w word) {
	root := len(s.tape)
	w |= tagLast
	s.tape = append(s.tape, w) // a list whose only element is w
	tape, out := s.tape, s.out
	next := root + 1 // position after w in its list
	var up word      // return position in the parent, marked if this list is its last element
	for {
		if cap(out)-len(out) < slack {
			out = s.makeRoom(out)
		}
		if w&tagName == 0 {
			place := w & placeMask
			first := tape[place]
			if first == hiddenBang {
				w = tape[place+1] | w&tagLast // print only the subject of a hidden annotation
				continue
			}
			out = append(out, '(')
			tape[next-1] = up
			up = word(next) | w&tagLast
			w, next = first, int(place)+1
			continue
		}
		if o := s.names.outputs[w&symMask]; w&tagVerbatim == 0 && isText(o) {
			out = appendOutput(out, o)
		} else {
			out = s.appendName(out, w)
		}
		for w&tagLast != 0 {
			if next == root+1 {
				s.out, s.tape = out, tape[:root]
				return
			}
			out = append(out, ')')
			w, next = up, int(up&placeMask)
			up = tape[next-1]
		}
		out = append(out, ' ')
		w = tape[next]
		next++
	}
}

// makeRoom returns an output with space for slack bytes. If there is a sink, it writes the output so far.
func (s *Scrambler) makeRoom(out []byte) []byte {
	if s.sink != nil {
		s.out = out
		s.flush()
		return s.out
	}
	return slices.Grow(out, slack)
}

// isText reports whether an output encodes a text.
func isText(o uint64) bool { return o>>stateShift-1 < imageBit|outputText }

// isImage reports whether an output encodes a number's image.
func isImage(o uint64) bool {
	return o>>stateShift == stateImage || isText(o) && o>>stateShift&imageBit != 0
}

// appendOutput appends the text of an output. out must have space for slack bytes.
func appendOutput(out []byte, o uint64) []byte {
	n := len(out)
	binary.LittleEndian.PutUint64(out[n:n+8], o)
	return out[:n+int(o>>stateShift&outputText)]
}

// textOutput returns the output for a text of 1 to outputText bytes.
func textOutput(text []byte) uint64 {
	var b [8]byte
	copy(b[:], text)
	return binary.LittleEndian.Uint64(b[:]) | uint64(len(text))<<stateShift
}

// imageOutput returns the output for a number's image.
func imageOutput(image uint32) uint64 {
	if image >= 1e6 {
		return stateImage<<stateShift | uint64(image)
	}
	var b [1 + 6]byte
	return textOutput(strconv.AppendUint(append(b[:0], 'x'), uint64(image), 10)) | imageBit<<stateShift
}

// appendName appends a name, renamed or unchanged. out must have space for slack bytes.
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
	case isText(o):
		return appendOutput(out, o)
	case o>>stateShift == stateImage:
		return strconv.AppendUint(append(out, 'x'), uint64(uint32(o)), 10)
	}
	return s.appendText(out, name)
}

// appendText appends a name unchanged.
func (s *Scrambler) appendText(out []byte, name sym) []byte {
	if name < numWords {
		return append(out, wordList[name]...)
	}
	return append(out, s.names.text(name)...)
}
