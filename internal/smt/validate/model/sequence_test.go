package model

import (
	"context"
	"strings"
	"testing"
)

// TestSequences uses sequences whose values can be found by counting. The functions work as on strings.
func TestSequences(t *testing.T) {
	const (
		s    = "(declare-fun s () (Seq Int))(declare-fun t () (Seq Int))"
		m123 = "(define-fun s () (Seq Int) (seq.++ (seq.unit 1) (seq.unit 2) (seq.unit 3)))"
		m    = m123 + "(define-fun t () (Seq Int) (as seq.empty (Seq Int)))"
		m2   = m123 + "(define-fun t () (Seq Int) (seq.unit 2))"
		m13  = "(seq.++ (seq.unit 1) (seq.unit 3))"
		arr  = "(declare-fun u () (Seq (Array Int Int)))(declare-fun v () (Seq (Array Int Int)))"
		rule = "(seq.unit (lambda ((x Int)) (* x x)))"
		nth  = "(refine-fun seq.nth ((q (Seq Int)) (i Int)) Int (ite (= i 9) 7 (seq.nth q i)))"
	)
	for _, row := range []struct {
		script, model string
		want          Verdict
		reason        string
	}{
		{s + "(assert (= (seq.len s) 3))(assert (= (seq.len t) 0))", m, Valid, ""},
		{s + "(assert (= (seq.len s) 2))", m, Invalid, ""},
		{s + "(assert (and (= (seq.nth s 0) 1) (= (seq.nth s 2) 3)))", m, Valid, ""},
		{s + "(assert (= (seq.nth s 0) 2))", m, Invalid, ""},
		{s + "(assert (= (seq.nth s 3) 2))", m, Unknown, "outside of the sequence"},
		{s + "(assert (= (seq.nth s (- 1)) (seq.nth s (- 1))))", m, Valid, ""},
		{s + "(assert (= (seq.nth s 9) 7))", m + nth, Valid, ""},
		{s + "(assert (= (seq.nth s 9) 8))", m + nth, Invalid, ""},
		{s + "(assert (= (seq.++ t s t) s))", m, Valid, ""},
		{s + "(assert (= (seq.at s 1) t))", m2, Valid, ""},
		{s + "(assert (= (seq.at s 3) (as seq.empty (Seq Int))))", m2, Valid, ""},
		{s + "(assert (= (seq.extract s 1 1) t))", m2, Valid, ""},
		{s + "(assert (= (seq.extract s 1 9) (seq.++ t (seq.unit 3))))", m2, Valid, ""},
		{s + "(assert (= (seq.extract s (- 1) 2) (as seq.empty (Seq Int))))", m2, Valid, ""},
		{s + "(assert (= (seq.update s 1 t) s))", m2, Valid, ""},
		{s + "(assert (= (seq.update s 2 (seq.++ t t)) (seq.++ (seq.unit 1) t t)))", m2, Valid, ""},
		{s + "(assert (and (seq.contains s t) (not (seq.contains t s)) (not (seq.contains s " + m13 + "))))", m2, Valid,
			""},
		{s + "(assert (and (seq.prefixof (seq.unit 1) s) (seq.suffixof (seq.unit 3) s) (not (seq.prefixof t s))))", m2,
			Valid, ""},
		{s + "(assert (and (= (seq.indexof s t 0) 1) (= (seq.indexof s t 2) (- 1))))", m2, Valid, ""},
		{s + "(assert (= (seq.replace s t (as seq.empty (Seq Int))) " + m13 + "))", m2, Valid, ""},
		{s + "(assert (= (seq.replace_all (seq.++ t s t) t (seq.unit 1)) (seq.++ (seq.unit 1) (seq.unit 1) " +
			"(seq.unit 1) (seq.unit 3) (seq.unit 1))))", m2, Valid, ""},
		{s + "(assert (= (seq.rev s) (seq.++ (seq.unit 3) (seq.unit 2) (seq.unit 1))))", m2, Valid, ""},
		{s + "(assert (distinct s t))(assert (not (= s (seq.rev s))))", m2, Valid, ""},
		{s + "(assert (= s t))", m2, Invalid, ""},

		{"(declare-fun q () (Seq (Seq Bool)))(assert (= (seq.len (seq.nth q 1)) 1))", "(define-fun q () (Seq (Seq Bool)) " +
			"(seq.++ (seq.unit (as seq.empty (Seq Bool))) (seq.unit (seq.unit true))))", Valid, ""},
		{"(declare-sort U 0)(declare-fun q () (Seq U))(assert (distinct (seq.nth q 0) (seq.nth q 1)))",
			"(define-fun q () (Seq U) (seq.++ (seq.unit (as @a U)) (seq.unit (as @b U))))", Valid, ""},
		{"(declare-datatypes ((L 1)) ((par (X) ((nil) (cons (hd X) (tl (L X)))))))(declare-fun q () (Seq (L Int)))" +
			"(assert ((_ is nil) (seq.nth q 0)))", "(define-fun q () (Seq (L Int)) (seq.unit nil))", Valid, ""},

		// Elements whose equality is undecided can be moved but not compared.
		{arr + "(assert (= (select (seq.nth (seq.++ v u) 1) 3) 9))",
			"(define-fun u () (Seq (Array Int Int)) " + rule + ")(define-fun v () (Seq (Array Int Int)) " + rule + ")",
			Valid, ""},
		{arr + "(assert (seq.contains (seq.++ v u) v))",
			"(define-fun u () (Seq (Array Int Int)) " + rule + ")(define-fun v () (Seq (Array Int Int)) " +
				strings.Replace(rule, "* x x", "+ x x", 1) + ")", Unknown, "not decided"},
		{arr + "(assert (= u (seq.++ u v)))",
			"(define-fun u () (Seq (Array Int Int)) " + rule + ")(define-fun v () (Seq (Array Int Int)) " + rule + ")",
			Invalid, ""},

		{s + "(assert (= s (seq.unit true)))", m2, Unknown, "benchmark"},
		{s + "(assert (= (seq.len s) 3))", strings.Replace(m2, "(seq.unit 2)", "(seq.unit 2.5)", 1), Unknown,
			"response"},
		{s + "(assert (forall ((q (Seq Int))) (= q s)))", m2, Invalid, ""}, // the empty sequence is different
		{s + "(assert (forall ((q (Seq Int))) (<= 0 (seq.len q))))", m2, Unknown, "quantifiers over (Seq Int)"},
		// A benchmark may itself declare these names.
		{"(declare-fun seq.len (Int) Int)(assert (= (seq.len 3) 4))", "(define-fun seq.len ((x Int)) Int (+ x 1))",
			Valid, ""},
	} {
		response := []byte("sat\n(" + row.model + "\n)")
		got := Check(context.Background(), []byte(row.script+"(check-sat)"), response, Options{})
		if got.Verdict != row.want || !strings.Contains(got.Reason, row.reason) {
			t.Errorf("%s\n%s\n%s: %s (%s), want %s with %q", row.script, row.model, got.Verdict, got.Reason, got.Kind,
				row.want, row.reason)
		}
	}
}
