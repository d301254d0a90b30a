package jobs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/exchange"
)

// supply writes chunks and submits jobs. more is true if there was no time for all chunks.
func (d *driver) supply(ctx context.Context) (more bool, err error) {
	if d.w.now().Before(d.notBefore) || ctx.Err() != nil {
		return false, nil
	}
	more, err = d.writeChunks()
	if err == nil {
		err = d.submit(ctx)
	}
	if err != nil {
		return false, d.submitFailed(err)
	}
	d.submitBad = time.Time{}
	return more, nil
}

// submitFailed postpones the next attempt. It returns an error, which fails the stage, if submissions have failed for
// too long.
func (d *driver) submitFailed(err error) error {
	if _, fatal := errors.AsType[*fatalError](err); fatal {
		return err
	}
	if errors.Is(err, ErrNoNode) && len(d.excluded) > 0 {
		before := len(d.excluded)
		if d.acquit(slices.Collect(maps.Keys(d.nodes))...); len(d.excluded) < before {
			d.alone = true
			return nil
		}
		return d.giveUp("no node is left: "+strings.Join(d.excluded, ", ")+" are excluded", "")
	}
	now := d.w.now()
	if d.submitBad.IsZero() {
		d.submitBad = now
	}
	if now.Sub(d.submitBad) > patience {
		return fmt.Errorf("jobs cannot be submitted for %s: %w", patience, err)
	}
	d.log.Warn("jobs cannot be submitted; it is tried again", "error", err)
	d.notBefore = now.Add(max(d.poll, min(time.Minute, d.delay)))
	return nil
}

// fatalError is an error after which retrying is useless.
type fatalError struct{ err error }

func (e *fatalError) Error() string { return e.err.Error() }

// writeChunks puts tasks into chunks until the jobs have enough for a day. more is true if writing took too long.
func (d *driver) writeChunks() (more bool, err error) {
	begun, slots := d.w.now(), time.Duration(max(d.slots, 1))
	var rest, written time.Duration // expected durations
	for _, k := range d.pending {
		rest += d.order.Tasks[k].Expected
	}
	for _, c := range d.chunks {
		if c.taker == nil {
			written += d.expected(c.tasks)
		}
	}
	for n := 0; len(d.pending) > 0 && written/slots/time.Duration(d.jobs) < ahead; n++ {
		if n > 0 && d.w.now().Sub(begun) > preparation {
			return true, nil
		}
		// Half of each job's share of the remaining work. Chunks become shorter towards the end, because no node should
		// have to wait for another node's long chunk.
		target := min(max(rest/(2*time.Duration(d.jobs)*slots), minChunk), d.time/4)
		content, tasks, err := d.chunkOf(d.nextTasks(target))
		if err != nil || len(tasks) == 0 {
			if err != nil {
				return false, err
			}
			continue
		}
		expected := d.expected(tasks)
		rest, written = rest-expected, written+expected
		limit := d.order.Limit * time.Duration(max(d.order.Tasks[tasks[0]].Group, 1))
		d.known.used++
		c := &chunk{tasks: tasks, Ticket: exchange.Ticket{Order: int(tasks[0]), Stage: d.known.token,
			Number: d.known.used, Needs: min(expected/slots+limit+exchange.Reserve, d.time).Round(time.Second)}}
		if err := d.write(note{Chunk: c.Name()}); err != nil {
			d.putBack(tasks)
			return false, err
		}
		d.chunks = append(d.chunks, c)
		err = d.w.put(c.folder()+"/"+exchange.WorksFile, content)
		if err == nil {
			err = d.w.put(d.ticket(c), nil)
		}
		if err != nil {
			c.tasks, c.back, c.quiet = nil, tasks, d.w.now()
			return false, fmt.Errorf("write a chunk: %w", err)
		}
	}
	return false, nil
}

// expected returns the total expected duration of tasks.
func (d *driver) expected(tasks []int32) (sum time.Duration) {
	for _, k := range tasks {
		sum += d.order.Tasks[k].Expected
	}
	return sum
}

// nextTasks removes tasks for one chunk from the pending ones, which are ordered longest first. A run that was in
// progress when a job died shares a chunk only with similar runs, because it may harm other runs again.
func (d *driver) nextTasks(target time.Duration) []int32 {
	slots := max(d.slots, 1)
	capacity := target * time.Duration(slots)
	suspect := d.tasks[d.pending[0]].tries > 0
	var tasks []int32
	var sum time.Duration
	rest := d.pending[:0:0]
	for i, k := range d.pending {
		if len(tasks) > 0 && sum+d.order.Tasks[k].Expected > capacity || len(tasks) == maxWorks || suspect &&
			len(tasks) == 1 {
			rest = append(rest, d.pending[i:]...)
			break
		}
		if d.tasks[k].tries > 0 != suspect {
			rest = append(rest, k)
			continue
		}
		tasks = append(tasks, k)
		sum += d.order.Tasks[k].Expected
	}
	d.pending = rest
	for _, k := range tasks {
		d.tasks[k].state = inChunk
	}
	return tasks
}

// chunkOf returns the content of a chunk with those tasks that are still wanted.
func (d *driver) chunkOf(tasks []int32) (content []byte, wanted []int32, err error) {
	var works []*worker.Work
	begun := d.w.now()
	for i, k := range tasks {
		if i > 0 && d.w.now().Sub(begun) > preparation {
			d.putBack(tasks[i:])
			break
		}
		ofTask, err := d.order.Works(int(k))
		if err != nil {
			err = &fatalError{err}
		}
		for _, w := range ofTask {
			err = errors.Join(err, d.prepare(w, d.tasks[k].tries+d.tasks[k].failed > 0))
		}
		if err != nil {
			d.putBack(slices.Concat(wanted, tasks[i:]))
			return nil, nil, err
		}
		if len(ofTask) == 0 {
			d.tasks[k].state = stopped
			d.open--
			continue
		}
		works, wanted = append(works, worker.Chain(ofTask)...), append(wanted, k)
	}
	content, err = exchange.Chunk(d.header, works)
	if err != nil {
		d.putBack(wanted)
		return nil, nil, &fatalError{err}
	}
	return content, wanted, nil
}
