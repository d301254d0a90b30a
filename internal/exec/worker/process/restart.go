package process

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/gocty"

	"github.com/smtpipe/smtpipe/internal/exec/worker"
)

// Kind is the executor "process".
var Kind = &worker.Kind{
	Name: "process",
	Doc:  "runs are executed by another process, mostly on another machine",
	Attrs: []worker.Attr{{
		Name: "command", Type: cty.List(cty.String), Required: true,
		Doc: `the command that starts a worker, such as ["ssh", "node1", "smtpipe", "tool", "worker"]`,
	}, {
		Name: "workers", Type: cty.Number,
		Doc: "how often the command is started: that many workers take the runs of a stage; default 1",
	}},
	Open: func(ctx context.Context, o worker.Options) (worker.Executor, error) {
		n := 1
		if o.Settings.Has("workers") {
			if err := gocty.FromCtyValue(o.Settings["workers"], &n); err != nil || n < 1 || n > maxWorkers {
				return nil, fmt.Errorf("workers must be a whole number from 1 to %d", maxWorkers)
			}
		}
		return Start(ctx, n, o.Settings.List("command"), o.Header, o.Log)
	},
}

// maxWorkers is the maximum number of workers per stage.
const maxWorkers = 1000

// member executes works through a process, and starts a new process when that one has died. A node that reboots, or a
// worker that the kernel killed for lack of memory, therefore costs only the runs in progress.
type member struct {
	start func(context.Context) (*process, error)
	log   *slog.Logger
	hello worker.Hello // the first process's hello

	mu       sync.Mutex
	current  *process // nil if the process was lost
	restarts int      // number of restarts since the last result

	gone atomic.Bool // whether the pool has given up this member
}

// maxRestarts is how often a worker is restarted without a result in between.
const maxRestarts = 3

// join starts the first process. log receives messages about processes that die.
func join(ctx context.Context, argv []string, h worker.Header, log *slog.Logger) (*member, error) {
	r := &member{log: log}
	r.start = func(ctx context.Context) (*process, error) { return start(ctx, argv, h) }
	p, err := r.start(ctx)
	if err != nil {
		return nil, err
	}
	r.current, r.hello = p, p.hello
	return r, nil
}

// execute executes one task's works. If the worker dies, the error wraps worker.ErrLost, and the next task gets a new
// worker.
func (r *member) execute(ctx context.Context, works []*worker.Work) ([]*worker.Result, error) {
	p, err := r.process(ctx)
	if err != nil {
		return nil, err
	}
	results, err := p.execute(ctx, works)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err == nil:
		r.restarts = 0
	case errors.Is(err, worker.ErrLost) && r.current == p:
		r.current = nil
		_ = p.Close() // the process has ended or is about to be killed
	}
	return results, err
}

// errGivenUp is the error for a worker that keeps dying.
var errGivenUp = fmt.Errorf("it was restarted %d times without a result; check its machine", maxRestarts)

// givenUp reports whether all further calls will fail.
func (r *member) givenUp() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.current == nil && r.restarts == maxRestarts
}

// process returns the live process or starts a new one. Other calls wait meanwhile.
func (r *member) process(ctx context.Context) (*process, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current != nil {
		return r.current, nil
	}
	if r.restarts == maxRestarts {
		return nil, fmt.Errorf("%w: %w", worker.ErrLost, errGivenUp)
	}
	r.restarts++
	r.log.Warn("the worker died and is being restarted; its unfinished runs will be executed again", "restart",
		r.restarts)
	p, err := r.start(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", worker.ErrLost, err)
	}
	if have := p.hello; have.Isolation != r.hello.Isolation || have.Hardware != r.hello.Hardware {
		_ = p.Close()
		return nil, fmt.Errorf("%w: the new one offers %s on %q, the first %s on %q", worker.ErrLost, have.Isolation,
			have.Hardware,
			r.hello.Isolation, r.hello.Hardware)
	}
	r.current = p
	return p, nil
}

func (r *member) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current == nil {
		return nil
	}
	return r.current.Close()
}
