// Package slurm is the executor that lets Slurm execute runs: works go into chunks in a folder that all nodes see,
// every chunk is a job of an array, and results are read while the jobs write them. Submissions are noted in the store,
// so that a restarted driver finds its jobs.
package slurm

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/exchange"
)

// Kind is executor "slurm".
var Kind = &worker.Kind{
	Name: "slurm",
	Doc:  "jobs of Slurm execute the runs of a stage; jobs is how many there are at one time",
	Attrs: []worker.Attr{
		{Name: "time", Type: cty.String, Required: true,
			Doc: `the time limit of one job, such as "8h"; chunks of runs are made to fit`},
		{Name: "partition", Type: cty.String, Doc: "the partition; default: Slurm's"},
		{Name: "exclusive", Type: cty.Bool,
			Doc: "a job has a node with all its slots; default: a job has the cores and the memory of one run"},
		{Name: "options", Type: cty.List(cty.String), Doc: `further options of sbatch, such as ["--qos=long"]`},
		{Name: "exchange", Type: cty.String,
			Doc: "the folder that this machine and all nodes see by the same path; default: exchange beside the pipeline"},
		{Name: "delay", Type: cty.String, Doc: "for how long a machine may not see what another one wrote there; " +
			`default: "60s"`},
		{Name: "poll", Type: cty.String, Doc: `how often jobs and results are checked; default: "10s"`},
	},
	PerJob: perJob,
	Open:   func(ctx context.Context, o worker.Options) (worker.Executor, error) { return open(ctx, o) },
}

// perJob returns the number of concurrent runs of a job: one, or as many as fit the declared hardware of a whole node.
func perJob(h worker.Header, values map[string]cty.Value) int {
	s := settings{values: values}
	if !s.holds("exclusive") {
		return 1
	}
	n := 0
	if found := coresOf.FindStringSubmatch(h.Hardware); found != nil {
		cores, _ := strconv.Atoi(found[1]) // digits
		n = cores / max(h.Cores, 1)
	}
	if found := memoryOf.FindStringSubmatch(h.Hardware); found != nil && h.MemoryBytes > 0 {
		gigabytes, _ := strconv.ParseInt(found[1], 10, 32)
		n = min(n, int(gigabytes*1e9/h.MemoryBytes))
	}
	return max(n, 1)
}

// Cores and memory in a hardware profile.
var (
	coresOf  = regexp.MustCompile(`\b(\d{1,6}) cores`)
	memoryOf = regexp.MustCompile(`\b(\d{1,9}) GB`)
)

// executor implements worker.Executor.
type executor struct {
	plan
	world *cluster
	blobs *exchange.Blobs
	log   *slog.Logger
	hello worker.Hello

	busy sync.Mutex // one order at a time
}

const (
	defaultJobs  = 1
	defaultDelay = time.Minute
	defaultPoll  = 10 * time.Second
	// maxWave is the largest number of elements of an array. Slurm allows 1001 by default.
	maxWave = 1000
	// overhead is the memory of the worker in addition to a run.
	overhead = 300e6
)

func open(ctx context.Context, o worker.Options) (*executor, error) {
	x := &executor{log: o.Log, plan: plan{header: o.Header, jobs: max(o.Jobs, defaultJobs),
		slots: perJob(o.Header, o.Settings), most: maxWave}}
	x.header.Jobs = 0
	s := settings{values: o.Settings}
	x.time, x.delay, x.poll = s.duration("time", 0), s.duration("delay", defaultDelay), s.duration("poll", defaultPoll)
	folder := s.text("exchange")
	if s.err != nil {
		return nil, s.err
	}
	if folder == "" {
		folder = "exchange"
	}
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(o.Folder, folder)
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	x.world = &cluster{folder: folder, state: o.State, options: x.options(&s, o.Header), within: x.time, delay: x.delay}
	x.blobs = exchange.NewBlobs(filepath.Join(folder, exchange.BlobsFolder))
	if x.world.program, err = x.putProgram(); err != nil {
		return nil, err
	}
	if err := x.world.try(ctx); err != nil {
		return nil, err
	}
	x.hello = worker.Hello{Format: worker.ResultFormat, Host: "Slurm", Hardware: o.Hardware, Isolation: o.Isolation,
		Slots: x.jobs}
	return x, nil
}

// options returns the options of sbatch for the resources of a job.
func (x *executor) options(s *settings, h worker.Header) []string {
	minutes := (x.time + time.Minute - 1) / time.Minute
	all := []string{"--nodes=1", "--ntasks=1", fmt.Sprintf("--time=%d", minutes)}
	if p := s.text("partition"); p != "" {
		all = append(all, "--partition="+p)
	}
	if s.holds("exclusive") {
		all = append(all, "--exclusive", "--mem=0")
	} else {
		all = append(all, fmt.Sprintf("--cpus-per-task=%d", max(h.Cores, 1)),
			fmt.Sprintf("--mem=%dK", (h.MemoryBytes+overhead+1023)/1024))
		x.header.Jobs = 1
	}
	return append(all, s.list("options")...)
}

// putProgram puts this program into the exchange folder, so that all nodes have the same one.
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
		return fmt.Errorf("a job of %s has no time for a run of %s and what is around it: give the executor a time of "+
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

// prepare puts the scripts and the trees of solvers of a work into the exchange folder.
func (x *executor) prepare(w *worker.Work, again bool) error {
	for i := range w.Inputs {
		if err := x.putFile(&w.Inputs[i], again); err != nil {
			return err
		}
	}
	if w.Stdin != nil {
		stdin := *w.Stdin
		w.Stdin = &stdin
		if err := x.putFile(w.Stdin, again); err != nil {
			return err
		}
	}
	for i, v := range w.Verify {
		if !v.Tree {
			continue // an installed program, which the node must have; otherwise the worker reports it
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

// settings holds the values of the block, read with the first error kept.
type settings struct {
	values map[string]cty.Value
	err    error
}

func (s *settings) there(name string) bool {
	v, ok := s.values[name]
	return ok && !v.IsNull()
}

func (s *settings) text(name string) string {
	if !s.there(name) {
		return ""
	}
	return s.values[name].AsString()
}

func (s *settings) holds(name string) bool { return s.there(name) && s.values[name].True() }

func (s *settings) list(name string) []string {
	if !s.there(name) {
		return nil
	}
	var all []string
	for _, v := range s.values[name].AsValueSlice() {
		all = append(all, v.AsString())
	}
	return all
}

// duration reads a time above zero.
func (s *settings) duration(name string, otherwise time.Duration) time.Duration {
	if !s.there(name) {
		return otherwise
	}
	d, err := comp.ParseDuration(s.values[name].AsString())
	if err == nil && d <= 0 {
		err = errors.New("it must be above zero")
	}
	if err != nil {
		s.err = errors.Join(s.err, fmt.Errorf("attribute %q of the executor \"slurm\": %w", name, err))
	}
	return d
}
