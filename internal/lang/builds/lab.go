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

// Lab measures pairs of runs, and keeps them.
type Lab struct {
	Store    *cache.Store
	Items    *cache.Items
	Observer engine.Observer
	Version  string // of smtpipe
	Limits   comp.Limits
	Answers  bool // only answers count, so that all known runs serve
	// Open opens the executor for works of two builds, whose digests are in the text.
	Open func(ctx context.Context, env *stages.Env, both string) (*fanout.Site, error)

	Places map[string]string // files of benchmarks, by their ID
	// SeedOption is an argument that gives a build the seed of a benchmark, in place of {seed}; empty: none.
	SeedOption string
	Seeds      []int64          // under which each benchmark is executed; none: as it is
	Scramble   scramble.Options // how a seed changes a benchmark
	Unchanged  bool             // seeds do not change benchmarks, only SeedOption

	site     *fanout.Site
	mu       sync.Mutex
	executed int
}

// pairing measures two builds.
type pairing struct {
	*Lab
	a, b *Build
}

// wanted is a pair that is not complete.
type wanted struct {
	benchmark compare.Benchmark
	content   cache.Digest
	key       cache.Key
	pair      *compare.Pair
	builds    []*Build // to execute, in this order
}

const compareAddr = "compare"

// Measure returns the pairs of a sample, and measures those that the store has not, with the number of runs that were
// executed. With seeds there is a pair for each of them, or for the first few where these agree.
func (l *Lab) Measure(ctx context.Context, a, b *Build, sample []compare.Benchmark) ([]compare.Pair, int, error) {
	if len(l.Seeds) == 0 {
		return l.measure(ctx, a, b, sample)
	}
	first := min(len(l.Seeds), compare.FirstSeeds)
	variants, err := l.variants(ctx, sample, l.Seeds[:first])
	if err != nil {
		return nil, 0, err
	}
	pairs, executed, err := l.measure(ctx, a, b, variants)
	if err != nil || first == len(l.Seeds) {
		return pairs, executed, err
	}
	var open []compare.Benchmark
	for i, b := range sample {
		if !compare.Agree(pairs[i*first : (i+1)*first]) {
			open = append(open, b)
		}
	}
	if variants, err = l.variants(ctx, open, l.Seeds[first:]); err != nil || len(open) == 0 {
		return pairs, executed, err
	}
	more, again, err := l.measure(ctx, a, b, variants)
	return append(pairs, more...), executed + again, err
}

func (l *Lab) measure(ctx context.Context, a, b *Build, sample []compare.Benchmark) (_ []compare.Pair, executed int,
	err error,
) {
	m := &pairing{l, a, b}
	env := engine.Alone(m.Store, compareAddr, m.Observer)
	env.Version = l.Version
	both := cache.NewKeyWriter("compare/executor")
	both.Digest("a", a.Digest)
	both.Digest("b", b.Digest)
	if m.site, err = l.Open(ctx, env, both.Key().String()); err != nil {
		return nil, 0, err
	}
	m.executed = 0
	defer func() { err = errors.Join(err, m.site.Close()) }()
	if m.site.Image != nil {
		if err := m.site.Image.Unpack(ctx, m.Store); err != nil {
			return nil, 0, err
		}
	}
	began := time.Now()
	m.Observer.Observe(engine.StageStarted{Addr: compareAddr, Kind: compareAddr, Reason: m.a.Name + " and " + m.b.Name})
	env.Progress.Start(int64(len(sample)), "benchmarks", false)
	pairs := make([]compare.Pair, len(sample))
	var missing []*wanted
	for i, bm := range sample {
		w, err := m.look(bm, &pairs[i])
		if err != nil {
			return nil, 0, err
		}
		if len(w.builds) > 0 {
			missing = append(missing, w)
			continue
		}
		env.Progress.Add(1, "")
	}
	if err := m.execute(ctx, env, missing); err != nil {
		m.Observer.Observe(engine.StageFailed{Addr: compareAddr, Err: err})
		return nil, 0, err
	}
	for i := range pairs {
		pairs[i].Interleaved = pairs[i].Interleaved && !m.Answers
	}
	m.Observer.Observe(engine.StageFinished{Addr: compareAddr, Kind: compareAddr, WallTime: time.Since(began),
		Rows: -1})
	return pairs, m.executed, m.Items.Sync()
}

// look reads the pair of a benchmark from the store, and lists the builds that must be executed for it.
func (m *pairing) look(bm compare.Benchmark, p *compare.Pair) (*wanted, error) {
	text, err := os.ReadFile(m.Places[bm.ID()])
	if err != nil {
		return nil, err
	}
	w := &wanted{benchmark: bm, content: cache.DigestOf(text), pair: p}
	w.key = m.key(bm, w.content, m.a, m.b)
	if ok, err := m.get(w.key, p); ok || err != nil {
		p.Benchmark = bm
		return w, err
	}
	*p = compare.Pair{Benchmark: bm}
	haveA, err := m.get(m.key(bm, w.content, m.a), &p.A)
	if err != nil {
		return nil, err
	}
	haveB, err := m.get(m.key(bm, w.content, m.b), &p.B)
	if err != nil {
		return nil, err
	}
	reuseA, reuseB := haveA && p.A.Answer == "", haveB && p.B.Answer == ""
	// Without an answer of one there is no claim about time. A known run of the other is then enough.
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

// keep stores a pair. One of known runs is not a measurement for later comparisons of times.
func (m *pairing) keep(w *wanted) error {
	if !w.pair.Interleaved && m.Answers {
		return nil
	}
	return m.put(w.key, w.pair)
}

// execute executes what is missing. The runs of a pair are a group: back to back, in one place.
func (m *pairing) execute(ctx context.Context, env *stages.Env, missing []*wanted) error {
	f := &fanout.Fanout{
		Env: env, Site: m.site, Limits: m.Limits, Tasks: len(missing), Limit: true, RetryKilled: true,
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
			env.Progress.Add(1, "")
			return m.take(missing[k], results)
		},
	}
	return f.Execute(ctx)
}

// work returns the work of a build on a benchmark.
func (m *pairing) work(id string, b *Build, of *wanted) (*worker.Work, error) {
	place := m.Places[of.benchmark.ID()]
	seen := place
	if !m.site.Kind.Here {
		seen = runner.InputDir + path.Clean("/"+place) // folders of builds may be shown where the benchmark is
	}
	c := b.seeded(m.SeedOption, of.benchmark.Seed).Command(seen, m.Limits)
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

// take stores the results of a pair.
func (m *pairing) take(w *wanted, results []*worker.Result) error {
	for n, r := range results {
		b := w.builds[n]
		run, err := runOf(r)
		if err != nil {
			return fmt.Errorf("%s on %s: %w", b.Name, w.benchmark.Path, err)
		}
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
	return nil
}

// key returns the key of the run of a build, or of the pair of two. Benchmarks with the same content are measured
// separately, since one measurement must not count twice.
func (m *pairing) key(bm compare.Benchmark, content cache.Digest, builds ...*Build) cache.Key {
	k := cache.NewKeyWriter("compare/1")
	for _, b := range builds {
		b = b.seeded(m.SeedOption, bm.Seed)
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
	record, ok, err := m.Items.Get(key)
	if !ok || err != nil {
		return false, err
	}
	return true, json.Unmarshal(record, v)
}

func (m *pairing) put(key cache.Key, v any) error {
	record, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return m.Items.Put(key, record)
}

// runOf reads the result of a build on a benchmark.
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

// UsageError is a mistake of who names builds or benchmarks.
type UsageError struct{ error }

// Unwrap returns the cause.
func (e UsageError) Unwrap() error { return e.error }

func usage(err error) error { return UsageError{err} }
