package smtlib

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

func TestInspect(t *testing.T) {
	tests := []struct {
		name, src string
		want      Info
	}{
		{
			"empty", "; nothing", Info{},
		},
		{
			"statuses belong to the next check-sat",
			"(set-info :status sat)(set-info :status unsat)(check-sat)(check-sat)(set-info :status " +
				"unknown)(check-sat)(set-info :status sat)",
			Info{CheckSats: 3, Statuses: []comp.Status{"unsat", "", "unknown"}, MaxDepth: 1},
		},
		{
			"comments, strings and bars hide commands and parentheses",
			"; (assert a)\n(assert (= \"(assert)\" |((|)) ; (\n(assert \";\") (echo \"a\"\")(\")",
			Info{Asserts: 2, MaxDepth: 2},
		},
		{
			"two commands on a line", "(assert a)(assert b)(check-sat-assuming (a))", Info{Asserts: 2, MaxDepth: 2},
		},
		{
			"header",
			"(set-info :smt-lib-version 2.6)(set-logic QF_LIA)(set-info :source |a\n\"b\"|)(set-info :license " +
				"\"x\"\"y\")(set-info :category industrial)(set-info :other (1 (2)))(set-info :flag)",
			Info{Logic: "QF_LIA", Declares: "2.6", Source: "a\n\"b\"", Licence: `x"y`, Category: "industrial",
				MaxDepth: 3},
		},
		{
			"functions",
			"(declare-fun c () S)(declare-fun f (S (A S)) S)(declare-const d S)(define-fun g () S c)(define-const h " +
				"S c)(define-funs-rec ((p ((x S)) S) (q () S)) (x c))",
			Info{Symbols: SymbolCounts{Constants: 2, Functions: 1, Definitions: 4}, MaxDepth: 5},
		},
		{
			"datatypes",
			"(declare-datatype D ((a) (b (s (L D)) (t D))))(declare-datatype P (par (X Y) ((p (l X) (r " +
				"Y)))))(declare-datatypes ((E 0) (F 1)) (((e)) (par (X) ((f (g X))))))",
			Info{Symbols: SymbolCounts{Datatypes: 4, Constructors: 5, Selectors: 5}, MaxDepth: 6},
		},
		{
			"quoted logic", "(set-logic |QF_BV|)", Info{Logic: "QF_BV", MaxDepth: 1},
		},
		{
			"version 1.2",
			"; c\n(benchmark n :source { a \\} ( b } :status unknown :category { random } :difficulty { 3 } :logic " +
				"QF_BV" +
				" :extrasorts (U V) :extrafuns ((f U V) (c BitVec[32]) (d Array[32:8])) :extrapreds ((p) (q U)) " +
				":notes \"no; (\" :flag" +
				" :assumption (p) :assumption true :formula (flet ($x (= ?y c)) { ( } (not $x)))",
			Info{
				Version1: true, Name: "n", Declares: "1.2", Source: `a } ( b`, Statuses: []comp.Status{"unknown"},
				Category:   "random",
				Difficulty: "3", Logic: "QF_BV", Asserts: 3, CheckSats: 1, MaxDepth: 4,
				Symbols: SymbolCounts{Sorts: 2, Constants: 3, Functions: 2},
			},
		},
		{
			"version 1.2: strings with backslashes, annotations of declarations",
			`(benchmark n :notes "a \" ( \\" :source "by \"me\"" :logic A :extrafuns ((f U V :assoc {x \} ) y}) (c U :foo)) :formula (p "\")" :pat {)}))`,
			Info{
				Version1: true, Name: "n", Declares: "1.2", Source: `by "me"`, Logic: "A", Statuses: []comp.Status{""},
				Asserts: 1, CheckSats: 1,
				MaxDepth: 3, Symbols: SymbolCounts{Constants: 1, Functions: 1},
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.Bytes = int64(len(tt.src))
			got, err := Inspect([]byte(tt.src))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Inspect(%s) (-want +got):\n%s", tt.src, diff)
			}
		})
	}
}

func TestInspectErrors(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"stray atom", "(exit)\nfoo", `line 2, column 1: expected "(" and a command, found "foo"`},
		{"too many parentheses", "(exit))", `line 1, column 7: expected "(" and a command, found ")"`},
		{"no name", "((a))", `line 1, column 2: expected the name of a command, found "("`},
		{"nothing but closing parentheses", ")))", `line 1, column 1: expected "(" and a command, found ")"`},
		{"bytes of an archive", "(\x28\xb5\x2f\xfd\x00", `line 1, column 2: expected the name of a command, found "("`},
		{"no text at all", "\xfd7zXZ\x00", `line 1, column 1: expected "(" and a command, found the byte 0xfd`},
		{"a zero byte inside of a term", "(set-logic QF_UF)\n(assert (= a \x00))",
			`line 2, column 14: expected the rest of a list, found the character '\x00'`},
		{"a zero byte inside of a string", "(assert \"\x00)",
			`line 1, column 9: expected the rest of a list, found a string without its closing quote`},
		{"unclosed", "(exit)\n (assert (a",
			`line 2, column 12: expected the closing parenthesis of the one of line 2, column 2, found the end of the file`},
		{"unclosed string", "(assert (= a\n\"))",
			`line 2, column 1: expected the rest of a list, found a string without its closing quote`},
		{"unclosed symbol", "(assert |a)",
			`line 1, column 9: expected the rest of a list, found a quoted symbol without its closing bar`},
		{"bad status", "(set-info :status maybe)", `line 1, column 19: expected sat, unsat or unknown, found "maybe"`},
		{"no keyword", "(set-info status sat)", `line 1, column 11: expected a keyword, as :status, found "status"`},
		{"two values", "(set-info :status sat unsat)",
			`line 1, column 23: expected ")" after the value, found "unsat"`},
		{"logic", "(set-logic (a))", `line 1, column 12: expected the name of a logic, found "("`},
		{"arguments", "(declare-fun f Int)",
			`line 1, column 16: expected "(" and the sorts of the arguments, found "Int"`},
		{"1.2 without logic", "(benchmark b :formula true)",
			`line 1, column 28: expected a benchmark with the attribute :logic, found the end of the file`},
		{"1.2 without formula", "(benchmark b :logic QF_UF)",
			`line 1, column 27: expected a benchmark with the attribute :formula, found the end of the file`},
		{"1.2 unclosed braces", "(benchmark b :source { x",
			`line 1, column 22: expected the closing brace of a text, found a text in braces without its closing one`},
		{"1.2 stray word", "(benchmark b logic)",
			`line 1, column 14: expected an attribute, as :logic, or the end of the benchmark, found "logic"`},
		{"1.2 and more", "(benchmark b :logic A :formula true) (exit)",
			`line 1, column 38: expected the end of the file after the benchmark, found "("`},
		{"1.2 no value", "(benchmark b :logic A :formula)",
			`line 1, column 31: expected the value of an attribute, found ")"`},
		{"1.2 unclosed string", `(benchmark b :notes "x\")`,
			`line 1, column 21: expected the closing quote of a string, found a string without its closing quote`},
		{"1.2 a zero byte in a formula", "(benchmark b :logic A\n:formula (and \x00))",
			`line 2, column 15: expected the rest of a list, found the character '\x00'`},
		{"1.2 sorts in lists", "(benchmark b :logic A :extrasorts ((U)))",
			`line 1, column 36: expected the name of a sort or the end of the list, found "("`},
		{"1.2 functions without lists", "(benchmark b :logic A :extrafuns (f U))",
			`line 1, column 35: expected "(" and a declaration, or the end of the list, found "f"`},
		{"1.2 predicate without a name", "(benchmark b :logic A :extrapreds (()))",
			`line 1, column 37: expected the name of what is declared, found ")"`},
		{"1.2 sort in a list", "(benchmark b :logic A :extrafuns ((f (U) U)))",
			`line 1, column 38: expected a sort or the end of the declaration, found "("`},
		{"1.2 unclosed declaration", "(benchmark b :logic A :extrafuns ((f U)",
			`line 1, column 40: expected the closing parenthesis of the one of line 1, column 34, found the end of the file`},
		{"1.2 unclosed formula", "(benchmark b :logic A :formula (and",
			`line 1, column 36: expected the closing parenthesis of the one of line 1, column 32, found the end of the file`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Inspect([]byte(tt.src))
			se, ok := errors.AsType[*SyntaxError](err)
			if !ok || se.Error() != tt.want {
				t.Errorf("Inspect(%q):\n got %v\nwant %s", tt.src, err, tt.want)
			}
		})
	}
}

// TestSkip compares skip, which reads pairs of bytes and words of eight, with a byte-wise loop. The texts contain few
// or many stops, and every relevant construct at each offset within a step.
func TestSkip(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, alphabet := range []string{"()", "(((a", "()))aaaaaa", "((a \n\t\rbcdefgh))", "()ab c;\n", "()ab \"c",
		"()ab |c", "()abcdefghijkl\x00", "()abcdefghi\x7f\xc3\xa9"} {
		for range 20_000 {
			text := make([]byte, random.IntN(50))
			for i := range text {
				text[i] = alphabet[random.IntN(len(alphabet))]
			}
			compareSkip(t, text, random.IntN(6))
		}
	}
}

// TestSkipDeep makes the same comparison on texts whose depth changes by more than skipPairs can count.
func TestSkipDeep(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 5_000 {
		var text []byte
		for len(text) < 2_000 {
			run := []string{"(", ")", " (a", "b )", "()", ")(", "abcdefg", "\n"}[random.IntN(8)]
			for range 1 + random.IntN(200) {
				text = append(text, run...)
			}
		}
		compareSkip(t, text, random.IntN(300))
	}
}

func compareSkip(t *testing.T, text []byte, deepestBefore int) {
	t.Helper()
	got := inspector{src: text, pairs: pairs(), info: Info{MaxDepth: max(deepestBefore, 2)}}
	got.skip(2, 0)
	pos, deepest, ok := skipBytes(text, 2, max(deepestBefore, 2))
	if ok != (got.err == nil) || ok && (got.pos != pos || got.info.MaxDepth != deepest) {
		t.Fatalf("skip(%q), deepest %d: at %d, deepest %d, %v; want %d, %d, %v", text, deepestBefore, got.pos,
			got.info.MaxDepth, got.err, pos, deepest, ok)
	}
}

// TestInspectFrequent compares the fast path for the most frequent commands with the general path, which a space after
// a parenthesis forces.
func TestInspectFrequent(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	parts := []string{
		"(assert ", "(assert\n", "(assert(", "(assert", "(assert)", "(asserts ", "(declare-fun ", "(declare-fun", "a",
		"x1", "1", "|a b|", ":k", "\"s\"", "#b1",
		" ()", "()", " ( )", " (Int)", " ", "\n", "\r\n", ";c\n", ")", ")", ")\n", " Int)\n", " (= a b))\n", "(",
		"(check-sat)",
	}
	sound := 0
	for range 30_000 {
		var b strings.Builder
		for range random.IntN(12) {
			b.WriteString(parts[random.IntN(len(parts))])
		}
		short := b.String()
		long := strings.NewReplacer("(assert", "( assert", "(declare-fun", "( declare-fun").Replace(short)
		got, err := Inspect([]byte(short))
		want, wantErr := Inspect([]byte(long))
		got.Bytes, want.Bytes = 0, 0
		if diff := cmp.Diff(want, got); diff != "" || (err == nil) != (wantErr == nil) {
			t.Fatalf("Inspect(%q) (-long way +short way): %v and %v\n%s", short, wantErr, err, diff)
		}
		if e, ok := errors.AsType[*SyntaxError](err); ok {
			if w, _ := errors.AsType[*SyntaxError](wantErr); e.Expected != w.Expected && !strings.Contains(e.Expected,
				"closing") || e.Found != w.Found {
				t.Fatalf("Inspect(%q): %v; the long way: %v", short, err, wantErr)
			}
		} else if got.Asserts > 0 {
			sound++
		}
	}
	if sound < 100 {
		t.Errorf("only %d scripts are sound", sound)
	}
}

// skipBytes is the simplest implementation of skip.
func skipBytes(text []byte, depth, deepest int) (pos, deepestThere int, ok bool) {
	base := depth
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '(':
			depth++
			deepest = max(deepest, depth)
		case ')':
			if depth--; depth < base {
				return i + 1, deepest, true
			}
		case '"', '|', ';':
			closing := map[byte]byte{'"': '"', '|': '|', ';': '\n'}[c]
			n := bytes.IndexByte(text[i+1:], closing)
			if n < 0 {
				return 0, 0, false
			}
			i += n + 1
		case 0, 0x7F:
			return 0, 0, false
		}
	}
	return 0, 0, false
}

func TestInspectDeep(t *testing.T) {
	const depth = 1_000_000
	for _, src := range []string{
		"(assert " + strings.Repeat("(", depth) + strings.Repeat(")", depth) + ")",
		"(benchmark b :logic A :formula " + strings.Repeat("(", depth) + strings.Repeat(")", depth) + ")",
	} {
		info, err := Inspect([]byte(src))
		if err != nil || info.MaxDepth != depth+1 {
			t.Errorf("Inspect(%.20s...) = depth %d, %v; want %d", src, info.MaxDepth, err, depth+1)
		}
	}
}
