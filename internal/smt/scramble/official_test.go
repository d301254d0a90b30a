package scramble

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/smt/smtlib/smtlibtest"
)

// TestOfficial compares output, exit status and message with a copy of the official program, if
// SMTPIPE_OFFICIAL_SCRAMBLER names one, on the release's small files and on scripts for corner cases.
func TestOfficial(t *testing.T) {
	program := os.Getenv("SMTPIPE_OFFICIAL_SCRAMBLER")
	if program == "" {
		t.Skip("SMTPIPE_OFFICIAL_SCRAMBLER is not set: no copy of the official scrambler to compare with")
	}
	for i, src := range corners {
		for seed := range int64(20) {
			compareOfficial(t, program, fmt.Sprintf("corner %d", i), []byte(src),
				Options{Seed: seed, Annotations: Annotations(i % 3), UnsatCores: seed%2 == 1, Models: seed%3 == 1})
		}
	}
	for i, f := range smtlibtest.Release(t) {
		if len(f.Text) > 20_000 {
			continue
		}
		track := []comp.Track{comp.SingleQuery, comp.Incremental, comp.UnsatCore, comp.ModelValidation,
			comp.ProofExhibition}[i%5]
		opt := ForTrack(track, int64(i)*7919)
		opt.StatusHeader = false
		compareOfficial(t, program, f.Path, f.Text, opt)
	}
}

// corners are scripts for corner cases that the description of the official program defines, however odd they are.
var corners = []string{
	"(set-logic QF_BV)(assert (bvadd a b c))(assert (bvult a b c))(assert ((as bvult S) a b))(assert (|and| a " +
		"b))(check-sat)",
	"(set-logic FP)(assert (fp.add r a b))(assert (fp.leq a b))(assert (= a b))(check-sat)",
	"(set-logic QF_RDL)(assert (= a b c d))(assert (< a b))(assert (* a b c))(check-sat)",
	"(set-logic ALL)(assert (+ a b))(assert (<= a b))(assert (distinct a b c))(assert (xor a b c))(check-sat)",
	"(set-logic UF)(declare-fun a () U)(declare-fun |a| () U)(check-sat)(declare-fun U () U)(assert (a U))(check-sat)",
	"(set-logic UF)(assert (let ((a b) (c d) (e f)) (let ((a c)) (and a c e))))(assert (exists ((a U) (c V)) (p a " +
		"c)))(check-sat)",
	"(declare-datatype D ((c (s D)) (d) (e (t U) (u V))))(declare-datatypes ((A 0) (B 0)) (((f)) ((g (h A)) " +
		"(i))))(check-sat)",
	"(set-logic UFDT)(assert (match x ((c y) ((d z w) (q z w)) (v v))))(define-fun f ((x U) (y V)) U (g x " +
		"y))(check-sat)",
	"(push 3)(pop 2)(push 0)(assert a)(assert b)(pop 1)(assert c)(check-sat)(check-sat)(exit)(assert d)",
	"(set-logic A)(assert (! (f a) :pattern ((g a b)) :named n))(assert (! (f a) :pattern ((g a b))))(assert (! a " +
		":named m))(check-sat)",
	"[x] foo (exit) ; comment\n 1a (check-sat) )( ",
	"(assert (and #x1F #b10 \"a\"\"b\nc\" 1.50 007 |q\nr|))(check-sat) foo bar",
	"(set-logic A)(set-logic B)", "(get-model)", "(assert (not a))", "(reset)", "(set-option :a b)",
	"(assert (! a :qid b))",
	"(set-logic A)(assert (f a ; b)\n))(assert (f ;b\n a;\n(g;c\na 1;\n) ;)\n 2 ;\n))(assert (f a #)[)(exit);",
	"(assert (let ((a (as d (",
	"(set-logic A)(define-fun f () 1 [ x)                    ",
	"(set-logic A)(define-fun (f [ x)) U                     ",
	"(exists#", "(assert (exists () #", "(assert (let () a))", "(assert (! a :no-pattern (b", "(assert (! a :qid b#",
	"(declare-datatypes () ())",
	"(declare-datatypes ((D 0)) (((c)) ((e))))", "(declare-datatypes ((D 1 x", "(declare-datatypes ((D 1)#",
	"(exit);x (exit)", "(exit);(exit)(exit)[", "\")\"#(", "(exit)foo [" + strings.Repeat(" ", 8192) + "bar ]",
	"(exit)\"a\"\"b (exit)", "(exit)\"a\"\"", "(exit)|(exit)",
	"(declare-sort S 1)", "(declare-datatypes ((S 1)) (((a))))", "(assert (f))", "(exit) (assert", "(exit) x (assert",
	"",
}

func compareOfficial(t *testing.T, program, name string, src []byte, opt Options) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, officialArguments(opt)...)
	cmd.Stdin = bytes.NewReader(src)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	wantExit := 0
	if err := cmd.Run(); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			t.Fatal(err)
		}
		wantExit = exit.ExitCode()
	}
	got, err := Append(nil, src, opt)
	exit, message := 0, ""
	if rejection, ok := errors.AsType[*Rejection](err); ok {
		exit, message = rejection.Exit, rejection.Message
	}
	if exit != wantExit || !bytes.Equal(got, stdout.Bytes()) || !strings.Contains(stderr.String(), message) {
		t.Errorf("%s %v:\ngot exit %d, %s, %.300q\nwant exit %d, %s, %.300q", name, officialArguments(opt), exit,
			message, got, wantExit, stderr.String(), stdout.Bytes())
	}
}

// officialArguments returns options in the official program's syntax.
func officialArguments(opt Options) []string {
	return []string{
		"-seed", strconv.FormatInt(opt.Seed, 10),
		"-term_annot", map[Annotations]string{AllAnnotations: "true", PatternAnnotation: "pattern",
			NoAnnotations: "false"}[opt.Annotations],
		"-incremental", strconv.FormatBool(opt.Incremental),
		"-gen-unsat-core", strconv.FormatBool(opt.UnsatCores),
		"-gen-model-val", strconv.FormatBool(opt.Models),
		"-gen-proof", strconv.FormatBool(opt.Proofs),
		"-support-z3", strconv.FormatBool(opt.Z3),
		"-support-non-smtcomp", strconv.FormatBool(opt.NonSMTCOMP),
	}
}
