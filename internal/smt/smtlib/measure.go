package smtlib

import "math"

// Measures contains the sizes of a text that determine its memory requirements.
type Measures struct {
	Bytes    int
	Words    int // number of tokens other than parentheses and command names; each is at most one term
	Commands int
	Largest  int // largest number of words in one command
}

// Measure measures a text of less than 4 GiB without parsing it. The result is correct for every text that Parse
// accepts.
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
