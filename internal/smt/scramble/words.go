package scramble

// Fixed entries of every table of names: first the reserved words and keywords of the official scrambler's grammar,
// which cannot be symbols, then the symbols that the scrambler treats specially, then words that only the printer
// needs.
const (
	noSym sym = iota

	wBang
	wUnderscore
	wAs
	wExists
	wForall
	wLet
	wMatch
	wAssert
	wCheckSat
	wDeclareConst
	wDeclareDatatype
	wDeclareDatatypes
	wDeclareFun
	wDeclareSort
	wDefineFun
	wDefineSort
	wEcho
	wExit
	wPop
	wPush
	wReset
	wSetInfo
	wSetLogic
	wSetOption
	wGetUnsatCore
	wPattern
	wNamed
	wQid
	wNoPattern
	wSkolemid
	wLblpos
	wLblneg
	wWeight
	lastReserved = wWeight
)

const (
	wAnd sym = lastReserved + 1 + iota
	wOr
	wXor
	wDistinct
	wEq
	wPlus
	wTimes
	wBvand
	wBvor
	wBvxor
	wBvnand
	wBvnor
	wBvcomp
	wBvadd
	wBvmul
	wFpEq
	wFpAdd
	wFpMul
	wLess
	wGreater
	wLessEq
	wGreaterEq
	wBvslt
	wBvsgt
	wBvsle
	wBvsge
	wBvult
	wBvugt
	wBvule
	wBvuge
	wFpLt
	wFpGt
	wFpLeq
	wFpGeq
	wZero
	wOne
	wPrintSuccess
	wProduceUnsatCores
	wTrue
	wFalse
	wEmptyList
	wHiddenBang
	numWords
)

// wordList is in the order of the constants.
var wordList = [numWords]string{
	"",
	"!", "_", "as", "exists", "forall", "let", "match",
	"assert", "check-sat", "declare-const", "declare-datatype", "declare-datatypes", "declare-fun", "declare-sort",
	"define-fun", "define-sort", "echo", "exit", "pop", "push", "reset", "set-info", "set-logic", "set-option",
	"get-unsat-core",
	":pattern", ":named", ":qid", ":no-pattern", ":skolemid", ":lblpos", ":lblneg", ":weight",
	"and", "or", "xor", "distinct", "=", "+", "*",
	"bvand", "bvor", "bvxor", "bvnand", "bvnor", "bvcomp", "bvadd", "bvmul",
	"fp.eq", "fp.add", "fp.mul",
	"<", ">", "<=", ">=",
	"bvslt", "bvsgt", "bvsle", "bvsge", "bvult", "bvugt", "bvule", "bvuge",
	"fp.lt", "fp.gt", "fp.leq", "fp.geq",
	"0", "1", ":print-success", ":produce-unsat-cores", "true", "false", "()", "",
}

// wordKeys holds the keys of the words. Words without a text are never looked up.
var wordKeys = func() (keys [numWords]key) {
	for s, w := range wordList {
		if w != "" {
			keys[s] = keyOf([]byte(w))
		}
	}
	return keys
}()
