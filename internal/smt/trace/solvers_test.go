package trace_test

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/smt/scramble"
	"github.com/smtpipe/smtpipe/internal/smt/trace"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// solverCommands are commands that start the solvers from Debian packages for the incremental track.
var solverCommands = map[string][]string{
	"z3":        {"z3", "-in", "-smt2"},
	"cvc5":      {"cvc5", "--incremental", "--quiet", "--lang=smt2", "-"},
	"cvc4":      {"cvc4", "--incremental", "--quiet", "--lang=smt2", "-"},
	"boolector": {"boolector", "--smt2", "--incremental"},
}

// TestSolvers conducts dialogues between real solvers and the incremental benchmarks in the shared data, scrambled, and
// compares the answers with those of the reference solvers z3 and cvc5. Answers must agree with the reference solvers
// where they answered, and no answer may be wrong. With SMTPIPE_ALL_TRACES=1, every benchmark is executed for five
// seconds; otherwise one in eight is, for a third of a second.
//
// Debian's boolector 1.5 supports neither set-option nor the incremental mode of SMT-LIB 2, so every dialogue with it
// must end at the first exchange without an answer.
func TestSolvers(t *testing.T) {
	limit, step := 333*time.Millisecond, 8
	if os.Getenv("SMTPIPE_ALL_TRACES") == "1" {
		limit, step = 5*time.Second, 1
	}
	reference := referenceAnswers(t)
	benchmarks := incrementalBenchmarks(t)
	for name, argv := range solverCommands {
		t.Run(name, func(t *testing.T) {
			path := testkit.Program(t, argv[0])
			answered := 0
			for i := 0; i < len(benchmarks); i += step {
				b := benchmarks[i]
				r := executeSolver(t, append([]string{path}, argv[1:]...), b.script, limit)
				if len(r.Answers) == 0 && answered == 0 && name != "boolector" { // the machine may be busy
					r = executeSolver(t, append([]string{path}, argv[1:]...), b.script, 10*limit)
				}
				answered += len(r.Answers)
				compareAnswers(t, b, r, reference[b.path])
				if name == "boolector" && (r.Ending == trace.Finished || r.Commands > 0) {
					t.Errorf("%s: %s after %d commands", b.path, r.Ending, r.Commands)
				}
			}
			t.Logf("%s: %d answers", name, answered)
			if (answered == 0) != (name == "boolector") {
				t.Errorf("%s gave %d answers", name, answered)
			}
		})
	}
}

// compareAnswers compares a dialogue with the benchmark's expected answers and those of the reference solvers.
func compareAnswers(t *testing.T, b benchmark, r trace.Result, reference [][]comp.Answer) {
	t.Helper()
	switch r.Ending {
	case trace.WrongAnswer, trace.BadBenchmark:
		t.Errorf("%s: %s: %s", b.path, r.Ending, r.Message)
	case trace.BadResponse, trace.SolverEnded:
		t.Logf("%s: %s after %d of %d answers: %.100q", b.path, r.Ending, len(r.Answers), r.Checks, r.Message)
	case trace.Finished:
		if len(r.Answers) != r.Checks {
			t.Errorf("%s: finished with %d of %d answers", b.path, len(r.Answers), r.Checks)
		}
	}
	if r.Early > 0 {
		t.Errorf("%s: %d responses before their command", b.path, r.Early)
	}
	for _, other := range reference {
		for i := range min(len(other), len(r.Answers)) {
			if r.Answers[i].Decides() && other[i].Decides() && r.Answers[i] != other[i] {
				t.Errorf("%s: check-sat %d: %s, the reference says %s", b.path, i+1, r.Answers[i], other[i])
			}
		}
	}
	if !slices.IsSortedFunc(r.Times, func(a, b trace.Stamp) int { return int(a.Wall - b.Wall) }) {
		t.Errorf("%s: the times of the answers go backwards", b.path)
	}
}

// executeSolver starts a solver without the runner, as a test may.
func executeSolver(t testing.TB, argv []string, script *trace.Script, limit time.Duration) trace.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r := trace.Execute(ctx, script, in, out, wallClock(time.Now()), trace.Options{ContinueAfterUnknown: true})
	cancel()
	_ = cmd.Wait() // killed by the context
	return r
}

// wallClock is a clock without CPU time.
type wallClock time.Time

func (c wallClock) WallTime() time.Duration { return time.Since(time.Time(c)) }
func (c wallClock) CPUTime() time.Duration  { return 0 }

// benchmark is a scrambled incremental benchmark with its expected answers.
type benchmark struct {
	path   string
	script *trace.Script
}

// incrementalBenchmarks reads the archives and scrambles their benchmarks. The result is sorted by path.
func incrementalBenchmarks(t testing.TB) []benchmark {
	t.Helper()
	archives, err := filepath.Glob(filepath.Join(testkit.Shared(t, "smtlib-mini", "incremental"), "*.tar.zst"))
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives of incremental benchmarks: %v", err)
	}
	var all []benchmark
	var scrambler scramble.Scrambler
	for _, name := range archives {
		for path, text := range untar(t, name) {
			scrambled, err := scrambler.Append(nil, text, scramble.ForTrack(comp.Incremental, 42))
			if err != nil {
				t.Fatalf("scramble %s: %v", path, err)
			}
			script, err := trace.Parse(bytes.NewReader(scrambled))
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			all = append(all, benchmark{path, script})
		}
	}
	slices.SortFunc(all, func(a, b benchmark) int { return strings.Compare(a.path, b.path) })
	return all
}

// untar returns an archive's regular files.
func untar(t testing.TB, name string) map[string][]byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	files := make(map[string][]byte)
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if files[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

// referenceAnswers returns the answers of z3 and cvc5, by path. A list ends where a solver gave up.
func referenceAnswers(t testing.TB) map[string][][]comp.Answer {
	t.Helper()
	f, err := os.Open(testkit.Shared(t, "smtlib-mini", "reference-verdicts.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma = '\t'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	answers := make(map[string][][]comp.Answer)
	for _, row := range rows[1:] {
		for _, verdicts := range []string{row[2], row[4]} {
			var list []string
			for part := range strings.SplitSeq(verdicts, ",") {
				if word, _, _ := strings.Cut(part, "*"); word != "sat" && word != "unsat" && word != "unknown" {
					break // timeout, error, or stopped
				}
				list = append(list, part)
			}
			decoded, err := trace.DecodeAnswers(strings.Join(list, ","))
			if err != nil {
				t.Fatalf("%s: %v", row[0], err)
			}
			answers[row[0]] = append(answers[row[0]], decoded)
		}
	}
	return answers
}
