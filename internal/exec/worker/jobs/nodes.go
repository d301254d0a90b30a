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

// mostBarren is how many consecutive jobs may end without a run while no other job executes any. Once a worker has
// started, this condition must also last for barrenTime, because the cause may be temporary.
const (
	mostBarren = 3
	barrenTime = 10 * time.Minute
)

// fault describes why a job executed no run.
type fault struct {
	node   string // name of the node; empty if unknown
	text   string
	remedy string // advice; empty if unknown
	blames bool   // whether the node is certainly at fault
	stops  bool   // whether the job counts towards mostBarren
}

const folderRemedy = "Mount the folder of the attribute exchange on this machine and on all nodes, at the same path, " +
	"writable and not noexec; or name another one in the block of the executor."

// faultOf determines why a job that is gone executed no run. last is what its worker last wrote, or nil.
func (d *driver) faultOf(j *job, last *taker) fault {
	f := fault{node: j.Node, text: "it ended without a run", stops: true}
	if j.State == Ended {
		f.text += ": " + j.Text
	}
	if last != nil && last.hello != nil && last.hello.Error != "" {
		return fault{node: last.hello.Host, text: "its worker refused: " + last.hello.Error, blames: true, stops: true}
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
	if f.stops = !j.Cancelled; last == nil { // for example, the exchange folder is missing but the exit code is unknown
		f.text, f.remedy = f.text+"; it left no file in the exchange folder", folderRemedy
	}
	f.text += last.said()
	return f
}

// barren handles a job that executed no run. It returns an error that ends the stage if no job executes any.
func (d *driver) barren(j *job, f fault) error {
	where := fmt.Sprintf("job %s on %s", cmp.Or(j.ID, j.Name), cmp.Or(f.node, "an unknown node"))
	d.log.Warn("a job made no run", "job", cmp.Or(j.ID, j.Name), "node", f.node, "reason", f.text)
	d.order.Tell(worker.Event{Node: f.node, Kind: worker.NoRun, Text: f.text})
	if f.blames { // jobs that existed before the node was excluded count only once
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
		return d.giveUp(fmt.Sprintf("%d jobs in a row executed no run, and no other job is executing any", len(d.row)), f.remedy)
	}
	return nil
}

// working reports whether a live job executes works.
func (d *driver) working() bool {
	return slices.ContainsFunc(d.chunks, func(c *chunk) bool { return len(c.tasks) > 0 && c.taker.works() })
}

// giveUp returns an error that ends the stage, with the reasons of the last jobs.
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
	strikes int // failures since this node's last run with a result or last job that ended by itself
	lost    int // number of consecutive jobs lost on this node
	suspect bool
	// references are the times of the reference work at the start of jobs, in seconds.
	references []float64
}

// mostStrikes is the number of consecutive failures after which a node is suspected and excluded, unless half of the
// known nodes are already excluded. It is low because a node on which everything fails quickly takes all other nodes'
// work.
const mostStrikes = 3

// maxAlone is how often a task may fail, perhaps through the node's fault, before it is given up. It applies to
// excluded nodes that still have jobs, and while only one node is available.
const maxAlone = 10

func (d *driver) node(name string) *nodeState {
	if d.nodes[name] == nil {
		d.nodes[name] = &nodeState{}
	}
	return d.nodes[name]
}

// strike counts a failure that may be the node's fault. what names this kind of failure.
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
			d.log.Warn("half of the known nodes are excluded; keeping the remaining nodes", "node", name, "reason", why)
		}
		d.overBudget = true
		return
	}
	n.suspect = true
	d.exclude(name, why)
}

// A node is off if its reference work takes longer than the other nodes' median times (offRatio + 2 × their relative
// spread). The comparison requires at least leastReferences measurements of other nodes.
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

// acquit lets jobs use suspected nodes again.
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

// exclude keeps jobs away from a node. The driver cancels the node's existing jobs at its next look.
func (d *driver) exclude(name, why string) {
	if name == "" || slices.Contains(d.excluded, name) {
		return
	}
	d.excluded = append(d.excluded, name)
	d.log.Warn("a node gets no more jobs", "node", name, "reason", why)
	d.order.Tell(worker.Event{Node: name, Kind: worker.Excluded, Text: why})
}

// elsewhere reports whether a failed task must be executed again, because the fault may be the node's alone, for
// example a different program or a full disk. A work or its command is only blamed if it fails on two nodes.
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
	case slices.Contains(d.excluded, host): // jobs that the node still has, or cannot be kept from
		return t.failed < maxAlone
	case f.Kind == worker.FailMachine:
		return t.failed < maxTries
	}
	return t.failed < maxAlone && !d.alone
}

// succeeded records a task with a result. Nodes on which the task failed before are at fault.
func (d *driver) succeeded(k int32, host string) {
	d.node(host).strikes = 0
	if before, failed := d.failedOn[k]; failed && before != host && host != "" {
		d.exclude(before, "a run that failed there succeeded on "+host)
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
			why = "it is silent or was requeued"
		}
	}
	if d.lostOnes[c.taker.name] {
		return // already reported for another chunk
	}
	d.lostOnes[c.taker.name] = true
	d.log.Warn("a job was lost in the middle of its runs; they are executed again", "worker", c.taker.name, "node", host,
		"chunk", c.folder(), "reason", why)
	if n := d.node(host); !cancelled {
		if n.lost++; n.lost >= mostStrikes {
			d.suspectNode(host, n, fmt.Sprintf("%d jobs in a row were lost, most recently: %s", n.lost, why))
		}
	}
	d.order.Tell(worker.Event{Node: host, Kind: worker.Lost, Text: why})
}
