package smtlib

import (
	"slices"
	"sync"
)

// Syms that every script contains, interned in this order before all others.
const (
	_ Sym = iota
	symBang
	symUnderscore
	symAs
	symExists
	symForall
	symLambda
	symLet
	symMatch
	symPar
	lastReserved = symPar
)

// Keywords that the parser interprets.
const (
	symNamed Sym = lastReserved + 1 + iota
	symPattern
	symNoPattern
	symBinaryWord
	symDecimalWord
	symHexadecimalWord
	symNumeralWord
	symStringWord
	firstCommand // followed by the names of commands, by CommandKind from 1
)

// words holds the texts of the Syms from 1 to firstCommand-1.
var words = [...]string{
	"!", "_", "as", "exists", "forall", "lambda", "let", "match", "par",
	":named", ":pattern", ":no-pattern",
	"BINARY", "DECIMAL", "HEXADECIMAL", "NUMERAL", "STRING",
}

// commandNames holds the names of commands.
var commandNames = [...]string{
	CmdNone:                 "",
	CmdAssert:               "assert",
	CmdCheckSat:             "check-sat",
	CmdCheckSatAssuming:     "check-sat-assuming",
	CmdDeclareConst:         "declare-const",
	CmdDeclareDatatype:      "declare-datatype",
	CmdDeclareDatatypes:     "declare-datatypes",
	CmdDeclareFun:           "declare-fun",
	CmdDeclareSort:          "declare-sort",
	CmdDeclareSortParameter: "declare-sort-parameter",
	CmdDefineConst:          "define-const",
	CmdDefineFun:            "define-fun",
	CmdDefineFunRec:         "define-fun-rec",
	CmdDefineFunsRec:        "define-funs-rec",
	CmdDefineSort:           "define-sort",
	CmdEcho:                 "echo",
	CmdExit:                 "exit",
	CmdGetAssertions:        "get-assertions",
	CmdGetAssignment:        "get-assignment",
	CmdGetInfo:              "get-info",
	CmdGetModel:             "get-model",
	CmdGetOption:            "get-option",
	CmdGetProof:             "get-proof",
	CmdGetUnsatAssumptions:  "get-unsat-assumptions",
	CmdGetUnsatCore:         "get-unsat-core",
	CmdGetValue:             "get-value",
	CmdPop:                  "pop",
	CmdPush:                 "push",
	CmdReset:                "reset",
	CmdResetAssertions:      "reset-assertions",
	CmdSetInfo:              "set-info",
	CmdSetLogic:             "set-logic",
	CmdSetOption:            "set-option",
	CmdRefineFun:            "refine-fun",
}

// String returns the command's name, such as "check-sat".
func (k CommandKind) String() string {
	if int(k) >= len(commandNames) {
		return ""
	}
	return commandNames[k]
}

// baseSymbols returns every script's initial symbol table, which contains words and commandNames.
var baseSymbols = sync.OnceValue(func() *Symbols {
	t := newSymbols()
	for _, w := range slices.Concat(words[:], commandNames[1:]) {
		t.Intern(w)
	}
	return t
})

// commandOf returns the command with the given name, or CmdNone.
func commandOf(sym Sym) CommandKind {
	if sym < firstCommand || int(sym-firstCommand) >= len(commandNames)-1 {
		return CmdNone
	}
	return CommandKind(sym-firstCommand) + 1
}

// reservedElsewhere reports whether sym is a word that the standard reserves but this parser accepts as a symbol: the
// name of a command or of a class of constants.
func reservedElsewhere(sym Sym) bool {
	return sym >= symBinaryWord && sym < firstCommand+Sym(len(commandNames)-1)
}

// reserved reports whether sym, written without bars, is a word of the grammar that cannot be a symbol.
func reserved(sym Sym) bool { return sym <= lastReserved && sym != 0 }
