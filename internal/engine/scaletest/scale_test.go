package main

import (
	"os"
	"testing"
)

// TestOnlyWhatChanged executes a small competition after each of several changes and counts the executed runs.
func TestOnlyWhatChanged(t *testing.T) {
	const benchmarks, solvers = 300, 4
	dir := t.TempDir()
	if err := writeBenchmarks(dir, benchmarks); err != nil {
		t.Fatal(err)
	}
	s := shape{solvers: solvers, scoring: "par"}
	steps := []struct {
		name   string
		change func() error
		stages int
		runs   int64
	}{
		{"everything", nil, 3, benchmarks * solvers},
		{"nothing changed", nil, 0, 0},
		{"one benchmark changed", func() error {
			return os.WriteFile(benchmarkPath(dir, 7), []byte("(check-sat)"),
				0o666)
		}, 3, solvers},
		{"one new solver", func() error { s.solvers++; return nil }, 2, benchmarks},
		{"scoring changed", func() error { s.scoring = "par2"; return nil }, 1, 0},
		// the table of its runs is cached, its scores are not
		{"the solver left", func() error { s.solvers--; return nil }, 1, 0},
		{"one benchmark removed", func() error { return os.Remove(benchmarkPath(dir, 8)) }, 3, 0},
	}
	for _, step := range steps {
		if step.change != nil {
			if err := step.change(); err != nil {
				t.Fatal(err)
			}
		}
		out, err := execution(t.Context(), dir, &s)
		if err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if out.Executed != step.stages || out.Runs != step.runs {
			t.Errorf("%s: %d stages and %d runs were executed, want %d and %d", step.name, out.Executed, out.Runs,
				step.stages, step.runs)
		}
	}
}
