package model

import (
	"context"
	"strings"
	"testing"
)

// rootScript asks for the three roots of x^3 - 3x + 1, which are -1.88, 0.35 and 1.53, and the cube root of 2.
const rootScript = `(set-logic QF_NRA)
(declare-fun a () Real)(declare-fun b () Real)(declare-fun c () Real)(declare-fun d () Real)
(assert (and (= (+ (* a a a) (* (- 3.0) a) 1.0) 0.0) (< a (- 1.0))))
(assert (and (= (+ (* b b b) (* (- 3.0) b) 1.0) 0.0) (< 0.0 b 1.0)))
(assert (and (= (+ (* c c c) (* (- 3.0) c) 1.0) 0.0) (> c 1.0)))
(assert (= (* d d d) 2.0))
(check-sat)`

// Solver output for rootScript, from z3 5.4.1, cvc5 1.4.2 and yices 2.6.5.
const (
	z3Roots = `sat
(
  (define-fun c () Real
    (root-obj (+ (^ x 3) (* (- 3) x) 1) 3))
  (define-fun d () Real
    (root-obj (+ (^ x 3) (- 2)) 1))
  (define-fun b () Real
    (root-obj (+ (^ x 3) (* (- 3) x) 1) 2))
  (define-fun a () Real
    (root-obj (+ (^ x 3) (* (- 3) x) 1) 1))
)
`
	cvc5Roots = `sat
(
(define-fun a () Real (_ real_algebraic_number <1*x^3 + (-3*x) + 1, (-2, -7/4)>))
(define-fun b () Real (_ real_algebraic_number <1*x^3 + (-3*x) + 1, (1/4, 1/2)>))
(define-fun c () Real (_ real_algebraic_number <1*x^3 + (-3*x) + 1, (3/2, 7/4)>))
(define-fun d () Real (_ real_algebraic_number <1*x^3 + (-2), (5/4, 3/2)>))
)
`
	yicesRoots = `sat
(model
  (define-fun a () Real -1.879385)
  (define-fun b () Real 0.347296)
  (define-fun c () Real 1.532089)
  (define-fun d () Real 1.259921))
`
)

// TestRootForms uses one model in the forms of solvers and of the organisers' page. z3 counts from 1 and the page from
// 0, so a number that is right in one form is wrong in the other.
func TestRootForms(t *testing.T) {
	page := strings.NewReplacer("root-obj", "root-of-with-ordering",
		"(+ (^ x 3) (* (- 3) x) 1) 3", "(coeffs 1 (- 3) 0 1) 2", "(+ (^ x 3) (* (- 3) x) 1) 2",
		"(coeffs 1 (- 3) 0 1) 1",
		"(+ (^ x 3) (* (- 3) x) 1) 1", "(coeffs 1 (- 3) 0 1) 0", "(+ (^ x 3) (- 2)) 1",
		"(coeffs (- 2) 0 0 1) 0").Replace(z3Roots)
	from1 := strings.NewReplacer(") 0))", ") 1))", ") 1))", ") 2))", ") 2))", ") 3))").Replace(page)
	interval := strings.NewReplacer("(_ real_algebraic_number <1*x^3 + (-3*x) + 1, ",
		"(root-of-with-interval (coeffs 1 (- 3) 0 1) ",
		"(_ real_algebraic_number <1*x^3 + (-2), ", "(root-of-with-interval (coeffs (- 2) 0 0 1) ",
		"(-2, -7/4)>", "(- 2.0) (/ (- 7.0) 4.0)", "(1/4, 1/2)>", "(/ 1.0 4.0) (/ 1.0 2.0)",
		"(3/2, 7/4)>", "(/ 3.0 2.0) (/ 7.0 4.0)", "(5/4, 3/2)>", "(/ 5.0 4.0) (/ 3.0 2.0)").Replace(cvc5Roots)
	one := func(text, from, to string) string { return strings.Replace(text, from, to, 1) }
	for _, row := range []struct {
		name, response string
		verdict        Verdict
		kind           Kind
		reason         string
	}{
		{"z3", z3Roots, Valid, Satisfied, ""},
		{"z3, another root", one(z3Roots, "1) 2))", "1) 1))"), Invalid, FalseAssert, "assertion 2"},
		{"z3, counted from 0", one(z3Roots, "1) 1))", "1) 0))"), Unknown, Malformed, "no such root"},
		{"by number", page, Valid, Satisfied, ""},
		{"by number, the other name", strings.ReplaceAll(page, "ordering", "order"), Valid, Satisfied, ""},
		{"by number, another root", one(page, "0 1) 1))", "0 1) 0))"), Invalid, FalseAssert, "assertion 2"},
		{"by number, counted from 1", from1, Unknown, Malformed, "no such root"},
		{"by interval", interval, Valid, Satisfied, ""},
		{"by interval, the other name", strings.ReplaceAll(interval, "interval", "enclosure"), Valid, Satisfied, ""},
		{"by interval, another root", one(interval, "(/ 1.0 4.0) (/ 1.0 2.0)", "1.0 2.0"), Invalid, FalseAssert,
			"assertion 2"},
		{"by interval, two roots", one(interval, "(/ 1.0 4.0) (/ 1.0 2.0)", "0.0 2.0"), Unknown, Malformed,
			"exactly one root"},
		{"cvc5", cvc5Roots, Unknown, Malformed, ""},
		{"yices", yicesRoots, Unknown, Malformed, "unknown constant -1.879385"},
		{"yices, with signs", one(yicesRoots, "-1.879385", "(- 1.879385)"), Invalid, FalseAssert, "assertion 1"},
	} {
		r := Check(context.Background(), []byte(rootScript), []byte(row.response), Options{})
		if r.Verdict != row.verdict || r.Kind != row.kind || !strings.Contains(r.Reason, row.reason) {
			t.Errorf("%s: got %+v, want %s %s with %q", row.name, r, row.verdict, row.kind, row.reason)
		}
	}
}

// TestRootsInModels uses roots that are rational, that are written in two ways, and that are too large to compute.
func TestRootsInModels(t *testing.T) {
	const declared = "(declare-fun x () Real)(declare-fun y () Real)"
	define := func(x, y string) string {
		return "sat ((define-fun x () Real " + x + ")(define-fun y () Real " + y + "))"
	}
	for _, row := range []struct {
		name, script, response string
		verdict                Verdict
		kind                   Kind
	}{
		{"the issue's example", "(assert (and (= (* x x) 2.0) (> x 0.0)))",
			define("(root-of-with-ordering (coeffs (- 2) 0 1) 1)", "0.0"), Valid, Satisfied},
		{"its other root", "(assert (and (= (* x x) 2.0) (> x 0.0)))",
			define("(root-of-with-ordering (coeffs (- 2) 0 1) 0)", "0.0"), Invalid, FalseAssert},
		{"no root", "(assert (and (= (* x x) 2.0) (> x 0.0)))", define("(root-of-with-ordering (coeffs (- 2) 0 1) 2)",
			"0.0"), Unknown, Malformed},
		{"one number by two forms", "(assert (= x y))", define("(root-of-with-order (coeffs 4 0 (- 4) 0 1) 2)",
			"(root-obj (+ (^ z 2) (- 2)) 2)"), Valid, Satisfied},
		{"a fraction", "(assert (= ((_ to_fp 8 24) RNE x) ((_ to_fp 8 24) RNE y)))",
			define("(root-of-with-ordering (coeffs 5 (- 16) 3) 0)", "(/ 1.0 3.0)"), Valid, Satisfied},
		{"a degree that is too high", "(assert (= x x y))", define("(root-of-with-ordering (coeffs"+
			strings.Repeat(" 1", 500)+") 0)", "0.0"), Unknown, Unsupported},
		{"a degree that does not matter", "(assert (= y 0.0))", define("(root-of-with-ordering (coeffs"+
			strings.Repeat(" 1", 500)+") 0)", "0.0"), Valid, Satisfied},
		{"in the benchmark", "(assert (= x (root-of-with-ordering (coeffs (- 2) 0 1) 1)))", define("1.0", "1.0"),
			Unknown, BadBenchmark},
	} {
		r := Check(context.Background(), []byte(declared+row.script+"(check-sat)"), []byte(row.response), Options{})
		if r.Verdict != row.verdict || r.Kind != row.kind {
			t.Errorf("%s: got %+v, want %s %s", row.name, r, row.verdict, row.kind)
		}
	}
}
