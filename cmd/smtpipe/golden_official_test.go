package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// TestGoldenScores checks the scores computed from five official results, each of a different year and track: under the
// organisers' practice, whose scores are published, and under the rules.
func TestGoldenScores(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"2015-application", "2019-unsat-core", "2022-single-query", "2024-parallel",
		"2025-incremental"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := &golden{dir: t.TempDir(), data: goldenData(t, "scores/"+name)}
			folder := testkit.Shared(t, "official-results", name)
			var lines []string
			for _, reading := range []string{"published", "rules"} {
				text := g.smtpipe(t, "tool", "score", "--official", folder, "--reading", reading, "--format", "json")
				lines = append(lines, scoreLines(t, reading, text)...)
			}
			g.compare(t, lines)
		})
	}
}

// scoreLines returns a line for each table of scores.
func scoreLines(t *testing.T, reading, text string) []string {
	t.Helper()
	var tables map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &tables); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for kind, content := range tables {
		var named map[string]json.RawMessage
		if json.Unmarshal(content, &named) != nil {
			named = map[string]json.RawMessage{"": content}
		}
		for name, table := range named {
			lines = append(lines, fmt.Sprintf("%s %s %s: %.16s", reading, kind, name, cache.DigestOf(table)))
		}
	}
	slices.Sort(lines)
	return lines
}

// goldenImport imports published runs and scores them by the rules.
const goldenImport = `
competition {
  name = "Published runs"
  year = %[1]s
}
stage "import" "published" {
  results    = ["%[2]s"]
  track      = "%[3]s"
  year       = %[1]s
  wall_time  = "20m"
  cores      = 4
  benchmarks = "%[4]s"
}
stage "validate" "main" {
  runs       = stage.import.published.executed
  benchmarks = stage.import.published.benchmarks
}
stage "score" "main" {
  verdicts = stage.validate.main.verdicts
  rules    = competition.rules.scoring
}
`

const goldenSite = `stage "report" "site" {
  scores   = [stage.score.main.scores]
  verdicts = [stage.validate.main.verdicts]
  runs     = [stage.import.published.executed]
}
`

// TestGoldenImport checks the outputs derived from imported published runs. All 658,873 runs of 2022 take half a
// minute, only with SMTPIPE_LONG=1. They have no site: the other golden digests cover every change of pages.
func TestGoldenImport(t *testing.T) {
	t.Parallel()
	raw := testkit.Shared(t, "official-results", "raw")
	t.Run("2025-parallel", func(t *testing.T) {
		t.Parallel()
		imported(t, goldenImport+goldenSite, "2025-parallel", "2025", "parallel",
			filepath.Join(raw, "results-parallel-2025.json.gz"), filepath.Join(raw, "benchmarks-2025.json.gz"))
	})
	t.Run("2022-single-query", func(t *testing.T) {
		testkit.Long(t)
		dir := t.TempDir()
		script, err := filepath.Abs("../../scripts/published-runs")
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(script, testkit.Shared(t, "official-results", "2022-single-query", "runs.csv.gz"))
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		imported(t, goldenImport, "2022-single-query", "2022", "single_query", filepath.Join(dir, "history.csv"),
			filepath.Join(dir, "benchmarks.txt"))
	})
}

func imported(t *testing.T, pipeline, name, year, track, runs, benchmarks string) {
	g := &golden{dir: t.TempDir(), data: goldenData(t, "import/"+name)}
	// The files must be next to the pipeline, because keys contain their paths.
	for _, file := range []*string{&runs, &benchmarks} {
		content, err := os.ReadFile(*file)
		if err != nil {
			t.Fatal(err)
		}
		*file = filepath.Base(*file)
		if err := os.WriteFile(filepath.Join(g.dir, *file), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text := fmt.Sprintf(pipeline, year, runs, track, benchmarks)
	if err := os.WriteFile(filepath.Join(g.dir, "competition.hcl"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	g.smtpipe(t, "run", "--progress", "none")
	g.smtpipe(t, "freeze", "--records", "--date", "2026-01-01")
	g.compare(t, g.frozen(t))
}
