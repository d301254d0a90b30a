package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/compare"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/runner/solver"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/stages/fanout"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// everyDay makes benchmarks and two equal builds, which sleep a little, in a folder.
func everyDay(t *testing.T, build string) string {
	t.Helper()
	dir := t.TempDir()
	for _, family := range []string{"f", "g"} {
		for i := range 10 {
			file := filepath.Join(dir, "non-incremental", "QF_UF", family, fmt.Sprint(i, ".smt2"))
			text := "(set-logic QF_UF)\n(set-info :status sat)\n(declare-fun p () Bool)\n(assert p)\n(check-sat)\n"
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755),
				os.WriteFile(file, []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+build), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestCompareSameBuild compares a program with itself, without stored runs, SMTPIPE_SAME_BUILD times. By Holm's method
// at most 5 % are a regression; more than that by chance, as often as once in 1,000 tests, are 5 of 20 (the binomial
// probability of 5 or more is 0.0026, of 6 or more 0.0003).
func TestCompareSameBuild(t *testing.T) {
	times, err := strconv.Atoi(os.Getenv("SMTPIPE_SAME_BUILD"))
	if err != nil {
		t.Skip("takes a minute or two; make test-long sets SMTPIPE_SAME_BUILD=20")
	}
	dir := everyDay(t, "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done; echo sat\n")
	bad := 0
	for i := range times {
		cmd := exec.Command("smtpipe", "compare", filepath.Join(dir, "a"), filepath.Join(dir, "b"), "--benchmarks",
			filepath.Join(dir, "non-incremental"), "--wall", "20s", "--isolation", "best_effort", "--threshold", "0",
			"--memory-threshold", "0", "--seed", fmt.Sprint(i+1), "--store", filepath.Join(t.TempDir(), "store"),
			"--json", "-", "--progress", "none")
		out, err := cmd.Output()
		var r struct {
			Regression bool
			Reasons    []string
		}
		if failed := json.Unmarshal(out, &r); failed != nil || r.Regression != (err != nil) {
			t.Fatalf("%v, %v: %s", err, failed, out)
		}
		if r.Regression {
			bad++
			t.Logf("comparison %d: %q", i+1, r.Reasons)
		}
	}
	if bad > times/20+4 {
		t.Errorf("%d of %d comparisons of a program with itself are a regression", bad, times)
	}
}

// TestOldPairs reads a pair, and the run of one of its builds, as smtpipe 0.1.0 stored them.
func TestOldPairs(t *testing.T) {
	store, err := cache.Open(t.TempDir(), cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	items, err := store.Items("compare")
	if err != nil {
		t.Fatal(err)
	}
	const (
		runText = `{"answer":"sat","ending":"exited","wall_time_ns":2000000,"cpu_time_ns":1000000,"memory_bytes":4096}`
		nobody  = `{"answer":"","ending":"wall_timeout","wall_time_ns":20000000000,"cpu_time_ns":9,"memory_bytes":1}`
		pair    = `{"benchmark":{"path":"b/x.smt2","logic":"QF_UF","family":"f","status":"sat","second_first":true},"a":` +
			runText + `,"b":` + nobody + `,"interleaved":true}`
	)
	for key, record := range map[string]string{
		"aaa8829cad18e5e190c07a37bc7af11696f28a0a659d919987e942525e967b47": pair,
		"344b95ab75e69485003e50c282c828d497c1516a76ef49b15bbaa3d191ac14c2": nobody,
	} {
		k, err := cache.ParseKey(key)
		if err := errors.Join(err, items.Put(k, []byte(record))); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "x.smt2")
	if err := os.WriteFile(file, []byte("(check-sat)\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	sum := func(text string) cache.Digest { return cache.DigestOf([]byte(text)) }
	program := func(path string) *build {
		return &build{place: path, digest: sum(path), env: solver.Plain,
			entry: &solver.EntryPoint{Argv: []string{path, "-q"}}}
	}
	packed := &build{folder: "/s/tree", digest: sum("tree"), env: solver.StarExec,
		entry: &solver.EntryPoint{Argv: []string{"/s/tree/bin/z"}}}
	m := &pairing{items: items, places: map[string]string{"b/x.smt2": file}, site: &fanout.Site{Executor: abacus{}},
		compareFlags: &compareFlags{cores: 2, limits: comp.Limits{WallTime: 20 * time.Second, MemoryBytes: 2e9}},
		a:            program("/p/old"), b: packed}
	benchmark := compare.Benchmark{Path: "b/x.smt2", Logic: "QF_UF", Family: "f", Status: "sat", SecondFirst: true}
	var got compare.Pair
	w, err := m.look(benchmark, &got)
	want := compare.Pair{Benchmark: benchmark, Interleaved: true,
		A: compare.Run{Answer: "sat", Ending: "exited"}, B: compare.Run{Ending: "wall_timeout"}}
	want.A.WallTimeS, want.A.CPUTimeS, want.A.MemoryBytes = 2e-3, 1e-3, 4096
	want.B.WallTimeS, want.B.CPUTimeS, want.B.MemoryBytes = 20, 9e-9, 1
	if err != nil || len(w.builds) > 0 || got != want {
		t.Errorf("the pair is %+v, error %v, %d builds to execute, want %+v", got, err, len(w.builds), want)
	}
	// beside a third build, the one without an answer is not executed again
	m.a = program("/p/new")
	w, err = m.look(benchmark, &got)
	if err != nil || len(w.builds) != 1 || w.builds[0] != m.a || got.B != want.B || got.Interleaved {
		t.Errorf("beside a third build: %+v, error %v, to execute %v", got, err, w.builds)
	}
}

// abacus is an executor of an old machine.
type abacus struct{ worker.Executor }

func (abacus) Hello() worker.Hello { return worker.Hello{Hardware: "abacus", Isolation: runner.Full} }

// TestEveryDayWorkflows executes what docs/tools/every-day.md says for GitHub and GitLab: packing two builds, the
// second of which loses a family, and comparing them.
func TestEveryDayWorkflows(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/tools/every-day.md")
	if err != nil {
		t.Fatal(err)
	}
	files := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(files) != 2 {
		t.Fatalf("%d workflow files, want 2", len(files))
	}
	var github workflow
	var gitlab struct{ Compare, Comment struct{ Script []string } }
	if err := errors.Join(yaml.Unmarshal([]byte(files[0][1]), &github), yaml.Unmarshal([]byte(files[1][1]),
		&gitlab)); err != nil {
		t.Fatal(err)
	}
	scripts := map[string]string{"GitLab": strings.Join(gitlab.Compare.Script, "\n")}
	for _, s := range github.Jobs["compare"].Steps {
		if strings.Contains(s.Run, "${{") {
			t.Errorf("%s: an expression in a command, where strangers may write", s.Name)
		}
		scripts["GitHub"] += s.Run + "\n"
	}
	program, err := exec.LookPath("smtpipe")
	if err != nil {
		t.Fatal(err)
	}
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) { comparesBuilds(t, program, script) })
	}
}

// comparesBuilds executes a script with commands instead of those that need the network, git, or a compiler.
func comparesBuilds(t *testing.T, program, script string) {
	testkit.Program(t, "bash")
	testkit.Program(t, "zstd")
	dir := everyDay(t, "echo sat\n")
	prepare := `mkdir -p base/build head/build && cp a base/build/solver &&
printf '#!/bin/sh\ncase $1 in */f/*) exit;; esac; echo sat\n' >head/build/solver && chmod 755 head/build/solver &&
tar --zstd -cf release non-incremental
curl() {
	while [ "$1" != -o ]; do shift; done
	if [ "$2" = smtpipe ]; then cp "$PROGRAM" smtpipe; else cp release "$2"; fi
}
apt-get() { :; }; git() { :; }; cmake() { :; }; sha256sum() { :; }
`
	cmd := exec.Command("bash", "-e", "-c", prepare+script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PROGRAM="+program, "SMTPIPE_URL=u", "SMTPIPE_SHA256=s", "BENCHMARKS_URL=b",
		"CI_COMMIT_SHA=c", "CI_MERGE_REQUEST_DIFF_BASE_SHA=d")
	out, err := cmd.CombinedOutput()
	failed, ok := errors.AsType[*exec.ExitError](err)
	if !ok || failed.ExitCode() != exitDiffers {
		t.Fatalf("%v, want exit code %d: %s", err, exitDiffers, out)
	}
	comment, err := os.ReadFile(filepath.Join(dir, "comment.md"))
	title := "### Regression: base.tar.gz (A) and head.tar.gz (B) on 20 benchmarks\n"
	if err != nil || !strings.HasPrefix(string(comment), title) ||
		!strings.Contains(string(comment), "\n- lost: 10, allowed 0\n") {
		t.Errorf("%v: %s", err, comment)
	}
}
