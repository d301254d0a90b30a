package smtlib

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Position is a position in a text. Line and Column count from 1, and a column is one byte. Offset counts bytes from 0.
type Position struct {
	Offset, Line, Column int
}

// String returns the position as "line 3, column 7".
func (p Position) String() string { return fmt.Sprintf("line %d, column %d", p.Line, p.Column) }

// PositionAt returns the position of an offset in src. It takes time linear in offset.
func PositionAt[T source](src T, offset int) Position {
	p := Position{Offset: min(max(offset, 0), len(src)), Line: 1}
	start := 0 // start of the line
	for i := range p.Offset {
		if src[i] == '\n' {
			p.Line, start = p.Line+1, i+1
		}
	}
	p.Column = p.Offset - start + 1
	return p
}

// forward returns the position of an offset after p, in time linear in the distance.
func forward(p Position, src string, offset int) Position {
	between := src[p.Offset:offset]
	last := strings.LastIndexByte(between, '\n')
	if last < 0 {
		return Position{Offset: offset, Line: p.Line, Column: p.Column + len(between)}
	}
	return Position{Offset: offset, Line: p.Line + strings.Count(between, "\n"), Column: len(between) - last}
}

// SyntaxError reports where a text violates the grammar, what was expected there, and what was found.
type SyntaxError struct {
	Position Position
	Expected string // such as "a sort"; never empty
	Found    string // such as `")"` or "the end of the file"; empty if Expected already includes it
	Inside   string // such as "the command of line 1, column 1" if the text ends within a command; otherwise empty
}

// Error returns "line 3, column 7: expected a sort, found ")"".
func (e *SyntaxError) Error() string {
	text := fmt.Sprintf("%v: expected %s", e.Position, e.Expected)
	if e.Found != "" {
		text += ", found " + e.Found
	}
	if e.Inside != "" {
		text += " inside " + e.Inside
	}
	return text
}

// syntaxError returns an error at the token tok.
func syntaxError[T source](src T, tok Token, expected string) *SyntaxError {
	return &SyntaxError{
		Position: PositionAt(src, int(tok.Start)),
		Expected: expected,
		Found:    describe(src, tok),
	}
}

// describe returns a token for an error message, shortened to fit on one line.
func describe[T source](src T, tok Token) string {
	switch tok.Kind {
	case EOF:
		return "the end of the file"
	case UnclosedString:
		return "a string without its closing quote"
	case UnclosedSymbol:
		return "a quoted symbol without its closing bar"
	case Illegal:
		r, size := utf8.DecodeRuneInString(string(src[tok.Start:min(int(tok.Start)+utf8.UTFMax, len(src))]))
		if r == utf8.RuneError && size <= 1 {
			return fmt.Sprintf("the byte %#02x", src[tok.Start])
		}
		if size == int(tok.End-tok.Start) {
			return fmt.Sprintf("the character %q", r)
		}
	}
	return quoteShort(string(src[tok.Start:min(int(tok.End), int(tok.Start)+shortText+1)]))
}

// shortText is the number of bytes of a text that error messages quote.
const shortText = 40

// quoteShort quotes the first shortText bytes of text.
func quoteShort(text string) string {
	if len(text) <= shortText {
		return `"` + text + `"`
	}
	cut := shortText
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return `"` + text[:cut] + `..."`
}
