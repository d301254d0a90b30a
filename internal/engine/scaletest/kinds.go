package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/zclconf/go-cty/cty"
	"golang.org/x/sys/unix"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Kinds of the synthetic pipeline. Their arguments are not checked, because New is never called.
var (
	listKind = &stages.Kind{
		Name: "list", Version: 1,
		Attrs:   []stages.Attr{{Name: "folder", Type: stages.FileType, Required: true}},
		Outputs: []stages.Output{{Name: "scripts", Type: stages.TreeType}},
	}
	executeKind = &stages.Kind{
		Name: "execute", Version: 1, Measured: true, ByItems: true,
		Attrs: []stages.Attr{
			{Name: "scripts", Type: stages.TreeType, Required: true},
			{Name: "solvers", Type: cty.List(cty.String), Required: true},
		},
		Outputs: []stages.Output{{Name: "runs", Type: stages.BlobType}},
	}
	scoreKind = &stages.Kind{
		Name: "score", Version: 1,
		Attrs: []stages.Attr{
			{Name: "runs", Type: stages.BlobType, Required: true},
			{Name: "scoring", Type: cty.String, Required: true},
		},
		Outputs: []stages.Output{{Name: "scores", Type: cty.List(cty.Number)}},
	}
)

// meter counts the executed runs and records when the first one starts.
type meter struct {
	started time.Time
	runs    atomic.Int64
	first   atomic.Int64 // nanoseconds of wall time from the start to the first run
	cpu     atomic.Int64 // nanoseconds of the process's CPU time until the first run
}

func (m *meter) run() {
	if m.runs.Add(1) == 1 {
		m.first.Store(int64(time.Since(m.started)))
		m.cpu.Store(int64(cpuTime()))
	}
}

// cpuTime returns the CPU time that this process has used.
func cpuTime() time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// list lists a folder's scripts.
type list struct{ tree *cache.Manifest }

// Execute implements stages.Action.
func (l *list) Execute(_ context.Context, env *stages.Env) error {
	art, err := artifact.WriteTree(env.Store, l.tree)
	if err != nil {
		return err
	}
	return env.Set("scripts", stages.ArtifactVal(art))
}

// execute records a run of every solver on every script. It starts no process and runs take no time, so only the engine
// is measured.
type execute struct {
	scripts stages.Artifact
	solvers []string
	meter   *meter
}

// Execute implements stages.Action.
func (x *execute) Execute(ctx context.Context, env *stages.Env) error {
	tree, err := artifact.ReadTree(env.Store, x.scripts)
	if err != nil {
		return err
	}
	solvers := make([]cache.Key, len(x.solvers))
	for i, name := range x.solvers {
		k := cache.NewKeyWriter("run/1")
		k.String("solver", name)
		solvers[i] = k.Key()
	}
	n := len(tree.Files) * len(solvers)
	items, err := env.Items.Open(ctx, "execute", "runs", n, func(i int) cache.Key {
		var b [2 * sha256.Size]byte
		copy(b[:], solvers[i%len(solvers)][:])
		copy(b[sha256.Size:], tree.Files[i/len(solvers)].Digest[:])
		return sha256.Sum256(b[:])
	})
	if err != nil {
		return err
	}
	missing := items.Missing()
	err = env.EachRun(ctx, len(missing), env.Jobs, 1, func(_ context.Context, k int) error {
		i := missing[k]
		x.meter.run()
		return items.Put(i, record(items.Key(i)))
	})
	if err != nil {
		return err
	}
	if err := items.Close(); err != nil {
		return err
	}
	return x.table(env, items, n)
}

// recordSize is the size of a real run's record with a short answer.
const recordSize = 128

// record returns the record of a run: its first four bytes are the wall time in milliseconds.
func record(key cache.Key) []byte {
	b := make([]byte, recordSize)
	binary.LittleEndian.PutUint32(b, binary.LittleEndian.Uint32(key[:])%1_200_000)
	copy(b[4:], "exited unsat")
	return b
}

// table writes all runs in item order.
func (x *execute) table(env *stages.Env, items stages.Items, n int) error {
	digest, size, err := env.Store.Write(func(w io.Writer) error {
		buf := bufio.NewWriterSize(w, 1<<20)
		for i := range n {
			b, err := items.Record(i)
			if err != nil {
				return err
			}
			buf.Write(b[:4])
		}
		return buf.Flush()
	})
	if err != nil {
		return err
	}
	return env.Set("runs", stages.ArtifactVal(stages.Artifact{Schema: "blob", Digest: digest, Rows: int64(n),
		SizeBytes: size}))
}

// score adds up each solver's wall times.
type score struct {
	runs    stages.Artifact
	solvers int
}

// Execute implements stages.Action.
func (s *score) Execute(_ context.Context, env *stages.Env) error {
	table, err := env.Store.ReadBytes(s.runs.Digest)
	if err != nil {
		return err
	}
	if len(table)%(4*s.solvers) != 0 {
		return fmt.Errorf("a table of %d bytes is not one of %d solvers", len(table), s.solvers)
	}
	sums := make([]int64, s.solvers)
	for i := 0; i < len(table); i += 4 {
		sums[i/4%s.solvers] += int64(binary.LittleEndian.Uint32(table[i:]))
	}
	scores := make([]cty.Value, s.solvers)
	for i, sum := range sums {
		scores[i] = cty.NumberIntVal(sum)
	}
	return env.Set("scores", cty.ListVal(scores))
}
