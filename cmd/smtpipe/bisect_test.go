package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/contest/bisect"
	"github.com/smtpipe/smtpipe/internal/lang/builds"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// byTable is a solver that answers according to its build's table. For each family, the table contains the CPU time in
// milliseconds and the first benchmark number without an answer. An unstable family has no answer for half of all
// scripts.
const byTable = `#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "table.h"
static char text[1 << 16];
int main(int argc, char **argv) {
	FILE *f = fopen(argv[argc - 1], "r");
	if (!f || !fread(text, 1, sizeof text - 1, f)) return 1;
	char *at = strstr(text, "(= ");
	if (!at) return 1;
	int number = atoi(at + 3), family = number / 100;
	unsigned hash = 0;
	for (char *c = text; *c; c++) hash = hash * 31 + (unsigned char)*c;
	while (clock() < MILLISECONDS[family] * (CLOCKS_PER_SEC / 1000)) {}
	if (number % 100 >= ANSWERED[family] || (UNSTABLE[family] && (hash >> 8) & 1)) puts("unknown");
	else puts("sat");
	return 0;
}
`

// planted creates benchmarks and a repository with n commits. The i-th regression starts with commit at[i].
func planted(t *testing.T, dir string, n int, at [3]int) {
	var stream strings.Builder
	add := func(name, text string) {
		fmt.Fprintf(&stream, "M 100644 inline %s\ndata %d\n%s\n", name, len(text), text)
	}
	for i := range n {
		fmt.Fprintf(&stream, "commit refs/heads/main\ncommitter n <e@example.org> %d +0000\ndata <<EOF\ncommit %d\n"+
			"EOF\n", 1_700_000_000+i, i)
		slow, answered, unstable := 20, 100, 0
		if i >= at[0] {
			slow = 25
		}
		if i >= at[1] {
			answered = 10
		}
		if i >= at[2] {
			unstable = 1
		}
		add("solver.c", byTable)
		add("table.h", fmt.Sprintf("// build %d\nstatic int MILLISECONDS[] = {%d, 0, 0}, ANSWERED[] = {100, %d, 100}, "+
			"UNSTABLE[] = {0, 0, %d};\n", i, slow, answered, unstable))
	}
	repo := filepath.Join(dir, "repo")
	if out, err := exec.Command("git", "init", "-q", "-b", "main", repo).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	load := exec.Command("git", "-C", repo, "fast-import", "--quiet")
	load.Stdin = strings.NewReader(stream.String())
	if out, err := load.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for family, name := range []string{"slow", "unknown", "unstable"} {
		for i := range 12 {
			file := filepath.Join(dir, name, fmt.Sprint(i, ".smt2"))
			text := fmt.Sprintf("(set-logic QF_LIA)\n(set-info :status sat)\n(declare-fun x () Int)\n"+
				"(declare-fun y () Int)\n(assert (= %[1]d %[1]d))\n(assert (< x y))\n(check-sat)\n", 100*family+i)
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755),
				os.WriteFile(file, []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestBisectPlanted searches for three regressions at random positions among 40 commits: a family that is a quarter
// slower, two of twelve benchmarks without an answer, and a family that became unstable. Apart from the first and the
// last commit, it may try at most log2 40 + 1 builds.
func TestBisectPlanted(t *testing.T) {
	t.Parallel()
	testkit.Program(t, "git")
	testkit.Program(t, "cc")
	const n = 40
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	at := [3]int{}
	for i := range at {
		at[i] = 1 + random.IntN(n-1)
	}
	t.Logf("seed %d: the first bad commits are %v", seed, at)
	dir := t.TempDir()
	planted(t, dir, n, at)
	for i, m := range []struct {
		family, by string
		differ     int // minimum number of benchmarks that differ
		options    []string
	}{
		{"slow", "cpu_time", 10, nil},
		{"unknown", "answers", 2, nil},
		{"unstable", "answers", 3, []string{"--seeds", "6"}},
	} {
		args := append([]string{"bisect", fmt.Sprintf("main~%d", n-1), "main", "--repository", "repo", "--build",
			"cc -O1 -o solver solver.c", "--program", "solver", "--benchmarks", m.family, "--wall", "5s", "--isolation",
			"best_effort", "--progress", "none", "--json"}, m.options...)
		cmd := exec.Command("smtpipe", args...)
		cmd.Dir = dir
		var said strings.Builder
		cmd.Stderr = &said
		out, err := cmd.Output()
		var found builds.Bisected
		if err := errors.Join(err, json.Unmarshal(out, &found)); err != nil {
			t.Errorf("%s: %v: %s", m.family, err, said.String())
			continue
		}
		want := fmt.Sprintf(" commit %d", at[i])
		differ := map[string]bool{}
		for _, p := range found.Differ {
			differ[p.Benchmark.Path] = true
		}
		if len(found.First) != 1 || !strings.HasSuffix(found.First[0], want) || found.By != m.by ||
			len(differ) < m.differ {
			t.Errorf("%s: the first bad build is %q by %s, want%s: %s", m.family, found.First, found.By, want,
				said.String())
		}
		if most := int(math.Log2(n)) + 1; len(found.Steps) > most || found.Builds != n {
			t.Errorf("%s: %d builds were tried, at most %d should be", m.family, len(found.Steps), most)
		}
		for _, s := range found.Steps {
			if s.Verdict == bisect.Skipped {
				t.Errorf("%s: %s was skipped: %s", m.family, s.Build, s.Why)
			}
		}
	}
}
