package validate

import (
	"errors"
	"fmt"
	"slices"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
)

// Core is an unsat core of a script: a set of its named assertions.
type Core struct {
	// Members are the indices of the core's names in Names.List, ascending.
	Members []int

	// Names are the core's names, in script order and without bars.
	Names []string
}

// Size returns the number of names in the core.
func (c Core) Size() int { return len(c.Members) }

// CoreError reports why a response to get-unsat-core is not a core.
type CoreError struct {
	Kind   CoreErrorKind
	Reason string // explanation, as a sentence
}

func (e *CoreError) Error() string { return "unsat core: " + e.Reason }

// CoreErrorKind distinguishes invalid responses that score differently.
type CoreErrorKind string

// Possible kinds. Only CoreIllFormed is an erroneous result, and only if Rules.IllFormedCoreIsWrong is set.
const (
	CoreMissing   CoreErrorKind = "missing"   // no response; scored as if the core were the whole benchmark
	CoreRefused   CoreErrorKind = "refused"   // the response is unsupported or (error "...")
	CoreCutOff    CoreErrorKind = "cut_off"   // list not closed, because the process was stopped while printing
	CoreIllFormed CoreErrorKind = "illformed" // not a list of distinct names from the script
)

// ParseCore parses the response to get-unsat-core, which is the output after the answer unsat (Decision.Rest). names
// are the names in the script that the solver received.
//
// It is strict: the response must be one parenthesised list of distinct symbols that name assertions in the script; |a|
// and a are the same name. Any success before the list and anything after it are ignored. All errors are of type
// *CoreError.
//
// Source: SMT-COMP 2019 rules, §5.5; 2022 and 2026 rules, §5.4. Deviation: the official post-processor does not detect
// unknown or repeated names; the rules require a well-formed core.
func ParseCore(names Names, response []byte) (Core, error) {
	lex := smtlib.NewLexer(string(response))
	tok := lex.Next()
	for tok.Kind == smtlib.Symbol && lex.Text(tok) == "success" {
		tok = lex.Next()
	}
	switch {
	case tok.Kind == smtlib.EOF:
		return Core{}, &CoreError{CoreMissing, "there is no response to get-unsat-core"}
	case tok.Kind == smtlib.Symbol && lex.Text(tok) == "unsupported":
		return Core{}, &CoreError{CoreRefused, "the solver says unsupported"}
	case tok.Kind != smtlib.LParen:
		return Core{}, illFormed("%s stands where the list of names should begin", quote(lex.Text(tok)))
	}
	return readNames(names, lex)
}

// readNames reads the list after its opening parenthesis.
func readNames(names Names, lex *smtlib.Lexer) (Core, error) {
	var core Core
	seen := make(map[int]bool)
	for first := true; ; first = false {
		tok := lex.Next()
		text := lex.Text(tok)
		switch tok.Kind {
		case smtlib.RParen:
			return core.sorted(names), nil
		case smtlib.EOF, smtlib.UnclosedSymbol, smtlib.UnclosedString:
			return Core{}, &CoreError{CoreCutOff, "the list of names is not closed"}
		case smtlib.Symbol, smtlib.QuotedSymbol:
		default:
			return Core{}, illFormed("%s stands in the list of names", quote(text))
		}
		if first && text == "error" && !names.has(text) {
			return Core{}, &CoreError{CoreRefused, "the solver says (error ...)"}
		}
		i, known := names.index[bare(text)]
		switch {
		case !known && lex.Next().Kind == smtlib.EOF: // the output was cut off within a name
			return Core{}, &CoreError{CoreCutOff, "the list of names is not closed"}
		case !known:
			return Core{}, illFormed("%s is not the name of an assertion", quote(text))
		case seen[i]:
			return Core{}, illFormed("%s stands in it twice", quote(text))
		}
		seen[i] = true
		core.Members = append(core.Members, i)
	}
}

// sorted sorts the members into script order, so that equal cores compare equal.
func (c Core) sorted(names Names) Core {
	slices.Sort(c.Members)
	c.Names = make([]string, len(c.Members))
	for i, m := range c.Members {
		c.Names[i] = names.List[m]
	}
	return c
}

func illFormed(format string, args ...any) *CoreError {
	return &CoreError{CoreIllFormed, fmt.Sprintf(format, args...)}
}

// quote returns a token of a solver's output, truncated to 40 bytes, for a message.
func quote(text string) string {
	if len(text) > 40 {
		return fmt.Sprintf("%q...", text[:40])
	}
	return fmt.Sprintf("%q", text)
}

// bare returns a symbol without its bars.
func bare(symbol string) string {
	if len(symbol) >= 2 && symbol[0] == '|' && symbol[len(symbol)-1] == '|' {
		return symbol[1 : len(symbol)-1]
	}
	return symbol
}

// CoreVerdict is the verdict of the validation solvers on a core.
type CoreVerdict string

// Possible verdicts of the validation solvers.
const (
	CoreValid       CoreVerdict = "valid"       // accepted, so its reduction counts
	CoreInvalid     CoreVerdict = "invalid"     // refuted, which is an erroneous result
	CoreUnvalidated CoreVerdict = "unvalidated" // neither, which scores 0 points and no error
)

// Majority returns the verdict on a core from the numbers of validation solvers that answered unsat and sat.
//
// Until 2022, a core is refuted if strictly more solvers answer sat, so a tie or the absence of votes means acceptance.
// In 2026, a core is valid only if strictly more answer unsat. The rules do not define the score of other cores. They
// are refuted here if any solver answers sat, and otherwise unvalidated, as in the organisers' program.
//
// Source: SMT-COMP 2019 rules, §5.5; 2022 and 2026 rules, §5.4.
func (r Rules) Majority(unsat, sat int) CoreVerdict {
	switch {
	case !r.CoreNeedsUnsat && sat > unsat:
		return CoreInvalid
	case !r.CoreNeedsUnsat || unsat > sat:
		return CoreValid
	case sat > 0:
		return CoreInvalid
	}
	return CoreUnvalidated
}

// CoreJudgement is the judgement of one run in the unsat-core track.
type CoreJudgement struct {
	Verdict    comp.Verdict
	Validation string // valid, invalid, unvalidated or illformed; empty if there is no core
	Size       int    // size of the core, or -1 if there is none
	Reason     string // reason why the run is not correct, or empty
}

// JudgeCore judges a run in the unsat-core track. d is the decision on its output, core and err are the result of
// ParseCore for d.Rest, and unsat and sat are the votes of the validation solvers, which only matter if there is a
// core.
//
// Source: SMT-COMP 2019 rules, §5.5 and 7.1.4; 2022 and 2026 rules, §5.4 and 7.1.4. A run that answers unsat without a
// core is solved with no reduction. A core that was cut off or refused is unknown in every year, as in the
// post-processor.
func JudgeCore(rules Rules, d Decision, core Core, err error, unsat, sat int) CoreJudgement {
	none := CoreJudgement{Verdict: comp.Unknown, Size: -1}
	switch {
	case d.Answer == comp.AnswerSat && d.Counts:
		none.Verdict, none.Reason = comp.Wrong, "the answer is sat"
		return none
	case d.Answer != comp.AnswerUnsat || !d.Counts:
		none.Reason = "no answer"
		return none
	case err != nil && d.Truncated:
		return judgeNoCore(rules, none, &CoreError{CoreCutOff, "the output was cut out in the middle: " + err.Error()})
	case err != nil:
		return judgeNoCore(rules, none, err)
	}
	j := CoreJudgement{Size: core.Size()}
	verdict := rules.Majority(unsat, sat)
	j.Validation = string(verdict)
	switch verdict {
	case CoreValid:
		j.Verdict = comp.Correct
	case CoreInvalid:
		j.Verdict = comp.Wrong
		j.Reason = fmt.Sprintf("the core is refuted: %d validation solvers say sat, %d say unsat", sat, unsat)
	default:
		j.Verdict, j.Reason = comp.Unknown, "no validation solver says that the core is unsatisfiable"
	}
	return j
}

// judgeNoCore judges an unsat answer without a valid core.
func judgeNoCore(rules Rules, j CoreJudgement, err error) CoreJudgement {
	e, ok := errors.AsType[*CoreError](err)
	if !ok {
		e = &CoreError{CoreIllFormed, err.Error()}
	}
	j.Reason = e.Reason
	switch e.Kind {
	case CoreMissing:
		j.Verdict = comp.Correct
	case CoreIllFormed:
		j.Validation = string(CoreIllFormed)
		if rules.IllFormedCoreIsWrong {
			j.Verdict = comp.Wrong
		}
	default:
		j.Validation = string(CoreIllFormed)
	}
	return j
}
