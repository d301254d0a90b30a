package lists

import (
	"fmt"
	"io"
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

// TestNUL checks that a name cannot contain the byte that separates the parts of a key.
func TestNUL(t *testing.T) {
	file := filepath.Join(t.TempDir(), "results.csv")
	text := "year,track,benchmark,solver,logic\n2030,single_query,non-incremental/QF_LIA/f/a.smt2,a\x00b,QF_LIA\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	changes, err := CompareResults([]string{file, file}, "")
	if err == nil {
		t.Errorf("the solver %q is accepted: %v", "a\x00b", changes.Counts.Write(io.Discard, "json"))
	}
}
