package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/worker"
)

// Exit codes of every command. They are part of the command line's contract and stand in every help text.
const (
	exitDone         = 0
	exitError        = 1
	exitUsage        = 2 // usage error, or with --detailed-exitcode: the plan has changes
	exitDiffers      = 3 // verify or compare found a difference
	exitCannotVerify = 4
	exitContradicts  = 5
	exitWaiting      = 6 // the runs of a stage are executed elsewhere, and have no results yet
	exitInterrupted  = 130
)

const exitCodesHelp = `Exit codes: 0 done, 1 error, 2 usage or plan has changes, 3 a comparison or derivation differs, 4 cannot verify,
5 a measurement contradicts, 6 results awaited, 130 interrupted.`

// exitStatus is an error that carries the exit code of the process. Its cause has been reported when cause is nil.
type exitStatus struct {
	code  int
	cause error
}

func (e *exitStatus) Error() string {
	if e.cause == nil {
		return fmt.Sprintf("exit status %d", e.code)
	}
	return e.cause.Error()
}

func (e *exitStatus) Unwrap() error { return e.cause }

// withExit makes the process end with code after err has been reported; a nil err is reported by nobody.
func withExit(code int, err error) error { return &exitStatus{code: code, cause: err} }

var errInterrupted = withExit(exitInterrupted, errors.New("interrupted"))

// endSoon ends the process if what is done goes on a while after a signal, until the returned function is called. It is
// for what starts no other processes and loses nothing when it is ended at any moment, as by SIGKILL.
func endSoon(ctx context.Context) (done func()) {
	var timer *time.Timer
	var mu sync.Mutex
	over := false
	stop := context.AfterFunc(ctx, func() {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			timer = time.AfterFunc(soon, func() {
				fmt.Fprintln(os.Stderr, "Error: interrupted")
				os.Exit(exitInterrupted)
			})
		}
	})
	return func() {
		stop()
		mu.Lock()
		defer mu.Unlock()
		if over = true; timer != nil {
			timer.Stop()
		}
	}
}

// soon is how long what was interrupted may take to end in good order.
const soon = 500 * time.Millisecond

// exitCode returns the process's exit code for what a command returned.
func exitCode(err error) int {
	if err == nil {
		return exitDone
	}
	if st, ok := errors.AsType[*exitStatus](err); ok {
		return st.code
	}
	if errors.Is(err, worker.ErrWaiting) {
		return exitWaiting
	}
	if _, ok := errors.AsType[*engine.UnknownStageError](err); ok {
		return exitUsage
	}
	return exitError
}
