package jobs

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

// mostBarren is how many consecutive jobs may end without a run while no job executes any. Once workers have been seen,
// the cause must last for barrenTime, because it may be temporary.
const (
	mostBarren = 3
	barrenTime = 10 * time.Minute
)

// fault is why a job executed no run.
type fault struct {
	node   string // empty: unknown
	text   string
	remedy string // empty: unknown
	blames bool   // the node is certainly at fault
	stops  bool   // it counts among consecutive ones
}

const folderRemedy = "Mount the folder of the attribute exchange on this machine and on all nodes, at the same path, " +
	"writable and not noexec; or name another one in the block of the executor."

// faultOf returns why a job that is gone executed no run. last is the last output of its worker, or nil.
func (d *driver) faultOf(j *job, last *taker) fault {
	f := fault{node: j.Node, text: "it ended without a run", stops: true}
	if j.State == Ended {
		f.text += ": " + j.Text
	}
	if last != nil && last.hello != nil && last.hello.Error != "" {
		return fault{node: last.hello.Host, text: "its worker refuses: " + last.hello.Error, blames: true, stops: true}
	}
	what := ""
	switch j.Exit {
	case exchange.ExitNoFolder:
		what = "the exchange folder is not there"
	case exchange.ExitNoProgram:
		what = "the program in the exchange folder cannot be executed"
	case exchange.ExitReadOnly:
		what = "no file can be made in the exchange folder"
	case exchange.ExitFull:
		return fault{node: j.Node, text: "the exchange folder is full"}
	}
	if what != "" {
		return fault{node: j.Node, text: what, remedy: folderRemedy, blames: true, stops: true}
	}
	if f.stops = !j.Cancelled; last == nil { // for example without the exchange folder, if nobody knows the exit code
		f.text, f.remedy = f.text+"; it left no file in the exchange folder", folderRemedy
	}
	f.text += last.said()
	return f
}

// barren handles a job that executed no run. An error ends the stage, because no job executes any.
func (d *driver) barren(j *job, f fault) error {
	where := fmt.Sprintf("job %s on %s", cmp.Or(j.ID, j.Name), cmp.Or(f.node, "an unknown node"))
	d.log.Warn("a job made no run", "job", cmp.Or(j.ID, j.Name), "node", f.node, "reason", f.text)
	d.order.Tell(worker.Event{Node: f.node, Kind: worker.NoRun, Text: f.text})
	if f.blames { // jobs that existed before the node was excluded count once
		f.stops = f.stops && (!slices.Contains(d.excluded, f.node) || slices.Contains(j.kept, f.node))
		d.exclude(f.node, f.text)
	} else if f.stops {
		d.strike(f.node, "jobs without a run", f.text)
	}
	if f.stops {
		if len(d.row) == 0 {
			d.rowBegan = d.w.now()
		}
		d.row = append(d.row, where+": "+f.text)
	}
	if len(d.row) >= mostBarren && !d.working() && (!d.worked || d.w.now().Sub(d.rowBegan) >= barrenTime) {
		return d.giveUp(fmt.Sprintf("%d jobs in a row made no run, and no other one executes any", len(d.row)), f.remedy)
	}
	return nil
}

// working reports whether a job that is not gone executes works.
func (d *driver) working() bool {
	return slices.ContainsFunc(d.chunks, func(c *chunk) bool { return len(c.tasks) > 0 && c.taker.works() })
}

// giveUp returns an error that ends the stage, with the output of the last jobs.
func (d *driver) giveUp(what, remedy string) error {
	said := slices.Compact(slices.Clone(d.row))
	said = said[max(0, len(said)-mostBarren):]
	err := errors.New(what + ":\n  " + strings.Join(said, "\n  "))
	if remedy != "" {
		err = fmt.Errorf("%w\n%s", err, remedy)
	}
	return &fatalError{err}
}

// nodeState is what the driver knows about a node.
type nodeState struct {
	strikes int // failures since the last run with a result on this node, or since a job that ended by itself
	lost    int // consecutive jobs lost on this node
	suspect bool
	// references are the times of the reference work at the start of jobs, in seconds.
	references []float64
}

// mostStrikes is the number of consecutive failures after which a node is suspect and excluded, unless half of the
// known nodes are excluded. It is low because a node on which everything fails quickly takes the work of all other
// nodes.
const mostStrikes = 3

// maxAlone is how often a task may fail on nodes that may be at fault before it is given up: while only one node is
// available, or on excluded nodes that still have jobs.
const maxAlone = 10

func (d *driver) node(name string) *nodeState {
	if d.nodes[name] == nil {
		d.nodes[name] = &nodeState{}
	}
	return d.nodes[name]
}

// strike counts a failure that may be the node's fault. what describes such failures.
func (d *driver) strike(name, what, why string) {
	n := d.node(name)
	if n.strikes++; n.strikes >= mostStrikes {
		d.suspectNode(name, n, fmt.Sprintf("%d %s in a row, the last: %s", n.strikes, what, why))
	}
}

// suspectNode excludes a node that may have caused failures.
func (d *driver) suspectNode(name string, n *nodeState, why string) {
	if name == "" || n.suspect || slices.Contains(d.excluded, name) {
		return
	}
	suspects := 1
	for _, other := range d.nodes {
		if other.suspect {
			suspects++
		}
	}
	if suspects > max(2, len(d.nodes)/2) {
		if !d.overBudget {
			d.log.Warn("half of the known nodes are excluded, so no further node will be", "node", name, "reason", why)
		}
		d.overBudget = true
		return
	}
	n.suspect = true
	d.exclude(name, why)
}

// A node is off if its reference work takes longer than the median of the other nodes times offRatio plus twice their
// relative spread. At least leastReferences measurements of other nodes are required.
const (
	offRatio        = 1.2
	leastReferences = 4
)

// reference records the start of a job, and suspects its node if the reference work takes too long.
func (d *driver) reference(h *worker.Hello) {
	n := d.node(h.Host)
	if h.ReferenceS <= 0 {
		return
	}
	n.references = append(n.references, h.ReferenceS)
	var others []float64
	for name, other := range d.nodes {
		if name != h.Host && !other.suspect {
			others = append(others, other.references...)
		}
	}
	if len(others) < leastReferences {
		return
	}
	slices.Sort(others)
	median := others[len(others)/2]
	spread := (others[len(others)-1] - others[0]) / median
	if ratio := h.ReferenceS / median; ratio > offRatio+2*spread {
		d.suspectNode(h.Host, n,
			fmt.Sprintf("it is slow: the reference work of its job took %.2f times the median of other "+
				"nodes; \"smtpipe run --repeat-node %s\" executes its runs again", ratio, h.Host))
	}
}

// acquit lets suspect nodes have jobs again.
func (d *driver) acquit(names ...string) {
	for _, name := range names {
		n := d.node(name)
		if n.strikes = 0; n.suspect {
			n.suspect = false
			d.excluded = slices.DeleteFunc(d.excluded, func(e string) bool { return e == name })
			d.log.Warn("a node gets jobs again, since others fail as well", "node", name)
			d.order.Tell(worker.Event{Node: name, Kind: worker.Admitted})
		}
	}
}

// exclude keeps jobs away from a node. The node's existing jobs are cancelled at the next look.
func (d *driver) exclude(name, why string) {
	if name == "" || slices.Contains(d.excluded, name) {
		return
	}
	d.excluded = append(d.excluded, name)
	d.log.Warn("a node gets no more jobs", "node", name, "reason", why)
	d.order.Tell(worker.Event{Node: name, Kind: worker.Excluded, Text: why})
}

// elsewhere reports whether a task with a failure must be executed again, because only the node may be at fault, for
// example with a different program or a full disk. Two nodes must agree that a work or its command is at fault.
func (d *driver) elsewhere(k int32, host string, f *worker.Failure) bool {
	d.order.Tell(worker.Event{Node: host, Kind: worker.Failed, Text: f.Text})
	if f.Kind != worker.FailMachine {
		before, failed := d.failedOn[k]
		if failed && before != host {
			d.acquit(before, host)
			return false
		}
		d.failedOn[k] = host
	}
	d.strike(host, "failures", f.Text)
	t := &d.tasks[k]
	t.failed++
	switch {
	case slices.Contains(d.excluded, host): // jobs that it still has, or that cannot be kept away from it
		return t.failed < maxAlone
	case f.Kind == worker.FailMachine:
		return t.failed < maxTries
	}
	return t.failed < maxAlone && !d.alone
}

// succeeded records a task with a result. Nodes on which it failed before are at fault.
func (d *driver) succeeded(k int32, host string) {
	d.node(host).strikes = 0
	if before, failed := d.failedOn[k]; failed && before != host && host != "" {
		d.exclude(before, "what failed there succeeded on "+host)
	}
	delete(d.failedOn, k)
}

// lost reports a job that ended during runs.
func (d *driver) lost(c *chunk) {
	host, why, cancelled := c.taker.host(), "it is gone", false
	if j := d.jobsByName[jobOf(c.taker.name)]; j != nil {
		if cancelled = j.Cancelled; j.State == Ended {
			why = j.Text
		} else if d.alive(j) {
			why = "it is silent, or was put back into the queue"
		}
	}
	if d.lostOnes[c.taker.name] {
		return // during two chunks
	}
	d.lostOnes[c.taker.name] = true
	d.log.Warn("a job was lost in the middle of its runs; they are executed again", "worker", c.taker.name, "node", host,
		"chunk", c.folder(), "reason", why)
	if n := d.node(host); !cancelled {
		if n.lost++; n.lost >= mostStrikes {
			d.suspectNode(host, n, fmt.Sprintf("%d jobs in a row were lost, the last: %s", n.lost, why))
		}
	}
	d.order.Tell(worker.Event{Node: host, Kind: worker.Lost, Text: why})
}
