package lists

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestAnySolver checks that the line for all solvers says when they contradict each other, in any order.
func TestAnySolver(t *testing.T) {
	dir := t.TempDir()
	for _, answers := range [][3]string{{"sat", "unsat", "unsat"}, {"unsat", "sat", "unsat"}, {"", "unsat", "sat"}} {
		text := "year,track,benchmark,solver,logic,answer\n"
		for i, answer := range answers {
			text += fmt.Sprintf("2030,single_query,non-incremental/QF_LIA/f/a.smt2,solver %d,QF_LIA,%s\n", i, answer)
		}
		file := filepath.Join(dir, "results.csv")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		all, _, err := readOutcomes(file, "")
		got := all[resultKey{"single_query", anySolver, "QF_LIA/f/a.smt2"}]
		if want := (outcome{"sat or unsat", -1, "sat and unsat"}); err != nil || got != want {
			t.Errorf("%q: got %v, %v, want %v", answers, got, err, want)
		}
	}
}
