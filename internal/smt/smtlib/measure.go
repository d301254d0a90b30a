package smtlib

import "math"

// Measures holds the sizes of a text that determine its memory needs.
type Measures struct {
	Bytes    int
	Words    int // tokens other than parentheses and names of commands; each is at most one term
	Commands int
	Largest  int // words of the command that has the most
}

// Measure counts without parsing, for texts of less than 4 GiB. It is correct for every text that Parse accepts.
func Measure(src []byte) Measures {
	m := Measures{Bytes: len(src)}
	if uint64(len(src)) > math.MaxUint32 {
		return m
	}
	lex := NewLexer(string(src))
	depth, words := 0, 0
	for tok := lex.Next(); tok.Kind != EOF; tok = lex.Next() {
		switch tok.Kind {
		case LParen:
			if depth == 0 {
				m.Commands++
				words = -1
			}
			depth++
		case RParen:
			depth--
		case Illegal, UnclosedString, UnclosedSymbol:
			return m
		default:
			if words++; words > 0 {
				m.Words++
			}
			m.Largest = max(m.Largest, words)
		}
	}
	return m
}
