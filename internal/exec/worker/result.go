package worker

import (
	"encoding/json"
	"errors"
	"fmt"
	"syscall"

	"github.com/smtpipe/smtpipe/internal/exec/runner"
)

// Hello is the first line of results. It states their origin.
type Hello struct {
	Format    string           `json:"format"` // ResultFormat
	Host      string           `json:"host"`
	Hardware  string           `json:"hardware"` // runner.Profile.String
	Isolation runner.Isolation `json:"isolation"`
	Layout    string           `json:"layout"` // cgroup layout
	Slots     int              `json:"slots"`  // concurrent runs
	// State is the machine's state when the worker started; nil if unknown.
	State *runner.State `json:"state,omitempty"`
	// ReferenceS is Reference's result at the start of the job, in seconds; 0 if not measured.
	ReferenceS float64 `json:"reference_s,omitempty"`
	// Error is the reason why the worker executes nothing; empty: no error.
	Error string `json:"error,omitempty"`
}

// Result is the result of one work: a record, or a failure.
type Result struct {
	ID      string          `json:"id"`
	Failure *Failure        `json:"failure,omitempty"`
	Record  *runner.Record  `json:"record,omitempty"`
	Trace   json.RawMessage `json:"trace,omitempty"` // of a dialogue, as in the runs table
	Host    string          `json:"-"`               // the node, as reported by its worker; empty: unknown
}

// Check returns an error unless the result is a failure or a record that a runner can have written. Results come from
// files and connections that others can write to.
func (r *Result) Check() error {
	if (r.Record == nil) == (r.Failure == nil) {
		return errors.New("a result has either a record or a failure")
	}
	if r.Record == nil {
		return nil
	}
	switch rec := r.Record; {
	case !rec.Ending.Known():
		return fmt.Errorf("unknown ending %q of a run", rec.Ending)
	case min(rec.WallTimeS, rec.CPUTimeS) < 0 || min(rec.MemoryBytes, rec.Stdout.Dropped(), rec.Stderr.Dropped()) < 0:
		return errors.New("a figure of a run is below zero")
	}
	return nil
}

// Failure is the reason why a run has no record.
type Failure struct {
	// Kind is start (the command is at fault), machine (to be retried), work (the work itself is wrong) or awaited (the
	// result comes from elsewhere; the text says how).
	Kind    string `json:"kind"`
	Text    string `json:"text"`
	Program string `json:"program,omitempty"` // of start
	Errno   int    `json:"errno,omitempty"`   // of start
}

// The kinds of failures.
const (
	FailStart   = "start"
	FailMachine = "machine"
	FailWork    = "work"
	Awaited     = "awaited"
)

// FailureOf converts an error from the runner to a failure.
func FailureOf(err error) *Failure {
	f := &Failure{Kind: FailMachine, Text: err.Error()}
	if s, ok := errors.AsType[*runner.StartError](err); ok {
		f.Kind, f.Program, f.Text = FailStart, s.Program, s.Err.Error()
		if no, ok := errors.AsType[syscall.Errno](s.Err); ok {
			f.Errno = int(no)
		}
	}
	return f
}

// Err returns the failure as one of the runner's errors. A failed start wraps runner.ErrStart.
func (f *Failure) Err() error {
	switch f.Kind {
	case FailStart:
		cause := errors.New(f.Text)
		if f.Errno != 0 {
			cause = syscall.Errno(f.Errno)
		}
		return &runner.StartError{Program: f.Program, Err: cause}
	case FailMachine:
		return errors.New(f.Text)
	}
	return fmt.Errorf("%w: %s", ErrWork, f.Text)
}

// ErrLost matches, with errors.Is, the error for a work whose worker died. There is no result, but another worker may
// produce one.
var ErrLost = errors.New("the worker is lost")

// ErrWork matches, with errors.Is, the error for a work that cannot be executed anywhere, for example because its
// program has another digest on the worker's machine. Retrying is useless.
var ErrWork = errors.New("the work cannot be executed")
