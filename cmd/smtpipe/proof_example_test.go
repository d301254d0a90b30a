package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestExampleProof checks the verdicts of the checker in examples/mini on proofs in the Alethe format. The proof was
// written by hand: p and p = q imply q, which is negated.
func TestExampleProof(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("needs python3")
	}
	const (
		benchmark = "(declare-fun p () Bool)\n(declare-fun q () Bool)\n(assert p)\n(assert (= p q))\n(assert (not q))\n"
		proof     = "(assume a (= p q))\n(assume b p)\n(assume c (not q))\n" +
			"(step t1 (cl (not p) q) :rule equiv1 :premises (a))\n(step t2 (cl) :rule resolution :premises (t1 b c))\n"
		sub = "(assume a (= p q))\n(assume b p)\n(assume c (not q))\n(step t1 (cl (not p) q) :rule equiv1 :premises (a))\n" +
			"(anchor :step s)\n(assume s.a p)\n(step s.b (cl q) :rule resolution :premises (t1 s.a))\n" +
			"(step s (cl (not p) q) :rule subproof :discharge (s.a))\n(step u (cl) :rule resolution :premises (s b c))\n"
		cases = "(step t1 (cl p q) :rule z)\n(step t2 (cl p (not q)) :rule z)\n(step t3 (cl (not p) q) :rule z)\n" +
			"(step t4 (cl (not p) (not q)) :rule z)\n(step t5 (cl) :rule resolution :premises (t1 t2 t3 t4))\n"
	)
	for _, row := range []struct {
		name, proof, want string // expected verdict and trusted steps
	}{
		{"a rule that is not checked", proof, "holey hole-equiv1=1"},
		{"all by trust", "(step t (cl false) :rule trust_me)\n(step u (cl) :rule trust_me :premises (t))\n",
			"holey hole-trust_me=2"},
		{"a premise that was removed", strings.Replace(proof, " :premises (a)", "", 1), "invalid"},
		{"one of several", strings.Replace(proof, "(t1 b c)", "(t1 b)", 1), "invalid"},
		{"a premise that is no step", strings.Replace(proof, "(t1 b c)", "(t1 b d)", 1), "invalid"},
		{"inside of a subproof", "(anchor :step s)\n(assume s.a p)\n(step s.t (cl q) :rule equiv1)\n" +
			"(step s (cl) :rule subproof :discharge (s.a))\n", "invalid"},
		{"a subproof", sub, "holey hole-equiv1=1"},
		{"a subproof that ends in something else", strings.Replace(sub, "(step s (cl (not p) q)", "(step s (cl q)", 1),
			"invalid"},
		{"a step inside, from outside", strings.Replace(sub, ":premises (s b c)", ":premises (s.b c)", 1), "invalid"},
		{"a subproof that does not discharge", strings.Replace(sub, " :discharge (s.a)", "", 1), "invalid"},
		{"names, and parentheses around all", "(\n(assume a (! (= p q) :named @p1))\n(assume b p)\n(assume c (not q))\n" +
			"(step t1 (cl (not @p1) (not p) q) :rule equiv_pos2)\n" +
			"(step t2 (cl) :rule resolution :premises (t1 a b c))\n)\n", "holey hole-equiv_pos2=1"},
		{"all four cases", cases, "holey hole-z=4"},
		{"three of four cases", strings.Replace(cases, " t4)", ")", 1), "invalid"},
		{"a step twice", proof + "(step t2 (cl) :rule z)\n", "invalid"},
		{"a term of z3", "((proof ((_ th-lemma arith) (asserted p) (asserted (not q)) (asserted (= q p)) false)))\n",
			"holey hole-asserted=1 hole-th-lemma=1"},
		{"a proof that cvc5 does not write", "(\n(error \"Proof unsupported by Alethe: contains operator fp.lt\"))\n",
			"unknown"},
		{"no proof of false", strings.TrimSuffix(proof, proof[strings.Index(proof, "(step t2"):]), "invalid"},
	} {
		dir := t.TempDir()
		file, answer := filepath.Join(dir, "benchmark.smt2"), filepath.Join(dir, "answer")
		for path, text := range map[string]string{file: benchmark, answer: "unsat\n" + row.proof} {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		// The solver is sh. It prints the answer, and its last argument is the benchmark.
		out, err := exec.Command("python3", "../../examples/mini/proof", "sh", "-c", `cat "$0"`, answer, file).Output()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for line := range strings.Lines(string(out)) {
			line = strings.TrimSpace(line)
			if line == "valid" || line == "holey" || line == "invalid" || line == "unknown" ||
				strings.HasPrefix(line, "hole-") {
				got = append(got, line)
			}
		}
		if s := strings.Join(got, " "); s != row.want {
			t.Errorf("%s: %q, want %q\n%s", row.name, s, row.want, out)
		}
	}
}
