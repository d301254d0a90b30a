package model

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// checkPartial checks a script, given without its check-sat, and a model, given without its parentheses.
func checkPartial(t *testing.T, script, model string, opt Options) Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	return Check(ctx, []byte(script+"(check-sat)"), []byte("sat ("+model+")"), opt)
}

// TestPageExample is the example in "Partial functions" on the organisers' page, with the parentheses that match
// requires, and with the sort's name spelled as in its declaration.
func TestPageExample(t *testing.T) {
	const script = `(declare-datatypes ((list 1)) ((par (alpha) ((nil) (cons (car alpha) (cdr (list alpha)))))))
		(declare-fun l () (list Int))(declare-fun x () Int)
		(assert (and (= (div 0 x) 5) (= (div 3 x) 0) (= (div 7 2) 3) (= (car l) 42) (= (cdr l) l) (= (car (cons 1 l)) 1)))`
	const model = `(define-fun x () Int 0)(define-fun l () (list Int) (as nil (list Int)))
		(refine-fun div ((a Int) (b Int)) Int (ite (= b 0) (ite (= a 0) 5 0) (div a b)))
		(refine-fun car ((a (list Int))) Int (match a (((cons hd tl) hd) (nil 42))))
		(refine-fun cdr ((a (list Int))) (list Int) (ite ((_ is cons) a) (cdr a) a))`
	for _, m := range []string{model, strings.ReplaceAll(model, "refine-fun", "define-fun")} {
		if r := checkPartial(t, script, m, Options{}); r.Verdict != Valid || len(r.Warnings) > 0 {
			t.Errorf("%s: got %+v", m, r)
		}
	}
	// "The definition of div can be omitted if the solver chose 2.0 as the value for x ..., but it can't if it chose
	// 0.0."
	const half = "(declare-fun x () Real)(assert (= 0.5 (/ 1.0 x)))"
	if r := checkPartial(t, half, "(define-fun x () Real 2.0)", Options{}); r.Verdict != Valid {
		t.Errorf("x = 2: got %+v", r)
	}
	if r := checkPartial(t, half, "(define-fun x () Real 0.0)", Options{}); r.Kind != OpenValue {
		t.Errorf("x = 0: got %+v", r)
	}
}

// partialFunctions lists every function that its theory leaves open for some arguments. Each has an open application,
// and a definition with the placeholder VALUE.
var partialFunctions = []struct{ name, declare, open, right, wrong, define, bad string }{
	{"/", "", "(/ 3.0 0.0)", "5.0", "4.0", "/ ((a Real) (b Real)) Real (ite (= b 0.0) VALUE (/ a b))",
		"/ ((a Real)) Real VALUE"},
	{"/ of an irrational number", "(declare-fun x () Real)(assert (= (* x x) 2.0))", "(/ x 0.0)", "5.0", "4.0",
		"/ ((a Real) (b Real)) Real (ite (= b 0.0) VALUE (/ a b))", "/ ((a Int) (b Int)) Real VALUE"},
	{"/ of three", "", "(/ 3.0 0.0 2.0)", "2.5", "4.0",
		"/ ((a Real) (b Real)) Real (ite (= b 0.0) (* 2.0 VALUE) (/ a b))",
		"/ ((a Real) (b Real) (c Real)) Real VALUE"},
	{"div", "", "(div 3 0)", "5", "4", "div ((a Int) (b Int)) Int (ite (= b 0) VALUE (div a b))",
		"div ((a Real) (b Real)) Real 5.0"},
	{"div of a quotient", "", "(div (div 3 0) 0)", "5", "4", "div ((a Int) (b Int)) Int (ite (= b 0) VALUE (div a b))",
		"div ((a Int) (b Int)) Bool true"},
	{"mod", "", "(mod 3 0)", "5", "4", "mod ((a Int) (b Int)) Int (ite (= b 0) VALUE (mod a b))", "mod () Int VALUE"},
	{"rem", "", "(rem 3 0)", "5", "4", "rem ((a Int) (b Int)) Int (ite (= b 0) VALUE (rem a b))",
		"rem ((a Int)) Int VALUE"},
	{"^", "", "(^ 0.0 0.0)", "5.0", "4.0", "^ ((a Real) (b Real)) Real (ite (= a b 0.0) VALUE (^ a b))",
		"^ ((a Real) (b Int)) Real VALUE"},
	{"^ of integers", "", "(^ 0 0)", "5", "4", "^ ((a Int) (b Int)) Int (ite (= a b 0) VALUE (^ a b))",
		"^ ((a Bool) (b Bool)) Bool true"},
	{"selector", "(declare-datatype P ((none) (pair (fst Int) (snd Bool))))", "(fst none)", "5", "4",
		"fst ((p P)) Int (match p ((none VALUE) ((pair a b) a)))", "fst ((p P)) Bool true"},
	{"parametric selector", "(declare-datatypes ((O 1)) ((par (T) ((none) (some (the T))))))",
		"(the (as none (O Int)))", "5", "4", "the ((o (O Int))) Int (ite ((_ is none) o) VALUE (the o))",
		"the ((o (O Int))) Bool true"},
	{"fp.to_ubv", "", "((_ fp.to_ubv 8) RNE (_ NaN 8 24))", "#x05", "#x04",
		"fp.to_ubv ((m RoundingMode) (x Float32)) (_ BitVec 8) (ite (fp.isNaN x) VALUE ((_ fp.to_ubv 8) m x))",
		"fp.to_ubv ((x Float32)) (_ BitVec 8) VALUE"},
	{"fp.to_ubv out of range", "", "((_ fp.to_ubv 8) RNE ((_ to_fp 8 24) RNE 256.0))", "#x05", "#x04", "fp.to_ubv " +
		"((m RoundingMode) (x Float32)) (_ BitVec 8) (ite (fp.gt x ((_ to_fp 8 24) RNE 255.0)) VALUE ((_ fp.to_ubv " +
		"8) m x))", "fp.to_ubv ((m RoundingMode) (x Float32)) Int 5"},
	{"fp.to_sbv", "", "((_ fp.to_sbv 8) RTZ (_ -oo 5 11))", "#x05", "#x04",
		"fp.to_sbv ((m RoundingMode) (x Float16)) (_ BitVec 8) (ite (fp.isInfinite x) VALUE ((_ fp.to_sbv 8) m x))",
		"fp.to_sbv ((m Float16) (x Float16)) (_ BitVec 8) VALUE"},
	{"fp.to_real", "", "(fp.to_real (_ +oo 8 24))", "5.0", "4.0",
		"fp.to_real ((x Float32)) Real (ite (fp.isInfinite x) VALUE (fp.to_real x))", "fp.to_real ((x Float32)) Int 5"},
	{"fp.min", "", "(fp.min (_ +zero 8 24) (_ -zero 8 24))", "(_ -zero 8 24)", "(_ +zero 8 24)",
		"fp.min ((x Float32) (y Float32)) Float32 (ite (and (fp.isZero x) (fp.isZero y)) VALUE (fp.min x y))",
		"fp.min ((x Float32)) Float32 VALUE"},
	{"fp.max", "", "(fp.max (_ -zero 8 24) (_ +zero 8 24))", "(_ -zero 8 24)", "(_ +zero 8 24)",
		"fp.max ((x Float32) (y Float32)) Float32 (ite (and (fp.isZero x) (fp.isZero y)) VALUE (fp.max x y))",
		"fp.max ((x Float32) (y Float64)) Float32 VALUE"},
}

// TestEveryPartialFunction refines each partial function with both commands, in an assertion and in a function's body.
func TestEveryPartialFunction(t *testing.T) {
	const x = "(define-fun x () Real (root-of-with-ordering (coeffs (- 2) 0 1) 1))"
	for _, f := range partialFunctions {
		model := ""
		if strings.Contains(f.declare, "declare-fun x") {
			model = x
		}
		direct := f.declare + "(assert (= " + f.right + " " + f.open + "))"
		function := f.declare + "(define-fun isv ((z Int)) Bool (and (= z 7) (= " + f.right + " " + f.open +
			")))(assert (isv 7))"
		for _, command := range []string{"refine-fun ", "define-fun "} {
			define := func(text, value string) string {
				return model + "(" + command + strings.ReplaceAll(text, "VALUE", value) + ")"
			}
			for _, script := range []string{direct, function} {
				for _, row := range []struct {
					name, model string
					verdict     Verdict
					kind        Kind
				}{
					{"the right value", define(f.define, f.right), Valid, Satisfied},
					{"another value", define(f.define, f.wrong), Invalid, FalseAssert},
					{"other sorts", define(f.bad, f.right), Unknown, Malformed},
					{"two definitions", define(f.define, f.right) + define(f.define, f.right)[len(model):], Unknown,
						Duplicate},
				} {
					if r := checkPartial(t, script, row.model, Options{}); r.Verdict != row.verdict ||
						r.Kind != row.kind {
						t.Errorf("%s, %s, %s: got %+v, want %s %s\n%s", f.name, command, row.name, r, row.verdict,
							row.kind, script)
					}
				}
			}
		}
		want := OpenValue
		if f.name == "fp.min" || f.name == "fp.max" { // either zero is allowed
			want = Satisfied
		}
		if r := checkPartial(t, direct, model, Options{}); r.Kind != want {
			t.Errorf("%s without a definition: got %+v, want %s", f.name, r, want)
		}
	}
}

// TestRefinements checks what definitions of theory functions may and may not do.
func TestRefinements(t *testing.T) {
	const (
		div   = "(refine-fun div ((a Int) (b Int)) Int (ite (= b 0) 5 (div a b)))"
		open  = "(assert (= (div 3 0) 5))"
		list  = "(declare-datatype L ((nil) (cons (head Int) (tail L))))"
		table = "(declare-datatype D ((d0) (d1 (arr (Array Int Int)))))"
		float = "(assert (= (fp.min (_ +zero 8 24) (_ -zero 8 24)) (fp.min (_ -zero 8 24) (_ +zero 8 24))))"
		cst   = "(declare-fun x () Int)(declare-fun y () Int)"
	)
	for _, row := range []struct {
		name, script, model string
		verdict             Verdict
		kind                Kind
		reason              string
	}{
		{"in the body the theory's function is meant", open, "(refine-fun div ((a Int) (b Int)) Int (div a b))",
			Unknown, OpenValue, "division by zero"},
		{"open values of the body are themselves", "(assert (= (div 3 0) (div 3 0)))",
			"(refine-fun div ((a Int) (b Int)) Int (div a b))", Valid, Satisfied, ""},
		{"one function by another", "(assert (= (mod 7 0) 7))" + open,
			"(refine-fun mod ((a Int) (b Int)) Int (- a (* b (div a b))))" + div, Valid, Satisfied, ""},
		{"two functions by each other",
			"(assert (and (= (div 7 0) 1) (= (mod 8 0) 4) (= (mod 7 2) 1) (= (div 7 2) 3)))",
			"(refine-fun div ((a Int) (b Int)) Int (ite (= b 0) (mod a 2) (div a b)))(refine-fun mod ((a Int) (b " +
				"Int)) Int (ite (= b 0) (div a 2) (mod a b)))", Valid, Satisfied, ""},
		{"two functions by each other for ever", open,
			"(refine-fun div ((a Int) (b Int)) Int (mod a b))(refine-fun mod ((a Int) (b Int)) Int (div a b))", Unknown,
			Unsupported, "levels deep"},
		{"through a recursive function for ever", open,
			"(refine-fun div ((a Int) (b Int)) Int (r a))(define-fun-rec r ((n Int)) Int (+ 1 (div n 0 1)))", Unknown,
			Unsupported, "levels deep"},
		{"through a recursive function that ends", open, "(refine-fun div ((a Int) (b Int)) Int (ite (= b 0) (r a) " +
			"(div a b)))(define-fun-rec r ((n Int)) Int (ite (<= n 0) 2 (+ 1 (div (- n 1) 0))))", Valid, Satisfied, ""},
		{"a helper with the theory's function", "(define-fun half ((n Int)) Int (div n 2))(assert (= (div 10 0) 5))",
			"(refine-fun div ((a Int) (b Int)) Int (ite (= b 0) (half a) (div a b)))", Valid, Satisfied, ""},
		{"a constant by a refinement by a constant", cst + "(assert (= x 3 y))", "(define-fun x () Int (div 5 " +
			"0))(refine-fun div ((a Int) (b Int)) Int (ite (= b 0) y (div a b)))(define-fun y () Int 3)", Valid,
			Satisfied, ""},
		{"a constant by itself", cst + "(assert (= x y))",
			"(define-fun x () Int (div 5 0))(define-fun y () Int 3)(refine-fun div ((a Int) (b Int)) Int x)", Unknown,
			Cyclic, "x depends on itself"},
		{"a helper by itself", cst + "(assert (= x y))", "(refine-fun div ((a Int) (b Int)) Int z)(define-fun z () " +
			"Int (div 5 0))(define-fun x () Int 3)(define-fun y () Int 3)", Unknown, Cyclic, "depends on itself"},
		{"a lambda in the body", table +
			"(assert (and (= (select (arr d0) 3) 4) (= (select (arr (d1 (arr d0))) 4) 5)))", "(refine-fun arr ((d " +
			"D)) (Array Int Int) (ite ((_ is d1) d) (arr d) (lambda ((i Int)) (+ i (ite ((_ is d0) d) 1 (select (arr " +
			"d) i))))))", Valid, Satisfied, ""},
		{"arguments that are open", list + "(assert (= (head (tail nil)) 5))", "(refine-fun tail ((l L)) L (match l " +
			"((nil l) ((cons h t) t))))(refine-fun head ((l L)) Int (match l ((nil 5) ((cons h t) h))))", Valid,
			Satisfied, ""},
		{"only one of them defined", list + "(assert (= (head (tail nil)) 5))",
			"(refine-fun head ((l L)) Int (match l ((nil 5) ((cons h t) h))))", Unknown, OpenValue, "selector tail"},
		{"two formats", "(assert (and (= (fp.to_real (_ NaN 8 24)) 1.0) (= (fp.to_real (_ NaN 5 11)) 2.0)))",
			"(refine-fun fp.to_real ((x Float32)) Real (ite (fp.isNaN x) 1.0 (fp.to_real x)))(refine-fun fp.to_real " +
				"((x Float16)) Real (ite (fp.isNaN x) 2.0 (fp.to_real x)))", Valid, Satisfied, ""},
		{"two widths", "(assert (and (= ((_ fp.to_ubv 4) RNE (_ NaN 8 24)) #x1) (= ((_ fp.to_ubv 8) RNE (_ NaN 8 " +
			"24)) #x02)))",
			"(refine-fun fp.to_ubv ((m RoundingMode) (x Float32)) (_ BitVec 4) #x1)(refine-fun fp.to_ubv ((m " +
				"RoundingMode) (x Float32)) (_ BitVec 8) #x02)", Valid, Satisfied, ""},
		{"another width", "(assert (= ((_ fp.to_ubv 8) RNE (_ NaN 8 24)) #x02))",
			"(refine-fun fp.to_ubv ((m RoundingMode) (x Float32)) (_ BitVec 4) #x1)", Unknown, OpenValue, ""},
		{"by the rounding mode", "(assert (distinct ((_ fp.to_sbv 8) RNE (_ NaN 8 24)) ((_ fp.to_sbv 8) RTZ (_ NaN 8 " +
			"24))))", "(refine-fun fp.to_sbv ((m RoundingMode) (x Float32)) (_ BitVec 8) (ite (fp.isNaN x) (ite (= m " +
			"RNE) #x01 #x02) ((_ fp.to_sbv 8) m x)))", Valid, Satisfied, ""},

		{"another value than the theory's", "(assert (= (div 6 2) 3))", "(refine-fun div ((a Int) (b Int)) Int 4)",
			Unknown, Malformed, "definition of div"},
		{"the same in a function", "(define-fun f ((n Int)) Int (div n 2))(assert (= (f 6) 3))",
			"(refine-fun div ((a Int) (b Int)) Int 4)", Unknown, Malformed, "definition of div"},
		{"the same in a selector", list + "(assert (= (head (cons 1 nil)) 1))", "(refine-fun head ((l L)) Int 4)",
			Unknown, Malformed, "definition of head"},
		{"where it does not matter", "(assert (= (div 8 2) 4))", "(refine-fun div ((a Int) (b Int)) Int 4)", Valid,
			Satisfied, ""},
		{"no value where the theory has one", "(assert (= (div 8 2) 4))",
			"(refine-fun div ((a Int) (b Int)) Int (ite (forall ((x Int)) (= x x)) (div a b) 7))", Valid, Satisfied,
			""},
		{"no zero", float, "(refine-fun fp.min ((x Float32) (y Float32)) Float32 (ite (and (fp.isZero x) (fp.isZero " +
			"y)) (fp #b0 #x7f #b00000000000000000000000) (fp.min x y)))", Unknown, Malformed, "definition of fp.min"},
		{"a zero of fp.min and another open value", "(assert (and (= (fp.min (_ +zero 8 24) (_ -zero 8 24)) (_ +zero " +
			"8 24)) (= (fp.max (_ +zero 8 24) (_ -zero 8 24)) (_ -zero 8 24))))",
			"(refine-fun fp.min ((x Float32) (y Float32)) Float32 (ite (fp.isZero x) x (fp.min x y)))", Valid,
			Satisfied, ""},

		{"a declared function", "(declare-fun f (Int) Int)(assert (= (f 0) 0))", "(refine-fun f ((n Int)) Int 0)",
			Unknown, Malformed, "refine-fun is for functions of a theory"},
		{"a defined function", "(define-fun f ((n Int)) Int 0)(assert (= (f 0) 0))", "(refine-fun f ((n Int)) Int 0)",
			Unknown, Malformed, "refine-fun is for functions of a theory"},
		{"an unknown function", open, "(refine-fun f ((n Int)) Int 0)", Unknown, Malformed,
			"refine-fun is for functions of a theory"},
		{"a constructor", list + "(assert (= nil nil))", "(refine-fun cons ((h Int) (t L)) L nil)", Unknown, Malformed,
			"refine-fun is for functions of a theory"},
		{"z3's name", open, "(refine-fun div0 ((n Int)) Int 5)", Unknown, Malformed,
			"refine-fun is for functions of a theory"},
		{"a declared function of a theory's name", "(declare-sort U 0)(declare-fun div (U) U)(declare-fun u () " +
			"U)(assert (= (div u) u))", "(define-fun u () U (as @u U))(refine-fun div ((n U)) U n)", Unknown, Malformed,
			"refine-fun is for functions of a theory"},
		{"by both commands", open, div + "(define-fun div ((a Int) (b Int)) Int 5)", Unknown, Duplicate,
			"div is defined twice"},
		{"recursively", open, "(define-fun-rec div ((a Int) (b Int)) Int (ite (= b 0) 5 (div a b)))", Unknown,
			Malformed, "not recursive"},
		{"recursively with others", open, "(define-funs-rec ((div ((a Int) (b Int)) Int) (mod ((a Int) (b Int)) " +
			"Int)) (5 5))", Unknown, Malformed, "not recursive"},
		{"an ill-sorted body", open, "(refine-fun div ((a Int) (b Int)) Int (= a b))", Unknown, Malformed,
			"its body has sort Bool"},
		{"a body with an unknown name", open, "(refine-fun div ((a Int) (b Int)) Int (f a))", Unknown, Malformed,
			"unknown function f"},
		{"a total function", "(declare-fun v () (_ BitVec 8))(assert (= (bvudiv v #x00) #xff))", "(define-fun v () " +
			"(_ BitVec 8) #x01)(refine-fun bvudiv ((a (_ BitVec 8)) (b (_ BitVec 8))) (_ BitVec 8) (ite (= b #x00) " +
			"#xff (bvudiv a b)))", Valid, Satisfied, ""},
		{"a total function, another value", "(declare-fun v () (_ BitVec 8))(assert (= (bvudiv v #x00) #x00))",
			"(define-fun v () (_ BitVec 8) #x01)(refine-fun bvudiv ((a (_ BitVec 8)) (b (_ BitVec 8))) (_ BitVec 8) " +
				"#x00)", Invalid, FalseAssert, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := checkPartial(t, row.script, row.model, Options{})
			if r.Verdict != row.verdict || r.Kind != row.kind || !strings.Contains(r.Reason, row.reason) {
				t.Errorf("got %+v, want %s %s with %q", r, row.verdict, row.kind, row.reason)
			}
		})
	}
}

// TestTotalFunctionWarning checks that defining a total function has no effect and causes a warning.
func TestTotalFunctionWarning(t *testing.T) {
	r := checkPartial(t, "(assert true)", "(refine-fun bvudiv ((a (_ BitVec 8)) (b (_ BitVec 8))) (_ BitVec 8) a)",
		Options{})
	if r.Verdict != Valid || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0],
		"bvudiv has a value for all arguments") {
		t.Errorf("got %+v", r)
	}
}

// TestWarnings uses models that contain more than the benchmark requires. At most twenty warnings are reported.
func TestWarnings(t *testing.T) {
	const benchmark = "(declare-sort U 0)(declare-fun a () U)(assert (= a a))(check-sat)"
	others := ""
	for i := range 25 {
		others += fmt.Sprintf("(define-fun other%d () Int %d)", i, i)
	}
	for _, row := range []struct {
		name, model, first string
		warnings           int
	}{
		{"none", "", "", 0},
		{"the values of a sort", "(forall ((x U)) (or (= x (as @u U))))", "is ignored", 1},
		{"no value", "(forall ((x U)) (or))", "line 2, column 31: a formula in a model is ignored", 1},
		{"functions of nobody", others, "line 2, column 43: other0 is defined, but the benchmark does not declare it", 20},
	} {
		r := Check(context.Background(), []byte(benchmark), []byte("sat\n((define-fun a () U (as @u U))"+row.model+")"),
			Options{})
		if r.Verdict != Valid || len(r.Warnings) != row.warnings || len(r.Warnings) > 0 &&
			!strings.Contains(r.Warnings[0], row.first) {
			t.Errorf("%s: %s %q", row.name, r.Verdict, r.Warnings)
		}
	}
}

// TestCompletion checks that the model's values take precedence over the completion's.
func TestCompletion(t *testing.T) {
	const div = "(refine-fun div ((a Int) (b Int)) Int (ite (= b 0) 5 (div a b)))"
	for _, row := range []struct {
		script, model string
		want          Kind
	}{
		{"(assert (and (= (div 3 0) 5) (= (mod 3 0) 0)))", div, Satisfied},
		{"(assert (and (= (div 3 0) 0) (= (mod 3 0) 0)))", div, FalseAssert},
		{"(assert (and (= (div 3 0) 5) (= (mod 3 0) 1)))", div, OpenValue},
		{"(assert (and (= (div 3 0 1) 5) (= (mod 3 0) 0)))", div, Satisfied},
		{"(assert (and (= (div 3 0 1) 5) (= (div 3 0 0) 5) (= (mod 3 0) 0)))", "(define-fun div0 ((a Int)) Int 5)",
			Satisfied},
		{"(define-fun f ((n Int)) Int (div 3 n))(assert (and (= (f 0) 5) (= (mod 3 0) 0)))", div, Satisfied},
		{"(define-fun f ((n Int)) Int (mod 3 n))(assert (and (= (div 3 0) 5) (= (f 0) 0)))", div, Satisfied},
		{"(assert (= (div 3 0) 0))", "(refine-fun div ((a Int) (b Int)) Int (div a b))", Satisfied},
	} {
		if r := checkPartial(t, row.script, row.model, Options{CompletePartial: true}); r.Kind != row.want {
			t.Errorf("%s under %s: got %+v, want %s", row.script, row.model, r, row.want)
		}
	}
}

// TestPartialModelsOfSolvers uses the models that solvers print for partial functions. z3 5.4.1 prints values of
// divisions by zero under its own names, but no values of selectors; cvc5 1.4.2 prints neither.
func TestPartialModelsOfSolvers(t *testing.T) {
	const (
		script = `(set-logic QF_NIRA)(declare-fun x () Int)(declare-fun r () Real)(assert (= x 0))(assert (= r 0.0))
(assert (= (div 7 x) 5))(assert (= (mod 7 x) 3))(assert (= (/ 2.5 r) 4.0))(assert (= (/ 1.5 r) 3.0))`
		z3 = `
  (define-fun x () Int
    0)
  (define-fun r () Real
    0.0)
  (define-fun mod0 ((x!0 Int) (x!1 Int)) Int
    3)
  (define-fun /0 ((x!0 Real) (x!1 Real)) Real
    (ite (and (= x!0 (/ 3.0 2.0)) (= x!1 0.0)) 3.0
      4.0))
  (define-fun div0 ((x!0 Int) (x!1 Int)) Int
    5)
`
		cvc5  = "(define-fun x () Int 0)\n(define-fun r () Real 0.0)\n"
		lists = `(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))(declare-fun l () L)
(assert ((_ is nil) l))(assert (= (head l) 5))(assert (= (tail l) (cons 3 nil)))`
	)
	refined := strings.NewReplacer("define-fun mod0", "refine-fun mod", "define-fun div0", "refine-fun div",
		"define-fun /0", "refine-fun /").Replace(z3)
	for _, row := range []struct {
		name, script, model string
		want                Kind
	}{
		{"z3", script, z3, Satisfied},
		{"z3, another value", script, strings.Replace(z3, "\n    5)", "\n    6)", 1), FalseAssert},
		{"z3, one missing", script, z3[:strings.Index(z3, "(define-fun div0")], OpenValue},
		{"z3's by refine-fun", script, refined, Satisfied},
		{"z3's by refine-fun, where the theory has a value", script + "(assert (= (div 6 2) 3))", refined, Malformed},
		{"cvc5", script, cvc5, OpenValue},
		{"selectors", lists, "(define-fun l () L nil)", OpenValue},
	} {
		if r := checkPartial(t, row.script, row.model, Options{}); r.Kind != row.want {
			t.Errorf("%s: got %+v, want %s", row.name, r, row.want)
		}
	}
}
