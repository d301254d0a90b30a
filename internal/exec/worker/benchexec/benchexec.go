// Package benchexec implements the executor that uses BenchExec for runs. It writes a job in the format of the
// competition's organisers (scripts, task definitions, benchmark definitions, tool-info modules). The job is executed
// on this machine or elsewhere, and this package reads the results from the job's folder.
package benchexec

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/zclconf/go-cty/cty"
	"golang.org/x/sync/errgroup"

	"github.com/smtpipe/smtpipe/internal/data/results/benchexec"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
)

// Kind is the executor "benchexec".
var Kind = &worker.Kind{
	Name: "benchexec",
	Doc:  "BenchExec executes the runs of a stage: here, or elsewhere from a folder that is handed over",
	Attrs: []worker.Attr{
		{Name: "mode", Type: cty.String, Required: true,
			Doc: "local: smtpipe calls BenchExec; hand-over: smtpipe writes the folder, others execute it and " +
				"put the " +
				"results below its folder results, and the next run reads the results"},
		{Name: "folder", Type: cty.String, Required: true,
			Doc: "the folder of the job, relative to the pipeline; each stage has an executor with a folder of its own"},
		{Name: "benchexec", Type: cty.List(cty.String),
			Doc: `local: the command, such as ["benchexec", "--read-only-dir", "/"]; default: ["benchexec"]`},
	},
	Open: func(_ context.Context, o worker.Options) (worker.Executor, error) { return open(o) },
}

const (
	local    = "local"
	handOver = "hand-over"
)

// executor implements worker.Executor.
type executor struct {
	mode    string
	command []string // command that starts BenchExec
	job     *job
	log     *slog.Logger
	hello   worker.Hello

	busy sync.Mutex                 // held during an order
	logs map[string]*benchexec.Logs // logs of executions, by name prefix

	mu      sync.Mutex
	results map[string]found  // keyed by the log's name without its extension
	after   map[string]string // start times of executions whose results to ignore
}

func open(o worker.Options) (*executor, error) {
	x := &executor{mode: o.Settings.Text("mode"), command: []string{"benchexec"}, log: o.Log,
		logs: map[string]*benchexec.Logs{}, after: map[string]string{}}
	if x.mode != local && x.mode != handOver {
		return nil, fmt.Errorf("a \"benchexec\" executor's mode must be local or hand-over, not %q", x.mode)
	}
	if command := o.Settings.List("benchexec"); len(command) > 0 {
		x.command = command
	}
	folder := o.Settings.Text("folder")
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(o.Folder, folder)
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	x.job = newJob(folder)
	if x.job.requires = x.mode == handOver; x.job.requires && strings.Contains(o.Hardware, ";") {
		x.job.processor = processorOf(o.Hardware)
	}
	x.hello = worker.Hello{Format: worker.ResultFormat, Host: "BenchExec", Hardware: o.Hardware, Isolation: o.Isolation,
		Slots: runtime.NumCPU()}
	if x.job.ledger, err = readLedger(folder); err != nil {
		return nil, err
	}
	return x, x.scan()
}

// Hello implements worker.Executor.
func (x *executor) Hello() worker.Hello { return x.hello }

// Close implements worker.Executor.
func (x *executor) Close() error {
	var errs []error
	for _, l := range x.logs {
		errs = append(errs, l.Close())
	}
	return errors.Join(errs...)
}

// Execute implements worker.Executor. It takes existing results, writes the remaining tasks, and calls BenchExec to
// execute them. If another machine executes the job, it reports where the results are awaited.
func (x *executor) Execute(ctx context.Context, o *worker.Order) error {
	x.busy.Lock()
	defer x.busy.Unlock()
	left := make([]int, len(o.Tasks))
	for k := range left {
		left[k] = k
	}
	for called := false; ; called = true { // repeated for tasks that must be executed twice
		waiting, err := x.collect(ctx, o, left, called)
		if err != nil || len(waiting) == 0 {
			return err
		}
		slices.SortFunc(waiting, (*task).compare)
		definitions, err := x.job.finish(waiting)
		if err != nil {
			return err
		}
		if x.mode == handOver {
			return x.await(o, waiting, definitions)
		}
		// Result names contain the second of the call, and BenchExec does not overwrite results.
		if called {
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-time.After(time.Second):
			}
		}
		for _, definition := range definitions {
			if err := x.call(ctx, definition); err != nil {
				return err
			}
		}
		if err := x.scan(); err != nil {
			return err
		}
		left = left[:0]
		for _, t := range waiting {
			left = append(left, t.number)
		}
	}
}

// collect takes the available results, and writes and returns the tasks that BenchExec must execute. If called is true,
// BenchExec has already run, and a missing result is a failure.
func (x *executor) collect(ctx context.Context, o *worker.Order, left []int, called bool) (waiting []*task, err error) {
	var mu sync.Mutex
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(x.hello.Slots)
	for _, k := range left {
		if inner.Err() != nil {
			break
		}
		group.Go(func() error {
			t, err := x.one(o, k, called)
			if t != nil {
				mu.Lock()
				waiting = append(waiting, t)
				mu.Unlock()
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return waiting, context.Cause(ctx)
}

// one takes a task's result, or returns the task if its result is still missing.
func (x *executor) one(o *worker.Order, k int, called bool) (*task, error) {
	works, err := o.Works(k)
	if err != nil || len(works) == 0 {
		return nil, err
	}
	fail := func(kind, text string) (*task, error) {
		_, err := o.Take(k, worker.Fail(kind, text, works...))
		return nil, err
	}
	if len(works) > 1 {
		return fail(worker.FailWork, "BenchExec does not execute runs back to back")
	}
	w := works[0]
	t, err := newTask(w)
	if err != nil {
		return fail(worker.FailWork, err.Error())
	}
	t.id, t.number = w.ID, k
	x.mu.Lock()
	f, there := x.results[t.logName()]
	x.mu.Unlock()
	if err := x.job.ledger.check(t, w.ID, there); err != nil {
		return nil, fmt.Errorf("%w: folder %s %w; remove it, or set another folder", worker.ErrWork, x.job.folder,
			err)
	}
	switch {
	case there:
		r, err := x.result(&f, w)
		if err != nil {
			return nil, err
		}
		if again, err := o.Take(k, []*worker.Result{r}); !again || err != nil {
			return nil, err
		}
		x.mu.Lock()
		x.after[t.logName()] = f.header.Started
		delete(x.results, t.logName())
		x.mu.Unlock()
	case called:
		return fail(worker.FailMachine, "BenchExec produced no result; its messages are in "+
			filepath.Join(x.job.folder, resultsFolder))
	}
	return t, x.job.write(t, w)
}

// await reports that the results come from elsewhere.
func (x *executor) await(o *worker.Order, waiting []*task, definitions []string) error {
	message := fmt.Sprintf("execute each of %[1]s with benchexec in folder %[2]s with PYTHONPATH=., and put its "+
		"output below folder %[3]s; on the VerifierCloud: cd %[2]s && for d in %[4]s; do PYTHONPATH=. "+
		"BENCHEXEC/contrib/vcloud-benchmark.py -o %[3]s/ $d; done", strings.Join(definitions, ", "), x.job.folder,
		resultsFolder, strings.Join(definitions, " "))
	for _, t := range waiting {
		f := &worker.Failure{Kind: worker.Awaited, Text: message}
		if _, err := o.Take(t.number, []*worker.Result{{ID: t.id, Failure: f}}); err != nil {
			return err
		}
	}
	return nil
}

// call runs BenchExec on one benchmark definition.
func (x *executor) call(ctx context.Context, definition string) error {
	args := append(slices.Clone(x.command[1:]), "--outputpath", resultsFolder+"/", definition)
	cmd := exec.CommandContext(ctx, x.command[0], args...)
	cmd.Dir = x.job.folder
	cmd.Env = append(os.Environ(), "PYTHONPATH="+x.job.folder)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // BenchExec then writes its results
	cmd.WaitDelay = closeTime
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.CombinedOutput()
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // a hanging child in a container outlives BenchExec
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("%w; install BenchExec from PyPI (python3 -m venv v && v/bin/pip install benchexec), "+
			"and set "+
			"benchexec = [\"v/bin/benchexec\"]", err)
	case err != nil:
		return fmt.Errorf("%s %s: %w; its output: %s", x.command[0], definition, err, end(out))
	}
	return nil
}

// end returns the end of a program's output.
func end(out []byte) string {
	const most = 2000
	return strings.TrimSpace(strings.ToValidUTF8(string(out[max(0, len(out)-most):]), "?"))
}
