package v1

import (
	"bytes"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/smt/scramble"
	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

const small = `; a comment
(benchmark small.smt
:source { says \} who; (made it }
:status unsat :difficulty { 3 } :category { crafted }
:logic AUFLIA
:extrasorts (U)
:extrafuns ((f U Int) (c U) (n Int))
:extrapreds ((p U) (q))
:assumption (forall (?u U) (implies (p ?u) (> (f ?u) 0)) :pat {(f ?u)})
:notes "out"
:assumption (and (p c) q :named { x })
:formula (flet ($g (< (f c) 0)) (let (?z (+ n 1)) (and $g (= ?z ?z))))
)`

func TestAppend(t *testing.T) {
	tests := []struct {
		name, src, want string
		opt             Options
	}{
		{name: "not scrambled", src: small, want: `(benchmark scrambled
:logic AUFLIA
:status unknown
:extrasorts (U)
:extrafuns ((f U Int) (c U) (n Int))
:extrapreds ((p U) (q))
:assumption (forall (?u U) (implies (p ?u) (> (f ?u) 0)) :pat {(f ?u)})
:assumption (and (p c) q)
:formula (flet ($g (< (f c) 0)) (let (?z (+ n 1)) (and $g (= ?z ?z))))
)
`},
		{name: "without patterns", src: small, opt: Options{NoPatterns: true}, want: `(benchmark scrambled
:logic AUFLIA
:status unknown
:extrasorts (U)
:extrafuns ((f U Int) (c U) (n Int))
:extrapreds ((p U) (q))
:assumption (forall (?u U) (implies (p ?u) (> (f ?u) 0)))
:assumption (and (p c) q)
:formula (flet ($g (< (f c) 0)) (let (?z (+ n 1)) (and $g (= ?z ?z))))
)
`},
		// After srandom(1), random() returns 1804289383, 846930886, 1681692777. The only name is x1, and nothing can be
		// reordered.
		{name: "one name", src: "(benchmark b :logic QF_UF :extrapreds ((q)) :formula (not q))", opt: Options{Seed: 1},
			want: "(benchmark scrambled\n:logic QF_UF\n:status unknown\n:extrapreds ((x1))\n:formula (not x1)\n)\n"},
		// Two names: 1804289383 is odd, so position 2 stays. Two declarations: 846930886 is even, so they are swapped.
		// Two arguments: 1681692777 is odd, so they stay; implies is not commutative.
		{name: "two names", src: "(benchmark b :logic QF_UF :extrapreds ((p) (q)) :formula (implies p (or p q)))",
			opt: Options{Seed: 1},
			want: "(benchmark scrambled\n:logic QF_UF\n:status unknown\n:extrapreds ((x2) (x1))\n:formula (implies " +
				"x1 (or x1 x2))\n)\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Append(nil, []byte(tt.src), tt.opt)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("Append(%q) (-want +got)\n%s", tt.src, diff)
			}
		})
	}
}

func TestRejected(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"empty", "", "line 1, column 1"},
		{"version 2", "(set-logic QF_BV)", "line 1, column 2"},
		{"no logic", "(benchmark b :formula true)", "no :logic"},
		{"no formula", "(benchmark b :logic QF_UF)", "no :formula"},
		{"open list", "(benchmark b :logic QF_UF\n:formula (and true", "line 2, column 10"},
		{"wrong bracket", "(benchmark b :logic QF_UF :formula (and {true))", "does not close"},
		{"open text", "(benchmark b :source { x :logic QF_UF :formula true)", "no end"},
		{"open string", "(benchmark b :source \"x", "no end"},
		{"escape at the end", "(benchmark b :source {x\\", "no end"},
		{"more after", "(benchmark b :logic QF_UF :formula true) (", "more after"},
		{"zero byte after", "(benchmark b :logic QF_UF :formula true)\n\x00", "line 2, column 1"},
		{"no end", "(benchmark b :logic QF_UF :formula true", "is missing"},
		{"no value", "(benchmark b :logic", "is missing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Append(nil, []byte(tt.src), Options{Seed: 1})
			if _, ok := errors.AsType[*scramble.Rejection](err); !ok || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Append(%q): %v, want a rejection with %q", tt.src, err, tt.want)
			}
		})
	}
}

func TestDeep(t *testing.T) {
	const depth = 1_000_000
	src := "(benchmark b :logic QF_UF :extrapreds ((p)) :formula " + strings.Repeat("(not ", depth) + "p" +
		strings.Repeat(")", depth) + ")"
	got, err := Append(nil, []byte(src), Options{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(got, []byte("(not ")); n != depth {
		t.Errorf("%d levels, want %d", n, depth)
	}
}

// TestAnswers compares a solver's answers to benchmarks before and after scrambling.
func TestAnswers(t *testing.T) {
	boolector := testkit.Program(t, "boolector")
	tests := []struct{ name, src, want string }{
		{"unsat", "(benchmark b :logic QF_BV :status sat :extrafuns ((x BitVec[8]) (y BitVec[8])) :assumption (= x " +
			"(bvadd y bv1[8])) :formula (and (= y x) true))", "unsat"},
		{"sat", "(benchmark b :logic QF_BV :extrafuns ((a BitVec[4]) (b BitVec[4])) :extrapreds ((p)) :formula (let " +
			"(?s (bvsub a b)) (flet ($f (bvult ?s b)) (and (if_then_else p $f (= a b)) (not (= (extract[1:0] ?s) " +
			"bv0[2]))))))", "sat"},
		{"arrays", "(benchmark b :logic QF_AUFBV :extrafuns ((m Array[4:8]) (i BitVec[4])) :formula (not (= (select " +
			"(store m i bv7[8]) i) bv7[8])))", "unsat"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, seed := range []uint32{0, 1, 2, 3, 4} {
				script, err := Append(nil, []byte(tt.src), Options{Seed: seed})
				if err != nil {
					t.Fatal(err)
				}
				cmd := exec.Command(boolector, "--smt1")
				cmd.Stdin = bytes.NewReader(script)
				out, _ := cmd.CombinedOutput()
				if got := strings.TrimSpace(string(out)); got != tt.want {
					t.Errorf("seed %d: %q, want %q:\n%s", seed, got, tt.want, script)
				}
			}
		})
	}
}

func TestIs(t *testing.T) {
	for src, want := range map[string]bool{
		small: true, "( benchmark x": true, ";\n(benchmark": true, "(set-logic A)": false, "": false, "(": false,
		"x": false, ";": false,
	} {
		if got := Is([]byte(src)); got != want {
			t.Errorf("Is(%q) = %v, want %v", src, got, want)
		}
	}
}

// FuzzAppend scrambles arbitrary text. The result must be a benchmark with as many formulas, and scrambling it with
// seed 0 must not change it.
func FuzzAppend(f *testing.F) {
	f.Add([]byte(small), uint32(0))
	f.Add([]byte(small), uint32(42))
	f.Add([]byte("(benchmark b :logic QF_BV :formula (= bv1[8] (extract[3:0] {x})))"), uint32(7))
	f.Fuzz(func(t *testing.T, src []byte, seed uint32) {
		got, err := Append(nil, src, Options{Seed: seed})
		if err != nil {
			return
		}
		before, _ := read(string(src))
		after, err := read(string(got))
		if err != nil {
			t.Fatalf("%v: %q of %q", err, got, src)
		}
		if len(before.assumptions) != len(after.assumptions) || len(before.formulas) != len(after.formulas) {
			t.Fatalf("other formulas: %q of %q", got, src)
		}
		again, err := Append(nil, got, Options{})
		if err != nil || !slices.Equal(again, got) {
			t.Fatalf("not stable: %q, then %q, %v", got, again, err)
		}
		if info, err := smtlib.Inspect(src); err == nil && info.Version1 && !Is(src) {
			t.Fatalf("not recognised: %q", src)
		}
	})
}
