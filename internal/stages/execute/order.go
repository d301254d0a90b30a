package execute

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/renameio/v2"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/runner"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/worker"
)

// tries is the number of times that a run is tried while the machine fails.
const tries = 3

// executeOrder has the executor execute all runs of the agenda, and stores each result as it arrives. A run that fails
// permanently fails the stage at the end, after the others have their results.
func (f *fanout) executeOrder(ctx context.Context, agenda []planned, times *cache.Items, failed *failedStarts) error {
	f.ranks = f.scriptRanks()
	lost := &losses{of: len(agenda)}
	o := &worker.Order{
		Tasks:   make([]worker.Task, len(agenda)),
		Limit:   f.limits.WallTime,
		Tries:   tries,
		Reserve: f.site.reserve,
		Status:  f.tellStatus,
		Hello:   f.noteMachine,
	}
	for k, p := range agenda {
		o.Tasks[k] = worker.Task{ID: f.items.Key(int(p.item)).String(), Expected: time.Duration(float64(p.wall) * 1e9)}
	}
	o.Works = func(k int) ([]*worker.Work, error) {
		item := int(agenda[k].item)
		found := f.items.Recorded(item) // a stage that is executed concurrently has the same run
		if found {
			f.env.Progress.Add(1, "found")
		}
		if found || failed.has(f.pairs[item].solver) {
			f.env.Progress.Worked(f.coreSeconds(agenda[k]))
			return nil, nil
		}
		w, err := f.work(item)
		return []*worker.Work{w}, err
	}
	o.Take = func(k int, r []*worker.Result) (again bool, err error) {
		if again, err = f.take(int(agenda[k].item), r[0], times, failed, lost); !again {
			f.env.Progress.Worked(f.coreSeconds(agenda[k]))
		}
		return again, err
	}
	o.Retry = func(k int, why string) {
		p := f.pairs[agenda[k].item]
		f.env.Log.Warn("the machine failed; the run is tried again", "solver", f.entrants[p.solver].name, "benchmark",
			f.scripts[p.script].Benchmark, "error", why)
	}
	if err := f.site.Execute(ctx, o); err != nil {
		return err
	}
	return lost.err()
}

// tellStatus publishes the state of runs elsewhere: in the progress, and in the store for commands such as serve.
func (f *fanout) tellStatus(text string) {
	if text != f.told {
		f.told = text
		f.env.Progress.Note(text)
	}
	err := os.MkdirAll(f.state(), 0o755)
	if err == nil {
		err = renameio.WriteFile(filepath.Join(f.state(), statusFile), []byte(text+"\n"), 0o644)
	}
	if err != nil {
		f.env.Log.Warn("the state of runs elsewhere cannot be noted in the store", "error", err)
	}
}

const statusFile = "status"

// state returns the folder of the store for files that outlive the driver of this stage.
func (f *fanout) state() string { return stateFolder(f.env.Store, f.env.Address) }

func stateFolder(store *cache.Store, address string) string {
	return filepath.Join(store.Dir(), "executors", url.PathEscape(address))
}

// silence is the time without a status after which the driver counts as gone.
const silence = 5 * time.Minute

// Status returns the latest status that a stage's driver wrote about runs elsewhere; empty if there is none. If the
// driver has been silent since, for example because it was killed, the text says since when.
func Status(store *cache.Store, address string, now time.Time) string {
	path := filepath.Join(stateFolder(store, address), statusFile)
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	content, err := os.ReadFile(path)
	text := strings.TrimSpace(string(content))
	if err != nil || text == "" {
		return ""
	}
	if at := info.ModTime(); now.Sub(at) > silence {
		text += ", at " + at.UTC().Format("2006-01-02 15:04") + " UTC; since then no smtpipe run has looked"
	}
	return text
}

// openBlob opens an intact blob. A damaged blob is moved aside.
func openBlob(store *cache.Store, digest cache.Digest) (io.ReadCloser, int64, error) {
	if err := store.Verify(digest); err != nil {
		return nil, 0, err
	}
	b, err := store.OpenBlob(digest)
	if err != nil {
		return nil, 0, err
	}
	return struct {
		io.Reader
		io.Closer
	}{b.Reader(), b}, b.Size, nil
}

// take stores the record of a run, or notes why there is none. It reports whether the run must be executed again.
func (f *fanout) take(item int, r *worker.Result, times *cache.Items, failed *failedStarts, lost *losses) (again bool,
	err error) {
	p := f.pairs[item]
	if r.Failure != nil {
		return false, f.noResult(p, r.Failure, failed, lost)
	}
	rec, err := keep(f.env, r)
	if err != nil {
		return false, err
	}
	if again, err = f.again(item, &rec); again || err != nil {
		return again, err
	}
	failed.works(p.solver)
	lost.none()
	return false, f.store(item, &rec, times)
}

// noResult notes why a run has no record. An error ends all.
func (f *fanout) noResult(p pair, why *worker.Failure, failed *failedStarts, lost *losses) error {
	script, e := &f.scripts[p.script], &f.entrants[p.solver]
	name, err := script.Benchmark+"@"+e.name, why.Err()
	if why.Kind == worker.Awaited {
		lost.await(why.Text)
		return nil
	}
	if _, cannot := errors.AsType[*runner.StartError](err); cannot {
		failed.add(p.solver, err)
		f.env.Progress.Fail(name, "cannot be started", err.Error())
		return nil
	}
	f.env.Progress.Fail(name, "has no result", err.Error())
	return lost.add(fmt.Errorf("%s on %s: %w", e.name, script.Benchmark, err))
}

// losses are runs without a result. The first few are shown.
type losses struct {
	of int // runs

	mu      sync.Mutex
	first   []error
	n       int
	inRow   int // without a result in between
	awaited int // that come from elsewhere
	message string
}

// shownLosses is the number of errors that are shown. After mostInRow runs in a row that failed, the machines are at
// fault, and no other run is tried.
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

// none notes a run with a result.
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
	return fmt.Errorf("%d runs have no result; the others are recorded, and the next execution tries these again:\n%w", l.n,
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

// scriptRanks orders the scripts by their digests, which reveal nothing about the benchmarks.
func (f *fanout) scriptRanks() []int {
	order := make([]int, len(f.scripts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return bytes.Compare(f.digests[a][:], f.digests[b][:]) })
	ranks := make([]int, len(order))
	for rank, i := range order {
		ranks[i] = rank
	}
	return ranks
}

// about returns what a run is about.
func (f *fanout) about(p pair) *worker.About {
	s, e := &f.scripts[p.script], &f.entrants[p.solver]
	a := &worker.About{
		Benchmark: s.Benchmark, Logic: s.Logic, Family: s.Family, Number: int(p.script), Script: f.ranks[p.script],
		Solver: e.name, Participation: int(e.participation), Track: f.kind.String(),
	}
	if !f.dialogue {
		a.Status = s.Status
	}
	return a
}
