package scramble

import (
	"bytes"
	"errors"
	"testing"

	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
)

var seeds = []string{
	"(set-logic QF_BV)(declare-fun a () U)(declare-fun b () U)(assert (bvadd a b))(assert (bvult a b))(check-sat)(exit)",
	"(set-logic UF)(assert (let ((x a) (y |b c|)) (forall ((z U)) (! (p x z) :pattern ((p x z))))))(push " +
		"2)(check-sat)(pop 1)",
	"(declare-datatypes ((D 0)) (((c (s Int)) (d))))(define-fun f ((x D)) Int x)(declare-sort S 0)(define-sort T () S)",
	"(set-logic FP)(assert (match x ((c 1) ((d y) (fp.add r y 1.5)))))(assert ((as f (A B)) (_ g 1 a) #xaF \"s\"))",
	"(assert (! a :named n :qid q :weight 1))(set-option :print-success false)(set-info :status sat)(echo \"x\")(reset)",
	"x 1 ] (exit) \" | ; #",
}

// FuzzAppend checks that arbitrary input and options produce a script or a rejection, deterministically and also when
// written in pieces. A scrambled script must parse and contain as many assertions and check-sats as the input.
func FuzzAppend(f *testing.F) {
	for i, s := range seeds {
		f.Add([]byte(s), int64(i), uint8(i*37))
	}
	f.Fuzz(func(t *testing.T, src []byte, seed int64, flags uint8) {
		opt := Options{
			Seed: seed & MaxSeed, Annotations: Annotations(flags % 3), Incremental: flags&4 != 0,
			UnsatCores: flags&8 != 0,
			Models:     flags&16 != 0, NonSMTCOMP: flags&32 != 0, Z3: flags&64 != 0,
		}
		if flags&128 != 0 {
			opt.Core = Core{"n": {}}
		}
		out, err := Append(nil, src, opt)
		if rejection, ok := errors.AsType[*Rejection](err); err != nil && (!ok || rejection.Exit != 1) {
			t.Fatal(err)
		}
		var pieces bytes.Buffer
		var s Scrambler
		if again := s.WriteTo(&pieces, src, opt); (again == nil) != (err == nil) || !bytes.Equal(pieces.Bytes(), out) {
			t.Fatalf("WriteTo gives %q, %v; Append %q, %v", pieces.Bytes(), again, out, err)
		}
		if err == nil {
			compareScript(t, src, out, opt)
		}
	})
}

// compareScript compares the command counts before and after, if the strict parser also accepts the input.
func compareScript(t *testing.T, src, out []byte, opt Options) {
	in, err := smtlib.Parse(src)
	if err != nil {
		return
	}
	scrambled, err := smtlib.Parse(out)
	if err != nil && opt.Core == nil {
		t.Fatalf("the scrambled script does not parse: %v\n%s", err, out)
	}
	if opt.Core != nil {
		return
	}
	for _, kind := range []smtlib.CommandKind{smtlib.CmdAssert, smtlib.CmdCheckSat, smtlib.CmdExit,
		smtlib.CmdDefineFun} {
		if got, want := count(scrambled, kind), count(in, kind); got != want {
			t.Fatalf("%d %v commands, want %d\n%s", got, kind, want, out)
		}
	}
}

func count(s *smtlib.Script, kind smtlib.CommandKind) (n int) {
	for _, c := range s.Commands {
		if c.Kind == kind {
			n++
		}
	}
	return n
}
