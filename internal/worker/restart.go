package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
)

// ErrLost is what errors.Is finds in the error of a work whose worker died. There is no result, and another worker may
// have one.
var ErrLost = errors.New("the worker is lost")

// Restarting executes works through a Process, and starts another one after that has died: a node that is rebooted, or a
// worker that the machine killed for lack of memory, costs the runs that were going on and nothing else.
type Restarting struct {
	start func(context.Context) (*Process, error)
	log   *slog.Logger
	hello Hello // of the first

	mu       sync.Mutex
	current  *Process // nil when it was lost
	restarts int      // since the last result
}

// maxRestarts is how often a worker is started again without a result in between.
const maxRestarts = 3

// StartRestarting starts the first process. log hears of those that die.
func StartRestarting(ctx context.Context, argv []string, h Header, log *slog.Logger) (*Restarting, error) {
	r := &Restarting{log: log}
	r.start = func(ctx context.Context) (*Process, error) { return StartProcess(ctx, argv, h) }
	p, err := r.start(ctx)
	if err != nil {
		return nil, err
	}
	r.current, r.hello = p, p.Hello()
	return r, nil
}

// Hello implements Executor.
func (r *Restarting) Hello() Hello { return r.hello }

// Execute implements Executor. The error of a work whose worker died wraps ErrLost; the next call has another worker.
func (r *Restarting) Execute(ctx context.Context, w *Work) (*Result, error) {
	p, err := r.process(ctx)
	if err != nil {
		return nil, err
	}
	result, err := p.Execute(ctx, w)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err == nil:
		r.restarts = 0
	case errors.Is(err, ErrLost) && r.current == p:
		r.current = nil
		_ = p.Close() // it has ended, or is about to be killed
	}
	return result, err
}

// process gives the worker that lives, or a new one. Calls wait for each other while it starts.
func (r *Restarting) process(ctx context.Context) (*Process, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current != nil {
		return r.current, nil
	}
	if r.restarts == maxRestarts {
		return nil, fmt.Errorf("%w: it was started again %d times without a result; see whether its machine is well", ErrLost, maxRestarts)
	}
	r.restarts++
	r.log.Warn("the worker died and is started again; the runs that it was executing are executed again", "restart", r.restarts)
	p, err := r.start(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrLost, err)
	}
	if have := p.Hello(); have.Isolation != r.hello.Isolation || have.Hardware != r.hello.Hardware {
		_ = p.Close()
		return nil, fmt.Errorf("%w: the new one offers %s on %q, the first %s on %q", ErrLost, have.Isolation, have.Hardware,
			r.hello.Isolation, r.hello.Hardware)
	}
	r.current = p
	return p, nil
}

// Close implements Executor.
func (r *Restarting) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current == nil {
		return nil
	}
	return r.current.Close()
}
