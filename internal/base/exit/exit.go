package exit

import (
	"context"
	"errors"
	"fmt"
)

// Exit codes of all commands. They are part of the command line's contract, and every help text lists them.
const (
	Done         = 0
	Error        = 1
	Usage        = 2 // usage error; with --detailed-exitcode, the plan has changes
	Differs      = 3 // verify or compare found a difference
	CannotVerify = 4
	Contradicts  = 5
	Waiting      = 6 // a stage's runs are executed elsewhere and have no results yet
	Absent       = 7 // done, but some entrants could not take part
	Discards     = 8 // finished runs would no longer be used, so nothing was executed
	Interrupted  = 130
)

// Help is the part of a help text that lists the exit codes.
const Help = `Exit codes: 0 done, 1 error, 2 usage or plan has changes, 3 a comparison or derivation differs, 4 cannot verify,
5 a measurement contradicts, 6 results awaited, 7 done without some entrants, 8 finished runs would become useless, 130 interrupted.`

// Status is an error with the process's exit code. A nil Cause means that the cause has already been reported.
type Status struct {
	Code  int
	Cause error
}

func (e *Status) Error() string {
	if e.Cause == nil {
		return fmt.Sprintf("exit status %d", e.Code)
	}
	return e.Cause.Error()
}

func (e *Status) Unwrap() error { return e.Cause }

// With makes the process exit with code after err has been reported. A nil err is not reported.
func With(code int, err error) error { return &Status{Code: code, Cause: err} }

// ErrInterrupted ends a command that a signal interrupted.
var ErrInterrupted = With(Interrupted, errors.New("interrupted"))

// ErrReported ends a command whose errors have already been printed.
var ErrReported = With(Error, nil)

// WasInterrupted reports whether a command ended because its context was cancelled.
func WasInterrupted(ctx context.Context, err error) bool {
	return ctx.Err() != nil && (err == nil || errors.Is(err, context.Canceled))
}

// Stopped returns ErrInterrupted if the command was interrupted, and err otherwise.
func Stopped(ctx context.Context, err error) error {
	if WasInterrupted(ctx, err) {
		return ErrInterrupted
	}
	return err
}
