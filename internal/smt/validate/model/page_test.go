package model

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestModelPage covers the sentences of the organisers' page on models (2026, "Experimental model validation track")
// that other tests do not cover. The verdicts follow from its text.
func TestModelPage(t *testing.T) {
	const (
		list = "(declare-datatypes ((list 1)) ((par (alpha) ((nil) (cons (car alpha) (cdr (list alpha)))))))"
		l    = list + "(declare-fun l () (list Int))"
		ll   = list + "(declare-fun l () (list (list Int)))"
		arr  = "(declare-fun a () (Array Int Int))(declare-fun b () (Array Int Int))"
		x    = "(declare-fun x () Real)(declare-fun y () Real)"
	)
	abstract := Options{AbstractArrays: true}
	for _, row := range []struct {
		script, model string
		opt           Options
		want          Verdict
		reason        string
	}{
		// A constructor without its sort, where the context determines the sort.
		{l + "(assert ((_ is nil) l))", "(define-fun l () (list Int) nil)", Options{}, Valid, ""},
		{l + "(assert (= l (as nil (list Int))))", "(define-fun l () (list Int) nil)", Options{}, Valid, ""},
		{l + "(assert (= l (cons 1 (cons 2 (as nil (list Int))))))",
			"(define-fun l () (list Int) (cons 1 (cons 2 nil)))", Options{}, Valid, ""},
		{l + "(assert (= l (cons 1 (as nil (list Int)))))", "(define-fun l () (list Int) (cons 2 nil))", Options{},
			Invalid, ""},
		{ll + "(assert (= l (cons (as nil (list Int)) (cons (cons 1 (as nil (list Int))) " +
			"(as nil (list (list Int)))))))",
			"(define-fun l () (list (list Int)) (cons nil (cons (cons 1 nil) nil)))", Options{}, Valid, ""},
		{l + "(assert (= l (as nil (list Int))))", "(define-fun l () (list Int) (let ((n nil)) (ite (= n l2) n l2)))" +
			"(define-fun l2 () (list Int) nil)", Options{}, Valid, ""},
		{list + "(declare-fun f ((list Int)) (list Int))" +
			"(assert (= (f (as nil (list Int))) (cons 5 (as nil (list Int)))))",
			"(define-fun f ((p (list Int))) (list Int) (ite (= p nil) (cons 5 p) nil))", Options{}, Valid, ""},
		{list + "(declare-fun a () (Array Int (list Int)))(assert (= (select a 1) (as nil (list Int))))",
			"(define-fun a () (Array Int (list Int)) (store ((as const (Array Int (list Int))) (cons 1 nil)) 1 nil))",
			Options{}, Valid, ""},
		{l + "(assert ((_ is nil) l))", "(define-fun l () (list Int) (ite ((_ is nil) nil) nil nil))", Options{},
			Unknown, "ambiguous"},
		{l + "(assert ((_ is nil) l))", "(define-fun l () (list Int) (cons true nil))", Options{}, Unknown, "sort"},
		{l + "(assert ((_ is nil) l))", "(define-fun l () Int nil)", Options{}, Unknown, "sort"},
		{l + "(assert (= l nil))", "(define-fun l () (list Int) nil)", Options{}, Unknown, "benchmark"},

		// Abstract arrays are one of the rejected alternatives.
		{arr + "(assert (= (select a 1) 2))", "(define-fun a () (Array Int Int) (store (as @0 (Array Int Int)) 1 2))" +
			"(define-fun b () (Array Int Int) (as @0 (Array Int Int)))", Options{}, Unknown, "@0"},
		{arr + "(assert (= (select a 1) 2))", "(define-fun a () (Array Int Int) (store (as @0 (Array Int Int)) 1 2))" +
			"(define-fun b () (Array Int Int) (as @0 (Array Int Int)))", abstract, Valid, ""},
		{arr + "(assert (= (select a 1) 3))", "(define-fun a () (Array Int Int) (store (as @0 (Array Int Int)) 1 2))" +
			"(define-fun b () (Array Int Int) (as @0 (Array Int Int)))", abstract, Invalid, ""},
		{arr + "(assert (= (select b 1) 2))", "(define-fun a () (Array Int Int) (store (as @0 (Array Int Int)) 1 2))" +
			"(define-fun b () (Array Int Int) (as @0 (Array Int Int)))", abstract, Unknown, "nothing is stored"},
		{arr + "(assert (= a b))", "(define-fun a () (Array Int Int) (as @0 (Array Int Int)))" +
			"(define-fun b () (Array Int Int) (as @0 (Array Int Int)))", abstract, Valid, ""},
		{arr + "(assert (= a b))", "(define-fun a () (Array Int Int) (as @0 (Array Int Int)))" +
			"(define-fun b () (Array Int Int) (as @1 (Array Int Int)))", abstract, Invalid, ""},
		{arr + "(assert (distinct a b))", "(define-fun a () (Array Int Int) (store (as @0 (Array Int Int)) 1 2))" +
			"(define-fun b () (Array Int Int) (store (as @1 (Array Int Int)) 1 2))", abstract, Valid, ""},
		{"(declare-fun a () (Array Bool Int))(declare-fun b () (Array Bool Int))(assert (distinct a b))",
			"(define-fun a () (Array Bool Int) (store (as @0 (Array Bool Int)) true 2))" +
				"(define-fun b () (Array Bool Int) (store (as @1 (Array Bool Int)) true 2))", abstract, Unknown, ""},

		// Forms that solvers print instead, and the advice in the report. yices prints functions as arrays.
		{arr + "(assert (= (select a 1) 2))", "(define-fun a ((i Int)) Int (ite (= i 1) 2 0))", Options{}, Unknown,
			"print an array as (store ((as const SORT)"},
		{arr + "(assert (= (select a 1) 2))", "(define-fun a () (Array Int Int) (as @0 (Array Int Int)))", Options{},
			Unknown, "by store and ((as const SORT) element)"},
		{"(declare-sort U 0)(declare-fun u () U)(assert (= u u))", "(define-fun u () U U!val!3)", Options{}, Unknown,
			"print (as @U!val!3 U)"},
		{x + "(assert (= (* x x) 2.0))", "(define-fun x () Real (_ real_algebraic_number <1*x^2 + (-2), (1, 3/2)>))",
			Options{}, Unknown, "print (root-of-with-interval (coeffs ...) low high)"},

		// "a previous version did not require coeffs"; "a previous version used (min max) instead of min max".
		{x + "(assert (= (* x x) 2.0))", "(define-fun x () Real (root-of-with-ordering (coeffs (- 2) 0 1) 0))" +
			"(define-fun y () Real 0.0)", Options{}, Valid, ""},
		{x + "(assert (and (= (* x x) 2.0) (> x 0.0)))", "(define-fun x () Real (root-of-with-interval " +
			"(coeffs (- 2) 0 1) 1.0 (/ 3.0 2.0)))(define-fun y () Real 0.0)", Options{}, Valid, ""},
		{x + "(assert (= (* x x) 2.0))", "(define-fun x () Real (root-of-with-ordering ((- 2) 0 1) 0))" +
			"(define-fun y () Real 0.0)", Options{}, Unknown, ""},
		{x + "(assert (= (* x x) 2.0))", "(define-fun x () Real (root-of-with-interval (coeffs (- 2) 0 1) " +
			"(1.0 2.0)))(define-fun y () Real 0.0)", Options{}, Unknown, ""},
		// Negative coefficients must be terms. A polynomial that is not minimal is accepted.
		{x + "(assert (= (* x x) 2.0))", "(define-fun x () Real (root-of-with-order (coeffs -2 0 1) 0))" +
			"(define-fun y () Real 0.0)", Options{}, Unknown, "a number is expected"},
		{x + "(assert (= x 2.0))", "(define-fun x () Real (root-of-with-interval (coeffs (- 4) 0 1) " +
			"(/ (- 1.0) 2.0) (/ 5.0 2.0)))(define-fun y () Real 0.0)", Options{}, Valid, ""},
		// "(assert (= 0.5 (div 1.0 x)))": a definition can be omitted if x is 2.0, but not if it is 0.0.
		{x + "(assert (= 0.5 (/ 1.0 x)))", "(define-fun x () Real 2.0)(define-fun y () Real 0.0)", Options{}, Valid,
			""},
		{x + "(assert (= 0.5 (/ 1.0 x)))", "(define-fun x () Real 0.0)(define-fun y () Real 0.0)", Options{}, Unknown,
			""},
		// "A benchmark problem must not contain the const function in an assertion" applies to the benchmark, not to
		// the model.
		{arr + "(assert (= (select a 0) 1))(assert (= (select b 1) 3))", "(define-fun a () (Array Int Int) " +
			"((as const (Array Int Int)) 1))(define-fun b () (Array Int Int) " +
			"(store (store ((as const (Array Int Int)) 2) 0 1) 1 3))", Options{}, Valid, ""},
	} {
		got := Check(context.Background(), []byte(row.script+"(check-sat)"), []byte("sat\n("+row.model+"\n)"), row.opt)
		if got.Verdict != row.want || !strings.Contains(got.Reason, row.reason) {
			t.Errorf("%s\n%s\n%s: %s (%s), want %s with %q", row.script, row.model, got.Verdict, got.Reason, got.Kind,
				row.want, row.reason)
		}
	}
}

// TestDifferencesFromDolmen checks the verdicts for the scripts and models in the table of differences in
// docs/tools/models.md.
func TestDifferencesFromDolmen(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/tools/models.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| script | model | dolmen | smtpipe |\n|---|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	rows, response := strings.Split(table, "\n"), ""
	if len(rows) < 6 {
		t.Fatalf("the table has %d rows", len(rows))
	}
	for _, row := range rows {
		cells := strings.Split(strings.Trim(row, "| "), " | ")
		if cells[1] != "the same" {
			response = "sat\n(" + strings.Trim(cells[1], "`") + ")"
		}
		got := Check(t.Context(), []byte(strings.Trim(cells[0], "`")+"(check-sat)"), []byte(response), Options{})
		if is := fmt.Sprintf("%s, `%s`", got.Verdict, got.Kind); is != cells[3] || cells[2] == string(got.Verdict) {
			t.Errorf("%s: %s (%s)", row, is, got.Reason)
		}
	}
}
