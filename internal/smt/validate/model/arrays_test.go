package model

import (
	"context"
	"strings"
	"testing"
)

// TestArraysOverUninterpretedSorts uses models that name some values of U, which may contain further values. Arrays
// that are equal at all named values but differ elsewhere are therefore neither known to be equal nor known to differ.
func TestArraysOverUninterpretedSorts(t *testing.T) {
	const (
		decls = "(declare-sort U 0)(declare-fun a () (Array U Int))(declare-fun b () (Array U Int))(declare-fun x () U)"
		zero  = "(define-fun a () (Array U Int) ((as const (Array U Int)) 0))"
		five  = "(define-fun b () (Array U Int) ((as const (Array U Int)) 5))"
		x     = "(define-fun x () U (as @0 U))"
		y     = "(declare-fun y () U)"
		yIs1  = "(define-fun y () U (as @1 U))"
		// z3 states that U has only the named values.
		only0 = "(declare-fun @0 () U)(forall ((u U)) (= u @0))(define-fun x () U @0)"
		pair  = "(declare-datatype P ((mk (u U) (n Bool))))(declare-fun c () (Array P Int))(declare-fun d () (Array P Int))"
		c     = "(define-fun c () (Array P Int) ((as const (Array P Int)) 0))"
		d     = "(define-fun d () (Array P Int) ((as const (Array P Int)) 5))"
		ofInt = "(declare-datatype Q ((mk (u U) (n Int))))(declare-fun c () (Array Q Int))(declare-fun d () (Array Q Int))"
		cInt  = "(define-fun c () (Array Q Int) ((as const (Array Q Int)) 0))"
		dInt  = "(define-fun d () (Array Q Int) ((as const (Array Q Int)) 5))"
	)
	const more = "more values than the model names"
	for _, row := range []struct {
		name, script, model string
		want                Verdict
		reason              string
	}{
		// The arrays are equal at @0, and nothing else is known about U.
		{"=", decls + "(assert (= (store a x 1) (store b x 1)))", zero + five + x, Unknown, more},
		{"distinct", decls + "(assert (distinct (store a x 1) (store b x 1)))", zero + five + x, Unknown, more},
		{"quantified", decls + "(assert (forall ((i U)) (= (select (store a x 1) i) (select (store b x 1) i))))",
			zero + five + x, Unknown, more},
		{"of three", decls + "(assert (distinct (store a x 1) (store b x 1) (store a x 2)))", zero + five + x, Unknown, more},
		{"three, one twice", decls + "(assert (distinct (store a x 1) (store b x 1) (store a x 1)))", zero + five + x,
			Invalid, ""},
		{"a chain", decls + "(assert (= (store a x 1) (store b x 1) (store b x 2)))", zero + five + x, Invalid, ""},

		// They differ at @0, which exists.
		{"other elements", decls + "(assert (distinct (store a x 1) (store b x 2)))", zero + five + x, Valid, ""},
		{"nothing stored", decls + "(assert (distinct a b))(assert (= x x))", zero + five + x, Valid, ""},
		{"nothing named", decls[:len(decls)-len("(declare-fun x () U)")] + "(assert (distinct a b))", zero + five,
			Valid, ""},
		// @1 exists too, and there the elements are 0 and 5.
		{"another value", decls + y + "(assert (= (store a x 1) (store b x 1)))(assert (distinct x y))",
			zero + five + x + yIs1, Invalid, ""},
		{"stored at both", decls + y + "(assert (= (store (store a x 1) y 2) (store (store b y 2) x 1)))",
			zero + five + x + yIs1, Unknown, more},
		// They are equal everywhere.
		{"equal", decls + "(assert (= (store a x 1) (store (store b x 7) x 1)))", zero +
			strings.Replace(five, "5", "0", 1) + x, Valid, ""},

		// z3 bounds U. The arrays are equal if the bound counts, but no rule states that it does.
		{"bounded", decls + "(assert (= (store a x 1) (store b x 1)))", zero + five + only0, Valid, ""},
		{"bounded, distinct", decls + "(assert (distinct (store a x 1) (store b x 1)))", zero + five + only0, Unknown,
			"(forall)"},

		{"defined by both", "(declare-sort U 0)(declare-fun x () U)(define-fun a () (Array U Int) (store ((as const (Array U " +
			"Int)) 0) x 1))(assert (= (select a x) 1))", x + "(define-fun a () (Array U Int) (store ((as const (Array U Int)) " +
			"5) (as @0 U) 1))", Valid, ""},

		// Arrays as parts of other values.
		{"elements", decls + "(declare-fun m () (Array Int (Array U Int)))(assert (= (store m 0 (store a x 1)) (store m 0 " +
			"(store b x 1))))", zero + five + x + "(define-fun m () (Array Int (Array U Int)) ((as const (Array Int (Array U " +
			"Int))) ((as const (Array U Int)) 0)))", Unknown, more},
		{"fields", decls + "(declare-datatype D ((mk (f (Array U Int)) (g Int))))(declare-fun e () D)(assert (distinct (mk " +
			"(store a x 1) 1) (mk (store b x 1) 1)))(assert (= e e))", zero + five + x + "(define-fun e () D (mk ((as" +
			" const (Array U Int)) 0) 0))", Unknown, more},
		{"an index", decls + "(declare-fun m () (Array (Array U Int) Int))(assert (= (select m (store a x 1)) (select m " +
			"(store b x 1))))", zero + five + x + "(define-fun m () (Array (Array U Int) Int) ((as const (Array (Array U Int) " +
			"Int)) 3))", Valid, ""},
		{"an index that is stored", decls + "(declare-fun m () (Array (Array U Int) Int))(assert (= (select (store m (store " +
			"a x 1) 4) (store b x 1)) 3))", zero + five + x + "(define-fun m () (Array (Array U Int) Int) ((as const (Array " +
			"(Array U Int) Int)) 3))", Unknown, "is not evaluated at an index"},

		// Indices that contain a value of U: two pairs for each value, or infinitely many.
		{"pairs", decls + pair + "(assert (= (store (store c (mk x true) 1) (mk x false) 2) (store (store d (mk x true) 1) " +
			"(mk x false) 2)))", zero + five + x + c + d, Unknown, more},
		{"one of two pairs", decls + pair + "(assert (= (store c (mk x true) 1) (store d (mk x true) 1)))",
			zero + five + x + c + d, Invalid, ""},
		{"infinitely many pairs", decls + ofInt + "(assert (distinct (store c (mk x 0) 1) (store d (mk x 0) 1)))",
			zero + five + x + cInt + dInt, Valid, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			response := []byte("sat\n(" + row.model + "\n)")
			got := Check(context.Background(), []byte(row.script+"(check-sat)"), response, Options{})
			if got.Verdict != row.want || !strings.Contains(got.Reason, row.reason) {
				t.Errorf("%s\n%s\n%s: %s (%s), want %s with %q", row.script, row.model, got.Verdict, got.Reason,
					got.Kind, row.want, row.reason)
			}
		})
	}
}
