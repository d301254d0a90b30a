package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/runner"
	"github.com/smtpipe/smtpipe/internal/runner/solver"
)

// Executor executes works somewhere.
type Executor interface {
	// Hello tells where, and how many calls of Execute at one time are of use.
	Hello() Hello
	// Execute executes one work and waits for its result; many goroutines may call it. A run that failed has a result
	// with a Failure. An error means that the executor itself failed, or that ctx ended before there was a result.
	Execute(ctx context.Context, w *Work) (*Result, error)
	// Close ends the executor. No call of Execute may be going on.
	Close() error
}

// Local executes works on this machine.
type Local struct {
	host  *runner.Host
	hello Hello

	mu       sync.Mutex
	verified map[string]func() (string, error) // digests by path, each found once
}

// OpenLocal opens the runner for the works of a chunk. Without a level of isolation in the header it is full.
func OpenLocal(h Header, cfg runner.Config) (*Local, error) {
	hardware := runner.Hardware().String()
	if h.Hardware != "" && h.Hardware != hardware {
		return nil, fmt.Errorf("the runs are to be measured on %q, but this machine is %q", h.Hardware, hardware)
	}
	if h.Isolation == runner.BestEffort {
		return nil, errors.New(`isolation "best_effort" is not for works, which name paths as the run sees them; say which level it is`)
	}
	cfg.Isolation, cfg.CoresPerRun, cfg.MemoryPerRun = h.Isolation, h.Cores, h.MemoryBytes
	if h.Jobs > 0 {
		cfg.Jobs = h.Jobs
	}
	host, err := runner.Open(cfg)
	if err != nil {
		return nil, err
	}
	l := NewLocal(host)
	l.hello.Hardware = hardware
	return l, nil
}

// NewLocal executes works on a host that is open. Close closes it.
func NewLocal(host *runner.Host) *Local {
	name, _ := os.Hostname() // for people only
	return &Local{
		host: host, verified: map[string]func() (string, error){},
		hello: Hello{Format: ResultFormat, Host: name, Isolation: host.Isolation(), Layout: host.Layout(), Slots: host.Slots()},
	}
}

// Hello implements Executor.
func (l *Local) Hello() Hello { return l.hello }

// Close implements Executor.
func (l *Local) Close() error { return l.host.Close() }

// Execute implements Executor.
func (l *Local) Execute(ctx context.Context, w *Work) (*Result, error) {
	r := &Result{ID: w.ID}
	cmd, stdin, err := w.command()
	if err == nil {
		err = l.verify(w)
	}
	var talk *Talk
	if err == nil && w.Dialogue != nil {
		if talk, err = NewTalk(stdin, w.Dialogue.ContinueAfterUnknown); err == nil {
			cmd.Interact = talk.Interact
		}
	}
	if err != nil {
		r.Failure = &Failure{Kind: FailWork, Text: err.Error()}
		return r, nil
	}
	rec, err := l.host.Run(ctx, cmd)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		r.Failure = failureOf(err)
		return r, nil
	}
	r.LeftSolver = talk.Ended()
	if rec.Ending == comp.Killed && !r.LeftSolver {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		r.Failure = &Failure{Kind: FailMachine, Text: "the run was interrupted"}
		return r, nil
	}
	if talk != nil {
		if r.Trace, err = talk.JSON(); err != nil {
			return nil, err
		}
	}
	r.Record = fromRecord(&rec)
	return r, nil
}

// verify compares programs with their digests.
func (l *Local) verify(w *Work) error {
	for _, v := range w.Verify {
		l.mu.Lock()
		digest := l.verified[v.Path]
		if digest == nil {
			digest = sync.OnceValues(func() (string, error) { return Fingerprint(v.Path) })
			l.verified[v.Path] = digest
		}
		l.mu.Unlock()
		got, err := digest()
		if err != nil {
			return fmt.Errorf("verify %s: %w", v.Path, err)
		}
		if got != v.SHA256 {
			return fmt.Errorf("%s has the digest %s on this machine, and %s where the work was made; install the same program", v.Path, got, v.SHA256)
		}
	}
	return nil
}

// Fingerprint gives a digest of a program with everything that it loads, or of the tree of a folder.
func Fingerprint(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		tree, err := solver.ReadTree(path)
		if err != nil {
			return "", err
		}
		return tree.Digest().String(), nil
	}
	_, digest, err := solver.ProgramClosure(path)
	if err != nil {
		return "", err
	}
	return digest.String(), nil
}
