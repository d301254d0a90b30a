package execute

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// TestExpectations checks that runs executed in this store take precedence over the latest table, and the latest table
// over imported results, of which the later table counts. A run that its limit ended is expected to reach the new
// limit. z3's times are 7, 90, 8 and 60 s, so its mean is 41.25 s. Nothing is known about opensmt, so its limit counts.
func TestExpectations(t *testing.T) {
	store, err := cache.Open(t.TempDir()+"/store", cache.Options{Durability: cache.Relaxed})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	table := func(art stages.Artifact, err error) stages.Artifact {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return art
	}
	older := table(artifact.WriteTable(store, []results.HistoryRow{
		{
			Identity: run.Identity{Benchmark: "a", Track: "single_query", Solver: "z3"},
			Usage:    run.Usage{WallTimeS: 1}, Year: 2020,
		},
		{
			Identity: run.Identity{Benchmark: "c", Track: "single_query", Solver: "z3"},
			Usage:    run.Usage{WallTimeS: 1}, Year: 2020,
		},
	}))
	newer := table(artifact.WriteTable(store, []results.HistoryRow{
		{
			Identity: run.Identity{Benchmark: "c", Track: "single_query", Solver: "z3"},
			Usage:    run.Usage{WallTimeS: 8}, Year: 2024,
		},
		{
			Identity: run.Identity{Benchmark: "e", Track: "incremental", Solver: "z3"},
			Usage:    run.Usage{WallTimeS: 3}, Year: 2024,
		},
		{
			Identity: run.Identity{Benchmark: "d", Track: "single_query", Solver: "z3"},
			Usage:    run.Usage{WallTimeS: 60}, Year: 2024,
		},
	}))
	latest := table(artifact.WriteTable(store, []results.RunRow{
		{
			Identity: run.Identity{Benchmark: "a", Solver: "z3"},
			Measured: run.Measured{Ending: "exited", Usage: run.Usage{WallTimeS: 5}},
		},
		{
			Identity: run.Identity{Benchmark: "b", Solver: "z3"},
			Measured: run.Measured{Ending: "wall_timeout", Usage: run.Usage{WallTimeS: 2}},
		},
	}))
	env := stages.NewEnv(Kind)
	env.Store = store
	env.Latest = map[string]cty.Value{"runs": stages.ArtifactVal(latest)}
	env.Tables = func(string) []stages.Artifact { return []stages.Artifact{older, newer} }
	f := &execution{
		action: &action{track: "single_query", kind: comp.SingleQuery,
			limits: comp.Limits{WallTime: 90 * time.Second, Cores: 4}},
		env:      env,
		entrants: []entrant{{name: "opensmt", command: []string{"opensmt"}}, {name: "z3", command: []string{"z3"}}},
	}
	for i, b := range []string{"a", "b", "c", "d", "e"} {
		f.scripts = append(f.scripts, results.ScriptRow{Benchmark: b})
		f.pairs = append(f.pairs, pair{int32(i), 0}, pair{int32(i), 1})
		f.digests = append(f.digests, cache.Digest{0xff})
	}
	times, err := store.Items(timesName)
	if err != nil {
		t.Fatal(err)
	}
	f.remember(times, pair{0, 1}, took(7))
	done := map[int]run.Record{1: *took(7)}
	f.items = doneItems{nil, done}
	got, err := f.plan([]int{1, 2, 3, 5, 7, 9})
	if err != nil {
		t.Fatal(err)
	}
	want := []planned{{2, 90}, {3, 90}, {7, 60}, {9, 41.25}, {5, 8}, {1, 7}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(planned{})); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	// Finished runs also count towards means: two of opensmt, with 3 and 5 s, and one of z3, with 7 s as before.
	done[0], done[4] = *took(3), *took(5)
	want = []planned{{3, 90}, {7, 60}, {9, 41.25}, {5, 8}, {2, 4}, {6, 4}, {8, 4}}
	if got, err = f.plan([]int{2, 3, 5, 6, 7, 8, 9}); err != nil || !slices.Equal(got, want) {
		t.Errorf("with finished runs: %v, %v, want %v", got, err, want)
	}
	f.digests[2] = cache.Digest{0x0c} // moves c into the early sample
	if got, err = f.plan([]int{1, 2, 3, 5, 7, 9}); err != nil || got[0] != (planned{5, 8}) ||
		got[1] != (planned{3, 90}) {
		t.Errorf("with c in the early sample: %v, %v, want it first", got, err)
	}
}

// took returns the record of a run with the given wall time in seconds.
func took(wall run.Seconds) *run.Record {
	return &run.Record{Measured: run.Measured{Ending: comp.Exited, Usage: run.Usage{WallTimeS: wall}}}
}

// doneItems holds the records of finished runs.
type doneItems struct {
	stages.Items
	done map[int]run.Record
}

func (d doneItems) Record(i int) ([]byte, error) {
	r, ok := d.done[i]
	if !ok {
		return nil, nil
	}
	return r.Encode(), nil
}
