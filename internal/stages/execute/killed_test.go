package execute_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestKilledFromOutside has a solver that a SIGKILL ends in the first run, or in all of them.
func TestKilledFromOutside(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		name, solver, option string
		want                 []int64 // signals of the attempts
	}{
		{"once", "#!/bin/sh\nmkdir " + filepath.Join(dir, "once") + " 2>/dev/null && kill -9 $$\necho sat\n", "",
			[]int64{9, 0}},
		{"always", "#!/bin/sh\necho sat\nkill -9 $$\n", "", []int64{9, 9}},
		{"switched off", "#!/bin/sh\necho sat\nkill -9 $$\n", "retry_killed = false", []int64{9}},
		{"another signal", "#!/bin/sh\nkill -11 $$\n", "", []int64{11}},
		{"a limit", "#!/bin/sh\nsleep 5\n", "", []int64{9}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newLab(t, map[string]string{"solver": tt.solver})
			pipeline := `
stage "texts" "t" {
  scripts = { "non-incremental/QF_LIA/a.smt2" = "(check-sat)" }
}
solver "s" {
  command = ["./solver"]
}
executor "local" "none" {
  isolation = "none"
  jobs      = 1
}
stage "execute" "x" {
  scripts  = stage.texts.t.scripts
  solvers  = solver
  track    = "single_query"
  executor = executor.local.none
  ` + tt.option + `
  limits {
    wall_time = "1s"
    memory    = "200MB"
  }
}
`
			rows, made, err := l.run(t, pipeline)
			if err != nil || made != 1 {
				t.Fatalf("%d runs were made, %v", made, err)
			}
			if len(rows) != len(tt.want) {
				t.Fatalf("%d attempts, want %d", len(rows), len(tt.want))
			}
			for i, signal := range tt.want {
				r := rows[i]
				strange := signal == 9 && tt.name != "a limit"
				if r.Signal != signal || r.Attempt != int64(i) || strings.Contains(r.Flags, "foreign_kill") != strange {
					t.Errorf("attempt %d: %d, signal %d, flags %q", i, r.Attempt, r.Signal, r.Flags)
				}
				if strange && tt.name != "once" && r.Stdout != "sat\n" {
					t.Errorf("attempt %d printed %q", i, r.Stdout)
				}
			}
			again, made, err := l.run(t, pipeline)
			if err != nil || made != 0 || len(again) != len(rows) {
				t.Errorf("afterwards %d rows and %d runs were made, %v", len(again), made, err)
			}
		})
	}
}
