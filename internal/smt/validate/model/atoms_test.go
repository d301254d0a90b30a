package model

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// TestAtoms checks that the report on a false assertion contains the atoms that make it false, with the model's values.
func TestAtoms(t *testing.T) {
	for _, row := range []struct{ script, model, want string }{
		{"(declare-fun x () Int)(declare-fun y () Int)\n(assert (and (> x 0) (or (< x y) (= (+ x y) 3))))",
			"(define-fun x () Int 5)(define-fun y () Int (- 3))",
			"line 2, column 26: (< x y) is false; x = 5; y = (- 3)\n" +
				"line 2, column 34: (= (+ x y) 3) is false; (+ x y) = 2; x = 5; y = (- 3)\n"},
		{"(declare-fun p () Bool)(declare-fun q () Bool)(assert (not (or q p)))",
			"(define-fun p () Bool true)(define-fun q () Bool false)", "line 1, column 66: p is true\n"},
		{"(declare-fun p () Bool)(declare-fun q () Bool)(assert (=> p q))",
			"(define-fun p () Bool true)(define-fun q () Bool false)",
			"line 1, column 59: p is true\nline 1, column 61: q is false\n"},
		{"(declare-sort U 0)(declare-fun a () U)(declare-fun f (U) (_ BitVec 5))(assert (= (f a) #b00000))",
			"(define-fun a () U (as @u U))(define-fun f ((x U)) (_ BitVec 5) #b10010)",
			"line 1, column 79: (= (f a) #b00000) is false; (f a) = #b10010; a = (as @u U)\n"},
		{"(declare-fun x () Real)(assert (let ((z (* x 2.0))) (ite (> z 0.0) (= z 3.0) true)))",
			"(define-fun x () Real 0.25)", "line 1, column 58: (> z 0.0) is true; z = (/ 1.0 2.0); x = (/ 1.0 4.0)\n" +
				"line 1, column 68: (= z 3.0) is false; z = (/ 1.0 2.0); x = (/ 1.0 4.0)\n"},
		{"(declare-datatype L ((n) (c (h String) (t L))))(declare-fun l () L)(assert (= l n))",
			`(define-fun l () L (c "a""\u{1f600}" n))`,
			`line 1, column 76: (= l n) is false; l = (c "a""\u{1f600}" n)` + "\n"},
		{"(declare-fun a () (Array Int Bool))(assert (select a 1))",
			"(define-fun a () (Array Int Bool) (store ((as const (Array Int Bool)) false) 2 true))",
			"line 1, column 44: (select a 1) is false; a = (store ((as const (Array Int Bool)) false) 2 true)\n"},
		{"(declare-fun x () Float16)(declare-fun m () RoundingMode)(assert (fp.lt (fp.roundToIntegral m x) x))",
			"(define-fun x () Float16 (fp #b0 #b01111 #b0000000000))(define-fun m () RoundingMode RTZ)",
			"line 1, column 66: (fp.lt (fp.roundToIntegral m x) x) is false; (fp.roundToIntegral m x) = " +
				"(fp #b0 #b01111 #b0000000000); x = (fp #b0 #b01111 #b0000000000); m = RTZ\n"},
		{"(declare-fun x () Int)(assert (= (- x) (- 3)))", "(define-fun x () Int 5)",
			"line 1, column 31: (= (- x) (- 3)) is false; (- x) = (- 5); x = 5\n"},
		{"(declare-fun x () (_ BitVec 16000000))(assert (distinct x x))",
			"(define-fun x () (_ BitVec 16000000) ((_ int2bv 16000000) 77))",
			"line 1, column 47: (distinct x x) is false; x = ...\n"},
	} {
		r := Check(context.Background(), []byte(row.script+"(check-sat)"), []byte("sat\n("+row.model+"\n)"), Options{})
		var got strings.Builder
		for _, a := range r.Atoms {
			fmt.Fprintf(&got, "%v: %s is %t", a.Position, a.Text, a.True)
			for _, v := range a.Terms {
				fmt.Fprintf(&got, "; %s = %s", v.Text, v.Value)
			}
			got.WriteString("\n")
		}
		if r.Kind != FalseAssert || got.String() != row.want {
			t.Errorf("%s: %s\ngot\n%swant\n%s", row.script, r.Reason, got.String(), row.want)
		}
	}
}

// TestManyAtoms checks that the report contains at most ten atoms, and at most twelve terms per atom.
func TestManyAtoms(t *testing.T) {
	var declared, atoms, sum, model strings.Builder
	for i := range 15 {
		fmt.Fprintf(&declared, "(declare-fun p%d () Bool)(declare-fun x%d () Int)", i, i)
		fmt.Fprintf(&model, "(define-fun p%d () Bool false)(define-fun x%d () Int 1)", i, i)
		fmt.Fprintf(&atoms, " p%d", i)
		fmt.Fprintf(&sum, " x%d", i)
	}
	for _, row := range []struct {
		assertion    string
		atoms, terms int
	}{{"(or" + atoms.String() + ")", 10, 0}, {"(= (+" + sum.String() + ") 0)", 1, 12}} {
		r := Check(context.Background(), []byte(declared.String()+"(assert "+row.assertion+")(check-sat)"),
			[]byte("sat\n("+model.String()+")"), Options{})
		if len(r.Atoms) != row.atoms || len(r.Atoms[0].Terms) != row.terms {
			t.Errorf("%s: %s %+v, want %d atoms of %d terms", row.assertion, r.Reason, r.Atoms, row.atoms, row.terms)
		}
	}
}

// TestDeepAtom checks that at most ten thousand terms are inspected, so an atom below more terms is not reported.
func TestDeepAtom(t *testing.T) {
	for depth, want := range map[int]int{9_999: 1, 10_000: 0} { // by number of negations above the atom
		term := strings.Repeat("(not ", depth) + "p" + strings.Repeat(")", depth)
		model := fmt.Sprintf("sat\n((define-fun p () Bool %t))", depth%2 == 1)
		r := Check(context.Background(), []byte("(declare-fun p () Bool)(assert "+term+")(check-sat)"), []byte(model),
			Options{})
		if r.Verdict != Invalid || len(r.Atoms) != want {
			t.Errorf("%d negations: %s, %d atoms", depth, r.Verdict, len(r.Atoms))
		}
	}
}

func TestAbridged(t *testing.T) {
	for n, want := range map[int]string{120: strings.Repeat("x", 120), 121: strings.Repeat("x", 117) + "..."} {
		if got := abridged(strings.Repeat("x", n)); got != want {
			t.Errorf("%d bytes become %q", n, got)
		}
	}
}
