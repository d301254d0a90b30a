package process

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/smtpipe/smtpipe/internal/exec/worker"
)

// Pool consists of several workers started with the same command, like a batch system's jobs. Works start when the
// first worker is ready. The other workers join once they have passed the queue.
type Pool struct {
	hello worker.Hello
	free  chan *member // contains each worker once per slot
	stop  context.CancelFunc
	log   *slog.Logger

	starting sync.WaitGroup

	mu      sync.Mutex
	members []*member
	living  int           // number of members and of workers that may still join
	none    chan struct{} // closed when no worker is left
	last    error         // why the last worker was lost
}

// maxSlots is the maximum number of slots per worker that a pool uses.
const maxSlots = 1024

// Start starts n workers and waits for the first one.
func Start(ctx context.Context, n int, argv []string, h worker.Header, log *slog.Logger) (*Pool, error) {
	ctx, stop := context.WithCancel(ctx)
	p := &Pool{free: make(chan *member, n*maxSlots), stop: stop, log: log, living: n, none: make(chan struct{})}
	first := make(chan worker.Hello, n)
	for range n {
		p.starting.Go(func() {
			x, err := join(ctx, argv, h, log)
			if err != nil {
				if ctx.Err() == nil {
					p.drop(err)
				}
				return
			}
			p.mu.Lock()
			p.members = append(p.members, x)
			p.mu.Unlock()
			for range min(x.hello.Slots, maxSlots) {
				p.free <- x
			}
			first <- x.hello
		})
	}
	select {
	case p.hello = <-first:
		p.hello.Slots = min(p.hello.Slots, maxSlots) * n
		return p, nil
	case <-p.none:
	case <-ctx.Done():
		p.last = context.Cause(ctx)
	}
	return nil, errors.Join(p.last, p.Close())
}

// drop records that a worker will execute no further works.
func (p *Pool) drop(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last = err; p.living > 1 {
		p.log.Warn("a worker is given up; the others continue", "error", err)
	}
	if p.living--; p.living == 0 {
		close(p.none)
	}
}

// Hello implements worker.Executor. It returns the first worker's hello with the total number of slots.
func (p *Pool) Hello() worker.Hello { return p.hello }

// Execute implements worker.Executor. It passes each task to a worker with a free slot.
func (p *Pool) Execute(ctx context.Context, o *worker.Order) error {
	return worker.Spread(ctx, o, p.hello.Slots, func(ctx context.Context, works []*worker.Work) ([]*worker.Result,
		error) {
		return p.execute(ctx, o, works)
	})
}

func (p *Pool) execute(ctx context.Context, o *worker.Order, works []*worker.Work) ([]*worker.Result, error) {
	for {
		var x *member
		select {
		case x = <-p.free:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-p.none:
			return nil, fmt.Errorf("no worker is left: %w", p.last)
		}
		results, err := x.execute(ctx, works)
		if errors.Is(err, worker.ErrLost) && !errors.Is(err, errGivenUp) && ctx.Err() == nil {
			o.Tell(worker.Event{Node: x.hello.Host, Kind: worker.Lost, Text: err.Error()})
		}
		if !x.givenUp() {
			p.free <- x
			return results, err
		}
		if x.gone.CompareAndSwap(false, true) {
			p.drop(err)
		}
		if results != nil || !errors.Is(err, errGivenUp) {
			return results, err
		}
	}
}

// Close implements worker.Executor.
func (p *Pool) Close() error {
	p.stop()
	p.starting.Wait()
	errs := make([]error, len(p.members))
	var closing sync.WaitGroup
	for i, x := range p.members {
		closing.Go(func() { errs[i] = x.Close() })
	}
	closing.Wait()
	return errors.Join(errs...)
}
