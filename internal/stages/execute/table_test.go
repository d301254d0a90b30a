package execute

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// memory holds runs' records in memory.
type memory struct {
	keys    []cache.Key
	records map[cache.Key][]byte
	read    int
}

func (m *memory) Missing() []int               { return nil }
func (m *memory) Key(i int) cache.Key          { return m.keys[i] }
func (m *memory) Record(i int) ([]byte, error) { m.read++; return m.records[m.keys[i]], nil }
func (m *memory) Put(i int, r []byte) error    { m.records[m.keys[i]] = r; return nil }
func (m *memory) Recorded(i int) bool          { return m.records[m.keys[i]] != nil }
func (m *memory) Forget(int)                   {}
func (m *memory) Close() error                 { return nil }
func (m *memory) edit(k cache.Key, f func(*run.Record)) {
	r, err := run.Decode(m.records[k])
	if err != nil {
		panic(err)
	}
	f(&r)
	m.records[k] = r.Encode()
}

// history is a competition of two solvers whose benchmarks change.
type history struct {
	benchmarks []int
	records    map[cache.Key][]byte
	solver     string
}

// prepare lists the runs.
func (h *history) prepare(store *cache.Store) (*execution, *memory) {
	f := &execution{action: &action{track: "single_query"}, env: stages.NewEnv(Kind),
		entrants: []entrant{{name: cmp.Or(h.solver, "a")}, {name: "b"}}}
	f.place.Hardware = "here"
	f.env.Store = store
	m := &memory{records: h.records}
	for i, b := range h.benchmarks {
		f.scripts = append(f.scripts, results.ScriptRow{Benchmark: fmt.Sprintf("b%06d", b), Logic: "QF_BV",
			ScriptSHA256: cache.DigestOf(fmt.Append(nil, b)).String()})
		for j := range f.entrants {
			f.pairs = append(f.pairs, pair{int32(i), int32(j)})
			k := cache.NewKeyWriter("test")
			k.Int("benchmark", int64(b))
			k.Int("solver", int64(j))
			m.keys = append(m.keys, k.Key())
			if m.records[k.Key()] == nil {
				r := took(run.Seconds(b) / 16)
				r.Stdout, r.Isolation = "sat\n", "full"
				m.records[k.Key()] = r.Encode()
			}
		}
	}
	f.items = m
	return f, m
}

// table writes the table of all runs to a store. It returns the table and the number of times it read a record.
func (h *history) table(t testing.TB, store *cache.Store) (stages.Artifact, int) {
	t.Helper()
	f, m := h.prepare(store)
	if err := f.writeRuns(func(int) bool { return true }); err != nil {
		t.Fatal(err)
	}
	outputs, err := f.env.Finish()
	if err != nil {
		t.Fatal(err)
	}
	art, _ := stages.ArtifactOf(outputs["runs"])
	return art, m.read
}

// TestTableHasNoHistory adds and removes benchmarks, measures runs again and renames a solver. Each table must equal
// the one that a new store produces from the same runs, and the one from concurrently written rows. After a small
// change, most records must be read only once.
func TestTableHasNoHistory(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a minute with the race detector, and has one goroutine")
	}
	open := func() *cache.Store {
		s, err := cache.Open(filepath.Join(t.TempDir(), "store"), cache.Options{Durability: cache.Relaxed})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	h := &history{records: map[cache.Key][]byte{}}
	for b := range 40_000 {
		h.benchmarks = append(h.benchmarks, b*2)
	}
	store := open()
	key := func(i int) cache.Key {
		k := cache.NewKeyWriter("test")
		k.Int("benchmark", int64(h.benchmarks[i]))
		k.Int("solver", 1)
		return k.Key()
	}
	m := &memory{records: h.records}
	for _, step := range []struct {
		name  string
		do    func()
		fewer bool // most records need to be read only once
	}{
		{"everything", func() {}, false},
		{"a new benchmark", func() { h.benchmarks = slices.Insert(h.benchmarks, 20_000, 39_999) }, true},
		{"it goes", func() { h.benchmarks = slices.Delete(h.benchmarks, 20_000, 20_001) }, true},
		{"some go", func() { h.benchmarks = slices.Delete(h.benchmarks, 35_000, 35_050) }, true},
		{"a run is measured again", func() { m.edit(key(777), func(r *run.Record) { r.WallTimeS = 9999 }) }, true},
		{"an attempt is killed", func() {
			m.edit(key(30_000), func(r *run.Record) {
				killed := *r
				killed.Flags = runner.FlagForeignKill.String()
				r.Killed = string(killed.Encode())
			})
		}, true},
		{"another name", func() { h.solver = "aa" }, false},
		{"the first are gone", func() { h.benchmarks = h.benchmarks[3:] }, true},
	} {
		step.do()
		got, read := h.table(t, store)
		want, _ := h.table(t, open())
		if got != want {
			t.Errorf("%s: the table is %+v, and %+v in a store without a past", step.name, got, want)
		}
		rows, err := artifact.ReadTable[results.RunRow](store, got)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := artifact.WriteTable(open(), rows); err != nil || again.Digest != got.Digest {
			t.Errorf("%s: the rows written at one time are %+v, want %+v; %v", step.name, again, got, err)
		}
		n := 2 * len(h.benchmarks)
		if most := n * 7 / 4; step.fewer && read > most {
			t.Errorf("%s: records were read %d times for %d runs, want at most %d", step.name, read, n, most)
		}
	}
}

// BenchmarkTable writes a table of 400,000 runs after a benchmark with two runs was replaced.
func BenchmarkTable(b *testing.B) {
	s, err := cache.Open(filepath.Join(b.TempDir(), "store"), cache.Options{Durability: cache.Relaxed})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	h := &history{records: map[cache.Key][]byte{}}
	for i := range 200_000 {
		h.benchmarks = append(h.benchmarks, i*2)
	}
	h.table(b, s)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		h.benchmarks[100_000] = h.benchmarks[99_999] + 1 + i%2
		f, _ := h.prepare(s)
		b.StartTimer()
		if err := f.writeRuns(func(int) bool { return true }); err != nil {
			b.Fatal(err)
		}
	}
}
