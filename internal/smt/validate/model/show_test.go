package model

import (
	"context"
	"strings"
	"testing"
)

// TestShown checks the texts of values in explanations of false assertions. They show at most nine levels.
func TestShown(t *testing.T) {
	const list = "(declare-datatype L ((nil) (cons (head Int) (tail L))))"
	cons := func(n int) string { return strings.Repeat("(cons 1 ", n) + "nil" + strings.Repeat(")", n) }
	cut := func(n int) string { // returns the text of a value with n levels shown
		return strings.Repeat("(cons 1 ", n-1) + "(cons ... ...)" + strings.Repeat(")", n-1)
	}
	seq, unit, cutSeq := "Int", "7", "..."
	for range 10 {
		seq, unit = "(Seq "+seq+")", "(seq.unit "+unit+")"
	}
	for range 9 {
		cutSeq = "(seq.unit " + cutSeq + ")"
	}
	for _, row := range []struct{ sort, value, want string }{
		{"(_ BitVec 12)", "#x0ab", "#x0ab"},
		{"(_ BitVec 6)", "#b001011", "#b001011"},
		{"(Seq Int)", "(as seq.empty (Seq Int))", "(as seq.empty (Seq Int))"},
		{"(Seq Int)", "(seq.unit 4)", "(seq.unit 4)"},
		{"(Seq Int)", "(seq.++ (seq.unit 4) (seq.unit 5))", "(seq.++ (seq.unit 4) (seq.unit 5))"},
		{seq, unit, cutSeq},
		{"L", cons(8), cons(8)},
		{"L", cons(12), cut(9)},
		{"(Array Int L)", "((as const (Array Int L)) " + cons(12) + ")", "((as const (Array Int L)) " + cut(8) + ")"},
		{"(Array Int L)", "(store ((as const (Array Int L)) nil) 3 " + cons(12) + ")",
			"(store ((as const (Array Int L)) nil) 3 " + cut(8) + ")"},
		{"(Array L Int)", "(store ((as const (Array L Int)) 0) " + cons(12) + " 3)",
			"(store ((as const (Array L Int)) 0) " + cut(8) + " 3)"},
	} {
		benchmark := list + "(declare-fun x () " + row.sort + ")(assert (distinct x x))(check-sat)"
		response := "sat\n((define-fun x () " + row.sort + " " + row.value + "))"
		r := Check(context.Background(), []byte(benchmark), []byte(response), Options{})
		if len(r.Atoms) != 1 || len(r.Atoms[0].Terms) != 1 || r.Atoms[0].Terms[0].Value != row.want {
			t.Errorf("%s: got %s %+v, want %s", row.value, r.Reason, r.Atoms, row.want)
		}
	}
}
