package typing

import (
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/sorts"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
)

const (
	boolID = sorts.BoolID
	intID  = sorts.IntID
	strID  = sorts.StringID
	reID   = sorts.RegLanID
)

// strOps lists the functions of the theory of strings, including older names from z3, cvc4 and cvc5.
var strOps = []operator{
	{name: "str.++", op: term.StrConcat, sig: many(1, strID, strID)},
	{name: "str.len", op: term.StrLen, sig: fixed(intID, strID)},
	{name: "str.at", op: term.StrAt, sig: fixed(strID, strID, intID)},
	{name: "str.substr", op: term.StrSubstr, sig: fixed(strID, strID, intID, intID)},
	{name: "str.prefixof", op: term.StrPrefix, sig: fixed(boolID, strID, strID)},
	{name: "str.suffixof", op: term.StrSuffix, sig: fixed(boolID, strID, strID)},
	{name: "str.contains", op: term.StrContains, sig: fixed(boolID, strID, strID)},
	{name: "str.indexof", op: term.StrIndexOf, sig: sigIndexOf},
	{name: "str.indexof_re", op: term.StrIndexOfRe, sig: fixed(intID, strID, reID, intID)},
	{name: "str.replace", op: term.StrReplace, sig: fixed(strID, strID, strID, strID)},
	{name: "str.replace_all", op: term.StrReplaceAll, sig: fixed(strID, strID, strID, strID)},
	{name: "str.replaceall", op: term.StrReplaceAll, sig: fixed(strID, strID, strID, strID)},
	{name: "str.replace_re", op: term.StrReplaceRe, sig: fixed(strID, strID, reID, strID)},
	{name: "str.replace_re_all", op: term.StrReplaceReAll, sig: fixed(strID, strID, reID, strID)},
	{name: "str.<", op: term.StrLt, sig: many(2, strID, boolID)},
	{name: "str.<=", op: term.StrLe, sig: many(2, strID, boolID)},
	{name: "str.is_digit", op: term.StrIsDigit, sig: fixed(boolID, strID)},
	{name: "str.to_code", op: term.StrToCode, sig: fixed(intID, strID)},
	{name: "str.from_code", op: term.StrFromCode, sig: fixed(strID, intID)},
	{name: "str.to_int", op: term.StrToInt, sig: fixed(intID, strID)},
	{name: "str.to.int", op: term.StrToInt, sig: fixed(intID, strID)},
	{name: "str.from_int", op: term.StrFromInt, sig: fixed(strID, intID)},
	{name: "int.to.str", op: term.StrFromInt, sig: fixed(strID, intID)},
	{name: "str.rev", op: term.StrReverse, sig: fixed(strID, strID)},
	{name: "str.to_lower", op: term.StrLower, sig: fixed(strID, strID)},
	{name: "str.to_upper", op: term.StrUpper, sig: fixed(strID, strID)},
	{name: "str.tolower", op: term.StrLower, sig: fixed(strID, strID)},
	{name: "str.toupper", op: term.StrUpper, sig: fixed(strID, strID)},
	{name: "str.update", op: term.StrUpdate, sig: fixed(strID, strID, intID, strID)},
	{name: "str.in_re", op: term.InRe, sig: fixed(boolID, strID, reID)},
	{name: "str.in.re", op: term.InRe, sig: fixed(boolID, strID, reID)},
	{name: "str.to_re", op: term.ReFromStr, sig: fixed(reID, strID)},
	{name: "str.to.re", op: term.ReFromStr, sig: fixed(reID, strID)},
	{name: "re.none", op: term.ReNone, sig: fixed(reID)},
	{name: "re.nostr", op: term.ReNone, sig: fixed(reID)},
	{name: "re.empty", op: term.ReNone, sig: fixed(reID)},
	{name: "re.all", op: term.ReAll, sig: fixed(reID)},
	{name: "re.allchar", op: term.ReAllChar, sig: fixed(reID)},
	{name: "re.range", op: term.ReRange, sig: fixed(reID, strID, strID)},
	{name: "re.++", op: term.ReConcat, sig: many(1, reID, reID)},
	{name: "re.union", op: term.ReUnion, sig: many(1, reID, reID)},
	{name: "re.inter", op: term.ReInter, sig: many(1, reID, reID)},
	{name: "re.*", op: term.ReStar, sig: fixed(reID, reID)},
	{name: "re.+", op: term.RePlus, sig: fixed(reID, reID)},
	{name: "re.opt", op: term.ReOpt, sig: fixed(reID, reID)},
	{name: "re.comp", op: term.ReComp, sig: fixed(reID, reID)},
	{name: "re.diff", op: term.ReDiff, sig: many(2, reID, reID)},
	{name: "re.^", indices: 1, op: term.RePower, sig: sigLoop},
	{name: "re.loop", indices: 2, op: term.ReLoop, sig: sigLoop},
	{name: "re.loop", indices: 1, op: term.ReLoop, sig: sigLoop},
}

// sigIndexOf is the signature of str.indexof. It allows the older form without a start.
func sigIndexOf(u *use) (term.Node, error) {
	if u.fit(strID, strID) || u.fit(strID, strID, intID) {
		return term.Node{Sort: intID}, nil
	}
	return u.wrong("two strings and a start")
}

// sigLoop takes the bounds from the indices. z3's loop with one index has no upper bound.
func sigLoop(u *use) (term.Node, error) {
	const limit = 1 << 30
	if !u.fit(reID) || u.idx[0] > limit || u.idx[len(u.idx)-1] > limit {
		return u.wrong("a RegLan, and indices below 2^30")
	}
	node := term.Node{Sort: reID, A: int32(u.idx[0]), B: int32(u.idx[len(u.idx)-1])}
	if u.op.op == term.ReLoop && len(u.idx) == 1 {
		node.B = -1
	}
	return node, nil
}
