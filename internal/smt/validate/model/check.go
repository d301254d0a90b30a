package model

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
)

// Version identifies the meaning of verdicts and is part of the keys of models and of the stage "validate". If equal
// inputs may lead to a different Result, increase it.
const Version = "12"

// Verdict is the rules' judgement of a response.
type Verdict string

// Possible verdicts (rules, §5.5 "Validation").
const (
	Valid   Verdict = "VALID"
	Invalid Verdict = "INVALID"
	Unknown Verdict = "UNKNOWN"
)

// Kind is the reason for a verdict, for tables and statistics.
type Kind string

// Possible reasons.
const (
	Satisfied     Kind = "satisfied"      // VALID: every assertion evaluates to true
	AnswerUnsat   Kind = "answer_unsat"   // INVALID: the answer is unsat
	FalseAssert   Kind = "false_assert"   // INVALID: an assertion evaluates to false
	NoAnswer      Kind = "no_answer"      // the response is empty or does not begin with an answer
	AnswerUnknown Kind = "answer_unknown" // the answer is unknown
	NoModel       Kind = "no_model"       // the answer is sat, but no model follows
	Malformed     Kind = "malformed"      // the model cannot be parsed or is ill-sorted
	Truncated     Kind = "truncated"      // the model is cut off
	Missing       Kind = "missing"        // a declared function has no definition
	Extra         Kind = "extra"          // a function is defined that the benchmark does not declare
	Duplicate     Kind = "duplicate"      // a function is defined twice
	Cyclic        Kind = "cyclic"         // a definition depends on itself
	OpenValue     Kind = "open_value"     // an assertion depends on a value that is left undefined
	Unsupported   Kind = "unsupported"    // the benchmark or model uses an unsupported construct
	BadBenchmark  Kind = "bad_benchmark"  // the benchmark cannot be parsed or is ill-sorted
	LimitReached  Kind = "limit_reached"  // the context ended, or memory ran out
)

// Options selects the rules to apply. The zero value means the rules of 2026.
type Options struct {
	// PartialIsInvalid makes a malformed or partial model INVALID (2019 rules, §5.6) instead of UNKNOWN (2022 and 2026
	// rules, §5.5).
	PartialIsInvalid bool
	// DeclaredOnly requires a model to define only symbols that the benchmark declares. Otherwise, other definitions
	// are helpers, as in the organisers' validator since 2023.
	DeclaredOnly bool
	// CompletePartial judges a model VALID even if it lacks values of partial functions (such as division by zero) that
	// matter, provided that the assertions hold with one simple choice of these values. Otherwise such a model is
	// UNKNOWN, because the organisers require definitions of values that matter.
	CompletePartial bool
	// AbstractArrays accepts (as @a (Array I E)) as an array whose elements are undefined unless a store sets them,
	// like other checkers. The organisers' page does not define it, so without this option it is malformed.
	AbstractArrays bool
}

// Result is a verdict with its reason.
type Result struct {
	Verdict Verdict
	Kind    Kind
	// Reason is a sentence. It begins with the position, such as "benchmark line 3, column 7: ...", if there is one.
	Reason string
	// Position is the position in the benchmark, for Kind BadBenchmark.
	Position smtlib.Position
	text     string // Reason without the position
	// Atoms are the first few atoms that make an assertion false, for Kind FalseAssert.
	Atoms []Atom
	// Warnings describe irregularities that do not affect the verdict, in text order.
	Warnings []string
}

// Check validates a response (the solver's output for check-sat and get-model) against a benchmark, which may be a
// scrambled script. It is safe for concurrent use. If ctx ends, the verdict is UNKNOWN with the kind LimitReached.
func Check(ctx context.Context, benchmark, response []byte, opt Options) Result {
	r := check(ctx, benchmark, response, opt)
	r.Reason = oneLine(r.Reason)
	for i, w := range r.Warnings {
		r.Warnings[i] = oneLine(w)
	}
	return r
}

// Memory returns the memory limit of a check for input of the given size: 2 GB or six times the size, whichever is
// larger.
func Memory(input int) int { return max(2_000_000_000, 6*input) }

// needed estimates a check's memory without values: the texts, their terms, and the graph of the largest command. The
// constants were measured for this program with short terms and small commands.
func needed(benchmark, response []byte) int {
	const (
		small   = 10 << 20 // size below which texts are not measured in detail
		atMost  = 64       // bytes of memory per byte of such texts
		text    = 2        // bytes per byte of larger texts
		word    = 36       // bytes per word
		command = 80       // bytes per command
		graph   = 90       // bytes per word of the largest command, and of the model, whose graphs are kept
	)
	if len(benchmark)+len(response) < small {
		return atMost * (len(benchmark) + len(response))
	}
	b, r := smtlib.Measure(benchmark), smtlib.Measure(response)
	return text*(b.Bytes+r.Bytes) + word*(b.Words+r.Words) + command*(b.Commands+r.Commands) +
		graph*(b.Largest+r.Words)
}

// oneLine escapes line breaks, which quoted symbols may contain.
func oneLine(s string) string { return lineBreaks.Replace(s) }

var lineBreaks = strings.NewReplacer("\r\n", `\n`, "\n", `\n`, "\r", `\n`)

func check(ctx context.Context, benchmark, response []byte, opt Options) Result {
	answer, rest := readAnswer(response)
	if r, decided := judgeAnswer(answer, response[rest:]); decided {
		return r
	}
	memory, need := Memory(len(benchmark)+len(response)), needed(benchmark, response)
	if need > memory/10*9 {
		return Result{Verdict: Unknown, Kind: LimitReached, Reason: fmt.Sprintf("a check of texts of %d bytes may "+
			"take %d MB of memory, and these need more", len(benchmark)+len(response), memory/1_000_000)}
	}
	script, err := smtlib.Parse(benchmark)
	if err != nil {
		return Result{Verdict: Unknown, Kind: BadBenchmark, Reason: "benchmark " + err.Error()}
	}
	text := blankAnswer(response, rest)
	v := newValidation(ctx, script, opt)
	v.source, v.memory = benchmark, memory-need
	if r := v.readBenchmark(); r != nil {
		return *r
	}
	if end, ok := modelEnd(text); ok && !onlyBlank(text[end:]) {
		v.warnings = append(v.warnings, "the response has more text after the model, which is ignored")
		text = text[:end]
	}
	definitions, err := script.ParseModel(text)
	if err != nil {
		return v.syntaxError(err, text)
	}
	if r := v.readModel(definitions); r != nil {
		return v.finish(*r)
	}
	return v.finish(v.decide())
}

// syntaxError judges a model that cannot be parsed. A truncated model is the result of a time limit, which does not
// count as INVALID even in the rules of 2019 (§5.6).
func (v *validation) syntaxError(err error, text []byte) Result {
	var syn *smtlib.SyntaxError
	if errors.As(err, &syn) && (syn.Found == "the end of the file" ||
		syn.Found == "a string without its closing quote" ||
		syn.Found == "a quoted symbol without its closing bar") {
		return Result{Verdict: Unknown, Kind: Truncated, Reason: "the model breaks off: response " + err.Error()}
	}
	hint := ""
	if strings.Contains(string(text), "real_algebraic_number") {
		hint = "; real_algebraic_number is not SMT-LIB: print (root-of-with-interval (coeffs ...) low high)"
	}
	return v.malformed(Malformed, "response "+err.Error()+hint)
}

// malformed judges a response that is not a full, well-formed model according to the rules.
func (v *validation) malformed(kind Kind, reason string) Result {
	if v.opt.PartialIsInvalid {
		return Result{Verdict: Invalid, Kind: kind, Reason: reason}
	}
	return Result{Verdict: Unknown, Kind: kind, Reason: reason}
}

// place describes a position in the benchmark or, if model is set, in the response.
func (v *validation) place(model bool, pos uint32) string {
	if model {
		return "response " + v.definitions.Position(pos).String()
	}
	return "benchmark " + v.script.Position(pos).String()
}
