package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// Order lists the tasks that an executor must execute. Each task is a work or a group of works. The functions may be
// called concurrently for different tasks.
type Order struct {
	Tasks []Task        // tasks in their starting order
	Limit time.Duration // wall time limit per work
	// Works returns a task's works when they are needed, or none if the task is no longer wanted. Their ids must be
	// those of the task. Contents may be left to File.Source.
	Works func(k int) ([]*Work, error)
	// Take stores a task's results, which all come from one place. If again is true, the task is executed once more and
	// produces new results. An error ends the order. A result that is still to come from elsewhere is a failure of kind
	// Awaited.
	Take func(k int, results []*Result) (again bool, err error)
	// Tries is how often a task is executed if the machine fails. Executors with jobs use their own limit.
	Tries int
	// Retry is called when a task is retried after a machine failure. Optional.
	Retry func(k int, why string)
	// Reserve waits for the cores that a task needs on this machine, for kinds with Here. Optional.
	Reserve func(ctx context.Context) (release func(), err error)
	// Hello receives a description of where results come from, such as a node. Optional.
	Hello func(h Hello)
	// Event receives events about nodes and workers. Optional.
	Event func(e Event)
	// Status receives a short progress text, at least every few minutes. Optional.
	Status func(text string)
}

// Task describes works before they are built. A group's works are executed in order, back to back, in one place.
type Task struct {
	ID       string        // the work's id, or the prefix of the ids in a group
	Group    int           // number of works in a group; 0 means a single work
	Expected time.Duration // expected wall time of all works
}

// WorkID returns the id of a task's n-th work, counted from 0.
func (t *Task) WorkID(n int) string {
	if t.Group == 0 {
		return t.ID
	}
	return t.ID + groupMark + strconv.Itoa(n)
}

const groupMark = "#"

// TaskOf returns the task of a work id, and the work's number in that task.
func TaskOf(workID string) (task string, n int) {
	i := strings.LastIndex(workID, groupMark)
	if i < 0 {
		return workID, 0
	}
	n, err := strconv.Atoi(workID[i+len(groupMark):])
	if err != nil || n < 0 {
		return workID, 0
	}
	return workID[:i], n
}

// Fail returns results for works that all have the same failure.
func Fail(kind, text string, works ...*Work) []*Result {
	all := make([]*Result, len(works))
	for i, w := range works {
		all[i] = &Result{ID: w.ID, Failure: &Failure{Kind: kind, Text: text}}
	}
	return all
}

// Do executes works once, as an order with one task.
func Do(ctx context.Context, x Executor, works ...*Work) (results []*Result, err error) {
	task := Task{ID: works[0].ID}
	if len(works) > 1 {
		task.ID, _ = TaskOf(works[0].ID)
		task.Group = len(works)
	}
	err = x.Execute(ctx, &Order{
		Tasks: []Task{task},
		Limit: works[0].Limits.WallTime,
		Works: func(int) ([]*Work, error) { return works, nil },
		Take:  func(_ int, r []*Result) (bool, error) { results = r; return false, nil },
	})
	return results, err
}

// pause is the time before a task is retried.
const pause = 500 * time.Millisecond

// Spread executes an order's tasks, at most n of them concurrently. do executes the works of one task back to back in
// one place. An error that it returns ends the order, except ErrLost.
func Spread(ctx context.Context, o *Order, n int, do func(context.Context, []*Work) ([]*Result, error)) error {
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(max(n, 1))
	for k := range o.Tasks {
		if inner.Err() != nil {
			break
		}
		group.Go(func() error { return o.execute(inner, k, do) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// OneByOne converts a function that executes a single work into one for Spread that executes a task's works.
func OneByOne(do func(context.Context, *Work) (*Result, error)) func(context.Context, []*Work) ([]*Result, error) {
	return func(ctx context.Context, works []*Work) ([]*Result, error) {
		results := make([]*Result, len(works))
		for i, w := range works {
			var err error
			if results[i], err = do(ctx, w); err != nil {
				return nil, err
			}
		}
		return results, nil
	}
}

// execute executes one task until its results are taken.
func (o *Order) execute(ctx context.Context, k int, do func(context.Context, []*Work) ([]*Result, error)) error {
	if o.Reserve != nil {
		release, err := o.Reserve(ctx)
		if err != nil {
			return err
		}
		defer release()
	}
	for try := 1; ; {
		works, err := o.Works(k)
		if err != nil || len(works) == 0 {
			return err
		}
		results, err := do(ctx, works)
		if errors.Is(err, ErrLost) && ctx.Err() == nil {
			results, err = Fail(FailMachine, err.Error(), works...), nil
		} else if text := MachineFailed(results); text != "" {
			o.Tell(Event{Node: results[0].Host, Kind: Failed, Text: text})
		}
		if err != nil {
			return err
		}
		if text := MachineFailed(results); text != "" && try < o.Tries {
			try++
			if o.Retry != nil {
				o.Retry(k, text)
			}
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-time.After(pause):
			}
			continue
		}
		if again, err := o.Take(k, results); !again || err != nil {
			return err
		}
	}
}

// MachineFailed returns the text of a machine failure in results, or "" if there is none.
func MachineFailed(results []*Result) string {
	if f := FailureIn(results); f != nil && f.Kind == FailMachine {
		return f.Text
	}
	return ""
}

// FailureIn returns a failure in results, preferably a machine failure, or nil.
func FailureIn(results []*Result) (f *Failure) {
	for _, r := range results {
		if r.Failure != nil && (f == nil || r.Failure.Kind == FailMachine) {
			f = r.Failure
		}
	}
	return f
}

// Chain marks a task's works for a chunk.
func Chain(works []*Work) []*Work {
	for i, w := range works {
		w.Followed = i < len(works)-1
	}
	return works
}

// ReadTask reads the works of a chunk's next task. read reads a single work. At the end of the chunk, ReadTask returns
// io.EOF.
func ReadTask(read func() (*Work, error)) (works []*Work, err error) {
	for {
		w, err := read()
		if err == io.EOF && len(works) > 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
		if works = append(works, w); !w.Followed {
			return works, nil
		}
		if len(works) == maxGroup {
			return nil, fmt.Errorf("a group has more than %d works", maxGroup)
		}
	}
}

// maxGroup is the maximum number of works in a group.
const maxGroup = 1000

// Done reports whether all of a task's works have results.
func Done(works []*Work, done map[string]bool) bool {
	return !slices.ContainsFunc(works, func(w *Work) bool { return !done[w.ID] })
}
