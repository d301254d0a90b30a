package scramble

// word is an element of a list on the tape. With tagName it is a name with optional tags, otherwise the position of
// another list.
type word uint32

const (
	tagName     word = 1 << 31 // a name, printed with its number if it has one
	tagLast     word = 1 << 30 // the last element of its list; used only on the tape
	tagVerbatim word = 1 << 29 // with tagName: a name printed unchanged
	symMask     word = 1<<29 - 1
	placeMask   word = 1<<30 - 1
)

// maxTape is the maximum length of the tape. Words address positions on it with 30 bits, and printList also addresses
// the position after the word that it appends.
const maxTape = 1<<30 - 2

// maxNames is the maximum number of distinct names that a word can address.
const maxNames = 1 << 29

func renamed(s sym) word  { return tagName | word(s) }
func verbatim(s sym) word { return tagName | tagVerbatim | word(s) }

// fixed returns the word of a constant or reserved word. It never has a number, so it is printed unchanged even without
// tagVerbatim, and faster.
func fixed(s sym) word { return tagName | word(s) }

// emptyList represents the list without elements, which has no last element to mark.
const emptyList = tagName | word(wEmptyList)

// hiddenBang replaces wBang as the head of an annotation that stays on the tape but is not printed.
const hiddenBang = tagName | word(wHiddenBang)

// popList writes the operands from base on to the tape as a list, and returns its word.
func (s *Scrambler) popList(base int) word {
	w := s.list(s.ops[base:]...)
	s.ops = s.ops[:base]
	return w
}

// list writes a list to the tape and returns its word.
func (s *Scrambler) list(elems ...word) word {
	if len(elems) == 0 {
		return emptyList
	}
	at := len(s.tape)
	if at+len(elems) > maxTape {
		s.reject(msgTooLarge, "more than 2^30 terms between two check-sats")
		return emptyList
	}
	s.tape = append(s.tape, elems...)
	s.tape[len(s.tape)-1] |= tagLast
	return word(at)
}

// elements returns the elements of the list at w. The last one is marked.
func (s *Scrambler) elements(w word) []word {
	first := w & placeMask
	end := first
	for s.tape[end]&tagLast == 0 {
		end++
	}
	return s.tape[first : end+1]
}
