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

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/execute"
	"github.com/smtpipe/smtpipe/internal/ui"
)

// endSoon ends the process if its work continues for too long after a signal. Calling the returned function cancels
// this. Nothing is lost, because the work can be ended at any moment, as by SIGKILL. endSoon waits for child processes,
// and for work registered with endsItself.
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
				os.Exit(exit.Interrupted)
			}
		}
	})
	return func() {
		stop()
		close(ended)
	}
}

// endings counts running work that ends in an orderly way after a signal, however long that takes.
var endings atomic.Int32

// endsItself registers work that endSoon must not interrupt until the returned function is called.
func endsItself() (done func()) {
	endings.Add(1)
	return func() { endings.Add(-1) }
}

// measuring is an observer that lets stages with measured runs end by themselves, because they may have remote jobs.
type measuring struct {
	ui.Observer

	mu     sync.Mutex
	stages map[string]func() // functions that unregister running stages, by address
	all    []string          // addresses of executed stages
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

// childless reports whether no child process is alive. It returns false if the kernel does not provide this
// information.
func childless() bool {
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil || len(lists) == 0 {
		return false
	}
	for _, list := range lists {
		// A thread that has ended has no list of children.
		if pids, err := os.ReadFile(list); len(pids) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) &&
			!errors.Is(err, syscall.ESRCH) {
			return false
		}
	}
	return true
}

// soon is the time within which interrupted work should end in an orderly way.
const soon = 500 * time.Millisecond

// exitCode returns the process's exit code for a command's error.
func exitCode(err error) int {
	if err == nil {
		return exit.Done
	}
	if st, ok := errors.AsType[*exit.Status](err); ok {
		return st.Code
	}
	if _, ok := errors.AsType[*stages.WaitingError](err); ok {
		return exit.Waiting
	}
	if _, ok := errors.AsType[*engine.LossError](err); ok {
		return exit.Discards
	}
	if _, ok := errors.AsType[*engine.UnknownStageError](err); ok {
		return exit.Usage
	}
	return exit.Error
}
