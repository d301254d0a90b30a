package worker

import (
	"encoding/json"
	"errors"
	"fmt"
	"syscall"

	"github.com/smtpipe/smtpipe/internal/exec/runner"
)

// Hello is the first line of results and describes their origin.
type Hello struct {
	Format    string           `json:"format"` // always ResultFormat
	Host      string           `json:"host"`
	Hardware  string           `json:"hardware"` // result of runner.Profile.String
	Isolation runner.Isolation `json:"isolation"`
	Layout    string           `json:"layout"` // cgroup layout
	Slots     int              `json:"slots"`  // number of concurrent runs
	// State is the machine's state at the worker's start; nil if unknown.
	State *runner.State `json:"state,omitempty"`
	// ReferenceS is the result of Reference at the start of the job, in seconds; 0 if not measured.
	ReferenceS float64 `json:"reference_s,omitempty"`
	// Error is the reason why the worker executes nothing, or "".
	Error string `json:"error,omitempty"`
}

// Result is the result of one work: either a record or a failure.
type Result struct {
	ID      string          `json:"id"`
	Failure *Failure        `json:"failure,omitempty"`
	Record  *runner.Record  `json:"record,omitempty"`
	Trace   json.RawMessage `json:"trace,omitempty"` // dialogue trace, as in the runs table
	Host    string          `json:"-"`               // node, as reported by its worker; empty if unknown
}

// Check returns an error unless the result is a failure or a record that a runner could have written. Results come from
// files and connections that other users may write to.
func (r *Result) Check() error {
	if (r.Record == nil) == (r.Failure == nil) {
		return errors.New("a result must have either a record or a failure")
	}
	if r.Record == nil {
		return nil
	}
	switch rec := r.Record; {
	case !rec.Ending.Known():
		return fmt.Errorf("unknown ending %q of a run", rec.Ending)
	case min(rec.WallTimeS, rec.CPUTimeS) < 0 || min(rec.MemoryBytes, rec.Stdout.Dropped(), rec.Stderr.Dropped()) < 0:
		return errors.New("a run has a negative figure")
	}
	return nil
}

// Failure is the reason why a run has no record.
type Failure struct {
	// Kind is start (the command is at fault), machine (to be retried), work (the work itself is wrong) or awaited (the
	// result will come from elsewhere; Text explains how).
	Kind    string `json:"kind"`
	Text    string `json:"text"`
	Program string `json:"program,omitempty"` // only for kind start
	Errno   int    `json:"errno,omitempty"`   // only for kind start
}

// The kinds of failures.
const (
	FailStart   = "start"
	FailMachine = "machine"
	FailWork    = "work"
	Awaited     = "awaited"
)

// FailureOf converts a runner error to a failure.
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

// Err converts the failure to a runner error. A failed start wraps runner.ErrStart.
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

// ErrLost matches, with errors.Is, a work's error if the worker died. There is no result, but another worker may
// produce one.
var ErrLost = errors.New("the worker is lost")

// ErrWork matches, with errors.Is, a work's error if no machine can execute the work, for example because its program
// has another digest on the worker's machine. Retrying is useless.
var ErrWork = errors.New("the work cannot be executed")
