package smtlib

import (
	"errors"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

func TestParseErrors(t *testing.T) {
	tests := []struct {
		name, src, want string
	}{
		{"stray atom", "check-sat", `line 1, column 1: expected "(" and a command, found "check-sat"`},
		{"unknown command", "(set-logic QF_LIA)\n(asert true)",
			`line 2, column 2: expected the name of a command, found "asert"`},
		{"unclosed", "(assert (f x)",
			`line 1, column 14: expected ")" at the end of the command assert, found the end of the file inside the command of line 1, column 1`},
		{"no argument", "(assert (f))", `line 1, column 11: expected an argument, found ")"`},
		{"reserved word", "(assert (= let 1))", `line 1, column 12: expected a term, found "let"`},
		{"empty let", "(assert (let () true))", `line 1, column 15: expected "(" and a binding, found ")"`},
		{"quantifier without variables", "(assert (forall () true))",
			`line 1, column 18: expected a variable with its sort, found ")"`},
		{"bad number", "(push 1a)", `line 1, column 7: expected a numeral, found "1a"`},
		{"big number", "(push 2147483648)", `line 1, column 7: expected a numeral below 2^31, found "2147483648"`},
		{"string without end", "(echo \"a\"\"b)",
			`line 1, column 7: expected a string, found a string without its closing quote`},
		{"symbol without end", "(declare-const |a\nInt)",
			`line 1, column 16: expected the name of a constant, found a quoted symbol without its closing bar`},
		{"wide character", "(assert é)", `line 1, column 9: expected a term, found the character 'é'`},
		{"sort without arguments", "(declare-const a (Array))", `line 1, column 24: expected a sort, found ")"`},
		{"arity of par", "(declare-datatypes ((L 1)) (((nil))))",
			`line 1, column 30: expected as many sort parameters as the arity of the datatype says, found "("`},
		{"annotation without attribute", "(assert (! true))",
			`line 1, column 16: expected an attribute, as :named, found ")"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse([]byte(tt.src))
			se, ok := errors.AsType[*SyntaxError](err)
			if !ok {
				t.Fatalf("Parse(%q) = %v, want a syntax error", tt.src, err)
			}
			if se.Error() != tt.want {
				t.Errorf("Parse(%q):\n got %s\nwant %s", tt.src, se, tt.want)
			}
		})
	}
}

// TestResolve checks that each occurrence of a variable refers to the binding that the standard's scoping rules
// prescribe.
func TestResolve(t *testing.T) {
	src := `(define-fun f ((x Int) (y Int)) Int
	  (let ((x y) (z x))            ; the value x is the parameter
	    (+ x (let ((x z)) x) x)))   ; inner x, then the outer let's x again
	(assert (forall ((x Bool)) (and x (exists ((x Int)) (= x 0)))))
	(assert x)`
	s, err := Parse([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	// Bindings are numbered in the order in which their lists end: parameters x=1 y=2, let x=3 z=4, inner let x=5,
	// forall x=6, exists x=7.
	want := []string{"y:2", "x:1", "x:3", "z:4", "x:5", "x:3", "x:6", "x:7", "x:0"}
	var got []string
	for id := 1; id < s.NumTerms(); id++ {
		switch tm := s.Term(TermID(id)); tm.Kind {
		case TermVar, TermIdent:
			got = append(got, s.Name(tm.Sym)+":"+string(rune('0'+tm.Ref())))
		}
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("occurrences: got %v, want %v", got, want)
	}
	if b := s.Binding(3); b.Value == 0 || s.Term(b.Value).Ref() != 2 {
		t.Errorf("the let binding x has the value %+v, want the occurrence of y", b)
	}
}

// TestPostOrder checks the package comment's promise that a forward loop visits children first.
func TestPostOrder(t *testing.T) {
	src := `(declare-datatype L ((nil) (cons (head Int) (tail L))))
	(assert (! (match l ((nil 0) ((cons h t) (+ h 1)) (other 2))) :pattern ((f x) (g y)) :named a :pattern (z)))
	(get-value ((f 1) ((_ extract 7 0) b)))`
	s, err := Parse([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	visited := map[TermID]bool{}
	for _, c := range s.Commands {
		for id := c.Terms.First; id < c.Terms.End(); id++ {
			tm := s.Term(TermID(id))
			for _, kid := range s.Kids(tm) {
				if !visited[kid] {
					t.Errorf("term %d is visited before its child %d", id, kid)
				}
			}
			visited[TermID(id)] = true
		}
	}
	if len(visited) != s.NumTerms()-1 {
		t.Errorf("visited %d terms, want %d", len(visited), s.NumTerms()-1)
	}
	assert := s.Commands[1]
	root := s.Term(assert.Term)
	if root.Kind != TermAnnotated || len(s.Kids(root)) != 4 || s.Name(s.Named(root)) != "a" {
		t.Errorf("the assertion is %+v with %d children and the name %q", root, len(s.Kids(root)),
			s.Name(s.Named(root)))
	}
	attrs := s.Attributes(root)
	if len(attrs) != 3 || attrs[0].Terms.Len != 2 || attrs[2].Terms.Len != 1 {
		t.Errorf("attributes: %+v", attrs)
	}
	match := s.Term(s.Body(root))
	cases := s.Cases(match)
	if len(cases) != 3 || cases[0].Vars.Len != 0 || cases[1].Vars.Len != 2 || cases[2].Constructor != 0 ||
		cases[2].Vars.Len != 1 {
		t.Errorf("cases: %+v", cases)
	}
}

func TestSortsAreInterned(t *testing.T) {
	s, err := Parse([]byte(`(declare-const a (Array (_ BitVec 8) |Bool|))
	(declare-const b (Array (_ BitVec 8) Bool)) (declare-const c (Array (_ BitVec 9) Bool))`))
	if err != nil {
		t.Fatal(err)
	}
	a, b, c := s.Commands[0].Sort, s.Commands[1].Sort, s.Commands[2].Sort
	if a != b || a == c {
		t.Errorf("sorts: got %d %d %d, want the first two equal and the third different", a, b, c)
	}
	index := s.Indices(s.Sort(s.SortArgs(c)[0]).Index)
	if n, ok := s.Uint(index[0].Sym); len(index) != 1 || !ok || n != 9 {
		t.Errorf("indices of (_ BitVec 9): %v", index)
	}
}

func TestSortDepth(t *testing.T) {
	const depth = 1_000_000
	tests := []struct {
		name, src string
		want      int
	}{
		{"none", "(assert true)", 0},
		{"simple", "(declare-const a Int)", 1},
		{"part of another", "(declare-fun f (Int (Array (_ BitVec 8) (Array Int Int))) Bool)", 3},
		{"qualified identifier", "(assert (= l (as nil (List (List Int)))))", 3},
		{"deep", "(declare-const a " + strings.Repeat("(Array Int ", depth) + "Int" + strings.Repeat(")", depth) + ")",
			depth + 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := Parse([]byte(tt.src))
			if err != nil {
				t.Fatal(err)
			}
			if got := s.SortDepth(); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

func TestParseModel(t *testing.T) {
	s, err := Parse([]byte("(declare-fun |a b| () (_ BitVec 8))"))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, src string
		want      int
	}{
		{"bare list", "((define-fun |a b| () (_ BitVec 8) #x00))", 1},
		{"with the word model", "(model\n (define-fun |a b| () (_ BitVec 8) #x00)\n)", 1},
		{"without parentheses", "(define-fun |a b| () (_ BitVec 8) #x00)", 1},
		{"z3 universe", "((declare-fun U!val!0 () U) (forall ((x U)) (= x U!val!0)) (define-fun |a b| () (_ BitVec " +
			"8) #x00))", 2},
		{"refine-fun", "((refine-fun div ((a Int) (b Int)) Int (div a b)) (define-fun |a b| () (_ BitVec 8) #x00))", 2},
		{"empty", "()", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, err := s.ParseModel([]byte(tt.src))
			if err != nil {
				t.Fatal(err)
			}
			if len(m.Commands) != tt.want {
				t.Fatalf("got %d commands, want %d", len(m.Commands), tt.want)
			}
			if tt.want == 0 {
				return
			}
			f := m.Functions(&m.Commands[tt.want-1])[0]
			if f.Sym != s.Commands[0].Sym || f.Sort != s.Commands[0].Sort {
				t.Errorf("name and sort of the model are %d and %d, of the script %d and %d", f.Sym, f.Sort,
					s.Commands[0].Sym, s.Commands[0].Sort)
			}
		})
	}
	for _, src := range []string{"((define-fun a () Int 1)", "((refine-fun div))", "((refine-fun (_ div 1) () Int 1))",
		"((refine-fun div (a b) Int 1))"} {
		if _, err := s.ParseModel([]byte(src)); err == nil {
			t.Errorf("%s was accepted", src)
		}
	}
	if _, err := Parse([]byte("(refine-fun div ((a Int) (b Int)) Int a)")); err == nil {
		t.Error("a script with refine-fun was accepted")
	}
	m, err := s.ParseModel([]byte("((refine-fun div ((a Int) (b Int)) Int (ite (= b 0) 5 (div a b))))"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(m.Append(nil)),
		"(refine-fun div ((a Int) (b Int)) Int (ite (= b 0) 5 (div a b)))\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}

// TestDeep parses, checks and prints each nestable construct 200,000 levels deep, with a stack of a byte per level, too
// small for recursion.
func TestDeep(t *testing.T) {
	const depth = 200_000
	defer debug.SetMaxStack(debug.SetMaxStack(256 << 10))
	tests := []struct{ name, before, open, leaf, shut, after string }{
		{"application", "(assert ", "(not ", "true", ")", ")"},
		{"first argument", "(assert ", "(= ", "p", " p)", ")"},
		{"let body", "(assert ", "(let ((x 1)) ", "x", ")", ")"},
		{"let value", "(assert ", "(let ((x (f ", "y", "))) x)", ")"},
		{"forall", "(assert ", "(forall ((x Int)) ", "true", ")", ")"},
		{"lambda", "(assert ", "(lambda ((x Int)) ", "x", ")", ")"},
		{"annotation", "(assert ", "(! ", "true", " :named a)", ")"},
		{"pattern", "(assert ", "(! true :pattern (", "true", "))", ")"},
		{"match", "(assert ", "(match ", "x", " ((y y)))", ")"},
		{"match case", "(assert ", "(match x ((y ", "y", ")))", ")"},
		{"map", "(assert ", "(_ (f x) ", "x", ")", ")"},
		{"sort", "(declare-fun f (", "(Array Int ", "Int", ")", ") Int)"},
		{"value of set-info", "(set-info :a ", "(a ", "b", ")", ")"},
		{"value of an attribute", "(assert (! x :a ", "(", "", ")", "))"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			src := tt.before + strings.Repeat(tt.open, depth) + tt.leaf + strings.Repeat(tt.shut, depth) + tt.after +
				"\n"
			s, err := Parse([]byte(src))
			if err != nil {
				t.Fatal(err)
			}
			if printed := s.Append(nil); string(printed) != src {
				t.Errorf("printed are %d bytes, want the %d of the input", len(printed), len(src))
			}
			if info, err := Inspect([]byte(src)); err != nil || info.MaxDepth < depth {
				t.Errorf("Inspect: depth %d, %v", info.MaxDepth, err)
			}
			if found := check(s, comp.SingleQuery, &ScriptRules{InfoAnywhere: true, Datatypes: true}); len(found) == 0 {
				t.Error("found no violation, want that set-logic is missing")
			}
		})
	}
}
