package builds

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/compare"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/smt/scramble"
	"github.com/smtpipe/smtpipe/internal/smt/validate"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/fanout"
)

// Lab measures pairs of runs and stores them.
type Lab struct {
	Store    *cache.Store
	Items    *cache.Items
	Observer engine.Observer
	Version  string // smtpipe's version
	Limits   comp.Limits
	Answers  bool // whether only answers count, so that all known runs can be used
	// Open opens the executor for runs of two builds. both contains their digests.
	Open func(ctx context.Context, env *stages.Env, both string) (*fanout.Site, error)

	Places map[string]string // paths of benchmark files, by benchmark ID
	// SeedOption is the argument that passes a benchmark's seed, in place of {seed}, to a build; empty: none.
	SeedOption string
	Seeds      []int64          // seeds that each benchmark runs under; none: unscrambled
	Scramble   scramble.Options // how a seed changes a benchmark
	Unchanged  bool             // whether seeds leave benchmarks unchanged and are passed only by SeedOption
	Shuffle    string           // one-word description of what seeds change
	Forget     bool             // whether to neither store results nor use stored ones
	History    string           // solver whose history records all runs; empty: none

	// Budget limits the core time of runs: no run starts that could exceed it. 0: unlimited.
	Budget time.Duration
	spent  time.Duration // used part of the budget
}

// Measured is the result of a measurement, including pairs that were already in the store.
type Measured struct {
	Pairs    []compare.Pair
	Executed int // number of runs
	LeftOut  int // number of benchmarks that the budget did not cover
}

// Worst returns the core time that runs use if they reach the wall time limit.
func (l *Lab) Worst(runs int) time.Duration {
	return time.Duration(runs) * time.Duration(max(1, l.Limits.Cores)) * l.Limits.WallTime
}

// Affords returns how many of n equal tasks certainly fit in the remaining budget.
func (l *Lab) Affords(n, runsOfEach int) int {
	if l.Budget == 0 {
		return n
	}
	return max(0, min(n, int((l.Budget-l.spent)/l.Worst(runsOfEach))))
}

// pairing measures two builds.
type pairing struct {
	*Lab
	a, b     *Build
	env      *stages.Env
	site     *fanout.Site
	began    time.Time
	mu       sync.Mutex
	executed int
}

// wanted is an incomplete pair.
type wanted struct {
	benchmark compare.Benchmark
	content   cache.Digest
	key       cache.Key
	runs      [2]cache.Key // keys of both builds' runs
	pair      *compare.Pair
	builds    []*Build // builds to run, in this order
}

const compareAddr = "compare"

// Measure returns the pairs of a sample, measuring those that are not in the store. With seeds, it returns a pair for
// each seed, or only for the first few if these agree. A sample is in random order, so the benchmarks that the budget
// excludes are random, too.
func (l *Lab) Measure(ctx context.Context, a, b *Build, sample []compare.Benchmark) (out Measured, err error) {
	first := min(len(l.Seeds), compare.FirstSeeds)
	m, err := l.open(ctx, a, b, len(sample)*max(1, first))
	if err != nil {
		return out, err
	}
	defer func() { err = m.close(err) }()
	for len(sample) > 0 {
		runs := 2 * max(1, len(l.Seeds))
		n := l.Affords(len(sample), runs)
		if n == 0 && len(out.Pairs) == 0 {
			return out, usage(fmt.Errorf("the budget of core hours is not enough for one benchmark, whose %d runs may "+
				"take %.3g; take a larger one, fewer seeds, or a shorter limit", runs, l.Worst(runs).Hours()))
		}
		if n == 0 || n < min(len(sample), m.site.Places) && len(out.Pairs) > 0 { // too few to use all cores
			break
		}
		pairs, err := m.seeds(ctx, sample[:n], first)
		if err != nil {
			return out, err
		}
		out.Pairs, sample = append(out.Pairs, pairs...), sample[n:]
	}
	out.Executed, out.LeftOut = m.executed, len(sample)
	return out, nil
}

// seeds measures benchmarks under the first seeds and, if these disagree, under all.
func (m *pairing) seeds(ctx context.Context, sample []compare.Benchmark, first int) ([]compare.Pair, error) {
	if first == 0 {
		return m.measure(ctx, sample)
	}
	variants, err := m.variants(ctx, sample, m.Seeds[:first])
	if err != nil {
		return nil, err
	}
	pairs, err := m.measure(ctx, variants)
	if err != nil || first == len(m.Seeds) {
		return pairs, err
	}
	var open []compare.Benchmark
	for i, b := range sample {
		if !compare.Agree(pairs[i*first : (i+1)*first]) {
			open = append(open, b)
		}
	}
	if variants, err = m.variants(ctx, open, m.Seeds[first:]); err != nil || len(open) == 0 {
		return pairs, err
	}
	more, err := m.measure(ctx, variants)
	return append(pairs, more...), err
}

// measureAll measures benchmarks unscrambled.
func (l *Lab) measureAll(ctx context.Context, a, b *Build, all []compare.Benchmark) (out Measured, err error) {
	m, err := l.open(ctx, a, b, len(all))
	if err != nil {
		return out, err
	}
	defer func() { err = m.close(err) }()
	out.Pairs, err = m.measure(ctx, all)
	out.Executed = m.executed
	return out, err
}

// open opens the executor for two builds' runs and shows the progress by benchmark.
func (l *Lab) open(ctx context.Context, a, b *Build, benchmarks int) (*pairing, error) {
	m := &pairing{Lab: l, a: a, b: b, env: engine.Alone(l.Store, compareAddr, l.Observer), began: time.Now()}
	m.env.Version = l.Version
	both := cache.NewKeyWriter("compare/executor")
	both.Digest("a", a.Digest)
	both.Digest("b", b.Digest)
	var err error
	if m.site, err = l.Open(ctx, m.env, both.Key().String()); err != nil {
		return nil, err
	}
	if m.site.Image != nil {
		if err := m.site.Image.Unpack(ctx, m.Store); err != nil {
			return nil, errors.Join(err, m.site.Close())
		}
	}
	m.Observer.Observe(engine.StageStarted{Addr: compareAddr, Kind: compareAddr, Reason: m.a.Name + " and " + m.b.Name})
	m.env.Progress.Start(int64(benchmarks), "benchmarks", false)
	return m, nil
}

// close ends a pairing and returns its errors.
func (m *pairing) close(err error) error {
	if err != nil {
		m.Observer.Observe(engine.StageFailed{Addr: compareAddr, Err: err})
	} else {
		m.Observer.Observe(engine.StageFinished{Addr: compareAddr, Kind: compareAddr, WallTime: time.Since(m.began),
			Rows: -1})
	}
	return errors.Join(err, m.site.Close())
}

func (m *pairing) measure(ctx context.Context, sample []compare.Benchmark) ([]compare.Pair, error) {
	pairs := make([]compare.Pair, len(sample))
	var all, missing []*wanted
	for i, bm := range sample {
		w, err := m.look(bm, &pairs[i])
		if err != nil {
			return nil, err
		}
		all = append(all, w)
		if len(w.builds) > 0 {
			missing = append(missing, w)
			continue
		}
		m.env.Progress.Add(1, "")
	}
	if err := m.execute(ctx, missing); err != nil {
		return nil, err
	}
	for i := range pairs {
		pairs[i].Interleaved = pairs[i].Interleaved && !m.Answers
	}
	return pairs, errors.Join(m.Items.Sync(), m.remember(all))
}

// look reads a benchmark's pair from the store and lists the builds that still have to run.
func (m *pairing) look(bm compare.Benchmark, p *compare.Pair) (*wanted, error) {
	text, err := os.ReadFile(m.Places[bm.ID()])
	if err != nil {
		return nil, err
	}
	w := &wanted{benchmark: bm, content: cache.DigestOf(text), pair: p}
	w.key = m.key(bm, w.content, m.a, m.b)
	w.runs = [2]cache.Key{m.key(bm, w.content, m.a), m.key(bm, w.content, m.b)}
	if ok, err := m.get(w.key, p); ok || err != nil {
		p.Benchmark = bm
		return w, err
	}
	*p = compare.Pair{Benchmark: bm}
	haveA, err := m.get(w.runs[0], &p.A)
	if err != nil {
		return nil, err
	}
	haveB, err := m.get(w.runs[1], &p.B)
	if err != nil {
		return nil, err
	}
	reuseA, reuseB := haveA && p.A.Answer == "", haveB && p.B.Answer == ""
	// If one build does not answer, times are not compared, so a known run of the other build suffices.
	if reuseA || reuseB || m.Answers {
		reuseA, reuseB = haveA, haveB
	}
	p.Interleaved = !reuseA && !reuseB
	if !reuseA {
		w.builds = append(w.builds, m.a)
	}
	if !reuseB {
		w.builds = append(w.builds, m.b)
	}
	if p.Interleaved && bm.SecondFirst {
		slices.Reverse(w.builds)
	}
	if len(w.builds) == 0 {
		return w, m.keep(w)
	}
	return w, nil
}

// keep stores a pair. Later comparisons of times ignore a pair of known runs, because the two were not measured
// together.
func (m *pairing) keep(w *wanted) error {
	if !w.pair.Interleaved && m.Answers {
		return nil
	}
	return m.put(w.key, w.pair)
}

// execute runs the missing builds. A pair's runs form a group: they execute back to back, in the same place.
func (m *pairing) execute(ctx context.Context, missing []*wanted) error {
	f := &fanout.Fanout{
		Env: m.env, Site: m.site, Limits: m.Limits, Tasks: len(missing), Limit: true, RetryKilled: true,
		Key:  func(k int) cache.Key { return missing[k].key },
		Name: func(k int) string { return missing[k].benchmark.ID() },
		Expect: func(k int) (wallS float64, group int) {
			n := len(missing[k].builds)
			return float64(n) * m.Limits.WallTime.Seconds(), n
		},
		Works: func(k int) (works []*worker.Work, err error) {
			task := worker.Task{ID: missing[k].key.String(), Group: len(missing[k].builds)}
			for n, b := range missing[k].builds {
				w, err := m.work(task.WorkID(n), b, missing[k])
				if err != nil {
					return nil, err
				}
				works = append(works, w)
			}
			return works, nil
		},
		Take: func(k int, results []*worker.Result, _ string) error {
			m.env.Progress.Add(1, "")
			return m.take(missing[k], results)
		},
	}
	return f.Execute(ctx)
}

// work returns the work to run a build on a benchmark.
func (m *pairing) work(id string, b *Build, of *wanted) (*worker.Work, error) {
	place := m.Places[of.benchmark.ID()]
	seen := place
	if !m.site.Kind.Here {
		seen = runner.InputDir + path.Clean("/"+place) // builds' folders may be made visible at the benchmark's path
	}
	c := b.Seeded(m.SeedOption, of.benchmark.Seed).Command(seen, m.Limits)
	switch {
	case !m.site.Private():
		c.Mounts = nil
	case m.site.Kind.Here:
		c.Mounts = append(c.Mounts, runner.Mount{Source: place, Target: place, Warm: true})
	}
	if m.site.Image != nil {
		if b.place != "" && b.folder == "" {
			c.Mounts = append(c.Mounts, runner.Mount{Source: b.place, Target: b.place, Warm: true})
		}
		if err := m.site.Image.Apply(&c, m.site.Hello().Isolation); err != nil {
			return nil, err
		}
	}
	w, err := worker.FromCommand(id, &c, nil)
	if err != nil || m.site.Kind.Here {
		return w, err
	}
	w.Inputs = []worker.File{{Target: seen, SHA256: of.content.String(), Source: func() (io.ReadCloser, int64, error) {
		text, err := os.ReadFile(place)
		return io.NopCloser(bytes.NewReader(text)), int64(len(text)), err
	}}}
	w.Verify, err = m.site.Verify(cmp.Or(b.place, b.folder))
	if m.site.Image != nil {
		w.Verify = append(slices.Clone(w.Verify), m.site.Image.Verify())
	}
	return w, err
}

// take stores a pair's results.
func (m *pairing) take(w *wanted, results []*worker.Result) error {
	var took time.Duration
	for n, r := range results {
		b := w.builds[n]
		run, err := runOf(r)
		if err != nil {
			return fmt.Errorf("%s on %s: %w", b.Name, w.benchmark.Path, err)
		}
		took += run.WallTimeS.Duration() * time.Duration(max(1, m.Limits.Cores))
		if b == m.a {
			w.pair.A = run
		} else {
			w.pair.B = run
		}
		if err := m.put(m.key(w.benchmark, w.content, b), &run); err != nil {
			return err
		}
	}
	if err := m.keep(w); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.executed += len(results)
	m.spent += took
	return nil
}

// key returns the key of a build's run, or of a pair of two builds. Benchmarks with the same contents are measured
// separately, because one measurement must not count twice.
func (m *pairing) key(bm compare.Benchmark, content cache.Digest, builds ...*Build) cache.Key {
	k := cache.NewKeyWriter("compare/1")
	for _, b := range builds {
		b = b.Seeded(m.SeedOption, bm.Seed)
		k.Digest("build", b.Digest)
		k.String("place", b.place)
		for _, a := range b.entry.Argv {
			k.String("argument", strings.TrimPrefix(a, b.folder))
		}
		k.String("environment", string(b.env))
	}
	k.String("benchmark", bm.ID())
	k.Digest("content", content)
	k.Int("wall_time", int64(m.Limits.WallTime))
	k.Int("memory", m.Limits.MemoryBytes)
	k.Int("cores", int64(m.Limits.Cores))
	if image := m.site.Image; image != nil {
		k.Digest("image", image.ID)
	}
	k.String("isolation", string(m.site.Hello().Isolation))
	k.String("hardware", m.site.Hello().Hardware)
	return k.Key()
}

func (m *pairing) get(key cache.Key, v any) (bool, error) {
	if m.Forget {
		return false, nil
	}
	record, ok, err := m.Items.Get(key)
	if !ok || err != nil {
		return false, err
	}
	return true, json.Unmarshal(record, v)
}

func (m *pairing) put(key cache.Key, v any) error {
	if m.Forget {
		return nil
	}
	record, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return m.Items.Put(key, record)
}

// runOf converts a build's result on a benchmark.
func runOf(r *worker.Result) (compare.Run, error) {
	if r.Failure != nil {
		return compare.Run{}, r.Failure.Err()
	}
	rec := r.Record
	d := validate.Answer(comp.SingleQuery, rec.Stdout.Bytes(), rec.Stderr.Bytes(),
		validate.Run{Ending: rec.Ending, ExitCode: rec.ExitCode, Truncated: rec.Stdout.Dropped() > 0})
	out := compare.Run{Ending: string(rec.Ending), Usage: rec.Usage}
	if wait := rec.Pressure; wait != nil && !rec.Flags.Has(runner.FlagCrowded) {
		out.Wait = run.SecondsOf(wait[0])
	}
	if d.Counts && d.Answer.Decides() {
		out.Answer = string(d.Answer)
	}
	return out, nil
}

// UsageError is a user's mistake in naming builds or benchmarks.
type UsageError struct{ error }

// Unwrap returns the cause.
func (e UsageError) Unwrap() error { return e.error }

func usage(err error) error { return UsageError{err} }
