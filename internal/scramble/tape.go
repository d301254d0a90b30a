package scramble

import (
	"slices"
	"unsafe"
)

// word is an element of a list on the tape: a name with one of the tags below, or without tagName the place of a list.
type word uint32

const (
	tagName     word = 1 << 31 // printed with its number, if it has one
	tagLast     word = 1 << 30 // the last element of its list; only on the tape
	tagVerbatim word = 1 << 29 // with tagName: printed as it is
	symMask     word = 1<<29 - 1
	placeMask   word = 1<<30 - 1
)

// maxTape is the length that the tape cannot exceed, since words name places on it with 30 bits, in printWord also the place
// behind the word that it puts at the end.
const maxTape = 1<<30 - 2

// maxNames is the number of distinct names that a word can tell apart.
const maxNames = 1 << 29

func renamed(s sym) word  { return tagName | word(s) }
func verbatim(s sym) word { return tagName | tagVerbatim | word(s) }

// fixed is for constants and reserved words, which never have a number: they are printed as they are either way, and
// faster without the tag.
func fixed(s sym) word { return tagName | word(s) }

// emptyList stands for the list without elements, which has no last one to be marked.
const emptyList = tagName | word(wEmptyList)

// hiddenBang is the head of an annotation whose printing is left to the printer, in the place of wBang.
const hiddenBang = tagName | word(wHiddenBang)

// list puts a list on the tape and gives its word.
func (s *Scrambler) list(elems ...word) word { return s.closeList(elems) }

// closeList puts a list on the tape. Nobody looks at elems afterwards.
func (s *Scrambler) closeList(elems []word) word {
	at := len(s.tape)
	if len(elems) == 0 {
		return emptyList
	}
	end := at + len(elems)
	switch {
	case end > s.tapeStep:
		return s.closeFar(elems)
	case end <= cap(s.tape) && len(elems) <= 8: // faster than the call that copies
		s.tape = s.tape[:end]
		for i, w := range elems {
			s.tape[at+i] = w
		}
	default:
		s.tape = append(s.tape, elems...)
	}
	s.tape[end-1] |= tagLast
	return word(at)
}

// tapeStep is by how many words the tape of a huge input grows until what its stacks do not need any more is given back.
// It grows when lists are closed, which is when the stacks become shorter.
const tapeStep = 1 << 20

// closeFar is closeList for a list with which the tape grows by another step, or becomes too long.
func (s *Scrambler) closeFar(elems []word) word {
	at := len(s.tape)
	if at+len(elems) > maxTape {
		s.reject(msgTooLarge, "more than 2^30 terms between two check-sats")
		return emptyList
	}
	s.trimStacks()
	for len(elems) > tapeStep {
		s.tape = append(s.tape, elems[:tapeStep]...)
		drop(&s.memories, elems[:tapeStep])
		elems = elems[tapeStep:]
	}
	s.tape = append(s.tape, elems...)
	s.tape[len(s.tape)-1] |= tagLast
	s.tapeStep = min(len(s.tape)+tapeStep, maxTape)
	return word(at)
}

// trimStacks gives back the memory of what was open before and is not any more.
func (s *Scrambler) trimStacks() {
	trim(&s.memories, s.ops)
	trim(&s.memories, s.frames)
	trim(&s.memories, s.sortBases)
}

// elements gives the elements of the list at w. The last one is marked.
func (s *Scrambler) elements(w word) []word {
	first := w & placeMask
	end := first
	for s.tape[end]&tagLast == 0 {
		end++
	}
	return s.tape[first : end+1]
}

// growTape makes room for n words, unless closeList has to see to it.
func (s *Scrambler) growTape(n uint64) bool {
	if len(s.tape)+int(n) > s.tapeStep {
		return false
	}
	s.tape = slices.Grow(s.tape, int(n))
	return true
}

// putList is closeList of n words, of which there is at least one. There is room for one more on the tape, and one more can be
// read.
func (s *Scrambler) putList(elems *word, n uint64) word {
	place := uint64(len(s.tape))
	s.tape = s.tape[:place+n]
	list := at(unsafe.SliceData(s.tape), place)
	for i := uint64(0); i < n; i += 2 {
		*(*[2]word)(unsafe.Pointer(at(list, i))) = *(*[2]word)(unsafe.Pointer(at(elems, i)))
	}
	*at(list, n-1) |= tagLast
	return word(place)
}
