package scrambling

import (
	"errors"
	"fmt"
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
	fmt.Fprintln(stderr, rejection.Message)
	if rejection.Position.Line > 0 {
		fmt.Fprintf(stderr, "Hint: %v: %s\n", rejection.Position, rejection.Detail)
	} else {
		fmt.Fprintf(stderr, "Hint: %s\n", rejection.Detail)
	}
	return rejection, true
}
