package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
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

// measure returns the pairs of a sample, and measures those that the store does not have.
func (f *compareFlags) measure(cmd *cobra.Command, store *cache.Store, a, b *build, sample []compare.Benchmark,
	files map[string]string) (_ []compare.Pair, err error) {
	items, err := store.Items("compare")
	if err != nil {
		return nil, err
	}
	host, err := runner.Open(runner.Config{Isolation: runner.Isolation(f.isolation), Jobs: 1, CoresPerRun: f.cores,
		MemoryPerRun: f.limits.MemoryBytes})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, host.Close()) }()
	observer, err := ui.New(ui.Mode(f.progress), cmd.ErrOrStderr())
	if err != nil {
		return nil, withExit(exitUsage, err)
	}
	defer observer.Close()
	m := &pairing{compareFlags: f, files: files, items: items, host: host, hardware: runner.Hardware().String()}
	var pairs []compare.Pair
	const shown = "compare"
	began := time.Now()
	observer.Observe(engine.ItemsStarted{Addr: shown, Total: int64(len(sample)), Unit: "benchmarks"})
	for _, bm := range sample {
		p, err := m.pair(cmd.Context(), a, b, bm)
		if err != nil {
			if cmd.Context().Err() != nil {
				err = errInterrupted
			}
			return nil, err
		}
		pairs = append(pairs, *p)
		observer.Observe(engine.ItemsDone{Addr: shown, N: 1, Class: p.Class()})
	}
	observer.Observe(engine.StageFinished{Addr: shown, Rows: -1, WallTime: time.Since(began)})
	fmt.Fprintf(cmd.ErrOrStderr(), "Executed %d runs for %d benchmarks.\n", m.executed, len(sample))
	return pairs, items.Sync()
}

// pairing is the state of a measurement.
type pairing struct {
	*compareFlags
	files    map[string]string // of benchmarks, by path
	items    *cache.Items
	host     *runner.Host
	hardware string
	executed int
}

// pair returns the pair of a benchmark from the store, or measures what is missing.
func (m *pairing) pair(ctx context.Context, a, b *build, bm compare.Benchmark) (*compare.Pair, error) {
	file := m.files[bm.Path]
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	content := cache.DigestOf(text)
	key := m.key(bm, content, a, b)
	p := &compare.Pair{}
	if ok, err := m.get(key, p); ok || err != nil {
		p.Benchmark = bm
		return p, err
	}
	p = &compare.Pair{Benchmark: bm}
	haveA, err := m.get(m.key(bm, content, a), &p.A)
	if err != nil {
		return nil, err
	}
	haveB, err := m.get(m.key(bm, content, b), &p.B)
	if err != nil {
		return nil, err
	}
	reuseA, reuseB := haveA && p.A.Answer == "", haveB && p.B.Answer == ""
	// Without an answer of one there is no claim about time: then what is known of the other will do as well.
	if reuseA || reuseB {
		reuseA, reuseB = haveA, haveB
	}
	p.Interleaved = !reuseA && !reuseB
	type job struct {
		*build
		to *compare.Run
	}
	var jobs []job
	if !reuseA {
		jobs = append(jobs, job{a, &p.A})
	}
	if !reuseB {
		jobs = append(jobs, job{b, &p.B})
	}
	if len(jobs) > 1 && compare.SecondFirst(m.seed, bm.Path) {
		jobs[0], jobs[1] = jobs[1], jobs[0]
	}
	for _, j := range jobs {
		if *j.to, err = m.run(ctx, j.build, file); err != nil {
			return nil, err
		}
		if err := m.put(m.key(bm, content, j.build), j.to); err != nil {
			return nil, err
		}
	}
	return p, m.put(key, p)
}

// key is that of the run of a build, or of the pair of two. Benchmarks with the same content are measured each: one
// measurement that counted for both would not be two.
func (m *pairing) key(bm compare.Benchmark, content cache.Digest, builds ...*build) cache.Key {
	k := cache.NewKeyWriter("compare/1")
	for _, b := range builds {
		k.String("path", b.where)
		for _, a := range b.args {
			k.String("argument", a)
		}
		k.Digest("build", b.digest)
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
	rec, err := m.host.Run(ctx, b.command(benchmark, m.host.Isolation(), m.limits))
	if err != nil {
		return compare.Run{}, fmt.Errorf("%s on %s: %w", b.name, benchmark, err)
	}
	if rec.Ending == comp.Killed || ctx.Err() != nil {
		return compare.Run{}, errInterrupted
	}
	m.executed++
	d := validate.Answer(comp.SingleQuery, rec.Stdout.Bytes(), rec.Stderr.Bytes(),
		validate.Run{Ending: rec.Ending, ExitCode: rec.ExitCode, Truncated: rec.Stdout.Dropped > 0})
	out := compare.Run{Ending: string(rec.Ending), WallTime: rec.WallTime, CPUTime: rec.CPUTime,
		Memory: rec.MemoryBytes}
	if answer := string(d.Answer); d.Counts && (answer == "sat" || answer == "unsat") {
		out.Answer = answer
	}
	return out, nil
}
