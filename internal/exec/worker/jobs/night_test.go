package jobs

import (
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/exchange"
)

// night is a world with virtual time: nodes, Slurm, workers and an exchange folder, with faults that a seed determines.
// Everything happens in one goroutine, so the same seed always produces the same night.
type night struct {
	rng     *rand.Rand
	t       *testing.T
	clock   time.Duration // time since the start of the night
	offset  time.Duration // offset of the driver's clock
	events  events
	serial  int
	nodes   []*node
	jobs    []*simJob // all jobs, in order of submission
	numbers int       // number of jobs so far
	byID    map[string]*simJob
	files   map[string]*file
	folders map[string][]string // file names of each folder, in order of creation
	ghosts  []ghost             // taken or removed tickets that may still be visible
	seen    map[string]int      // number of bytes of each file that the driver has seen
	journal []byte
	past    []snapshot // recent outputs of squeue
	over    []Job      // recently ended jobs
	killed  bool       // whether the driver is being killed
	quiet   bool       // whether faults have stopped

	runs     map[string]*simRun
	poison   string                   // run that takes its job down with it
	poisoned int                      // number of times the poison was started
	records  map[string]record        // content of the store
	results  map[string]time.Duration // when each run's first result appeared in the folder
	fresh    []string                 // records that the store loses if the driver is killed now
	again    int                      // number of runs started long after they had been recorded
	begun    int
	wasted   int           // number of runs started although their unread results had long been in the folder
	full     time.Duration // time until which the file system is full
	ops      map[string]int
	written  int64
	maxFiles int // largest number of files in a chunk
	maxDir   int
	faults   map[string]int
	kills    int
	status   func(string) // driver's status function; may be nil
}

type record struct {
	result string
	at     time.Duration
}

// simRun is a run with its duration and answer.
type simRun struct {
	id     string
	takes  time.Duration
	answer string
}

type node struct {
	name     string
	busy     *simJob
	downTo   time.Duration
	readOnly bool // whether the exchange folder is read-only on the node
	wrong    bool // whether the node has a different program, which makes every work fail
	refuses  bool // whether the node's worker refuses all works because of other hardware
}

// ghost is a file that was renamed or removed but may still be visible.
type ghost struct {
	name          string
	made, removed time.Duration
}

// simJob is an element of a job array.
type simJob struct {
	name    string // name of the submission
	index   int
	id      string // ARRAY_INDEX
	exclude []string
	state   string // PENDING or RUNNING; empty if the job has ended
	exit    int
	from    time.Duration
	node    *node
	worker  *simWorker // worker that Slurm knows
}

type snapshot struct {
	at   time.Duration
	list []Job
}

// simWorker is a worker. It is dead if its node is lost or if it could not create its file. It continues even if the
// batch system has given up its job.
type simWorker struct {
	n      *night
	job    *simJob
	on     *node
	name   string
	ends   time.Time
	now    *simChunk // chunk whose works are being started
	taken  []*simChunk
	before bool // whether the worker has taken a chunk before
	more   bool // whether the worker lacks time for the remaining chunks
	idle   time.Duration
	active int
	failed int // number of consecutive failed tasks
	dead   bool
}

// simChunk is a chunk that a worker has taken. It implements exchange.Site.
type simChunk struct {
	*exchange.Session
	w      *simWorker
	folder string
	works  []*worker.Work
	active int
	closed string // why no further work starts
	ended  bool
}

type file struct {
	content []byte
	writes  []write // file size after each write, in order of time
	made    time.Duration
}

type write struct {
	at   time.Duration
	size int
}

const (
	simPool  = "00000000"
	lag      = time.Minute // how long a write may stay invisible on other machines
	simSlots = 2
	simLimit = 20 * time.Minute
	jobTime  = 2 * time.Hour
)

// event is a scheduled call.
type event struct {
	at     time.Duration
	serial int
	do     func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(e[i].at, e[j].at), cmp.Compare(e[i].serial, e[j].serial)) < 0
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// killedDriver is the panic value of a killed driver.
type killedDriver struct{}

func newNight(t *testing.T, seed uint64, nodes, runs int) *night {
	n := &night{rng: rand.New(rand.NewPCG(seed, 21)), t: t, byID: map[string]*simJob{}, files: map[string]*file{},
		folders: map[string][]string{}, seen: map[string]int{}, runs: map[string]*simRun{},
		records: map[string]record{}, results: map[string]time.Duration{},
		ops: map[string]int{}, faults: map[string]int{}}
	for i := range nodes {
		n.nodes = append(n.nodes, &node{name: fmt.Sprintf("n%d", i+1)})
	}
	if nodes > 4 {
		n.nodes[n.rng.IntN(nodes)].readOnly = n.rng.IntN(2) == 0
		n.nodes[n.rng.IntN(nodes)].wrong = n.rng.IntN(2) == 0
		n.nodes[n.rng.IntN(nodes)].refuses = n.rng.IntN(2) == 0
	}
	for i := range runs {
		r := &simRun{id: fmt.Sprintf("%064x", i), takes: n.between(100*time.Millisecond, 10*time.Second)}
		switch p := n.rng.Float64(); {
		case p < 0.03:
			r.takes = simLimit
		case p < 0.15:
			r.takes = n.between(10*time.Second, 5*time.Minute)
		}
		r.answer = []string{"sat", "unsat", "unknown"}[n.rng.IntN(3)]
		n.runs[r.id] = r
	}
	n.after(n.between(0, 2*time.Minute), n.fault)
	n.after(time.Second, n.schedule)
	return n
}

func (n *night) between(from, to time.Duration) time.Duration {
	return from + time.Duration(n.rng.Int64N(int64(to-from)))
}

func (n *night) chance(p float64) bool { return n.rng.Float64() < p && !n.quiet }

func (n *night) after(d time.Duration, do func()) {
	n.serial++
	heap.Push(&n.events, event{n.clock + d, n.serial, do})
}

// op counts the driver's operations. It occasionally kills the driver before or after an operation takes effect.
func (n *night) op(name string, effect func()) {
	n.ops[name]++
	kill := n.killed || n.kills < 10 && n.chance(0.0002)
	if !kill || n.rng.IntN(2) == 0 {
		effect()
	}
	if kill {
		n.killed = true
		panic(killedDriver{})
	}
}

// The clock.

func (n *night) now() time.Time { return time.Unix(0, 0).Add(n.clock + n.offset) }

func (n *night) sleep(ctx context.Context, d time.Duration) error {
	n.op("sleep", func() {})
	n.fresh = nil // records are durable after a tenth of a second
	n.pass(d)
	return ctx.Err()
}

// pass advances the time by d.
func (n *night) pass(d time.Duration) {
	until := n.clock + d
	for len(n.events) > 0 && n.events[0].at <= until {
		e := heap.Pop(&n.events).(event)
		n.clock = e.at
		e.do()
	}
	n.clock = until
}

// The exchange folder.

var errStale = &fs.PathError{Op: "read", Path: "x", Err: syscall.ESTALE}

func (n *night) put(name string, content []byte) (err error) {
	n.op("put", func() {
		if n.clock < n.full {
			err = syscall.ENOSPC
			return
		}
		n.create(name, content)
	})
	return err
}

func (n *night) create(name string, content []byte) *file {
	folder := path.Dir(name)
	if n.folders[folder] == nil {
		n.maxDir = max(n.maxDir, len(n.folders)+1)
	}
	f := &file{content: content, made: n.clock, writes: []write{{n.clock, len(content)}}}
	n.files[name] = f
	n.folders[folder] = append(n.folders[folder], path.Base(name))
	n.maxFiles = max(n.maxFiles, len(n.folders[folder]))
	n.written += int64(len(content))
	return f
}

func (n *night) appendTo(name string, b []byte) bool {
	f := n.files[name]
	if f == nil {
		return false // the handle has become stale
	}
	f.content = append(f.content, b...)
	f.writes = append(f.writes, write{n.clock, len(f.content)})
	n.written += int64(len(b))
	return true
}

// visible returns how many bytes of a file existed at a given time.
func (f *file) visible(at time.Duration) int {
	for i := len(f.writes) - 1; i >= 0; i-- {
		if f.writes[i].at <= at {
			return f.writes[i].size
		}
	}
	return 0
}

func (n *night) someLag() time.Duration {
	if n.rng.IntN(2) == 0 {
		return 0
	}
	return n.between(0, lag)
}

func (n *night) names(folder string) (names []string, err error) {
	n.op("names", func() {
		if n.chance(0.001) {
			err = errStale
			return
		}
		names = n.visible(folder)
	})
	return names, err
}

// visible returns the names in a folder as of a random time within the lag.
func (n *night) visible(folder string) (names []string) {
	at := n.clock - n.someLag()
	for _, name := range n.folders[folder] {
		if f := n.files[folder+"/"+name]; f.made <= at {
			names = append(names, name)
		}
	}
	for _, g := range n.ghosts {
		if path.Dir(g.name) == folder && g.made <= at && g.removed > at {
			names = append(names, path.Base(g.name))
		}
	}
	return names
}

// unlink removes a file, which may stay visible for a while.
func (n *night) unlink(name string) {
	n.ghosts = slices.DeleteFunc(n.ghosts, func(g ghost) bool { return g.removed < n.clock-lag })
	n.ghosts = append(n.ghosts, ghost{name, n.files[name].made, n.clock})
	delete(n.files, name)
	folder, base := path.Split(name)
	folder = path.Clean(folder)
	n.folders[folder] = slices.DeleteFunc(n.folders[folder], func(other string) bool { return other == base })
}

func (n *night) read(name string, at int64, most int) (b []byte, err error) {
	n.op("read", func() {
		f := n.files[name]
		switch {
		case f == nil:
			err = fs.ErrNotExist
			return
		case n.chance(0.001):
			err = errStale
			return
		}
		size := max(n.seen[name], f.visible(n.clock-n.someLag()))
		if strings.HasSuffix(name, exchange.WorksFile) {
			size = len(f.content) // complete: this machine wrote and renamed the file
		} else if old := max(n.seen[name], f.visible(n.clock-lag)); size > old && n.rng.IntN(4) == 0 {
			size -= n.rng.IntN(size - old) // cut in the middle of a line
		}
		n.seen[name] = size
		if int(at) >= size {
			return
		}
		b = bytes.Clone(f.content[at:min(size, int(at)+most)])
		if young := f.visible(n.clock - lag); n.chance(0.01) && size > max(young, int(at)) {
			clear(b[max(young-int(at), 0):]) // the length is visible, but not yet the content
			n.faults["content behind its length"]++
		}
	})
	return b, err
}

func (n *night) remove(name string) (err error) {
	n.op("remove", func() {
		if n.files[name] != nil {
			n.unlink(name)
		}
		for _, file := range n.folders[name] {
			delete(n.files, name+"/"+file)
		}
		delete(n.folders, name)
	})
	return err
}

// The driver's notes.

func (n *night) notes() ([]byte, error) { return bytes.Clone(n.journal), nil }

func (n *night) note(line []byte) error {
	n.op("note", func() {
		if n.killed && n.rng.IntN(2) == 0 {
			line = line[:n.rng.IntN(len(line))]
		}
		n.journal = append(n.journal, line...)
	})
	return nil
}

func (n *night) renote(content []byte) error {
	n.op("renote", func() { n.journal = bytes.Clone(content) })
	return nil
}

// The batch system.

func (n *night) Submit(_ context.Context, s *Submission) (err error) {
	n.op("submit", func() {
		array := strconv.Itoa(n.numbers + 1)
		if n.chance(0.02) {
			err = errors.New("sbatch: error: Unable to contact slurm controller (connect failure)")
			n.faults["sbatch failed"]++
			if n.rng.IntN(2) == 0 {
				return // otherwise, the submission succeeded despite the error
			}
		}
		for i := range s.Size {
			n.numbers++
			j := &simJob{name: s.Name, index: i, id: array + "_" + strconv.Itoa(i), state: "PENDING",
				exclude: s.Exclude, from: n.clock + n.between(0, 30*time.Second)}
			n.jobs = append(n.jobs, j)
			n.byID[j.id] = j
		}
	})
	return err
}

func (n *night) active() []Job {
	all := slices.Clone(n.over)
	n.jobs = slices.DeleteFunc(n.jobs, func(j *simJob) bool { return j.state == "" })
	for _, j := range n.jobs {
		if j.state == "" {
			continue
		}
		e := Job{Name: j.name, Index: j.index, ID: j.id, State: Running}
		if j.node != nil {
			e.Node = j.node.name
		}
		if j.state == "PENDING" {
			e.State = Queued
		}
		all = append(all, e)
	}
	return all
}

func (n *night) List(context.Context) (all []Job, err error) {
	n.op("list", func() {
		if n.chance(0.02) {
			err = errors.New("slurm_load_jobs error: Socket timed out on send/recv operation")
			n.faults["squeue failed"]++
			return
		}
		all = n.active()
		n.past = append(n.past, snapshot{n.clock, all})
		for len(n.past) > 1 && n.past[0].at < n.clock-lag {
			n.past = n.past[1:]
		}
		if n.chance(0.05) {
			all = n.past[n.rng.IntN(len(n.past))].list
			n.faults["squeue was old"]++
		}
	})
	return all, err
}

func (n *night) Cancel(_ context.Context, ids []string) error {
	n.op("cancel", func() {
		for _, id := range ids {
			if j := n.byID[id]; j != nil {
				n.cancelJob(j)
			}
		}
	})
	return nil
}

// cancelJob ends a job with a signal. The worker still has time to write its last line.
func (n *night) cancelJob(j *simJob) {
	n.signal(j.worker)
	n.endJob(j)
}

func (n *night) endJob(j *simJob) {
	if j.node != nil && j.node.busy == j {
		j.node.busy = nil
	}
	over := Job{Name: j.name, Index: j.index, ID: j.id, State: Ended, Text: "FAILED", Exit: j.exit}
	if j.node != nil {
		over.Node = j.node.name
	}
	n.over = append(n.over, over)
	n.over = n.over[max(0, len(n.over)-20):] // Slurm forgets older jobs
	j.state, j.node, j.worker = "", nil, nil
}

// requeue puts a job back into the queue, as Slurm does if a node is lost or a job is preempted.
func (n *night) requeue(j *simJob) {
	if j.state == "" {
		return
	}
	if j.node != nil && j.node.busy == j {
		j.node.busy = nil
	}
	j.state, j.node, j.worker, j.from = "PENDING", nil, nil, n.clock+n.between(time.Second, 3*time.Minute)
}

// schedule starts jobs on free nodes.
func (n *night) schedule() {
	for _, j := range n.jobs {
		if j.state != "PENDING" || j.from > n.clock {
			continue
		}
		i := slices.IndexFunc(n.nodes, func(on *node) bool {
			return on.busy == nil && on.downTo <= n.clock && !slices.Contains(j.exclude, on.name)
		})
		if i >= 0 {
			n.start(j, n.nodes[i])
		}
	}
	n.after(n.between(time.Second, 5*time.Second), n.schedule)
}

// fault injects a random fault and schedules the next one.
func (n *night) fault() {
	if n.quiet {
		return
	}
	n.after(n.between(0, 4*time.Minute), n.fault)
	j := n.nodes[n.rng.IntN(len(n.nodes))].busy
	if j == nil {
		return
	}
	kind := []string{"node lost", "slurmd lost, worker goes on", "job lost", "job cancelled", "job preempted",
		"file system full",
		"job held"}[n.rng.IntN(7)]
	n.faults[kind]++
	switch kind {
	case "node lost":
		n.die(j.worker)
		j.node.downTo = n.clock + n.between(5*time.Minute, 20*time.Minute)
		n.after(n.between(10*time.Second, 5*time.Minute), func() { n.requeue(j) })
	case "slurmd lost, worker goes on":
		j.node.downTo = n.clock + n.between(5*time.Minute, 20*time.Minute)
		n.after(n.between(10*time.Second, 5*time.Minute), func() { n.requeue(j) })
	case "job lost":
		n.die(j.worker)
		n.endJob(j)
	case "job cancelled":
		n.cancelJob(j)
	case "job preempted":
		n.signal(j.worker)
		n.requeue(j)
	case "file system full":
		n.full = n.clock + n.between(time.Second, 5*time.Minute)
	case "job held":
		for _, p := range n.jobs {
			if p.state == "PENDING" {
				p.from = n.clock + n.between(time.Minute, 30*time.Minute)
				break
			}
		}
	}
}

// Workers.

func (n *night) start(j *simJob, on *node) {
	on.busy, j.node, j.state = j, on, "RUNNING"
	w := &simWorker{n: n, job: j, on: on, dead: true, idle: -1, ends: time.Unix(0, 0).Add(n.clock + jobTime)}
	name, _ := strings.CutPrefix(j.name, NamePrefix+simPool+"-")
	w.name = fmt.Sprintf("%s-%d-%08x", name, j.index, n.rng.Uint32())
	j.worker = w
	if j.exit = 0; on.readOnly {
		j.exit = exchange.ExitReadOnly
		n.faults["job on a node that cannot write"]++
	} else if n.clock < n.full {
		j.exit = exchange.ExitFull
	}
	if j.exit != 0 { // mktemp has failed
		n.after(time.Second, func() { n.ended(w) })
		return
	}
	log := exchange.WorkersFolder + "/" + simPool + "/" + w.name
	n.create(log, nil)
	hello := worker.Hello{Format: worker.ResultFormat, Host: on.name, Slots: simSlots}
	if on.refuses {
		n.faults["job that a node refuses"]++
		hello.Slots, hello.Error = 0, "other hardware"
	}
	record, err := json.Marshal(hello)
	if err != nil {
		n.t.Fatal(err)
	}
	n.appendTo(log, exchange.AppendLine(nil, record))
	if on.refuses {
		n.after(time.Second, func() { n.ended(w) })
		return
	}
	w.dead = false
	n.after(2*time.Second, func() {
		for range simSlots {
			n.goOn(w)
		}
	})
}

// Now implements exchange.Site.
func (c *simChunk) Now() time.Time { return time.Unix(0, 0).Add(c.w.n.clock) }

// Gone implements exchange.Site.
func (c *simChunk) Gone() bool { return c.w.n.folders[c.folder] == nil }

// Append implements exchange.Site.
func (c *simChunk) Append(lines []byte) error {
	n := c.w.n
	full := n.clock < n.full
	if full {
		c.w.job.exit = exchange.ExitFull
		lines = lines[:n.rng.IntN(len(lines)+1)]
	}
	if !n.appendTo(c.folder+"/"+c.w.name, lines) {
		return errStale
	}
	if full {
		return syscall.ENOSPC
	}
	return nil
}

// say writes a worker's record. It returns false, which ends the worker, if the file system is full.
func (n *night) say(c *simChunk, v any) bool {
	c.w.dead = c.Write(v) != nil || c.w.dead
	return !c.w.dead
}

// pulse writes signs of life.
func (n *night) pulse(c *simChunk) {
	if !c.w.dead && !c.ended {
		c.Live()
		n.after(exchange.Pulse(lag), func() { n.pulse(c) })
	}
}

// die kills a worker, possibly in the middle of a write.
func (n *night) die(w *simWorker) {
	if w == nil || w.dead {
		return
	}
	w.dead = true
	for _, c := range w.taken {
		if n.rng.IntN(2) == 0 {
			n.appendTo(c.folder+"/"+w.name, []byte(`0123abcd {"id":"00`))
		}
	}
}

// signal ends a worker, which may still write its last lines.
func (n *night) signal(w *simWorker) {
	if w == nil || w.dead {
		return
	}
	for _, c := range w.taken {
		n.say(c, map[string]any{"end": exchange.End{Reason: exchange.EndStopped}})
	}
	w.dead = true
}

// claim takes a chunk for a worker, as exchange.Job does.
func (n *night) claim(w *simWorker) {
	folder := exchange.TicketsFolder + "/" + simPool
	fit, more := exchange.Choose(n.visible(folder), w.ends.Sub(time.Unix(0, 0).Add(n.clock)), !w.before)
	w.more = more
	for _, name := range fit {
		t, _ := exchange.ReadTicket(name)
		c := &simChunk{w: w, folder: exchange.ChunksFolder + "/" + t.Chunk()}
		works := n.files[c.folder+"/"+exchange.WorksFile]
		if n.files[folder+"/"+name] == nil || works == nil {
			continue // another worker took the chunk first
		}
		n.unlink(folder + "/" + name)
		n.create(c.folder+"/"+w.name, nil)
		c.Session = exchange.NewSession(c, w.ends)
		_, _ = exchange.Lines(works.content, func(line []byte) error {
			work := &worker.Work{}
			if err := json.Unmarshal(line, work); err != nil {
				n.t.Fatal(err)
			}
			if work.ID != "" { // skips the header
				c.works = append(c.works, work)
			}
			return nil
		})
		w.now, w.before, w.taken = c, true, append(w.taken, c)
		n.say(c, worker.Hello{Format: worker.ResultFormat, Host: w.on.name, Slots: simSlots})
		n.pulse(c)
		return
	}
}

// goOn starts the next run in a slot, waits for a chunk, or ends the worker.
func (n *night) goOn(w *simWorker) {
	for !w.dead {
		if w.now == nil {
			if w.failed >= exchange.MostFailures {
				break
			}
			if n.claim(w); w.now == nil {
				n.wait(w)
				return
			}
			w.idle = -1
			continue
		}
		c := w.now
		if len(c.works) > 0 && c.MayBegin(n.t.Context(), c.works[:1]) {
			work := c.works[0]
			c.works = c.works[1:]
			n.begin(c, work.ID)
			return
		}
		c.closed, w.now = cmp.Or(c.End(), exchange.EndDone), nil
		w.more = w.more || c.End() == exchange.EndTime
		n.close(c)
	}
	n.finish(w)
}

// wait makes a slot look for a chunk again while the worker has patience or works.
func (n *night) wait(w *simWorker) {
	if w.idle < 0 || w.active > 0 {
		w.idle = n.clock
	}
	if w.more || n.clock-w.idle > exchange.Patience(lag) {
		n.finish(w)
		return
	}
	n.after(5*time.Second, func() { n.goOn(w) })
}

// begin starts a run.
func (n *night) begin(c *simChunk, id string) {
	w := c.w
	if id == n.poison {
		n.poisoned++
		n.die(w)
		n.endJob(w.job)
		return
	}
	c.active++
	w.active++
	n.begun++
	r := n.runs[id]
	if rec, ok := n.records[id]; ok && rec.at < n.clock-lag-10*time.Second && !slices.Contains(n.fresh, id) {
		n.again++
		n.t.Errorf("at %s the run %.4s is begun by %s/%s, which was recorded at %s", n.clock, id[60:], c.folder, w.name,
			rec.at)
	}
	if at, ok := n.results[id]; ok && at < n.clock-lag-10*time.Second {
		n.wasted++
	}
	takes := r.takes
	if w.on.wrong {
		takes = 0
	}
	n.after(takes+100*time.Millisecond, func() {
		c.active--
		if w.active--; w.dead {
			n.finish(w)
			return
		}
		result := worker.Result{ID: id, Record: &runner.Record{Measured: run.Measured{
			Ending: comp.Exited, Usage: run.Usage{WallTimeS: run.SecondsOf(r.takes)}, Isolation: "full"},
			Stdout: runner.Output{Head: []byte(r.answer), Total: int64(len(r.answer))}}}
		if n.chance(0.001) {
			result.Record, result.Failure = nil, &worker.Failure{Kind: worker.FailMachine, Text: "fork: no memory"}
			n.faults["failure of the machine"]++
		}
		if w.on.wrong {
			result.Record, result.Failure = nil, &worker.Failure{Kind: worker.FailWork, Text: "another program"}
			n.faults["work that fails on its node"]++
		}
		if w.failed++; result.Failure == nil {
			w.failed = 0
		}
		if _, there := n.results[id]; n.say(c, result) && result.Record != nil && !there {
			n.results[id] = n.clock
		}
		n.close(c)
		n.goOn(w)
	})
}

// close writes a chunk's last line.
func (n *night) close(c *simChunk) {
	if c.active == 0 && c.closed != "" && !c.ended && !c.w.dead {
		n.say(c, map[string]any{"end": exchange.End{Reason: c.closed}})
		c.ended = true
		c.w.taken = slices.DeleteFunc(c.w.taken, func(other *simChunk) bool { return other == c })
	}
}

// finish ends a worker after its last run. A worker that lacks time for the remaining chunks starts its job again.
func (n *night) finish(w *simWorker) {
	if w.active > 0 {
		return
	}
	again := w.more && !w.dead
	if !w.dead {
		if record, err := json.Marshal(map[string]any{"end": exchange.End{Reason: exchange.EndDone}}); err == nil {
			n.appendTo(exchange.WorkersFolder+"/"+simPool+"/"+w.name, exchange.AppendLine(nil, record))
		}
	}
	if w.dead = true; again && w.job.worker == w {
		n.requeue(w.job)
		return
	}
	n.ended(w)
}

// ended tells Slurm that a job's script has ended.
func (n *night) ended(w *simWorker) {
	if w.job.worker == w {
		n.endJob(w.job)
	}
}

// execute runs drivers until all runs are executed. Whenever one is killed or gives up runs, the next one continues.
func (n *night) execute() {
	for tries := 0; len(n.records) < len(n.runs); tries++ {
		if tries == 40 {
			n.t.Fatalf("%d of %d runs are recorded after %d drivers", len(n.records), len(n.runs), tries)
		}
		if err := n.drive(tries); err != nil {
			n.t.Fatalf("at %s: %v", n.clock, err)
		}
	}
}

// drive runs one driver to its end.
func (n *night) drive(tries int) (err error) {
	defer func() {
		switch r := recover(); r.(type) {
		case nil:
		case killedDriver:
			n.kills++
			n.killed = false
			for _, id := range n.fresh {
				if n.rng.IntN(2) == 0 {
					delete(n.records, id)
				}
			}
			n.fresh = nil
			n.pass(n.between(0, 10*time.Minute))
		default:
			panic(r)
		}
	}()
	n.offset = n.between(-24*time.Hour, 24*time.Hour)
	return n.driver(n, n.left()).run(context.Background(), n.token())
}

// left returns the runs that have no record, longest first.
func (n *night) left() (ids []string) {
	for id := range n.runs {
		if _, ok := n.records[id]; !ok {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b string) int {
		return cmp.Or(cmp.Compare(n.runs[b].takes, n.runs[a].takes), cmp.Compare(a, b))
	})
	return ids
}

func (n *night) token() string { return fmt.Sprintf("%08x", n.rng.Uint32()) }

// driver returns a driver for the given runs.
func (n *night) driver(w world, ids []string) *driver {
	o := &worker.Order{Limit: simLimit, Status: n.status}
	for _, id := range ids {
		o.Tasks = append(o.Tasks, worker.Task{ID: id, Expected: n.runs[id].takes})
	}
	o.Works = func(k int) ([]*worker.Work, error) {
		limits := comp.Limits{WallTime: simLimit}
		return []*worker.Work{{ID: ids[k], Command: []string{"solver"}, Limits: limits}}, nil
	}
	o.Take = func(k int, results []*worker.Result) (bool, error) {
		r := results[0]
		if r.Failure != nil && r.Failure.Kind == worker.FailWork {
			return false, fmt.Errorf("a failure of one node became one of the run: %s", r.Failure.Text)
		}
		if r.Failure != nil {
			n.faults["given up by a driver"]++
			return false, nil
		}
		if r.ID != ids[k] {
			return false, fmt.Errorf("the result of %s was handed on as that of %s", r.ID, ids[k])
		}
		if old, ok := n.records[r.ID]; ok {
			return false, fmt.Errorf("%s was recorded at %s already", r.ID, old.at)
		}
		n.records[r.ID] = record{string(r.Record.Stdout.Head), n.clock}
		n.fresh = append(n.fresh, r.ID)
		return false, nil
	}
	p := plan{jobs: len(n.nodes), time: jobTime, slots: 1, poll: 10 * time.Second, delay: lag, most: mostJobs,
		pool:   simPool,
		header: worker.Header{Isolation: "full"}}
	return newDriver(p, w, slog.New(slog.DiscardHandler), o, func(*worker.Work, bool) error { return nil })
}

// stage is the view that one stage's driver has of a night. It has its own notes.
type stage struct {
	*night
	journal []byte
}

func (s *stage) notes() ([]byte, error) { return bytes.Clone(s.journal), nil }

func (s *stage) note(line []byte) error {
	s.journal = append(s.journal, line...)
	return nil
}

func (s *stage) renote(content []byte) error {
	s.journal = bytes.Clone(content)
	return nil
}

// TestSeveralDrivers lets three drivers share an exchange folder and the jobs. None may take or cancel anything that
// belongs to another. Later drivers take over what is left.
func TestSeveralDrivers(t *testing.T) {
	for seed := range uint64(3) {
		n := newNight(t, seed, 12, 600)
		n.kills = 10 // no further driver is killed
		parts := [3][]string{}
		for i := range 600 {
			parts[i%len(parts)] = append(parts[i%len(parts)], fmt.Sprintf("%064x", i))
		}
		stages := [len(parts)]stage{{night: n}, {night: n}, {night: n}}
		most := 0
		for tries := 0; len(n.records) < len(n.runs); tries++ {
			if tries == 20 {
				t.Fatalf("%d of %d runs are recorded", len(n.records), len(n.runs))
			}
			var drivers []*driver
			for i := range stages {
				left := slices.DeleteFunc(slices.Clone(parts[i]), func(id string) bool {
					_,
						ok := n.records[id]
					return ok
				})
				d := n.driver(&stages[i], left)
				if err := d.attach(t.Context(), n.token()); err != nil {
					t.Fatal(err)
				}
				drivers = append(drivers, d)
			}
			for slices.ContainsFunc(drivers, func(d *driver) bool { return d.open > 0 }) {
				for _, d := range drivers {
					if _, err := d.step(t.Context()); err != nil {
						t.Fatalf("seed %d at %s: %v", seed, n.clock, err)
					}
				}
				n.pass(10 * time.Second)
				most = max(most, len(slices.DeleteFunc(n.active(), func(j Job) bool { return j.State == Ended })))
			}
			for _, d := range drivers {
				if err := d.leave(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		if most > 2*len(n.nodes) {
			t.Errorf("there were %d jobs for %d nodes", most, len(n.nodes))
		}
		n.check()
	}
}

// TestAbsentDriver checks that, without a driver, jobs execute the chunks that it has written for a day. Each job needs
// several times its time limit, and one is restarted elsewhere. The next driver collects the results, and only runs
// lost with a node are executed again.
func TestAbsentDriver(t *testing.T) {
	const runs, nodes = 3000, 4
	n := newNight(t, 1, nodes, runs)
	n.quiet = true
	first := n.driver(n, n.left())
	if err := first.attach(t.Context(), n.token()); err != nil {
		t.Fatal(err)
	}
	for range 30 {
		if _, err := first.step(t.Context()); err != nil {
			t.Fatal(err)
		}
		n.pass(10 * time.Second)
	}
	before := len(n.records)
	n.pass(time.Hour)
	lost := n.nodes[0].busy
	n.die(lost.worker)
	n.requeue(lost)
	n.pass(24 * time.Hour)
	if n.begun < runs-20 || len(n.results) < runs-20 || len(n.records) > before || n.clock < 3*jobTime {
		t.Errorf("%d runs were begun, %d have results, %d records; want all but those of a chunk, and no record since %d",
			n.begun, len(n.results), len(n.records), before)
	}
	for _, on := range n.nodes {
		if on.busy != nil {
			t.Errorf("on %s a job waits for more", on.name)
		}
	}
	done := n.clock
	n.execute()
	if n.begun > runs+2*simSlots || n.clock-done > 2*simLimit {
		t.Errorf("%d runs were begun, and the next driver took %s", n.begun, n.clock-done)
	}
	n.check()
}

// check compares the results with the runs' answers, and checks what is left in the folder.
func (n *night) check() {
	for id, r := range n.runs {
		if got := n.records[id].result; got != r.answer {
			n.t.Errorf("run %s has the result %q, want %q", id, got, r.answer)
		}
	}
	if most := len(n.runs) / 100; n.wasted > most {
		n.t.Errorf("%d runs were begun whose result had long been in the folder, want at most %d", n.wasted, most)
	}
	n.quiet = true
	n.pass(time.Hour) // time for abandoned jobs to end
	if err := n.drive(0); err != nil {
		n.t.Error(err)
	}
	for folder, names := range n.folders {
		if len(names) > 0 {
			n.t.Errorf("left are in %s: %v", folder, names)
		}
	}
	if n.maxDir > 10_000 {
		n.t.Errorf("a folder had %d entries", n.maxDir)
	}
}

// seeds returns the first seed and the number of nights, which is SMTPIPE_NIGHTS or a small default.
func seeds(t *testing.T) (first, count uint64) {
	count = 5
	if testing.Short() {
		count = 1
	}
	for name, v := range map[string]*uint64{"SMTPIPE_NIGHTS": &count, "SMTPIPE_NIGHT_SEED": &first} {
		if text := os.Getenv(name); text != "" {
			n, err := strconv.ParseUint(text, 10, 32)
			if err != nil {
				t.Fatal(err)
			}
			*v = n
		}
	}
	return first, count
}

// TestNights checks that, whatever goes wrong, all runs eventually have results, and that no recorded run is executed
// again. SMTPIPE_NIGHT_SEED=N SMTPIPE_NIGHTS=1 selects a single night.
func TestNights(t *testing.T) {
	first, count := seeds(t)
	for seed := first; seed < first+count; seed++ {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			n := newNight(t, seed, 12, 1500)
			n.execute()
			n.check()
			if t.Failed() || testing.Verbose() {
				t.Logf("%d drivers killed, %d runs begun, %d of them in vain, %s; faults %v; operations %v", n.kills,
					n.begun,
					n.wasted, n.clock, n.faults, n.ops)
			}
		})
	}
}

// TestPoison checks that a run that takes its job down with it is given up after three jobs, and that no other run is
// given up.
func TestPoison(t *testing.T) {
	n := newNight(t, 7, 4, 300)
	n.quiet = true
	n.poison = fmt.Sprintf("%064x", 150)
	if err := n.drive(0); err != nil {
		t.Fatal(err)
	}
	if _, ok := n.records[n.poison]; ok || len(n.records) != 299 || n.poisoned != maxTries ||
		n.faults["given up by a driver"] != 1 {
		t.Errorf("%d runs are recorded, the poisonous one was begun %d times, given up: %d; want 299, %d and 1",
			len(n.records), n.poisoned, n.faults["given up by a driver"], maxTries)
	}
}

// TestStatus checks that the driver reports the number of jobs whenever it changes, and at least once a minute.
func TestStatus(t *testing.T) {
	n := newNight(t, 3, 2, 100)
	n.quiet = true
	var last time.Duration
	longest, said := time.Duration(0), []string(nil)
	n.status = func(text string) {
		longest, last = max(longest, n.clock-last), n.clock
		said = append(said, text)
	}
	if err := n.drive(0); err != nil {
		t.Fatal(err)
	}
	const poll = 10 * time.Second
	if longest > heartbeat+poll || len(said) < int(n.clock/(2*heartbeat)) || !slices.Contains(said,
		"jobs: 0 queued, 2 running, 0 done") {
		t.Errorf("in %s the driver said %d times how far it is, with %s between two: %q", n.clock, len(said), longest,
			said)
	}
}

// TestWholeNight executes 100,000 runs on 168 nodes. It requires SMTPIPE_NIGHTS.
func TestWholeNight(t *testing.T) {
	if os.Getenv("SMTPIPE_NIGHTS") == "" {
		t.Skip("SMTPIPE_NIGHTS is not set")
	}
	const runs = 100_000
	var before, after syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &before); err != nil {
		t.Fatal(err)
	}
	n := newNight(t, 1, 168, runs)
	n.execute()
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &after); err != nil {
		t.Fatal(err)
	}
	n.check()
	cpu := time.Duration(after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano())
	t.Logf("%s of CPU time a run, simulation included; %d MB at most; %s of the clock; %d drivers killed", cpu/runs,
		after.Maxrss>>10, n.clock, n.kills)
	t.Logf("%d runs begun; %d bytes a run were written; at most %d chunks and %d files in one; operations %v; faults %v",
		n.begun, n.written/runs, n.maxDir, n.maxFiles, n.ops, n.faults)
	if cpu/runs > time.Millisecond {
		t.Errorf("driver and simulation took %s of CPU time a run, above 1 ms", cpu/runs)
	}
	if after.Maxrss > 300<<10 {
		t.Errorf("%d MB of memory, above 300", after.Maxrss>>10)
	}
}
