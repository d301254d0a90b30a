package execute

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/fanout"
)

// The expected time of a run is the time of the latest run of the same solver, command and benchmark in this store,
// under any limits and seed. Without such a run, it comes from the stage's latest record and the imported runs of
// earlier years, then from the mean of the solver's known runs, and finally from the limits. After the early sample,
// runs are executed in descending order of expected time, because a long run should not be left alone at the end.
// Expected times also determine the displayed remaining time. They never affect a result.

// timesName is the set of items that keeps the runs' wall times: seconds, a float64 in little-endian order; negative if
// the wall time limit ended the run.
const timesName = "times"

// timeKey identifies a solver's runs in a track across all seeds, limits and versions of its program.
func (act *action) timeKey(e *entrant) cache.Key {
	k := cache.NewKeyWriter("time/1")
	k.String("solver", e.name)
	k.Int("arguments", int64(len(e.command)))
	for _, arg := range e.command {
		k.String("argument", arg)
	}
	k.String("track", act.kind.String())
	return k.Key()
}

// timesKey returns the key for a solver's time on a benchmark.
func timesKey(solver cache.Key, benchmark string) cache.Key {
	b := make([]byte, 0, 256)
	return sha256.Sum256(append(append(b, solver[:]...), benchmark...))
}

// planned is a run to execute and its expected time.
type planned struct {
	item int32
	wall float32 // in seconds
}

// early reports whether a run's benchmark is in the early sample.
func (f *execution) early(item int32) bool {
	return comp.InEarlySample(f.digests[f.pairs[item].script])
}

// plan orders runs: first the early sample, then the rest by descending expected time. Ties keep their order.
func (f *execution) plan(missing []int) ([]planned, error) {
	all, err := f.expect(missing)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b planned) int {
		if early := f.early(a.item); early != f.early(b.item) {
			if early {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.wall, a.wall), cmp.Compare(a.item, b.item))
	})
	return all, nil
}

// expect returns the runs and their expected times.
func (f *execution) expect(missing []int) ([]planned, error) {
	all := make([]planned, len(missing))
	unknown := 0
	err := f.recalled(missing, func(k int, wall float64, known bool) {
		all[k] = planned{int32(missing[k]), float32(wall)}
		if !known {
			all[k].wall = -1
			unknown++
		}
	})
	if err != nil {
		return nil, err
	}
	if unknown > 0 {
		past := f.past()
		for k := range all {
			p := f.pairs[all[k].item]
			t, ok := past.Find(f.scripts[p.script].Benchmark, f.entrants[p.solver].name)
			if ok && all[k].wall < 0 {
				all[k].wall = float32(t.Wall)
			}
		}
	}
	f.fillUp(all, missing)
	return all, nil
}

// recalled calls visit for each run with the time that this store has kept, if any.
func (f *execution) recalled(items []int, visit func(k int, wall float64, known bool)) error {
	times, err := f.env.Store.Items(timesName)
	if err != nil {
		return err
	}
	solvers := f.timeKeys()
	keys := make([]cache.Key, len(items))
	for k, i := range items {
		p := f.pairs[i]
		keys[k] = timesKey(solvers[p.solver], f.scripts[p.script].Benchmark)
	}
	for k, place := range times.Locate(keys) {
		wall, known := 0.0, false
		if place.Found() {
			record, ok, err := times.At(keys[k], place)
			known = err == nil && ok && len(record) == 8 // a damaged record counts as unknown
			if known {
				wall = f.wouldTake(math.Float64frombits(binary.LittleEndian.Uint64(record)))
			}
		}
		visit(k, wall, known)
	}
	return nil
}

// wouldTake returns a run's time under the present limits. A run that its limit ended is assumed to reach the new limit
// as well.
func (f *execution) wouldTake(wall float64) float64 {
	if limit := f.limits.WallTime.Seconds(); wall < 0 || wall > limit {
		return limit
	}
	return wall
}

// timeKeys returns the time keys of all entrants.
func (f *execution) timeKeys() []cache.Key {
	keys := make([]cache.Key, len(f.entrants))
	for j := range f.entrants {
		keys[j] = f.timeKey(&f.entrants[j])
	}
	return keys
}

// remember keeps a run's time for later estimates. Failing to do so does no harm, since the run has its record.
func (f *execution) remember(times *cache.Items, p pair, r *run.Record) {
	e, wall := &f.entrants[p.solver], float64(r.WallTimeS)
	if r.Ending == comp.WallTimeout {
		wall = -wall
	}
	record := binary.LittleEndian.AppendUint64(nil, math.Float64bits(wall))
	_ = times.Put(timesKey(f.timeKey(e), f.scripts[p.script].Benchmark), record)
}

// mostDone is the maximum number of finished runs used for means. It is enough for a mean and quick to read.
const mostDone = 10_000

// fillUp sets each unknown time to the mean of the solver's runs, including finished ones, or else to the limit.
func (f *execution) fillUp(all []planned, missing []int) {
	if !slices.ContainsFunc(all, func(p planned) bool { return p.wall < 0 }) {
		return
	}
	limit := float32(f.limits.WallTime.Seconds())
	sums, counts := make([]float64, len(f.entrants)), make([]int, len(f.entrants))
	add := func(item int, wall float64) {
		j := f.pairs[item].solver
		sums[j] += wall
		counts[j]++
	}
	for _, p := range all {
		if p.wall >= 0 {
			add(int(p.item), float64(p.wall))
		}
	}
	step, next := 1+(len(f.pairs)-len(missing))/mostDone, 0 // relies on missing being in ascending order
	for i := range f.pairs {
		if next < len(missing) && missing[next] == i {
			next++
			continue
		}
		if (i-next)%step != 0 {
			continue
		}
		b, err := f.items.Record(i)
		if err != nil {
			continue // either the same run is also missing, or writing the table reports the error
		}
		if r, err := run.Decode(b); err == nil {
			add(i, float64(r.WallTimeS))
		}
	}
	for k := range all {
		p := &all[k]
		switch j := f.pairs[p.item].solver; {
		case p.wall >= 0: // already known
		case counts[j] > 0:
			p.wall = float32(sums[j] / float64(counts[j]))
		default:
			p.wall = limit
		}
	}
}

// past reads the runs of the stage's latest record and of earlier years. It skips tables that cannot be read.
func (f *execution) past() *fanout.Past {
	limit := f.limits.WallTime.Seconds()
	p := fanout.NewPast(fanout.Spent{CPU: limit, Wall: limit})
	p.History(f.env.Store, f.env.Tables(results.SchemaOf[results.HistoryRow]().Name), f.track)
	if art, ok := stages.ArtifactOf(f.env.Latest["runs"]); ok {
		_ = p.Latest(f.env.Store, art, nil)
	}
	return p
}
