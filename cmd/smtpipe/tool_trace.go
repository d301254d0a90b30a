package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/smt/trace"
)

// Exit codes of the official trace executor, which "tool trace" preserves.
const (
	traceDone  = 0
	traceError = 1
	traceWrong = 2
)

const continueAfterUnknown = "--continue-after-unknown"

func newToolTraceCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "trace [" + continueAfterUnknown + "] SOLVER [ARG...] BENCHMARK",
		Short: "Feed a solver an incremental benchmark, one command at a time",
		Long: `trace starts SOLVER with its arguments, gives it the commands of BENCHMARK one by one, each after the answer to the
one before, and compares the answers to check-sat with the expected ones. It takes the place of the competition's
trace executor: the arguments, what is printed and the exit codes are the same, and all of it is on standard output.

BENCHMARK is made by "smtpipe tool scramble --mode incremental": lines with the expected answers, the line
"` + trace.Separator + `", and the script. SOLVER is a path and not looked up in PATH. Its standard error is
discarded. ` + continueAfterUnknown + `, which the competition always gives, must come first: without it only the answers before
the first expected unknown count. There is no time limit.

Exit codes: 0 the trace is finished, 1 error, 2 a wrong answer, 130 interrupted.`,
		DisableFlagParsing: true, // flags after SOLVER belong to the solver
		RunE:               runTrace,
	}
}

// runTrace implements the command. args are the unparsed arguments.
func runTrace(cmd *cobra.Command, args []string) error {
	defer endsItself()()
	var opt trace.Options
	if len(args) == 1 && (args[0] == "--help" || args[0] == "-h") {
		return cmd.Help()
	}
	out := cmd.OutOrStdout()
	if len(args) > 0 && args[0] == continueAfterUnknown {
		opt.ContinueAfterUnknown = true
		args = args[1:]
	}
	if len(args) < 2 {
		fmt.Fprintf(out, "Usage: %s [%s] SOLVER [SOLVER_OPTIONS] BENCHMARK_WITH_SOLUTIONS\n", cmd.CommandPath(),
			continueAfterUnknown)
		return exit.With(traceError, nil)
	}
	opt.Literal, opt.Log = true, out
	last := len(args) - 1
	return traceSolver(cmd.Context(), args[:last], args[last], out, opt)
}

// traceSolver executes the solver on the named benchmark. Like the official program, which opens the file late, it
// reports the file's errors after the first exchange with the solver.
func traceSolver(ctx context.Context, argv []string, name string, out io.Writer, opt trace.Options) error {
	script, fileErr := readTraceBenchmark(name)
	if fileErr != nil {
		script = &trace.Script{}
	}
	result, err := talkTo(ctx, argv, script, opt, fileErr == nil)
	switch {
	case err != nil:
		fmt.Fprintf(out, "BAD response to set-option command: 'Cannot execute: %s\n'\n", argv[0])
		return exit.With(traceError, nil)
	case result.Ending == trace.Interrupted:
		return exit.ErrInterrupted
	case result.Ending == trace.WrongAnswer:
		return exit.With(traceWrong, nil)
	case result.Ending != trace.Finished:
		return exit.With(traceError, nil)
	case fileErr != nil:
		return reportTraceFile(out, name, fileErr)
	}
	return nil
}

func readTraceBenchmark(name string) (*trace.Script, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return trace.Parse(f)
}

// reportTraceFile prints the official program's message about a benchmark that it cannot use.
func reportTraceFile(out io.Writer, name string, err error) error {
	header, ok := errors.AsType[*trace.HeaderError](err)
	switch {
	case ok:
		fmt.Fprintf(out, "BAD expected result: '%s'\n", header.Line)
		return exit.With(traceError, nil)
	case errors.Is(err, trace.ErrNoSeparator): // the official program crashes here
		return exit.With(traceError, fmt.Errorf("%s: %w", name, err))
	}
	fmt.Fprintf(out, "BAD benchmark (cannot open): '%s'\n", name)
	return exit.With(traceError, nil)
}

// talkTo starts the solver and conducts the dialogue. If the dialogue finished and wait is set, the solver may end by
// itself; otherwise it is killed. Its child processes are always killed. talkTo returns an error if the solver cannot
// be started.
func talkTo(ctx context.Context, argv []string, script *trace.Script, opt trace.Options, wait bool) (trace.Result,
	error) {
	solver := &exec.Cmd{Path: argv[0], Args: argv, SysProcAttr: &syscall.SysProcAttr{Setpgid: true}}
	in, err := solver.StdinPipe()
	if err != nil {
		return trace.Result{}, err
	}
	out, err := solver.StdoutPipe()
	if err != nil {
		return trace.Result{}, err
	}
	if err := solver.Start(); err != nil {
		return trace.Result{}, err
	}
	// Kill the solver's process group, which may have ended.
	endAll := func() { _ = syscall.Kill(-solver.Process.Pid, syscall.SIGKILL) }
	stop := context.AfterFunc(ctx, endAll)
	defer stop()

	result := trace.Execute(ctx, script, in, out, sinceStart(time.Now()), opt)
	_ = in.Close()
	if result.Ending != trace.Finished || !wait {
		endAll()
	}
	drained := make(chan struct{})
	go func() { // drain the output, so that a solver that continues to print can end
		defer close(drained)
		_, _ = io.Copy(io.Discard, out)
	}()
	_ = solver.Wait() // the exit code does not matter to the protocol; Wait also closes out
	<-drained
	endAll() // kill processes that the solver left behind
	if result.Ending == trace.Finished && ctx.Err() != nil {
		result.Ending = trace.Interrupted
	}
	return result, nil
}

// sinceStart is a clock without CPU time, because this command prints no CPU times.
type sinceStart time.Time

func (s sinceStart) WallTime() time.Duration { return time.Since(time.Time(s)) }
func (s sinceStart) CPUTime() time.Duration  { return 0 }
