package validate

import (
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// ModelVerdict is the verdict of a model checker.
type ModelVerdict string

// The verdicts (SMT-COMP 2022 and 2026 rules, §5.5), and LIMITREACHED for the checker's own time or memory limit.
const (
	ModelValid   ModelVerdict = "VALID"
	ModelInvalid ModelVerdict = "INVALID"
	ModelUnknown ModelVerdict = "UNKNOWN"
	ModelLimit   ModelVerdict = "LIMITREACHED"
)

// ModelResponse cleans the output of a run of the model-validation track for a model checker: it drops the lines that
// are exactly success. The answer and the model remain.
func ModelResponse(out []byte) []byte {
	clean := make([]byte, 0, len(out))
	for line := range lines(out) {
		if string(line) != "success" {
			clean = append(append(clean, line...), '\n')
		}
	}
	return clean
}

// HasModel reports whether there is a response to get-model to check: some text after the answer sat.
func (d Decision) HasModel() bool { return d.Answer == comp.AnswerSat && len(trim(d.Rest)) > 0 }

// JudgeModel returns the verdict on a run of the model-validation track. checked is the verdict of a model checker that
// knows the year's view of partial and malformed models. It is used only if the answer is sat and counts and some text
// follows it.
//
// Source: SMT-COMP 2019 rules, §5.6 and 7.1.5; 2022 and 2026 rules, §5.5 and 7.1.5. The answer unsat is INVALID in
// every year.
func JudgeModel(d Decision, checked ModelVerdict) (comp.Verdict, ModelVerdict) {
	switch {
	case d.Answer == comp.AnswerUnsat && d.Counts:
		return comp.Wrong, ModelInvalid
	case !d.HasModel() || !d.Counts:
		return comp.Unknown, ModelUnknown
	}
	switch checked {
	case ModelValid:
		return comp.Correct, ModelValid
	case ModelInvalid:
		return comp.Wrong, ModelInvalid
	}
	return comp.Unknown, ModelUnknown
}
