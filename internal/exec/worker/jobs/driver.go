package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/exchange"
)

// plan holds the parameters of the driver.
type plan struct {
	header worker.Header
	jobs   int           // concurrent
	time   time.Duration // of a job
	slots  int           // of a job that has not reported its own
	poll   time.Duration // between looks
	delay  time.Duration // for which another machine's data may be invisible
	most   int           // chunks of a wave
	script func(chunk, attempt string) string
}

const (
	// maxBarren is the number of jobs that may end without a run before the chunk is given up. maxTries is the number
	// of jobs that a run may lose, or of its failures of the machine.
	maxBarren = 3
	maxTries  = 3
	// maxWorks is the largest number of works in a chunk, however short they are.
	maxWorks = 5000
	// minChunk is the shortest time of a chunk, if there is enough work.
	minChunk = time.Minute
	// durable is the time after which data passed to Take is certainly on disk.
	durable = time.Second
	// preparation is the time after which an incomplete chunk or wave is submitted, so that the first jobs need not
	// wait until all scripts are in the exchange folder.
	preparation = time.Second
	// patience is how long submitting may fail before the stage does.
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
	tries  uint8 // jobs lost in the middle of it
	failed uint8 // failures of the machine, or on one node only
	barren uint8 // jobs with it that executed no run
}

// driver puts works into chunks, submits them, and takes results, in one goroutine.
type driver struct {
	plan
	w     world
	log   *slog.Logger
	order *worker.Order
	// prepare puts the files of a work into the exchange folder. again means that they may be damaged there.
	prepare func(w *worker.Work, again bool) error

	token      string
	waves      []*wave
	index      map[string]int32 // tasks by id; see find
	tasks      []task
	pending    []int32 // the tasks that wait, ascending
	open       int     // tasks that are not done or stopped
	chunks     []*chunk
	excluded   []string // nodes
	unwanted   []string // jobs to be cancelled
	nodes      map[string]*nodeState
	failedOn   map[int32]string // nodes on which works failed that may not be at fault, by task
	alone      bool             // there are no other nodes than those on which works fail
	overBudget bool             // it was said
	row        []string         // what jobs said that made no run, since a worker began
	rowBegan   time.Time
	worked     bool // a worker has begun
	nLost      int  // jobs, in the middle of runs
	listed     time.Time
	listWarn   string
	submitBad  time.Time // when submitting began to fail; zero: it does not fail
	notBefore  time.Time // nothing is submitted
	finished   int       // jobs
	repeated   int       // results that were there already
	told       string
	toldAt     time.Time
}

// chunk is works that one job executes.
type chunk struct {
	wave  *wave
	index int
	tasks []int32 // that have no result
	noted bool    // submitted by another driver, which may not have got that far
	id    string  // of the job; empty: not listed yet
	state State
	node  string // where the job is or was; empty: not known
	why   string // it is not running yet
	ended string // how the job ended, for people; empty: not known
	exit  int    // the exit code of its script
	// cancelled means that somebody ended the job.
	cancelled bool
	started   bool      // it was seen running
	seen      time.Time // listed, or submitted
	quiet     time.Time // when it ran out of tasks; zero: it has some
	over      bool      // it does not restart
	// back holds tasks that are submitted again after the chunk is gone, so that no task is ever in two chunks, even
	// with another driver.
	back []int32

	attempts []*attempt
}

func (c *chunk) folder() string {
	return fmt.Sprintf("%s/%s%d", exchange.ChunksFolder, c.wave.chunks, c.index)
}

// newDriver prepares the execution of an order.
func newDriver(p plan, w world, log *slog.Logger, o *worker.Order, prepare func(*worker.Work, bool) error) *driver {
	d := &driver{plan: p, w: w, log: log, order: o, prepare: prepare, index: make(map[string]int32, len(o.Tasks)),
		tasks: make([]task, len(o.Tasks)), open: len(o.Tasks), nodes: map[string]*nodeState{},
		failedOn: map[int32]string{}}
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
		if err := d.step(ctx); err != nil {
			if fatal, ok := errors.AsType[*fatalError](err); ok {
				d.withdraw(ctx)
				err = fatal.err
			}
			return err
		}
		if d.open == 0 {
			return d.leave(ctx)
		}
		if err := d.w.sleep(ctx, d.poll); err != nil {
			return err
		}
	}
}

// step looks once at everything.
func (d *driver) step(ctx context.Context) error {
	d.look(ctx)
	for _, c := range d.chunks {
		if err := d.collect(c); err != nil {
			return err
		}
	}
	if err := d.settle(); err != nil {
		return err
	}
	if err := d.clean(); err != nil {
		return err
	}
	d.unwanted = slices.DeleteFunc(d.unwanted, func(id string) bool {
		return !slices.ContainsFunc(d.chunks, func(c *chunk) bool { return c.id == id && !c.over && c.ended == "" })
	})
	if len(d.unwanted) > 0 && d.w.Cancel(ctx, d.unwanted) == nil {
		d.unwanted = nil
	}
	err := d.submitWaves(ctx)
	d.tell()
	return err
}

// attach reads the notes and finds the chunks that other drivers have left.
func (d *driver) attach(ctx context.Context, token string) error {
	content, err := d.w.notes()
	if err != nil {
		return err
	}
	d.token, d.waves = readNotes(content)
	if d.token == "" {
		d.token = token
	}
	if err := d.w.renote(noteAll(d.token, d.waves)); err != nil {
		return err
	}
	for _, w := range d.waves {
		for i := range w.size {
			if w.gone[i] {
				continue
			}
			if err := d.adopt(ctx, &chunk{wave: w, index: i, seen: d.w.now(), noted: true}); err != nil {
				return err
			}
		}
	}
	for k := range d.tasks {
		if d.tasks[k].state == waiting {
			d.pending = append(d.pending, int32(k))
		}
	}
	return nil
}

// adopt takes a chunk of another driver, with the works that have no result yet.
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
	if len(c.tasks) == 0 { // its results are known or unwanted, or it was never written
		c.quiet = c.seen
	}
	d.chunks = append(d.chunks, c)
	return nil
}

// readWorks reads the works of a chunk, or none if they are missing.
func (d *driver) readWorks(ctx context.Context, c *chunk) ([]byte, error) {
	const tries, part = 5, 1 << 20
	var content []byte
	for try := 1; ; {
		more, err := d.w.read(c.folder()+"/"+exchange.WorksFile, int64(len(content)), part)
		switch {
		case err == nil && len(more) == 0:
			return content, nil
		case err == nil:
			content = append(content, more...)
		case notThere(err) || len(content) > maxLine:
			return nil, nil
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

// look asks the batch system for the existing jobs.
func (d *driver) look(ctx context.Context) {
	jobs, err := d.w.List(ctx)
	if err != nil {
		if ctx.Err() == nil && d.listWarn != err.Error() {
			d.listWarn = err.Error()
			d.log.Warn("the batch system does not list the jobs; it is asked again", "error", err)
		}
		return
	}
	d.listWarn, d.listed = "", d.w.now()
	type place struct {
		name  string
		index int
	}
	live := make(map[place]*chunk, len(d.chunks))
	for _, c := range d.chunks {
		live[place{jobName(d.token, c.wave.number), c.index}] = c
	}
	for _, e := range jobs {
		if c := live[place{e.Name, e.Index}]; c != nil && e.State == Ended {
			c.id, c.node, c.exit, c.ended, c.cancelled = e.ID, cmp.Or(e.Node, c.node), e.Exit, e.Text, e.Cancelled
		}
	}
	prefix := strings.TrimSuffix(jobName(d.token, 0), "0")
	var orphans []string
	for _, e := range jobs {
		if e.State == Ended || !strings.HasPrefix(e.Name, prefix) {
			continue
		}
		c := live[place{e.Name, e.Index}]
		if c == nil {
			orphans = append(orphans, e.ID)
			continue
		}
		c.seen, c.id, c.state, c.ended, c.exit, c.why = d.listed, e.ID, e.State, "", 0, e.Text
		c.node = cmp.Or(e.Node, c.node)
		c.started = c.started || e.State == Running
	}
	if len(orphans) > 0 { // of a driver that died before noting them, or whose works are done
		_ = d.w.Cancel(ctx, orphans) // they end by themselves, since their chunks are gone
	}
}

// settle gives up the jobs that are gone, and requeues their unfinished tasks.
func (d *driver) settle() error {
	for _, c := range d.chunks {
		if c.over || !d.gone(c) {
			continue
		}
		if err := d.collectAgain(c); err != nil {
			return err
		}
		c.over = true
		d.finished++
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

// gone reports whether a job no longer exists and all its data is visible. A list may be older than the job, so the job
// must be missing for a while, unless it has reported its end itself.
func (d *driver) gone(c *chunk) bool {
	if !d.listed.After(c.seen) {
		return false
	}
	if last := c.last(); last != nil && last.end != nil && (c.started || c.noted) {
		return true
	}
	return d.listed.Sub(c.seen) >= d.delay
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

// undone handles the work that a job has left.
func (d *driver) undone(c *chunk) (again []int32, err error) {
	last := c.last()
	switch {
	case last == nil && c.ended == "" && (c.noted || c.id == "" && c.wave.job == ""):
		return c.tasks, nil // it was never submitted, as far as anybody knows
	case last == nil || last.hello == nil && last.end == nil || last.hello != nil && last.hello.Error != "":
		return d.barren(c, d.faultOf(c, last))
	case last.end != nil && last.end.Reason != exchange.EndDone:
		return c.tasks, nil
	case last.end != nil:
		return d.invalid(c, last)
	}
	// It died in the middle: one of the works that were going on may be the reason.
	d.lost(c, last, cmp.Or(c.ended, "it is gone"))
	for i, k := range c.tasks {
		t := &d.tasks[k]
		t.barren = 0
		if i < max(last.hello.Slots, 1) {
			t.tries++
		}
		if t.tries < maxTries {
			again = append(again, k)
		} else if err := d.stop(k, fmt.Sprintf("the job was lost in the middle of the run, %d times; the last was "+
			"%s on %s%s", maxTries, last.name, last.hello.Host, last.said())); err != nil {
			return nil, err
		}
	}
	return again, nil
}

// invalid handles the works that a job claims to have executed, but whose results are missing or damaged.
func (d *driver) invalid(c *chunk, last *attempt) (again []int32, err error) {
	for _, k := range c.tasks {
		t := &d.tasks[k]
		if t.tries++; t.tries < maxTries {
			again = append(again, k)
		} else if err := d.stop(k, fmt.Sprintf("its results were missing or damaged %d times; the last were to be in "+
			"%s/%s%s", maxTries, c.folder(), last.name, last.said())); err != nil {
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

// take passes the results of a task on, and reports whether others are needed.
func (d *driver) take(k int32, results []*worker.Result, s byte) (again bool, err error) {
	if again, err = d.order.Take(int(k), results); again && s == done {
		return true, err
	}
	d.tasks[k].state = s
	d.open--
	return false, err
}

// clean removes chunks with all results, once these are surely on the disk.
func (d *driver) clean() error {
	gone := map[*wave][]int{}
	var back []int32
	d.chunks = slices.DeleteFunc(d.chunks, func(c *chunk) bool {
		if c.quiet.IsZero() || d.w.now().Sub(c.quiet) < durable {
			return false
		}
		if err := d.w.remove(c.folder()); err != nil {
			d.log.Warn("a chunk cannot be removed; it is tried again", "chunk", c.folder(), "error", err)
			return false
		}
		if !c.over {
			d.finished++
		}
		c.wave.gone[c.index] = true
		gone[c.wave] = append(gone[c.wave], c.index)
		back = append(back, c.back...)
		return true
	})
	for _, w := range d.waves {
		if len(gone[w]) > 0 {
			if err := d.write(note{Wave: w.number, Gone: gone[w]}); err != nil {
				return err
			}
		}
	}
	d.putBack(back)
	return nil
}

// withdraw cancels all jobs, because they would only fail.
func (d *driver) withdraw(ctx context.Context) {
	var ids []string
	for _, c := range d.chunks {
		if !c.over && c.id != "" && c.ended == "" {
			ids = append(ids, c.id)
		}
	}
	_ = d.w.Cancel(ctx, ids) // the next driver finds those that are left
}

// leave cancels remaining jobs whose works have results, and removes their chunks.
func (d *driver) leave(ctx context.Context) error {
	var ids []string
	for _, c := range d.chunks {
		if len(c.tasks) == 0 && !c.over && c.id != "" {
			ids = append(ids, c.id)
		}
		if c.quiet.IsZero() {
			c.quiet = d.w.now()
		}
	}
	if len(ids) > 0 {
		_ = d.w.Cancel(ctx, ids) // without works they end by themselves
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
			break // the next driver removes them
		}
	}
	if d.repeated > 0 {
		d.log.Info("jobs that had been given up continued; the first result of each run counts", "repeated",
			d.repeated)
	}
	return nil
}

// heartbeat is the interval at which an unchanged status is repeated, which shows that the driver lives.
const heartbeat = time.Minute

// tell reports the number of jobs.
func (d *driver) tell() {
	if d.order.Status == nil {
		return
	}
	waits, runs, why := 0, 0, ""
	for _, c := range d.chunks {
		switch {
		case c.over || len(c.tasks) == 0:
		case c.state == Running && c.id != "":
			runs++
		default:
			waits++
			why = cmp.Or(why, c.why)
		}
	}
	text, now := fmt.Sprintf("jobs: %d queued, %d running, %d done", waits, runs, d.finished), d.w.now()
	if runs == 0 && why != "" {
		text = fmt.Sprintf("jobs: %d queued (%s), %d running, %d done", waits, why, runs, d.finished)
	}
	if d.nLost > 0 {
		text += fmt.Sprintf(", %d lost", d.nLost)
	}
	if len(d.excluded) > 0 {
		text += "; excluded nodes: " + strings.Join(d.excluded, ", ")
	}
	if text != d.told || now.Sub(d.toldAt) >= heartbeat {
		d.told, d.toldAt = text, now
		d.order.Status(text)
	}
}
