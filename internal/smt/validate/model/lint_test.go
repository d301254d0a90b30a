package model

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/testkit"
)

// TestLint uses scripts with the findings to report, as "line:column part of the text". A leading W marks a warning.
func TestLint(t *testing.T) {
	for _, row := range []struct {
		name, script string
		want         []string
	}{
		{"nothing", "(set-logic QF_LIA)(declare-fun x () Int)(assert (< (* 2 x) (- 5)))(check-sat)", nil},
		{"no logic", "(declare-fun x () Int)(assert (= (* x x) 1))", nil},
		{"unknown logic", "(set-logic QF_XYZ)", []string{"W1:1 QF_XYZ is not a logic"}},
		{"a declaration with an error", "(set-logic QF_LIA)(declare-fun x () Int)\n(declare-fun x () " +
			"Int)(declare-fun y () U)(check-sat)", []string{"2:1 x is declared twice"}},
		{"an unknown sort", "(set-logic QF_UF)(declare-fun f (U) Bool)(declare-fun g (Bool) Bool)",
			[]string{"1:18 unknown sort U"}},
		{"names of terms", "(set-logic QF_LIA)(declare-fun x () Int)(assert (! (= x 1) :named a))(assert (or a (! (= " +
			"x 2) :named b)))\n(assert (not b))(assert\n c)(check-sat)", []string{"3:2 unknown constant c"}},
		{"the name of a constant", "(set-logic QF_LIA)(declare-fun x () Int)\n(assert (! (= x 1) :named x))(check-sat)",
			[]string{"2:9 x is declared twice"}},
		{"product", "(set-logic QF_LIA)(declare-fun x () Int)\n(assert (= (* x 3 (+ x 1)) 1))",
			[]string{"W2:12 not linear"}},
		{"product of closed terms", "(set-logic QF_LRA)(declare-fun x () Real)(assert (= (* (/ 1 3) x (- 2)) (/ x 2)))",
			nil},
		{"division", "(set-logic QF_LIA)(declare-fun x () Int)(assert (= (mod x 3) 1))\n(assert (= (div 7 x) 1))",
			[]string{"W2:12 a division"}},
		{"products are fine", "(set-logic QF_NIA)(declare-fun x () Int)(assert (= (* x x) (div x x)))", nil},
		{"difference", "(set-logic QF_IDL)(declare-fun x () Int)(declare-fun y () Int)\n(assert (and (<= (- x y) 3) " +
			"(< x y) (= (- x y) (- 4)) (distinct x y) (<= x (+ y 2))))", nil},
		{"no difference", "(set-logic QF_IDL)(declare-fun x () Int)(declare-fun y () Int)\n(assert (<= (+ x y) " +
			"3))\n(assert (< (* 2 x) y))(assert (< x 3))",
			[]string{"W2:9 compares the difference of two variables with a number (and 2 more such places)"}},
		{"difference of multiples", "(set-logic QF_RDL)(declare-fun x () Real)(declare-fun y () Real)\n(assert (< (- " +
			"(+ x x x) (+ y y y)) 1))(assert (< (- (+ x x) (+ y y y)) 1))", []string{"W2:47 compares the difference"}},
		{"difference by let", "(set-logic QF_IDL)(declare-fun x () Int)(declare-fun y () Int)(assert (let ((d (- x " +
			"y))) (<= d 3)))", nil},
		{"difference of terms", "(set-logic QF_UFIDL)(declare-fun f (Int) Int)(declare-fun y () Int)(assert (<= (- " +
			"(f y) y) 3))", nil},
		{"functions", "(set-logic QF_BV)\n(declare-fun f ((_ BitVec 3)) Bool)",
			[]string{"W2:1 no uninterpreted functions, as f is"}},
		{"defined functions", "(set-logic QF_BV)(define-fun f ((x (_ BitVec 3))) Bool (= x #b000))", nil},
		{"sorts", "(set-logic QF_BV)\n(declare-sort U 0)\n(declare-fun x () Int)(declare-fun y () Real)",
			[]string{"W2:1 no free sorts, as U is", "W3:1 the sort Int", "W3:23 the sort Real"}},
		{"a sort in the middle", "(set-logic QF_BV)(declare-fun x () (_ BitVec 4))(assert\n (= (bv2nat x) 3))",
			[]string{"W2:5 the sort Int"}},
		{"quantifier", "(set-logic QF_LIA)(assert (forall ((x Int)) (> x 0)))", []string{"W1:27 no quantifiers"}},
		{"quantifier in QF_ALL", "(set-logic QF_ALL)(assert (exists ((x Int)) (> x 0)))",
			[]string{"W1:27 no quantifiers"}},
		{"ALL", "(set-logic ALL)(declare-sort U 0)(declare-fun f (U String) Real)(assert (exists ((x Int)) (> (* x " +
			"x) 0)))", nil},
		{"arrays", "(set-logic QF_UFLIA)(declare-fun a () (Array Int Int))",
			[]string{"W1:21 the sort (Array Int Int)"}},
		{"arrays of bit-vectors", "(set-logic QF_ABV)(declare-fun a () (Array (_ BitVec 2) (_ BitVec " +
			"3)))\n(declare-fun b () (Array (_ BitVec 2) Bool))", []string{"W2:1 not (Array (_ BitVec 2) Bool)"}},
		{"arrays of integers", "(set-logic QF_AUFLIA)(declare-fun a () (Array Int Int))\n(declare-fun b () (Array " +
			"Int Bool))", []string{"W2:1 not (Array Int Bool)"}},
		{"arrays of reals", "(set-logic AUFLIRA)(declare-fun a () (Array Int Real))(declare-fun b () (Array Int " +
			"(Array Int Real)))\n(declare-fun c () (Array Int Int))", []string{"W2:1 not (Array Int Int)"}},
		{"arrays of arrays", "(set-logic QF_AX)(declare-sort I 0)(declare-fun a () (Array I (Array I I)))", nil},
		{"datatypes", "(set-logic QF_UF)\n(declare-datatypes ((T 0)) (((a) (b))))",
			[]string{"W2:22 no datatypes, as T is"}},
		{"strings", "(set-logic QF_S)(declare-fun s () String)(assert (and (< (str.len s) 3) (str.in_re s re.all)))",
			nil},
		{"no strings", "(set-logic QF_LIA)(assert\n (= \"a\" \"b\"))",
			[]string{"W2:5 the sort String (and 1 more such places)"}},
		{"numbers of floating point", "(set-logic QF_FP)(declare-fun r () RoundingMode)(assert (fp.lt ((_ to_fp 8 " +
			"24) r (/ 1 3)) ((_ to_fp 8 24) #x00000000)))", nil},
		{"no floating point", "(set-logic QF_BV)\n(assert (fp.isNaN (_ NaN 8 24)))",
			[]string{"W2:19 the sort (_ FloatingPoint 8 24)"}},
		{"arithmetic of bit-vectors", "(set-logic QF_FP)(declare-fun x () Real)(assert\n (< (+ x 1.0) 2.0))",
			[]string{"W2:5 no arithmetic (and 1 more such places)"}},
		{"lambda", "(set-logic QF_ALIA)(assert (= (select (lambda ((x Int)) x) 1) 1))", []string{"W1:39 no lambda"}},
		{"numerals of sort Real", "(set-logic QF_LRA)(declare-fun x () Real)(assert (= x (ite (< x (- 5)) 1 (* 2 3))))",
			nil},
		{"two errors", "(declare-fun x () Int)\n(assert (and x true))\n(assert (= (foo x) y))(assert (= x #b1))",
			[]string{"2:14 argument 1 of and has sort Int, not Bool", "3:12 unknown function foo",
				"3:31 = joins sorts"}},
		{"not Bool", "(declare-fun x () Int)\n(assert x)", []string{"2:1 an assertion has sort Int"}},
		{"used too early", "(assert (= x 1))(declare-fun x () Int)(assert (= x 1))",
			[]string{"1:12 x is used before its declaration"}},
		{"function used too early", "(declare-fun y () Int)(assert (= (f y) 1))(define-fun f ((x Int)) Int x)",
			[]string{"1:34 f is used before its declaration"}},
		{"constructor used too early", "(assert (= a b))(declare-datatypes ((T 0)) (((a) (b))))",
			[]string{"1:12 a is used before"}},
		{"sort used too early", "(assert (forall ((x U)) true))(declare-sort U 0)(declare-fun x () U)",
			[]string{"1:19 unknown sort U"}},
		{"undeclared sort", "(declare-fun x () U)(declare-sort U 0)", []string{"1:1 unknown sort U"}},
		{"recursion", "(define-funs-rec ((f ((x Int)) Int) (g ((x Int)) Int)) ((g x) (f x)))(assert (= (f 1) 2))", nil},
		{"mutual datatypes", "(declare-datatypes ((A 0) (B 0)) (((a (ab B))) ((b) (c (ba A)))))(declare-fun x () " +
			"A)(assert (= (ab x) b))", nil},
		{"pop", "(push 1)(declare-fun x () Int)(assert (= x 1))(pop 1)(assert (= x 1))(declare-fun x () Bool)(assert x)", []string{"1:65 x is used before its declaration"}},
		{"global declarations", "(set-option :global-declarations true)(push 1)(declare-fun x () Int)(pop 1)(assert " +
			"(= x 1))", nil},
		{"pop too many", "(push 1)(pop 2)", []string{"1:9 pop takes away 2 levels, but there are 1"}},
		{"get-value", "(declare-fun x () Int)(check-sat)(get-value (x (f x)))", []string{"1:48 unknown function f"}},
		{"selector twice", "(declare-datatypes ((T 0)) (((a (s Int)) (b (s Int)))))",
			[]string{"1:46 s is declared twice"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			errs, warnings, err := Lint(context.Background(), []byte(row.script))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range errs {
				got = append(got, short(f, ""))
			}
			for _, f := range warnings {
				got = append(got, short(f, "W"))
			}
			same := len(got) == len(row.want)
			for i := 0; same && i < len(got); i++ {
				place, text, _ := strings.Cut(row.want[i], " ")
				same = strings.HasPrefix(got[i], place+" ") && strings.Contains(got[i], text) &&
					strings.Contains(got[i], "more such places") == strings.Contains(text, "more such places")
			}
			if !same {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

func short(f Finding, mark string) string {
	return mark + strings.TrimPrefix(strings.ReplaceAll(f.Position.String(), ", column ", ":"), "line ") + " " + f.Text
}

// TestLintOfRealBenchmarks uses the release's only benchmark that leaves its logic: it compares a variable with 0
// although the logic only allows differences.
func TestLintOfRealBenchmarks(t *testing.T) {
	const outside = "non-incremental/QF_UFIDL/TwoSquares/smtlib.877473.smt2"
	n := 0
	for _, dir := range []string{"non-incremental", "incremental"} {
		archives, err := filepath.Glob(filepath.Join(testkit.Shared(t, "smtlib-mini", dir), "*.tar.zst"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range archives {
			eachFile(t, path, func(name string, text []byte) {
				n++
				errs, warnings, err := Lint(context.Background(), text)
				if err != nil || (len(errs) > 0) != (name == illSorted) || (len(warnings) > 0) != (name == outside) {
					t.Errorf("%s: %v %v %v", name, errs, warnings, err)
				}
			})
		}
	}
	t.Logf("%d benchmarks", n)
}
