package typing

import (
	"fmt"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
)

const prelude = `(declare-sort U 0)(declare-sort P 1)(define-sort Word () (_ BitVec 8))(define-sort Map (X) (Array Int X))
(declare-datatypes ((List 1)) ((par (T) ((nil) (cons (head T) (tail (List T)))))))
(declare-datatype Color ((red) (green) (blue (shade Int))))
(declare-fun u () U)(declare-fun f (U Int) Bool)(declare-fun w () Word)(declare-fun m () (Map Bool))
(declare-fun l () (List Int))(declare-fun c () Color)(declare-fun x () Int)(declare-fun y () Real)
(declare-fun d () Float64)(declare-fun s () String)(declare-fun p () (P U))
`

// check returns the sort of a term, or the error with the text at its position.
func check(t *testing.T, text string) string {
	t.Helper()
	s, err := smtlib.Parse([]byte(prelude + "(assert " + text + ")"))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	c := New(s)
	for i := range s.Commands {
		cmd := &s.Commands[i]
		if cmd.Kind != smtlib.CmdAssert {
			if err := c.Declare(cmd); err != nil {
				t.Fatal(err)
			}
			continue
		}
		g := &term.Graph{}
		root, err := c.Body(g, cmd.Terms, cmd.Term)
		if err != nil {
			e := err.(*Error)
			at := (prelude + "(assert " + text)[e.Pos:]
			return at[:min(len(at), 6)] + "| " + e.Text
		}
		return c.Sorts.String(g.Nodes[root].Sort)
	}
	return ""
}

func TestSorts(t *testing.T) {
	for _, row := range []struct{ term, want string }{
		{"(+ 1 2)", "Int"}, {"(+ 1 2.0)", "Real"}, {"(- x)", "Int"}, {"(/ x 2)", "Real"}, {"(* 2 y)", "Real"},
		{"(div x 2 3)", "Int"},
		{"(to_int y)", "Int"}, {"((_ divisible 3) x)", "Bool"}, {"(< 1 2.5 x)", "Bool"},
		{"#x0f", "(_ BitVec 8)"}, {"#b101", "(_ BitVec 3)"}, {"(_ bv5 32)", "(_ BitVec 32)"},
		{"(concat w w #b1)", "(_ BitVec 17)"},
		{"((_ extract 6 2) w)", "(_ BitVec 5)"}, {"((_ sign_extend 4) w)", "(_ BitVec 12)"},
		{"((_ repeat 3) w)", "(_ BitVec 24)"},
		{"(bvcomp w #xff)", "(_ BitVec 1)"}, {"(bvsdivo w w)", "Bool"}, {"(sbv_to_int w)", "Int"},
		{"((_ int_to_bv 7) x)", "(_ BitVec 7)"},
		{"(fp #b0 #b10000 #b0000000000)", "(_ FloatingPoint 5 11)"}, {"((_ to_fp 8 24) RNE d)",
			"(_ FloatingPoint 8 24)"},
		{"((_ to_fp 3 5) w)", "(_ FloatingPoint 3 5)"}, {"((_ to_fp 8 24) RTZ 1.5)", "(_ FloatingPoint 8 24)"},
		{"((_ to_fp_unsigned 8 24) RTZ w)", "(_ FloatingPoint 8 24)"}, {"((_ fp.to_sbv 9) RNE d)", "(_ BitVec 9)"},
		{"(fp.to_real d)", "Real"},
		{"(_ +oo 5 11)", "(_ FloatingPoint 5 11)"}, {"roundTowardZero", "RoundingMode"}, {"(fp.lt d d d)", "Bool"},
		{"(select m 1)", "Bool"}, {"(store m 1 true)", "(Array Int Bool)"}, {"((as const (Array Int Real)) 1)",
			"(Array Int Real)"},
		{"(f u 3)", "Bool"}, {"(ite true x y)", "Real"}, {"p", "(P U)"},
		{"(cons 1 (cons 2 (as nil (List Int))))", "(List Int)"}, {"(head (tail l))", "Int"},
		{"((_ is cons) l)", "Bool"}, {"(is-cons l)", "Bool"},
		{"((_ update head) l 3)", "(List Int)"}, {"(cons true (as nil (List Bool)))", "(List Bool)"},
		{"(match l ((nil 0) ((cons h r) h)))", "Int"}, {"(match c ((red 1) (other 2.0)))", "Real"},
		{"(blue 3)", "Color"},
		{"(str.++ s \"a\")", "String"}, {"(str.in_re s (re.+ (re.range \"a\" \"z\")))", "Bool"},
		{"((_ re.loop 1 3) re.all)", "RegLan"},
		{"(_ char #x41)", "String"}, {"(let ((a x) (b y)) (+ a b))", "Real"}, {"(! x :named n)", "Int"},
		{"(forall ((z Int)) (> z x))", "Bool"}, {"(lambda ((z Int)) (> z x))", "(Array Int Bool)"},
	} {
		if got := check(t, row.term); got != row.want {
			t.Errorf("%s: got %s, want %s", row.term, got, row.want)
		}
	}
}

// TestErrors checks the text at the position of each error, and part of the message.
func TestErrors(t *testing.T) {
	for _, row := range []struct{ term, at, message string }{
		{"(+ 1 true)", "(+ 1 t", "+ takes numbers, not (Int Bool)"},
		{"(not x)", "x)", "argument 1 of not has sort Int, not Bool"},
		{"(and true (or false x))", "x))", "argument 2 of or has sort Int, not Bool"},
		{"(let ((a (+ u 1))) true)", "(+ u 1", "+ takes numbers, not (U Int)"},
		{"(= x u)", "(= x u", "= joins sorts Int and U"},
		{"(f x u)", "x u)", "argument 1 of f has sort Int, not U"},
		{"(f u)", "(f u)", "f takes arguments of sorts (U Int), not (U)"},
		{"(g x)", "(g x)", "unknown function g"},
		{"(= z 1)", "z 1)", "unknown constant z"},
		{"(bvadd w #x00f)", "(bvadd", "bvadd takes two bit-vectors of one width, not ((_ BitVec 8) (_ BitVec 12))"},
		{"((_ extract 8 0) w)", "((_ ex", "(_ extract 8 0) of a bit-vector of width 8 is out of range"},
		{"(extract w)", "(extra", "extract needs indices"},
		{"(_ bv300 8)", "(_ bv3", "300 does not fit a bit-vector of width 8"},
		{"(div y 2)", "y 2)", "argument 1 of div has sort Real, not Int"},
		{"(select m true)", "(selec", "select takes an array and an index"},
		{"(cons 1 (cons true (as nil (List Bool))))", "(cons ", "argument 2 of constructor cons"},
		{"(= nil nil)", "nil ni", "the sort of nil is ambiguous; write (as nil SORT)"},
		{"(head c)", "(head ", "head takes a value of List, not Color"},
		{"(match l ((nil 0)))", "(match", "match does not cover all constructors of (List Int)"},
		{"(match l ((nil 0) ((blue b) 1)))", "(blue ", "blue is not a constructor of (List Int)"},
		{"(match x ((z z)))", "(match", "which is not a datatype"},
		{"(fp.add d d)", "(fp.ad", "fp.add takes a rounding mode and floating-point numbers of one format"},
		{"(fp #b00 #b00 #b00)", "(fp #b", "fp takes a bit, an exponent"},
		{"((_ to_fp 1 5) w)", "((_ to", "(_ FloatingPoint 1 5) is not a sort"},
		{"(as u Int)", "(as u ", "u has sort U, not Int"},
		{"(as @a U)", "(as @a", "unknown identifier"},
		{"(forall ((z Int)) z)", "(foral", "the body of a quantifier has sort Int"},
		{"((_ re.loop 1) s)", "((_ re", "re.loop takes a RegLan"},
		{"((as const (Array Int Bool)) 1)", "((as c", "the element of the constant array has sort Int, not Bool"},
	} {
		got := check(t, row.term)
		at, message, found := strings.Cut(got, "| ")
		if !found || !strings.HasPrefix(row.at, at) && at != row.at || !strings.Contains(message, row.message) {
			t.Errorf("%s: got %s, want %s| %s", row.term, got, row.at, row.message)
		}
	}
}

// doubling defines sorts, each twice as deep as the previous one.
func doubling(first, step string, n int) string {
	s := "(define-sort S0 (X) " + first + ")"
	for i := range n {
		s += fmt.Sprintf("(define-sort S%d (X) "+step+")", i+1, i, i)
	}
	return s + fmt.Sprintf("(declare-fun x () (S%d Int))", n)
}

func TestBadDeclarations(t *testing.T) {
	for _, row := range []struct{ name, script, message string }{
		{"unknown sort", "(declare-fun x () V)", "unknown sort V"},
		{"wrong number of sorts", "(declare-sort P 1)(declare-fun x () P)", "sort P takes 1 sorts, not 0"},
		{"constant twice", "(declare-fun x () Int)(declare-fun x () Int)", "x is declared twice"},
		{"sort twice", "(declare-sort P 1)(declare-sort P 0)", "sort P is declared twice"},
		{"constructor and function", "(declare-fun a () Int)(declare-datatype D ((a)))", "a is declared twice"},
		{"width zero", "(declare-fun x () (_ BitVec 0))", "the width must be 1 to"},
		{"sorts that double", doubling("(Array X X)", "(Array X (S%d (S%d X)))", 40), "a sort is nested more than"},
		{"definitions that double", doubling("X", "(S%d (S%d X))", 40), "sort definitions are expanded more than"},
		{"field of an unknown sort", "(declare-datatype D ((a (b V))))", "unknown sort V"},
		{"one exponent bit", "(declare-fun x () (_ FloatingPoint 1 8))", "must be greater than 1"},
	} {
		s, err := smtlib.Parse([]byte(row.script))
		if err != nil {
			t.Fatal(err)
		}
		c := New(s)
		err = nil
		for i := range s.Commands {
			if err == nil {
				err = c.Declare(&s.Commands[i])
			}
		}
		if err == nil || !strings.Contains(err.Error(), row.message) {
			t.Errorf("%s: got %v, want %s", row.name, err, row.message)
		}
	}
}
