package smtlib

import (
	"math"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// Info describes a benchmark after one pass over its tokens.
type Info struct {
	Version1 bool   // in the format of SMT-LIB 1.2: (benchmark ...)
	Name     string // name of the benchmark; version 1.2 only
	Logic    comp.Logic
	// Statuses contains one status per check-sat: the :status declared since the previous check-sat, or "".
	Statuses  []comp.Status
	Category  string // value of :category, such as "industrial"
	Source    string // value of :source, without quotes or bars
	Licence   string // value of :license
	Declares  string // value of :smt-lib-version, such as "2.6"; "1.2" for a benchmark in version 1.2
	Asserts   int    // number of assert commands; in version 1.2, of assumptions and formulas
	CheckSats int    // number of check-sat commands (not check-sat-assuming); in version 1.2, of formulas

	Difficulty string // value of :difficulty; version 1.2 only
	Symbols    SymbolCounts
	MaxDepth   int // maximum nesting depth of parentheses; 1 for a command without lists
	Bytes      int64
}

// SymbolCounts contains the numbers of symbols that a benchmark declares or defines.
type SymbolCounts struct {
	Sorts        int // declare-sort, or :extrasorts
	DefinedSorts int // define-sort
	Constants    int // declare-const, and declare-fun, :extrafuns and :extrapreds without arguments
	Functions    int // declare-fun with arguments
	Definitions  int // functions from define-fun, define-fun-rec, define-funs-rec and define-const
	Datatypes    int
	Constructors int
	Selectors    int
}

// Inspect reads a benchmark in version 2 or 1.2, which it tells from the first word, without parsing its terms. The
// text is accepted if its parentheses, strings and quoted symbols are closed, if it contains no control characters
// outside of these, and if its top level consists of commands. Unknown commands are skipped. An error is a
// *SyntaxError, or ErrTooLarge for 4 GiB and more.
func Inspect(src []byte) (Info, error) {
	if uint64(len(src)) > math.MaxUint32 {
		return Info{}, ErrTooLarge
	}
	s := inspector{src: src, pairs: pairs(), info: Info{Bytes: int64(len(src))}}
	if at, ok := benchmarkWord(src); ok {
		s.inspectV1(at)
	} else {
		s.inspect()
	}
	if s.err != nil {
		return Info{}, s.err
	}
	return s.info, nil
}

// inspector reads tokens with as little work as possible. After an error, pos is at the end of the text.
type inspector struct {
	src    []byte
	pairs  *pairTable
	pos    int
	err    *SyntaxError
	info   Info
	status comp.Status // declared and not yet used by a check-sat
}

func (s *inspector) failAt(tok Token, expected string) {
	if s.err == nil {
		s.err = syntaxError(s.src, tok, expected)
	}
	s.pos = len(s.src)
}

// token reads the next token.
func (s *inspector) token() (tok Token) {
	tok, s.pos = scan(s.src, s.pos)
	return tok
}

// depth records the nesting depth d.
func (s *inspector) depth(d int) { s.info.MaxDepth = max(s.info.MaxDepth, d) }

// inspect reads the commands of a script in version 2.
func (s *inspector) inspect() {
	for {
		if s.frequent() {
			continue
		}
		tok := s.token()
		if tok.Kind == EOF {
			return
		}
		if tok.Kind != LParen {
			s.failAt(tok, `"(" and a command`)
			return
		}
		s.depth(1)
		name := s.token()
		if name.Kind != Symbol {
			s.failAt(name, "the name of a command")
			return
		}
		s.command(s.src[name.Start:name.End], int(tok.Start))
	}
}

// frequent reads an assertion or a constant's declaration in the usual layout, which nearly all commands have. It
// exists only for speed.
func (s *inspector) frequent() bool {
	const assert, declare = "(assert", "(declare-fun "
	src, open := s.src, s.pos
	for open < len(src) && classes[src[open]] == classSpace {
		open++
	}
	switch rest := src[open:]; {
	case len(rest) > len(assert) && string(rest[:len(assert)]) == assert && classes[rest[len(assert)]] < classDigit:
		s.info.Asserts++
		s.pos = open + len(assert)
	case len(rest) > len(declare) && string(rest[:len(declare)]) == declare &&
		classes[rest[len(declare)]] == classSymbol:
		end := open + len(declare)
		for end < len(src) && classes[src[end]] >= classDigit {
			end++
		}
		if rest := src[end:]; len(rest) < 3 || string(rest[:3]) != " ()" {
			return false
		}
		s.depth(2)
		s.info.Symbols.Constants++
		s.pos = end + 3
	default:
		return false
	}
	s.depth(1)
	s.skip(1, open)
	return true
}

// command reads the rest of a command after its name.
func (s *inspector) command(name []byte, open int) {
	switch string(name) {
	case "assert":
		s.info.Asserts++
	case "check-sat":
		s.info.CheckSats++
		s.info.Statuses = append(s.info.Statuses, s.status)
		s.status = ""
	case "set-logic":
		if tok := s.token(); tok.Kind == Symbol || tok.Kind == QuotedSymbol {
			s.info.Logic = comp.Logic(s.plain(tok))
		} else {
			s.failAt(tok, "the name of a logic")
		}
	case "set-info":
		s.setInfo()
		return
	case "declare-sort":
		s.info.Symbols.Sorts++
	case "define-sort":
		s.info.Symbols.DefinedSorts++
	case "declare-const":
		s.info.Symbols.Constants++
	case "declare-fun":
		s.declareFun()
	case "define-fun", "define-fun-rec", "define-const":
		s.info.Symbols.Definitions++
	case "define-funs-rec":
		s.info.Symbols.Definitions += s.lists(open)
	case "declare-datatype":
		s.info.Symbols.Datatypes++
		s.datatypes(open, 2)
		return
	case "declare-datatypes":
		s.info.Symbols.Datatypes += s.lists(open)
		s.datatypes(open, 3)
		return
	}
	s.skip(1, open)
}

// setInfo reads the rest of (set-info KEYWORD VALUE) after the command's name.
func (s *inspector) setInfo() {
	key := s.token()
	if key.Kind != Keyword {
		s.failAt(key, "a keyword, as :status")
		return
	}
	value := s.token()
	switch value.Kind {
	case RParen:
		return
	case LParen:
		s.depth(2)
		s.skip(2, int(value.Start))
	case EOF, UnclosedString, UnclosedSymbol, Illegal:
		s.failAt(value, "a value")
		return
	default:
		s.setAttribute(s.src[key.Start:key.End], value)
	}
	if end := s.token(); end.Kind != RParen {
		s.failAt(end, `")" after the value`)
	}
}

// setAttribute sets the field of Info for an attribute, if there is one.
func (s *inspector) setAttribute(key []byte, value Token) {
	switch string(key) {
	case ":status":
		s.setStatus(value)
	case ":category":
		s.info.Category = s.plain(value)
	case ":source":
		s.info.Source = s.plain(value)
	case ":license":
		s.info.Licence = s.plain(value)
	case ":smt-lib-version":
		s.info.Declares = s.plain(value)
	}
}

func (s *inspector) setStatus(value Token) {
	status, err := comp.ParseStatus(s.plain(value))
	if err != nil {
		s.failAt(value, "sat, unsat or unknown")
	}
	s.status = status
}

// plain returns the text of a value without quotes or bars.
func (s *inspector) plain(value Token) string {
	text := s.src[value.Start:value.End]
	switch value.Kind {
	case String:
		return strings.ReplaceAll(string(text[1:len(text)-1]), `""`, `"`)
	case QuotedSymbol:
		return string(text[1 : len(text)-1])
	}
	return string(text)
}

// declareFun distinguishes constants from functions: only a constant's name is followed by ().
func (s *inspector) declareFun() {
	if name := s.token(); name.Kind != Symbol && name.Kind != QuotedSymbol {
		s.failAt(name, "the name of a function")
		return
	}
	if open := s.token(); open.Kind != LParen {
		s.failAt(open, `"(" and the sorts of the arguments`)
		return
	}
	s.depth(2)
	before := s.pos
	if s.token().Kind == RParen {
		s.info.Symbols.Constants++
		return
	}
	s.info.Symbols.Functions++
	s.pos = before
	s.skip(2, before-1)
}

// lists reads inside the command at open until the first list in it is closed, and returns the number of lists directly
// inside that list.
func (s *inspector) lists(open int) (n int) {
	depth := 1
	for {
		switch tok := s.token(); tok.Kind {
		case LParen:
			depth++
			s.depth(depth)
			if depth == 3 {
				n++
			}
		case RParen:
			if depth--; depth <= 1 {
				return n
			}
		case EOF, UnclosedString, UnclosedSymbol, Illegal:
			s.unclosed(tok, open)
			return n
		}
	}
}

// datatypes counts constructors and selectors up to the end of a command. A datatype's list of constructors is at depth
// level, or two levels deeper inside par, where the first list contains the parameters.
func (s *inspector) datatypes(open, level int) {
	depth, par := 1, 0
	lists := 0 // number of lists so far directly inside par
	for s.err == nil {
		switch tok := s.token(); tok.Kind {
		case LParen:
			depth++
			s.depth(depth)
			if par == 1 && depth == level+1 {
				lists++
			}
			switch {
			case par == 1 && lists < 2:
			case depth == level+1+par:
				s.info.Symbols.Constructors++
			case depth == level+2+par:
				s.info.Symbols.Selectors++
			}
		case RParen:
			if depth == level {
				par, lists = 0, 0
			}
			if depth--; depth == 0 {
				return
			}
		case Symbol:
			if depth == level && string(s.src[tok.Start:tok.End]) == "par" {
				par = 1
			}
		case EOF, UnclosedString, UnclosedSymbol, Illegal:
			s.unclosed(tok, open)
		}
	}
}

// unclosed reports that the parenthesis at open is not closed, because the text ends or contains an error.
func (s *inspector) unclosed(tok Token, open int) {
	what := "the closing parenthesis"
	if open < len(s.src) {
		what += " of the one of " + PositionAt(s.src, open).String()
	}
	s.failAt(tok, what)
}
