package scramble

// word is an element of a list on the tape: with tagName a name with one of the tags below, otherwise the place of a
// list.
type word uint32

const (
	tagName     word = 1 << 31 // printed with its number, if it has one
	tagLast     word = 1 << 30 // the last element of its list; only on the tape
	tagVerbatim word = 1 << 29 // with tagName: printed unchanged
	symMask     word = 1<<29 - 1
	placeMask   word = 1<<30 - 1
)

// maxTape is the largest length of the tape. Words address places on it with 30 bits, and printList also addresses the
// place after the word that it appends.
const maxTape = 1<<30 - 2

// maxNames is the number of distinct names that a word can distinguish.
const maxNames = 1 << 29

func renamed(s sym) word  { return tagName | word(s) }
func verbatim(s sym) word { return tagName | tagVerbatim | word(s) }

// fixed is for constants and reserved words, which never have a number: they are printed unchanged either way, and
// faster without the tag.
func fixed(s sym) word { return tagName | word(s) }

// emptyList stands for the list without elements, which has no last element to mark.
const emptyList = tagName | word(wEmptyList)

// hiddenBang replaces wBang as the head of an annotation that stays on the tape but is not printed.
const hiddenBang = tagName | word(wHiddenBang)

// list puts a list on the tape and returns its word.
func (s *Scrambler) list(elems ...word) word { return s.closeList(elems) }

// closeList puts a list on the tape.
func (s *Scrambler) closeList(elems []word) word {
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
