package execute

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/runner"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/worker"
)

// remote executes runs by an executor elsewhere. It is a host, whose own Run is for commands that read no input.
type remote struct {
	worker.Executor

	mu      sync.Mutex
	digests map[string]func() (string, error) // of programs on this machine, by path
}

// enterHost opens what executes the runs: workers elsewhere, or this machine, which stages at one time share.
func (f *fanout) enterHost(ctx context.Context, config runner.Config) (h host, leave func() error, err error) {
	if f.workers == nil {
		shared, leave, err := f.env.Machine.Enter(ctx, f.class(), func() (io.Closer, error) { return runner.Open(config) })
		if err != nil {
			return nil, nil, err
		}
		return shared.(host), leave, nil
	}
	x, err := worker.StartRestarting(ctx, f.workers, worker.Header{
		Isolation: f.isolation, Cores: f.limits.Cores, MemoryBytes: f.limits.MemoryBytes, Jobs: f.jobs, Hardware: f.hardware,
	}, f.env.Log)
	if err != nil {
		return nil, nil, err
	}
	return &remote{Executor: x, digests: map[string]func() (string, error){}}, x.Close, nil
}

// eachRun calls do for n runs, as many at one time as there are places for.
func (f *fanout) eachRun(ctx context.Context, n int, do func(ctx context.Context, k int) error) error {
	if f.workers == nil {
		return f.env.EachRun(ctx, n, f.places(), f.limits.Cores, do)
	}
	group, inner := errgroup.WithContext(ctx) // the cores are not of this machine
	group.SetLimit(f.places())
	for k := range n {
		if inner.Err() != nil {
			break
		}
		group.Go(func() error { return do(inner, k) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// places is how many runs there are at one time.
func (f *fanout) places() int {
	if f.workers != nil {
		return f.host.Slots()
	}
	return max(1, min(f.host.Slots(), f.env.Jobs/f.limits.Cores))
}

// Slots implements host.
func (r *remote) Slots() int { return r.Hello().Slots }

// Isolation implements host.
func (r *remote) Isolation() runner.Isolation { return r.Hello().Isolation }

// Run implements host.
func (r *remote) Run(ctx context.Context, cmd runner.Command) (runner.Record, error) {
	w, err := worker.FromCommand(fmt.Sprintf("command-%p", &cmd), &cmd, nil)
	if err != nil {
		return runner.Record{}, err
	}
	result, err := r.Execute(ctx, w)
	if err != nil {
		return runner.Record{}, err
	}
	return recordOf(result)
}

func recordOf(r *worker.Result) (runner.Record, error) {
	if r.Failure != nil {
		return runner.Record{}, r.Failure.Err()
	}
	return r.Record.Runner()
}

// tryElsewhere is tryOne for a remote host. id names the run.
func (f *fanout) tryElsewhere(ctx context.Context, r *remote, id string, cmd *runner.Command, script []byte, e *entrant) (record, error) {
	cmd.Stdin = nil
	var stdin []byte
	if f.talks || f.stdin {
		stdin = script
	}
	w, err := worker.FromCommand(id, cmd, stdin)
	if err != nil {
		return record{}, fmt.Errorf("%w: %w", worker.ErrWork, err)
	}
	if f.talks {
		w.Dialogue = &worker.Dialogue{ContinueAfterUnknown: f.goOn}
	}
	program := e.folder
	if program == "" {
		program = e.program
	}
	digest, err := r.digest(program)
	if err != nil {
		return record{}, err
	}
	w.Verify = []worker.Digest{{Path: program, SHA256: digest}}
	result, err := r.Execute(ctx, w)
	if err != nil {
		return record{}, err
	}
	rec, err := recordOf(result)
	if err != nil {
		return record{}, err
	}
	if rec.Ending == comp.Killed && !result.LeftSolver {
		return record{}, errInterrupted
	}
	kept, err := keep(f.env.Store, &rec, nil)
	kept.Trace = string(result.Trace)
	return kept, err
}

// digest gives the digest by which a worker knows a program, which is read once.
func (r *remote) digest(program string) (string, error) {
	r.mu.Lock()
	digest := r.digests[program]
	if digest == nil {
		digest = sync.OnceValues(func() (string, error) { return worker.Fingerprint(program) })
		r.digests[program] = digest
	}
	r.mu.Unlock()
	return digest()
}

// readWorkers reads what an executor "process" has beside the attributes of all executors.
func (act *action) readWorkers(a *stages.Args) error {
	v := a.Value("executor")
	act.workers, act.elsewhere = elements(v.GetAttr("command")), text(v, "hardware")
	if len(act.workers) == 0 {
		return a.Invalid("executor", "Missing command", "An executor \"process\" needs the command of its workers.")
	}
	if act.isolation == runner.BestEffort {
		return a.Invalid("executor", "Invalid isolation", "An executor \"process\" cannot take the isolation that there is: say which one its workers have.")
	}
	return nil
}

// profile is the hardware that the runs are measured on.
func (act *action) profile() string {
	if act.elsewhere != "" {
		return act.elsewhere
	}
	return runner.Hardware().String()
}

// givesUp tells whether a run that failed with err is not tried again.
func givesUp(err error) bool {
	return errors.Is(err, runner.ErrStart) || errors.Is(err, worker.ErrWork)
}
