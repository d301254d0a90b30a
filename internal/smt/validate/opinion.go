package validate

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// OpinionForm is the way to ask another program about a model.
type OpinionForm string

// The forms in which a program gives an opinion.
const (
	// OpinionOfSolver passes a solver, as its last argument, the benchmark with the declarations replaced by
	// definitions. The answer sat means VALID, and unsat means INVALID.
	OpinionOfSolver OpinionForm = "solver"
	// OpinionOfDolmen passes the program the benchmark as the last argument and the response on standard input, and
	// reads its message and exit code, as the model-validation track does with dolmen.
	OpinionOfDolmen OpinionForm = "dolmen"
)

// ParseOpinionForm parses a form as written in pipelines.
func ParseOpinionForm(s string) (OpinionForm, error) {
	switch f := OpinionForm(s); f {
	case OpinionOfSolver, OpinionOfDolmen:
		return f, nil
	}
	return "", fmt.Errorf("unknown form %q of a second opinion; it must be %q or %q", s, OpinionOfSolver,
		OpinionOfDolmen)
}

// Opinion is another program's opinion on a model. Verdict is empty if the program has no opinion, for example after
// reaching a time limit. Said briefly states its output or ending.
type Opinion struct {
	Verdict ModelVerdict
	Said    string
}

// String returns the verdict and Said.
func (o Opinion) String() string {
	if o.Verdict == "" {
		return "none (" + o.Said + ")"
	}
	return string(o.Verdict) + " (" + o.Said + ")"
}

// SolverOpinion returns the opinion in a solver's answer to the benchmark with definitions inserted. The first line
// with an answer counts if the solver exited by itself.
func SolverOpinion(ending comp.Ending, exit int64, stdout, stderr []byte) Opinion {
	if ending != comp.Exited {
		return Opinion{Said: string(ending)}
	}
	for line := range lines(stdout) {
		switch a := comp.ReadAnswer(trim(line)); a {
		case comp.AnswerSat:
			return Opinion{ModelValid, string(a)}
		case comp.AnswerUnsat:
			return Opinion{ModelInvalid, string(a)}
		case comp.AnswerUnknown:
			return Opinion{Said: string(a)}
		}
	}
	for _, text := range [][]byte{stdout, stderr} {
		if line := firstLineOf(text); line != "" {
			return Opinion{Said: fmt.Sprintf("no answer, exit code %d: %s", exit, line)}
		}
	}
	return Opinion{Said: fmt.Sprintf("no answer, exit code %d", exit)}
}

// DolmenOpinion returns the opinion in dolmen's exit code and message. An exit code other than 0, 2 and 5 without a
// message is not an opinion: dolmen was not started, or crashed.
func DolmenOpinion(ending comp.Ending, exit int64, out []byte) Opinion {
	if ending != comp.Exited {
		return Opinion{Said: string(ending)}
	}
	check := DolmenCheck(int(exit), out)
	o := Opinion{check.Verdict, strings.TrimSpace(fmt.Sprintf("exit code %d %s", exit, short(check.Error)))}
	if check.Verdict == ModelLimit || (check.Verdict == ModelUnknown && check.Error == "") {
		o.Verdict = ""
	}
	return o
}

// DolmenCheck interprets the exit code and output of dolmen with --report-style=minimal, or of a checker that imitates
// it. dolmen prints at most one error, and its exit codes have changed: the code for a false model was 5 in 2022 but is
// 6 since version 0.9, where 5 reports an error in the benchmark's header. So the message tells them apart. Without a
// message, 0 means VALID, 2 a limit and 5 INVALID, as in the post-processor of 2022.
//
// Source: the post-processor of the model-validation track; src/bin/options.ml and src/loop/report.ml of dolmen 0.10.
// The organisers' tool has read the message since 2024.
func DolmenCheck(exit int, out []byte) ModelCheck {
	check := ModelCheck{Verdict: ModelUnknown, Exit: exit}
	for line := range lines(out) {
		if bytes.HasPrefix(line, []byte("E:")) || bytes.HasPrefix(line, []byte("F:")) {
			check.Error = string(trim(line))
			break
		}
	}
	message, _, _ := strings.Cut(check.Error, " ")
	switch {
	case exit == 0:
		check.Verdict = ModelValid
	case message == "E:timeout", message == "E:spaceout", message == "" && exit == 2:
		check.Verdict = ModelLimit
	case message == "E:bad-model", message == "" && exit == 5:
		check.Verdict = ModelInvalid
	}
	return check
}

func firstLineOf(text []byte) string {
	line, _, _ := bytes.Cut(trim(text), []byte("\n"))
	return short(string(line))
}

// short truncates a program's output for a message.
func short(s string) string {
	const most = 120
	return strings.ToValidUTF8(s[:min(len(s), most)], "?")
}

// Disagrees reports whether another program's opinion contradicts our verdict. open means that ours is UNKNOWN because
// the theories leave open a value that the model does not define. A solver may choose such values, so its sat is not a
// contradiction then. If our verdict is UNKNOWN for another reason, any verdict of a solver is a contradiction. dolmen
// applies the same rules as we do, so any different verdict of dolmen is a contradiction.
func Disagrees(ours ModelVerdict, open bool, form OpinionForm, o Opinion) bool {
	switch {
	case o.Verdict == "" || o.Verdict == ours:
		return false
	case form == OpinionOfSolver && ours == ModelUnknown && open:
		return o.Verdict != ModelValid
	}
	return true
}
