package workertest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/exec/worker"
)

// tray is an order that records its results.
type tray struct {
	worker.Order
	mu    sync.Mutex
	made  map[string]int                // number of calls of Works, by task id
	taken map[string][][]*worker.Result // results passed to Take, by task id
}

// newTray returns an order whose tasks execute shell scripts. script returns the script for a work id.
func newTray(work func(id, script string) *worker.Work, tasks []worker.Task, script func(id string) string) *tray {
	o := &tray{made: map[string]int{}, taken: map[string][][]*worker.Result{}}
	o.Tasks, o.Limit = tasks, 20*time.Second
	o.Works = func(k int) ([]*worker.Work, error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.made[tasks[k].ID]++
		var works []*worker.Work
		for n := range max(tasks[k].Group, 1) {
			works = append(works, work(tasks[k].WorkID(n), script(tasks[k].WorkID(n))))
		}
		return works, nil
	}
	o.Take = func(k int, r []*worker.Result) (bool, error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.taken[tasks[k].ID] = append(o.taken[tasks[k].ID], r)
		return false, nil
	}
	return o
}

func tasksOf(ids ...string) []worker.Task {
	var all []worker.Task
	for _, id := range ids {
		all = append(all, worker.Task{ID: id, Expected: time.Second})
	}
	return all
}

// printed returns what a task's works printed in its n-th execution.
func (o *tray) printed(t *testing.T, id string, n int) []string {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.taken[id]) <= n {
		t.Errorf("%s was taken %d times, want %d or more", id, len(o.taken[id]), n+1)
		return nil
	}
	var all []string
	for i, r := range o.taken[id][n] {
		if r.Record == nil {
			t.Errorf("result %d of %s is %+v", i, id, r.Failure)
			continue
		}
		all = append(all, r.ID+":"+strings.TrimSpace(string(r.Record.Stdout.Head)))
	}
	return all
}

func echo(id string) string { return "echo " + strings.ReplaceAll(id, "#", "-") }

// Orders is the part of the suite that covers orders: which works are executed, how often, in which order, and when the
// order ends. work returns a work that executes a shell script.
func Orders(t *testing.T, x worker.Executor, work func(id, script string) *worker.Work) {
	t.Run("each task once, but for those withdrawn or wanted again", func(t *testing.T) {
		o := newTray(work, tasksOf("one", "two", "gone", "twice"), echo)
		works, take := o.Works, o.Take
		o.Works = func(k int) ([]*worker.Work, error) {
			if o.Tasks[k].ID == "gone" {
				return nil, nil
			}
			return works(k)
		}
		o.Take = func(k int, r []*worker.Result) (bool, error) {
			_, _ = take(k, r)
			o.mu.Lock()
			defer o.mu.Unlock()
			return o.Tasks[k].ID == "twice" && len(o.taken["twice"]) == 1, nil
		}
		if err := x.Execute(t.Context(), &o.Order); err != nil {
			t.Fatal(err)
		}
		for id, times := range map[string]int{"one": 1, "two": 1, "gone": 0, "twice": 2} {
			if n := len(o.taken[id]); n != times {
				t.Errorf("%s has results %d times, want %d", id, n, times)
			}
			for n := range times {
				if got := o.printed(t, id, n); !slices.Equal(got, []string{id + ":" + id}) {
					t.Errorf("result %d of %s: %q", n, id, got)
				}
			}
		}
	})
	t.Run("groups back to back", func(t *testing.T) { groups(t, x, work) })
	t.Run("an error of the order ends it", func(t *testing.T) {
		full := errors.New("the store is full")
		o := newTray(work, tasksOf("p", "q"), echo)
		o.Take = func(int, []*worker.Result) (bool, error) { return false, full }
		if err := x.Execute(t.Context(), &o.Order); !errors.Is(err, full) {
			t.Errorf("error %v of taking", err)
		}
		o.Works = func(int) ([]*worker.Work, error) { return nil, full }
		o.Tasks = tasksOf("r", "s")
		if err := x.Execute(t.Context(), &o.Order); !errors.Is(err, full) {
			t.Errorf("error %v of making works", err)
		}
	})
	t.Run("interrupted", func(t *testing.T) { interrupted(t, x, work) })
}

// groups executes two groups and a single work. The works of a group start in order, each after the previous one has
// ended.
func groups(t *testing.T, x worker.Executor, work func(id, script string) *worker.Work) {
	tasks := append(tasksOf("alone"), worker.Task{ID: "g", Group: 3, Expected: time.Second},
		worker.Task{ID: "h", Group: 2, Expected: time.Second})
	o := newTray(work, tasks, echo)
	if err := x.Execute(t.Context(), &o.Order); err != nil {
		t.Fatal(err)
	}
	if got := o.printed(t, "alone", 0); !slices.Equal(got, []string{"alone:alone"}) {
		t.Errorf("alone: %q", got)
	}
	for _, task := range tasks[1:] {
		if r := o.taken[task.ID]; len(r) == 1 && r[0][0].Failure != nil && r[0][0].Failure.Kind == worker.FailWork &&
			strings.Contains(r[0][0].Failure.Text, "back to back") {
			continue // the kind declares that it does not support groups
		}
		var want []string
		for n := range task.Group {
			want = append(want, fmt.Sprintf("%s#%d:%s-%d", task.ID, n, task.ID, n))
		}
		if got := o.printed(t, task.ID, 0); !slices.Equal(got, want) {
			t.Errorf("group %s: %q, want %q", task.ID, got, want)
			continue
		}
		r := o.taken[task.ID][0]
		for n := range task.Group - 1 {
			end := r[n].Record.Started.Add(r[n].Record.WallTimeS.Duration())
			if wait := r[n+1].Record.Started.Sub(end); wait < 0 || wait > 2*time.Second {
				t.Errorf("work %d of group %s begins %s after the end of the one before", n+1, task.ID, wait)
			}
		}
	}
}

// interrupted cancels an order during a run. The next order for the same works must still return their results.
func interrupted(t *testing.T, x worker.Executor, work func(id, script string) *worker.Work) {
	slow := func(id string) string { return "sleep 2; echo " + id }
	o := newTray(work, tasksOf("slow"), slow)
	ctx, cancel := context.WithCancel(t.Context())
	works := o.Works
	o.Works = func(k int) ([]*worker.Work, error) {
		time.AfterFunc(300*time.Millisecond, cancel)
		return works(k)
	}
	if err := x.Execute(ctx, &o.Order); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	if len(o.taken) > 0 {
		t.Errorf("an interrupted run has the results %+v", o.taken)
	}
	o = newTray(work, tasksOf("slow"), slow)
	if err := x.Execute(t.Context(), &o.Order); err != nil {
		t.Fatal(err)
	}
	if got := o.printed(t, "slow", 0); !slices.Equal(got, []string{"slow:slow"}) {
		t.Errorf("afterwards: %q", got)
	}
}
