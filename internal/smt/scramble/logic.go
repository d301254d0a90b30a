package scramble

import "bytes"

// action defines what happens when an application is closed, depending on its head.
type action struct {
	shuffles bool
	from     int8 // index of the first argument to shuffle
	mirror   sym  // head that replaces this one when the arguments are reversed, or noSym
}

// actions holds the actions of a logic's special heads.
type actions [numWords]action

// logicActions chooses actions by substrings of the logic's name, like the official program.
func logicActions(logic []byte) *actions {
	has := func(part string) bool { return bytes.Contains(logic, []byte(part)) }
	a := baseActions
	if !has("IDL") && !has("RDL") {
		a.commute(wEq)
	}
	if has("IA") || has("RA") {
		a.commute(wPlus, wTimes)
		a.mirror(wLess, wGreater)
		a.mirror(wLessEq, wGreaterEq)
	}
	if has("BV") {
		a.commute(wBvand, wBvor, wBvxor, wBvnand, wBvnor, wBvcomp, wBvadd, wBvmul)
		a.mirror(wBvslt, wBvsgt)
		a.mirror(wBvsle, wBvsge)
		a.mirror(wBvult, wBvugt)
		a.mirror(wBvule, wBvuge)
	}
	if has("FP") {
		a.commute(wFpEq)
		a[wFpAdd] = action{shuffles: true, from: 1} // the first argument is the rounding mode
		a[wFpMul] = action{shuffles: true, from: 1}
		a.mirror(wFpLt, wFpGt)
		a.mirror(wFpLeq, wFpGeq)
	}
	return &a
}

// baseActions holds the actions of every logic, which also apply before set-logic.
var baseActions = func() (a actions) {
	a.commute(wAnd, wOr, wXor, wDistinct)
	return a
}()

func (a *actions) commute(heads ...sym) {
	for _, h := range heads {
		a[h].shuffles = true
	}
}

func (a *actions) mirror(x, y sym) { a[x].mirror, a[y].mirror = y, x }
