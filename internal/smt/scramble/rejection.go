package scramble

import "github.com/smtpipe/smtpipe/internal/smt/smtlib"

// Rejection reports an input that the official scrambler rejects, or for which its behaviour is undefined.
type Rejection struct {
	Message  string          // the official program's message on standard error, such as "ERROR: syntax error"
	Exit     int             // the official program's exit status
	Position smtlib.Position // position of the error
	Detail   string          // description of the error in our words
}

// Error returns the official message with the position and the detail.
func (r *Rejection) Error() string {
	text := r.Position.String() + ": " + r.Message
	if r.Detail != "" {
		text += " (" + r.Detail + ")"
	}
	return text
}

// The official messages. Two of them contain a colon where all others do not.
const (
	msgSyntax        = "ERROR: syntax error"
	msgSortArity     = "ERROR: declare-sort with arity != 0"
	msgDatatypeArity = "ERROR: declare-datatypes contains a sort with arity != 0"
	msgLogicSet      = "ERROR logic is already set"
	msgLogicNotSet   = "ERROR logic has not been set"
	msgTooLarge      = "ERROR: the benchmark is too large" // ours; the official program's limits differ
	msgUndefined     = "ERROR: not defined by the official scrambler"
)

func msgCommand(name string) string {
	return "ERROR: Encountered non-SMT-COMP command: '" + name +
		"'. Maybe you want to re-run with '-support-non-smtcomp true'."
}

func msgAttribute(name string) string {
	return "ERROR: Encountered z3-specific attribute: '" + name + "'. Maybe you want to re-run with '-support-z3 true'."
}

func msgCore(file string) string { return "ERROR parsing core names from " + file }
