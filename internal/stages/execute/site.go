package execute

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/smtpipe/smtpipe/internal/runner"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/worker"
	"github.com/smtpipe/smtpipe/internal/worker/all"
	"github.com/smtpipe/smtpipe/internal/worker/local"
)

// site is where the runs of one execution of the stage are executed.
type site struct {
	worker.Executor
	// places is the number of concurrent runs.
	places int
	// reserve takes the cores of a run from those that the stages share; nil: it takes none of this machine.
	reserve func(ctx context.Context) (release func(), err error)
	// verify returns the digests of a program or folder that an executor elsewhere must have.
	verify func(path string) ([]worker.Digest, error)
	leave  func() error
}

// openSite opens the executor. An executor of this machine is shared by concurrent stages.
func (f *fanout) openSite(ctx context.Context) (*site, error) {
	hardware := f.hardware
	if f.env.Anywhere {
		f.executor, f.settings, f.isolation, hardware = local.Kind, nil, runner.BestEffort, ""
	}
	if f.env.Distrusted {
		f.isolation = runner.Full
	}
	open := func() (worker.Executor, error) {
		return f.executor.Open(ctx, worker.Options{
			Header: worker.Header{
				Isolation: f.isolation, Cores: f.limits.Cores, MemoryBytes: f.limits.MemoryBytes, Jobs: f.jobs,
				Hardware: hardware,
			},
			Settings: f.settings,
			Folder:   f.env.Folder,
			State:    f.state(),
			Log:      f.env.Log,
		})
	}
	if f.executor.Here {
		return f.enterMachine(ctx, open)
	}
	x, err := open()
	if err != nil {
		return nil, err
	}
	return &site{Executor: x, places: x.Hello().Slots, verify: fingerprints(), leave: x.Close}, nil
}

// enterMachine waits until this machine is free for runs of this class.
func (f *fanout) enterMachine(ctx context.Context, open func() (worker.Executor, error)) (*site, error) {
	shared, leave, err := f.env.Machine.Enter(ctx, f.class(), func() (io.Closer, error) { return open() })
	if err != nil {
		return nil, err
	}
	x := shared.(worker.Executor)
	return &site{Executor: x, places: max(1, min(x.Hello().Slots, f.env.Jobs/f.limits.Cores)), leave: leave,
		reserve: func(ctx context.Context) (func(), error) { return f.env.Reserve(ctx, f.limits.Cores) }}, nil
}

// class names the class of runs that this machine may execute concurrently.
func (act *action) class() string {
	return fmt.Sprintf("%s %s %d jobs %d cores %d bytes", act.executor.Name, act.isolation, act.jobs, act.limits.Cores,
		act.limits.MemoryBytes)
}

// fingerprints returns a function that reads every program once.
func fingerprints() func(path string) ([]worker.Digest, error) {
	var mu sync.Mutex
	known := map[string]func() (worker.Digest, error){}
	return func(path string) ([]worker.Digest, error) {
		mu.Lock()
		digest := known[path]
		if digest == nil {
			digest = sync.OnceValues(func() (worker.Digest, error) {
				info, err := os.Stat(path)
				if err != nil {
					return worker.Digest{}, err
				}
				sum, err := worker.Fingerprint(path)
				return worker.Digest{Path: path, SHA256: sum, Tree: info.IsDir()}, err
			})
			known[path] = digest
		}
		mu.Unlock()
		d, err := digest()
		return []worker.Digest{d}, err
	}
}

// readExecutor reads the executor block that the stage names.
func (act *action) readExecutor(a *stages.Args) error {
	v := a.Value("executor")
	if v.IsNull() {
		return nil
	}
	kind, o, err := all.Read(v)
	if err != nil {
		return a.Invalid("executor", "Invalid executor", sentence(err))
	}
	act.executor, act.settings, act.jobs, act.isolation = kind, o.Settings, o.Jobs, o.Isolation
	act.hardware = cmp.Or(o.Hardware, act.hardware)
	return nil
}
