// Package local implements the executor for this machine: every work is a run of internal/exec/runner.
package local

import (
	"context"
	"fmt"
	"os"
	"sync"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
)

// Kind is the executor "local".
var Kind = &worker.Kind{
	Name: "local",
	Doc:  "runs are executed on this machine",
	Here: true,
	Open: func(_ context.Context, o worker.Options) (worker.Executor, error) {
		return Open(o.Header, runner.Config{Logger: o.Log})
	},
}

// Executor executes works on this machine.
type Executor struct {
	host  *runner.Host
	hello func() worker.Hello // returns the machine's hello, computed on the first call

	programs worker.Fingerprints
}

// Open opens this machine's runner. A header without an isolation level means full isolation. Open returns an error if
// the header names other hardware, or requires something that the runner cannot provide.
func Open(h worker.Header, cfg runner.Config) (*Executor, error) {
	if h.Hardware != "" && h.Hardware != runner.Hardware().String() {
		return nil, fmt.Errorf("the runs must be measured on %q, but this machine is %q", h.Hardware,
			runner.Hardware().String())
	}
	cfg.Isolation, cfg.CoresPerRun, cfg.MemoryPerRun = h.Isolation, h.Cores, h.MemoryBytes
	if h.Jobs > 0 {
		cfg.Jobs = h.Jobs
	}
	host, err := runner.Open(cfg)
	if err != nil {
		return nil, err
	}
	x := &Executor{host: host}
	x.hello = sync.OnceValue(func() worker.Hello {
		name, _ := os.Hostname() // only for display
		state := runner.MachineState()
		return worker.Hello{Format: worker.ResultFormat, Host: name, Hardware: runner.Hardware().String(),
			Isolation: host.Isolation(), Layout: host.Layout(), Slots: host.Slots(), State: &state}
	})
	return x, nil
}

// Hello implements worker.Executor.
func (x *Executor) Hello() worker.Hello { return x.hello() }

// Isolation returns the runs' isolation level.
func (x *Executor) Isolation() runner.Isolation { return x.host.Isolation() }

// Close implements worker.Executor.
func (x *Executor) Close() error { return x.host.Close() }

// Execute implements worker.Executor.
func (x *Executor) Execute(ctx context.Context, o *worker.Order) error {
	return worker.Spread(ctx, o, x.host.Slots(), worker.OneByOne(x.run))
}

// run executes a work.
func (x *Executor) run(ctx context.Context, w *worker.Work) (*worker.Result, error) {
	r := &worker.Result{ID: w.ID}
	fail := func(kind, text string) (*worker.Result, error) {
		r.Failure = &worker.Failure{Kind: kind, Text: text}
		return r, nil
	}
	done, err := worker.Expose(w, x.host.Isolation())
	defer done()
	if err != nil {
		return fail(worker.FailMachine, err.Error())
	}
	cmd, talk, err := x.prepare(w)
	if err != nil {
		return fail(worker.FailWork, err.Error())
	}
	rec, err := x.host.Run(ctx, cmd)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		r.Failure = worker.FailureOf(err)
		return r, nil
	}
	if rec.Ending == comp.Killed && !talk.leftSolver() && w.Here == nil {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		return fail(worker.FailMachine, "the run was interrupted")
	}
	if talk != nil {
		if r.Trace, err = talk.json(); err != nil {
			return nil, err
		}
	}
	r.Record = &rec
	return r, nil
}

// prepare returns a work's command, and its dialogue or nil. An error is the work's fault.
func (x *Executor) prepare(w *worker.Work) (cmd runner.Command, talk *dialogue, err error) {
	cmd, stdin, err := w.RunnerCommand()
	if err == nil {
		err = x.verify(w)
	}
	if err == nil && w.Dialogue != nil {
		if talk, err = newDialogue(stdin, w.Dialogue.ContinueAfterUnknown); err == nil {
			cmd.Interact = talk.interact
		}
	}
	return cmd, talk, err
}

// verify compares the work's programs with their digests.
func (x *Executor) verify(w *worker.Work) error {
	for _, v := range w.Verify {
		got, err := x.programs.Of(v.Path)
		if err != nil {
			return fmt.Errorf("verify %s: %w", v.Path, err)
		}
		if got != v.SHA256 {
			return fmt.Errorf("%s has the digest %s on this machine, and %s where the work was made; install the "+
				"same program", v.Path, got, v.SHA256)
		}
	}
	return nil
}
