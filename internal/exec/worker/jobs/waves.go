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

// submitWaves submits chunks for as many more jobs as are allowed.
func (d *driver) submitWaves(ctx context.Context) error {
	now := d.w.now()
	if now.Before(d.notBefore) || ctx.Err() != nil {
		return nil
	}
	live := 0
	for _, c := range d.chunks {
		if len(c.tasks) > 0 {
			live++
		}
	}
	for live < d.jobs && len(d.pending) > 0 {
		n, err := d.submitWave(ctx, min(d.jobs-live, d.most))
		if err != nil {
			return d.submitFailed(err)
		}
		d.submitBad = time.Time{}
		live += n
	}
	return nil
}

// submitFailed postpones the next try. Failing for long fails the stage.
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
		return d.giveUp("no node is left, since "+strings.Join(d.excluded, ", ")+" are excluded", "")
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

// fatalError is an error for which retrying is useless.
type fatalError struct{ err error }

func (e *fatalError) Error() string { return e.err.Error() }

// submitWave submits at most n chunks. It returns how many there are with works.
func (d *driver) submitWave(ctx context.Context, n int) (int, error) {
	w := &wave{number: 1}
	if len(d.waves) > 0 {
		w.number = d.waves[len(d.waves)-1].number + 1
	}
	var all []*chunk
	var contents [][]byte
	begun := d.w.now()
	for target := d.chunkTime(); len(all) < n && len(d.pending) > 0; {
		if len(all) > 0 && d.w.now().Sub(begun) > preparation {
			break
		}
		tasks := d.nextTasks(target)
		content, tasks, err := d.chunkOf(tasks)
		if err != nil {
			d.undo(all)
			return 0, err
		}
		if len(tasks) > 0 {
			all = append(all, &chunk{wave: w, index: len(all), tasks: tasks, seen: d.w.now()})
			contents = append(contents, content)
		}
	}
	if len(all) == 0 {
		return 0, nil
	}
	w.size, w.gone = len(all), make([]bool, len(all))
	w.chunks = fmt.Sprintf("%s-%d-", d.token, w.number)
	if err := d.write(note{Wave: w.number, Size: w.size, Chunks: w.chunks}); err != nil {
		d.undo(all)
		return 0, err
	}
	d.waves = append(d.waves, w)
	d.chunks = append(d.chunks, all...)
	if err := d.putChunks(all, contents); err != nil {
		for _, c := range all {
			c.tasks, c.back, c.quiet, c.over = nil, c.tasks, d.w.now(), true
		}
		return 0, err
	}
	job, err := d.w.Submit(ctx, &Submission{Name: jobName(d.token, w.number), Size: w.size, Chunks: w.chunks,
		Exclude: d.excluded, Script: d.script})
	if err != nil {
		return 0, err // whether it was submitted is not known: the list will show
	}
	w.job = job
	return len(all), d.write(note{Wave: w.number, Job: job})
}

// undo puts back the works of chunks that wrote nothing.
func (d *driver) undo(all []*chunk) {
	for _, c := range all {
		d.putBack(c.tasks)
		c.tasks = nil
	}
}

func (d *driver) putChunks(all []*chunk, contents [][]byte) error {
	for i, c := range all {
		if err := d.w.put(c.folder()+"/"+exchange.WorksFile, contents[i]); err != nil {
			return fmt.Errorf("write a chunk: %w", err)
		}
	}
	return nil
}

// chunkTime returns the target time of a chunk: half of each job's share if all work were divided now. Chunks therefore
// shrink towards the end, and no node waits for a long one.
func (d *driver) chunkTime() time.Duration {
	var sum time.Duration
	for k := range d.tasks {
		if s := d.tasks[k].state; s == waiting || s == inChunk {
			sum += d.order.Tasks[k].Expected
		}
	}
	share := sum / time.Duration(2*d.jobs*max(d.slots, 1))
	return min(max(share, minChunk), d.time*8/10)
}

// nextTasks takes tasks for one chunk, in the order of the pending ones, the longest first. A run that was in progress
// when a job died only shares a chunk with similar ones, so that it cannot harm others again.
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

// chunkOf returns the content of a chunk, from the tasks that are still wanted.
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
