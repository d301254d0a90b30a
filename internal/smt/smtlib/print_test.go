package smtlib

import (
	"bytes"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/smt/smtlib/smtlibtest"
)

func TestPrint(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"layout", "; c\n( set-logic\tQF_LIA )(check-sat)", "(set-logic QF_LIA)\n(check-sat)\n"},
		{"bars", "(declare-const |a| |Int|)(declare-const |let| |a b|)(assert (= || |1|))",
			"(declare-const a Int)\n(declare-const |let| |a b|)\n(assert (= || |1|))\n"},
		{"let", "(assert (let ((x 1)(|y| (f 2)))(g x y)))", "(assert (let ((x 1) (y (f 2))) (g x y)))\n"},
		{"quantifiers", "(assert (forall((x Int)(y (Array Int (_ BitVec 3))))(exists((z U))(p x))))",
			"(assert (forall ((x Int) (y (Array Int (_ BitVec 3)))) (exists ((z U)) (p x))))\n"},
		{"lambda", "(assert (= f (lambda ((x Int)) (f x))))", "(assert (= f (lambda ((x Int)) (f x))))\n"},
		{"match", "(assert (match l((nil a)((cons h _)h)(_ b))))",
			"(assert (match l ((nil a) ((cons h _) h) (_ b))))\n"},
		{"one pattern", "(assert (! (p x):pattern((p x)(q x))))", "(assert (! (p x) :pattern ((p x) (q x))))\n"},
		{"attributes", "(assert (! t :a :named n :pattern (x) :b (let |let| \"s\" 1) :pattern (y z) :c 1.5))",
			"(assert (! t :a :named n :pattern (x) :b (let |let| \"s\" 1) :pattern (y z) :c 1.5))\n"},
		{"qualified", "(assert (= ((as f (List Int)) 1) (as (_ g 1 a #x0F) S) ((_ extract 7 0) b)))",
			"(assert (= ((as f (List Int)) 1) (as (_ g 1 a #x0F) S) ((_ extract 7 0) b)))\n"},
		{"datatypes", "(declare-datatypes ((L 1)(E 0)) ((par (T) ((nil)(cons (head T)(tail (L " +
			"T)))))((e))))(declare-datatype P ((p (q Int))))", "(declare-datatypes ((L 1) (E 0)) ((par (T) ((nil) " +
			"(cons (head T) (tail (L T))))) ((e))))\n(declare-datatype P ((p (q Int))))\n"},
		{"functions", "(define-funs-rec ((f ((x Int)) Int)(g () Bool)) ((g x) true))(define-const c Int " +
			"1)(define-fun h ((a Int)) Int a)", "(define-funs-rec ((f ((x Int)) Int) (g () Bool)) ((g x) " +
			"true))\n(define-const c Int 1)\n(define-fun h ((a Int)) Int a)\n"},
		{"sorts", "(declare-sort U 0)(define-sort V (X Y) (Array X Y))(declare-sort-parameter Z)",
			"(declare-sort U 0)\n(define-sort V (X Y) (Array X Y))\n(declare-sort-parameter Z)\n"},
		{"lists of terms", "(check-sat-assuming (a (not b)))(get-value (a))(check-sat-assuming ())",
			"(check-sat-assuming (a (not b)))\n(get-value (a))\n(check-sat-assuming ())\n"},
		{"values", "(set-info :a)(set-info :b ((x 1)()|y z|:k))(set-option :c |q|)(echo \"a\"\"b\")(get-info " +
			":name)(get-option :d)", "(set-info :a)\n(set-info :b ((x 1) () |y z| :k))\n(set-option :c q)\n(echo " +
			"\"a\"\"b\")\n(get-info :name)\n(get-option :d)\n"},
		{"levels", "(push 1)(pop 02)(reset)(reset-assertions)(exit)",
			"(push 1)\n(pop 2)\n(reset)\n(reset-assertions)\n(exit)\n"},
		{"questions", "(get-assertions)(get-assignment)(get-model)(get-proof)(get-unsat-assumptions)(get-unsat-core)",
			"(get-assertions)\n(get-assignment)\n(get-model)\n(get-proof)\n(get-unsat-assumptions)\n(get-unsat-core)\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := Parse([]byte(tt.src))
			if err != nil {
				t.Fatal(err)
			}
			if got := string(s.Append(nil)); got != tt.want {
				t.Errorf("print of %s:\n got %s\nwant %s", tt.src, got, tt.want)
			}
		})
	}
}

// TestPrintRelease checks on every file of the release that printing is a fixed point, and that it keeps every token
// except bars and comments.
func TestPrintRelease(t *testing.T) {
	for _, f := range smtlibtest.Release(t) {
		s, err := Parse(f.Text)
		if err != nil {
			t.Errorf("%s: %v", f.Path, err)
			continue
		}
		once := s.Append(nil)
		if got, want := tokens(once), tokens(f.Text); got != want {
			t.Errorf("%s: the printed script has other tokens", f.Path)
		}
		again, err := Parse(once)
		if err != nil {
			t.Errorf("%s: the printed script: %v", f.Path, err)
			continue
		}
		if twice := again.Append(nil); !bytes.Equal(once, twice) {
			t.Errorf("%s: printed twice it differs", f.Path)
		}
	}
}

// tokens returns a text's tokens, one per line, without the bars of quoted symbols and without leading zeros.
func tokens(src []byte) string {
	var b strings.Builder
	l := NewLexer(string(src))
	for {
		tok := l.Next()
		if tok.Kind == EOF {
			return b.String()
		}
		b.WriteString(strings.Trim(l.Text(tok), "|"))
		b.WriteByte('\n')
	}
}
