package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/examples/quickstart"
	"github.com/smtpipe/smtpipe/internal/exec/image/imagetest"
	"github.com/smtpipe/smtpipe/internal/exec/worker/workertest"
)

// imagePipeline executes a solver that runs only in another distribution, and a solver that is a program in its image.
const imagePipeline = `competition {
  name = "Image"
  year = 2026
}

solver "other" {
  archive = "other.tar"
  command = ["bin/other"]
}

solver "inside" {
  image   = "image"
  command = ["sh", "-c", "echo unknown"]
}

stage "fetch" "library" { path = "release" }
stage "index" "library" { source = stage.fetch.library.files }
stage "filter" "few" {
  benchmarks = stage.index.library.benchmarks
  drop "others" { when = b.logic != "QF_UF" || !endswith(b.name, "0.smt2") }
}
stage "scramble" "few" {
  benchmarks = stage.filter.few.benchmarks
  track      = "single_query"
  seed       = 1
}
stage "execute" "few" {
  scripts  = stage.scramble.few.scripts
  solvers  = solver
  track    = "single_query"
  executor = EXECUTOR
  limits {
    wall_time = "20s"
    memory    = "500MB"
  }
}
stage "validate" "few" {
  runs       = stage.execute.few.runs
  benchmarks = stage.filter.few.benchmarks
}
output "verdicts" {
  value = stage.validate.few.verdicts
  path  = "verdicts.csv"
}
`

// otherSource is a solver that prints the benchmark's status as its answer.
const otherSource = `#include <stdio.h>
#include <string.h>
int main(int n, char **args) {
  char line[65536];
  const char *status = "unknown";
  FILE *f = fopen(args[n - 1], "r");
  while (f && fgets(line, sizeof line, f))
    if (strstr(line, "check-sat")) puts(status);
  return 0;
}
`

// TestImage takes a solver that runs only in another distribution through everything that executes solvers. Without its
// image it is rejected. With its image it is tried, rehearsed, compared, executed here, by workers and on three Slurm
// nodes, frozen and verified.
func TestImage(t *testing.T) {
	level := workertest.Level(t)
	if level != "full" && level != "namespaces" {
		t.Skipf("isolation %s has no room for an image", level)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, quickstart.Files); err != nil {
		t.Fatal(err)
	}
	world, solver := t.TempDir(), filepath.Join(dir, "tree", "bin", "other")
	imagetest.World(t, world, imagetest.Musl, "dash")
	if err := os.Symlink("dash", filepath.Join(world, "usr/bin/sh")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(solver), 0o755); err != nil {
		t.Fatal(err)
	}
	gcc := exec.Command("gcc", "-x", "c", "-o", solver, "-", "-Wl,--dynamic-linker="+imagetest.Musl)
	gcc.Stdin = strings.NewReader(otherSource)
	commands := []*exec.Cmd{gcc,
		exec.Command("cp", "-r", imagetest.Save(t, []string{"PATH=/usr/bin", "LD_LIBRARY_PATH="}, world),
			filepath.Join(dir, "image")),
		exec.Command("tar", "-C", filepath.Join(dir, "tree"), "-cf", filepath.Join(dir, "other.tar"), "bin"),
		exec.Command("cp", filepath.Join(dir, "other.tar"), filepath.Join(dir, "same.tar"))}
	for _, c := range commands {
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", c.Args, err, out)
		}
	}
	if err := os.WriteFile(solver, nil, 0o755); err != nil { // the archive contains the executed program
		t.Fatal(err)
	}
	call := func(fails bool, args ...string) string {
		t.Helper()
		cmd := exec.Command("smtpipe", args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if (err != nil) != fails {
			t.Fatalf("smtpipe %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	says := func(text, want string) {
		t.Helper()
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
	submission, err := json.Marshal(map[string]any{"name": "Other", "contributors": []string{"A"},
		"contacts": []string{"A <a@example.org>"}, "archive": map[string]string{"url": "https://example.org/other.tar"},
		"website": "https://example.org", "system_description": "https://example.org/d.pdf",
		"command": []string{"bin/other"}, "solver_type": "Standalone", "seed": 1, "participations": []any{
			map[string]any{"tracks": []string{"SingleQuery"}, "logics": []string{"QF_UF"}}}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "other.json"), string(submission), 0o666)
	says(call(true, "check-submission", "other.json", "--archive", "other.tar", "--isolation", string(level)),
		"/solver/bin/other needs the interpreter "+imagetest.Musl+", which this machine does not have")
	tried := []string{"check-submission", "other.json", "--archive", "other.tar", "--image", "image", "--isolation",
		string(level)}
	if out := call(true, tried...); strings.Contains(out, "interpreter") || !strings.Contains(out, "unknown") {
		t.Errorf("it was not tried:\n%s", out)
	}
	says(call(false, "tool", "exec", "--isolation", string(level), "--image", "image", "--output", "-", "--", "sh",
		"-c", "echo of $PATH; cat /etc/os-release"), "of /usr/bin")

	pipeline := func(block, name string) {
		text := strings.Replace(imagePipeline, "EXECUTOR", name, 1) + block
		write(t, filepath.Join(dir, "competition.hcl"), text, 0o666)
	}
	verdicts := func() string {
		t.Helper()
		b, err := os.ReadFile(filepath.Join(dir, "verdicts.csv"))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(strings.NewReader(string(b))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for _, row := range rows[1:] {
			for i, name := range rows[0] {
				if slices.Contains([]string{"benchmark", "solver", "ending", "answer", "verdict"}, name) {
					fmt.Fprint(&all, row[i], " ")
				}
			}
			fmt.Fprintln(&all)
		}
		return all.String()
	}
	here := fmt.Sprintf("\nexecutor \"local\" \"here\" {\n  isolation = %q\n  image = \"image\"\n}\n", level)
	pipeline(here, "executor.local.here")
	call(false, "check")
	call(false, "run")
	first := verdicts()
	answers := func(solver string) int { return strings.Count(first, " "+solver+" unknown unknown exited ") }
	if n := strings.Count(first, "\n"); n < 4 || answers("other") != n/2 || answers("inside") != n/2 {
		t.Fatalf("the verdicts are\n%s", first)
	}
	says(call(true, "rehearse", "other"), "it answers unknown")
	says(call(true, "compare", "other.tar", "same.tar", "--benchmarks", "release", "--sample", "2", "--image", "image",
		"--isolation", string(level), "--answers"), "neither build answered a benchmark")
	call(false, "freeze", "--inputs", "-o", "whole")
	says(call(false, "verify", "whole"), "is the same: ")
	call(false, "freeze", "-o", "small")
	lock, err := os.ReadFile(filepath.Join(dir, "small", "smtpipe.lock.hcl"))
	if err != nil {
		t.Fatal(err)
	}
	says(string(lock), `"file image" = {`)
	if _, err := os.Stat(filepath.Join(dir, "small", "pipeline", "image")); err == nil {
		t.Error("the small folder has the image")
	}
	says(call(false, "verify", "small"), "is the same: ")

	blocks := map[string]string{"process": `command = ["smtpipe", "tool", "worker"]`}
	t.Run("process", func(t *testing.T) { lane(t, dir, blocks, "process", string(level), pipeline, verdicts, first) })
	t.Run("slurm", func(t *testing.T) {
		workertest.StartCluster(t)
		blocks["slurm"] = "time = \"10m\"\n  jobs = 3\n  exchange = \"exchange\"\n  delay = \"1s\"\n  poll = \"200ms\""
		lane(t, dir, blocks, "slurm", string(level), pipeline, verdicts, first)
	})
}

// lane executes the pipeline with a different kind of executor in a new store. The verdicts must be the same.
func lane(t *testing.T, dir string, blocks map[string]string, kind, level string, pipeline func(block, name string),
	verdicts func() string, want string) {
	pipeline(fmt.Sprintf("\nexecutor %q \"there\" {\n  isolation = %q\n  image = \"image\"\n  %s\n}\n", kind, level,
		blocks[kind]), "executor."+kind+".there")
	cmd := exec.Command("smtpipe", "run", "--store", "store-"+kind)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := verdicts(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
