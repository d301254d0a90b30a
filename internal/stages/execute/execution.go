package execute

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/fanout"
)

// execution is the state of one execution of the stage.
type execution struct {
	*action
	env      *stages.Env
	scripts  []results.ScriptRow
	digests  []cache.Digest // digests of the scripts
	entrants []entrant
	pairs    []pair
	items    stages.Items

	solverKeys []cache.Key // keys of the entrants

	excluded map[int32]bool // entrants that cannot be started or whose runs all failed

	site  *fanout.Site // where runs are executed; nil until it is open
	ranks []int        // ranks of the scripts, for executors that write files
}

// listPairs lists the runs, ordered by script and then by solver.
func (f *execution) listPairs() []pair {
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

// enters reports whether the stage executes a solver on benchmarks of a logic.
func (f *execution) enters(e *entrant, logic string) bool {
	return e.enters(logic) && (f.enter == nil || slices.Contains(f.enter[logic], e.name))
}

// digestScripts reads the scripts' digests.
func (f *execution) digestScripts() error {
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

// forgetSilent forgets the runs whose output is lost, because a record is incomplete without it.
func (f *execution) forgetSilent() error {
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
		if !fanout.Speaks(f.env.Store, b) {
			f.items.Forget(i)
			gone++
		}
	}
	if gone > 0 {
		const text = "the output of %d of %d runs is gone from the store; they are executed again"
		f.env.Log.Warn(fmt.Sprintf(text, gone, len(f.pairs)))
	}
	return nil
}

// forgetNode forgets the runs of the node whose runs must be executed again.
func (f *execution) forgetNode() error {
	n, err := fanout.Forget(f.env.Store, f.items, len(f.pairs), f.env.Repeat)
	f.env.Log.Warn(fmt.Sprintf("%d of %d runs were executed by the node %s; they are executed again", n, len(f.pairs),
		f.env.Repeat))
	return err
}

// executeMissing executes the runs that have no record, in the order of plan. It gives up a solver that cannot be
// started at all, or whose first runs all fail in the same way.
func (f *execution) executeMissing(ctx context.Context, missing []int) error {
	site, err := f.place.Open(ctx, f.env, f.limits, "")
	if err != nil {
		return err
	}
	defer site.Close()
	f.site = site
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
	if err := f.noteRecorded(failed); err != nil {
		return err
	}
	f.ranks = f.scriptRanks()
	item := func(k int) int { return int(agenda[k].item) }
	fan := &fanout.Fanout{
		Env: f.env, Site: site, Limits: f.limits, Tasks: len(agenda), RetryKilled: f.retryKilled,
		Key:    func(k int) cache.Key { return f.items.Key(item(k)) },
		Name:   func(k int) string { return f.name(f.pairs[item(k)]) },
		Expect: func(k int) (float64, int) { return float64(agenda[k].wall), 0 },
		Found: func(k int) (found, given bool) {
			return f.items.Recorded(item(k)), failed.has(f.pairs[item(k)].solver)
		},
		Works: func(k int) ([]*worker.Work, error) {
			w, err := f.work(item(k))
			return []*worker.Work{w}, err
		},
		Take: func(k int, r []*worker.Result, first string) error {
			rec, err := f.store(item(k), r[0], first, times)
			if err == nil {
				f.started(failed, f.pairs[item(k)].solver, rec)
			}
			return err
		},
		CannotStart: func(k int, err *runner.StartError) { failed.add(f.pairs[item(k)].solver, err, false) },
	}
	return errors.Join(fan.Execute(ctx), f.exclude(failed))
}

// name returns a run's display name.
func (f *execution) name(p pair) string {
	return f.scripts[p.script].Benchmark + "@" + f.entrants[p.solver].name
}

// prepareAll determines how the runs' solvers are started, and which solvers cannot be started.
func (f *execution) prepareAll(ctx context.Context, missing []int) (*failures, error) {
	h := &failures{errs: map[int32]error{}, ran: map[int32]bool{}, broken: map[int32]bool{}, alike: map[int32]series{}}
	for _, i := range missing {
		e := &f.entrants[f.pairs[i].solver]
		if e.ready || h.has(f.pairs[i].solver) {
			continue
		}
		if err := unpack(ctx, f.env.Store, e); err != nil { // unpacking succeeded before
			return nil, fmt.Errorf("archive of solver %s: %w", e.name, err)
		}
		if err := f.prepare(e); err != nil {
			h.add(f.pairs[i].solver, err, false)
		}
	}
	return h, nil
}

// store stores a run's record. first is the record of the previous attempt, if there was one.
func (f *execution) store(i int, result *worker.Result, first string, times *cache.Items) (*run.Record, error) {
	rec, err := fanout.Keep(f.env, result)
	if err != nil {
		return nil, err
	}
	rec.Killed = first
	if f.language != nil {
		said, _, _ := f.language.Answer(result.Record.Stdout.Bytes())
		rec.FirstAnswer = string(said)
	}
	if err := f.items.Put(i, rec.Encode()); err != nil {
		return nil, err
	}
	p := f.pairs[i]
	f.remember(times, p, &rec)
	f.announce(p, &rec)
	return &rec, nil
}

// rowsOf returns the rows of a run with a record, one per attempt.
func (f *execution) rowsOf(i int) ([]results.RunRow, error) {
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
		rows[k].RunKey, rows[k].Hardware = f.items.Key(i).String(), f.place.Hardware
	}
	return rows, nil
}

func (f *execution) row(script *results.ScriptRow, e *entrant, r *run.Record) results.RunRow {
	return results.RunRow{
		Identity: run.Identity{Benchmark: script.Benchmark, Solver: e.name, Track: f.track, Logic: script.Logic},
		Measured: r.Measured, MeasuredAt: timeText(r.Started), MeasuredWith: r.Version,
		Participation: e.participation, Attempt: f.env.Attempt, ScriptSHA256: script.ScriptSHA256,
		Limits: run.Limits{WallLimitS: run.SecondsOf(f.limits.WallTime), CPULimitS: run.SecondsOf(f.limits.CPUTime),
			MemoryLimit: f.limits.MemoryBytes, Cores: int64(f.limits.Cores)},
	}
}
