package smtlib

import (
	"bytes"
	"errors"
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// seeds are scripts that together use every construct.
var seeds = []string{
	"(set-info :status sat)(set-logic QF_UF)(declare-fun f (U) U)(assert (= (f a) |b c|))(check-sat)(exit)",
	"(assert (let ((x 1) (y #x0F)) (forall ((z (_ BitVec 8))) (! (p x z) :pattern ((p x z)) :named n))))",
	"(declare-datatypes ((L 1) (E 0)) ((par (T) ((nil) (cons (head T) (tail (L T))))) ((e))))",
	"(assert (match l ((nil 0) ((cons h _) h) (x 2))))(assert ((as f (A B)) ((_ extract 7 0) #b1)))",
	"(define-funs-rec ((f ((x Int)) Int)) ((g x)))(define-sort S (X) (A X))(push 1)(pop 1)(echo \"a\"\"b\")",
	"(get-value (a (f b)))(check-sat-assuming ((not a)))(set-option :k (1 |let| let))(get-info :name)",
	"(benchmark b :logic QF_UF :source { x \\} } :extrafuns ((f U U)) :status sat :formula (and p { } q))",
	"(assert (lambda ((x Int)) (x 1)))(define-const c Int 1)(declare-sort-parameter X)",
	"(assert (_ (lambda ((f (-> U U))) (_ f 1)) |_|))(declare-const |assert| STRING)(assert (! a :named |let|))",
	"\"|;#:()",
}

func addSeeds(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
}

// FuzzLexer checks that tokens advance, lie within the text, and are separated only by white space and comments.
func FuzzLexer(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		l := NewLexer(string(src))
		last := uint32(0)
		for {
			tok := l.Next()
			if tok.Start < last || tok.End < tok.Start || int(tok.End) > len(src) {
				t.Fatalf("token %+v after %d in %d bytes", tok, last, len(src))
			}
			if gap := bytes.TrimLeft(src[last:tok.Start], " \t\r\n"); len(gap) > 0 && gap[0] != ';' {
				t.Fatalf("%q was passed over", gap)
			}
			if tok.Kind == EOF {
				return
			}
			if tok.End == tok.Start {
				t.Fatalf("empty token %+v", tok)
			}
			last = tok.End
		}
	})
}

// FuzzParse checks that parsing ends in a script or a syntax error, that printed scripts parse again, that printing is
// a fixed point, and that Inspect counts the same if it accepts the text.
func FuzzParse(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		s, err := Parse(src)
		if err != nil {
			if se, ok := errors.AsType[*SyntaxError](err); !ok || se.Expected == "" || se.Position.Line < 1 {
				t.Fatalf("not a complete syntax error: %#v", err)
			}
			return
		}
		once := s.Append(nil)
		again, err := Parse(once)
		if err != nil {
			t.Fatalf("the printed script does not parse: %v\n%s", err, once)
		}
		if twice := again.Append(nil); !bytes.Equal(once, twice) {
			t.Fatalf("printing is not a fixed point:\n%s\n%s", once, twice)
		}
		checkPostOrder(t, s)
		compareInspect(t, s, src)
	})
}

func checkPostOrder(t *testing.T, s *Script) {
	for id := 1; id < s.NumTerms(); id++ {
		tm := s.Term(TermID(id))
		for _, kid := range s.Kids(tm) {
			if kid <= 0 || int(kid) >= id {
				t.Fatalf("term %d has the child %d", id, kid)
			}
		}
		if ref := tm.Ref(); ref != 0 && s.Binding(ref).Sym != tm.Sym {
			t.Fatalf("term %d refers to a binding of another name", id)
		}
	}
}

// compareInspect compares the results of Inspect with the parsed script. Unlike Parse, Inspect requires valid statuses
// and logics, and so may reject additional scripts.
func compareInspect(t *testing.T, s *Script, src []byte) {
	info, err := Inspect(src)
	if err != nil || info.Version1 {
		return
	}
	asserts, checkSats := 0, 0
	for _, c := range s.Commands {
		switch c.Kind {
		case CmdAssert:
			asserts++
		case CmdCheckSat:
			checkSats++
		}
	}
	if info.Asserts != asserts || info.CheckSats != checkSats || info.Symbols != countSymbols(s) {
		t.Fatalf("Inspect has %+v; Parse %d asserts, %d check-sats, %+v", info, asserts, checkSats, countSymbols(s))
	}
}

// FuzzPrint checks that a script printed command by command equals the whole script, and that a command's terms and
// sorts are printed as they are within the command.
func FuzzPrint(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		s, err := Parse(src)
		if err != nil {
			return
		}
		var whole []byte
		for i := range s.Commands {
			c := &s.Commands[i]
			line := s.AppendCommand(nil, c)
			whole = append(append(whole, line...), '\n')
			if c.Term != 0 && !bytes.Equal(line, append(s.AppendTerm([]byte("(assert "), c.Term), ')')) {
				t.Fatalf("%s has the term %s", line, s.AppendTerm(nil, c.Term))
			}
			if c.Sort != 0 && !bytes.HasSuffix(line, append(s.AppendSort([]byte(" "), c.Sort), ')')) {
				t.Fatalf("%s has the sort %s", line, s.AppendSort(nil, c.Sort))
			}
		}
		if got := s.Append(nil); !bytes.Equal(got, whole) {
			t.Fatalf("printed at once:\n%s\nand by commands:\n%s", got, whole)
		}
	})
}

// FuzzInspect checks that Inspect ends in information or a syntax error.
func FuzzInspect(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		info, err := Inspect(src)
		if err != nil {
			if se, ok := errors.AsType[*SyntaxError](err); !ok || se.Expected == "" || se.Position.Line < 1 {
				t.Fatalf("not a complete syntax error: %#v", err)
			}
			return
		}
		if info.CheckSats != len(info.Statuses) || info.Bytes != int64(len(src)) {
			t.Fatalf("got %+v", info)
		}
	})
}

// FuzzCheckScript checks that for any script and several rules, CheckScript returns no error except a syntax error.
func FuzzCheckScript(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		tracks := []string{"single_query", "incremental"}
		for _, rules := range []ScriptRules{
			{Tracks: tracks, DefineSort: tracks[1:], DefinedSortParameters: true,
				AssertFirst: true, PrintSuccessFree: true},
			{Tracks: tracks, InfoAnywhere: true, PrintSuccessFree: true, Datatypes: true},
			{Tracks: tracks, InfoAnywhere: true, OptionSecond: true, Datatypes: true,
				Options: map[string]string{"single_query": ":produce-models"}},
		} {
			for _, track := range []comp.Track{comp.SingleQuery, comp.Incremental} {
				if _, err := CheckScript(src, track, &rules); err != nil {
					if _, ok := errors.AsType[*SyntaxError](err); !ok {
						t.Fatal(err)
					}
				}
			}
		}
	})
}

// FuzzParseModel checks that no answer of a solver can crash the parser.
func FuzzParseModel(f *testing.F) {
	f.Add([]byte("(model (define-fun a () Int 1) (forall ((x U)) true))"))
	f.Add([]byte("((define-fun |f g| ((x (_ BitVec 8))) Bool (= x #x00)))"))
	f.Fuzz(func(t *testing.T, src []byte) {
		s, err := Parse([]byte("(declare-fun a () (_ BitVec 8))"))
		if err != nil {
			t.Fatal(err)
		}
		m, err := s.ParseModel(src)
		if err == nil && m.Lookup("a") != s.Lookup("a") {
			t.Fatal("the names of the script have changed")
		}
	})
}
