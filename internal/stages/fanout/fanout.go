package fanout

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Fanout executes tasks that have no record yet.
type Fanout struct {
	Env    *stages.Env
	Site   *Site
	Limits comp.Limits // limits of each Work
	Tasks  int
	Key    func(k int) cache.Key // key of a task's record
	Name   func(k int) string    // display name of a task: BENCHMARK@SOLVER
	// Expect returns the expected wall time of a task's Works, and their number if they form a group.
	Expect func(k int) (wallS float64, group int)
	// Limit means that Expect returns limits, from which the remaining time cannot be estimated.
	Limit bool
	// Found reports whether a task has a record by now, or no longer needs to be executed. It may be nil.
	Found func(k int) (found, given bool)
	Works func(k int) ([]*worker.Work, error)
	// Take stores a task's results, which are records. first is the record of an attempt that an unexplained SIGKILL
	// ended, or empty.
	Take func(k int, results []*worker.Result, first string) error
	// CannotStart is called when a program cannot be started. If it is nil, such an error ends the whole execution.
	CannotStart func(k int, err *runner.StartError)
	RetryKilled bool // repeats a task once if an unexplained SIGKILL ended one of its Works
}

// tries is the maximum number of attempts at a task while the machine fails.
const tries = 3

// Execute executes the tasks and stores each result as it arrives. It returns permanent failures as an error after all
// other tasks have results.
func (f *Fanout) Execute(ctx context.Context) error {
	lost := &losses{of: f.Tasks}
	o := &worker.Order{
		Tasks: make([]worker.Task, f.Tasks), Limit: f.Limits.WallTime, Tries: tries,
		Reserve: f.Site.reserve, Status: f.Site.tellStatus, Hello: f.Site.noteHello, Event: f.Site.noteEvent,
	}
	sum := 0.0
	for k := range o.Tasks {
		wall, group := f.Expect(k)
		o.Tasks[k] = worker.Task{ID: f.Key(k).String(), Group: group, Expected: time.Duration(wall * 1e9)}
		sum += f.coreSeconds(&o.Tasks[k])
	}
	if !f.Limit {
		f.Env.Progress.Expect(sum, f.Site.Places*f.Limits.Cores)
	}
	o.Works = func(k int) ([]*worker.Work, error) {
		if f.Found != nil {
			found, given := f.Found(k) // a concurrent stage may have executed the task
			if found {
				f.Env.Progress.Add(1, "found")
			}
			if found || given {
				f.worked(&o.Tasks[k])
				return nil, nil
			}
		}
		return f.Works(k)
	}
	o.Take = func(k int, results []*worker.Result) (again bool, err error) {
		if again, err = f.take(k, results, lost); !again {
			f.worked(&o.Tasks[k])
		}
		return again, err
	}
	o.Retry = func(k int, why string) {
		f.Env.Log.Warn("the machine failed; will retry the run", "run", f.Name(k), "error", why)
	}
	if err := f.Site.Execute(ctx, o); err != nil {
		return err
	}
	return lost.err()
}

// coreSeconds returns the core-seconds that a task is expected to occupy.
func (f *Fanout) coreSeconds(t *worker.Task) float64 {
	return t.Expected.Seconds() * float64(f.Limits.Cores)
}

func (f *Fanout) worked(t *worker.Task) {
	if !f.Limit {
		f.Env.Progress.Worked(f.coreSeconds(t))
	}
}

// take stores a task's results, or notes why there are none. It reports whether the task must be executed again.
func (f *Fanout) take(k int, results []*worker.Result, lost *losses) (again bool, err error) {
	for _, r := range results {
		if r.Failure != nil {
			return false, f.noResult(k, r.Failure, lost)
		}
	}
	first, again, err := f.again(k, results)
	if again || err != nil {
		return again, err
	}
	lost.none()
	if err := f.Take(k, results, first); err != nil {
		return false, err
	}
	if err := f.noteOrigin(k, results); err != nil || first == "" {
		return false, err
	}
	return false, f.forget(k)
}

// noResult notes why a task has no record. An error ends the whole execution.
func (f *Fanout) noResult(k int, why *worker.Failure, lost *losses) error {
	if why.Kind == worker.Awaited {
		lost.await(why.Text)
		return nil
	}
	err := why.Err()
	if start, cannot := errors.AsType[*runner.StartError](err); cannot {
		f.Env.Progress.Fail(f.Name(k), "cannot be started", err.Error())
		if f.CannotStart == nil {
			return fmt.Errorf("%s: %w", f.Name(k), err)
		}
		f.CannotStart(k, start)
		return nil
	}
	f.Env.Progress.Fail(f.Name(k), "has no result", err.Error())
	return lost.add(fmt.Errorf("%s: %w", f.Name(k), err))
}

// losses counts the tasks without a result and keeps the first few errors.
type losses struct {
	of int // number of tasks

	mu      sync.Mutex
	first   []error
	n       int
	inRow   int // consecutive losses
	awaited int // tasks whose results other machines have yet to deliver
	message string
}

// shownLosses is the maximum number of errors shown. After mostInRow failed tasks in a row, the machines are assumed to
// be at fault, and no further task is tried.
const (
	shownLosses = 5
	mostInRow   = 20
)

func (l *losses) add(err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.n++; l.n <= shownLosses {
		l.first = append(l.first, err)
	}
	if l.inRow++; l.inRow < mostInRow {
		return nil
	}
	return l.summary()
}

// none notes that a task has a result, which ends a series of losses.
func (l *losses) none() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inRow = 0
}

func (l *losses) await(message string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.awaited++
	l.message = message
}

func (l *losses) summary() error {
	return fmt.Errorf("%d runs have no result; the others are recorded, and the next execution retries these:\n%w", l.n,
		errors.Join(l.first...))
}

func (l *losses) err() error {
	switch {
	case l.n > 0:
		return l.summary()
	case l.awaited > 0:
		return &stages.WaitingError{Left: l.awaited, Of: l.of, Message: l.message}
	}
	return nil
}

// Distinct keeps the first of the items that share a key, such as the runs of two benchmarks that are scrambled to the
// same script.
func Distinct(items stages.Items, which []int) []int {
	seen := make(map[cache.Key]bool, len(which))
	return slices.DeleteFunc(slices.Clone(which), func(i int) bool {
		key := items.Key(i)
		known := seen[key]
		seen[key] = true
		return known
	})
}
