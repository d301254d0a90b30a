package report

import (
	"math"
	"slices"
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// statisticsRuns holds runs with a limit of 10 s:
//
//	   one              two              three
//	a  correct 1 s      correct 3 s      wrong 2 s
//	b  correct 5 s      unknown          unknown
//	c  unknown          correct 4 s      -
//	d  unknown          unknown          unknown
func statisticsRuns(t *testing.T) *runTable {
	t.Helper()
	table := newRunTable()
	add := func(benchmark, solver, verdict string, wall, cpu run.Seconds, memory int64) {
		t.Helper()
		if err := table.add(&results.VerdictRow{
			Identity: run.Identity{Track: "single_query", Benchmark: benchmark, Solver: solver, Logic: "LIA"},
			Judged:   run.Judged{Verdict: verdict},
			Measured: run.Measured{Usage: run.Usage{WallTimeS: wall, CPUTimeS: cpu, MemoryBytes: memory * 1e6}},
		}); err != nil {
			t.Fatal(err)
		}
	}
	add("a", "one", "correct", 1, 2, 10)
	add("a", "two", "correct", 3, 3, 20)
	add("a", "three", "wrong", 2, 2, 30)
	add("b", "one", "correct", 5, 6, 40)
	add("b", "two", "unknown", 10, 10, 50)
	add("b", "three", "unknown", 10, 10, 60)
	add("c", "one", "unknown", 10, 10, 70)
	add("c", "two", "correct", 4, 1, 80)
	add("d", "one", "unknown", 10, 10, 90)
	add("d", "two", "unknown", 10, 10, 100)
	add("d", "three", "unknown", 10, 10, 110)
	return table
}

// TestStatistics checks statistics that were computed by hand. Unsolved benchmarks count as 20 s.
func TestStatistics(t *testing.T) {
	runs := statisticsRuns(t)
	all, vbs := runs.statisticsOf(runs.allRuns(), 10)
	if len(all) != 3 {
		t.Fatalf("%d solvers", len(all))
	}
	for i, want := range []struct {
		solver                 string
		solved, unique, errors int
		cpuSum, cpuMedian      float64
		memoryMedian           float64 // for an even number of runs, the lower middle one
		par2, contribution     float64
	}{
		// one: (1 + 5 + 20 + 20) / 4; without it, the VBS takes 3 and 20 instead of 1 and 5.
		{"one", 2, 1, 0, 8, 2, 40, 11.5, 2 + 15},
		// two: (3 + 20 + 4 + 20) / 4; without it, the VBS takes 20 instead of 4.
		{"two", 2, 1, 0, 4, 1, 50, 11.75, 16},
		// three: 20 s on each of its three benchmarks.
		{"three", 0, 0, 1, 0, math.NaN(), 60, 20, 0},
	} {
		x := &all[i]
		if x.solver != want.solver || x.solved != want.solved || x.unique != want.unique || x.errors != want.errors {
			t.Errorf("place %d is %+v, want %+v", i, x, want)
		}
		for what, pair := range map[string][2]float64{
			"CPU sum": {sum(x.cpu), want.cpuSum}, "CPU median": {quantile(x.cpu, 0.5), want.cpuMedian},
			"memory": {quantile(x.memory, 0.5), want.memoryMedian}, "PAR-2": {x.par2, want.par2},
			"contribution": {x.contribution, want.contribution},
		} {
			if pair[0] != pair[1] && !(math.IsNaN(pair[0]) && math.IsNaN(pair[1])) {
				t.Errorf("%s of %s is %v, want %v", what, x.solver, pair[0], pair[1])
			}
		}
	}
	slices.Sort(vbs.wall)
	if vbs.solved != 3 || !slices.Equal(vbs.wall, []float64{1, 4, 5}) || vbs.par2 != (1+5+4+20)/4.0 {
		t.Errorf("VBS: %+v", vbs)
	}
}

// TestMemoryNotMeasured checks that runs without a known memory, such as imported ones, do not count as runs that need
// none.
func TestMemoryNotMeasured(t *testing.T) {
	runs := statisticsRuns(t)
	clear(runs.memory[:6]) // of solver one, 70 and 90 MB remain; of three, 110 MB; the VBS ran for 80 MB on c
	all, vbs := runs.statisticsOf(runs.allRuns(), 10)
	if one, three := quantile(all[0].memory, 0.5), quantile(all[2].memory, 0.5); one != 70 || three != 110 ||
		!slices.Equal(vbs.memory, []float64{80}) {
		t.Errorf("%v MB, %v MB, VBS %v", one, three, vbs.memory)
	}
	clear(runs.memory)
	all, _ = runs.statisticsOf(runs.allRuns(), 10)
	if got := all[0].cells()[7].Text; got != "–" {
		t.Errorf("no run has a memory, and the median is %s", got)
	}
}
