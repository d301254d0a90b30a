package validate_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/smt/scramble"
	"github.com/smtpipe/smtpipe/internal/smt/validate"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// TestCoresOfSolvers follows the unsat-core track with real solvers. It scrambles a benchmark, lets cvc5 print a core,
// reduces the script to the core, and lets z3 and cvc5 vote. No core may be refuted. Conversely, after removing
// assertions from a core until z3 answers sat, the core must be refuted.
func TestCoresOfSolvers(t *testing.T) {
	cvc5, z3 := testkit.Program(t, "cvc5"), testkit.Program(t, "z3")
	rules := validate.Rules{StderrIsOutput: true, CoreNeedsUnsat: true} // as in 2026
	var scrambler scramble.Scrambler
	judged, refuted := 0, 0
	for _, logic := range []string{"QF_UF", "QF_LRA", "QF_BV", "QF_AX"} {
		archive := testkit.Shared(t, "smtlib-mini", "non-incremental", logic+".tar.zst")
		for path, text := range firstFiles(t, archive, 8) {
			script, err := scrambler.Append(nil, text, scramble.ForTrack(comp.UnsatCore, 3))
			if err != nil || len(text) > 20_000 || !bytes.Contains(text, []byte("(set-info :status unsat)")) {
				continue
			}
			out := solve(t, script, cvc5, "--quiet")
			d := validate.Answer(comp.UnsatCore, out, nil, validate.Run{Rules: rules})
			if d.Answer != comp.AnswerUnsat {
				continue
			}
			names, err := validate.ScriptNames(script)
			if err != nil {
				t.Fatal(err)
			}
			core, err := validate.ParseCore(names, d.Rest)
			if err != nil {
				t.Errorf("%s: %v in %.200q", path, err, d.Rest)
				continue
			}
			unsat, sat := votes(t, script, core, z3, cvc5)
			j := validate.JudgeCore(rules, d, core, nil, unsat, sat)
			if sat > 0 || unsat > 0 && j.Verdict != comp.Correct {
				t.Errorf("%s: %d unsat, %d sat: %+v", path, unsat, sat, j)
			}
			judged++
			if core.Size() > 0 && refutes(t, rules, script, core, z3) {
				refuted++
			}
		}
	}
	t.Logf("%d cores judged, %d refuted when an assertion is left out", judged, refuted)
	if judged == 0 || refuted == 0 {
		t.Errorf("%d cores judged, %d refuted without an assertion; want some of both", judged, refuted)
	}
}

// refutes reports whether a core without its first assertion is refuted.
func refutes(t *testing.T, rules validate.Rules, script []byte, core validate.Core, solver string) bool {
	t.Helper()
	unsat, sat := votes(t, script, validate.Core{Members: core.Members[1:], Names: core.Names[1:]}, solver)
	return rules.Majority(unsat, sat) == validate.CoreInvalid
}

// votes asks solvers about a reduced script.
func votes(t *testing.T, script []byte, core validate.Core, solvers ...string) (unsat, sat int) {
	t.Helper()
	reduced, err := validate.ReduceCore(script, core)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range solvers {
		switch validate.Answer(comp.SingleQuery, solve(t, reduced, s), nil, validate.Run{}).Answer {
		case comp.AnswerUnsat:
			unsat++
		case comp.AnswerSat:
			sat++
		}
	}
	return unsat, sat
}

// solve returns a solver's output for a script, with a time limit of half a second.
func solve(t *testing.T, script []byte, argv ...string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "script.smt2")
	if err := os.WriteFile(file, script, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, argv[0], append(argv[1:len(argv):len(argv)], file)...)
	cmd.Stdout = &out
	_ = cmd.Run() // the exit code does not matter
	return out.Bytes()
}
