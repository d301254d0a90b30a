package execute

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/runner"
	"github.com/smtpipe/smtpipe/internal/worker"
)

// executeBulk has an executor execute all waiting works, and stores each result as it arrives. A run that fails
// permanently fails the stage at the end, after the others have their results.
func (f *fanout) executeBulk(ctx context.Context, bulk worker.Bulk, agenda []planned, times *cache.Items,
	failed *failedStarts) error {
	o := &worker.Order{
		Tasks:  make([]worker.Task, len(agenda)),
		Limit:  f.limits.WallTime,
		Status: f.tellStatus,
		Hello:  f.noteMachine,
	}
	for k, p := range agenda {
		o.Tasks[k] = worker.Task{ID: f.items.Key(int(p.item)).String(), Expected: time.Duration(float64(p.wall) * 1e9)}
	}
	o.Work = func(k int) (*worker.Work, error) {
		item := int(agenda[k].item)
		if failed.has(f.pairs[item].solver) {
			return nil, nil
		}
		return f.workByDigest(item)
	}
	var lost failures
	o.Take = func(k int, r *worker.Result) (bool, error) {
		again, err := f.takeResult(int(agenda[k].item), r, times, failed, &lost)
		if !again {
			f.env.Progress.Worked(f.coreSeconds(agenda[k]))
		}
		return again, err
	}
	if err := bulk.ExecuteAll(ctx, o); err != nil {
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

// workByDigest returns the work of an item. Its script is read when it is sent.
func (f *fanout) workByDigest(item int) (*worker.Work, error) {
	p := f.pairs[item]
	digest := f.digests[p.script]
	w, done, err := f.work(item, &f.entrants[p.solver], []byte{})
	if err != nil {
		return nil, err
	}
	done()
	script := worker.File{SHA256: digest.String()}
	script.Source = func() (io.ReadCloser, int64, error) { return openBlob(f.env.Store, digest) }
	if w.Stdin != nil {
		w.Stdin = &script
	}
	input := script
	input.Target = scriptPath
	for i := range w.Inputs {
		if w.Inputs[i].Target == scriptPath {
			w.Inputs[i] = input
		}
	}
	for i, arg := range w.Command { // of a run that sees the machine's files: the worker knows where
		if strings.HasPrefix(arg, scriptsIn(f.env.Temp)) {
			w.Command[i], w.Inputs = scriptPath, []worker.File{input}
		}
	}
	return w, nil
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

// takeResult stores the record of a run, or notes why there is none. It reports whether the run must be executed again.
func (f *fanout) takeResult(item int, r *worker.Result, times *cache.Items, failed *failedStarts,
	lost *failures) (again bool, err error) {
	p := f.pairs[item]
	script, e := &f.scripts[p.script], &f.entrants[p.solver]
	if r.Failure != nil {
		err := r.Failure.Err()
		name := script.Benchmark + "@" + e.name
		if _, cannot := errors.AsType[*runner.StartError](err); cannot {
			failed.add(p.solver, err)
			f.env.Progress.Fail(name, "cannot be started", err.Error())
			return false, nil
		}
		f.env.Progress.Fail(name, "has no result", err.Error())
		lost.add(fmt.Errorf("%s on %s: %w", e.name, script.Benchmark, err))
		return false, nil
	}
	rec, err := keep(f.env, r)
	if err != nil {
		return false, err
	}
	if again, err = f.again(item, &rec); again || err != nil {
		return again, err
	}
	failed.works(p.solver)
	return false, f.store(item, &rec, times)
}

// failures are runs without a result. The first few are shown.
type failures struct {
	first []error
	n     int
}

const shownFailures = 5

func (l *failures) add(err error) {
	if l.n++; l.n <= shownFailures {
		l.first = append(l.first, err)
	}
}

func (l *failures) err() error {
	if l.n == 0 {
		return nil
	}
	return fmt.Errorf("%d runs have no result; the others are recorded, and the next execution tries these again:\n%w", l.n,
		errors.Join(l.first...))
}
