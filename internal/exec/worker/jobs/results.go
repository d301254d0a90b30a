package jobs

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/exchange"
)

// taker is the driver's state for a job that has taken a chunk, and for the job's file.
type taker struct {
	name  string    // name of the worker
	read  int64     // number of bytes read, in complete lines
	grew  time.Time // when read last grew
	bad   bool      // whether a line was not a record, perhaps because its content was not yet visible
	hello *worker.Hello
	end   *exchange.End
	tail  string // last lines that are not records
	// parts contains the results of incomplete groups, by task number.
	parts map[int32][]*worker.Result
}

// said returns the end of a worker's output other than results, for messages.
func (a *taker) said() string {
	if a == nil || a.tail == "" {
		return ""
	}
	return "; its output: " + strings.TrimSpace(a.tail)
}

// host returns a worker's node, or "" if it is unknown.
func (a *taker) host() string {
	if a.hello == nil {
		return ""
	}
	return a.hello.Host
}

// works reports whether a worker executes works.
func (a *taker) works() bool { return a != nil && a.hello != nil && a.hello.Error == "" }

// collect reads what a chunk's job has written since the last call. Unreadable data is retried later.
func (d *driver) collect(c *chunk) error {
	if len(c.tasks) == 0 || c.taker == nil {
		return nil
	}
	return d.follow(c, c.folder(), c.taker)
}

// collectAgain reads a gone job's file. It reads a file with a damaged line from the start, because a network file
// system may show a file's new length before its content.
func (d *driver) collectAgain(c *chunk) error {
	if a := c.taker; a != nil && a.bad {
		a.read, a.bad, a.tail = 0, false, ""
	}
	return d.collect(c)
}

const (
	readBytes = 1 << 20
	maxLine   = worker.MaxLine
	tailBytes = 2000
)

// follow reads the lines added to a file. c is nil for a file without results.
func (d *driver) follow(c *chunk, folder string, a *taker) error {
	for most := readBytes; ; {
		data, err := d.w.read(folder+"/"+a.name, a.read, most)
		if err != nil {
			return nil // a stale handle or a removed file
		}
		size, err := exchange.Lines(data, func(line []byte) error { return d.line(c, a, line) })
		if a.read += int64(size); size > 0 {
			a.grew = d.w.now()
		}
		switch {
		case err != nil:
			return err
		case len(data) < most:
			return nil
		case size == 0 && most < maxLine:
			most *= 2
		case size == 0:
			return nil // no worker writes such a line
		}
	}
}

// line handles one line from a worker.
func (d *driver) line(c *chunk, a *taker, line []byte) error {
	record, ok := exchange.Line(line)
	if !ok {
		a.bad = true
		a.tail += strings.ToValidUTF8(string(line[max(0, len(line)-tailBytes):]), "?") + "\n"
		a.tail = a.tail[max(0, len(a.tail)-tailBytes):]
		return nil
	}
	var head struct {
		Format string        `json:"format"`
		End    *exchange.End `json:"end"`
		Alive  bool          `json:"alive"`
		worker.Result
	}
	if err := json.Unmarshal(record, &head); err != nil {
		a.bad = true
		return nil
	}
	switch {
	case head.Format != "":
		a.hello = &worker.Hello{}
		if json.Unmarshal(record, a.hello) == nil && c != nil && a.hello.Slots > 0 {
			d.meet(a)
		}
		return nil
	case head.End != nil:
		if a.end = head.End; a.hello != nil {
			d.node(a.hello.Host).lost = 0
		}
		return nil
	case head.Alive || c == nil:
		return nil
	}
	if head.Check() != nil {
		a.bad = true
		return nil
	}
	return d.result(c, a, &head.Result)
}

// find returns a work's task, and the work's number in the task.
func (d *driver) find(workID string) (k int32, n int, ok bool) {
	id, n := worker.TaskOf(workID)
	if k, ok = d.index[id]; !ok || d.order.Tasks[k].WorkID(n) != workID {
		return 0, 0, false
	}
	return k, n, n < max(d.order.Tasks[k].Group, 1)
}

// result collects a task's results and takes them once they are complete, unless the task already has results.
func (d *driver) result(c *chunk, a *taker, r *worker.Result) error {
	k, n, ok := d.find(r.ID)
	if !ok {
		return nil // the work is no longer wanted
	}
	i := slices.Index(c.tasks, k)
	if i < 0 {
		return nil // the task already has results
	}
	r.Host = a.host()
	results := []*worker.Result{r}
	if size := d.order.Tasks[k].Group; size > 0 {
		if a.parts == nil {
			a.parts = map[int32][]*worker.Result{}
		}
		if a.parts[k] == nil {
			a.parts[k] = make([]*worker.Result, size)
		}
		a.parts[k][n] = r
		if results = a.parts[k]; slices.Contains(results, nil) {
			return nil
		}
		delete(a.parts, k)
	}
	return d.complete(c, a, i, results)
}

// complete takes the results of the i-th task in a chunk.
func (d *driver) complete(c *chunk, a *taker, i int, results []*worker.Result) error {
	k := c.tasks[i]
	c.tasks = slices.Delete(c.tasks, i, i+1)
	if len(c.tasks) == 0 {
		c.quiet = d.w.now()
	}
	if f := worker.FailureIn(results); f != nil {
		if d.elsewhere(k, a.host(), f) {
			d.log.Warn("a run failed; it is tried again", "chunk", c.folder(), "worker", a.name, "node", a.host(),
				"error",
				f.Text)
			c.back = append(c.back, k)
			return nil
		}
		if slices.Contains(d.excluded, a.host()) {
			return d.stop(k, fmt.Sprintf("it failed %d times on excluded nodes, most recently: %s: %s", maxAlone,
				a.host(), f.Text))
		}
		s := done
		if f.Kind == worker.FailMachine {
			s = stopped
		}
		_, err := d.take(k, results, s)
		return err
	}
	d.succeeded(k, a.host())
	again, err := d.take(k, results, done)
	if again {
		c.back = append(c.back, k)
	}
	return err
}

// idOf returns the work's id in a chunk line.
func idOf(line []byte) string {
	var w struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal(line, &w) // the header has no id
	return w.ID
}
