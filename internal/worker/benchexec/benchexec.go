// Package benchexec is the executor that lets BenchExec execute runs: it writes a job in the form of the competition's
// organisers (scripts, task definitions, benchmark definitions, tool-info modules), which is executed here or
// elsewhere, and reads the results from the job's folder.
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

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/results/benchexec"
	"github.com/smtpipe/smtpipe/internal/worker"
)

// Kind is executor "benchexec".
var Kind = &worker.Kind{
	Name: "benchexec",
	Doc:  "BenchExec executes the runs of a stage: here, or elsewhere from a folder that is handed over",
	Attrs: []worker.Attr{
		{Name: "mode", Type: cty.String, Required: true,
			Doc: "local: BenchExec is called here; hand-over: the folder is written, others execute it and put the " +
				"results below its folder results, and the next run reads them"},
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

// executor implements worker.Batch.
type executor struct {
	mode    string
	command []string // of BenchExec
	job     *job
	log     *slog.Logger
	hello   worker.Hello

	results map[string]found // by the log's name, without its ending

	mu      sync.Mutex
	waiting []*task
	logs    map[string]*benchexec.Logs // that are open
}

func open(o worker.Options) (*executor, error) {
	x := &executor{mode: o.Settings["mode"].AsString(), command: []string{"benchexec"}, log: o.Log,
		logs: map[string]*benchexec.Logs{}}
	if x.mode != local && x.mode != handOver {
		return nil, fmt.Errorf("the mode of an executor \"benchexec\" is local or hand-over, not %q", x.mode)
	}
	if v := o.Settings["benchexec"]; !v.IsNull() && v.LengthInt() > 0 {
		x.command = nil
		for _, word := range v.AsValueSlice() {
			x.command = append(x.command, word.AsString())
		}
	}
	folder := o.Settings["folder"].AsString()
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(o.Folder, folder)
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	x.job = newJob(folder)
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

// Execute implements worker.Executor: it returns the result that there is, or writes the task.
func (x *executor) Execute(_ context.Context, w *worker.Work) (*worker.Result, error) {
	t, err := newTask(w)
	if err != nil {
		return &worker.Result{ID: w.ID, Failure: &worker.Failure{Kind: worker.FailWork, Text: err.Error()}}, nil
	}
	f, there := x.results[t.logName()]
	if err := x.job.ledger.check(t, w.ID, there); err != nil {
		return nil, fmt.Errorf("%w: the folder %s %w; remove it, or give another folder", worker.ErrWork, x.job.folder,
			err)
	}
	if there {
		return x.result(&f, w)
	}
	if err := x.job.write(t, w); err != nil {
		return nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	t.id = w.ID
	x.waiting = append(x.waiting, t)
	return nil, worker.ErrWaiting
}

// Run implements worker.Batch.
func (x *executor) Run(ctx context.Context) (done bool, message string, err error) {
	slices.SortFunc(x.waiting, (*task).compare)
	definitions, err := x.job.finish(x.waiting)
	if err != nil {
		return false, "", err
	}
	x.waiting = nil
	if x.mode == handOver {
		return false, fmt.Sprintf("execute each of %s with benchexec, in the folder %s and with PYTHONPATH=., and put "+
			"what it writes below its folder %s", strings.Join(definitions, ", "), x.job.folder, resultsFolder), nil
	}
	for _, definition := range definitions {
		if err := x.call(ctx, definition); err != nil {
			return false, "", err
		}
	}
	return true, "what BenchExec says of it is in " + filepath.Join(x.job.folder, resultsFolder), x.scan()
}

// call lets BenchExec execute one benchmark definition.
func (x *executor) call(ctx context.Context, definition string) error {
	args := append(slices.Clone(x.command[1:]), "--outputpath", resultsFolder+"/", definition)
	cmd := exec.CommandContext(ctx, x.command[0], args...)
	cmd.Dir = x.job.folder
	cmd.Env = append(os.Environ(), "PYTHONPATH="+x.job.folder)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it writes the results so far
	cmd.WaitDelay = closeTime
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.CombinedOutput()
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // a child of a container that hangs outlives BenchExec
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("%w; BenchExec comes from PyPI: python3 -m venv v && v/bin/pip install benchexec, and give "+
			"benchexec = [\"v/bin/benchexec\"]", err)
	case err != nil:
		return fmt.Errorf("%s %s: %w; it says: %s", x.command[0], definition, err, end(out))
	}
	return nil
}

// end returns the end of a program's output.
func end(out []byte) string {
	const most = 2000
	return strings.TrimSpace(strings.ToValidUTF8(string(out[max(0, len(out)-most):]), "?"))
}
