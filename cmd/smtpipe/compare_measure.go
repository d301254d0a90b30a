package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/compare"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/runner"
	"github.com/smtpipe/smtpipe/internal/ui"
	"github.com/smtpipe/smtpipe/internal/validate"
)

// pairing is the state of a measurement.
type pairing struct {
	*compareFlags
	a, b     *build
	items    *cache.Items
	observer ui.Observer
	places   map[string]string // files of benchmarks
	host     *runner.Host
	hardware string
	executed int
}

// measure returns the pairs of a sample, and measures those that the store has not.
func (m *pairing) measure(cmd *cobra.Command, sample []compare.Benchmark) (_ []compare.Pair, err error) {
	m.host, err = runner.Open(runner.Config{Isolation: runner.Isolation(m.isolation), Jobs: 1, CoresPerRun: m.cores,
		MemoryPerRun: m.limits.MemoryBytes})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.host.Close()) }()
	m.hardware = runner.Hardware().String()
	const addr = "compare"
	began := time.Now()
	m.observer.Observe(engine.StageStarted{Addr: addr, Kind: addr, Reason: m.a.name + " and " + m.b.name})
	m.observer.Observe(engine.ItemsStarted{Addr: addr, Total: int64(len(sample)), Unit: "benchmarks"})
	var pairs []compare.Pair
	for _, bm := range sample {
		p, err := m.pair(cmd.Context(), bm)
		if err != nil {
			m.observer.Observe(engine.StageFailed{Addr: addr, Err: err})
			if cmd.Context().Err() != nil {
				err = withExit(exitInterrupted, errors.New("interrupted; pairs that were measured are kept"))
			}
			return nil, err
		}
		p.Interleaved = p.Interleaved && !m.answers
		pairs = append(pairs, *p)
		m.observer.Observe(engine.ItemsDone{Addr: addr, N: 1})
	}
	m.observer.Observe(engine.StageFinished{Addr: addr, Kind: addr, WallTime: time.Since(began), Rows: -1})
	fmt.Fprintf(cmd.ErrOrStderr(), "Executed %d runs for %d benchmarks.\n", m.executed, len(sample))
	return pairs, m.items.Sync()
}

// pair returns the pair of a benchmark from the store, or measures the missing parts.
func (m *pairing) pair(ctx context.Context, bm compare.Benchmark) (*compare.Pair, error) {
	text, err := os.ReadFile(m.places[bm.Path])
	if err != nil {
		return nil, err
	}
	content := cache.DigestOf(text)
	key := m.key(bm, content, m.a, m.b)
	p := &compare.Pair{}
	if ok, err := m.get(key, p); ok || err != nil {
		p.Benchmark = bm
		return p, err
	}
	p = &compare.Pair{Benchmark: bm}
	haveA, err := m.get(m.key(bm, content, m.a), &p.A)
	if err != nil {
		return nil, err
	}
	haveB, err := m.get(m.key(bm, content, m.b), &p.B)
	if err != nil {
		return nil, err
	}
	reuseA, reuseB := haveA && p.A.Answer == "", haveB && p.B.Answer == ""
	// Without an answer of one there is no claim about time. A known run of the other is then enough.
	if reuseA || reuseB || m.answers {
		reuseA, reuseB = haveA, haveB
	}
	p.Interleaved = !reuseA && !reuseB
	type job struct {
		*build
		to *compare.Run
	}
	var jobs []job
	if !reuseA {
		jobs = append(jobs, job{m.a, &p.A})
	}
	if !reuseB {
		jobs = append(jobs, job{m.b, &p.B})
	}
	if len(jobs) > 1 && bm.SecondFirst {
		jobs[0], jobs[1] = jobs[1], jobs[0]
	}
	for _, j := range jobs {
		if *j.to, err = m.run(ctx, j.build, m.places[bm.Path]); err != nil {
			return nil, err
		}
		if err := m.put(m.key(bm, content, j.build), j.to); err != nil {
			return nil, err
		}
	}
	// A pair of known runs is not a measurement for later comparisons of times.
	if !p.Interleaved && m.answers {
		return p, nil
	}
	return p, m.put(key, p)
}

// key returns the key of the run of a build, or of the pair of two. Benchmarks with the same content are measured
// separately, since one measurement must not count twice.
func (m *pairing) key(bm compare.Benchmark, content cache.Digest, builds ...*build) cache.Key {
	k := cache.NewKeyWriter("compare/1")
	for _, b := range builds {
		k.Digest("build", b.digest)
		k.String("place", b.place)
		for _, a := range b.entry.Argv {
			k.String("argument", strings.TrimPrefix(a, b.folder))
		}
		k.String("environment", string(b.env))
	}
	k.String("benchmark", bm.Path)
	k.Digest("content", content)
	k.Int("wall_time", int64(m.limits.WallTime))
	k.Int("memory", m.limits.MemoryBytes)
	k.Int("cores", int64(m.cores))
	k.String("isolation", string(m.host.Isolation()))
	k.String("hardware", m.hardware)
	return k.Key()
}

func (m *pairing) get(key cache.Key, v any) (bool, error) {
	record, ok, err := m.items.Get(key)
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
	return m.items.Put(key, record)
}

// run executes a build on a benchmark.
func (m *pairing) run(ctx context.Context, b *build, benchmark string) (compare.Run, error) {
	c := b.command(benchmark, m.limits)
	if iso := m.host.Isolation(); iso == runner.Full || iso == runner.NamespacesOnly {
		c.Mounts = append(c.Mounts, runner.Mount{Source: benchmark, Target: benchmark, Warm: true})
	} else {
		c.Mounts = nil
	}
	rec, err := m.host.Run(ctx, c)
	if err != nil {
		return compare.Run{}, fmt.Errorf("%s on %s: %w", b.name, benchmark, err)
	}
	if rec.Ending == comp.Killed || ctx.Err() != nil {
		return compare.Run{}, errInterrupted
	}
	m.executed++
	d := validate.Answer(comp.SingleQuery, rec.Stdout.Bytes(), rec.Stderr.Bytes(),
		validate.Run{Ending: rec.Ending, ExitCode: rec.ExitCode, Truncated: rec.Stdout.Dropped() > 0})
	out := compare.Run{Ending: string(rec.Ending), WallTime: rec.WallTimeS.Duration(), CPUTime: rec.CPUTimeS.Duration(),
		Memory: rec.MemoryBytes}
	if d.Counts && d.Answer.Decides() {
		out.Answer = string(d.Answer)
	}
	return out, nil
}
