// Package jobs executes runs through a batch system. Works go into chunks in a folder that all nodes see, jobs take one
// chunk after another, and the driver reads results while the jobs write them. Notes in the store tell a restarted
// driver which chunks exist. The package knows no particular batch system; see System.
package jobs

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/exchange"
)

// Attrs returns the attributes of a kind of executor: its own attributes, and those that all batch systems share.
func Attrs(own ...worker.Attr) []worker.Attr {
	return slices.Concat([]worker.Attr{
		{Name: "time", Type: cty.String, Required: true,
			Doc: `time limit of one job, such as "8h"; chunks of runs are sized to fit`},
	}, own, []worker.Attr{
		{Name: "exchange", Type: cty.String,
			Doc: "the folder that this machine and all nodes see by the same path; default: exchange next to the pipeline"},
		{Name: "delay", Type: cty.String, Doc: "how long a file may take to become visible there on other machines; " +
			`default: "60s"`},
		{Name: "poll", Type: cty.String, Doc: `interval between checks of jobs and results; default: "10s"`},
	})
}

// Setup opens an executor's batch system. r describes what each job needs. script returns a job's script, like
// Submission.Script. Setup returns an error if the batch system would reject submissions.
type Setup func(ctx context.Context, r Resources, script func(worker, again string) string) (System, error)

// Resources describes what a job needs.
type Resources struct {
	Cores       int
	MemoryBytes int64 // memory for the job's runs and worker
	Time        time.Duration
}

// executor implements worker.Executor.
type executor struct {
	plan
	world *folder
	blobs *exchange.Blobs
	log   *slog.Logger
	hello worker.Hello

	busy sync.Mutex // held during an order
}

const (
	defaultJobs  = 1
	defaultDelay = time.Minute
	defaultPoll  = 10 * time.Second
	// mostJobs is the maximum number of jobs per submission. Slurm allows 1001 by default.
	mostJobs = 1000
	// overhead is the memory in bytes that a worker needs in addition to its runs.
	overhead = 300e6
)

// Open starts an executor. system is the batch system's name in messages. Each job executes slots concurrent runs. A
// job with a whole node executes as many runs as fit on the node; slots is then an estimate.
func Open(ctx context.Context, o worker.Options, system string, slots int, whole bool, setup Setup) (worker.Executor,
	error) {
	x := &executor{log: o.Log, plan: plan{header: o.Header, jobs: max(o.Jobs, defaultJobs), slots: slots,
		delay: defaultDelay, poll: defaultPoll, most: mostJobs}}
	if x.header.Jobs = slots; whole {
		x.header.Jobs = 0
	}
	if err := errors.Join(setDuration(o.Settings, "time", &x.time), setDuration(o.Settings, "delay", &x.delay),
		setDuration(o.Settings, "poll", &x.poll)); err != nil {
		return nil, err
	}
	dir := cmp.Or(o.Settings.Text("exchange"), "exchange")
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(o.Folder, dir)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	x.world = &folder{exchange: dir, state: o.State, within: x.time, delay: x.delay}
	x.blobs = exchange.NewBlobs(filepath.Join(dir, exchange.BlobsFolder))
	if x.world.program, err = x.putProgram(); err != nil {
		return nil, err
	}
	if err := x.join(o, system); err != nil {
		return nil, err
	}
	r := Resources{Cores: slots * max(o.Cores, 1), MemoryBytes: int64(slots)*o.MemoryBytes + overhead, Time: x.time}
	if x.world.System, err = setup(ctx, r, x.world.script); err != nil {
		return nil, err
	}
	x.script = x.world.script
	x.hello = worker.Hello{Format: worker.ResultFormat, Host: system, Hardware: o.Hardware, Isolation: o.Isolation,
		Slots: x.jobs}
	return x, nil
}

// join determines the pool. Jobs of drivers with the same program and the same block execute each other's works if the
// works have the same machine requirements.
func (x *executor) join(o worker.Options, system string) error {
	x.header.Format = worker.WorkFormat
	header, err := json.Marshal(x.header)
	if err != nil {
		return err
	}
	sum := sha256.New()
	fmt.Fprintln(sum, system, x.world.program, string(header), x.jobs, x.slots)
	for _, name := range slices.Sorted(maps.Keys(o.Settings)) {
		fmt.Fprintf(sum, "%s %#v\n", name, o.Settings[name])
	}
	x.pool = hex.EncodeToString(sum.Sum(nil))[:8]
	x.world.pool, x.world.header = x.pool, string(header)
	for _, folder := range []string{exchange.TicketsFolder, exchange.WorkersFolder} {
		if err := os.MkdirAll(x.world.path(folder+"/"+x.pool), 0o755); err != nil {
			return err
		}
	}
	return nil
}

// putProgram puts this program into the exchange folder, because all nodes must use the same program.
func (x *executor) putProgram() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	return x.blobs.PutProgram("smtpipe", content)
}

// Hello implements worker.Executor.
func (x *executor) Hello() worker.Hello { return x.hello }

// Close implements worker.Executor. Jobs continue.
func (x *executor) Close() error { return nil }

// Execute implements worker.Executor.
func (x *executor) Execute(ctx context.Context, o *worker.Order) error {
	if least := o.Limit + exchange.Reserve; x.time < least {
		return fmt.Errorf("a job of %s is too short for a run of %s and its overhead: give the executor a time of "+
			"%s or more", x.time, o.Limit, least)
	}
	token := make([]byte, 4)
	if _, err := rand.Read(token); err != nil {
		return err
	}
	x.busy.Lock()
	defer x.busy.Unlock()
	return newDriver(x.plan, x.world, x.log, o, x.prepare).run(ctx, hex.EncodeToString(token))
}

// prepare puts a work's scripts and solver trees into the exchange folder.
func (x *executor) prepare(w *worker.Work, again bool) error {
	if err := w.CheckOutput(); err != nil {
		return &fatalError{err}
	}
	if err := w.EachFile(func(f *worker.File) error { return x.putFile(f, again) }); err != nil {
		return err
	}
	for i, v := range w.Verify {
		if !v.Tree {
			continue // an installed program must exist on the node; otherwise the worker reports the problem
		}
		if err := x.blobs.PutTree(v.SHA256, v.Path); err != nil {
			return err
		}
		w.MoveTree(i, x.blobs.TreePath(v.SHA256))
	}
	return nil
}

func (x *executor) putFile(f *worker.File, again bool) error {
	if f.Path != "" || f.Source == nil && len(f.Content) == 0 {
		return nil
	}
	if again {
		if err := x.blobs.Renew(f.SHA256); err != nil {
			return err
		}
	}
	source := f.Source
	if source == nil {
		source = worker.SourceOf(f.Content)
	}
	f.Content = nil
	return x.blobs.Put(f.SHA256, source)
}

// setDuration parses a positive duration into d if the attribute is set.
func setDuration(s worker.Settings, name string, d *time.Duration) error {
	if !s.Has(name) {
		return nil
	}
	var err error
	if *d, err = comp.ParseDuration(s.Text(name)); err == nil && *d <= 0 {
		err = errors.New("it must be above zero")
	}
	if err != nil {
		return fmt.Errorf("attribute %q of the executor: %w", name, err)
	}
	return nil
}
