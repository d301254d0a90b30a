package score

import (
	"slices"
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/run"
)

// dropRows returns runs with a different value in each column. The second and third are on the same benchmark.
func dropRows() []Row {
	rows := make([]Row, 4)
	for i, benchmark := range []string{"a", "b", "b", "c"} {
		n := int64(i + 1)
		solver := []string{"A", "A", "B", "C"}[i]
		rows[i] = Row{
			Identity: run.Identity{Track: "single_query", Logic: "L" + benchmark, Benchmark: benchmark, Solver: solver},
			Subject:  run.Subject{Division: "D" + benchmark, Status: "sat"},
			Entrant:  run.Entrant{Team: solver},
			Wall:     Time(n), CPU: Time(10 * n),
			Rest: Rest{Limit: 7, Cores: 4, Recorded: NoRecord, Judged: run.Judged{
				Answer: []string{"sat", "unsat", "unknown", ""}[i], CoreSize: -1, ValUnsat: -1, ValSat: -1, Checks: n,
				LastWallS: run.Seconds(20 * n), LastCPUS: -1, Validation: []string{"", "", "VALID", ""}[i],
			}},
		}
	}
	return rows
}

// TestWithout drops runs, and with them the benchmarks and divisions that have no other runs. The rest must keep every
// column, including those that are equal for all runs, and the solvers that entered it without a run.
func TestWithout(t *testing.T) {
	var b Builder
	for _, row := range dropRows() {
		if err := b.Add(&row); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a", "b"} {
		b.Enter("single_query", "D"+name, "L"+name, Solver{Name: "E"})
	}
	got := b.Runs().Tracks[0].without([]bool{true, false, false, true})
	if got.Len() != 2 || len(got.Benchmarks) != 1 || got.Benchmarks[0].Name != "b" ||
		!slices.Equal(got.groups, []group{{"Db", "Lb"}}) || got.Benchmarks[0].group != 0 ||
		!slices.Equal(got.entered, []entry{{0, 3}}) {
		t.Fatalf("%d runs of %+v, groups %v, entered %v", got.Len(), got.Benchmarks, got.groups, got.entered)
	}
	for i, want := range dropRows()[1:3] {
		answer := want.Answer
		want.Answer = ""
		if *got.restAt(i) != want.Rest || got.answer.At(i) != answer || got.wall[i] != want.Wall ||
			got.cpu[i] != want.CPU || got.Solvers[got.solver[i]].Name != want.Solver || got.benchmark[i] != 0 {
			t.Errorf("run %d: answer %q, wall %d, CPU %d, %+v, want %+v", i, got.answer.At(i), got.wall[i], got.cpu[i],
				*got.restAt(i), want)
		}
	}
}
