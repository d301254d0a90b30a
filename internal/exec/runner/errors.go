package runner

import (
	"errors"
	"fmt"
	"syscall"
)

// ErrStart matches, with errors.Is, the error of a run whose command could not be started because it was missing, not
// executable, built for another machine, or without its interpreter. The command is at fault, not the machine.
var ErrStart = errors.New("the command cannot be started")

// ErrIsolation matches, with errors.Is, the error returned when the machine cannot provide the requested isolation.
var ErrIsolation = errors.New("the isolation is not available")

// StartError reports which program could not be started and why.
type StartError struct {
	Program string
	Err     error // cause, usually a syscall.Errno
}

func (e *StartError) Error() string {
	return fmt.Sprintf("cannot start %s: %v%s", e.Program, e.Err, startHint(e.Err))
}

// Is makes errors.Is(err, ErrStart) true.
func (e *StartError) Is(target error) bool { return target == ErrStart }

func (e *StartError) Unwrap() error { return e.Err }

func startHint(err error) string {
	switch {
	case errors.Is(err, syscall.ENOENT):
		return " (the file or its interpreter is not visible inside the run; is its folder mounted?)"
	case errors.Is(err, syscall.EACCES):
		return " (is it executable, and can other users traverse all its parent folders?)"
	case errors.Is(err, syscall.ENOEXEC):
		return " (it is neither a program for this machine nor a script with #!)"
	}
	return ""
}
