package scramble

import "bytes"

// tokenKind is the class of a token.
type tokenKind uint8

const (
	tokEOF tokenKind = iota
	tokOpen
	tokClose
	tokSymbol
	tokReserved // a reserved word or keyword
	tokKeyword  // any other keyword
	tokNumeral
	tokDecimal
	tokBits // hexadecimal or binary
	tokString
)

// constant tells whether the token is a literal.
func (k tokenKind) constant() bool { return k >= tokNumeral }

// Classes of bytes. The order matters: see the comparisons with charDigit.
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

// next reads a token into tok, start and name. Characters that begin no token are copied to the output at once.
func (s *Scrambler) next() {
	src, i := s.src, s.pos
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
			name, end := noSym, i
			if i < len(src)-wordRoom {
				name, end = s.names.word(src, i)
			}
			if name == noSym {
				end = scanWord(src, i+1)
				name = s.names.intern(i, end)
			}
			s.start, s.pos, s.name = i, end, name
			s.tok = tokSymbol
			if s.name <= lastReserved {
				s.tok = tokReserved
			}
			return
		case charComment:
			i = s.comment(i)
		default:
			if kind, end := scanRare(src, i); kind != tokEOF {
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
	s.tok, s.start, s.pos = tokEOF, len(src), len(src)
}

// blank gives the place behind the white space at i.
func (s *Scrambler) blank(i int) int {
	for i < len(s.src) && charClass[s.src[i]] == charSpace {
		i++
	}
	return i
}

// comment gives the place behind the comment at i. Without an end of the line there is no comment: its first character is
// copied to the output. The official program has read all of the input then, in search of the end of the line.
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

// rareToken finishes a token that begins neither with a letter nor with a parenthesis.
func (s *Scrambler) rareToken(kind tokenKind, start, end int) {
	s.tok, s.start, s.pos, s.name = kind, start, end, noSym
	if s.discard && kind.constant() {
		return // constants of dropped commands need no entry
	}
	if kind.constant() {
		s.name = s.names.constant(start, end)
	} else {
		s.name = s.names.intern(start, end)
	}
	if kind == tokKeyword && s.name <= lastReserved {
		s.tok = tokReserved
	}
	if s.names.zero && !s.discard && bytes.IndexByte(s.src[start:end], 0) >= 0 {
		s.reject(msgUndefined, "a zero byte in a string or a quoted symbol")
	}
}

// scanRare reads a token or finds a stray character (tokEOF and i). A string or a quoted symbol that is never closed takes
// the rest of the text with it (tokEOF and its end).
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

// scanNumber reads digits, digits "." digits, or the longer symbol that begins with them.
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

// scanString reads a string, in which a doubled quote does not end it.
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

// scanBits reads #x or #b and the digits that follow.
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
