// Package logic knows which sorts, functions and forms of terms the logics of SMT-LIB have, and finds where a script
// leaves its logic.
//
// Anything outside of a logic is a warning, never an error: the library's benchmarks do not strictly stay in their
// logics, and solvers and model checkers accept them. A few freedoms that nearly every script takes are therefore part
// of the logics here: products and quotients are linear if all factors except one, or the divisor, are free of
// variables, whatever their form, and ite is allowed wherever its sort is.
//
// Source: the logic declarations of smt-lib.org (QF_AX, QF_IDL, QF_RDL, QF_LIA, LRA, AUFLIRA, QF_ABV, QF_UFIDL, ...);
// logics that are named but not declared there follow from the parts of their names.
package logic

import (
	"slices"
	"strings"
)

// Arrays is the kind of arrays that a logic has.
type Arrays uint8

// The restrictions on arrays.
const (
	NoArrays       Arrays = iota
	AllArrays             // over the sorts of the logic
	BitVecArrays          // QF_ABV: index and element are bit-vectors
	IntArrays             // AUFLIA: (Array Int Int)
	IntsRealArrays        // AUFLIRA: (Array Int Real) and (Array Int (Array Int Real))
)

// Arithmetic is the kind of terms over numbers that a logic has.
type Arithmetic uint8

// The arithmetics.
const (
	NoArithmetic Arithmetic = iota
	Difference
	Linear
	Nonlinear
	Exponential // with powers of variables
)

// Logic describes the features of a logic.
type Logic struct {
	Name                               string
	Quantifiers, UF, BV, FP, DT, Texts bool
	Ints, Reals                        bool
	FreeSorts                          bool // declare-sort
	Arrays                             Arrays
	Arithmetic                         Arithmetic
	All                                bool // no restrictions except on quantifiers
}

// arithmetic is a last part of a name.
type arithmetic struct {
	name        string
	ints, reals bool
	kind        Arithmetic
}

var arithmetics = []arithmetic{
	{"IDL", true, false, Difference}, {"RDL", false, true, Difference},
	{"LIA", true, false, Linear}, {"LRA", false, true, Linear}, {"LIRA", true, true, Linear},
	{"NIA", true, false, Nonlinear}, {"NRA", false, true, Nonlinear}, {"NIRA", true, true, Nonlinear},
	{"EIA", true, false, Exponential},
}

// theory is another part of a name.
type theory struct {
	name string
	set  func(l *Logic)
}

// theories has longer names first.
var theories = []theory{
	{"AX", func(l *Logic) { l.Arrays, l.FreeSorts = AllArrays, true }},
	{"UF", func(l *Logic) { l.UF, l.FreeSorts = true, true }},
	{"BV", func(l *Logic) { l.BV = true }},
	{"FP", func(l *Logic) { l.FP = true }},
	{"DT", func(l *Logic) { l.DT = true }},
	{"A", func(l *Logic) { l.Arrays = AllArrays }},
	{"S", func(l *Logic) { l.Texts = true }},
}

// Parse reads the name of a logic. ok is false if it is not one, such as a solver-specific name.
func Parse(name string) (l *Logic, ok bool) {
	l = &Logic{Name: name}
	rest, quantifierFree := strings.CutPrefix(name, "QF_")
	l.Quantifiers = !quantifierFree
	if rest == "ALL" {
		l.All = true
		return l, true
	}
	if rest == "" {
		return nil, false
	}
	for rest != "" {
		if i := slices.IndexFunc(arithmetics, func(a arithmetic) bool { return rest == a.name }); i >= 0 {
			l.Ints, l.Reals, l.Arithmetic = arithmetics[i].ints, arithmetics[i].reals, arithmetics[i].kind
			break
		}
		i := slices.IndexFunc(theories, func(t theory) bool { return strings.HasPrefix(rest, t.name) })
		if i < 0 {
			return nil, false
		}
		theories[i].set(l)
		rest = rest[len(theories[i].name):]
	}
	if a, ok := declaredArrays[name]; ok {
		l.Arrays = a
	}
	return l, true
}

// declaredArrays are the restrictions in the declarations of smt-lib.org. Other logics with arrays are not declared
// there.
var declaredArrays = map[string]Arrays{
	"QF_ABV": BitVecArrays, "QF_AUFBV": BitVecArrays, "QF_AUFLIA": IntArrays, "AUFLIA": IntArrays,
	"AUFLIRA": IntsRealArrays, "AUFNIRA": IntsRealArrays,
}
