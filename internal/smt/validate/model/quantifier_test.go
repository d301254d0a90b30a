package model

import (
	"context"
	"strings"
	"testing"
)

// TestQuantifiers uses quantifiers, many of which are decided by enumerating the values of a finite sort.
func TestQuantifiers(t *testing.T) {
	const (
		u    = "(declare-sort U 0)(declare-fun a () U)(declare-fun b () U)"
		both = "(define-fun a () U (as @a U))(define-fun b () U (as @b U))"
		z3   = "(declare-fun U!val!0 () U)(declare-fun U!val!1 () U)" +
			"(forall ((x U)) (or (= x U!val!0) (= x U!val!1)))(define-fun a () U U!val!0)(define-fun b () U U!val!1)"
		z31 = "(declare-fun U!val!0 () U)(forall ((x U)) (= x U!val!0))" +
			"(define-fun a () U U!val!0)(define-fun b () U U!val!0)"
		p  = "(declare-fun p (U) Bool)"
		r  = "(declare-fun r (U U) Bool)"
		f  = "(declare-fun f (Int) Int)"
		id = "(define-fun f ((x Int)) Int x)"
	)
	for _, row := range []struct {
		script, model string
		want          Verdict
		reason        string
	}{
		{"(assert (forall ((x Bool)) (or x (not x))))", "", Valid, ""},
		{"(assert (forall ((x Bool)) x))", "", Invalid, ""},
		{"(assert (exists ((x Bool)) x))", "", Valid, ""},
		{"(assert (exists ((x Bool)) (and x (not x))))", "", Invalid, ""},
		{"(assert (forall ((x (_ BitVec 8)) (y (_ BitVec 8))) (= (bvadd x y) (bvadd y x))))", "", Valid, ""},
		{"(assert (forall ((x (_ BitVec 8))) (exists ((y (_ BitVec 8))) (= (bvmul x y) #x01))))", "", Invalid, ""},
		{"(assert (forall ((x (_ BitVec 4))) (exists ((y (_ BitVec 4))) (= (bvadd x y) #x0))))", "", Valid, ""},
		{"(declare-fun c () (_ BitVec 8))(assert (forall ((x (_ BitVec 8))) (bvule c x)))",
			"(define-fun c () (_ BitVec 8) #x00)", Valid, ""},
		{"(declare-fun c () (_ BitVec 8))(assert (forall ((x (_ BitVec 8))) (bvule c x)))",
			"(define-fun c () (_ BitVec 8) #x01)", Invalid, ""},
		{"(assert (not (forall ((x Bool)) (exists ((x Bool)) (not x)))))", "", Invalid, ""},
		{"(declare-datatype E ((red) (green)))(assert (exists ((x E) (y E)) (distinct x y)))", "", Valid, ""},
		{"(declare-datatype E ((red) (green)))(assert (exists ((x E) (y E) (z E)) (distinct x y z)))", "", Invalid, ""},
		{"(assert (exists ((m RoundingMode)) (= m RTZ)))", "", Valid, ""},
		{"(assert (forall ((x Float16)) (=> (fp.eq x x) (not (fp.isNaN x)))))", "", Valid, ""},
		{"(assert (exists ((a (Array Bool Bool))) (and (select a true) (not (select a false)))))", "", Valid, ""},

		// A quantifier over Int is decided only if its body does not depend on the variable.
		{f + "(assert (forall ((x Int)) (= (f x) x)))", id, Unknown, "quantifiers over Int are not evaluated"},
		{f + "(assert (forall ((x Int) (q Bool)) (or q (not q) (> (f x) 3))))", id, Valid, ""},
		{f + "(assert (exists ((q Bool) (x Int)) (and q (not q) (> (f x) 3))))", id, Invalid, ""},
		{"(assert (forall ((x (_ BitVec 32))) (= x x)))", "", Unknown, "quantifiers over (_ BitVec 32)"},
		{"(assert (forall ((x (_ BitVec 12)) (y (_ BitVec 12))) (= (bvand x y) (bvand y x))))", "", Unknown,
			"too many instances"},

		// Bounds and equations leave few values that matter. With f(x) = x, f is below 9 for 0 to 8, but not for 0 to
		// 9.
		{f + "(assert (forall ((x Int)) (=> (and (<= 0 x) (<= x 8)) (< (f x) 9))))", id, Valid, ""},
		{f + "(assert (forall ((x Int)) (=> (and (<= 0 x) (<= x 9)) (< (f x) 9))))", id, Invalid, ""},
		{f + "(assert (forall ((x Int)) (=> (and (< (- 1) x) (> 9 x)) (< (f x) 9))))", id, Valid, ""},
		{f + "(assert (forall ((x Int)) (or (< x 0) (not (< x 9)) (< (f x) 9))))", id, Valid, ""},
		{f + "(assert (forall ((x Int)) (=> (<= 0 x 8) (< (f x) 9))))", id, Valid, ""},
		{f + "(assert (forall ((x Int)) (=> (<= 0 x 9) (< (f x) 9))))", id, Invalid, ""},
		{f + "(assert (forall ((x Int)) (=> (and (<= 3 x) (< x 3)) (= (f x) 7))))", id, Valid, ""},
		{f + "(assert (exists ((x Int)) (and (<= 0 x) (<= x 8) (= (f x) 9))))", id, Invalid, ""},
		{f + "(assert (exists ((x Int)) (and (<= 0 x) (<= x 9) (= (f x) 9))))", id, Valid, ""},
		{f + "(assert (not (exists ((x Int)) (and (= x 3) (= (f x) 4)))))", id, Valid, ""},
		{f + "(assert (forall ((x Int) (y Int)) (=> (and (<= 0 x 3) (<= x y) (<= y 5)) (<= (f x) (f y)))))", id, Valid, ""},
		{f + "(assert (forall ((x Int)) (=> (<= 0 x 3) (exists ((y Int)) (and (<= 0 y x) (= (+ y y) (f x)))))))", id,
			Invalid, ""}, // 1 is odd
		{f + "(assert (forall ((x Int)) (=> (<= 0 x 3) (exists ((y Int)) (and (<= 0 y x) (= (+ y y) (* 2 (f x))))))))",
			id, Valid, ""},
		{"(declare-fun c () Real)(assert (forall ((x Real)) (=> (= x c) (> (* x x) 2.0))))", "(define-fun c () Real 1.5)",
			Valid, ""},
		{"(declare-fun c () Real)(assert (forall ((x Real)) (=> (= c x) (> (* x x) 2.5))))", "(define-fun c () Real 1.5)",
			Invalid, ""},
		{"(declare-fun c () Real)(assert (forall ((x Real)) (=> (<= 0.0 x c) (<= (* x x) 2.25))))",
			"(define-fun c () Real 1.5)", Unknown, "quantifiers over Real"},
		{f + "(assert (forall ((x Int)) (=> (and (<= 0 x) (<= x 100000)) (= (f x) x))))", id, Unknown, "over Int"},

		// One counterexample or witness among the constants of the benchmark and model and their neighbours is enough.
		{f + "(assert (forall ((x Int)) (< (f x) 1000)))", id, Invalid, ""},
		{f + "(assert (exists ((x Int)) (> (f x) 1000)))", id, Valid, ""},
		{f + "(assert (forall ((x Int)) (< (f x) 1000)))",
			"(define-fun f ((x Int)) Int (ite (= x 777) 2000 0))", Invalid, ""},
		{f + "(assert (forall ((x Int)) (< (f x) 1000)))",
			"(define-fun f ((x Int)) Int (ite (= x 777) 999 0))", Unknown, ""},
		{f + "(assert (exists ((x Int)) (= (* x x) 49)))", id, Unknown, ""}, // 7 is not among the candidates
		{f + "(assert (forall ((x Int)) (exists ((y Int)) (> y x))))", id, Unknown, ""},
		{f + "(assert (exists ((x Int) (y Int)) (and (> x 5) (< (+ (f x) y) 6))))", id, Valid, ""}, // 6 and -1
		{"(declare-fun c () (_ BitVec 32))(assert (forall ((x (_ BitVec 32))) (distinct (bvadd x #x00000001) c)))",
			"(define-fun c () (_ BitVec 32) #x00000001)", Invalid, ""},
		{"(declare-fun s () String)(assert (exists ((x String)) (= (str.++ x x) (str.++ s s))))",
			"(define-fun s () String \"ab\")", Valid, ""},

		// The model names some values of an uninterpreted sort, but there may be others.
		{u + "(assert (exists ((x U)) (distinct x a)))", both, Valid, ""},
		{u + "(assert (forall ((x U)) (= x a)))", both, Invalid, ""},
		{u + "(assert (forall ((x U)) (or (= x a) (= x b))))", both, Unknown, "more values than the model names"},
		{u + "(assert (exists ((x U)) (and (distinct x a) (distinct x b))))", both, Unknown, "more values"},
		{u + p + "(assert (forall ((x U)) (=> (p x) (= x a))))", both + "(define-fun p ((x U)) Bool (= x (as @a U)))",
			Valid, ""},
		{u + p + "(assert (forall ((x U)) (p x)))", both + "(define-fun p ((x U)) Bool (= x (as @a U)))", Invalid, ""},
		{u + p + "(assert (forall ((x U)) (p x)))", both + "(define-fun p ((x U)) Bool true)", Valid, ""},
		{u + r + "(assert (forall ((x U) (y U)) (=> (r x y) (= x y))))", both +
			"(define-fun r ((x U) (y U)) Bool (= x y))", Valid, ""},
		{u + "(assert (forall ((x U)) (exists ((y U)) (distinct x y))))", both, Valid, ""},
		{u + "(assert (forall ((x U)) (exists ((y U)) (and (distinct x y) (distinct y a)))))", both, Unknown, "more"},
		{"(declare-sort U 0)(assert (exists ((x U)) (= x x)))", "", Valid, ""},
		{"(declare-sort U 0)" + p + "(assert (exists ((x U)) (p x)))", "(define-fun p ((x U)) Bool true)", Valid, ""},
		{"(declare-sort U 0)(assert (forall ((x U) (y U)) (= x y)))", "", Unknown, "more values"},
		{u + "(assert (forall ((x U)) (or (distinct x a) (= x b))))",
			"(define-fun a () U @a)(define-fun b () U @a)", Unknown, "quantifiers over U"},

		// z3 states that there are no others.
		{u + "(assert (distinct a b))(assert (forall ((x U)) (or (= x a) (= x b))))", z3, Valid, ""},
		{u + "(assert (forall ((x U)) (= x a)))", z31, Valid, ""},
		{u + "(assert (forall ((x U)) (= x a)))", z3, Invalid, ""},
		{u + "(assert (exists ((x U)) (and (distinct x a) (distinct x b))))", z3, Unknown, "(forall)"},
		{u + "(assert (distinct a b))", z31, Invalid, ""},
		{u + "(declare-fun s () (Array U Int))(declare-fun t () (Array U Int))(assert (distinct s t))",
			z31 + "(define-fun s () (Array U Int) ((as const (Array U Int)) 1))(define-fun t () (Array U Int) " +
				"(store ((as const (Array U Int)) 0) U!val!0 1))", Unknown, "(forall)"},
		{u + "(declare-fun s () (Array U Int))(declare-fun t () (Array U Int))(assert (= s t))",
			z31 + "(define-fun s () (Array U Int) ((as const (Array U Int)) 1))(define-fun t () (Array U Int) " +
				"(store ((as const (Array U Int)) 0) U!val!0 1))", Valid, ""},

		// A quantifier in a definition.
		{u + r + "(assert (r a b))(assert (not (r a a)))", both +
			"(define-fun r ((x U) (y U)) Bool (forall ((q Bool)) (or q (distinct x y))))", Valid, ""},
	} {
		response := []byte("sat\n(" + row.model + "\n)")
		got := Check(context.Background(), []byte(row.script+"(check-sat)"), response, Options{})
		if got.Verdict != row.want || !strings.Contains(got.Reason, row.reason) {
			t.Errorf("%s\n%s\n%s: %s (%s), want %s with %q", row.script, row.model, got.Verdict, got.Reason, got.Kind,
				row.want, row.reason)
		}
	}
}
