package scramble

import (
	"bytes"
	"strconv"
)

// commandKind classifies a collected command.
type commandKind uint8

const (
	cmdOther commandKind = iota // body is the whole command
	cmdDeclareFun
	cmdAssert // body is the asserted term
	cmdCheckSat
	cmdRepeated // body is the whole command, printed count times
)

// command is a collected command of a chunk.
type command struct {
	kind  commandKind
	count uint32 // for cmdRepeated
	body  word
}

// maxRepeat limits the numeral of push and pop, which expand to that many commands.
const maxRepeat = 1_000_000

// commands reads the whole input and prints it chunk by chunk.
func (s *Scrambler) commands() {
	s.lastRead = s.findLastRead()
	s.openWindow()
	for s.rejection == nil {
		s.next()
		if s.tok == tokOpen {
			s.next()
			s.command()
		}
		if s.rejection == nil && (s.tok == tokEOF || s.pos > s.lastRead) {
			s.printChunk()
			return
		}
	}
}

// command reads a command after its opening parenthesis. It does not read past the closing one, because characters
// after it must not be copied to the output before the command has taken effect.
func (s *Scrambler) command() {
	name := s.name
	if s.tok != tokReserved || name < wAssert || name > wGetUnsatCore {
		s.syntax("a command of the competition")
		return
	}
	s.discard = name == wSetInfo || name == wEcho || name == wSetOption && !s.opt.NonSMTCOMP
	s.next()
	s.arguments(name)
	s.discard = false
	if len(s.names.entries) > maxNames {
		s.reject(msgTooLarge, "more than 2^29 distinct names")
	}
	switch {
	case s.rejection != nil:
	case s.countOnly:
		s.forgetChunk()
	case len(s.chunk) > 0 && s.chunk[len(s.chunk)-1].kind == cmdCheckSat:
		s.printChunk()
	}
}

// arguments reads the rest of a command and collects the parts to keep.
func (s *Scrambler) arguments(name sym) {
	switch name {
	case wSetLogic:
		s.setLogic()
	case wSetInfo:
		s.setInfo()
	case wSetOption:
		s.setOption()
	case wDeclareSort:
		s.declareSort()
	case wDefineSort:
		s.defineSort()
	case wDeclareFun, wDeclareConst:
		s.declareFun(name == wDeclareFun)
	case wDefineFun:
		s.defineFun()
	case wDeclareDatatype:
		s.declareDatatype()
	case wDeclareDatatypes:
		s.declareDatatypes()
	case wAssert:
		w := s.term()
		s.end()
		s.asserts++
		s.collect(cmdAssert, w)
	case wCheckSat:
		s.end()
		s.collect(cmdCheckSat, s.list(fixed(wCheckSat)))
	case wExit:
		s.end()
		s.collect(cmdOther, s.list(fixed(wExit)))
	case wReset:
		s.reset()
	case wPush, wPop:
		s.pushPop(name)
	case wEcho:
		if s.tok != tokString {
			s.syntax("a string")
		}
		s.next()
		s.end()
	case wGetUnsatCore:
		s.end()
	}
}

func (s *Scrambler) collect(kind commandKind, body word) {
	s.chunk = append(s.chunk, command{kind: kind, body: body})
}

// end checks for a command's closing parenthesis without reading past it.
func (s *Scrambler) end() {
	if s.tok != tokClose {
		s.syntax("the end of the command")
	}
}

// expect reads one token of the given kind.
func (s *Scrambler) expect(kind tokenKind, expected string) {
	if s.tok != kind {
		s.syntax(expected)
		return
	}
	s.next()
}

// symbol reads a symbol.
func (s *Scrambler) symbol(expected string) sym {
	if s.tok != tokSymbol {
		s.syntax(expected)
		return noSym
	}
	name := s.name
	s.next()
	return name
}

func (s *Scrambler) setLogic() {
	at := s.start
	logic := s.symbol("the name of a logic")
	s.end()
	if s.rejection != nil {
		return
	}
	if s.actions != nil {
		s.start = at
		s.reject(msgLogicSet, "a second set-logic")
		return
	}
	s.actions = logicActions(s.names.text(logic))
	s.collect(cmdOther, s.list(fixed(wSetLogic), verbatim(logic)))
}

func (s *Scrambler) setInfo() {
	s.expect(tokKeyword, "a keyword")
	if s.tok != tokClose {
		s.value()
	}
	s.end()
}

// setOption drops the two options that the competition recognises, because the tracks set them themselves.
func (s *Scrambler) setOption() {
	at, key := s.start, s.name
	s.expect(tokKeyword, "a keyword")
	value := s.value()
	s.end()
	switch {
	case s.opt.NonSMTCOMP:
		s.collect(cmdOther, s.list(fixed(wSetOption), verbatim(key), value))
	case key == wPrintSuccess && value == verbatim(wFalse):
	case key == wProduceUnsatCores && value == verbatim(wTrue):
	default:
		s.start = at
		s.reject(msgCommand("set-option"), "an option that the competition does not use")
	}
}

// value reads a constant, a symbol, or a list of constants, symbols, keywords and lists. It returns 0 for a list that
// is dropped.
func (s *Scrambler) value() word {
	if s.discard && s.tok == tokOpen {
		s.skipList()
		return 0
	}
	bottom := len(s.sortBases)
	for {
		var w word
		switch {
		case s.tok == tokOpen:
			s.sortBases = append(s.sortBases, uint32(len(s.ops)))
			s.next()
			continue
		case s.tok == tokClose && len(s.sortBases) > bottom:
			base := s.sortBases[len(s.sortBases)-1]
			s.sortBases = s.sortBases[:len(s.sortBases)-1]
			w = s.popList(int(base))
		case s.tok == tokSymbol, s.tok.constant(), s.tok == tokKeyword && len(s.sortBases) > bottom:
			w = verbatim(s.name)
		default:
			s.syntax("a value")
			s.sortBases = s.sortBases[:bottom]
			return 0
		}
		s.next()
		if len(s.sortBases) == bottom {
			return w
		}
		s.ops = append(s.ops, w)
	}
}

// skipList skips a list, tracking only its depth.
func (s *Scrambler) skipList() {
	depth := 0
	for {
		switch {
		case s.tok == tokOpen:
			depth++
		case s.tok == tokClose:
			depth--
		case s.tok == tokSymbol, s.tok == tokKeyword, s.tok.constant():
		default:
			s.syntax("a value")
			return
		}
		s.next()
		if depth == 0 {
			return
		}
	}
}

func (s *Scrambler) reset() {
	s.end()
	if !s.opt.NonSMTCOMP {
		s.reject(msgCommand("reset"), "reset")
		return
	}
	s.collect(cmdOther, s.list(fixed(wReset)))
}

// pushPop collects push N or pop N as N commands of one level each.
func (s *Scrambler) pushPop(name sym) {
	if s.tok != tokNumeral {
		s.syntax("a numeral")
		return
	}
	n, err := strconv.ParseUint(string(s.names.text(s.name)), 10, 32)
	if err != nil || n > maxRepeat {
		s.reject(msgUndefined, "push and pop of more than "+strconv.Itoa(maxRepeat)+" levels")
		return
	}
	one := fixed(wOne)
	s.next()
	s.end()
	if n > 0 {
		s.chunk = append(s.chunk, command{kind: cmdRepeated, count: uint32(n), body: s.list(fixed(name), one)})
	}
}

// zeroArity reads a numeral, which must equal 0, and checks for the closing parenthesis after it. It returns the
// numeral, and false if the arity is not 0.
func (s *Scrambler) zeroArity(message, detail string) (arity sym, ok bool) {
	if s.tok != tokNumeral {
		s.syntax("a numeral")
	}
	at, arity := s.start, s.name
	s.next()
	s.end()
	if s.rejection == nil && len(bytes.Trim(s.names.text(arity), "0")) > 0 {
		s.start = at
		s.reject(message, detail)
		return arity, false
	}
	return arity, true
}

func (s *Scrambler) declareSort() {
	name := s.symbol("the name of a sort")
	arity, ok := s.zeroArity(msgSortArity, "a sort with parameters")
	if !ok {
		return
	}
	s.declare(name)
	s.collect(cmdOther, s.list(fixed(wDeclareSort), renamed(name), fixed(arity)))
}

func (s *Scrambler) defineSort() {
	name := s.symbol("the name of a sort")
	s.expect(tokOpen, "an empty list of parameters")
	s.expect(tokClose, "an empty list of parameters")
	sort := s.sort()
	s.end()
	s.declare(name)
	s.collect(cmdOther, s.list(fixed(wDefineSort), renamed(name), s.list(), sort))
}

// declareFun reads declare-fun or declare-const, and collects either as declare-fun.
func (s *Scrambler) declareFun(withArguments bool) {
	name := s.symbol("the name of a function")
	base := len(s.ops)
	if withArguments {
		s.expect(tokOpen, "the sorts of the arguments")
		for s.tok != tokClose && s.tok != tokEOF {
			s.ops = append(s.ops, s.sort())
		}
		s.expect(tokClose, "a sort")
	}
	args := s.popList(base)
	sort := s.sort()
	s.end()
	s.declare(name)
	s.collect(cmdDeclareFun, s.list(fixed(wDeclareFun), renamed(name), args, sort))
}

func (s *Scrambler) defineFun() {
	name := s.symbol("the name of a function")
	params := s.sortedVars(0, "the parameters")
	sort := s.sort()
	body := s.term()
	s.end()
	s.declare(name)
	s.collect(cmdOther, s.list(fixed(wDefineFun), renamed(name), params, sort, body))
}
