// Package logic defines which sorts, functions and forms of terms SMT-LIB's logics include, and finds where a script
// leaves its logic.
//
// Anything outside a logic causes a warning, never an error: the library's benchmarks do not strictly stay within their
// logics, and solvers and model checkers accept them. The logics here therefore include a few liberties that nearly
// every script takes. Products and quotients are linear if all factors except one, or the divisor, contain no
// variables, and ite is allowed wherever its sort is.
//
// Source: the logic declarations of smt-lib.org (QF_AX, QF_IDL, QF_RDL, QF_LIA, LRA, AUFLIRA, QF_ABV, QF_UFIDL, ...).
// Logics that are named but not declared there are derived from the parts of their names.
package logic

import (
	"slices"
	"strings"
)

// Arrays states which arrays a logic includes.
type Arrays uint8

// Restrictions on arrays.
const (
	NoArrays       Arrays = iota
	AllArrays             // over all sorts of the logic
	BitVecArrays          // QF_ABV: index and element are bit-vectors
	IntArrays             // AUFLIA: (Array Int Int)
	IntsRealArrays        // AUFLIRA: (Array Int Real) and (Array Int (Array Int Real))
)

// Arithmetic states which terms over numbers a logic includes.
type Arithmetic uint8

// Kinds of arithmetic, from the least to the most expressive.
const (
	NoArithmetic Arithmetic = iota
	Difference
	Linear
	Nonlinear
	Exponential // includes powers of variables
)

// Logic contains the features of a logic.
type Logic struct {
	Name                               string
	Quantifiers, UF, BV, FP, DT, Texts bool
	Ints, Reals                        bool
	FreeSorts                          bool // allows declare-sort
	Arrays                             Arrays
	Arithmetic                         Arithmetic
	All                                bool // has no restrictions except on quantifiers
}

// arithmetic is the last part of a logic's name.
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

// theory is any other part of a logic's name.
type theory struct {
	name string
	set  func(l *Logic)
}

// theories is ordered so that longer names precede their prefixes.
var theories = []theory{
	{"AX", func(l *Logic) { l.Arrays, l.FreeSorts = AllArrays, true }},
	{"UF", func(l *Logic) { l.UF, l.FreeSorts = true, true }},
	{"BV", func(l *Logic) { l.BV = true }},
	{"FP", func(l *Logic) { l.FP = true }},
	{"DT", func(l *Logic) { l.DT = true }},
	{"A", func(l *Logic) { l.Arrays = AllArrays }},
	{"S", func(l *Logic) { l.Texts = true }},
}

// Parse parses the name of a logic. ok is false for other names, such as those specific to a solver.
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

// declaredArrays contains the restrictions in the declarations on smt-lib.org. Other logics with arrays are not
// declared there.
var declaredArrays = map[string]Arrays{
	"QF_ABV": BitVecArrays, "QF_AUFBV": BitVecArrays, "QF_AUFLIA": IntArrays, "AUFLIA": IntArrays,
	"AUFLIRA": IntsRealArrays, "AUFNIRA": IntsRealArrays,
}
