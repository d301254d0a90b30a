package slurm

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/exchange"
)

// mostBarren is the number of jobs in a row that may end without a run, as long as no job executes any. Once workers
// have been seen, what stops them must last for barrenTime, since it may pass.
const (
	mostBarren = 3
	barrenTime = 10 * time.Minute
)

// fault is why a job made no run.
type fault struct {
	node   string // empty: not known
	text   string
	remedy string // empty: not known
	blames bool   // the node, for certain
	stops  bool   // it counts among those in a row
}

const folderRemedy = "Mount the folder of the attribute exchange on this machine and on all nodes, at the same path, " +
	"writable and not noexec; or name another one in the block of the executor."

// faultOf returns why a job that is gone made no run. last is its last attempt, or nil.
func (d *driver) faultOf(c *chunk, last *attempt) fault {
	f := fault{node: c.node, text: "it ended without a run", stops: true}
	if c.ended != "" {
		f.text += ": " + c.ended
	}
	if last != nil && last.hello != nil && last.hello.Error != "" {
		return fault{node: last.hello.Host, text: "its worker refuses: " + last.hello.Error, blames: true, stops: true}
	}
	what := ""
	switch c.exit {
	case exchange.ExitNoFolder:
		what = "the exchange folder is not there"
	case exchange.ExitNoProgram:
		what = "the program in the exchange folder cannot be executed"
	case exchange.ExitReadOnly:
		what = "no file can be made in the exchange folder"
	case exchange.ExitFull:
		return fault{node: c.node, text: "the exchange folder is full"}
	}
	if what != "" {
		return fault{node: c.node, text: what, remedy: folderRemedy, blames: true, stops: true}
	}
	f.stops = !c.cancelled
	f.text += last.said()
	return f
}

// barren handles a job that executed no run. An error ends the stage: no job does.
func (d *driver) barren(c *chunk, f fault) (again []int32, err error) {
	where := fmt.Sprintf("job %s on %s", cmp.Or(c.id, c.wave.job), cmp.Or(f.node, "an unknown node"))
	d.log.Warn("a job made no run; its runs are submitted again", "job", cmp.Or(c.id, c.wave.job), "node", f.node,
		"chunk", c.folder(), "runs", len(c.tasks), "reason", f.text)
	d.order.Tell(worker.Event{Node: f.node, Kind: worker.NoRun, Text: f.text})
	if f.blames {
		d.exclude(f.node, f.text)
	}
	if f.stops {
		if len(d.row) == 0 {
			d.rowBegan = d.w.now()
		}
		d.row = append(d.row, where+": "+f.text)
	}
	if len(d.row) >= mostBarren && !d.working() && (!d.worked || d.w.now().Sub(d.rowBegan) >= barrenTime) {
		return nil, d.giveUp(fmt.Sprintf("%d jobs in a row made no run, and no other one executes any", len(d.row)),
			f.remedy)
	}
	for _, k := range c.tasks {
		t := &d.tasks[k]
		if t.barren++; t.barren < maxBarren {
			again = append(again, k)
		} else if err := d.stop(k, fmt.Sprintf("%d jobs in a row made no run; %s: %s", maxBarren, where,
			f.text)); err != nil {
			return nil, err
		}
	}
	return again, nil
}

// working reports whether a job that is not gone has a worker.
func (d *driver) working() bool {
	return slices.ContainsFunc(d.chunks, func(c *chunk) bool {
		last := c.last()
		return !c.over && last != nil && last.hello != nil && last.hello.Error == ""
	})
}

// giveUp returns an error that ends the stage, with what the last jobs said.
func (d *driver) giveUp(what, remedy string) error {
	said := slices.Compact(slices.Clone(d.row))
	said = said[max(0, len(said)-mostBarren):]
	err := errors.New(what + ":\n  " + strings.Join(said, "\n  "))
	if remedy != "" {
		err = fmt.Errorf("%w\n%s", err, remedy)
	}
	return &fatalError{err}
}

// exclude keeps jobs away from a node.
func (d *driver) exclude(node, why string) {
	if node == "" || slices.Contains(d.excluded, node) {
		return
	}
	d.excluded = append(d.excluded, node)
	d.log.Warn("a node gets no more jobs", "node", node, "reason", why)
	d.order.Tell(worker.Event{Node: node, Kind: worker.Excluded, Text: why})
}

// restarted tells of attempts at a chunk that ended in the middle because Slurm started the job again.
func (d *driver) restarted(c *chunk) {
	last := c.last()
	for _, a := range c.attempts {
		if a != last && a.end == nil && a.hello != nil && !a.lost {
			a.lost = true
			d.lost(c, a, "the job was put back into the queue")
		}
	}
}

// lost tells of an attempt that ended in the middle of runs.
func (d *driver) lost(c *chunk, a *attempt, why string) {
	d.log.Warn("a job was lost in the middle of its runs; they are executed again", "job", cmp.Or(c.id, c.wave.job),
		"node", a.hello.Host, "chunk", c.folder(), "reason", why)
	d.nLost++
	d.order.Tell(worker.Event{Node: a.hello.Host, Kind: worker.Lost, Text: why})
}

// names of files of a chunk that are no attempt.
func noAttempt(name string) bool { return name == exchange.WorksFile || strings.HasPrefix(name, ".") }
