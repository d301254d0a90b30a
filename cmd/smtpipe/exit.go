package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/execute"
	"github.com/smtpipe/smtpipe/internal/ui"
)

// Exit codes of every command. They are part of the command line's contract and are listed in every help text.
const (
	exitDone         = 0
	exitError        = 1
	exitUsage        = 2 // usage error, or with --detailed-exitcode: the plan has changes
	exitDiffers      = 3 // verify or compare found a difference
	exitCannotVerify = 4
	exitContradicts  = 5
	exitWaiting      = 6 // the runs of a stage are executed elsewhere, and have no results yet
	exitAbsent       = 7 // done, but some entrants could not take part
	exitDiscards     = 8 // finished runs would no longer be used, and nothing was executed
	exitInterrupted  = 130
)

const exitCodesHelp = `Exit codes: 0 done, 1 error, 2 usage or plan has changes, 3 a comparison or derivation differs, 4 cannot verify,
5 a measurement contradicts, 6 results awaited, 7 done without some entrants, 8 finished runs would become useless, 130 interrupted.`

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

// withExit makes the process exit with code after err has been reported. A nil err is not reported.
func withExit(code int, err error) error { return &exitStatus{code: code, cause: err} }

var errInterrupted = withExit(exitInterrupted, errors.New("interrupted"))

// endSoon ends the process if its work continues for a while after a signal, until the returned function is called.
// Nothing is lost if the work is ended at any moment, as by SIGKILL. Child processes are waited for, and so is work
// registered with endsItself.
func endSoon(ctx context.Context) (done func()) {
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		for wait := soon; ; wait = soon / 10 {
			select {
			case <-ended:
				return
			case <-time.After(wait):
			}
			if endings.Load() == 0 && childless() {
				fmt.Fprintln(os.Stderr, "Error: interrupted; finished work is kept")
				os.Exit(exitInterrupted)
			}
		}
	})
	return func() {
		stop()
		close(ended)
	}
}

// endings counts work that ends in an orderly way after a signal, however long that takes.
var endings atomic.Int32

// endsItself registers work that endSoon must not end before the returned function is called.
func endsItself() (done func()) {
	endings.Add(1)
	return func() { endings.Add(-1) }
}

// measuring is an observer that lets stages with measured runs end by themselves: they may have jobs elsewhere.
type measuring struct {
	ui.Observer

	mu     sync.Mutex
	stages map[string]func() // by address
	all    []string          // addresses of stages that were executed
}

// Observe implements engine.Observer.
func (m *measuring) Observe(ev engine.Event) {
	m.mu.Lock()
	switch e := ev.(type) {
	case engine.StageStarted:
		if e.Kind == execute.Kind.Name {
			m.stages[e.Addr] = endsItself()
			m.all = append(m.all, e.Addr)
		}
	case engine.StageFinished:
		m.ended(e.Addr)
	case engine.StageFailed:
		m.ended(e.Addr)
	}
	m.mu.Unlock()
	m.Observer.Observe(ev)
}

func (m *measuring) ended(addr string) {
	if done := m.stages[addr]; done != nil {
		done()
		delete(m.stages, addr)
	}
}

// childless reports whether no process that this one started is alive. It returns false if the kernel does not tell.
func childless() bool {
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil || len(lists) == 0 {
		return false
	}
	for _, list := range lists {
		// A thread that has ended has no list.
		if pids, err := os.ReadFile(list); len(pids) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) &&
			!errors.Is(err, syscall.ESRCH) {
			return false
		}
	}
	return true
}

// soon is the time that interrupted work may take to end in an orderly way.
const soon = 500 * time.Millisecond

// exitCode returns the process's exit code for the error of a command.
func exitCode(err error) int {
	if err == nil {
		return exitDone
	}
	if st, ok := errors.AsType[*exitStatus](err); ok {
		return st.code
	}
	if _, ok := errors.AsType[*stages.WaitingError](err); ok {
		return exitWaiting
	}
	if _, ok := errors.AsType[*engine.LossError](err); ok {
		return exitDiscards
	}
	if _, ok := errors.AsType[*engine.UnknownStageError](err); ok {
		return exitUsage
	}
	return exitError
}
