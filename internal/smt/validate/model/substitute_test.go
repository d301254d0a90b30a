package model

import (
	"context"
	"strings"
	"testing"
)

// TestSubstituted passes substituted scripts to z3. They must be satisfiable exactly for VALID models.
func TestSubstituted(t *testing.T) {
	const uf = "(set-logic QF_UF)(declare-sort U 0)(declare-fun a () U)(declare-fun b () U)(declare-fun f (U) U)" +
		"(define-fun g ((x U)) U (f (f x)))(assert (and (= (g a) b) (distinct (f a) a b)))(check-sat)"
	for _, row := range []struct{ name, benchmark, response string }{
		{"abstract values", uf, "sat ((define-fun a () U (as @a U))(define-fun b () U (as @b U))(define-fun f ((x " +
			"U)) U (ite (= x a) (as @c U) b)))"},
		{"the same value", uf, "sat ((define-fun a () U (as @a U))(define-fun b () U (as @a U))(define-fun f ((x U)) " +
			"U (as @c U)))"},
		{"one value", "(declare-sort U 0)(declare-fun a () U)(assert (= a a))(check-sat)",
			"sat ((define-fun a () U (as @a U)))"},
		{"values that must differ", "(declare-sort U 0)(declare-fun a () U)(declare-fun b () U)(assert (= a " +
			"b))(check-sat)", "sat ((define-fun a () U (as @a U))(define-fun b () U (as @b U)))"},
		{"values that the model declares", uf, "sat ((declare-fun |v 0| () U)(declare-fun w () U)(define-fun b () U " +
			"w)(define-fun a () U |v 0|)(define-fun f ((x U)) U (ite (= x |v 0|) (as @c U) b)))"},
		{"out of order", "(declare-fun x () Int)(declare-fun y () Int)(assert (= (+ x y) 3))(check-sat)",
			"sat ((define-fun x () Int (+ y 1))(define-fun y () Int 1))"},
		{"false", "(declare-fun x () Int)(assert (= (* x x) 3))(check-sat)", "sat ((define-fun x () Int 2))"},
		{"datatype", "(declare-datatype D ((a) (b (c Int))))(declare-fun d () D)(assert (= (c d) 4))(check-sat)",
			"sat ((define-fun d () D (b 4)))"},
		{"recursion", "(define-fun-rec f ((n Int)) Int (ite (< n 1) 0 (+ 2 (f (- n 1)))))(declare-fun d () " +
			"Int)(assert (= (f d) 6))(check-sat)", "sat ((define-fun d () Int 3))"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := Check(context.Background(), []byte(row.benchmark), []byte(row.response), Options{})
			script, err := Substituted([]byte(row.benchmark), []byte(row.response))
			if err != nil {
				t.Fatal(err)
			}
			out := solve(t, t.TempDir(), "z3", string(script))
			want := map[Verdict]string{Valid: "sat", Invalid: "unsat"}[r.Verdict]
			if strings.TrimSpace(out) != want {
				t.Errorf("%s (%s), z3 says %s for\n%s", r.Verdict, r.Reason, out, script)
			}
		})
	}
}

func TestSubstitutedErrors(t *testing.T) {
	const lia = "(declare-fun x () Int)(assert (= x 1))(check-sat)"
	for _, row := range []struct{ name, response, message string }{
		{"unsat", "unsat", "the answer is unsat"},
		{"partial", "sat ()", "does not define x"},
		{"a function of a theory", "sat ((define-fun x () Int 1)(define-fun div0 ((a Int)) Int 1))",
			"functions of a theory"},
		{"no SMT-LIB", "sat ((define-fun x", "response: line 1"},
	} {
		if _, err := Substituted([]byte(lia), []byte(row.response)); err == nil || !strings.Contains(err.Error(),
			row.message) {
			t.Errorf("%s: got %v, want %s", row.name, err, row.message)
		}
	}
}

// TestSubstitutedGoals checks that only assertions in force at the check-sat are included.
func TestSubstitutedGoals(t *testing.T) {
	const benchmark = "(declare-fun x () Int)(push 1)(assert (= x 2))(pop 1)(assert (! (> x 0) :named p))" +
		"(check-sat-assuming ((< x 5) p))(assert false)"
	got, err := Substituted([]byte(benchmark), []byte("sat ((define-fun x () Int 1))"))
	const want = "(set-logic ALL)\n(define-fun x () Int 1)\n(assert (! (> x 0) :named p))\n(assert (< x 5))\n(assert " +
		"p)\n(check-sat)\n"
	if err != nil || string(got) != want {
		t.Errorf("got %q (%v), want %q", got, err, want)
	}
}

// TestSubstitutedValue checks that a single abstract value leads to no distinct, which requires at least two terms (the
// SMT-LIB Standard 2.7, theory Core).
func TestSubstitutedValue(t *testing.T) {
	for response, want := range map[string]bool{
		"sat ((define-fun a () U (as @a U))(define-fun b () U (as @a U)))": false,
		"sat ((define-fun a () U (as @a U))(define-fun b () U (as @b U)))": true,
	} {
		got, err := Substituted([]byte("(declare-sort U 0)(declare-fun a () U)(declare-fun b () U)(check-sat)"),
			[]byte(response))
		if err != nil || strings.Contains(string(got), "distinct") != want {
			t.Errorf("%s: got %s (%v)", response, got, err)
		}
	}
}
