package typing

import (
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/sorts"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
)

// Placeholders in sigSeq for sorts that depend on the arguments.
const (
	aSeq  sorts.ID = -1 // sort of the sequences
	anElt sorts.ID = -2 // sort of their elements
)

// seqOps lists the functions on sequences. SMT-LIB has no theory of them; names and meanings follow cvc5 and z3. They
// work like the string functions, with arbitrary values as characters. seq.empty occurs only with its sort; see
// qualified.
var seqOps = []operator{
	{name: "seq.unit", op: term.SeqUnit, sig: func(u *use) (term.Node, error) {
		if len(u.args) != 1 {
			return u.wrong("an element")
		}
		return term.Node{Sort: u.c.Sorts.Seq(u.args[0])}, nil
	}},
	{name: "seq.nth", op: term.SeqNth, sig: sigSeq(anElt, aSeq, intID)},
	{name: "seq.++", op: term.SeqText, a: int32(term.StrConcat), sig: sigSeqConcat},
	{name: "seq.len", op: term.SeqText, a: int32(term.StrLen), sig: sigSeq(intID, aSeq)},
	{name: "seq.at", op: term.SeqText, a: int32(term.StrAt), sig: sigSeq(aSeq, aSeq, intID)},
	{name: "seq.extract", op: term.SeqText, a: int32(term.StrSubstr), sig: sigSeq(aSeq, aSeq, intID, intID)},
	{name: "seq.update", op: term.SeqText, a: int32(term.StrUpdate), sig: sigSeq(aSeq, aSeq, intID, aSeq)},
	{name: "seq.contains", op: term.SeqText, a: int32(term.StrContains), sig: sigSeq(boolID, aSeq, aSeq)},
	{name: "seq.prefixof", op: term.SeqText, a: int32(term.StrPrefix), sig: sigSeq(boolID, aSeq, aSeq)},
	{name: "seq.suffixof", op: term.SeqText, a: int32(term.StrSuffix), sig: sigSeq(boolID, aSeq, aSeq)},
	{name: "seq.indexof", op: term.SeqText, a: int32(term.StrIndexOf), sig: sigSeq(intID, aSeq, aSeq, intID)},
	{name: "seq.replace", op: term.SeqText, a: int32(term.StrReplace), sig: sigSeq(aSeq, aSeq, aSeq, aSeq)},
	{name: "seq.replace_all", op: term.SeqText, a: int32(term.StrReplaceAll), sig: sigSeq(aSeq, aSeq, aSeq, aSeq)},
	{name: "seq.rev", op: term.SeqText, a: int32(term.StrReverse), sig: sigSeq(aSeq, aSeq)},
}

// sigSeq returns a signature in which all sequences have the same sort.
func sigSeq(result sorts.ID, params ...sorts.ID) func(u *use) (term.Node, error) {
	return func(u *use) (term.Node, error) {
		seq := sorts.OpenID
		ok := len(u.args) == len(params)
		for i := 0; ok && i < len(params); i++ {
			if params[i] == aSeq {
				seq, ok = u.c.Sorts.Unify(seq, u.args[i])
			} else {
				ok = u.c.Fits(params[i], u.args[i])
			}
		}
		if !ok || u.c.Sorts.Kind(seq) != sorts.Seq {
			return u.wrong("sequences of one sort, and integers")
		}
		node := term.Node{Sort: result, A: u.op.a}
		switch result {
		case aSeq:
			node.Sort = seq
		case anElt:
			node.Sort = u.c.Sorts.At(seq).Args[0]
		}
		return node, nil
	}
}

func sigSeqConcat(u *use) (term.Node, error) {
	seq, ok := sorts.OpenID, len(u.args) > 0
	for i := 0; ok && i < len(u.args); i++ {
		seq, ok = u.c.Sorts.Unify(seq, u.args[i])
	}
	if !ok || u.c.Sorts.Kind(seq) != sorts.Seq {
		return u.wrong("sequences of one sort")
	}
	return term.Node{Sort: seq, A: u.op.a}, nil
}
