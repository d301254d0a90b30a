package worker

import (
	"encoding/json"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/runner"
)

// Hello is the first line of results: their origin.
type Hello struct {
	Format    string           `json:"format"` // ResultFormat
	Host      string           `json:"host"`
	Hardware  string           `json:"hardware"` // runner.Profile.String
	Isolation runner.Isolation `json:"isolation"`
	Layout    string           `json:"layout"` // of cgroups
	Slots     int              `json:"slots"`  // concurrent runs
	// State is the state of the machine when the worker started; nil: not known.
	State *runner.State `json:"state,omitempty"`
	// Error is the reason why the worker executes nothing; empty: no error.
	Error string `json:"error,omitempty"`
}

// Result is the result of one work: a record, or a failure.
type Result struct {
	ID      string          `json:"id"`
	Failure *Failure        `json:"failure,omitempty"`
	Record  *Record         `json:"record,omitempty"`
	Trace   json.RawMessage `json:"trace,omitempty"` // of a dialogue, as in the runs table
}

// Check returns an error unless the result is a failure or a record that a runner can have written. Results come from
// files and connections to which others may write.
func (r *Result) Check() error {
	if (r.Record == nil) == (r.Failure == nil) {
		return errors.New("a result has either a record or a failure")
	}
	if r.Record == nil {
		return nil
	}
	rec, err := r.Record.Runner()
	switch {
	case err != nil:
		return err
	case !rec.Ending.Known():
		return fmt.Errorf("unknown ending %q of a run", rec.Ending)
	case min(rec.WallTime, rec.CPUTime) < 0 || min(rec.MemoryBytes, rec.Stdout.Dropped, rec.Stderr.Dropped) < 0:
		return errors.New("a figure of a run is below zero")
	}
	return nil
}

// Failure is the reason why a run has no record.
type Failure struct {
	// Kind is start (the command is at fault), machine (to be tried again), work (the work itself is wrong) or awaited
	// (the result comes from elsewhere, and the text says how).
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

// Record is runner.Record with units in its names.
type Record struct {
	Ending       string    `json:"ending"`
	ExitCode     int       `json:"exit_code"` // -1: a signal ended it
	Signal       int       `json:"signal,omitempty"`
	WallTimeNS   int64     `json:"wall_time_ns"`
	CPUTimeNS    int64     `json:"cpu_time_ns"`
	UserTimeNS   int64     `json:"user_time_ns"`
	SystemTimeNS int64     `json:"system_time_ns"`
	MemoryBytes  int64     `json:"memory_bytes"`
	Processes    int       `json:"processes,omitempty"`
	ReadBytes    int64     `json:"read_bytes,omitempty"`
	WrittenBytes int64     `json:"written_bytes,omitempty"`
	PressureNS   *[3]int64 `json:"pressure_ns,omitempty"` // CPU, memory, input and output
	Stdout       Stream    `json:"stdout"`
	Stderr       Stream    `json:"stderr"`
	Lines        []Line    `json:"lines,omitempty"`
	Flags        []string  `json:"flags,omitempty"`
	Isolation    string    `json:"isolation"`
	Layout       string    `json:"layout"`
	Slot         int       `json:"slot"`
	CPUs         string    `json:"cpus,omitempty"`
	Started      time.Time `json:"started"`
	Env          []string  `json:"environment"`
}

// Stream is the kept part of an output: its beginning and, if something was dropped, its end.
type Stream struct {
	Head       []byte `json:"head,omitempty"`
	Tail       []byte `json:"tail,omitempty"`
	TotalBytes int64  `json:"total_bytes"`
}

// Line is a recorded line of stdout. Text is bytes, because a solver may print anything.
type Line struct {
	WallTimeNS int64  `json:"wall_time_ns"`
	CPUTimeNS  int64  `json:"cpu_time_ns,omitempty"`
	Text       []byte `json:"text"`
}

// RecordOf is the inverse of Record.Runner.
func RecordOf(r *runner.Record) *Record {
	w := &Record{
		Ending: string(r.Ending), ExitCode: r.ExitCode, Signal: int(r.Signal),
		WallTimeNS: int64(r.WallTime), CPUTimeNS: int64(r.CPUTime), UserTimeNS: int64(r.UserTime),
		SystemTimeNS: int64(r.SystemTime),
		MemoryBytes:  r.MemoryBytes, Processes: r.Processes, ReadBytes: r.ReadBytes, WrittenBytes: r.WrittenBytes,
		Stdout: fromOutput(&r.Stdout), Stderr: fromOutput(&r.Stderr), Flags: r.Flags.Names(),
		Isolation: string(r.Isolation), Layout: r.Layout, Slot: r.Slot, CPUs: r.CPUs, Started: r.Started.UTC().Round(0),
		Env: r.Env,
	}
	if p := r.Pressure; p != nil {
		w.PressureNS = &[3]int64{int64(p.CPU), int64(p.Memory), int64(p.IO)}
	}
	for _, l := range r.Lines {
		w.Lines = append(w.Lines, Line{int64(l.At), int64(l.CPU), []byte(l.Text)})
	}
	return w
}

func fromOutput(o *runner.Output) Stream {
	return Stream{Head: o.Head, Tail: o.Tail, TotalBytes: o.Total}
}

// Runner returns the record in the form of this machine's runner.
func (w *Record) Runner() (runner.Record, error) {
	flags, err := runner.ParseFlags(w.Flags)
	if err != nil {
		return runner.Record{}, err
	}
	r := runner.Record{
		Ending: comp.Ending(w.Ending), ExitCode: w.ExitCode, Signal: syscall.Signal(w.Signal),
		WallTime: time.Duration(w.WallTimeNS), CPUTime: time.Duration(w.CPUTimeNS),
		UserTime: time.Duration(w.UserTimeNS), SystemTime: time.Duration(w.SystemTimeNS),
		MemoryBytes: w.MemoryBytes, Processes: w.Processes, ReadBytes: w.ReadBytes, WrittenBytes: w.WrittenBytes,
		Stdout: w.Stdout.output(), Stderr: w.Stderr.output(), Flags: flags, Isolation: runner.Isolation(w.Isolation),
		Layout: w.Layout, Slot: w.Slot, CPUs: w.CPUs, Started: w.Started, Env: w.Env,
	}
	if p := w.PressureNS; p != nil {
		r.Pressure = &runner.Pressure{CPU: time.Duration(p[0]), Memory: time.Duration(p[1]), IO: time.Duration(p[2])}
	}
	for _, l := range w.Lines {
		r.Lines = append(r.Lines, runner.Line{At: time.Duration(l.WallTimeNS), CPU: time.Duration(l.CPUTimeNS),
			Text: string(l.Text)})
	}
	return r, nil
}

func (s *Stream) output() runner.Output {
	kept := int64(len(s.Head) + len(s.Tail))
	return runner.Output{Head: s.Head, Tail: s.Tail, Total: s.TotalBytes, Dropped: s.TotalBytes - kept}
}

// FailureOf converts an error of the runner to a failure.
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

// Err returns the failure as an error of the runner. A failed start wraps runner.ErrStart.
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

// ErrLost matches, with errors.Is, the error of a work whose worker died. There is no result, and another worker may
// give one.
var ErrLost = errors.New("the worker is lost")

// ErrWork matches, with errors.Is, the error of a work that cannot be executed anywhere, such as one whose program has
// another digest on the worker's machine. Retrying is useless.
var ErrWork = errors.New("the work cannot be executed")
