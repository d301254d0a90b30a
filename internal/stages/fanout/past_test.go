package fanout

import (
	"testing"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// TestPast checks the estimates: a run's own past time, or else the mean of its solver's runs, or else, for an unknown
// solver, the mean of all runs. No run takes more than its limits, and a run that its limit ended reaches the new
// limit.
func TestPast(t *testing.T) {
	store, err := cache.Open(t.TempDir(), cache.Options{Durability: cache.Relaxed})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	ran := func(benchmark, solver string, attempt int64, ending comp.Ending, cpu, wall run.Seconds) results.RunRow {
		return results.RunRow{Identity: run.Identity{Benchmark: benchmark, Solver: solver}, Attempt: attempt,
			Measured: run.Measured{Ending: ending, Usage: run.Usage{CPUTimeS: cpu, WallTimeS: wall}}}
	}
	latest, err := artifact.WriteTable(store, []results.RunRow{
		ran("b1", "cvc5", 0, comp.Exited, 900, 900),
		ran("b1", "z3", 0, comp.Exited, 1, 2),
		ran("b2", "cvc5", 0, comp.WallTimeout, 25, 50), // on half a core: 50 s of CPU time in 100 s
		ran("b2", "z3", 0, comp.Exited, 99, 99),
		ran("b2", "z3", 1, comp.Exited, 3, 4),
	})
	if err != nil {
		t.Fatal(err)
	}
	before := func(track, benchmark string, wall run.Seconds) results.HistoryRow {
		return results.HistoryRow{Identity: run.Identity{Benchmark: benchmark, Track: track, Solver: "z3"},
			Usage: run.Usage{CPUTimeS: -1, WallTimeS: wall}}
	}
	var tables []stages.Artifact
	for _, rows := range [][]results.HistoryRow{
		{before("single_query", "b2", 7), before("single_query", "b4", 8)},
		{before("parallel", "b5", 8), before("single_query", "b4", 6)},
	} {
		art, err := artifact.WriteTable(store, rows)
		if err != nil {
			t.Fatal(err)
		}
		tables = append(tables, art)
	}
	p := NewPast(Spent{CPU: 200, Wall: 100})
	p.History(store, tables, "single_query")
	if got, want := p.Estimate("b4", "z3"), (Spent{6, 6}); got != want || p.Len() != 3 {
		t.Errorf("of earlier years: %v, %d runs, want %v and 3", got, p.Len(), want)
	}
	if _, ok := p.Find("b5", "z3"); ok {
		t.Error("a run of another track was found")
	}
	for _, then := range []bool{false, true} { // without and with earlier years
		if !then {
			p = NewPast(Spent{CPU: 200, Wall: 100})
		}
		if err := p.Latest(store, latest, nil); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			name, benchmark, solver string
			want                    Spent
		}{
			{"known", "b2", "z3", Spent{3, 4}},
			{"above the limits", "b1", "cvc5", Spent{200, 100}},
			{"cut at a smaller limit", "b2", "cvc5", Spent{50, 100}},
			{"another benchmark", "b3", "z3", Spent{2, 3}},
			// 1 + 3 + 200 + 50 and 2 + 4 + 100 + 100
			{"another solver", "b3", "yices", Spent{254.0 / 4, 206.0 / 4}},
		} {
			if got := p.Estimate(tt.benchmark, tt.solver); got != tt.want {
				t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
			}
		}
	}
}
