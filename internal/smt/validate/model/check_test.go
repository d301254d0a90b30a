package model

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// TestVerdicts uses small cases whose verdicts follow from the rules and theories.
func TestVerdicts(t *testing.T) {
	const (
		lia = "(set-logic QF_LIA)(declare-fun x () Int)(declare-fun y () Int)(assert (< x y))(check-sat)"
		uf  = "(set-logic QF_UFLIA)(declare-sort U 0)(declare-fun a () U)(declare-fun b () U)(declare-fun f (U Int) " +
			"Int)\n(assert (and (distinct a b) (= (f a 1) 2)\n (= (f b 1) 3)))(check-sat)"
		nia = "(set-logic QF_NIA)(declare-fun x () Int)(assert (= (div 7 x) 5))(check-sat)"
		ufa = "(define-fun a () U (as @a U))(define-fun b () U (as @b U))"
		rec = "(set-logic QF_UFLIA)(define-fun-rec sum ((n Int)) Int (ite (<= n 0) 0 (+ n (sum (- n " +
			"1)))))(declare-fun n () Int)(assert (= (sum n) 5000050000))(check-sat)"
		ax = "(set-logic QF_AX)(declare-sort I 0)(declare-sort E 0)(declare-fun s () (Array I E))(declare-fun t () " +
			"(Array I E))(declare-fun i () I)(assert (= (store s i (select t i)) t))(check-sat)"
		dt = "(set-logic QF_DT)(declare-datatypes ((L 1)) ((par (T) ((nil) (cons (head T) (tail (L " +
			"T)))))))(declare-fun l () (L Int))(assert (and ((_ is cons) l) (= (head (tail l)) 5)))(check-sat)"
		fpz  = "(set-logic QF_FP)(declare-fun x () Float32)(assert (= (fp.min x (fp.neg x)) (_ -zero 8 24)))(check-sat)"
		sets = "(declare-fun a () (Array Int Bool))(declare-fun b () (Array Int Bool))"
		inD  = "(declare-datatype D ((mk (f (Array Int Int)) (g Int))))(declare-fun x () D)(declare-fun y () D)"
		fpr  = "(set-logic QF_FPLRA)(declare-fun x () Float32)(assert (= (fp.to_real x) 5.0))(check-sat)"
		two  = "(set-logic QF_ALIA)(declare-fun b () (Array Bool Int))(declare-fun a () (Array Int Int))(assert (= " +
			"(select a 9) 0))(assert (= b ((as const (Array Bool Int)) 0)))(check-sat)"
		bool = "(set-logic QF_UF)(declare-fun p () Bool)(assert p)(check-sat)"
	)
	for _, row := range []struct {
		name, benchmark, response string
		year                      int
		verdict                   Verdict
		kind                      Kind
		reason                    string // part of the reason
	}{
		{"valid", lia, "sat\n(\n(define-fun x () Int 1)(define-fun y () Int 2))", 0, Valid, Satisfied, ""},
		{"old model form and success", lia, "success\nsuccess\nsat\n(model (define-fun x () Int (- 5)) (define-fun y " +
			"() Int 2))", 0, Valid, Satisfied, ""},
		{"false", lia, "sat ((define-fun x () Int 3)(define-fun y () Int 2))", 0, Invalid, FalseAssert,
			"line 1, column 63"},
		{"unsat", lia, "unsat", 0, Invalid, AnswerUnsat, ""},
		{"unknown", lia, "unknown", 0, Unknown, AnswerUnknown, ""},
		{"empty", lia, "", 0, Unknown, NoAnswer, ""},
		{"no model", lia, "sat\n", 0, Unknown, NoModel, ""},
		{"no model in 2019", lia, "sat\n", 2019, Unknown, NoModel, ""},
		{"error instead of a model", lia, "sat\n(error \"no model\")", 0, Unknown, NoModel, ""},
		{"unsupported instead of a model, 2019", lia, "sat\nunsupported\n", 2019, Unknown, NoModel, ""},
		{"other text", lia, "Segmentation fault", 0, Unknown, NoAnswer, "Segmentation"},
		{"partial", lia, "sat ((define-fun x () Int 1))", 0, Unknown, Missing,
			"does not define y, which is declared at benchmark line 1, column 41"},
		{"partial in 2019", lia, "sat ((define-fun x () Int 1))", 2019, Invalid, Missing, "y"},
		{"minus sign in a numeral", lia, "sat ((define-fun x () Int -1)(define-fun y () Int 2))", 0, Unknown, Malformed,
			"unknown constant -1"},
		{"broken off", lia, "sat ((define-fun x () Int 1)(define-fun", 2019, Unknown, Truncated, ""},
		{"ill-typed", lia, "sat ((define-fun x () Int true)(define-fun y () Int 2))", 0, Unknown, Malformed,
			"line 1, column 27"},
		{"other sort", lia, "sat ((define-fun x () Real 1.0)(define-fun y () Int 2))", 0, Unknown, Malformed,
			"declared with () Int"},
		{"twice", lia, "sat ((define-fun x () Int 1)(define-fun x () Int 1)(define-fun y () Int 2))", 0, Unknown,
			Duplicate, "x is defined twice"},
		{"extra", lia, "sat ((define-fun z () Int 1)(define-fun x () Int z)(define-fun y () Int 2))", 2026, Valid,
			Satisfied, ""},
		{"extra in 2022", lia, "sat ((define-fun z () Int 1)(define-fun x () Int z)(define-fun y () Int 2))", 2022,
			Unknown, Extra, "z"},
		{"later definition", lia, "sat ((define-fun x () Int (- y 1))(define-fun y () Int 2))", 0, Valid, Satisfied,
			""},
		{"an assertion of an unknown name", "(assert y)(check-sat)", "sat ()", 0, Unknown, BadBenchmark,
			"unknown constant y"},
		{"a constant defined as recursive", "(declare-fun x () Int)(assert (= x 1))(check-sat)",
			"sat ((define-fun-rec x () Int (+ x 0)))", 0, Unknown, Cyclic, "the definition of x depends on itself"},
		{"itself", lia, "sat ((define-fun x () Int x)(define-fun y () Int 2))", 0, Unknown, Cyclic,
			"x depends on itself"},
		{"through each other", lia, "sat ((define-fun x () Int (- y 1))(define-fun y () Int (+ x 1)))", 0, Unknown,
			Cyclic, ""},
		{"abstract values", uf, "sat (" + ufa + "(define-fun f ((u U) (i Int)) Int (ite (= u (as @a U)) 2 3)))", 0,
			Valid, Satisfied, ""},
		{"one abstract value", uf, "sat ((define-fun a () U (as @a U))(define-fun b () U a)(define-fun f ((u U) (i " +
			"Int)) Int 2))", 0, Invalid, FalseAssert, "its part at line 2, column 14"},
		{"abstract value of a wrong sort", uf, "sat ((define-fun a () U (as @a V))(define-fun b () U a)(define-fun f " +
			"((u U) (i Int)) Int 2))", 0, Unknown, Malformed, "unknown sort V"},
		{"abstract integer", uf, "sat (" + ufa + "(define-fun f ((u U) (i Int)) Int (as @i Int)))", 0, Unknown,
			Malformed, ""},
		{"division by zero", nia, "sat ((define-fun x () Int 0))", 0, Unknown, OpenValue, "division by zero"},
		{"division by zero, div0", nia,
			"sat ((define-fun x () Int 0)(define-fun div0 ((a Int)) Int (ite (= a 7) 5 0)))", 0, Valid, Satisfied, ""},
		{"division by zero, other value", nia, "sat ((define-fun x () Int 0)(define-fun div0 ((a Int)) Int 4))", 0,
			Invalid, FalseAssert, ""},
		{"division by zero, div extended", nia, "sat ((define-fun x () Int 0)(define-fun div ((a Int) (b Int)) Int " +
			"(ite (= b 0) 5 (div a b))))", 0, Valid, Satisfied, ""},
		{"div contradicts the theory", "(declare-fun x () Int)(assert (= (div 6 x) 3))(check-sat)",
			"sat ((define-fun x () Int 2)(define-fun div ((a Int) (b Int)) Int 3))", 0, Valid, Satisfied, ""},
		{"div contradicts the theory where it matters", "(declare-fun x () Int)(assert (= (div 6 x) 3))(check-sat)",
			"sat ((define-fun x () Int 2)(define-fun div ((a Int) (b Int)) Int 4))", 0, Unknown, Malformed,
			"definition of div"},
		{"deep recursion", rec, "sat ((define-fun n () Int 100000))", 0, Valid, Satisfied, ""},
		{"arrays", ax, "sat ((define-fun i () I (as @i I))(define-fun s () (Array I E) ((as const (Array I E)) (as " +
			"@e E)))(define-fun t () (Array I E) (store s (as @i I) (as @f E))))", 0, Valid, Satisfied, ""},
		{"arrays that differ elsewhere", ax, "sat ((define-fun i () I (as @i I))(define-fun s () (Array I E) ((as " +
			"const (Array I E)) (as @e E)))(define-fun t () (Array I E) (store s (as @j I) (as @f E))))", 0, Invalid,
			FalseAssert, ""},
		{"array by lambda", ax, "sat ((define-fun i () I (as @i I))(define-fun s () (Array I E) (lambda ((x I)) (as " +
			"@e E)))(define-fun t () (Array I E) (lambda ((x I)) (ite (= x (as @i I)) (as @f E) (as @e E)))))", 0,
			Valid, Satisfied, ""},
		{"datatypes", dt, "sat ((define-fun l () (L Int) (cons 1 (cons 5 (as nil (L Int))))))", 0, Valid, Satisfied,
			""},
		{"wrong selector", dt, "sat ((define-fun l () (L Int) (cons 1 (as nil (L Int)))))", 0, Unknown, OpenValue,
			"selector head"},
		{"wrong selector defined", dt, "sat ((define-fun l () (L Int) (cons 1 (as nil (L Int))))(define-fun head ((x " +
			"(L Int))) Int (match x ((nil 5) ((cons h t) h)))))", 0, Valid, Satisfied, ""},
		{"match on fields of different sorts", "(declare-datatype D ((A (i Int)) (B (b (Array Int Int)))))" +
			"(declare-fun x () D)(assert (match x (((A i) (= i 5)) ((B a) (= (select a 0) 1)))))(check-sat)",
			"sat ((define-fun x () D (A 5)))", 0, Valid, Satisfied, ""},
		{"array by a function that calls itself elsewhere", "(declare-fun a () (Array Int Bool))(assert (select a " +
			"1))(check-sat)", "sat ((define-fun-rec f ((x Int)) Bool (ite (= x 1) (or (= x 5) (f 5)) false))" +
			"(define-fun a () (Array Int Bool) (_ as-array f)))", 0, Invalid, FalseAssert, ""},
		{"either zero", fpz, "sat ((define-fun x () Float32 (_ +zero 8 24)))", 0, Valid, Satisfied, ""},
		{"Bool as a vector", bool, "sat ((define-fun p () (_ BitVec 1) #b1))", 0, Unknown, Malformed, ""},
		{"quantifier", "(set-logic LIA)(assert (forall ((x Int)) (= x x)))(check-sat)", "sat ()", 0, Unknown,
			Unsupported, "quantifiers"},
		{"ill-typed benchmark", "(set-logic QF_LIA)\n(assert (+ 1 2))(check-sat)", "sat ()", 0, Unknown, BadBenchmark,
			"benchmark line 2"},
		{"push", "(declare-fun x () Int)(push 1)(assert (= x 1))(push 2)(assert (= x 2))(pop 2)(assert (> x " +
			"0))(check-sat)(assert false)", "sat ((define-fun x () Int 1))", 0, Valid, Satisfied, "all 2"},
		{"more levels than fit in memory", strings.Repeat("(push 1000000)", 10_000) + "(push 3)(assert false)(pop 4)" +
			"(check-sat)", "sat ()", 0, Valid, Satisfied, "all 0"},
		{"pop of too many levels", "(push 2)(push 1)(pop 4)(check-sat)", "sat ()", 0, Unknown, BadBenchmark,
			"pop takes away 4 levels, but there are 3"},
		{"levels popped in parts", "(declare-fun x () Int)(push 3)(assert (= x 1))(pop 2)(assert (= x 2))(pop 1)" +
			"(declare-fun y () Int)(check-sat)", "sat ((define-fun x () Int 1)(define-fun y () Int 1))", 0, Valid,
			Satisfied, "all 0"},
		{"a simple value of a datatype with many parts", "(declare-datatype T ((node (a T) (b T) (c T)) (leaf (k " +
			"Int) (l Int) (m Int) (n Int))))(declare-datatype D ((A (f T)) (B)))(assert ((_ is leaf) (f B)))" +
			"(check-sat)",
			"sat ()", 0, Unknown, OpenValue, "selector f"},
		{"a second check-sat", "(declare-fun x () Int)(assert (< x 0))(check-sat)\n(assert (< x (- 1)))(check-sat)",
			"sat ((define-fun x () Int (- 1))) sat ((define-fun x () Int 1))", 0, Unknown, Unsupported,
			"benchmark line 2, column 21: a second check-sat"},
		{"check-sat-assuming after check-sat", "(declare-fun p () Bool)(check-sat)(check-sat-assuming (p))",
			"sat ((define-fun p () Bool false))", 0, Unknown, Unsupported, "a second check-sat"},
		{"a check-sat after exit", "(declare-fun p () Bool)(check-sat)(exit)(reset)(check-sat)",
			"sat ((define-fun p () Bool false))", 0, Valid, Satisfied, ""},
		{"declarations that were popped", "(push 1)(declare-fun x () Int)(declare-sort U 0)(pop 1)(declare-fun x () " +
			"Bool)(declare-datatype U ((c)))(assert (and x (= c c)))(check-sat)", "sat ((define-fun x () Bool true))",
			0, Valid, Satisfied, ""},
		{"a popped constant in the model", "(push 1)(declare-fun x () Int)(pop 1)(declare-fun y () Int)(assert (= y " +
			"1))(check-sat)", "sat ((define-fun x () Int 5)(define-fun y () Int 1))", 2022, Unknown, Extra,
			"x is defined"},
		{"global declarations", "(set-option :global-declarations true)(push 1)(declare-fun x () Int)(assert " +
			"false)(pop 1)(assert (= x 1))(check-sat)", "sat ((define-fun x () Int 1))", 0, Valid, Satisfied, "all 1"},
		{"reset of assertions", "(declare-fun x () Int)(assert false)(reset-assertions)(declare-fun x () Int)(assert " +
			"(= x 1))(check-sat)", "sat ((define-fun x () Int 1))", 0, Valid, Satisfied, "all 1"},
		{"pop without push", "(assert true)\n(pop 1)(check-sat)", "sat ()", 0, Unknown, BadBenchmark,
			"line 2, column 1: pop takes away 1 levels"},
		{"used before its declaration", "(declare-fun y () Int)(assert (= x 1))(declare-fun x () Int)(check-sat)",
			"sat ((define-fun x () Int 1)(define-fun y () Int 1))", 0, Unknown, BadBenchmark,
			"line 1, column 34: x is used before its declaration"},
		{"only the model declares it", "(assert (= x 1))(check-sat)", "sat ((define-fun x () Int 1))", 0, Unknown,
			BadBenchmark, "x is not declared"},
		{"defined by the benchmark", "(define-fun c () Int 1)(check-sat)", "sat ((define-fun c () Int 2))", 0, Unknown,
			Duplicate, "another value"},
		{"defined by the benchmark alike", "(define-fun c () Int 1)(check-sat)", "sat ((define-fun c () Int 1))", 0,
			Valid, Satisfied, ""},
		{"defined by the benchmark, 2022", "(define-fun c () Int 1)(check-sat)", "sat ((define-fun c () Int 1))", 2022,
			Unknown, Extra, ""},
		{"abstract value without its sort", uf, "sat ((define-fun a () U @a)(define-fun b () U @b)(define-fun f ((u " +
			"U) (i Int)) Int (ite (= u @a) 2 3)))", 0, Valid, Satisfied, ""},
		{"abstract value for an integer", lia, "sat ((define-fun x () Int @a)(define-fun y () Int 2))", 0, Unknown,
			Malformed, "an uninterpreted sort"},
		{"irrational", "(declare-fun x () Real)(assert (and (= (* x x) 2.0) (> x 0.0) (not (is_int x)) (= (to_int x) " +
			"1)))(check-sat)", "sat ((define-fun x () Real (root-obj (+ (^ x 2) (- 2)) 2)))", 0, Valid, Satisfied, ""},
		{"irrational, other root", "(declare-fun x () Real)(assert (and (= (* x x) 2.0) (> x 0.0)))(check-sat)",
			"sat ((define-fun x () Real (root-of-with-interval (coeffs (- 2) 0 1) (- 2) 0)))", 0, Invalid, FalseAssert,
			""},
		{"irrational, bad interval", "(declare-fun x () Real)(assert (= (* x x) 2.0))(check-sat)",
			"sat ((define-fun x () Real (root-of-with-interval (coeffs (- 2) 0 1) (- 2) 2)))", 0, Unknown, Malformed,
			"exactly one root"},
		{"irrational in an array", "(declare-fun a () (Array Real Int))(declare-fun x () Real)(assert (and (= (* x " +
			"x) 2.0) (= (select a x) 7) (= (select a (/ 2.0 x)) 7) (= (select a (+ x 1.0)) 0)))(check-sat)",
			"sat ((define-fun x () Real ROOT)(define-fun a () (Array Real Int) (store ((as const (Array Real Int)) " +
				"0) (/ 4 (* 2 ROOT)) 7)))", 0, Valid, Satisfied, ""},
		{"arrays of irrational numbers", "(declare-fun a () (Array Int Real))(declare-fun b () (Array Int " +
			"Real))(assert (and (= a b) (= (* (select a 3) (select b 3)) 2.0)))(check-sat)", "sat ((define-fun a () " +
			"(Array Int Real) ((as const (Array Int Real)) ROOT))(define-fun b () (Array Int Real) (store ((as const " +
			"(Array Int Real)) (- (+ ROOT 1.0) 1.0)) 5 ROOT)))", 0, Valid, Satisfied, ""},
		{"a rational number that was irrational", "(declare-fun a () (Array Int Real))(declare-fun b () (Array Int " +
			"Real))(assert (= a b))(check-sat)", "sat ((define-fun a () (Array Int Real) ((as const (Array Int " +
			"Real)) (* ROOT ROOT)))(define-fun b () (Array Int Real) ((as const (Array Int Real)) 2.0)))", 0, Valid,
			Satisfied, ""},
		{"irrational in a datatype", "(declare-datatype D ((a (r Real))))(declare-fun d () D)(declare-fun e () " +
			"D)(assert (and (= d e) (distinct d (a 1.4)) (= (* (r d) (r e)) 2.0)))(check-sat)",
			"sat ((define-fun d () D (a ROOT))(define-fun e () D (a (/ 2 ROOT))))", 0, Valid, Satisfied, ""},
		{"irrational arguments of a function", "(declare-fun f (Real) Int)(declare-fun x () Real)(assert (and (= (* " +
			"x x) 2.0) (= (f (/ 2.0 x)) 3) (= (f 1.0) 4)))(check-sat)",
			"sat ((define-fun x () Real ROOT)(define-fun f ((y Real)) Int (ite (= y ROOT) 3 4)))", 0, Valid, Satisfied,
			""},
		{"lambda of two variables", "(declare-fun a () (Array Int (Array Int Int)))(assert (and (= (select (select a " +
			"3) 4) 7) (= (select (store (select a 1) 2 0) 2) 0)))(check-sat)",
			"sat ((define-fun a () (Array Int (Array Int Int)) (lambda ((x Int) (y Int)) (+ x y))))", 0, Valid,
			Satisfied, ""},
		{"lambda inside of lambda", "(declare-fun a () (Array Int (Array Int Int)))(assert (and (= (select (select a " +
			"3) 4) 7) (= (select (select a 1) 4) 5) (= (select a 2) (select a 2))))(check-sat)", "sat ((define-fun a " +
			"() (Array Int (Array Int Int)) (lambda ((x Int)) (let ((z (* x 1))) (lambda ((y Int)) (+ z y))))))", 0,
			Valid, Satisfied, ""},
		{"inner lambdas that are tables", "(declare-fun a () (Array Int (Array Int Int)))(assert (and (= (select a " +
			"1) (store ((as const (Array Int Int)) 1) 5 0)) (distinct (select a 1) (select a 2))))(check-sat)",
			"sat ((define-fun a () (Array Int (Array Int Int)) (lambda ((x Int)) (lambda ((y Int)) (ite (= y 5) 0 " +
				"x)))))", 0, Valid, Satisfied, ""},
		{"lambda with a parameter of a function", "(declare-fun f (Int) (Array Int Int))(assert (and (= (select (f " +
			"3) 4) 12) (= (select (f 4) 4) 16)))(check-sat)",
			"sat ((define-fun f ((n Int)) (Array Int Int) (lambda ((y Int)) (* n y))))", 0, Valid, Satisfied, ""},
		{"lambda of an unknown sort", "(declare-fun a () (Array Int Int))(assert (= (select a 1) 1))(check-sat)",
			"sat ((define-fun a () (Array Int Int) (lambda ((y V)) 1)))", 0, Unknown, Malformed, "unknown sort V"},
		{"text after the model", lia, "sat\n((define-fun x () Int 1)(define-fun y () Int 2))\n(error \"bye\") timeout",
			0, Valid, Satisfied, ""},
		{"definitions without parentheses", lia, "sat\n(define-fun x () Int 1)\n(define-fun y () Int 2)", 0, Valid,
			Satisfied, ""},
		{"success between the answer and the model", lia,
			"sat\nsuccess\n((define-fun x () Int 1)(define-fun y () Int 2))", 0, Valid, Satisfied, ""},
		{"success and no model", lia, "sat\nsuccess\n", 0, Unknown, NoModel, ""},
		{"division of three numbers by zero", "(declare-fun x () Int)(assert (and (= (div 7 x 2) 2) (= (div 7 2 x) " +
			"9)))(check-sat)", "sat ((define-fun x () Int 0)(define-fun div0 ((a Int)) Int (ite (= a 3) 9 5)))", 0,
			Valid, Satisfied, ""},
		{"division of three reals by zero", "(define-fun f ((x Real)) Real (/ 7.0 x 2.0))(assert (= (f 0.0) " +
			"2.5))(check-sat)", "sat ((define-fun / ((a Real) (b Real)) Real (ite (= b 0.0) 5.0 (/ a b))))", 0, Valid,
			Satisfied, ""},
		{"division by zero of another sort", nia, "sat ((define-fun x () Int 0)(define-fun div ((a Int) (b Int)) " +
			"String \"5\"))", 0, Unknown, Malformed,
			"div is a function of a theory and cannot be defined with the sorts (Int Int) String"},
		{"division by zero without arguments", nia, "sat ((define-fun x () Int 0)(define-fun div () Int 5))", 0,
			Unknown, Malformed, ""},
		{"div0 of strings is a helper", nia, "sat ((define-fun x () Int 0)(define-fun div0 ((a String)) Int 5))", 0,
			Unknown, OpenValue, "division by zero"},
		{"div0 and div", nia, "sat ((define-fun x () Int 0)(define-fun div ((a Int) (b Int)) Int 5)(define-fun div0 " +
			"((a Int)) Int 5))", 0, Unknown, Duplicate, ""},
		{"selector of another sort", dt, "sat ((define-fun l () (L Int) (cons 1 (as nil (L Int))))(define-fun head " +
			"((x (L Int))) Bool true))", 0, Unknown, Malformed, "head is a selector"},
		{"selector of another datatype", dt, "sat ((define-fun l () (L Int) (cons 1 (as nil (L Int))))(define-fun " +
			"head ((x (L Bool))) Int 5))", 0, Unknown, Malformed, ""},
		{"infinities as reals", fpr, "sat ((define-fun x () Float32 (_ +oo 8 24))(define-fun fp.to_real ((x " +
			"Float32)) Real (ite (fp.isInfinite x) 5.0 (fp.to_real x))))", 0, Valid, Satisfied, ""},
		{"infinities of another format", fpr, "sat ((define-fun x () Float32 (_ +oo 8 24))(define-fun fp.to_real ((x " +
			"Float64)) Real (ite (fp.isInfinite x) 5.0 (fp.to_real x))))", 0, Unknown, OpenValue, ""},
		{"equal arrays over different index sorts", two, "sat ((define-fun b () (Array Bool Int) ((as const (Array " +
			"Bool Int)) 0))(define-fun a () (Array Int Int) (store (store ((as const (Array Int Int)) 0) 5 7) 6 7)))",
			0, Valid, Satisfied, ""},
		{"the finite index sort second", two, "sat ((define-fun a () (Array Int Int) ((as const (Array Int Int)) " +
			"0))(define-fun b () (Array Bool Int) (store (store ((as const (Array Bool Int)) 3) true 0) false 0)))", 0,
			Valid, Satisfied, ""},
		{"stores that exhaust an index sort of arrays", "(define-sort B () (Array Bool Bool))(declare-fun a () " +
			"(Array B Int))(declare-fun t () B)(declare-fun f () B)(assert (= (store (store (store (store a t 1) f " +
			"1) (store f true true) 1) (store t true false) 1) ((as const (Array B Int)) 1)))(check-sat)",
			"sat ((define-fun a () (Array B Int) ((as const (Array B Int)) 0))(define-fun t () B ((as const B) " +
				"true))(define-fun f () B ((as const B) false)))", 0, Valid, Satisfied, ""},
		{"stores that do not", "(define-sort B () (Array Bool Bool))(declare-fun a () (Array B Int))(declare-fun t " +
			"() B)(declare-fun f () B)(assert (= (store (store (store a t 1) f 1) (store f true true) 1) ((as const " +
			"(Array B Int)) 1)))(check-sat)",
			"sat ((define-fun a () (Array B Int) ((as const (Array B Int)) 0))(define-fun t () B ((as const B) " +
				"true))(define-fun f () B ((as const B) false)))", 0, Invalid, FalseAssert, ""},
		{"the name of an assertion", bool[:len(bool)-len("(check-sat)")] +
			"(assert (! p :named q))(assert (or q false))(check-sat)", "sat ((define-fun p () Bool true))", 0, Valid,
			Satisfied, "all 3"},
		{"the name of a term, false", "(declare-fun x () Int)(assert (> (! (+ x 1) :named |y z|) 3))(assert (= |y z| " +
			"5))(check-sat)", "sat ((define-fun x () Int 3))", 0, Invalid, FalseAssert, "assertion 2"},
		{"the name of a term in the same assertion", "(declare-fun x () Int)(assert (and (> (! (+ x 1) :named y) 3) " +
			"(= y 4)))(check-sat)", "sat ((define-fun x () Int 3))", 0, Valid, Satisfied, ""},
		{"a name before its term", "(declare-fun x () Int)(assert (and (= y 4) (> (! (+ x 1) :named y) 3)))(check-sat)",
			"sat ((define-fun x () Int 3))", 0, Unknown, BadBenchmark, "unknown constant y"},
		{"a name of itself", "(declare-fun x () Bool)(assert (! (or x y) :named y))(check-sat)",
			"sat ((define-fun x () Bool true))", 0, Unknown, BadBenchmark, "unknown constant y"},
		{"a name that is popped", "(declare-fun x () Bool)(push 1)(assert (! (not x) :named y))(pop 1)(assert (! x " +
			":named y))(assert y)(check-sat)", "sat ((define-fun x () Bool true))", 0, Valid, Satisfied, "all 2"},
		{"a name given twice", "(declare-fun x () Bool)(assert (! (not x) :named y))(assert (! x :named y))(assert " +
			"y)(check-sat)", "sat ((define-fun x () Bool true))", 0, Unknown, BadBenchmark, "y is declared twice"},
		{"a name of two lines", "(declare-fun |a\nb| () Int)(assert (= |a\nb| 1))(check-sat)", "sat ()", 0, Unknown,
			Missing, `does not define a\nb, which`},
		{"arrays by functions in a datatype", inD + "(assert (= x y))(check-sat)", "sat ((define-fun x () D (mk " +
			"(lambda ((i Int)) (+ i 1)) 1))(define-fun y () D (mk (lambda ((i Int)) (+ 1 i)) 1)))", 0, Unknown,
			Unsupported, "arrays that are given by functions"},
		{"and another field that differs", inD + "(assert (= x y))(check-sat)", "sat ((define-fun x () D (mk (lambda " +
			"((i Int)) (+ i 1)) 1))(define-fun y () D (mk (lambda ((i Int)) (+ 1 i)) 2)))", 0, Invalid, FalseAssert,
			""},
		{"one array by a function", inD + "(assert (= x y))(check-sat)",
			"sat ((define-fun x () D (mk (lambda ((i Int)) (+ i 1)) 1))(define-fun y () D x))", 0, Valid, Satisfied,
			""},
		{"distinct values with arrays by functions", inD + "(assert (distinct x y (mk (f x) 7)))(check-sat)",
			"sat ((define-fun x () D (mk (lambda ((i Int)) (+ i 1)) 1))(define-fun y () D (mk (lambda ((i Int)) (+ 1 " +
				"i)) 1)))", 0, Unknown, Unsupported, ""},
		{"arrays of arrays by functions", "(declare-fun x () (Array Int (Array Int Int)))(declare-fun y () (Array " +
			"Int (Array Int Int)))(assert (= x (store y 1 (select y 2))))(check-sat)",
			"sat ((define-fun x () (Array Int (Array Int Int)) ((as const (Array Int (Array Int Int))) (lambda ((i " +
				"Int)) (+ i 1))))(define-fun y () (Array Int (Array Int Int)) ((as const (Array Int (Array Int " +
				"Int))) (lambda ((i Int)) (+ 1 i)))))", 0, Unknown, Unsupported, ""},
		{"an array by a function as an index", "(declare-fun a () (Array (Array Int Int) Int))(declare-fun x () " +
			"(Array Int Int))(declare-fun y () (Array Int Int))(assert (= (select (store a x 5) y) 5))(check-sat)",
			"sat ((define-fun a () (Array (Array Int Int) Int) ((as const (Array (Array Int Int) Int)) " +
				"0))(define-fun x () (Array Int Int) (lambda ((i Int)) (+ i 1)))(define-fun y () (Array Int Int) " +
				"(lambda ((i Int)) (+ 1 i))))", 0, Unknown, Unsupported, "at an index"},
		{"regular expressions in a datatype", "(declare-datatype D ((mk (f RegLan))))(declare-fun x () " +
			"D)(declare-fun y () D)(assert (= x y))(check-sat)",
			"sat ((define-fun x () D (mk (re.++ (re.* (str.to_re \"ab\")) (str.to_re \"a\"))))(define-fun y () D (mk " +
				"(re.++ (str.to_re \"a\") (re.* (str.to_re \"ba\"))))))", 0, Valid, Satisfied, ""},
		{"a set by comparisons", sets + "(assert (= a b))(check-sat)", "sat ((define-fun a () (Array Int Bool) " +
			"(lambda ((i Int)) (= 3 i)))(define-fun b () (Array Int Bool) (store ((as const (Array Int Bool)) false) " +
			"3 true)))", 0, Valid, Satisfied, ""},
		{"sets by comparisons", sets + "(assert (= a b))(check-sat)", "sat ((define-fun a () (Array Int Bool) " +
			"(lambda ((i Int)) (or (= i 1) (and (distinct i 2) (not (= i 3))))))(define-fun b () (Array Int Bool) " +
			"(lambda ((i Int)) (let ((n (= i 3))) (not (or n (= 2 i)))))))", 0, Valid, Satisfied, ""},
		{"sets that differ", sets + "(assert (= a b))(check-sat)", "sat ((define-fun a () (Array Int Bool) (lambda " +
			"((i Int)) (or (= i 1) (= i 3))))(define-fun b () (Array Int Bool) (lambda ((i Int)) (= i 3))))", 0,
			Invalid, FalseAssert, ""},
		{"a set by more than comparisons", sets + "(assert (= a b))(check-sat)", "sat ((define-fun a () (Array Int " +
			"Bool) (lambda ((i Int)) (or (= i 1) (> i 3))))(define-fun b () (Array Int Bool) (lambda ((i Int)) (or " +
			"(= i 1) (< 3 i)))))", 0, Unknown, Unsupported, "arrays that are given by functions"},
		{"a comparison of what depends on the index", sets + "(assert (= a b))(check-sat)", "sat ((define-fun a () " +
			"(Array Int Bool) (lambda ((i Int)) (= (+ i 1) 5)))(define-fun b () (Array Int Bool) (lambda ((i Int)) " +
			"(= i 4))))", 0, Unknown, Unsupported, ""},
		{"a comparison of arrays that depend on it", sets + "(assert (= a b))(check-sat)", "sat ((define-fun a () " +
			"(Array Int Bool) (lambda ((i Int)) (= (lambda ((j Int)) i) ((as const (Array Int Int)) 4))))(define-fun " +
			"b () (Array Int Bool) (lambda ((i Int)) (= i 4))))", 0, Unknown, Unsupported, ""},
		{"a comparison of a choice", sets + "(assert (= a b))(check-sat)", "sat ((define-fun a () (Array Int Bool) " +
			"(lambda ((i Int)) (= (ite (= i 1) 4 i) 4)))(define-fun b () (Array Int Bool) (lambda ((i Int)) (or (= i " +
			"1) (= i 4)))))", 0, Valid, Satisfied, ""},
		{"connectives over the index", "(declare-fun a () (Array Bool Bool))(assert (= a (store ((as const (Array " +
			"Bool Bool)) true) false false)))(check-sat)",
			"sat ((define-fun a () (Array Bool Bool) (lambda ((b Bool)) (= (and b (or b false) (=> true b) (ite b b " +
				"b)) true))))", 0, Valid, Satisfied, ""},
		{"a recursive function as an array in its own body",
			"(declare-fun f (Int) Int)(declare-fun a () (Array Int Int))(assert (= (select a 3) 3))(check-sat)",
			"sat ((define-fun-rec f ((x Int)) Int (ite (<= x 0) 0 (+ 1 (select (_ as-array f) (- x 1)))))(define-fun " +
				"a () (Array Int Int) (_ as-array f)))", 0, Valid, Satisfied, ""},
		{"a comparison with itself", sets + "(assert (= a ((as const (Array Int Bool)) true)))(check-sat)",
			"sat ((define-fun a () (Array Int Bool) (lambda ((i Int)) (= i i)))(define-fun b () (Array Int Bool) a))",
			0, Valid, Satisfied, ""},
		{"a finite map by comparisons", "(declare-fun a () (Array Bool Int))(declare-fun f (Int) (Array Int " +
			"Int))(assert (and (= a ((as const (Array Bool Int)) 5)) (= (f 4) (store ((as const (Array Int Int)) 0) " +
			"4 1))))(check-sat)",
			"sat ((define-fun a () (Array Bool Int) (lambda ((b Bool)) (ite (or (= b true) (= b false)) 5 " +
				"7)))(define-fun f ((n Int)) (Array Int Int) (lambda ((i Int)) (ite (not (= n i)) 0 1))))", 0, Valid,
			Satisfied, ""},
		{"short circuit", "(declare-fun x () Int)(assert (or (= x 0) (= (div 1 x) 1)))(check-sat)",
			"sat ((define-fun x () Int 0))", 0, Valid, Satisfied, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			response := strings.ReplaceAll(row.response, "ROOT", "(root-obj (+ (^ x 2) (- 2)) 2)")
			r := Check(context.Background(), []byte(row.benchmark), []byte(response), optionsOf(row.year))
			if r.Verdict != row.verdict || r.Kind != row.kind || !strings.Contains(r.Reason, row.reason) {
				t.Errorf("got %+v, want %s %s with %q", r, row.verdict, row.kind, row.reason)
			}
		})
	}
}

// TestOpenValues checks that partial functions are functions: an open value equals itself, but is not known to equal
// anything else.
func TestOpenValues(t *testing.T) {
	const (
		list = "(declare-datatype L ((n) (c (h L) (t L))))"
		f    = "(declare-fun f (Int) Int)"
		open = "(define-fun f ((x Float16) (y Float16)) Bool (ite (= x y) true (= (/ 1.0 0.0) 0.0)))"
	)
	for _, row := range []struct {
		script, model string
		want          Verdict
	}{
		{"(assert (= (div 3 0) (div 3 0)))", "", Valid},
		{"(assert (distinct (div 3 0) (div 4 0) 5 (div 3 0)))", "", Invalid},
		{"(assert (distinct (div 3 0) (div 4 0)))", "", Unknown},
		{"(assert (= (div 3 0) (mod 3 0)))", "", Unknown},
		{"(assert (= (div 3 0) 1 2))", "", Invalid},
		{"(assert (<= (div 3 0) (div 3 0)))", "", Valid},
		{"(assert (> (div 3 0) (div 3 0)))", "", Invalid},
		{"(assert (= (+ (div 3 0) 1) (+ (div 3 0) 1)))", "", Valid},
		{"(assert (= (+ (div 3 0) 1) (div 3 0)))", "", Unknown},
		{"(assert (= (not (> (div 3 0) 1)) (> (div 3 0) 1)))", "", Unknown},
		{"(assert (= (or (> (div 3 0) 1) (> (div 4 0) 1)) (> (div 3 0) 1)))", "", Unknown},
		{"(assert (= (and (> (div 3 0) 1) true) (and (> (div 3 0) 1) true)))", "", Valid},
		{"(assert (= (ite (> (div 3 0) 1) 1 2) (div 3 0)))", "", Unknown},
		{"(declare-fun x () Real)(assert (= (/ x 0.0) (/ (- x) 0.0)))", "(define-fun x () Real 0.0)", Valid},
		{"(declare-fun x () Real)(assert (= (/ x 0.0) (/ (- x) 0.0)))", "(define-fun x () Real 1.0)", Unknown},
		{f + "(assert (= (f 2) (f 2)))", "(define-fun f ((x Int)) Int (div x 0))", Valid},
		{f + "(assert (= (f 2) (f 3)))", "(define-fun f ((x Int)) Int (div x 0))", Unknown},
		{f + "(assert (= (f 2) (f 3)))", "(define-fun f ((x Int)) Int (ite (> (div 1 0) 0) x 7))", Unknown},
		{f + "(assert (= (f 2) (+ (f 3) 1)))", "(define-fun f ((x Int)) Int (- (div 1 0) (+ x 1)))", Unknown},
		{f + "(assert (= (f (div 3 0)) (div 3 0)))", "(define-fun f ((x Int)) Int (+ x 1))", Unknown},
		{list + "(assert (= (h (t n)) (h (t n))))", "", Valid},
		{list + "(assert (= (h n) (t n)))", "", Unknown},
		{list + "(assert (= (t n) (match (t n) ((n n) ((c a b) b)))))", "", Unknown},
		{list + "(assert (= (match (t n) ((n n) ((c a b) b))) (match (t n) ((n n) ((c a b) a)))))", "", Unknown},
		{"(declare-fun a () (Array Int Int))(assert (= (select a 1) (div 1 0)))",
			"(define-fun a () (Array Int Int) (lambda ((i Int)) (div i 0)))", Valid},
		{"(declare-fun a () (Array Int Int))(assert (= (select a 1) (select a 2)))",
			"(define-fun a () (Array Int Int) (lambda ((i Int)) (div i 0)))", Unknown},
		{"(assert (= ((_ fp.to_ubv 8) RNE (_ NaN 8 24)) ((_ fp.to_ubv 8) RNE (_ NaN 8 24))))", "", Valid},
		{"(assert (= ((_ fp.to_ubv 8) RNE (_ NaN 8 24)) ((_ fp.to_ubv 8) RTZ (_ NaN 8 24))))", "", Unknown},
		{"(assert (= ((_ fp.to_ubv 8) RNE (_ NaN 8 24)) ((_ fp.to_sbv 8) RNE (_ NaN 8 24))))", "", Unknown},
		{"(assert (= (fp.to_real (_ +oo 5 11)) (fp.to_real (_ +oo 6 10))))", "", Unknown},
		// fp.min and fp.max are functions, so each pair of zeros may have a different zero as its result.
		{"(assert (distinct (fp.min (_ +zero 5 11) (_ -zero 5 11)) (fp.min (_ -zero 5 11) (_ +zero 5 11))))", "", Valid},
		{"(assert (distinct (fp.max (_ +zero 5 11) (_ -zero 5 11)) (fp.max (_ -zero 5 11) (_ +zero 5 11))))", "", Valid},
		{"(assert (distinct (fp.min (_ +zero 5 11) (_ -zero 5 11)) (fp.max (_ +zero 5 11) (_ -zero 5 11)) " +
			"(fp.min (_ -zero 5 11) (_ +zero 5 11))))", "", Unknown}, // of three zeros, two are equal
		// All choices of zeros are tried, even after a choice that depends on another open value.
		{open + "(assert (f (fp.min (_ +zero 5 11) (_ -zero 5 11)) (_ -zero 5 11)))", "", Valid},
		{open + "(assert (f (fp.min (_ +zero 5 11) (_ -zero 5 11)) (_ +zero 5 11)))", "", Valid},
		{open + "(assert (f (fp.min (_ -zero 5 11) (_ +zero 5 11)) (_ -zero 5 11)))", "", Valid},
		{open + "(assert (f (fp.min (_ -zero 5 11) (_ +zero 5 11)) (_ +zero 5 11)))", "", Valid},
		{open + "(assert (f (fp.max (_ +zero 5 11) (_ -zero 5 11)) (_ -zero 5 11)))", "", Valid},
		{open + "(assert (f (fp.max (_ +zero 5 11) (_ -zero 5 11)) (_ +zero 5 11)))", "", Valid},
		{open + "(assert (f (fp.max (_ -zero 5 11) (_ +zero 5 11)) (_ -zero 5 11)))", "", Valid},
		{open + "(assert (f (fp.max (_ -zero 5 11) (_ +zero 5 11)) (_ +zero 5 11)))", "", Valid},
		{open + "(assert (f (fp.max (_ -zero 5 11) (_ +zero 5 11)) (_ NaN 5 11)))", "", Unknown},
		{"(assert (and (= (_ -zero 5 11) (fp.min (_ +zero 5 11) (_ -zero 5 11)) (fp.min (_ -zero 5 11) (_ +zero 5 11))) " +
			"(= (_ +zero 5 11) (fp.max (_ +zero 5 11) (_ -zero 5 11)) (fp.max (_ -zero 5 11) (_ +zero 5 11)))))", "", Valid},
		{"(assert (and (= (_ +zero 5 11) (fp.min (_ +zero 5 11) (_ -zero 5 11)) (fp.min (_ -zero 5 11) (_ +zero 5 11))) " +
			"(= (_ -zero 5 11) (fp.max (_ +zero 5 11) (_ -zero 5 11)) (fp.max (_ -zero 5 11) (_ +zero 5 11)))))", "", Valid},
		// the number may be NaN
		{"(assert (fp.eq ((_ to_fp 5 11) RNE (/ 1.0 0.0)) ((_ to_fp 5 11) RNE (/ 1.0 0.0))))", "", Unknown},
	} {
		r := Check(context.Background(), []byte(row.script+"(check-sat)"), []byte("sat ("+row.model+")"), Options{})
		if r.Verdict != row.want {
			t.Errorf("%s under %s: got %+v, want %s", row.script, row.model, r, row.want)
		}
	}
}

// TestArrayHint checks that only a function used as an array leads to the hint on how to print arrays.
func TestArrayHint(t *testing.T) {
	for _, row := range []struct {
		declared, defined string
		hint              bool
	}{
		{"() (Array Int Int)", "((i Int)) Int 0", true},
		{"() (Array Int Int)", "() (Array Int Bool) ((as const (Array Int Bool)) true)", false},
		{"(Int) (Array Int Int)", "((i Bool)) (Array Int Int) ((as const (Array Int Int)) 0)", false},
		{"() Int", "((i Int)) Int 0", false},
	} {
		r := Check(context.Background(), []byte("(declare-fun a "+row.declared+")(assert true)(check-sat)"),
			[]byte("sat\n((define-fun a "+row.defined+"))"), Options{})
		if r.Kind != Malformed || strings.Contains(r.Reason, "print an array as (store") != row.hint {
			t.Errorf("%s: %s %s", row.defined, r.Kind, r.Reason)
		}
	}
}

// TestDeepLets uses a chain of a million lets, each used twice, so that the expanded tree has 2^1000000 nodes.
func TestDeepLets(t *testing.T) {
	const depth = 1_000_000
	var b strings.Builder
	b.WriteString("(declare-fun x () (_ BitVec 32))(assert (let ((a x)) ")
	for range depth {
		b.WriteString("(let ((a (bvadd a a))) ")
	}
	b.WriteString("(= a #x00000000)")
	b.WriteString(strings.Repeat(")", depth+2))
	b.WriteString("(check-sat)")
	r := Check(context.Background(), []byte(b.String()), []byte("sat ((define-fun x () (_ BitVec 32) #x00000001))"),
		Options{})
	if r.Verdict != Valid {
		t.Errorf("got %+v", r)
	}
}

// TestDeepSorts uses sorts that are nested too deeply for recursion: in the benchmark, in the model, by definitions and
// by terms.
func TestDeepSorts(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(128 << 20))
	const depth = 1_000_000
	deep := strings.Repeat("(Array Int ", depth) + "Int" + strings.Repeat(")", depth)
	double := "(define-sort S0 (X) (Array Int X))"
	for i := range 15 {
		double += fmt.Sprintf("(define-sort S%d (X) (S%d (S%d X)))", i+1, i, i)
	}
	const box = "(declare-datatypes ((Box 1)) ((par (T) ((box (open T))))))"
	boxes := strings.Repeat("(box ", depth) + "1" + strings.Repeat(")", depth)
	for _, row := range []struct{ name, script, model string }{
		{"benchmark", "(declare-fun x () " + deep + ")(assert true)", "sat ()"},
		{"model", "(declare-fun x () Int)(assert (= x 1))", "sat ((define-fun h () " + deep +
			" h)(define-fun x () Int 1))"},
		{"definitions", double + "(declare-fun x () (S15 Int))(assert true)", "sat ()"},
		{"terms", box + "(assert (= " + boxes + " " + boxes + "))", "sat ()"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := Check(context.Background(), []byte(row.script), []byte(row.model), Options{})
			if r.Verdict != Unknown || !strings.Contains(r.Reason, "a sort is nested more than 10000 levels deep") {
				t.Errorf("got %+v", r)
			}
		})
	}
}

// TestExplosions uses small texts with exponentially large values or sorts, and checks that none takes much time or
// memory.
func TestExplosions(t *testing.T) {
	double := func(first, step, last string) string {
		return "(assert (let ((a " + first + ")) " + strings.Repeat("(let ((a "+step+")) ", 60) + last +
			strings.Repeat(")", 62)
	}
	sorts := "(define-sort A0 () (Array Int Bool))"
	for i := 1; i <= 60; i++ {
		sorts += fmt.Sprintf("(define-sort A%d () (Array A%d A%d))", i, i-1, i-1)
	}
	for _, row := range []struct {
		name, script string
		kind         Kind
	}{
		{"squares", double("3", "(* a a)", "(= a 0)"), Unsupported},
		{"fractions", double("(/ 1 3)", "(* a a)", "(= a 0.0)"), Unsupported},
		{"strings", double(`"ab"`, "(str.++ a a)", `(= a "")`), Unsupported},
		{"replacement", double(`"a"`, `(str.replace_all a "a" (str.++ a a))`, `(= a "")`), Unsupported},
		{"sorts", sorts + "(declare-fun x () A60)(assert (= x 1))", Missing},
		{"sort error", sorts + "(assert (= ((as const A60) 1) 1))", BadBenchmark},
		{"parameters of sorts", "(define-sort S0 (X) (Array X X))" + func() (s string) {
			for i := range 40 {
				s += fmt.Sprintf("(define-sort S%d (X) (Array X (S%d (S%d X))))", i+1, i, i)
			}
			return s
		}() + "(declare-fun x () (S40 Int))", Unsupported},
		{"sums of fractions", double("(/ 1 3)", "(+ (/ 1 a) a)", "(= a 0.0)"), Unsupported},
		{"digits", "(assert (= 0." + strings.Repeat("3", 3_000_000) + " 1.0))", Unsupported},
		{"significands", "(assert (fp.isNaN (_ NaN 11 10000000)))", BadBenchmark},
		{"wide vectors", "(assert (let ((a ((_ zero_extend 16000000) #b1))) (and " + strings.Repeat("(= (bvadd a a) a)",
			3) + ")))", FalseAssert},
		{"regular expression", double(`(str.to_re "a")`, "(re.++ (re.union a re.allchar) a)", `(str.in_re "aaa" a)`),
			FalseAssert},
	} {
		t.Run(row.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			start := time.Now()
			r := Check(ctx, []byte(row.script), []byte("sat ()"), Options{})
			if r.Kind != row.kind {
				t.Errorf("got %+v after %v", r, time.Since(start))
			}
		})
	}
}

// TestTimeLimit checks that a check ends soon after its time limit, with UNKNOWN.
func TestTimeLimit(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	const loop = "(define-fun-rec f ((n Int)) Int (f (+ n 1)))(declare-fun x () Int)(assert (= x (f 0)))(check-sat)"
	start := time.Now()
	r := Check(ctx, []byte(loop), []byte("sat ((define-fun x () Int 0))"), Options{})
	if r.Verdict != Unknown || r.Kind != LimitReached {
		t.Errorf("got %+v", r)
	}
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("it took %v", d)
	}
}

func FuzzCheck(f *testing.F) {
	f.Add("(declare-fun x () Int)(assert (= (* x 2) 4))(check-sat)", "sat ((define-fun x () Int 2))")
	f.Add("(declare-datatypes ((L 1)) ((par (T) ((nil) (cons (head T) (tail (L T)))))))(declare-fun l () (L "+
		"Int))(assert (= (head l) 5))", "sat ((define-fun l () (L Int) (cons 5 (as nil (L Int)))))")
	f.Add("(declare-fun x () Float16)(assert (fp.lt x (fp.add RNE x x)))",
		"sat ((define-fun x () Float16 (fp #b0 #b00001 #b0000000001)))")
	f.Add("(declare-fun s () String)(assert (str.in_re s (re.+ (re.range \"a\" \"z\"))))",
		"sat ((define-fun s () String \"ab\"))")
	f.Add("(declare-fun a () (Array Int Bool))(assert (select a 1))",
		"sat ((define-fun a () (Array Int Bool) (lambda ((x Int)) (> x 0))))")
	f.Add("(declare-sort U 0)(declare-fun a () U)(declare-fun f (U) U)(define-fun-rec g ((n Int)) Int (ite (< n 1) 0 "+
		"(g (- n 1))))(assert (and (= (f a) a) (= (g 3) (div 1 0))))",
		"sat (model (declare-fun U!0 () U)(define-fun a () U (as @a U))(define-fun f ((x U)) U (ite (= x U!0) @a "+
			"a))(define-fun div0 ((x Int)) Int 0))")
	f.Add("(declare-datatype D ((a) (b (c Real))))(declare-fun d () D)(assert (match d ((a false) ((b x) (= (* x x) "+
		"2.0)))))", "sat ((define-fun d () D (b (root-obj (+ (^ x 2) (- 2)) 1))))")
	f.Add("(declare-fun x () (_ BitVec 80))(assert (bvult x ((_ rotate_left 3) x)))",
		"sat ((define-fun x () (_ BitVec 80) (_ bv5 80)))")
	f.Add("(set-logic QF_IDL)(push 1)(declare-fun x () Int)(declare-fun y () Int)(assert (<= (- x y) (* 2 3)))(pop "+
		"1)(declare-fun x () Bool)(assert x)", "sat ((define-fun x () Bool true))")
	f.Add("(declare-fun a () (Array Int (Array Int Int)))(assert (= (select (select a 1) 2) 3))",
		"sat ((define-fun a () (Array Int (Array Int Int)) (lambda ((x Int)) (lambda ((y Int)) (+ x y)))))")
	f.Add("(declare-fun x () Real)(assert (= (* x x) 2.0))",
		"sat ((define-fun x () Real (root-of-with-ordering (coeffs 4 0 (- 4) 0 1) 2)))")
	f.Add("(declare-fun x () Real)(assert (= (* 9 x x) 2.0))",
		"sat ((define-fun x () Real (root-of-with-enclosure (coeffs (- 2) 0 9) 0.0 (/ 1 2))))")
	f.Add("(declare-datatype L ((n) (c (h Int) (t L))))(assert (= (h (t n)) (div 3 0 (mod 1 0))))",
		"sat ((refine-fun h ((l L)) Int (match l ((n (div 4 0)) ((c a b) a))))(refine-fun t ((l L)) L (ite ((_ is c) "+
			"l) (t l) l))(refine-fun div ((a Int) (b Int)) Int (ite (= b 0) (mod a b) (div a b)))(define-fun mod ((a "+
			"Int) (b Int)) Int 2))")
	f.Add("(assert (= (fp.min (_ +zero 8 24) (_ -zero 8 24)) ((_ to_fp 8 24) RNE (fp.to_real (_ NaN 8 24)))))",
		"sat ((refine-fun fp.to_real ((x Float32)) Real (ite (fp.isNaN x) 0.0 (fp.to_real x)))(refine-fun fp.min ((x "+
			"Float32)(y Float32)) Float32 y))")
	f.Fuzz(func(t *testing.T, benchmark, response string) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		r := Check(ctx, []byte(benchmark), []byte(response), Options{})
		if r.Verdict == "" || r.Reason == "" {
			t.Errorf("%+v", r)
		}
		errs, _, err := Lint(ctx, []byte(benchmark))
		if (r.Verdict == Valid || r.Verdict == Invalid && r.Kind == FalseAssert) && err != nil && ctx.Err() == nil {
			t.Errorf("%s, but the script cannot be read: %v %v", r.Verdict, errs, err)
		}
	})
}

// TestConcurrentChecks checks that every goroutine gets the same result for each pair. Run it with -race.
func TestConcurrentChecks(t *testing.T) {
	const benchmark = "(declare-fun x () Real)(declare-fun s () String)(assert (= (* x x) 2.0))(assert (str.in_re s " +
		"(re.+ re.allchar)))(check-sat)"
	results := make(chan Result)
	const n = 8
	for i := range n {
		go func() {
			response := fmt.Sprintf("sat ((define-fun x () Real (root-obj (+ (^ x 2) (- 2)) 1)) (define-fun s () "+
				"String \"%d\"))", i)
			results <- Check(context.Background(), []byte(benchmark), []byte(response), Options{})
		}()
	}
	for range n {
		if r := <-results; r.Verdict != Valid {
			t.Errorf("got %+v", r)
		}
	}
}

// optionsOf returns the options for a year's rules. 0 means 2026.
func optionsOf(year int) Options {
	if year == 0 {
		return Options{}
	}
	return Options{PartialIsInvalid: year <= 2019, DeclaredOnly: year <= 2022}
}
