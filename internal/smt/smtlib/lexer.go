package smtlib

import (
	"bytes"
	"strings"
)

// TokenKind is the class of a token.
type TokenKind uint8

// The kinds of tokens. The last three are errors, at which the lexer does not stop.
const (
	EOF TokenKind = iota
	LParen
	RParen
	Numeral      // 0, 42
	Decimal      // 1.5
	Hex          // #x1F
	Binary       // #b01
	String       // "a ""quoted"" word", including its quotes
	Symbol       // a simple symbol or a reserved word
	QuotedSymbol // |a symbol|, including its bars
	Keyword      // :named, including its colon

	Illegal        // a character or word that cannot begin a token
	UnclosedString // from the opening quote to the end of the text
	UnclosedSymbol // from the opening bar to the end of the text
)

// Token is the range src[Start:End] of the input.
type Token struct {
	Kind       TokenKind
	Start, End uint32
}

// Classes of bytes.
const (
	classIllegal = iota
	classSpace
	classLParen
	classRParen
	classComment
	classQuote
	classBar
	classColon
	classHash
	classDigit
	classSymbol // a symbol character other than a digit
)

// classes contains the class of each byte.
var classes = func() (t [256]uint8) {
	for c := 'a'; c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = classSymbol, classSymbol
	}
	for _, c := range "~!@$%^&*_-+=<>.?/" {
		t[c] = classSymbol
	}
	for c := '0'; c <= '9'; c++ {
		t[c] = classDigit
	}
	for _, c := range " \t\r\n" {
		t[c] = classSpace
	}
	t['('], t[')'], t[';'], t['"'] = classLParen, classRParen, classComment, classQuote
	t['|'], t[':'], t['#'] = classBar, classColon, classHash
	return t
}()

// Lexer splits a text into tokens without copying. Its zero value reads the empty text.
type Lexer struct {
	src string
	pos int
}

// NewLexer returns a lexer for src, which must be shorter than 4 GiB.
func NewLexer(src string) *Lexer { return &Lexer{src: src} }

// Text returns the token's text.
func (l *Lexer) Text(t Token) string { return l.src[t.Start:t.End] }

// Next returns the next token, and EOF at the end, even repeatedly. After an error token, it continues with the text
// after it.
func (l *Lexer) Next() (tok Token) {
	tok, l.pos = scan(l.src, l.pos)
	return tok
}

// source is the type of a text. Parse keeps it as a string, whereas Inspect only reads it.
type source interface{ string | []byte }

// scan returns the first token from i on, and the position after it.
func scan[T source](src T, i int) (Token, int) {
	for {
		if i >= len(src) {
			return Token{EOF, uint32(len(src)), uint32(len(src))}, i
		}
		switch classes[src[i]] {
		case classSpace:
			i++
		case classComment:
			n := indexByte(src[i:], '\n')
			if n < 0 {
				n = len(src) - i
			}
			i += n
		case classLParen:
			return Token{LParen, uint32(i), uint32(i + 1)}, i + 1
		case classRParen:
			return Token{RParen, uint32(i), uint32(i + 1)}, i + 1
		case classSymbol:
			end := i + 1
			for end < len(src) && classes[src[end]] >= classDigit {
				end++
			}
			return Token{Symbol, uint32(i), uint32(end)}, end
		default:
			kind, end := scanOther(src, i)
			return Token{kind, uint32(i), uint32(end)}, end
		}
	}
}

// indexByte returns the index of the first c, or -1.
func indexByte[T source](src T, c byte) int {
	switch src := any(src).(type) {
	case string:
		return strings.IndexByte(src, c)
	case []byte:
		return bytes.IndexByte(src, c)
	}
	return -1
}

// scanOther reads a token that begins with neither a parenthesis nor a letter.
func scanOther[T source](src T, i int) (TokenKind, int) {
	switch classes[src[i]] {
	case classDigit:
		return scanNumber(src, i)
	case classQuote:
		return scanString(src, i)
	case classBar:
		if n := indexByte(src[i+1:], '|'); n >= 0 {
			return QuotedSymbol, i + n + 2
		}
		return UnclosedSymbol, len(src)
	case classColon:
		end := scanWord(src, i+1)
		if end == i+1 {
			return Illegal, end
		}
		return Keyword, end
	case classHash:
		return scanHash(src, i)
	}
	end := i + 1
	for end < len(src) && src[end] >= 0x80 && src[end] < 0xC0 { // the remaining bytes of a UTF-8 character
		end++
	}
	return Illegal, end
}

// scanWord returns the end of the symbol characters that start at i.
func scanWord[T source](src T, i int) int {
	for i < len(src) && classes[src[i]] >= classDigit {
		i++
	}
	return i
}

// scanNumber reads a numeral or decimal. A number directly followed by a letter is illegal as a whole.
func scanNumber[T source](src T, i int) (TokenKind, int) {
	kind, end := Numeral, scanDigits(src, i)
	if end+1 < len(src) && src[end] == '.' && classes[src[end+1]] == classDigit {
		kind, end = Decimal, scanDigits(src, end+1)
	}
	if word := scanWord(src, end); word > end {
		return Illegal, word
	}
	return kind, end
}

func scanDigits[T source](src T, i int) int {
	for i < len(src) && classes[src[i]] == classDigit {
		i++
	}
	return i
}

// scanString reads a string, in which a doubled quote represents one quote.
func scanString[T source](src T, i int) (TokenKind, int) {
	for i++; i < len(src); i++ {
		if src[i] != '"' {
			continue
		}
		if i+1 == len(src) || src[i+1] != '"' {
			return String, i + 1
		}
		i++
	}
	return UnclosedString, len(src)
}

// scanHash reads #x or #b and at least one digit.
func scanHash[T source](src T, i int) (TokenKind, int) {
	end := scanWord(src, i+1)
	if end < i+3 {
		return Illegal, end
	}
	kind, digit := Hex, isHexDigit
	switch src[i+1] {
	case 'x':
	case 'b':
		kind, digit = Binary, isBinaryDigit
	default:
		return Illegal, end
	}
	for _, c := range []byte(src[i+2 : end]) {
		if !digit(c) {
			return Illegal, end
		}
	}
	return kind, end
}

func isBinaryDigit(c byte) bool { return c == '0' || c == '1' }

func isHexDigit(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
