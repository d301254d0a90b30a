package validate

import (
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// ModelVerdict is the verdict of a model checker.
type ModelVerdict string

// Possible verdicts (SMT-COMP 2022 and 2026 rules, §5.5). LIMITREACHED means that the checker itself reached a time or
// memory limit.
const (
	ModelValid   ModelVerdict = "VALID"
	ModelInvalid ModelVerdict = "INVALID"
	ModelUnknown ModelVerdict = "UNKNOWN"
	ModelLimit   ModelVerdict = "LIMITREACHED"
)

// ModelResponse prepares the output of a run in the model-validation track for a model checker. It drops lines that are
// exactly success and keeps the answer and the model.
func ModelResponse(out []byte) []byte {
	clean := make([]byte, 0, len(out))
	for line := range lines(out) {
		if string(line) != "success" {
			clean = append(append(clean, line...), '\n')
		}
	}
	return clean
}

// HasModel reports whether there is a response to get-model: any text after the answer sat.
func (d Decision) HasModel() bool { return d.Answer == comp.AnswerSat && len(trim(d.Rest)) > 0 }

// JudgeModel returns the verdict on a run in the model-validation track. checked is the verdict of a model checker that
// applies the year's rules on partial and malformed models. It is used only if the answer is sat, counts, and is
// followed by text.
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
