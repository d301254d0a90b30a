package solver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/runner"
)

// tinyBenchmark is decided by every solver of the competition: no sorts, no theory.
const tinyBenchmark = `(set-info :smt-lib-version 2.6)
(set-logic QF_UF)
(set-info :status unsat)
(declare-const p Bool)
(assert p)
(assert (not p))
(check-sat)
(exit)
`

const tinyPath = runner.InputDir + "/preflight.smt2"

// Preflight is what a solver did on a tiny benchmark.
type Preflight struct {
	Answer  comp.Answer // the first line that is one
	Version string      // first line of what it printed for --version; empty when it printed nothing of the kind
	Record  runner.Record
}

// CheckPreflight executes a solver on a tiny benchmark in the sandbox of the competition and asks it for its version, each
// with at most the given wall time (10 s when zero). A solver that cannot be started is an error that wraps
// runner.ErrStart. That it gives no answer is not an error: a solver for other logics may refuse QF_UF. Look at Answer
// and Record.
func CheckPreflight(ctx context.Context, h *runner.Host, e *EntryPoint, dir string, env Environment, wall time.Duration) (*Preflight, error) {
	if wall == 0 {
		wall = 10 * time.Second
	}
	lim := comp.Limits{WallTime: wall, MemoryBytes: 2e9, OutputBytes: 1 << 20, Processes: 1024}
	cmd := e.Command(dir, tinyPath, lim, env)
	if e.Incremental {
		cmd.Stdin = strings.NewReader(tinyBenchmark)
	} else {
		cmd.Inputs = []runner.Input{{Target: tinyPath, Content: []byte(tinyBenchmark)}}
	}
	cmd.TimestampLines = 100
	rec, err := h.Run(ctx, cmd)
	if err != nil {
		return nil, fmt.Errorf("pre-flight: %w", err)
	}
	p := &Preflight{Record: rec, Answer: firstAnswer(rec.Lines)}
	p.Version, err = version(ctx, h, e, dir, env, lim)
	return p, err
}

func firstAnswer(lines []runner.Line) comp.Answer {
	for _, l := range lines {
		switch a := comp.Answer(strings.TrimSpace(l.Text)); a {
		case comp.AnswerSat, comp.AnswerUnsat, comp.AnswerUnknown:
			return a
		}
	}
	return comp.AnswerNone
}

// version asks for the version. Solvers that do not know the option print errors or wait for input; neither counts.
func version(ctx context.Context, h *runner.Host, e *EntryPoint, dir string, env Environment, lim comp.Limits) (string, error) {
	cmd := e.Command(dir, "--version", lim, env)
	cmd.Argv = []string{e.Argv[0], "--version"}
	cmd.Stdin = io.LimitReader(strings.NewReader(""), 0)
	rec, err := h.Run(ctx, cmd)
	if errors.Is(err, runner.ErrStart) {
		return "", nil
	}
	if err != nil || rec.Ending != comp.Exited || rec.ExitCode != 0 {
		return "", err
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(rec.Stdout.Bytes())), "\n")
	return strings.TrimSpace(line), nil
}
