package builds

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/compare"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/runner/solver"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/stages/fanout"
)

// TestOldPairs reads a pair, and one build's run, as stored by smtpipe 0.1.0.
func TestOldPairs(t *testing.T) {
	store, err := cache.Open(t.TempDir(), cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	items, err := store.Items("compare")
	if err != nil {
		t.Fatal(err)
	}
	const (
		runText = `{"answer":"sat","ending":"exited","wall_time_ns":2000000,"cpu_time_ns":1000000,"memory_bytes":4096}`
		nobody  = `{"answer":"","ending":"wall_timeout","wall_time_ns":20000000000,"cpu_time_ns":9,"memory_bytes":1}`
		pair    = `{"benchmark":{"path":"b/x.smt2","logic":"QF_UF","family":"f","status":"sat","second_first":true},"a":` +
			runText + `,"b":` + nobody + `,"interleaved":true}`
	)
	for key, record := range map[string]string{
		"aaa8829cad18e5e190c07a37bc7af11696f28a0a659d919987e942525e967b47": pair,
		"344b95ab75e69485003e50c282c828d497c1516a76ef49b15bbaa3d191ac14c2": nobody,
	} {
		k, err := cache.ParseKey(key)
		if err := errors.Join(err, items.Put(k, []byte(record))); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "x.smt2")
	if err := os.WriteFile(file, []byte("(check-sat)\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	sum := func(text string) cache.Digest { return cache.DigestOf([]byte(text)) }
	program := func(path string) *Build {
		return &Build{place: path, Digest: sum(path), env: solver.Plain,
			entry: &solver.EntryPoint{Argv: []string{path, "-q"}}}
	}
	packed := &Build{folder: "/s/tree", Digest: sum("tree"), env: solver.StarExec,
		entry: &solver.EntryPoint{Argv: []string{"/s/tree/bin/z"}}}
	lab := &Lab{Items: items, Places: map[string]string{"b/x.smt2": file},
		Limits: comp.Limits{WallTime: 20 * time.Second, MemoryBytes: 2e9, Cores: 2}}
	m := &pairing{Lab: lab, a: program("/p/old"), b: packed, site: &fanout.Site{Executor: abacus{}}}
	benchmark := compare.Benchmark{Path: "b/x.smt2", Logic: "QF_UF", Family: "f", Status: "sat", SecondFirst: true}
	var got compare.Pair
	w, err := m.look(benchmark, &got)
	want := compare.Pair{Benchmark: benchmark, Interleaved: true,
		A: compare.Run{Answer: "sat", Ending: "exited"}, B: compare.Run{Ending: "wall_timeout"}}
	want.A.WallTimeS, want.A.CPUTimeS, want.A.MemoryBytes = 2e-3, 1e-3, 4096
	want.B.WallTimeS, want.B.CPUTimeS, want.B.MemoryBytes = 20, 9e-9, 1
	if err != nil || len(w.builds) > 0 || got != want {
		t.Errorf("the pair is %+v, error %v, %d builds to execute, want %+v", got, err, len(w.builds), want)
	}
	// When paired with a third build, the build without an answer does not run again.
	m.a = program("/p/new")
	w, err = m.look(benchmark, &got)
	if err != nil || len(w.builds) != 1 || w.builds[0] != m.a || got.B != want.B || got.Interleaved {
		t.Errorf("beside a third build: %+v, error %v, to execute %v", got, err, w.builds)
	}
}

// TestAffords: with two cores and a limit of 10 s, a run may use 20 s of a 6-minute budget, so 18 runs or nine pairs
// fit. Time already spent is no longer available.
func TestAffords(t *testing.T) {
	l := &Lab{Limits: comp.Limits{WallTime: 10 * time.Second, Cores: 2}, Budget: 6 * time.Minute}
	for _, m := range []struct {
		spent         time.Duration
		n, runs, want int
	}{{0, 100, 1, 18}, {0, 100, 2, 9}, {0, 5, 2, 5}, {5 * time.Minute, 100, 2, 1}, {6 * time.Minute, 100, 1, 0},
		{time.Hour, 100, 1, 0}} {
		if l.spent = m.spent; l.Affords(m.n, m.runs) != m.want {
			t.Errorf("%+v: %d", m, l.Affords(m.n, m.runs))
		}
	}
	if l.Budget = 0; l.Affords(100, 20) != 100 {
		t.Error("without a budget not all fit")
	}
}

// abacus is an executor on an old machine.
type abacus struct{ worker.Executor }

func (abacus) Hello() worker.Hello { return worker.Hello{Hardware: "abacus", Isolation: runner.Full} }
