package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/testkit"
)

// TestNotebooks executes the examples in the README of a report's exports, on a report about 60 runs of a solver that
// always answers unsat.
func TestNotebooks(t *testing.T) {
	t.Parallel()
	python := testkit.Python(t, "notebook")
	dir := t.TempDir()
	smtpipe(t, "init", dir)
	writeFiles(t, dir, map[string]string{"solver.sh": "#!/bin/sh\necho unsat\n", "competition.hcl": `
competition {
  name = "Notebook"
  year = 2026
}
stage "fetch" "library" {
  path = "release"
  only = ["QF_UF"]
}
stage "index" "library" { source = stage.fetch.library.files }
stage "scramble" "main" {
  benchmarks = stage.index.library.benchmarks
  track      = "single_query"
  seed       = 1
}
solver "ann" {
  command = ["./solver.sh"]
  seed    = 1
}
executor "local" "here" { isolation = "none" }
stage "execute" "main" {
  scripts  = stage.scramble.main.scripts
  solvers  = solver
  track    = "single_query"
  executor = executor.local.here
  limits {
    wall_time = "10s"
    memory    = "500MB"
  }
}
stage "validate" "main" {
  runs       = stage.execute.main.runs
  benchmarks = stage.index.library.benchmarks
}
stage "score" "main" {
  verdicts = stage.validate.main.verdicts
  rules    = competition.rules.scoring
}
stage "report" "site" {
  name     = competition.name
  year     = competition.year
  scores   = [stage.score.main.scores]
  verdicts = [stage.validate.main.verdicts]
  runs     = [stage.execute.main.runs]
}
output "site" {
  value = stage.report.site.files
  path  = "site"
}
`})
	if err := os.Chmod(filepath.Join(dir, "solver.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	smtpipe(t, "run", "-p", dir)
	folder := filepath.Join(dir, "site", "export")
	readme, err := os.ReadFile(filepath.Join(folder, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```python\n(.*?)```").FindAllStringSubmatch(string(readme), -1)
	if len(blocks) != 3 {
		t.Fatalf("%d blocks of Python", len(blocks))
	}
	verdicts, err := os.ReadFile(filepath.Join(folder, "verdicts.csv.gz"))
	if err != nil || len(verdicts) == 0 {
		t.Fatal(err)
	}
	for _, b := range blocks {
		if lines := strings.Count(b[1], "\n"); lines != 3 {
			t.Errorf("%d lines of Python: %s", lines, b[1])
		}
		cmd := exec.CommandContext(t.Context(), python, "-c", b[1])
		cmd.Dir = folder
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s\n%v\n%s", b[1], err, out)
		}
		// 21 of the 60 benchmarks are sat.
		for _, want := range []string{`ann\W+correct\W+39\b`, `wrong\W+21\b`} {
			if !regexp.MustCompile(want).Match(out) {
				t.Errorf("%s\nprints no %s:\n%s", b[1], want, out)
			}
		}
	}
}
