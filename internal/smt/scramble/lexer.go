package scramble

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// tokenKind is the class of a token.
type tokenKind uint8

const (
	tokEOF tokenKind = iota
	tokOpen
	tokClose
	tokSymbol
	tokReserved // a reserved word or keyword
	tokKeyword  // any other name that begins with a colon
	tokNumeral
	tokDecimal
	tokBits // hexadecimal or binary
	tokString
)

// constant reports whether the token is a literal.
func (k tokenKind) constant() bool { return k >= tokNumeral }

// Classes of bytes. Their order matters for comparisons with charDigit.
const (
	charStray = iota
	charSpace
	charOpen
	charClose
	charComment
	charQuote
	charBar
	charColon
	charHash
	charDigit
	charSymbol
)

var charClass = func() (t [256]uint8) {
	for c := 'a'; c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = charSymbol, charSymbol
	}
	for c := '0'; c <= '9'; c++ {
		t[c] = charDigit
	}
	for _, c := range "._+-*=%/?!$~&^<>@" {
		t[c] = charSymbol
	}
	for _, c := range " \t\r\n" {
		t[c] = charSpace
	}
	t['('], t[')'], t[';'], t['"'] = charOpen, charClose, charComment, charQuote
	t['|'], t[':'], t['#'] = charBar, charColon, charHash
	return t
}()

// next reads a token into tok, start and name. Characters that cannot begin a token are copied to the output
// immediately.
func (s *Scrambler) next() {
	for i, more := s.pos, true; more; more = s.moveWindow(i) {
		src := s.src[:s.window] // a token may extend past the window
		for i < len(src) {
			switch charClass[src[i]] {
			case charSpace:
				i++
			case charOpen:
				s.tok, s.start, s.pos = tokOpen, i, i+1
				return
			case charClose:
				s.tok, s.start, s.pos = tokClose, i, i+1
				return
			case charSymbol:
				name, end := s.names.word(i, s.discard)
				s.start, s.pos, s.name = i, end, name
				s.tok = tokSymbol
				if isReserved(name) {
					s.tok = tokReserved
				}
				return
			case charComment:
				i = s.comment(i)
			default:
				if kind, end := scanRare(s.src, i); kind != tokEOF {
					s.rareToken(kind, i, end)
					return
				} else if end > i {
					i = end // never closed
					continue
				}
				s.out = append(s.out, src[i])
				i++
			}
		}
	}
	s.tok, s.start, s.pos = tokEOF, len(s.src), len(s.src)
}

// Constants for finding the end of a name in eight bytes at a time.
const (
	everyByte = 0x0101010101010101
	firstStop = '*' // bytes below it end a name and all others do not, with exceptions; see names.word
)

// stops sets the highest bit of each byte below firstStop. Only the lowest such bit is reliable.
func stops(x uint64) uint64 { return (x - firstStop*everyByte) &^ x & (0x80 * everyByte) }

// isReserved reports whether a name is a reserved word or keyword.
func isReserved(name sym) bool { return noSym < name && name <= lastReserved }

// word returns the entry of the name at i, which begins like a symbol, and the end of the name. It adds an entry for a
// new name, or returns noSym if the name is dropped.
//
// The fast search for the end of a short name accepts some characters that are not part of names, and stops at a few
// that are. But every entry that begins like a symbol is one, so a text found in the table is a name if white space or
// a parenthesis follows it.
func (t *names) word(i int, dropped bool) (sym, int) {
	if i < len(t.src)-shortName {
		text := t.src[i : i+shortName+1]
		var k key
		n := shortName
		low, high := binary.LittleEndian.Uint64(text), binary.LittleEndian.Uint64(text[8:])
		if m := stops(low) &^ 0x80; m != 0 {
			zeros := bits.TrailingZeros64(m) // eight per byte of the name, plus seven
			n = zeros >> 3
			k.low = low << ((71 - zeros) & 63)
		} else if m := stops(high); m != 0 {
			zeros := bits.TrailingZeros64(m)
			n = 8 + zeros>>3
			k = key{low, high << (71 - zeros)}
		}
		if class := charClass[text[n]]; n < shortName && charSpace <= class && class <= charClose && k.high < isLong {
			if name := t.find(k, text[:n]); name != noSym {
				return name, i + n
			}
		}
	}
	end := scanWord(t.src, i+1)
	if dropped {
		text := t.src[i:end]
		return t.find(keyOf(text), text), end
	}
	return t.intern(i, end), end
}

// comment returns the position after the comment at i. A comment without a line end is not a comment, and its first
// character is copied to the output. By then, the official program has read the whole input in search of the line end.
func (s *Scrambler) comment(i int) int {
	if !s.lastLine {
		if n := bytes.IndexByte(s.src[i:], '\n'); n >= 0 {
			return i + n + 1
		}
		s.lastRead, s.lastLine = min(s.lastRead, i), true
	}
	s.out = append(s.out, ';')
	return i + 1
}

// rareToken completes a token that begins with neither a letter nor a parenthesis.
func (s *Scrambler) rareToken(kind tokenKind, start, end int) {
	s.tok, s.start, s.pos, s.name = kind, start, end, noSym
	c, text := s.src[start], s.src[start:end]
	switch {
	case s.discard && kind == tokKeyword:
		s.name = s.names.find(keyOf(text), text)
	case s.discard: // a dropped name needs no entry
	case (c == '"' || c == '|') && bytes.IndexByte(text, 0) >= 0:
		s.reject(msgUndefined, "a zero byte in a string or a quoted symbol")
		return
	case kind.constant():
		s.name = s.names.constant(start, end)
	default:
		s.name = s.names.intern(start, end)
	}
	if kind == tokKeyword && isReserved(s.name) {
		s.tok = tokReserved
	}
}

// scanRare scans a token. It returns tokEOF and i for a stray character. For a string or quoted symbol that is never
// closed, it returns tokEOF and the end of the text.
func scanRare(src []byte, i int) (tokenKind, int) {
	switch charClass[src[i]] {
	case charDigit:
		return scanNumber(src, i)
	case charQuote:
		return scanString(src, i)
	case charBar:
		if n := bytes.IndexByte(src[i+1:], '|'); n >= 0 {
			return tokSymbol, i + n + 2
		}
		return tokEOF, len(src)
	case charColon:
		if end := scanWord(src, i+1); end > i+1 {
			return tokKeyword, end
		}
	case charHash:
		return scanBits(src, i)
	}
	return tokEOF, i
}

func scanWord(src []byte, i int) int {
	for i < len(src) && charClass[src[i]] >= charDigit {
		i++
	}
	return i
}

func scanDigits(src []byte, i int) int {
	for i < len(src) && charClass[src[i]] == charDigit {
		i++
	}
	return i
}

// scanNumber scans digits, digits "." digits, or a longer symbol that begins with them.
func scanNumber(src []byte, i int) (tokenKind, int) {
	kind, end := tokNumeral, scanDigits(src, i)
	if end < len(src) && src[end] == '.' {
		if fraction := scanDigits(src, end+1); fraction > end+1 {
			kind, end = tokDecimal, fraction
		}
	}
	if word := scanWord(src, end); word > end {
		return tokSymbol, word
	}
	return kind, end
}

// scanString scans a string. A doubled quote does not end it.
func scanString(src []byte, i int) (tokenKind, int) {
	for j := i + 1; ; j += 2 {
		n := bytes.IndexByte(src[j:], '"')
		if n < 0 {
			return tokEOF, len(src)
		}
		if j += n; j+1 == len(src) || src[j+1] != '"' {
			return tokString, j + 1
		}
	}
}

// scanBits scans #x or #b and the digits that follow.
func scanBits(src []byte, i int) (tokenKind, int) {
	if i+1 >= len(src) {
		return tokEOF, i
	}
	j := i + 2
	switch src[i+1] {
	case 'x':
		for j < len(src) && isHexDigit(src[j]) {
			j++
		}
	case 'b':
		for j < len(src) && (src[j] == '0' || src[j] == '1') {
			j++
		}
	}
	if j == i+2 {
		return tokEOF, i
	}
	return tokBits, j
}

func isHexDigit(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
