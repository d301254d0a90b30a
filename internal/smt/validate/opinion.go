package validate

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// OpinionForm is how another program is asked about a model.
type OpinionForm string

// The forms.
const (
	// OpinionOfSolver passes a solver the benchmark with the definitions instead of its declarations, as the last
	// argument. sat means VALID, unsat means INVALID.
	OpinionOfSolver OpinionForm = "solver"
	// OpinionOfDolmen passes the program the benchmark as the last argument and the response on standard input, and
	// reads its message and exit code, as the model-validation track does with dolmen.
	OpinionOfDolmen OpinionForm = "dolmen"
)

// ParseOpinionForm reads a form as written in pipelines.
func ParseOpinionForm(s string) (OpinionForm, error) {
	switch f := OpinionForm(s); f {
	case OpinionOfSolver, OpinionOfDolmen:
		return f, nil
	}
	return "", fmt.Errorf("unknown form %q of a second opinion; it must be %q or %q", s, OpinionOfSolver,
		OpinionOfDolmen)
}

// Opinion is another program's opinion on a model. Verdict is empty if it has none, such as after a time limit. Said is
// its output or ending, in a few words.
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

// SolverOpinion reads a solver's answer on the benchmark with the definitions inserted. The first line that is an
// answer counts if the solver ended by itself.
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

// DolmenOpinion reads the exit code and the message of dolmen. A code other than 0, 2 and 5 without a message is not
// an opinion: the program was not started, or crashed.
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

// DolmenCheck reads the exit code and the output of dolmen with --report-style=minimal, or of a checker that imitates
// it. dolmen prints one error at most, and its exit codes have changed: a false model ended with 5 in 2022 and ends
// with 6 since version 0.9, where 5 is an error in the header of the benchmark. So the message decides. Without one, 0
// is VALID, 2 a limit and 5 INVALID, as in the post-processor of 2022.
//
// Source: the post-processor of the model-validation track; src/bin/options.ml and src/loop/report.ml of dolmen 0.10.
// The organisers' tool reads the message since 2024.
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

// short shortens the output of a program.
func short(s string) string {
	const most = 120
	return strings.ToValidUTF8(s[:min(len(s), most)], "?")
}

// Disagrees reports whether another program's opinion contradicts our verdict. open means that ours is UNKNOWN because
// the theories leave a value open that the model does not define. A solver chooses such values, so its sat does not
// contradict that. A solver that decides a model that is UNKNOWN for another reason disagrees. dolmen, which judges by
// the same rules, disagrees whenever its verdict differs.
func Disagrees(ours ModelVerdict, open bool, form OpinionForm, o Opinion) bool {
	switch {
	case o.Verdict == "" || o.Verdict == ours:
		return false
	case form == OpinionOfSolver && ours == ModelUnknown && open:
		return o.Verdict != ModelValid
	}
	return true
}
