package eval

import (
	"context"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/typing"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/value"
)

const prelude = `(declare-datatypes ((List 1)) ((par (T) ((nil) (cons (head T) (tail (List T)))))))
(declare-datatype Color ((red) (green) (blue)))
`

// compute returns the value of a Bool term without declared functions.
func compute(t *testing.T, text string, complete *Completion) value.Value {
	t.Helper()
	s, err := smtlib.Parse([]byte(prelude + "(assert " + text + ")"))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	c := typing.New(s)
	var last *smtlib.Command
	for i := range s.Commands {
		last = &s.Commands[i]
		if err := c.Declare(last); err != nil {
			t.Fatal(err)
		}
	}
	g := &term.Graph{}
	root, err := c.Body(g, last.Terms, last.Term)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	m := New(context.Background(), c)
	m.Complete = complete
	m.Refresh(c)
	vals := make([]value.Value, len(g.Nodes))
	for i := range vals {
		vals[i] = m.Ground(g, i, vals)
	}
	return vals[root]
}

// TestTrue uses equations that follow directly from the theories.
func TestTrue(t *testing.T) {
	for _, text := range []string{
		// Euclidean division: the remainder is at least 0.
		"(= (div 7 2) 3)", "(= (div (- 7) 2) (- 4))", "(= (div 7 (- 2)) (- 3))", "(= (div (- 7) (- 2)) 4)",
		"(= (mod 7 (- 2)) 1)", "(= (mod (- 7) 2) 1)", "(= (div 100 3 3) 11)",
		"(= (abs (- 9223372036854775808)) 9223372036854775808)",
		"(= (* 4294967296 4294967296) 18446744073709551616)",
		"(= (- (- 9223372036854775808) 1) (- 9223372036854775809))",
		"(= (to_int (- 2.5)) (- 3))", "(not (is_int 2.5))", "(= (/ 1 3) (/ 2 6))", "(= (- 10 3 2) 5)",
		"((_ divisible 3) (- 9))",
		// As in solvers, 2^n is 0 for negative n, and so is log2 of a number below 1.
		"(= (^ 2 10) 1024)", "(= (^ (- 3) 3) (- 27))", "(= (^ 7 0) 1)", "(= (^ 0 3) 0)", "(= (^ 2.5 2) 6.25)",
		"(= (^ 2.0 (- 2)) 0.25)", "(= (^ (- 0.5) (- 3)) (- 8.0))", "(= (^ 1 16777216) 1)",
		"(= (^ 1.0 (- 16777216)) 1.0)",
		"(= (int.pow2 10) 1024)", "(= (int.pow2 0) 1)", "(= (int.pow2 (- 1)) 0)",
		"(= (int.log2 1024) 10)", "(= (int.log2 1023) 9)", "(= (int.log2 1) 0)", "(= (int.log2 0) 0)",
		"(= (int.log2 (- 8)) 0)", "(= ((_ iand 4) 29 23) 5)",
		"(= (mod 7 2) 1)", "(= (mod (- 7) (- 2)) 1)", "(= (abs (- 3)) 3)", "(= (abs 3) 3)", "(= (abs (- 2.5)) 2.5)",
		"(= (to_int 2.5) 2)", "(is_int 2.0)", "(not ((_ divisible 3) 10))",
		"(< 1 2 3)", "(not (< 1 3 2))", "(= 1 1.0)", "(distinct 1 2 3)", "(not (distinct 1 2 1))",
		"(=> false true false)", "(not (=> true true false))", "(xor true true true)",
		"(= (bvsub #x00 #x01) #xff)", "(= (bvxor #xf0 #x3c #x0f) #xc3)", "(= ((_ rotate_left 3) #b10010) #b10100)",
		"(= ((_ rotate_right 1) #b10010) #b01001)",
		"(= (concat #b1 #b01 #b001) #b101001)", "(= ((_ repeat 2) #b10) #b1010)", "(= (bv2nat #xff) 255)",
		"(= (sbv_to_int #xff) (- 1))",
		"(= ((_ int_to_bv 4) (- 1)) #xf)", "(= ((_ int_to_bv 4) 17) #x1)", "(bvnego #x80)",
		"(= ((_ zero_extend 100) #b1) (_ bv1 101))",
		"(= ((_ extract 64 64) (bvshl (_ bv1 65) (_ bv64 65))) #b1)",
		"(= (fp #b0 #b01111 #b0000000000) ((_ to_fp 5 11) RNE 1.0))", "(fp.eq (_ +zero 5 11) (_ -zero 5 11))",
		"(not (= (_ +zero 5 11) (_ -zero 5 11)))",
		"(= (_ NaN 5 11) (fp #b1 #b11111 #b0000000001))", "(not (fp.eq (_ NaN 5 11) (_ NaN 5 11)))",
		"(= (fp.to_real ((_ to_fp 5 11) #x0003)) (/ 3 16777216))",
		"(= ((_ to_fp 5 11) RNE 65520.0) (_ +oo 5 11))",
		"(= ((_ to_fp 5 11) RTZ 65520.0) ((_ to_fp 5 11) RNE 65504.0))",
		"(= ((_ to_fp 8 24) RNE (- 1)) (fp #b1 #x7f #b00000000000000000000000))",
		"(= ((_ fp.to_sbv 8) RTZ ((_ to_fp 8 24) RNE (- 2.5))) #xfe)",
		"(= (store (store ((as const (Array Int Int)) 0) 1 5) 1 0) ((as const (Array Int Int)) 0))",
		"(= (store (store ((as const (Array Bool Int)) 7) true 1) false 2) (store (store ((as const (Array Bool " +
			"Int)) 9) false 2) true 1))",
		"(= (store (store (store ((as const (Array Color Int)) 7) red 1) green 1) blue 1) ((as const (Array Color " +
			"Int)) 1))",
		"(= (select (lambda ((x Int)) (+ x 1)) 41) 42)",
		"(= (lambda ((x (_ BitVec 2))) (bvadd x #b01)) (lambda ((y (_ BitVec 2))) (bvsub y #b11)))",
		"(= (head (tail (cons 1 (cons 2 (as nil (List Int)))))) 2)",
		"(= ((_ update head) (cons 1 (as nil (List Int))) 3) (cons 3 (as nil (List Int))))",
		"(= ((_ update head) (as nil (List Int)) 3) (as nil (List Int)))",
		"(match (cons 1 (as nil (List Int))) ((nil false) ((cons h t) (= h 1))))",
		"(match green ((red false) (other (= other green))))",
		"(= (str.replace_re \"xaab\" (re.+ (str.to_re \"a\")) \"-\") \"x-ab\")",
		"(= (str.replace_re_all \"xaab\" (re.+ (str.to_re \"a\")) \"-\") \"x--b\")",
		"(= (str.indexof \"abc\" \"\" 3) 3)", "(= (str.substr \"abc\" 1 1000000000000000000000) \"bc\")",
		"(= (str.from_code 196607) \"\\u{2ffff}\")",
		"(= (str.to_int \"00012345678901234567890\") 12345678901234567890)", "(str.< \"a\" \"ab\" \"b\")",
		"(= (str.len \"a\\u{1F600}b\") 3)",
		// An open value equals itself.
		"(= (/ 1 0) (/ 1 0))", "(not (distinct (mod 1 0) 7 (mod 1 0)))", "(>= (div 1 0) (div 1 0))",
		// A missing value does not matter where it is not needed.
		"(or (= (div 1 0) 1) true)", "(=> (= (div 1 0) 1) true)", "(ite true true (= (div 1 0) 1))",
		"(not (and (= (head (as nil (List Int))) 1) false))",
	} {
		if v := compute(t, text, nil); !v.True() {
			t.Errorf("%s is %v", text, v)
		}
	}
}

func TestUnknown(t *testing.T) {
	for _, row := range []struct {
		text, reason string
		partial      bool
	}{
		{"(= (div 1 0) 1)", "division by zero", true},
		{"(= (/ 1 0) (/ 2 0))", "division by zero", true},
		{"(= (mod 1 0) 1)", "division by zero", true},
		{"(= (head (as nil (List Int))) 1)", "selector head", true},
		{"(= ((_ fp.to_ubv 8) RNE (_ NaN 5 11)) #x00)", "does not fit", true},
		{"(= (fp.to_real (_ +oo 5 11)) 0.0)", "infinity", true},
		{"(= (fp.min (_ +zero 5 11) (_ -zero 5 11)) (_ +zero 5 11))", "either", true},
		{"(and true (exists ((x Int)) (= x 1)))", "quantifiers", false},
		{"(= (lambda ((x Int)) x) (lambda ((x Int)) (+ x 0)))", "functions", false},
		{"(= (^ 2 100000000) 1)", "power", false},
		{"(= (^ 1 16777217) 1)", "power", false},
		{"(= (^ 1.5 5000000) 1.0)", "power", false},
		{"(= (^ 1.0 (- 16777217)) 1.0)", "power", false},
		{"(= (^ 2 16777216) 1)", "power", false},
		{"(= (^ 0.5 (- 16777216)) 1.0)", "power", false},
		{"(= (int.pow2 16777217) 1)", "power", false},
		{"(= (^ 2 (- 1)) 0)", "negative exponent", true},
		{"(= (^ 0.0 (- 1)) 0.0)", "negative exponent", true},
		{"(= (^ 0 0) 1)", "power 0", true},
	} {
		u := compute(t, row.text, nil).UnknownOf()
		if u == nil || !strings.Contains(u.Reason, row.reason) || u.Partial != row.partial {
			t.Errorf("%s: got %+v", row.text, u)
		}
	}
}

// TestCompletion checks that zero-like values are chosen, and for fp.min and fp.max the requested zero.
func TestCompletion(t *testing.T) {
	c := &Completion{MinNegative: [2]bool{true, false}}
	for _, text := range []string{
		"(= (div 1 0) 0)", "(= (head (as nil (List Int))) 0)",
		"(= (fp.min (_ +zero 5 11) (_ -zero 5 11)) (_ -zero 5 11))",
		"(= (fp.min (_ -zero 5 11) (_ +zero 5 11)) (_ +zero 5 11))",
		"(= (fp.max (_ +zero 5 11) (_ -zero 5 11)) (_ +zero 5 11))",
		"(= (tail (as nil (List Int))) (as nil (List Int)))",
	} {
		if v := compute(t, text, c); !v.True() {
			t.Errorf("%s is %v", text, v)
		}
	}
	if !c.Used || !c.UsedMinMax {
		t.Errorf("the use of choices was not recorded: %+v", c)
	}
}
