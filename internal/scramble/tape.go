package scramble

// word is an element of a list on the tape: a name with one of the tags below, or without a tag the place of a list.
type word uint32

const (
	tagName     word = 1 << 31 // printed with its number, if it has one
	tagVerbatim word = 1 << 30 // with tagName: printed as it is
	symMask     word = 1<<30 - 1
)

// maxTape is the length that the tape cannot exceed, since words name places on it with 31 bits.
const maxTape = 1 << 31

// maxNames is the number of distinct names that a word can tell apart.
const maxNames = 1 << 30

func renamed(s sym) word  { return tagName | word(s) }
func verbatim(s sym) word { return tagName | tagVerbatim | word(s) }

// fixed is for constants and reserved words, which never have a number: they are printed as they are either way, and
// faster without the tag.
func fixed(s sym) word { return tagName | word(s) }

// A list is a header and its elements. The header is twice their number, plus one for an annotation whose printing is
// left to the printer.
const annotationBit = 1

// list puts a list on the tape and gives its word.
func (s *Scrambler) list(elems ...word) word { return s.closeList(elems, 0) }

func (s *Scrambler) closeList(elems []word, flag word) word {
	at := len(s.tape)
	if at+len(elems) >= maxTape {
		s.reject(msgTooLarge, "more than 2^31 terms between two check-sats")
		return 0
	}
	s.tape = append(s.tape, word(len(elems))<<1|flag)
	s.tape = append(s.tape, elems...)
	return word(at)
}

// elements gives the elements of the list at w.
func (s *Scrambler) elements(w word) []word {
	n := s.tape[w] >> 1
	return s.tape[w+1 : w+1+n]
}
