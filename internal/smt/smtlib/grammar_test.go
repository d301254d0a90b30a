package smtlib

import (
	"errors"
	"strings"
	"testing"
)

// bad is a text outside the grammar, with the expected message.
type bad struct{ src, want string }

// TestGrammar covers the standard's productions, versions 2.6 and 2.7, appendix B. Valid texts are in canonical form,
// so they must be printed unchanged.
func TestGrammar(t *testing.T) {
	for _, table := range [][]production{tokenProductions, termProductions, commandProductions} {
		for _, tt := range table {
			t.Run(tt.name, func(t *testing.T) { tt.check(t) })
		}
	}
}

// production is a rule of the grammar, with commands that conform to it and commands that do not.
type production struct {
	name string
	good []string
	bad  []bad
}

func (pr *production) check(t *testing.T) {
	for _, src := range pr.good {
		s, err := Parse([]byte(src))
		if err != nil {
			t.Errorf("Parse(%s): %v", src, err)
			continue
		}
		if got := string(s.Append(nil)); got != src+"\n" {
			t.Errorf("print:\n got %swant %s", got, src)
		}
	}
	for _, b := range pr.bad {
		_, err := Parse([]byte(b.src))
		if _, ok := errors.AsType[*SyntaxError](err); !ok || err.Error() != b.want {
			t.Errorf("Parse(%s):\n got %v\nwant %s", b.src, err, b.want)
		}
	}
}

// TestGrammarCommands checks that the table contains a valid and an invalid text for every command.
func TestGrammarCommands(t *testing.T) {
	for kind := CmdNone + 1; int(kind) < len(commandNames); kind++ {
		if kind == CmdRefineFun { // covered by TestParseModel
			continue
		}
		good, wrong := false, false
		for _, pr := range commandProductions {
			for _, src := range pr.good {
				good = good || strings.HasPrefix(src, "("+kind.String()+" ") || src == "("+kind.String()+")"
			}
			for _, b := range pr.bad {
				wrong = wrong || strings.HasPrefix(b.src, "("+kind.String()+" ") || strings.HasPrefix(b.src, "("+
					kind.String()+"\n")
			}
		}
		if !good || !wrong {
			t.Errorf("%v: a good text is there: %v, a bad one: %v", kind, good, wrong)
		}
	}
}

var tokenProductions = []production{
	{"numeral", []string{"(assert 0)", "(assert 12345678901234567890123)"}, []bad{
		{"(assert 1a)", `line 1, column 9: expected a term, found "1a"`},
		{"(push 4294967296)", `line 1, column 7: expected a numeral below 2^31, found "4294967296"`},
		{"(push -1)", `line 1, column 7: expected a numeral, found "-1"`},
	}},
	{"decimal", []string{"(assert 0.0)", "(assert 12.500)"}, []bad{
		{"(assert 1.)", `line 1, column 9: expected a term, found "1."`},
		{"(assert 1.2.3)", `line 1, column 9: expected a term, found "1.2.3"`},
	}},
	{"hexadecimal", []string{"(assert #x0)", "(assert #xaBcDeF0123456789)"}, []bad{
		{"(assert #x)", `line 1, column 9: expected a term, found "#x"`},
		{"(assert #X1)", `line 1, column 9: expected a term, found "#X1"`},
		{"(assert #x1g)", `line 1, column 9: expected a term, found "#x1g"`},
	}},
	{"binary", []string{"(assert #b0)", "(assert #b0110)"}, []bad{
		{"(assert #b)", `line 1, column 9: expected a term, found "#b"`},
		{"(assert #b012)", `line 1, column 9: expected a term, found "#b012"`},
	}},
	{"string", []string{`(assert "")`, `(assert "a ""quoted"" word")`, `(assert "\u{48}\x41 \")`,
		"(assert \"two\nlines\")", "(assert \"é\")"}, []bad{
		{"(assert\n  \"a)", `line 2, column 3: expected a term, found a string without its closing quote`},
		{`(assert "a"")`, `line 1, column 9: expected a term, found a string without its closing quote`},
	}},
	{"simple_symbol", []string{"(assert x1)", "(assert ~!@$%^&*_-+=<>.?/)", "(assert .a)", "(assert -)"}, []bad{
		{"(assert a,b)", `line 1, column 10: expected ")" at the end of the command assert, found the character ','`},
		{"(assert a'b)", `line 1, column 10: expected ")" at the end of the command assert, found the character '\''`},
		{"(assert [a])", `line 1, column 9: expected a term, found the character '['`},
		{"(assert \\a)", `line 1, column 9: expected a term, found the character '\\'`},
	}},
	{"symbol in bars", []string{"(assert ||)", "(assert |a b|)", "(assert |1|)", "(assert |let|)", "(assert |a\nb|)",
		"(assert |;\"()|)", "(assert |:k|)", "(assert |assert|)", "(assert |STRING|)"}, []bad{
		{"(assert\n|a)", `line 2, column 1: expected a term, found a quoted symbol without its closing bar`},
		{"(assert |a|b|)", `line 1, column 12: expected ")" at the end of the command assert, found "b"`},
	}},
	{"keyword", []string{"(get-info :a)", "(get-info :<=+9)"}, []bad{
		{"(get-info :)", `line 1, column 11: expected a keyword, as :status, found the character ':'`},
		{"(get-info name)", `line 1, column 11: expected a keyword, as :status, found "name"`},
		{"(assert :a)", `line 1, column 9: expected a term, found ":a"`},
	}},
	{"reserved word", nil, []bad{
		{"(declare-const ! Int)", `line 1, column 16: expected the name of a constant, found "!"`},
		{"(declare-const _ Int)", `line 1, column 16: expected the name of a constant, found "_"`},
		{"(declare-const as Int)", `line 1, column 16: expected the name of a constant, found "as"`},
		{"(declare-const exists Int)", `line 1, column 16: expected the name of a constant, found "exists"`},
		{"(declare-const forall Int)", `line 1, column 16: expected the name of a constant, found "forall"`},
		{"(declare-const lambda Int)", `line 1, column 16: expected the name of a constant, found "lambda"`},
		{"(declare-const let Int)", `line 1, column 16: expected the name of a constant, found "let"`},
		{"(declare-const match Int)", `line 1, column 16: expected the name of a constant, found "match"`},
		{"(declare-const par Int)", `line 1, column 16: expected the name of a constant, found "par"`},
	}},
	{"comment", nil, []bad{{"; (\n(assert ; )\n)", `line 3, column 1: expected a term, found ")"`}}},
	{"control characters", nil, []bad{
		{"(assert \x00)", `line 1, column 9: expected a term, found the character '\x00'`},
		{"(assert \x0c)", `line 1, column 9: expected a term, found the character '\f'`},
		{"(assert \x7f)", `line 1, column 9: expected a term, found the character '\x7f'`},
	}},
	{"script", []string{"(exit)\n(exit)"}, []bad{
		{"(exit))", `line 1, column 7: expected "(" and a command, found ")"`},
		{"(exit", `line 1, column 6: expected ")" at the end of the command exit, found the end of the file inside the command of line 1, column 1`},
		{"exit", `line 1, column 1: expected "(" and a command, found "exit"`},
		{"()", `line 1, column 2: expected the name of a command, found ")"`},
		{"((exit))", `line 1, column 2: expected the name of a command, found "("`},
		{"(foo 1)", `line 1, column 2: expected the name of a command, found "foo"`},
		{"\"a\"", `line 1, column 1: expected "(" and a command, found ""a""`},
	}},
}

var termProductions = []production{
	{"index", []string{"(assert (_ f 1))", "(assert (_ f a |b c| 2))", "(assert (_ char #x41))"}, []bad{
		{"(assert (_ f))",
			`line 1, column 13: expected an index: a numeral, a symbol or a hexadecimal constant, found ")"`},
		{"(assert (_ f let))",
			`line 1, column 14: expected an index: a numeral, a symbol or a hexadecimal constant, found "let"`},
		{"(assert (_ f :a))",
			`line 1, column 14: expected an index: a numeral, a symbol or a hexadecimal constant, found ":a"`},
		{"(declare-const a (_ f 1.5))",
			`line 1, column 23: expected an index: a numeral, a symbol or a hexadecimal constant, found "1.5"`},
	}},
	{"identifier", []string{"(assert |a b|)", "(assert ((_ |f g| 1) x))"}, []bad{
		{"(assert (_ let 1))", `line 1, column 12: expected the symbol of an indexed identifier, found "let"`},
		{"(assert ((_ 1 2) x))", `line 1, column 13: expected the symbol of an indexed identifier, found "1"`},
		{"(assert ((f 1) x))", `line 1, column 11: expected "_" or "as" in the head of an application, found "f"`},
	}},
	{"qual_identifier", []string{"(assert (as x Int))", "(assert (as (_ f 1) (List Int)))", "(assert ((as f Int) x))"},
		[]bad{
			{"(assert (as x))", `line 1, column 14: expected a sort, found ")"`},
			{"(assert (as 1 Int))", `line 1, column 13: expected an identifier, found "1"`},
			{"(assert (as x Int Int))", `line 1, column 19: expected ")" after the sort of as, found "Int"`},
			{"(assert (as (f 1) Int))", `line 1, column 14: expected "_" and an indexed identifier, found "f"`},
		}},
	{"attribute_value", []string{`(set-info :a 1)`, `(set-info :a 1.5)`, `(set-info :a #xF)`, `(set-info :a #b1)`,
		`(set-info :a "s")`, `(set-info :a |b c|)`, `(set-info :a (b (:c let ()) "d"))`}, []bad{
		{"(set-info :a (b)",
			`line 1, column 17: expected ")" at the end of the command set-info, found the end of the file inside the command of line 1, column 1`},
		{"(set-info :a 1 2)", `line 1, column 16: expected ")" at the end of the command set-info, found "2"`},
		{"(set-info :a :b)", `line 1, column 14: expected a value, found ":b"`},
		{"(set-info :a (]))", `line 1, column 15: expected a value or the end of the list, found the character ']'`},
	}},
	{"sort", []string{"(declare-const a Int)", "(declare-const a (_ BitVec 8))",
		"(declare-const a (Array Int (Array Int Bool)))", "(declare-const a ((_ S 1) Int))",
		"(declare-const a (-> Int (-> Int Bool)))"}, []bad{
		{"(declare-const a 1)", `line 1, column 18: expected a sort, found "1"`},
		{"(declare-const a (Array))", `line 1, column 24: expected a sort, found ")"`},
		{"(declare-const a ())", `line 1, column 19: expected the name of a sort, found ")"`},
		{"(declare-const a (_ BitVec))",
			`line 1, column 27: expected an index: a numeral, a symbol or a hexadecimal constant, found ")"`},
		{"(declare-const a (let Int))", `line 1, column 19: expected the name of a sort, found "let"`},
		{"(declare-const a ((as S Int) Int))", `line 1, column 20: expected "_" and an indexed identifier, found "as"`},
		{"(declare-const a)", `line 1, column 17: expected a sort, found ")"`},
	}},
	{"application", []string{"(assert (f x))", "(assert (f (g 1) #b1 \"s\"))", "(assert (and true (not false)))"},
		[]bad{
			{"(assert ())", `line 1, column 10: expected a function, let, a quantifier or an annotation, found ")"`},
			{"(assert (f))", `line 1, column 11: expected an argument, found ")"`},
			{"(assert (1 2))", `line 1, column 10: expected a function, let, a quantifier or an annotation, found "1"`},
			{"(assert (f x)",
				`line 1, column 14: expected ")" at the end of the command assert, found the end of the file inside the command of line 1, column 1`},
			{"(assert f x)", `line 1, column 11: expected ")" at the end of the command assert, found "x"`},
			{"(assert)", `line 1, column 8: expected a term, found ")"`},
		}},
	{"map application (2.7)", []string{"(assert (_ (f x) y))", "(assert (_ f (g x) 1))",
		"(assert (forall ((f (-> Int Bool))) (_ f 1)))", "(assert (_ (lambda ((x Int)) x) 1))",
		"(assert (_ (as f (-> Int Int)) 1.5))"}, []bad{
		{"(assert (_ (f x)))", `line 1, column 17: expected an argument of the map, found ")"`},
		{"(assert (forall ((f (-> Int Bool))) (_ f)))",
			`line 1, column 41: expected an argument of the map, found ")"`},
		{"(assert ((_ (f x) y) z))", `line 1, column 13: expected the symbol of an indexed identifier, found "("`},
	}},
	{"let", []string{"(assert (let ((x 1)) x))", "(assert (let ((x 1) (|y z| (f 2))) (g x |y z|)))"}, []bad{
		{"(assert (let () x))", `line 1, column 15: expected "(" and a binding, found ")"`},
		{"(assert (let (x 1) x))", `line 1, column 15: expected "(" and a binding, found "x"`},
		{"(assert (let ((x)) x))", `line 1, column 17: expected a term, found ")"`},
		{"(assert (let ((x 1 2)) x))", `line 1, column 20: expected ")" after the value of the binding, found "2"`},
		{"(assert (let ((x 1))))", `line 1, column 21: expected a term, found ")"`},
		{"(assert (let ((let 1)) 1))", `line 1, column 16: expected the name of a variable, found "let"`},
		{"(assert (let ((x 1)) x y))", `line 1, column 24: expected ")" after the body, found "y"`},
	}},
	{"lambda (2.7)", []string{"(assert (= f (lambda ((x Int) (y Bool)) y)))"}, []bad{
		{"(assert (lambda () 1))", `line 1, column 18: expected a variable with its sort, found ")"`},
		{"(assert (lambda ((x)) 1))", `line 1, column 20: expected a sort, found ")"`},
	}},
	{"forall and exists", []string{"(assert (forall ((x Int)) (exists ((y (_ BitVec 2)) (z U)) (p x y z))))"}, []bad{
		{"(assert (forall () true))", `line 1, column 18: expected a variable with its sort, found ")"`},
		{"(assert (forall (x Int) true))", `line 1, column 18: expected a variable with its sort, found "x"`},
		{"(assert (exists ((x)) true))", `line 1, column 20: expected a sort, found ")"`},
		{"(assert (exists ((x Int y Int)) true))",
			`line 1, column 25: expected ")" after the variable's sort, found "y"`},
		{"(assert (exists ((x Int))))", `line 1, column 26: expected a term, found ")"`},
	}},
	{"match", []string{"(assert (match l ((nil a) ((cons h t) h))))", "(assert (match l ((x x))))",
		"(assert (match l (((cons _ t) t) (_ 1))))"}, []bad{
		{"(assert (match l ()))", `line 1, column 19: expected "(" and a case, found ")"`},
		{"(assert (match l))", `line 1, column 17: expected "(" and the cases of match, found ")"`},
		{"(assert (match l ((nil))))", `line 1, column 23: expected a term, found ")"`},
		{"(assert (match l (nil 1)))", `line 1, column 19: expected "(" and a case, found "nil"`},
		{"(assert (match l (((cons) 1))))", `line 1, column 25: expected a variable, found ")"`},
		{"(assert (match l (((cons (f x)) 1))))", `line 1, column 26: expected a variable, found "("`},
		{"(assert (match l ((1 1))))",
			`line 1, column 20: expected a pattern: a symbol, or a constructor with variables in parentheses, found "1"`},
	}},
	{"annotation", []string{"(assert (! x :named a))", "(assert (! x :named |let|))", "(assert (! x :a))",
		"(assert (! x :a (1 let :b) :c \"s\" :pattern ((f x) y) :no-pattern (z)))"}, []bad{
		{"(assert (! x))", `line 1, column 13: expected an attribute, as :named, found ")"`},
		{"(assert (! x y))", `line 1, column 14: expected an attribute, as :named, found "y"`},
		{"(assert (! :a))", `line 1, column 12: expected a term, found ":a"`},
		{"(assert (! x :named))", `line 1, column 20: expected a name, found ")"`},
		{"(assert (! x :named 1))", `line 1, column 21: expected a name, found "1"`},
		{"(assert (! x :named let))", `line 1, column 21: expected a name, found "let"`},
		{"(assert (! x :pattern ()))", `line 1, column 24: expected a term of the pattern, found ")"`},
		{"(assert (! x :a 1 2))", `line 1, column 19: expected an attribute or the end of the annotation, found "2"`},
	}},
}

var commandProductions = []production{
	{"assert", []string{"(assert true)"}, []bad{{"(assert\n)", `line 2, column 1: expected a term, found ")"`},
		{"(assert a b)", `line 1, column 11: expected ")" at the end of the command assert, found "b"`}}},
	{"check-sat", []string{"(check-sat)"},
		[]bad{{"(check-sat a)", `line 1, column 12: expected ")" at the end of the command check-sat, found "a"`}}},
	{"check-sat-assuming", []string{"(check-sat-assuming ())", "(check-sat-assuming (a (not b)))"},
		[]bad{{"(check-sat-assuming a)", `line 1, column 21: expected "(" and terms, found "a"`},
			{"(check-sat-assuming (a) (b))",
				`line 1, column 25: expected ")" at the end of the command check-sat-assuming, found "("`}}},
	{"declare-const", []string{"(declare-const |a b| Int)"},
		[]bad{{"(declare-const a () Int)", `line 1, column 19: expected the name of a sort, found ")"`},
			{"(declare-const 1 Int)", `line 1, column 16: expected the name of a constant, found "1"`}}},
	{"declare-datatype", []string{"(declare-datatype E ((a) (b)))", "(declare-datatype L (par (T) ((nil) (cons (head " +
		"T) (tail (L T))))))"}, []bad{
		{"(declare-datatype E ())", `line 1, column 22: expected "(" and a constructor, found ")"`},
		{"(declare-datatype E (a b))", `line 1, column 22: expected "(" and a constructor, found "a"`},
		{"(declare-datatype E (par () ((a))))", `line 1, column 27: expected a sort parameter, found ")"`},
		{"(declare-datatype E (par (T) ()))", `line 1, column 31: expected "(" and a constructor, found ")"`},
		{"(declare-datatype E ((a (s))))", `line 1, column 27: expected a sort, found ")"`},
		{"(declare-datatype E ((a s)))",
			`line 1, column 25: expected a selector or the end of the constructor, found "s"`},
	}},
	{"declare-datatypes", []string{"(declare-datatypes ((A 0) (B 2)) (((a (b (B A A)))) (par (X Y) ((c) (d (e X) (f " +
		"Y))))))"}, []bad{
		{"(declare-datatypes () ())", `line 1, column 21: expected "(" and a datatype with its arity, found ")"`},
		{"(declare-datatypes ((A)) (((a))))", `line 1, column 23: expected a numeral, found ")"`},
		{"(declare-datatypes ((A 0)) (((a)) ((b))))",
			`line 1, column 35: expected the end of the constructor lists, as many as datatypes, found "("`},
		{"(declare-datatypes ((A 0) (B 0)) (((a))))", `line 1, column 40: expected "(" and constructors, found ")"`},
		{"(declare-datatypes ((A 1)) ((par (X Y) ((a)))))",
			`line 1, column 30: expected as many sort parameters as the arity of the datatype says, found "par"`},
		{"(declare-datatypes (A) (((a))))", `line 1, column 21: expected "(" and a datatype with its arity, found "A"`},
	}},
	{"declare-fun", []string{"(declare-fun f () Int)", "(declare-fun f (Int (Array Int Int)) Bool)"},
		[]bad{{"(declare-fun f Int Int)",
			`line 1, column 16: expected "(" and the sorts of the arguments, found "Int"`}, {"(declare-fun f (Int))",
			`line 1, column 21: expected a sort, found ")"`}, {"(declare-fun f (1) Int)",
			`line 1, column 17: expected a sort, found "1"`}}},
	{"declare-sort", []string{"(declare-sort S 0)", "(declare-sort S 2)"},
		[]bad{{"(declare-sort 0 S)", `line 1, column 15: expected the name of a sort, found "0"`},
			{"(declare-sort S Int)", `line 1, column 17: expected a numeral, found "Int"`}, {"(declare-sort S 0 0)",
				`line 1, column 19: expected ")" at the end of the command declare-sort, found "0"`}}},
	{"declare-sort-parameter (2.7)", []string{"(declare-sort-parameter X)"},
		[]bad{{"(declare-sort-parameter X 0)",
			`line 1, column 27: expected ")" at the end of the command declare-sort-parameter, found "0"`},
			{"(declare-sort-parameter 1)", `line 1, column 25: expected the name of a sort parameter, found "1"`}}},
	{"define-const (2.7)", []string{"(define-const c Int 1)"},
		[]bad{{"(define-const c () Int 1)", `line 1, column 18: expected the name of a sort, found ")"`},
			{"(define-const c Int)", `line 1, column 20: expected a term, found ")"`}}},
	{"define-fun", []string{"(define-fun f () Int 1)", "(define-fun f ((x Int) (y Bool)) Int x)"},
		[]bad{{"(define-fun f (x) Int x)",
			`line 1, column 16: expected a variable with its sort, or the end of the variables, found "x"`},
			{"(define-fun f ((x Int)) x)", `line 1, column 26: expected a term, found ")"`}, {"(define-fun f Int 1)",
				`line 1, column 15: expected "(" and the parameters, found "Int"`}}},
	{"define-fun-rec", []string{"(define-fun-rec f ((x Int)) Int (f x))"},
		[]bad{{"(define-fun-rec (f ((x Int)) Int) x)",
			`line 1, column 17: expected the name of a function, found "("`}}},
	{"define-funs-rec", []string{"(define-funs-rec ((f ((x Int)) Int) (g () Int)) (g 1))",
		"(define-funs-rec ((f () Int)) (1))"}, []bad{
		{"(define-funs-rec () ())", `line 1, column 19: expected "(" and a signature, found ")"`},
		{"(define-funs-rec ((f () Int)) ())", `line 1, column 32: expected a term, found ")"`},
		{"(define-funs-rec ((f () Int)) (1 2))",
			`line 1, column 34: expected the end of the bodies, as many as signatures, found "2"`},
		{"(define-funs-rec (f () Int) (1))", `line 1, column 19: expected "(" and a signature, found "f"`},
	}},
	{"define-sort", []string{"(define-sort S () Int)", "(define-sort S (X Y) (Array X Y))"},
		[]bad{{"(define-sort S Int)", `line 1, column 16: expected "(" and sort parameters, found "Int"`},
			{"(define-sort S (1) Int)", `line 1, column 17: expected a sort parameter, found "1"`},
			{"(define-sort S ((X)) Int)", `line 1, column 17: expected a sort parameter, found "("`}}},
	{"echo", []string{`(echo "a ""b""")`}, []bad{{"(echo a)", `line 1, column 7: expected a string, found "a"`},
		{"(echo |a|)", `line 1, column 7: expected a string, found "|a|"`}}},
	{"exit", []string{"(exit)"},
		[]bad{{"(exit 0)", `line 1, column 7: expected ")" at the end of the command exit, found "0"`}}},
	{"get-assertions", []string{"(get-assertions)"},
		[]bad{{"(get-assertions a)",
			`line 1, column 17: expected ")" at the end of the command get-assertions, found "a"`}}},
	{"get-assignment", []string{"(get-assignment)"},
		[]bad{{"(get-assignment a)",
			`line 1, column 17: expected ")" at the end of the command get-assignment, found "a"`}}},
	{"get-info", []string{"(get-info :all-statistics)", "(get-info :reason-unknown)"},
		[]bad{{"(get-info \"name\")", `line 1, column 11: expected a keyword, as :status, found ""name""`},
			{"(get-info :a :b)", `line 1, column 14: expected ")" at the end of the command get-info, found ":b"`}}},
	{"get-model", []string{"(get-model)"},
		[]bad{{"(get-model a)", `line 1, column 12: expected ")" at the end of the command get-model, found "a"`}}},
	{"get-option", []string{"(get-option :print-success)"},
		[]bad{{"(get-option a)", `line 1, column 13: expected a keyword, as :status, found "a"`}}},
	{"get-proof", []string{"(get-proof)"},
		[]bad{{"(get-proof a)", `line 1, column 12: expected ")" at the end of the command get-proof, found "a"`}}},
	{"get-unsat-assumptions", []string{"(get-unsat-assumptions)"},
		[]bad{{"(get-unsat-assumptions ())",
			`line 1, column 24: expected ")" at the end of the command get-unsat-assumptions, found "("`}}},
	{"get-unsat-core", []string{"(get-unsat-core)"},
		[]bad{{"(get-unsat-core ())",
			`line 1, column 17: expected ")" at the end of the command get-unsat-core, found "("`}}},
	{"get-value", []string{"(get-value (a (f b)))"},
		[]bad{{"(get-value ())", `line 1, column 13: expected a term, found ")"`},
			{"(get-value a)", `line 1, column 12: expected "(" and terms, found "a"`}}},
	{"push and pop", []string{"(push 1)", "(pop 0)"},
		[]bad{{"(push a)", `line 1, column 7: expected a numeral, found "a"`},
			{"(pop 1 2)", `line 1, column 8: expected ")" at the end of the command pop, found "2"`},
			{"(pop 1.5)", `line 1, column 6: expected a numeral, found "1.5"`}}},
	{"reset", []string{"(reset)"},
		[]bad{{"(reset 1)", `line 1, column 8: expected ")" at the end of the command reset, found "1"`}}},
	{"reset-assertions", []string{"(reset-assertions)"},
		[]bad{{"(reset-assertions 1)",
			`line 1, column 19: expected ")" at the end of the command reset-assertions, found "1"`}}},
	{"set-info", []string{"(set-info :status sat)", "(set-info :a)"},
		[]bad{{"(set-info status sat)", `line 1, column 11: expected a keyword, as :status, found "status"`}}},
	{"set-logic", []string{"(set-logic QF_LIA)", "(set-logic |a b|)"},
		[]bad{{"(set-logic \"QF_LIA\")", `line 1, column 12: expected the name of a logic, found ""QF_LIA""`},
			{"(set-logic A B)", `line 1, column 14: expected ")" at the end of the command set-logic, found "B"`}}},
	{"set-option", []string{"(set-option :print-success false)", "(set-option :a (b 1))",
		`(set-option :regular-output-channel "stdout")`},
		[]bad{{"(set-option print-success)",
			`line 1, column 13: expected a keyword, as :status, found "print-success"`},
			{"(set-option :a",
				`line 1, column 15: expected a value or the end of the list, found the end of the file inside the command of line 1, column 1`}}},
}
