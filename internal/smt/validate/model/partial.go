package model

import (
	"slices"

	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/eval"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/sorts"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/typing"
)

// A model uses refine-fun, or define-fun as proposed before 2026, to define values that a theory leaves undefined (the
// organisers' page, smt-comp.github.io/2026/model.html, "Partial functions").

// helperNames maps z3's names for division by zero to operators. Such a function takes the dividend, or both operands.
var helperNames = map[string]term.Op{
	"/0": term.RealDiv, "div0": term.IntDiv, "mod0": term.Mod, "rem0": term.Rem,
}

// ofTheory reads a definition of a theory function. The definition applies where the theory defines no value.
func (v *validation) ofTheory(f *smtlib.Function, fn *term.Func) (int, *Result) {
	v.theory = true
	key, partial, fits := v.partialKey(f, fn)
	switch {
	case !partial:
		v.warn(f.Pos, fn.Name+" has a value for all arguments in its theory; its definition is not used")
		return v.check.Extra(fn), nil
	case !fits:
		what := "a function of a theory"
		if key.Op == term.Selector {
			what = "a selector"
		}
		return 0, v.badModel(Malformed, f.Pos, "%s is %s and cannot be defined with the sorts %s", fn.Name, what,
			v.signature(fn))
	}
	n, r := v.extend(f, fn, key)
	v.extends[n] = r == nil
	return n, r
}

// extend registers a definition for a partial function.
func (v *validation) extend(f *smtlib.Function, fn *term.Func, key eval.PartialKey) (int, *Result) {
	if _, twice := v.partial[key]; twice {
		return 0, v.badModel(Duplicate, f.Pos, "%s is defined twice", fn.Name)
	}
	fn.Refines = true
	n := v.check.Extra(fn)
	v.partial[key] = n
	return n, nil
}

// partialKey returns the function that a definition refines. partial is false if the function is total, and fits is
// false if the definition's sorts differ from the function's.
func (v *validation) partialKey(f *smtlib.Function, fn *term.Func) (key eval.PartialKey, partial, fits bool) {
	if con, field, ok := v.check.SelectorOf(f.Sym); ok {
		key = eval.PartialKey{Op: term.Selector, A: int32(con), B: int32(field)}
		if fits = len(fn.Params) == 1 && v.check.SelectorFits(f.Sym, fn.Params[0], fn.Result); fits {
			key.Sort = fn.Params[0]
		}
		return key, true, fits
	}
	op := typing.Operator(fn.Name)
	key.Op = op
	switch op {
	case term.RealDiv, term.IntDiv, term.Mod, term.Rem:
		return key, true, dividesNumbers(op, fn, 2)
	case term.Pow:
		key.Sort = fn.Result
		return key, true, takes(fn, fn.Result, fn.Result) && (fn.Result == sorts.IntID || fn.Result == sorts.RealID)
	case term.FpMin, term.FpMax:
		key.Sort = fn.Result
		return key, true, takes(fn, fn.Result, fn.Result) && v.isFloat(fn.Result)
	case term.SeqNth:
		if fits = len(fn.Params) == 2; fits {
			s := v.check.Sorts.At(fn.Params[0])
			key.Sort = fn.Params[0]
			fits = s.Kind == sorts.Seq && takes(fn, key.Sort, sorts.IntID) && fn.Result == s.Args[0]
		}
		return key, true, fits
	case term.FpToReal, term.FpToUbv, term.FpToSbv:
		key, fits = v.conversionKey(op, fn)
		return key, true, fits
	}
	return key, false, false
}

// conversionKey is like partialKey for conversions of floating-point numbers. Definitions of fp.to_ubv and fp.to_sbv
// lack the index that terms have; the result sort determines the width.
func (v *validation) conversionKey(op term.Op, fn *term.Func) (key eval.PartialKey, fits bool) {
	if len(fn.Params) == 0 {
		return key, false
	}
	from := fn.Params[len(fn.Params)-1]
	key = eval.PartialKey{Op: op, Sort: from}
	if op == term.FpToReal {
		return key, takes(fn, from) && v.isFloat(from) && fn.Result == sorts.RealID
	}
	key.A = int32(fn.Result)
	bits := v.check.Sorts.Kind(fn.Result) == sorts.BitVec
	return key, bits && takes(fn, sorts.RoundingModeID, from) && v.isFloat(from)
}

// takes reports whether a definition's parameters have the given sorts.
func takes(fn *term.Func, params ...sorts.ID) bool { return slices.Equal(fn.Params, params) }

func (v *validation) isFloat(sort sorts.ID) bool { return v.check.Sorts.Kind(sort) == sorts.Float }

// dividesNumbers reports whether a definition has the sorts of a division of two numbers or, if least is 1, those of
// the dividend alone.
func dividesNumbers(op term.Op, fn *term.Func, least int) bool {
	number := sorts.IntID
	if op == term.RealDiv {
		number = sorts.RealID
	}
	for _, p := range fn.Params {
		if p != number {
			return false
		}
	}
	return len(fn.Params) >= least && len(fn.Params) <= 2 && fn.Result == number
}
