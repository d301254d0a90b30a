package validate

import (
	"bytes"
	"strconv"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// ProofVerdict is the verdict in the first line of a proof checker's output.
type ProofVerdict string

// Verdicts of a proof checker (SMT-COMP 2022 rules, §5.8 "Input/Output Checker"), and substitutes for output that ended
// before a verdict (ProofTimeout) or is anything else (ProofError).
const (
	ProofValid   ProofVerdict = "valid"                      // the checker certifies unsat
	ProofHoley   ProofVerdict = "holey"                      // valid except for unchecked steps
	ProofInvalid ProofVerdict = "invalid"                    // the proof is wrong or malformed
	ProofSat     ProofVerdict = ProofVerdict(comp.AnswerSat) // the solver answered sat
	ProofUnknown ProofVerdict = "unknown"                    // the solver produced no proof
	ProofTimeout ProofVerdict = "timeout"
	ProofError   ProofVerdict = "error"
)

// Erroneous reports whether the result counts as erroneous: sat for an unsatisfiable benchmark, or an invalid proof
// (2022 rules, §5.8 "Result").
func (v ProofVerdict) Erroneous() bool { return v == ProofSat || v == ProofInvalid }

// Answer returns the joint answer of the solver and the checker.
func (v ProofVerdict) Answer() comp.Answer {
	switch v {
	case ProofValid, ProofHoley:
		return comp.AnswerUnsat
	case ProofSat:
		return comp.AnswerSat
	case ProofInvalid, ProofUnknown:
		return comp.AnswerUnknown
	}
	return comp.AnswerNone
}

// Proof is the parsed output of a run in the proof track.
type Proof struct {
	Verdict ProofVerdict

	// Pairs are the key=value lines of the wrapper and the checker, verbatim and in order.
	Pairs []KV

	// SolverCPU and SolverWall are the stamp of the line that ends the solver's part, verbatim. CheckerCPU and
	// CheckerWall are the seconds from the checker's start to its verdict, with two decimals. They are empty without
	// stamps.
	SolverCPU, SolverWall, CheckerCPU, CheckerWall string
}

// JudgeProof returns the verdict on a run in the proof track, for the solver and the checker together. d is the
// decision on the same output. If the run was stopped at its time limit before the checker printed anything, the result
// is a timeout. The official post-processor recognises such a timeout only by StarExec's last line.
func JudgeProof(d Decision, p Proof) (comp.Verdict, ProofVerdict) {
	v := p.Verdict
	if v == ProofError && d.Line == nil && d.Class == TimedOut {
		v = ProofTimeout
	}
	switch {
	case v.Erroneous():
		return comp.Wrong, v
	case v == ProofValid || v == ProofHoley:
		return comp.Correct, v
	}
	return comp.Unknown, v
}

// Comment lines that the proof track's wrapper prints between its steps.
const (
	proofCompressing = "; compressing proof"
	proofChecking    = "; checking proof"
)

// ParseProof parses the output of the wrapper that runs the solver and then the checker (2022 rules, §5.8 "Wrapper and
// Post-Processor"). The first line that is neither empty nor a comment decides. KEY=VALUE lines are collected wherever
// they occur. Lines may contain StarExec's stamps.
func ParseProof(out []byte) Proof {
	p := Proof{Verdict: ProofError}
	var decided bool
	var checking, verdict *stamp
	for line := range lines(out) {
		text, s, stamped := unstamp(line)
		word := trim(text)
		if !decided && len(word) > 0 && word[0] != ';' {
			decided = true
			p.Verdict = proofWord(word)
		}
		if stamped {
			switch {
			case p.SolverCPU == "" && bytes.Contains(text, []byte(proofCompressing)):
				p.SolverCPU, p.SolverWall = s.cpu, s.wall
			case checking == nil && bytes.Contains(text, []byte(proofChecking)):
				checking = &s
			case verdict == nil && containsVerdict(text):
				verdict = &s
			}
		}
		if kv, ok := parseKV(text); ok {
			p.Pairs = append(p.Pairs, kv)
		}
	}
	if checking != nil && verdict != nil {
		p.CheckerCPU, p.CheckerWall = elapsed(checking.cpu, verdict.cpu), elapsed(checking.wall, verdict.wall)
	}
	return p
}

// proofWord returns the verdict in the deciding line.
func proofWord(word []byte) ProofVerdict {
	switch v := ProofVerdict(word); v {
	case ProofValid, ProofHoley, ProofInvalid, ProofSat, ProofUnknown:
		return v
	case "EOF": // StarExec's mark after complete output, reached without a verdict
		return ProofTimeout
	}
	return ProofError
}

func containsVerdict(line []byte) bool {
	// The word valid is also in "invalid".
	for _, v := range [...]ProofVerdict{ProofValid, ProofHoley, ProofSat, ProofUnknown} {
		if bytes.Contains(line, []byte(v)) {
			return true
		}
	}
	return false
}

// elapsed returns the difference of two times in seconds, with two decimals. It returns "" if either is not a number.
func elapsed(from, to string) string {
	a, errA := strconv.ParseFloat(from, 64)
	b, errB := strconv.ParseFloat(to, 64)
	if errA != nil || errB != nil {
		return ""
	}
	return strconv.FormatFloat(b-a, 'f', 2, 64)
}

// parseKV parses a KEY=VALUE line. A key consists of letters, digits, - and _; a value may also contain dots, or be
// empty.
func parseKV(line []byte) (KV, bool) {
	key, value, found := bytes.Cut(line, []byte("="))
	if !found || len(key) == 0 || !all(key, isKeyByte) || !all(value, func(c byte) bool {
		return c == '.' ||
			isKeyByte(c)
	}) {
		return KV{}, false
	}
	return KV{Key: string(key), Value: string(value)}, true
}

func isKeyByte(c byte) bool { return c == '-' || isWordByte(c) }

func all(text []byte, ok func(byte) bool) bool {
	for _, c := range text {
		if !ok(c) {
			return false
		}
	}
	return true
}

// proofAnswer interprets an output in the proof track.
func proofAnswer(out []byte) Decision {
	for line := range lines(out) {
		if word := trim(line); len(word) > 0 && word[0] != ';' {
			return Decision{Answer: proofWord(word).Answer(), Line: word}
		}
	}
	return Decision{}
}
