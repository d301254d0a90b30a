package smtlib

import (
	"bytes"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// benchmarkWord reports whether src begins like a benchmark in version 1.2, and returns the offset after its first
// word.
func benchmarkWord(src []byte) (int, bool) {
	s := inspector{src: src}
	if s.token().Kind != LParen {
		return 0, false
	}
	word := s.token()
	return s.pos, word.Kind == Symbol && string(src[word.Start:word.End]) == "benchmark"
}

// inspectV1 reads a benchmark in version 1.2, starting after its first word:
//
//	(benchmark NAME :attribute value ... )
//
// where a value is a symbol, a number, a string, a list, or any text in braces. Attributes may occur in any order. In
// strings and braces, a backslash escapes the next character.
//
// Source: The SMT-LIB Standard, version 1.2, section 7 and appendix A.
func (s *inspector) inspectV1(at int) {
	s.pos = at
	s.info.Version1, s.info.Declares = true, "1.2"
	s.depth(1)
	if name := s.token(); name.Kind == Symbol {
		s.info.Name = string(s.src[name.Start:name.End])
	} else {
		s.failAt(name, "the name of the benchmark")
	}
	for s.err == nil {
		switch tok := s.token(); tok.Kind {
		case Keyword:
			s.attributeV1(s.src[tok.Start:tok.End])
		case RParen:
			s.endV1()
			return
		default:
			s.failAt(tok, "an attribute, as :logic, or the end of the benchmark")
		}
	}
}

// endV1 checks that the required attributes are present and that nothing follows the benchmark.
func (s *inspector) endV1() {
	if tok := s.token(); tok.Kind != EOF {
		s.failAt(tok, "the end of the file after the benchmark")
		return
	}
	end := Token{EOF, uint32(len(s.src)), uint32(len(s.src))}
	switch {
	case s.info.Logic == "":
		s.failAt(end, "a benchmark with the attribute :logic")
	case s.info.CheckSats == 0:
		s.failAt(end, "a benchmark with the attribute :formula")
	default:
		for range s.info.CheckSats {
			s.info.Statuses = append(s.info.Statuses, s.status)
		}
	}
}

// attributeV1 reads the value of an attribute.
func (s *inspector) attributeV1(key []byte) {
	switch string(key) {
	case ":logic":
		s.info.Logic = comp.Logic(s.wordV1())
	case ":status":
		s.setStatus(s.token())
	case ":source":
		s.info.Source = s.wordV1()
	case ":category":
		s.info.Category = s.wordV1()
	case ":license":
		s.info.Licence = s.wordV1()
	case ":difficulty":
		s.info.Difficulty = s.wordV1()
	case ":extrasorts":
		s.sortsV1()
	case ":extrafuns":
		s.declarationsV1(func(words int) { s.functionV1(words - 2) }) // a name, argument sorts, result sort
	case ":extrapreds":
		s.declarationsV1(func(words int) { s.functionV1(words - 1) })
	case ":formula":
		s.info.Asserts++
		s.info.CheckSats++
		s.valueV1()
	case ":assumption":
		s.info.Asserts++
		s.valueV1()
	default:
		s.optionalV1()
	}
}

// optionalV1 skips the value, if any, of an attribute that attributeV1 does not handle.
func (s *inspector) optionalV1() {
	before := s.pos
	tok := s.token()
	s.pos = before
	if tok.Kind != Keyword && tok.Kind != RParen {
		s.valueV1()
	}
}

// valueV1 skips a value: an atom, a list, or text in braces.
func (s *inspector) valueV1() {
	switch tok := s.tokenV1(); tok.Kind {
	case LParen:
		s.skipV1(int(tok.Start))
	case RParen, EOF, Keyword, UnclosedString, UnclosedSymbol, Illegal:
		s.failAt(tok, "the value of an attribute")
	}
}

// tokenV1 reads a token. Text in braces has the kind QuotedSymbol, and ?x and $x have the kind Symbol.
func (s *inspector) tokenV1() Token {
	tok := s.token()
	closing := byte('}')
	switch {
	case tok.Kind == Illegal && s.src[tok.Start] == '{':
	case tok.Kind == String || tok.Kind == UnclosedString:
		closing = '"'
	default:
		return tok
	}
	end := closingV1(s.src, int(tok.Start), closing)
	if end < 0 {
		rest := Token{UnclosedString, tok.Start, uint32(len(s.src))}
		if s.err == nil && closing == '}' {
			s.failAt(rest, "the closing brace of a text")
			s.err.Found = "a text in braces without its closing one"
		}
		s.failAt(rest, "the closing quote of a string")
		return Token{EOF, uint32(len(s.src)), uint32(len(s.src))}
	}
	s.pos = end
	if closing == '}' {
		return Token{QuotedSymbol, tok.Start, uint32(end)}
	}
	return Token{String, tok.Start, uint32(end)}
}

// closingV1 returns the offset after the brace or quote that closes the one at i, or -1. In the text between them, \
// escapes the next character.
func closingV1(src []byte, i int, closing byte) int {
	for i++; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case closing:
			return i + 1
		}
	}
	return -1
}

// wordV1 returns a value as text. For braces or quotes, it is the content without surrounding white space.
func (s *inspector) wordV1() string {
	switch tok := s.tokenV1(); tok.Kind {
	case Symbol, Numeral, Decimal:
		return string(s.src[tok.Start:tok.End])
	case String:
		return strings.ReplaceAll(string(s.src[tok.Start+1:tok.End-1]), `\"`, `"`)
	case QuotedSymbol:
		return unescapeBraces(bytes.TrimSpace(s.src[tok.Start+1 : tok.End-1]))
	default:
		s.failAt(tok, "a word or a text in braces")
		return ""
	}
}

func unescapeBraces(text []byte) string {
	return strings.NewReplacer(`\{`, `{`, `\}`, `}`).Replace(string(text))
}

// sortsV1 counts the symbols in a list.
func (s *inspector) sortsV1() {
	open := s.openV1()
	for s.err == nil {
		switch tok := s.tokenV1(); tok.Kind {
		case RParen:
			return
		case Symbol:
			s.info.Symbols.Sorts++
		case EOF, UnclosedString, UnclosedSymbol:
			s.unclosed(tok, open)
		default:
			s.failAt(tok, "the name of a sort or the end of the list")
		}
	}
}

// openV1 reads the opening parenthesis of a declaration list and returns its offset.
func (s *inspector) openV1() int {
	open := s.tokenV1()
	if open.Kind != LParen {
		s.failAt(open, "a list of declarations")
	}
	s.depth(2)
	return int(open.Start)
}

// declarationsV1 reads a list of lists (SYMBOL SORT...) and calls declare with the number of symbols in each. Lists may
// contain annotations, and sorts may have indices, as in BitVec[32].
func (s *inspector) declarationsV1(declare func(words int)) {
	open := s.openV1()
	for s.err == nil {
		switch tok := s.tokenV1(); tok.Kind {
		case LParen:
			s.depth(3)
			s.declarationV1(int(tok.Start), declare)
		case RParen:
			return
		case EOF, UnclosedString, UnclosedSymbol:
			s.unclosed(tok, open)
		default:
			s.failAt(tok, `"(" and a declaration, or the end of the list`)
		}
	}
}

func (s *inspector) declarationV1(open int, declare func(words int)) {
	words := 0
	for s.err == nil {
		switch tok := s.tokenV1(); tok.Kind {
		case Symbol:
			words++
		case RParen:
			if words == 0 {
				s.failAt(tok, "the name of what is declared")
			}
			declare(words)
			return
		case LParen:
			s.failAt(tok, "a sort or the end of the declaration")
		case EOF, UnclosedString, UnclosedSymbol:
			s.unclosed(tok, open)
		}
	}
}

// functionV1 counts a declared function with the given number of arguments.
func (s *inspector) functionV1(arguments int) {
	if arguments <= 0 {
		s.info.Symbols.Constants++
		return
	}
	s.info.Symbols.Functions++
}

// skipV1 skips a formula, which may contain text in braces.
func (s *inspector) skipV1(open int) {
	depth := 2
	s.depth(depth)
	for s.err == nil {
		i := s.pos
		for i < len(s.src) && !stops[s.src[i]] && s.src[i] != '{' {
			i++
		}
		s.pos = i
		switch tok := s.tokenV1(); tok.Kind {
		case LParen:
			depth++
			s.depth(depth)
		case RParen:
			if depth--; depth == 1 {
				return
			}
		case EOF, UnclosedString, UnclosedSymbol:
			s.unclosed(tok, open)
		case Illegal: // includes the [ and ] of indices
			if c := s.src[tok.Start]; c < ' ' || c == 0x7F {
				s.failAt(tok, "the rest of a list")
			}
		}
	}
}
