package exchange

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/smtpipe/smtpipe/internal/exec/worker"
)

// Job is the worker in a batch job. It takes chunks from its pool until there are none left.
type Job struct {
	Exchange string // path of the exchange folder
	Pool     string
	Name     string        // JOB-RANDOM, part of the names of its worker file and its results files
	Header   worker.Header // header of all chunks in the pool
	Within   time.Duration // time left for the job; no run starts whose limit ends later; 0 means no limit
	Delay    time.Duration // how long written data may stay invisible to other machines
	Again    string        // command that starts the job again; may be empty
}

// Flags defines a worker's flags, as used in a job's script.
func (j *Job) Flags(flags *flag.FlagSet) {
	const of = "of the exchange folder: "
	flags.StringVar(&j.Exchange, "exchange", "", "execute chunks from this exchange folder, as jobs of the executors "+
		"\"slurm\" and \"batch\" do")
	flags.StringVar(&j.Pool, "pool", "", of+"the pool of chunks for the job")
	flags.StringVar(&j.Name, "name", "", of+"the unique name of the job's result files")
	flags.Func("header", of+"the first line of each chunk, which states its requirements", func(text string) error {
		return json.Unmarshal([]byte(text), &j.Header)
	})
	flags.DurationVar(&j.Within, "within", 0, of+"begin no run whose limit ends later (default no limit)")
	flags.DurationVar(&j.Delay, "delay", 0, of+"how long a file may take to become visible on other machines")
	flags.StringVar(&j.Again, "again", "", of+"a command that starts the job again, if it has no time for the chunks that "+
		"are left")
}

// ErrMore reports that the job has no time for the remaining chunks and will not be restarted.
var ErrMore = errors.New("there are chunks for which the job has no time")

// ExitCode returns the exit code for an error that Serve returned, or other for any other error.
func ExitCode(err error, other int) int {
	switch {
	case errors.Is(err, ErrMore):
		return ExitAgain
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return ExitFull
	}
	return other
}

// End is the last line of a results file if the job ended by itself.
type End struct {
	Reason string `json:"reason"`
}

// The reasons for ending.
const (
	EndDone      = "done"
	EndTime      = "time"      // the job would end before the run's limit
	EndWithdrawn = "withdrawn" // the driver removed the chunk
	EndStopped   = "stopped"   // a signal stopped the job
)

// A job's exit codes. Most come from the job's script, before a worker exists that could report why it executes no run.
// ExitFull also comes from a worker that cannot write, and ExitAgain from a worker without time for all chunks. Several
// batch systems restart a job that exits with ExitAgain.
const (
	ExitNoFolder  = 71 // the exchange folder is missing
	ExitNoProgram = 72 // the program in the exchange folder is not executable
	ExitReadOnly  = 73 // the exchange folder is not writable
	ExitFull      = 74 // the file system is full
	ExitAgain     = 99
)

// Serve executes chunks as long as the job can take any. open starts the executor.
func (j *Job) Serve(ctx context.Context, open func(worker.Header) (worker.Executor, error)) error {
	more, err := j.serve(ctx, open)
	switch {
	case err != nil || !more || ctx.Err() != nil:
		return err
	case j.Again == "":
		return ErrMore
	}
	cmd := exec.Command("sh", "-c", j.Again)
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// serve is Serve without the final steps. more is true if the job has no time for the remaining chunks.
func (j *Job) serve(ctx context.Context, open func(worker.Header) (worker.Executor, error)) (more bool, err error) {
	begun := time.Now()
	path := filepath.Join(j.Exchange, WorkersFolder, j.Pool, j.Name)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY|syscall.O_NOFOLLOW, 0o644)
	if err != nil {
		return false, err
	}
	defer f.Close()
	log := NewSession(&node{out: f}, time.Time{})
	host, _ := os.Hostname() // only for display and for the driver's list of nodes
	host = cmp.Or(os.Getenv("SLURMD_NODENAME"), host)
	x, err := open(j.Header)
	if err != nil {
		refusal := worker.Hello{Format: worker.ResultFormat, Error: err.Error(), Host: host}
		return false, errors.Join(err, log.Write(refusal))
	}
	s := &service{Job: j, x: x, blobs: NewBlobs(filepath.Join(j.Exchange, BlobsFolder)), hello: x.Hello(),
		slots: make(chan struct{}, x.Hello().Slots)}
	if j.Within > 0 {
		s.ends = begun.Add(j.Within)
	}
	s.hello.ReferenceS, s.hello.Host = worker.Reference(), host
	if err = log.Write(s.hello); err == nil {
		err = s.work(ctx)
	}
	if err == nil {
		err = log.Finish(EndDone)
	}
	return s.more, errors.Join(err, x.Close())
}

// service is a job in progress.
type service struct {
	*Job
	x       worker.Executor
	blobs   *Blobs
	hello   worker.Hello
	ends    time.Time // when the job ends; zero means no limit
	slots   chan struct{}
	now     *taken // chunk whose works are being started
	before  bool   // whether the job has taken a chunk before
	more    bool
	failed  atomic.Int32   // number of consecutive failed tasks
	working errgroup.Group // waits for the chunks taken
}

// taken is a chunk that the job has taken.
type taken struct {
	*Session
	in     *json.Decoder
	active sync.WaitGroup
	close  func(reason string) // called when the last work has started
}

// work executes chunks until there are none. The next chunk starts as soon as a slot finds no more work in the last
// one.
func (s *service) work(ctx context.Context) error {
	var err error
	for err == nil {
		s.slots <- struct{}{} // freed when a work ends
		var works []*worker.Work
		if works, err = s.next(ctx); works == nil {
			break
		}
		c := s.now
		c.active.Add(1)
		go func() {
			defer func() { <-s.slots; c.active.Done() }()
			_ = s.execute(ctx, c.Session, works) // execute reports write errors as the chunk's error
		}()
	}
	if s.now != nil {
		s.now.close(EndStopped)
	}
	return errors.Join(err, s.working.Wait())
}

// next returns the works of the next task, or nil if there is none.
func (s *service) next(ctx context.Context) ([]*worker.Work, error) {
	for {
		if s.now == nil {
			if err := s.claim(ctx); s.now == nil || err != nil {
				return nil, err
			}
		}
		works, err := worker.ReadTask(func() (*worker.Work, error) {
			w := &worker.Work{}
			return w, s.now.in.Decode(w)
		})
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("read a work: %w", err)
		}
		if err == nil && s.now.MayBegin(ctx, works) {
			return works, nil
		}
		s.more = s.more || s.now.End() == EndTime
		failed := s.now.failed()
		s.now.close(cmp.Or(s.now.End(), EndDone))
		if s.now = nil; failed != nil || ctx.Err() != nil {
			return nil, failed
		}
	}
}

// claim takes the pool's next chunk. If there is none, it waits for a while, unless too many tasks have failed.
func (s *service) claim(ctx context.Context) error {
	folder := filepath.Join(s.Exchange, TicketsFolder, s.Pool)
	for until := time.Now().Add(Patience(s.Delay)); ctx.Err() == nil && s.failed.Load() < MostFailures; {
		left := time.Duration(1<<63 - 1)
		if !s.ends.IsZero() {
			left = time.Until(s.ends)
		}
		names, _ := Names(folder) // on an error, the next attempt may succeed
		fit, more := Choose(names, left, !s.before)
		for _, name := range fit {
			if err := s.take(filepath.Join(folder, name)); err != nil || s.now != nil {
				return err
			}
		}
		if s.more = more; more {
			return nil
		}
		if len(s.slots) > 1 { // other slots are still busy
			until = time.Now().Add(Patience(s.Delay))
		}
		if time.Now().After(until) {
			return nil
		}
		select {
		case <-ctx.Done():
		case <-time.After(min(lookEvery, s.Delay/4+time.Millisecond)):
		}
	}
	return nil
}

// Names returns the names in a folder. A missing folder counts as empty.
func Names(folder string) ([]string, error) {
	f, err := os.Open(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// take takes the chunk of a ticket unless another job took it first.
func (s *service) take(path string) error {
	t, _ := ReadTicket(filepath.Base(path))
	folder := filepath.Join(s.Exchange, ChunksFolder, t.Chunk())
	name := filepath.Join(folder, s.Name)
	if err := os.Rename(path, name); err != nil {
		// A network file system may have renamed the file, lost the reply, and retried.
		if _, there := os.Lstat(name); there != nil {
			return nil
		}
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	c := &taken{Session: NewSession(&node{folder, f}, s.ends)}
	chunk, err := Open(filepath.Join(folder, WorksFile))
	if errors.Is(err, fs.ErrNotExist) {
		return errors.Join(c.Finish(EndWithdrawn), f.Close())
	}
	if err == nil {
		err = c.Write(s.hello)
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	c.in = json.NewDecoder(bufio.NewReaderSize(chunk, 1<<16))
	if err := c.in.Decode(&worker.Header{}); err != nil {
		return errors.Join(fmt.Errorf("read the header of the chunk: %w", err), chunk.Close(), f.Close())
	}
	s.now, s.before = c, true
	begun := make(chan string, 1)
	c.close = func(reason string) { begun <- reason }
	s.working.Go(func() error { return errors.Join(s.accompany(c, begun), chunk.Close(), f.Close()) })
	return nil
}

// accompany writes signs of life, and the chunk's last line once its works have ended.
func (s *service) accompany(c *taken, begun <-chan string) error {
	pulse := time.NewTicker(Pulse(s.Delay))
	defer pulse.Stop()
	ended := make(chan string, 1)
	go func() {
		reason := <-begun
		c.active.Wait()
		ended <- reason
	}()
	for {
		select {
		case reason := <-ended:
			return c.Finish(reason)
		case <-pulse.C:
			c.Live()
		}
	}
}

// execute executes a task's works and writes their results. Interrupted runs have no results.
func (s *service) execute(ctx context.Context, c *Session, works []*worker.Work) error {
	results := worker.Perform(ctx, s.x, works, func(w *worker.Work) error { return w.Fill(s.blobs.Read) })
	if results == nil {
		return nil
	}
	if s.failed.Add(1); worker.FailureIn(results) == nil {
		s.failed.Store(0)
	}
	all := make([]any, len(results))
	for i, r := range results {
		all[i] = r
	}
	return c.Write(all...)
}

// Chunk returns the content of WorksFile.
func Chunk(h worker.Header, works []*worker.Work) ([]byte, error) {
	h.Format = worker.WorkFormat
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(h); err != nil {
		return nil, err
	}
	for _, w := range works {
		if err := enc.Encode(w); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}
