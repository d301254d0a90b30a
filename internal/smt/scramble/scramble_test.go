package scramble

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// TestGenerator checks the generator against the recurrence, computed with unbounded integers in another language.
func TestGenerator(t *testing.T) {
	tests := []struct {
		name   string
		seed   uint64
		bound  uint64
		want   []uint64
		states []uint64
	}{
		// 1*25214903917 + 11 = 25214903928; 25214903928 >> 16 = 384748.
		{"seed 1", 1, 1000003, []uint64{384748, 509867, 396913}, []uint64{25214903928, 8602081314781131043,
			4749291277619109362}},
		{"bit 49 is cleared on the way", 3, 1000003, []uint64{154243, 868070, 560196},
			[]uint64{75644711762, 7358936365952534005, 13155164537096152924}},
		{"largest seed, coins", 2147483647, 2, []uint64{1, 1, 1}, []uint64{17254542725061220766, 1582252570335632465,
			5339184939671983240}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := generator{tt.seed}
			for i, want := range tt.want {
				if got := g.below(tt.bound); got != want || g.state != tt.states[i] {
					t.Errorf("number %d: got %d with state %d, want %d with state %d", i, got, g.state, want,
						tt.states[i])
				}
			}
		})
	}
}

// TestRejections checks the message, exit status and position of each rejection, and the output before it. The messages
// come from the official program's description.
func TestRejections(t *testing.T) {
	const quiet = "(set-option :print-success false)\n"
	tests := []struct {
		name, src string
		opt       Options
		message   string
		place     string
		printed   string
	}{
		{"command of SMT-LIB that the competition has not", "(get-model)", Options{}, "ERROR: syntax error", "1:2",
			quiet},
		{"after a chunk", "(check-sat)\n(get-model)", Options{}, "ERROR: syntax error", "2:2", quiet + "(check-sat)\n"},
		{"held back commands are lost", "(exit)(foo)", Options{}, "ERROR: syntax error", "1:8", quiet},
		{"unclosed", "(assert true", Options{}, "ERROR: syntax error", "1:13", quiet},
		{"no argument", "(assert (f))", Options{}, "ERROR: syntax error", "1:11", quiet},
		{"reserved word as a symbol", "(declare-fun exit () Bool)", Options{}, "ERROR: syntax error", "1:14", quiet},
		{"reserved keyword in set-info", "(set-info :named a)", Options{}, "ERROR: syntax error", "1:11", quiet},
		{"character constant", "(set-logic S)(assert (= (_ char #x41) s))", Options{}, "ERROR: syntax error", "1:33",
			quiet},
		{"push without a number", "(push)", Options{}, "ERROR: syntax error", "1:6", quiet},
		{"define-sort with parameters", "(define-sort S (X) X)", Options{}, "ERROR: syntax error", "1:17", quiet},
		{"let without bindings", "(assert (let () true))", Options{}, "ERROR: syntax error", "1:15", quiet},
		{"quantifier without variables", "(assert (forall () true))", Options{}, "ERROR: syntax error", "1:18", quiet},
		{"par", "(declare-datatypes ((L 0)) ((par (T) ((nil)))))", Options{}, "ERROR: syntax error", "1:30", quiet},
		{"sort with parameters", "(declare-sort S 1)", Options{}, "ERROR: declare-sort with arity != 0", "1:17", quiet},
		{"datatype with parameters", "(declare-datatypes ((L 1)) (((nil))))", Options{},
			"ERROR: declare-datatypes contains a sort with arity != 0", "1:24", quiet},
		{"two logics", "(set-logic A)\n(set-logic B)", Options{}, "ERROR logic is already set", "2:12", quiet},
		{"no logic", "(assert (not a))", Options{}, "ERROR logic has not been set", "1:15", quiet},
		{"no logic with a seed", "(assert (not a))", Options{Seed: 3}, "ERROR logic has not been set", "1:15", quiet},
		{"option", "(set-option :produce-models true)", Options{}, "ERROR: Encountered non-SMT-COMP command: " +
			"'set-option'. Maybe you want to re-run with '-support-non-smtcomp true'.", "1:13", quiet},
		{"print-success true", "(set-option :print-success true)", Options{}, "ERROR: Encountered non-SMT-COMP " +
			"command: 'set-option'. Maybe you want to re-run with '-support-non-smtcomp true'.", "1:13", quiet},
		{"reset", "(reset)", Options{}, "ERROR: Encountered non-SMT-COMP command: 'reset'. Maybe you want to re-run " +
			"with '-support-non-smtcomp true'.", "1:7", quiet},
		{"zero byte in a string", "(exit)(assert (and \"a long string \x00\" b))", Options{},
			"ERROR: not defined by the official scrambler", "1:20", quiet},
		{"zero byte in a symbol, dropped and kept", "(set-info :a |\x00|)(assert |\x00|)", Options{},
			"ERROR: not defined by the official scrambler", "1:26", quiet},
		{"attribute of z3", "(assert (! a :weight 2))", Options{},
			"ERROR: Encountered z3-specific attribute: ':weight'. Maybe you want to re-run with '-support-z3 true'.",
			"1:22", quiet},
		{"attribute of z3 with a list", "(assert (! a :no-pattern (b)))", Options{},
			"ERROR: Encountered z3-specific attribute: ':no-pattern'. Maybe you want to re-run with '-support-z3 true'.", "1:28", quiet},
		{"attribute of z3 without its end", "(assert (! a :no-pattern (b", Options{}, "ERROR: syntax error", "1:28",
			quiet},
		{"a word that begins no command", "(exists#", Options{}, "ERROR: syntax error", "1:2", quiet},
		{"unknown attribute", "(assert (! a :foo b))", Options{Z3: true}, "ERROR: syntax error", "1:14", quiet},
		{"a binding of let without its end", "(assert (let ((a (as d (", Options{}, "ERROR: syntax error", "1:25",
			quiet},
		{"stray characters after it are not read", "(set-logic A)(define-fun f () 1 [ x)" + strings.Repeat(" ", 40),
			Options{}, "ERROR: syntax error", "1:31", quiet},
		{"stray characters after a wrong name", "(set-logic A)(define-fun (f [ x)) U [)" + strings.Repeat(" ", 40),
			Options{}, "ERROR: syntax error", "1:26", quiet},
		{"stray characters are copied before it", "é(check-sat)\\(", Options{}, "ERROR: syntax error", "1:16", quiet +
			"é(check-sat)\n\\"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, err := Append(nil, []byte(tt.src), tt.opt)
			r, ok := errors.AsType[*Rejection](err)
			if !ok {
				t.Fatalf("Append(%q) = %q, %v; want a rejection", tt.src, out, err)
			}
			place := strings.NewReplacer("line ", "", ", column ", ":").Replace(r.Position.String())
			if r.Message != tt.message || r.Exit != 1 || place != tt.place {
				t.Errorf("Append(%q):\n got %q, exit %d, at %s\nwant %q, exit 1, at %s", tt.src, r.Message, r.Exit,
					place, tt.message, tt.place)
			}
			if string(out) != tt.printed {
				t.Errorf("Append(%q) printed %q, want %q", tt.src, out, tt.printed)
			}
		})
	}
}

// TestSeedZero checks everything that involves no random numbers: dropped and rewritten commands, layout, annotations
// and headers.
func TestSeedZero(t *testing.T) {
	const quiet = "(set-option :print-success false)\n"
	tests := []struct {
		name, src string
		opt       Options
		want      string
	}{
		{"dropped commands", "(set-info :a)(set-info :b (1 x :k (\"s\")))(set-option :print-success " +
			"false)(set-option :produce-unsat-cores true)(echo \"x\")(get-unsat-core)", Options{}, quiet},
		{"declare-const", "(declare-const a (Array Int Bool))", Options{}, quiet +
			"(declare-fun a () (Array Int Bool))\n"},
		{"declare-datatype", "(declare-datatype D ((c (s Int)) (d)))", Options{}, quiet +
			"(declare-datatypes ((D 0)) (((c (s Int)) (d))))\n"},
		{"lists of constructors without a sort", "(declare-datatypes ((D 0)) (((c)) ((e))))", Options{}, quiet +
			"(declare-datatypes ((D 0)) (((c)) ((e))))\n"},
		{"declare-datatypes", "(declare-datatypes ((D 0)(E 0)) (((c (s E))) ((e))))", Options{}, quiet +
			"(declare-datatypes ((D 0) (E 0)) (((c (s E))) ((e))))\n"},
		{"sorts", "(declare-sort S 0)(define-sort T () (_ BitVec 8))", Options{}, quiet +
			"(declare-sort S 0)\n(define-sort T () (_ BitVec 8))\n"},
		{"push and pop", "(push 2)(pop 0)(push 0)(pop 1)", Options{}, quiet + "(push 1)\n(push 1)\n(pop 1)\n"},
		{"layout and bars", "( assert\n(let((|a b| \"x\"\"\ny\") (y 1.50)) (and |a b| #xAf)) ) ; comment\n", Options{},
			quiet + "(assert (let ((|a b| \"x\"\"\ny\") (y 1.50)) (and |a b| #xAf)))\n"},
		{"match", "(assert (match l ((nil a) ((cons h t) h))))", Options{}, quiet +
			"(assert (match l ((nil a) ((cons h t) h))))\n"},
		{"qualified", "(set-logic A)(assert ((as f (S 1x)) ((_ g 1 a) (as (_ h 2) T))))", Options{}, quiet +
			"(set-logic A)\n(assert ((as f (S 1x)) ((_ g 1 a) (as (_ h 2) T))))\n"},
		{"definition", "(define-fun f ((x Int) (y Int)) Int x)", Options{}, quiet +
			"(define-fun f ((x Int) (y Int)) Int x)\n"},
		{"all annotations", "(assert (! a :named b :pattern (c d)))", Options{}, quiet +
			"(assert (! a :named b :pattern (c d)))\n"},
		{"pattern and name", "(assert (! a :named b :pattern (c d)))", Options{Annotations: PatternAnnotation}, quiet +
			"(assert a)\n"},
		{"only a pattern", "(assert (! a :pattern (c d)))", Options{Annotations: PatternAnnotation}, quiet +
			"(assert (! a :pattern (c d)))\n"},
		{"two patterns", "(assert (! a :pattern (c) :pattern (d)))", Options{Annotations: PatternAnnotation}, quiet +
			"(assert a)\n"},
		{"no annotations", "(assert (! (! a :pattern (c)) :named n))", Options{Annotations: NoAnnotations}, quiet +
			"(assert a)\n"},
		{"attributes of z3", "(assert (! a :qid q :skolemid s :no-pattern (b) :lblpos p :lblneg n :weight 0))",
			Options{Z3: true}, quiet +
				"(assert (! a :qid q :skolemid s :no-pattern (b) :lblpos p :lblneg n :weight 0))\n"},
		{"other commands", "(reset)(set-option :a (b \"c\"))", Options{NonSMTCOMP: true}, quiet +
			"(reset)\n(set-option :a (b \"c\"))\n"},
		{"incremental", "(check-sat)", Options{Incremental: true}, "(check-sat)\n"},
		{"models", "(check-sat)(check-sat)", Options{Models: true}, quiet +
			"(set-option :produce-models true)\n(check-sat)\n(get-model)\n(check-sat)\n(get-model)\n"},
		{"everything", "(assert (! a :named b))(check-sat)", Options{UnsatCores: true, Models: true, Proofs: true},
			quiet +
				"(set-option :produce-unsat-cores true)\n(set-option :produce-models true)\n(set-option " +
				":produce-proofs " +
				"true)\n" +
				"(assert (! (! a :named b) :named smtcomp1))\n(check-sat)\n(get-unsat-core)\n(get-model)\n(get-proof)\n"},
		{"one stray token at the end", "(exit) foo (bar", Options{}, quiet + "(exit)\n"},
		{"stray tokens between commands", "foo 1 :k (exit)) bar (check-sat)", Options{}, quiet +
			"(exit)\n(check-sat)\n"},
		{"stray characters come first", "(exit)[,](exit)'", Options{}, quiet + "[,]'(exit)\n(exit)\n"},
		{"comment without its end", "(exit);x", Options{}, quiet + ";(exit)\n"},
		// As observed, an unclosed construct swallows the rest of the text and leaves no trace.
		{"string without its end", "(exit)\"a\"\"b (exit)", Options{}, quiet + "(exit)\n"},
		{"string that ends with a doubled quote", "(exit)\"a\"\"", Options{}, quiet + "(exit)\n"},
		{"bar without its end", "(exit)|(exit)", Options{}, quiet + "(exit)\n"},
		{"comment before the end of an application", "(set-logic A)(assert (f a ; b)\n))", Options{}, quiet +
			"(set-logic A)\n(assert (f a))\n"},
		{"comments inside applications", "(set-logic A)(assert (f ;b\n a;\n(g;c\na 1;\n) ;)\n 2 ;\n))", Options{},
			quiet + "(set-logic A)\n(assert (f a (g a 1) 2))\n"},
		{"stray character before the end of an application", "(set-logic A)(assert (f a #)[)", Options{}, quiet +
			"#[(set-logic A)\n(assert (f a))\n"},
		{"a comment without its end is the last to be read", "(exit);x (exit)", Options{}, quiet + ";(exit)\n"},
		{"one command after a comment without its end", "(exit);(exit)(exit)[", Options{}, quiet +
			";(exit)\n(exit)\n"},
		{"a string over the last parenthesis", "\")\"#(", Options{}, quiet},
		{"the last piece begins at a multiple of 8192 bytes", "(exit)foo [" + strings.Repeat(" ", 8192) + "bar ]",
			Options{}, quiet + "[(exit)\n"},
		{"digits", "(set-logic A)(assert (f 00 1. .5 1.2.3 #b012))", Options{}, quiet +
			"(set-logic A)\n(assert (f 00 1. .5 1.2.3 #b01 2))\n"},
		{"zero bytes in what is dropped, and between commands",
			"(set-info :a \"\x00\")(set-info :a |\x00|);\x00\n(echo \"\x00\")\x00(exit)", Options{}, quiet +
				"\x00(exit)\n"},
		{"empty", "", Options{}, quiet},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Append(nil, []byte(tt.src), tt.opt)
			if err != nil || string(got) != tt.want {
				t.Errorf("Append(%q):\n got %q, %v\nwant %q", tt.src, got, err, tt.want)
			}
		})
	}
}

// TestNames checks the numbering of names on inputs with nothing to shuffle, so that only permuting the numbers
// consumes random numbers.
func TestNames(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"one name", "(declare-fun |a| () U)(check-sat)", "(declare-fun x1 () U)\n(check-sat)\n"},
		{"bars make no difference", "(declare-fun |a| () U)(assert a)(assert |a|)",
			"(declare-fun x1 () U)\n(assert x1)\n(assert x1)\n"},
		// The only new number in the second chunk is 2, and permuting a single number changes nothing.
		{"later chunks keep numbers", "(declare-fun a () U)(check-sat)(declare-fun b () U)(assert a)(push 1)(assert b)",
			"(declare-fun x1 () U)\n(check-sat)\n(declare-fun x2 () U)\n(assert x1)\n(push 1)\n(assert x2)\n"},
		{"printed before declared", "(declare-fun a () U)(check-sat)(declare-fun U () U)",
			"(declare-fun x1 () U)\n(check-sat)\n(declare-fun U () U)\n"},
		{"not renamed", "(declare-fun a () a)(assert (_ a a 1))", "(declare-fun x1 () x1)\n(assert (_ a x1 1))\n"},
		{"logic is not renamed", "(set-logic a)(declare-fun a () U)", "(set-logic a)\n(declare-fun x1 () U)\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Append(nil, []byte(tt.src), Options{Seed: 7, Incremental: true})
			if err != nil || string(got) != tt.want {
				t.Errorf("Append(%q):\n got %q, %v\nwant %q", tt.src, got, err, tt.want)
			}
		})
	}
}

func TestCore(t *testing.T) {
	const src = `(set-logic A)
(assert (! a :named n1))
(assert (and (! b :named n2) (! c :named n3)))
(assert (! (! d :named n4) :named n5))
(assert (! e :pattern ((! f :named n1))))
(check-sat)`
	tests := []struct {
		name, core string
		want       string // the remaining assertions, separated by bars
	}{
		{"all", "unsat (n1 n3 n5)", "a|(and b c)|d|e"},
		{"the last name of the arguments counts", "unsat\n(n2 n3)", "(and b c)|e"},
		{"the outer name counts", "unsat\n(n4)", "e"},
		{"names over several lines", " \n unsat \n(\nn1\n)", "a|e"},
		{"empty", "unsat\n()", "e"},
		{"reading stops at the first closing parenthesis", "unsat (n1) n3)", "a|e"},
		{"without a closing parenthesis", "unsat (n1", "a|e"},
		{"without names and closing parenthesis", "unsat (\n", "e"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			core, err := ParseCore([]byte(tt.core), "core.txt")
			if err != nil {
				t.Fatal(err)
			}
			out, err := Append(nil, []byte(src), Options{Annotations: NoAnnotations, Core: core})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for line := range strings.Lines(string(out)) {
				if term, ok := strings.CutPrefix(line, "(assert "); ok {
					got = append(got, strings.TrimSuffix(term, ")\n"))
				}
			}
			if strings.Join(got, "|") != tt.want {
				t.Errorf("core %q keeps %q, want %q\n%s", tt.core, got, tt.want, out)
			}
		})
	}
	for _, bad := range []string{"", "sat\n(a)", "unsat", "unsat(a)", "unsat a", "x unsat (a)"} {
		if _, err := ParseCore([]byte(bad), "core.txt"); err == nil || !strings.Contains(err.Error(),
			"ERROR parsing core names from core.txt") {
			t.Errorf("ParseCore(%q): got %v, want the official error", bad, err)
		}
	}
}

func TestStatusHeader(t *testing.T) {
	src := "; (set-info :status sat)(set-info :status unsat)\n(set-info  :status sat)(set-info :status " +
		"unknown)(set-info :status foo)(set-info :status\nsat)"
	want := "sat\nunsat\nunknown\n--- BENCHMARK BEGINS HERE ---\n"
	// Offsets within a window and across its end.
	for _, n := range []int{0, windowSize - 20, windowSize - 10, windowSize, 2*windowSize - 40} {
		text := append(bytes.Repeat([]byte(" "), n), src...)
		got, err := Append(nil, text, Options{Incremental: true, StatusHeader: true})
		if err != nil || string(got) != want {
			t.Errorf("after %d blanks: got %q, %v; want %q", n, got, err, want)
		}
	}
}

func TestCount(t *testing.T) {
	var s Scrambler
	out, n, err := s.Count(nil, []byte("(assert a)(check-sat)(assert b)"), ForTrack(comp.ModelValidation, 1))
	if err != nil || n != 2 || string(out) != "(set-option :produce-models true)\n" {
		t.Errorf("Count = %q, %d, %v; want the header of the track and 2", out, n, err)
	}
}

func TestSeedRange(t *testing.T) {
	for _, seed := range []int64{-1, MaxSeed + 1} {
		if out, err := Append([]byte("x"), nil, Options{Seed: seed}); err == nil || string(out) != "x" {
			t.Errorf("seed %d: got %q, %v; want an error and nothing appended", seed, out, err)
		}
	}
}

// failingWriter fails on the second write.
type failingWriter struct{ writes int }

var errFull = errors.New("disk full")

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.writes++; w.writes > 1 {
		return 0, errFull
	}
	return len(p), nil
}

// TestWriteToPieces checks that even a long command with long names is written in pieces and never held in memory as a
// whole.
func TestWriteToPieces(t *testing.T) {
	src := []byte("(set-logic A)(assert (f" + strings.Repeat(" #b1010101010101010", 100_000) + "))")
	var s Scrambler
	w := &longestWriter{}
	if err := s.WriteTo(w, src, Options{}); err != nil || w.longest > 2*outSize {
		t.Errorf("WriteTo gives a piece of %d bytes, %v; want at most %d", w.longest, err, 2*outSize)
	}
}

// longestWriter records the length of the longest write.
type longestWriter struct{ longest int }

func (w *longestWriter) Write(p []byte) (int, error) {
	w.longest = max(w.longest, len(p))
	return len(p), nil
}

func TestWriteTo(t *testing.T) {
	src := []byte("(set-logic A)" + strings.Repeat("(assert (f a b c d e f g h))", 100_000))
	want, err := Append(nil, src, Options{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	var s Scrambler
	if err := s.WriteTo(&got, src, Options{Seed: 3}); err != nil || got.String() != string(want) {
		t.Errorf("WriteTo gives other bytes than Append (%v)", err)
	}
	if err := s.WriteTo(&failingWriter{}, src, Options{Seed: 3}); !errors.Is(err, errFull) {
		t.Errorf("got %v, want the writer's error", err)
	}
}

// TestDeep scrambles terms nested a million levels deep.
func TestDeep(t *testing.T) {
	const depth = 1_000_000
	tests := []struct{ name, open, leaf, shut string }{
		{"application", "(not ", "a", ")"},
		{"let body", "(let ((x a)) ", "x", ")"},
		{"let value", "(let ((x ", "a", ")) x)"},
		{"quantifier", "(forall ((x U)) ", "a", ")"},
		{"annotation", "(! ", "a", " :pattern (b))"},
		{"pattern", "(! a :pattern (", "a", "))"},
		{"match", "(match ", "a", " ((b c)))"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			src := "(set-logic A)(assert " + strings.Repeat(tt.open, depth) + tt.leaf + strings.Repeat(tt.shut, depth) +
				")"
			want := "(set-option :print-success false)\n(set-logic A)\n(assert " + strings.Repeat(tt.open, depth) +
				tt.leaf + strings.Repeat(tt.shut, depth) + ")\n"
			got, err := Append(nil, []byte(src), Options{})
			if err != nil || string(got) != want {
				t.Errorf("seed 0: %d bytes, %v; want the %d bytes of the input", len(got), err, len(want))
			}
			if _, err := Append(nil, []byte(src), Options{Seed: 1, Annotations: NoAnnotations}); err != nil {
				t.Errorf("seed 1: %v", err)
			}
		})
	}
	t.Run("sort", func(t *testing.T) {
		src := "(declare-fun f () " + strings.Repeat("(S ", depth) + "T" + strings.Repeat(")", depth) + ")"
		if _, err := Append(nil, []byte(src), Options{Seed: 1}); err != nil {
			t.Error(err)
		}
	})
	t.Run("value", func(t *testing.T) {
		src := "(set-info :a " + strings.Repeat("(", depth) + strings.Repeat(")", depth) + ")"
		if _, err := Append(nil, []byte(src), Options{Seed: 1}); err != nil {
			t.Error(err)
		}
	})
}

// TestConcurrent checks that concurrent calls of Append do not interfere.
func TestConcurrent(t *testing.T) {
	inputs := []string{
		"(set-logic QF_BV)(declare-fun a () U)(declare-fun b () U)(assert (bvadd a b))(check-sat)",
		"(set-logic QF_LIA)(declare-fun c () U)(assert (let ((y c) (z c)) (< y z 3)))(check-sat)",
		"(assert (not",
	}
	want := make([]string, len(inputs))
	for i, src := range inputs {
		out, _ := Append(nil, []byte(src), Options{Seed: 9})
		want[i] = string(out)
	}
	var group sync.WaitGroup
	for n := range 8 {
		group.Go(func() {
			for range 200 {
				i := n % len(inputs)
				out, _ := Append(nil, []byte(inputs[i]), Options{Seed: 9})
				if string(out) != want[i] {
					t.Errorf("input %d: got %q, want %q", i, out, want[i])
					return
				}
			}
		})
	}
	group.Wait()
}
