package scrambling

import (
	"errors"
	"io"

	"github.com/smtpipe/smtpipe/internal/scramble"
)

// Report prints a rejection as the official program does, with where and why it happened in a second line. It returns
// false for any other error, and prints nothing then.
func Report(stderr io.Writer, err error) (*scramble.Rejection, bool) {
	rejection, ok := errors.AsType[*scramble.Rejection](err)
	if !ok {
		return nil, false
	}
	hint := rejection.Detail
	if rejection.Position.Line > 0 {
		hint = rejection.Position.String() + ": " + hint
	}
	_, _ = io.WriteString(stderr, rejection.Message+"\nHint: "+hint+"\n") // the exit code says the same
	return rejection, true
}
