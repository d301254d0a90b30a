package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/exchange"
)

// plan contains the driver's parameters.
type plan struct {
	header worker.Header
	pool   string        // pool of the driver's jobs
	jobs   int           // number of concurrent jobs of all drivers in the pool
	time   time.Duration // time limit of a job
	slots  int           // slots of a job that has not yet reported a number
	poll   time.Duration // interval at which the driver looks at the jobs
	delay  time.Duration // how long another machine's data may stay invisible
	most   int           // maximum number of jobs per submission
	script func(worker, again string) string
}

const (
	// maxTries is how many lost jobs, or how many machine failures, a run may have before it is given up.
	maxTries = 3
	// maxWorks is the maximum number of works in a chunk, however short they are.
	maxWorks = 5000
	// minChunk is the minimum duration of a chunk if there is enough work.
	minChunk = time.Minute
	// ahead is how long the jobs must be able to work without a driver.
	ahead = 24 * time.Hour
	// durable is the time after which data passed to Take is certain to be on disk.
	durable = time.Second
	// preparation is how long the driver writes chunks before it looks at the jobs again.
	preparation = time.Second
	// patience is how long submissions may fail before the stage fails.
	patience = 30 * time.Minute
)

// The states of a task.
const (
	waiting byte = iota
	inChunk
	done
	stopped // given up
)

type task struct {
	state  byte
	tries  uint8 // number of jobs lost while executing the task
	failed uint8 // number of machine failures, and of failures on a single node
}

// driver puts works into chunks, submits jobs that take the chunks, and collects results. It runs in one goroutine.
type driver struct {
	plan
	w     world
	log   *slog.Logger
	order *worker.Order
	// prepare puts a work's files into the exchange folder. If again is true, existing files may be damaged.
	prepare func(w *worker.Work, again bool) error

	known      notes
	index      map[string]int32 // task numbers by id; see find
	tasks      []task
	pending    []int32 // numbers of waiting tasks, in ascending order
	open       int     // number of tasks that are neither done nor stopped
	chunks     []*chunk
	jobsByName map[string]*job // jobs in the pool
	met        map[string]bool // names of workers already met
	lostOnes   map[string]bool // names of workers that were lost
	excluded   []string        // nodes that jobs must avoid
	nodes      map[string]*nodeState
	failedOn   map[int32]string // task number → node on which works failed, perhaps through no fault of the node
	alone      bool             // whether works fail on all available nodes
	overBudget bool             // whether the log says that no further nodes will be excluded
	row        []string         // reasons why consecutive jobs executed no run, since a worker last started
	rowBegan   time.Time
	worked     bool // whether any worker has started
	listed     time.Time
	listWarn   string
	submitBad  time.Time // when submissions began to fail; zero if they succeed
	notBefore  time.Time // no submission before this time
	finished   int       // number of finished jobs
	told       string
	toldAt     time.Time
}

// chunk is a set of works for one job.
type chunk struct {
	exchange.Ticket
	tasks []int32 // tasks without a result
	taker *taker  // job that has taken the chunk; nil if unknown or none
	// vanished is when the chunk first had neither a ticket nor a taker; zero if it has one.
	vanished time.Time
	quiet    time.Time // when the chunk ran out of tasks; zero if tasks remain
	// back contains tasks to put into another chunk once this chunk is gone. A task is never in two chunks, even if
	// another driver takes over.
	back []int32
}

func (c *chunk) folder() string { return exchange.ChunksFolder + "/" + c.Chunk() }

func (d *driver) ticket(c *chunk) string { return d.tickets() + "/" + c.Name() }

func (d *driver) tickets() string { return exchange.TicketsFolder + "/" + d.pool }

// newDriver returns a driver for an order.
func newDriver(p plan, w world, log *slog.Logger, o *worker.Order, prepare func(*worker.Work, bool) error) *driver {
	d := &driver{plan: p, w: w, log: log, order: o, prepare: prepare, index: make(map[string]int32, len(o.Tasks)),
		tasks: make([]task, len(o.Tasks)), open: len(o.Tasks), nodes: map[string]*nodeState{},
		failedOn: map[int32]string{}, jobsByName: map[string]*job{}, met: map[string]bool{},
		lostOnes: map[string]bool{}}
	for k := range o.Tasks {
		d.index[o.Tasks[k].ID] = int32(k)
	}
	return d
}

// run executes the order.
func (d *driver) run(ctx context.Context, token string) error {
	if err := d.attach(ctx, token); err != nil {
		return err
	}
	for {
		more, err := d.step(ctx)
		if fatal, ok := errors.AsType[*fatalError](err); ok {
			d.cancel(ctx, func(int, *job) bool { return true })
			err = fatal.err
		}
		if err != nil {
			return err
		}
		if d.open == 0 {
			return d.leave(ctx)
		}
		if more && ctx.Err() == nil {
			continue
		}
		if err := d.w.sleep(ctx, d.poll); err != nil {
			return err
		}
	}
}

// step checks everything once. more is true if there was no time to write all chunks.
func (d *driver) step(ctx context.Context) (more bool, err error) {
	d.look(ctx)
	d.seek()
	for _, c := range d.chunks {
		if err := d.collect(c); err != nil {
			return false, err
		}
	}
	if err := errors.Join(d.settle(), d.settleJobs()); err != nil {
		return false, err
	}
	if err := d.clean(); err != nil {
		return false, err
	}
	more, err = d.supply(ctx)
	d.tell()
	return more, err
}

// attach reads the notes and finds the chunks that other drivers have left.
func (d *driver) attach(ctx context.Context, token string) error {
	content, err := d.w.notes()
	if err != nil {
		return err
	}
	d.known = readNotes(content)
	d.known.token = cmp.Or(d.known.token, token)
	for _, name := range d.known.old {
		if err := d.w.remove(exchange.ChunksFolder + "/" + name); err != nil {
			return err
		}
	}
	for _, t := range d.known.open { // only jobs that have already started may take these chunks
		if d.known.pool != d.pool {
			if err := d.w.remove(exchange.TicketsFolder + "/" + d.known.pool + "/" + t.Name()); err != nil {
				return err
			}
		}
	}
	d.known.pool = d.pool
	if err := d.w.renote(d.known.content()); err != nil {
		return err
	}
	for _, t := range d.known.open {
		if err := d.adopt(ctx, &chunk{Ticket: t}); err != nil {
			return err
		}
	}
	for k := range d.tasks {
		if d.tasks[k].state == waiting {
			d.pending = append(d.pending, int32(k))
		}
	}
	return nil
}

// adopt takes over another driver's chunk with the works that have no result yet.
func (d *driver) adopt(ctx context.Context, c *chunk) error {
	content, err := d.readWorks(ctx, c)
	if err != nil {
		return err
	}
	_, _ = exchange.Lines(content, func(line []byte) error {
		if k, n, ok := d.find(idOf(line)); ok && n == 0 && d.tasks[k].state == waiting {
			d.tasks[k].state = inChunk
			c.tasks = append(c.tasks, k)
		}
		return nil
	})
	if len(c.tasks) == 0 { // all results are known or unwanted, or the chunk was never written
		c.quiet = d.w.now()
	}
	d.chunks = append(d.chunks, c)
	return nil
}

// readWorks reads a chunk's works. It returns nothing if they are missing, or too long to be the driver's own.
func (d *driver) readWorks(ctx context.Context, c *chunk) ([]byte, error) {
	const tries, part = 5, 1 << 20
	var content []byte
	for try := 1; ; {
		more, err := d.w.read(c.folder()+"/"+exchange.WorksFile, int64(len(content)), part)
		switch {
		case errors.Is(err, fs.ErrNotExist) || len(content) > maxLine:
			return nil, nil
		case err == nil && len(more) == 0:
			return content, nil
		case err == nil:
			content = append(content, more...)
		case try == tries:
			return nil, fmt.Errorf("read the works of chunk %s: %w", c.folder(), err)
		default:
			try++
			if err := d.w.sleep(ctx, d.poll); err != nil {
				return nil, err
			}
		}
	}
}

// seek finds the jobs that have taken chunks since the last call.
func (d *driver) seek() {
	names, err := d.w.names(d.tickets())
	if err != nil {
		return // the next attempt may succeed
	}
	free := make(map[string]bool, len(names))
	for _, name := range names {
		free[name] = true
	}
	for _, c := range d.chunks {
		if c.taker != nil || len(c.tasks) == 0 {
			continue
		}
		if free[c.Name()] {
			c.vanished = time.Time{}
			continue
		}
		if c.vanished.IsZero() {
			c.vanished = d.w.now()
		}
		names, _ := d.w.names(c.folder())
		for _, name := range names {
			if name != exchange.WorksFile && !strings.HasPrefix(name, ".") {
				c.taker = &taker{name: name, grew: d.w.now()}
			}
		}
	}
}

// settle abandons chunks whose job is gone. Their unfinished tasks go into other chunks.
func (d *driver) settle() error {
	for _, c := range d.chunks {
		if len(c.tasks) == 0 || !d.gone(c) {
			continue
		}
		if err := d.collectAgain(c); err != nil {
			return err
		}
		if len(c.tasks) == 0 {
			continue
		}
		again, err := d.undone(c)
		if err != nil {
			return err
		}
		c.back = append(c.back, again...)
		c.tasks, c.quiet = nil, d.w.now()
	}
	return nil
}

// silence is how long a live job may appear silent. The job writes a sign of life every half delay, and each becomes
// visible within the full delay.
func (d *driver) silence() time.Duration { return 2 * d.delay }

// gone reports whether the job that took a chunk no longer exists and all of its data is visible.
func (d *driver) gone(c *chunk) bool {
	now := d.w.now()
	switch a := c.taker; {
	case a == nil:
		return !c.vanished.IsZero() && now.Sub(c.vanished) > d.silence()
	case a.end != nil:
		return true
	case now.Sub(a.grew) <= d.silence():
		return false
	default: // a running job gets more time: its machine may be very busy
		j := d.jobsByName[jobOf(a.name)]
		runs := j != nil && j.State == Running && d.alive(j) || !d.listed.After(a.grew)
		return !runs || now.Sub(a.grew) > 2*d.silence()+time.Minute
	}
}

func (d *driver) putBack(tasks []int32) {
	if len(tasks) == 0 {
		return
	}
	for _, k := range tasks {
		d.tasks[k].state = waiting
	}
	d.pending = append(d.pending, tasks...)
	slices.Sort(d.pending)
}

// undone handles the tasks that a job left unfinished.
func (d *driver) undone(c *chunk) (again []int32, err error) {
	a := c.taker
	switch {
	case a == nil || a.hello == nil || a.end != nil && a.end.Reason != exchange.EndDone:
		return c.tasks, nil // the job started none of the tasks
	case a.end != nil: // the job claims to have executed the tasks
		return d.retry(c.tasks, len(c.tasks), fmt.Sprintf("its results were missing or damaged %d times, most "+
			"recently in %s/%s%s", maxTries, c.folder(), a.name, a.said()))
	}
	// The job died during runs. One of the works in progress may be the cause.
	d.lost(c)
	return d.retry(c.tasks, max(a.hello.Slots, 1), fmt.Sprintf("the job was lost in the middle of the run, %d times; "+
		"the last was %s on %s%s", maxTries, a.name, a.hello.Host, a.said()))
}

// retry returns the tasks to execute again. It counts a lost job for the first tasks, the suspects, and gives up tasks
// that have lost maxTries jobs, for the reason why.
func (d *driver) retry(tasks []int32, suspects int, why string) (again []int32, err error) {
	for i, k := range tasks {
		t := &d.tasks[k]
		if i < suspects {
			t.tries++
		}
		if t.tries < maxTries {
			again = append(again, k)
		} else if err := d.stop(k, why); err != nil {
			return nil, err
		}
	}
	return again, nil
}

// stop gives up a task.
func (d *driver) stop(k int32, why string) error {
	t := &d.order.Tasks[k]
	results := make([]*worker.Result, max(t.Group, 1))
	for n := range results {
		f := &worker.Failure{Kind: worker.FailMachine, Text: why}
		results[n] = &worker.Result{ID: t.WorkID(n), Failure: f}
	}
	_, err := d.take(k, results, stopped)
	return err
}

// take passes on a task's results, and reports whether the task must be executed again.
func (d *driver) take(k int32, results []*worker.Result, s byte) (again bool, err error) {
	if again, err = d.order.Take(int(k), results); again && s == done {
		return true, err
	}
	d.tasks[k].state = s
	d.open--
	return false, err
}

// clean removes complete chunks once their results are certain to be on disk.
func (d *driver) clean() error {
	var gone []int
	var back []int32
	d.chunks = slices.DeleteFunc(d.chunks, func(c *chunk) bool {
		if c.quiet.IsZero() || d.w.now().Sub(c.quiet) < durable {
			return false
		}
		if err := errors.Join(d.w.remove(d.ticket(c)), d.w.remove(c.folder())); err != nil {
			d.log.Warn("a chunk cannot be removed; it is tried again", "chunk", c.folder(), "error", err)
			return false
		}
		gone, back = append(gone, c.Number), append(back, c.back...)
		return true
	})
	if len(gone) > 0 {
		if err := d.write(note{Gone: gone}); err != nil {
			return err
		}
	}
	d.putBack(back)
	return nil
}

// leave cancels the jobs that have taken nothing, and removes the chunks and the jobs' output.
func (d *driver) leave(ctx context.Context) error {
	d.cancel(ctx, func(_ int, j *job) bool { return j.State == Queued }) // running jobs end by themselves
	for _, c := range d.chunks {
		if c.quiet.IsZero() {
			c.quiet = d.w.now()
		}
	}
	for len(d.chunks) > 0 {
		if err := d.w.sleep(ctx, durable); err != nil {
			return err
		}
		before := len(d.chunks)
		if err := d.clean(); err != nil {
			return err
		}
		if len(d.chunks) == before {
			break // the next driver removes the rest
		}
	}
	d.forget()
	return nil
}

// heartbeat is the interval at which an unchanged status is repeated, to show that the driver is alive.
const heartbeat = time.Minute

// tell reports the number of jobs.
func (d *driver) tell() {
	if d.order.Status == nil {
		return
	}
	waits, runs, why := 0, 0, ""
	for _, j := range d.live() {
		if j.State == Running {
			runs++
			continue
		}
		waits++
		why = cmp.Or(why, j.Text)
	}
	text, now := fmt.Sprintf("jobs: %d queued, %d running, %d done", waits, runs, d.finished), d.w.now()
	if runs == 0 && why != "" {
		text = fmt.Sprintf("jobs: %d queued (%s), %d running, %d done", waits, why, runs, d.finished)
	}
	if len(d.lostOnes) > 0 {
		text += fmt.Sprintf(", %d lost", len(d.lostOnes))
	}
	if len(d.excluded) > 0 {
		text += "; excluded nodes: " + strings.Join(d.excluded, ", ")
	}
	if text != d.told || now.Sub(d.toldAt) >= heartbeat {
		d.told, d.toldAt = text, now
		d.order.Status(text)
	}
}
