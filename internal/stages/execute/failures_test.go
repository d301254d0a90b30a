package execute_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestFirstRunsFail checks that a solver is given up if its first fifty runs all end with the same error. It continues
// if it answers once, fails with a different error, or is allowed to fail.
func TestFirstRunsFail(t *testing.T) {
	const n = 70
	l := newLab(t, map[string]string{
		"good":   "#!/bin/sh\necho sat\n",
		"broken": "#!/bin/sh\necho Loading >&2\necho libx.so: not found >&2\nexit 127\n",
		"crash":  "#!/bin/sh\nkill -SEGV $$\n",
		"answer": "#!/bin/sh\ngrep -q '; [0-9]*7$' \"$1\" && echo unsat\nexit 1\n",
		"new":    "#!/bin/sh\necho unsat\n",
		"other":  "#!/bin/sh\ngrep -q '; [0-9]*7$' \"$1\" && exit 2\nexit 1\n",
		"says":   "#!/bin/sh\nsed -n 1p \"$1\"\nexit 1\n",
	})
	var scripts strings.Builder
	for i := range n {
		fmt.Fprintf(&scripts, "    \"QF_UF/%d.smt2\" = \"; %d\\n(set-logic QF_UF)\\n(check-sat)\\n(exit)\\n\"\n", i, i)
	}
	// Two benchmarks with the same script share a run.
	scripts.WriteString("    \"QF_UF/again.smt2\" = \"; 0\\n(set-logic QF_UF)\\n(check-sat)\\n(exit)\\n\"\n")
	text := strings.Replace(pipeline, `{ "QF_UF/a.smt2" = %q }`, "{\n"+scripts.String()+"  }", 1)
	run := func(more string, solvers ...string) (count map[string]int, made int64, err error) {
		rows, made, err := l.run(t, solverBlocks(solvers...)+fmt.Sprintf(text, "single_query", more, "20s"))
		count = map[string]int{}
		for _, r := range rows {
			count[r.Solver]++
		}
		return count, made, err
	}
	count, _, err := run("", "good", "broken", "crash", "answer", "other", "says")
	if err != nil || fmt.Sprint(count) != "map[answer:71 good:71 other:71 says:71]" {
		t.Errorf("the table has runs %v, error %v", count, err)
	}
	absent := fmt.Sprint(l.absent)
	for _, want := range []string{
		"{broken its first 50 runs all ended in the same way, with exit code 127: libx.so: not found}",
		"{crash its first 50 runs all ended in the same way, with signal 11}",
	} {
		if !strings.Contains(absent, want) {
			t.Errorf("%q is not among those that could not take part: %s", want, absent)
		}
	}
	// The solver's executed runs are kept. Its failure is known without another run, even if other solvers take part.
	count, made, err := run("", "good", "broken", "answer")
	if err != nil || fmt.Sprint(count) != "map[answer:71 good:71]" || made < 15 || made > 21 {
		t.Errorf("the table has runs %v, error %v, and %d were due; want the 20 that were given up", count, err, made)
	}
	if absent := fmt.Sprint(l.absent); !strings.Contains(absent, "{broken its first 50 runs") {
		t.Errorf("absent are %s", absent)
	}
	count, made, err = run("keep_failing = true", "good", "broken")
	if err != nil || fmt.Sprint(count) != "map[broken:71 good:71]" || made < 15 || made > 21 || len(l.absent) > 0 {
		t.Errorf("kept failing, the table has runs %v of %d that were due, error %v, absent %v", count, made, err,
			l.absent)
	}
	// Now all of the solver's runs exist, so excluding them would save nothing.
	count, _, err = run("", "broken", "new")
	if err != nil || fmt.Sprint(count) != "map[broken:71 new:71]" {
		t.Errorf("complete, the table has runs %v, error %v, absent %v", count, err, l.absent)
	}
	// If all solvers fail, the machine may be at fault.
	if _, _, err = run("", "crash"); err == nil || !strings.Contains(err.Error(),
		"solver crash, and all others: its first 50 runs") {
		t.Errorf("alone, it has the error %v", err)
	}
}
