package validate

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/smtpipe/smtpipe/internal/comp"
)

// OpinionForm is the way in which another program is asked about a model.
type OpinionForm string

// The forms.
const (
	// OpinionOfSolver passes a solver the benchmark with the definitions in place of its declarations, as the last
	// argument. sat means VALID, unsat means INVALID.
	OpinionOfSolver OpinionForm = "solver"
	// OpinionOfDolmen passes the program the benchmark as the last argument and the response on standard input, and
	// reads its exit code, as the model-validation track does with dolmen.
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

// SolverOpinion reads the answer of a solver on the benchmark with the definitions put in. The first line that is an
// answer counts if the solver ended by itself.
func SolverOpinion(ending comp.Ending, exit int, stdout, stderr []byte) Opinion {
	if ending != comp.Exited {
		return Opinion{Said: string(ending)}
	}
	for line := range lines(stdout) {
		switch word := string(trim(line)); word {
		case "sat":
			return Opinion{ModelValid, word}
		case "unsat":
			return Opinion{ModelInvalid, word}
		case "unknown":
			return Opinion{Said: word}
		}
	}
	for _, text := range [][]byte{stdout, stderr} {
		if line := firstLineOf(text); line != "" {
			return Opinion{Said: fmt.Sprintf("no answer, exit code %d: %s", exit, line)}
		}
	}
	return Opinion{Said: fmt.Sprintf("no answer, exit code %d", exit)}
}

// DolmenOpinion reads the exit code and the messages of dolmen. Without a final message, a code other than 0, 2 and 5
// is not an opinion: the program was not started, or crashed.
//
// Source: the post-processor of the model-validation track and, for "bad-model", the organisers' tool since 2024.
func DolmenOpinion(ending comp.Ending, exit int, stderr []byte) Opinion {
	if ending != comp.Exited {
		return Opinion{Said: string(ending)}
	}
	message := dolmenMessage(stderr)
	said := strings.TrimSpace(fmt.Sprintf("exit code %d %s", exit, message))
	switch {
	case exit == 0:
		return Opinion{ModelValid, said}
	case exit == 2, strings.HasSuffix(message, "E:timeout"):
		return Opinion{Said: said}
	case exit == 5, strings.HasSuffix(message, "E:bad-model"):
		return Opinion{ModelInvalid, said}
	case message != "":
		return Opinion{ModelUnknown, said}
	}
	return Opinion{Said: said}
}

// dolmenMessage returns the last error message, as E:bad-model or F:...
func dolmenMessage(stderr []byte) (message string) {
	for line := range lines(stderr) {
		if bytes.HasPrefix(line, []byte("E:")) || bytes.HasPrefix(line, []byte("F:")) {
			message = short(string(line))
		}
	}
	return message
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
// the same rules, disagrees whenever it has another verdict.
func Disagrees(ours ModelVerdict, open bool, form OpinionForm, o Opinion) bool {
	switch {
	case o.Verdict == "" || o.Verdict == ours:
		return false
	case form == OpinionOfSolver && ours == ModelUnknown && open:
		return o.Verdict != ModelValid
	}
	return true
}
