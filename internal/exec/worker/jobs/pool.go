package jobs

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/smtpipe/smtpipe/internal/exec/worker/exchange"
)

// NamePrefix is the prefix of all job names.
const NamePrefix = "smtpipe-"

// job is a job in the pool, submitted by this driver or another one.
type job struct {
	Job
	name    string    // TOKEN-NUMBER-INDEX
	gone    time.Time // when lists first omitted the job or showed it as ended; zero if the last list contained it
	mine    bool      // whether this driver submitted the job
	kept    []string  // nodes that the job must avoid
	settled bool      // whether the reason for the job's end has been examined
	// cancelled is true if this driver cancelled the job.
	cancelled bool
}

// jobOf returns the name of a worker's job. The worker's name has an additional random part at the end.
func jobOf(worker string) string { return worker[:max(strings.LastIndexByte(worker, '-'), 0)] }

// isOwn reports whether the job was submitted for this store and stage.
func (d *driver) isOwn(name string) bool { return strings.HasPrefix(name, d.known.token+"-") }

// alive reports whether the driver considers a job alive. A list may be older than the job, so a job counts as dead
// only after it has been missing for some time.
func (d *driver) alive(j *job) bool {
	return j.gone.IsZero() || j.State != Ended && d.listed.Sub(j.gone) < d.delay
}

// live returns the pool's jobs that have not ended, with running jobs first.
func (d *driver) live() []*job {
	all := slices.DeleteFunc(slices.Collect(maps.Values(d.jobsByName)), func(j *job) bool { return !d.alive(j) })
	slices.SortFunc(all, func(a, b *job) int {
		return cmp.Or(cmp.Compare(b.State, a.State), cmp.Compare(a.name, b.name))
	})
	return all
}

// cancel cancels this store and stage's unwanted jobs that have not ended.
func (d *driver) cancel(ctx context.Context, unwanted func(rank int, j *job) bool) {
	var ids []string
	for i, j := range d.live() {
		if j.ID != "" && d.isOwn(j.name) && unwanted(i, j) {
			ids, j.cancelled = append(ids, j.ID), true
		}
	}
	if len(ids) > 0 {
		_ = d.w.Cancel(ctx, ids) // a later look, or another driver, cancels the remaining jobs
	}
}

// look asks the batch system for its jobs.
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
	jobs = slices.SortedStableFunc(slices.Values(jobs), func(a, b Job) int { return cmp.Compare(b.State, a.State) })
	for _, j := range d.jobsByName {
		if j.gone.IsZero() {
			j.gone = d.listed
		}
	}
	for _, e := range jobs { // a restarted job may still be listed as ended
		prefix, ok := strings.CutPrefix(e.Name, NamePrefix+d.pool+"-")
		if !ok {
			continue
		}
		name := fmt.Sprintf("%s-%d", prefix, e.Index)
		j := d.jobsByName[name]
		if j == nil {
			if e.State == Ended {
				continue // only another driver knew this job
			}
			j = &job{name: name}
			d.jobsByName[name] = j
		}
		if e.Node = cmp.Or(e.Node, j.Node); e.State != Ended {
			j.gone, j.settled = time.Time{}, false
		}
		j.Job = e
	}
	d.cancel(ctx, func(rank int, j *job) bool { // drivers that submitted concurrently may have submitted too many
		return j.State == Running && slices.Contains(d.excluded, j.Node) || j.State == Queued && rank >= d.jobs
	})
}

// submit submits jobs while there are fewer jobs than chunks and than all of the pool's drivers may have. A failed job
// is replaced once the reason is known.
func (d *driver) submit(ctx context.Context) error {
	wanted := 0
	for _, c := range d.chunks {
		if len(c.tasks) > 0 {
			wanted++
		}
	}
	wanted = min(d.jobs, wanted) - len(d.live())
	for _, j := range d.jobsByName {
		if j.mine && !j.settled && j.State == Ended && j.Exit != 0 {
			wanted--
		}
	}
	for n := wanted; n > 0; n -= d.most {
		d.known.used++
		number := d.known.used
		if err := d.write(note{Used: number}); err != nil {
			return err
		}
		name := fmt.Sprintf("%s-%d", d.known.token, number)
		s := &Submission{Name: NamePrefix + d.pool + "-" + name, Size: min(n, d.most), Exclude: d.excluded,
			Script: func(number, again string) string { return d.script(name+"-"+number, again) }}
		if err := d.w.Submit(ctx, s); err != nil {
			return err // the next list shows whether the jobs were submitted
		}
		for i := range s.Size {
			j := &job{Job: Job{Name: s.Name, Index: i}, name: name + "-" + strconv.Itoa(i), mine: true,
				kept: slices.Clone(d.excluded)}
			d.jobsByName[j.name] = j
		}
	}
	return nil
}

// settleJobs determines why this store and stage's jobs ended if they neither took a chunk nor ended by themselves.
// Jobs with chunks are handled together with their chunks.
func (d *driver) settleJobs() error {
	var logs []string
	for _, name := range slices.Sorted(maps.Keys(d.jobsByName)) {
		j := d.jobsByName[name]
		if j.settled || d.alive(j) || d.listed.Sub(j.gone) < d.delay || !d.isOwn(name) {
			continue
		}
		if logs == nil {
			var err error
			if logs, err = d.w.names(d.logFolder()); err != nil {
				return nil // the next attempt may succeed
			}
		}
		j.settled = true
		d.finished++
		var last *taker
		worked := j.cancelled
		for _, log := range logs {
			if jobOf(log) != name {
				continue
			}
			a := &taker{name: log}
			if err := d.follow(nil, d.logFolder(), a); err != nil {
				return err
			}
			worked = worked || a.works() && (a.end != nil || d.met[log])
			last = a
		}
		if worked || last == nil && !j.mine { // the previous driver may have removed the worker's file
			continue
		}
		if err := d.barren(j, d.faultOf(j, last)); err != nil {
			return err
		}
	}
	return nil
}

func (d *driver) logFolder() string { return exchange.WorkersFolder + "/" + d.pool }

// forget removes the output of this store and stage's workers.
func (d *driver) forget() {
	logs, _ := d.w.names(d.logFolder())
	for _, log := range logs {
		if d.isOwn(log) {
			_ = d.w.remove(d.logFolder() + "/" + log) // the next driver removes the rest
		}
	}
}

// meet records a worker when its greeting first appears in a chunk.
func (d *driver) meet(a *taker) {
	d.slots, d.row, d.worked = a.hello.Slots, nil, true
	if d.met[a.name] {
		return
	}
	d.met[a.name] = true
	d.reference(a.hello)
	if d.order.Hello != nil {
		d.order.Hello(*a.hello)
	}
}
