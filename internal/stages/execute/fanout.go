package execute

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/results"
	"github.com/smtpipe/smtpipe/internal/run"
	"github.com/smtpipe/smtpipe/internal/runner"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// fanout is one execution of the stage.
type fanout struct {
	*action
	env      *stages.Env
	scripts  []results.ScriptRow
	digests  []cache.Digest // of the scripts
	entrants []entrant
	pairs    []pair
	items    stages.Items

	solverKeys []cache.Key // of the entrants

	excluded map[int32]bool // entrants that cannot be started

	site *site  // where runs are executed; nil before
	told string // the last status of an executor elsewhere
	// warned are warnings of machines that were given.
	warned map[string]bool
	ranks  []int // of the scripts, for executors that write files
}

// listPairs lists the runs: by script, then by solver.
func (f *fanout) listPairs() []pair {
	enters := map[string][]int32{}
	var all []pair
	for i, s := range f.scripts {
		if s.ScriptSHA256 == "" {
			continue
		}
		solvers, seen := enters[s.Logic]
		if !seen {
			for j := range f.entrants {
				if f.enters(&f.entrants[j], s.Logic) {
					solvers = append(solvers, int32(j))
				}
			}
			enters[s.Logic] = solvers
		}
		for _, j := range solvers {
			all = append(all, pair{int32(i), j})
		}
	}
	return all
}

// enters reports whether a solver takes part with benchmarks of a logic in this stage.
func (f *fanout) enters(e *entrant, logic string) bool {
	return e.enters(logic) && (f.enter == nil || slices.Contains(f.enter[logic], e.name))
}

// digestScripts reads the digests of the scripts.
func (f *fanout) digestScripts() error {
	f.digests = make([]cache.Digest, len(f.scripts))
	for i, s := range f.scripts {
		if s.ScriptSHA256 == "" {
			continue
		}
		d, err := cache.ParseDigest(s.ScriptSHA256)
		if err != nil {
			return fmt.Errorf("script of %s: %w", s.Benchmark, err)
		}
		f.digests[i] = d
	}
	return nil
}

// forgetSilent forgets the runs whose output is lost, since a record is incomplete without its output.
func (f *fanout) forgetSilent() error {
	missing := slices.Clone(f.items.Missing())
	gone := 0
	for i := range f.pairs {
		if _, none := slices.BinarySearch(missing, i); none {
			continue
		}
		b, err := f.items.Record(i)
		if err != nil {
			return err
		}
		if !f.speaks(b) {
			f.items.Forget(i)
			gone++
		}
	}
	if gone > 0 {
		const text = "what %d of %d runs printed is gone from the store; they are executed again"
		f.env.Log.Warn(fmt.Sprintf(text, gone, len(f.pairs)))
	}
	return nil
}

// speaks reports whether a record is intact and the output of all its attempts exists.
func (f *fanout) speaks(b []byte) bool {
	r, err := run.Decode(b)
	if err != nil {
		return false
	}
	attempts, err := r.Attempts()
	return err == nil && !slices.ContainsFunc(attempts, func(r run.Record) bool {
		return !f.has(r.StdoutSHA256) || !f.has(r.StderrSHA256)
	})
}

// has reports whether the output of a run exists. An empty digest means that no output is kept outside of the record.
func (f *fanout) has(digest string) bool {
	if digest == "" {
		return true
	}
	d, err := cache.ParseDigest(digest)
	return err == nil && (f.env.Store.Verify(d) == nil || f.env.Store.Fetch(d) == nil)
}

// distinct keeps the first item of each key: two benchmarks that are scrambled to the same script share a run.
func (f *fanout) distinct(items []int) []int {
	scripts, solvers := f.sameScripts(), f.sameSolvers()
	if len(scripts) == 0 && len(solvers) == 0 {
		return items
	}
	seen := map[cache.Key]bool{}
	return slices.DeleteFunc(slices.Clone(items), func(i int) bool {
		if p := f.pairs[i]; !scripts[f.digests[p.script]] && !solvers[f.solverKeys[p.solver]] {
			return false
		}
		k := f.items.Key(i)
		defer func() { seen[k] = true }()
		return seen[k]
	})
}

// sameSolvers returns the keys that several solvers share.
func (f *fanout) sameSolvers() map[cache.Key]bool {
	seen, again := map[cache.Key]bool{}, map[cache.Key]bool{}
	for _, k := range f.solverKeys {
		if seen[k] {
			again[k] = true
		}
		seen[k] = true
	}
	return again
}

// sameScripts returns the digests that several benchmarks share. Scripts are far fewer than runs.
func (f *fanout) sameScripts() map[cache.Digest]bool {
	sorted := slices.Clone(f.digests)
	slices.SortFunc(sorted, func(a, b cache.Digest) int { return bytes.Compare(a[:], b[:]) })
	again := map[cache.Digest]bool{}
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] && sorted[i] != (cache.Digest{}) {
			again[sorted[i]] = true
		}
	}
	return again
}

// executeMissing executes the runs that have no record, the longest expected runs first. A solver that cannot be
// started at all is given up. The stage then fails at the end, after the runs of the other solvers.
func (f *fanout) executeMissing(ctx context.Context, missing []int) error {
	site, err := f.openSite(ctx)
	if err != nil {
		return err
	}
	defer site.leave()
	f.site = site
	f.noteMachine(site.Hello())
	defer func() {
		end := site.Hello()
		if f.executor.Here {
			state := runner.MachineState()
			end.State = &state
		}
		f.noteMachine(end)
	}()
	times, err := f.env.Store.Items(timesName)
	if err != nil {
		return err
	}
	agenda, err := f.plan(missing)
	if err != nil {
		return err
	}
	failed, err := f.prepareAll(ctx, missing)
	if err != nil {
		return err
	}
	f.announceWork(agenda)
	return errors.Join(f.executeOrder(ctx, agenda, times, failed), f.exclude(failed))
}

// exclude excludes the solvers that cannot be started. It is an error, because the machine is to blame, if a solver has
// been started before, or if no solver can be started.
func (f *fanout) exclude(failed *failedStarts) error {
	if len(failed.errs) == 0 {
		return nil
	}
	missing, others := f.items.Missing(), false
	for i, p := range f.pairs {
		if _, waits := slices.BinarySearch(missing, i); !waits {
			failed.ran[p.solver] = true
		}
		others = others || failed.errs[p.solver] == nil
	}
	var errs []error
	for j := range f.entrants {
		switch err := failed.errs[int32(j)]; {
		case err == nil:
		case failed.ran[int32(j)] || !others:
			errs = append(errs, fmt.Errorf("solver %s cannot be started: %w", f.entrants[j].name, err))
		default:
			f.excluded[int32(j)] = true
			f.env.Exclude(f.entrants[j].name, fmt.Errorf("it cannot be started: %w", err))
		}
	}
	return errors.Join(errs...)
}

// announceWork announces the expected time of all runs.
func (f *fanout) announceWork(agenda []planned) {
	sum := 0.0
	for _, p := range agenda {
		sum += f.coreSeconds(p)
	}
	f.env.Progress.Expect(sum, f.site.places*f.limits.Cores)
}

// prepareAll finds how the solvers of the runs are started, and which cannot be started.
func (f *fanout) prepareAll(ctx context.Context, missing []int) (*failedStarts, error) {
	h := &failedStarts{errs: map[int32]error{}, ran: map[int32]bool{}}
	for _, i := range missing {
		e := &f.entrants[f.pairs[i].solver]
		if e.ready || h.has(f.pairs[i].solver) {
			continue
		}
		if err := unpack(ctx, f.env.Store, e); err != nil { // which worked before
			return nil, fmt.Errorf("archive of solver %s: %w", e.name, err)
		}
		if err := f.prepare(e); err != nil {
			h.add(f.pairs[i].solver, err)
		}
	}
	return h, nil
}

// store stores the record of a run.
func (f *fanout) store(i int, rec *run.Record, times *cache.Items) error {
	if err := f.items.Put(i, rec.Encode()); err != nil {
		return err
	}
	if err := f.forget(i, rec); err != nil {
		return err
	}
	p := f.pairs[i]
	f.remember(times, p, rec)
	announce(f.env.Progress, &f.scripts[p.script], &f.entrants[p.solver], rec)
	return nil
}

// rowsOf returns the rows of a run that has a record, one for each attempt.
func (f *fanout) rowsOf(i int) ([]results.RunRow, error) {
	script, e := &f.scripts[f.pairs[i].script], &f.entrants[f.pairs[i].solver]
	b, err := f.items.Record(i)
	if err != nil {
		return nil, err
	}
	r, err := run.Decode(b)
	var attempts []run.Record
	if err == nil {
		attempts, err = r.Attempts()
	}
	if err != nil {
		return nil, fmt.Errorf("%s on %s: %w", e.name, script.Benchmark, err)
	}
	rows := make([]results.RunRow, len(attempts))
	for k := range attempts {
		rows[k] = f.row(script, e, &attempts[k])
		rows[k].Attempt += int64(k)
		rows[k].RunKey, rows[k].Hardware = f.items.Key(i).String(), f.hardware
	}
	return rows, nil
}

func (f *fanout) row(script *results.ScriptRow, e *entrant, r *run.Record) results.RunRow {
	return results.RunRow{
		Identity: run.Identity{Benchmark: script.Benchmark, Solver: e.name, Track: f.track, Logic: script.Logic},
		Measured: r.Measured, MeasuredAt: timeText(r.Started), MeasuredWith: r.Version,
		Participation: e.participation, Attempt: f.env.Attempt, ScriptSHA256: script.ScriptSHA256,
		Limits: run.Limits{WallLimitS: run.SecondsOf(f.limits.WallTime), CPULimitS: run.SecondsOf(f.limits.CPUTime),
			MemoryLimit: f.limits.MemoryBytes, Cores: int64(f.limits.Cores)},
	}
}

// failedStarts are the solvers that cannot be started.
type failedStarts struct {
	mu   sync.Mutex
	errs map[int32]error
	ran  map[int32]bool // solvers with a run that was started
}

func (h *failedStarts) has(solver int32) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.errs[solver] != nil
}

func (h *failedStarts) add(solver int32, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.errs[solver] = err
}

func (h *failedStarts) works(solver int32) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ran[solver] = true
}

// answerOf reads the first line that is an answer.
func answerOf(lines []runner.Line) (answer comp.Answer, line runner.Line) {
	for _, line := range lines {
		if status, err := comp.ParseStatus(trimmed(string(line.Text))); err == nil {
			return comp.Answer(status), line
		}
	}
	return comp.AnswerNone, runner.Line{}
}
