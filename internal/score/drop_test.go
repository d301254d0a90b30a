package score

import (
	"slices"
	"testing"
)

// dropRows are runs with a value of its own in each column: the second and the third are of the same benchmark.
func dropRows() []Row {
	rows := make([]Row, 4)
	for i, benchmark := range []string{"a", "b", "b", "c"} {
		n := int64(i + 1)
		rows[i] = Row{
			Track: "single_query", Division: "D" + benchmark, Logic: "L" + benchmark, Benchmark: benchmark,
			Status: "sat",
			Solver: []string{"A", "A", "B", "C"}[i], Team: []string{"A", "A", "B", "C"}[i], Answer: []string{"sat",
				"unsat", "unknown", ""}[i],
			Wall: Time(n), CPU: Time(10 * n), Limit: 7, Cores: 4, CoreSize: -1, ValUnsat: -1, ValSat: -1,
			Checks: n, LastWall: Time(20 * n), LastCPU: -1, Validation: []string{"", "", "VALID", ""}[i],
			Recorded: NoRecord,
		}
	}
	return rows
}

// TestWithout leaves out runs, and the benchmarks and divisions that have no other. What is left keeps every column,
// those that are the same for all runs as well.
func TestWithout(t *testing.T) {
	var b Builder
	for _, row := range dropRows() {
		if err := b.Add(&row); err != nil {
			t.Fatal(err)
		}
	}
	got := b.Runs().Tracks[0].without([]bool{true, false, false, true})
	if got.Len() != 2 || len(got.Benchmarks) != 1 || got.Benchmarks[0].Name != "b" ||
		!slices.Equal(got.groups, []group{{"Db", "Lb"}}) || got.Benchmarks[0].group != 0 {
		t.Fatalf("%d runs of %+v, groups %v", got.Len(), got.Benchmarks, got.groups)
	}
	for i, want := range dropRows()[1:3] {
		if got.limit.At(i) != 7 || got.cores.At(i) != 4 || got.answer.At(i) != want.Answer ||
			got.wall[i] != want.Wall ||
			got.cpu[i] != want.CPU || got.Solvers[got.solver[i]].Name != want.Solver || got.benchmark[i] != 0 {
			t.Errorf("run %d: limit %d, cores %d, answer %q, wall %d, CPU %d", i, got.limit.At(i), got.cores.At(i),
				got.answer.At(i), got.wall[i], got.cpu[i])
		}
		if v := got.ints[colChecks].At(i); v != want.Checks {
			t.Errorf("run %d: %d checks, want %d", i, v, want.Checks)
		}
		if v := got.ints[colCoreSize].At(i); v != -1 {
			t.Errorf("run %d: core of %d, want none", i, v)
		}
		if wall, cpu := got.times[colLastWall].At(i), got.times[colLastCPU].At(i); wall != want.LastWall || cpu != -1 {
			t.Errorf("run %d: last answer at %d, %d", i, wall, cpu)
		}
		if v := got.strings[colValidation].At(i); v != want.Validation {
			t.Errorf("run %d: validation %q, want %q", i, v, want.Validation)
		}
	}
}
