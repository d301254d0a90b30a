package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/local"
	"github.com/smtpipe/smtpipe/internal/smt/validate"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model"
	stage "github.com/smtpipe/smtpipe/internal/stages/validate"
)

// checkModelFlags are the flags of smtpipe tool check-model.
type checkModelFlags struct {
	rules                      string
	limit, secondLimit         time.Duration
	complete, script, warnings bool
	arrays                     bool
	second, secondForm         string
	secondMemory, isolation    string
}

// newToolCheckModelCommand returns the model validator, which judges a solver's answer and model for a benchmark.
func newToolCheckModelCommand() *cobra.Command {
	var f checkModelFlags
	cmd := &cobra.Command{
		Use:   "check-model BENCHMARK RESPONSE",
		Short: "Decide whether a model satisfies a benchmark",
		Long: `check-model reads a benchmark and a solver's response to it (the answer, then the model; - is standard input) and prints
VALID, INVALID or UNKNOWN on the first line and the reason, with its place, on the second. For an assertion that is false the
atoms that make it false follow, each with the values of its terms. Warnings go to stderr.

The verdicts are those of the rules (SMT-COMP 2026, 5.5): INVALID for unsat and for models that make an assertion false,
UNKNOWN for everything that is not a full, well-formed model, and for what is not evaluated. Under the rules of 2019 a
malformed or partial model is INVALID.

With --warnings it also shows, on stderr, where the benchmark leaves its logic.

With --second-opinion it asks another program, isolated like a solver, and prints its opinion on the last line. A solver gets
the benchmark with the model's definitions put in as its last argument: if it is right, it answers sat for a VALID model and
unsat for one that makes an assertion false. --print-script prints that script instead. In the form dolmen the program gets
the benchmark as its last argument and the response on standard input, and its exit code counts: 0 VALID, 5 INVALID, 2 a
limit, others UNKNOWN. Commands are split at blanks; no shell reads them.

Exit codes: 0 VALID, 3 INVALID, 4 UNKNOWN, 1 a file cannot be read or the second opinion differs, 2 usage, 130 interrupted.`,
		Example: `  smtpipe tool check-model --second-opinion "z3 -T:60" benchmark.smt2 response.txt
  smtpipe tool check-model --second-opinion "dolmen --strict=false --check-model=true --report-style=minimal" \
    --second-opinion-form dolmen benchmark.smt2 response.txt`,
		Args: usageArgs(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	fl := cmd.Flags()
	addRulesFlag(fl, &f.rules)
	fl.DurationVar(&f.limit, "time-limit", 15*time.Minute, "UNKNOWN after this time; 0 means no limit")
	fl.BoolVar(&f.complete, "complete-partial", false,
		"choose values for partial functions that the model does not define")
	fl.BoolVar(&f.arrays, "abstract-arrays", false, "accept abstract array values such as (as @a (Array Int Int))")
	fl.BoolVar(&f.script, "print-script", false, "print the benchmark with the definitions put in, for a solver")
	fl.BoolVar(&f.warnings, "warnings", false, "show where the benchmark leaves its logic")
	fl.StringVar(&f.second, "second-opinion", "", "another program to ask, with its arguments, such as \"z3 -T:60\"")
	fl.StringVar(&f.secondForm, "second-opinion-form", string(validate.OpinionOfSolver),
		"how it is asked: solver or dolmen")
	fl.DurationVar(&f.secondLimit, "second-opinion-time", time.Minute, "wall time of the second opinion")
	fl.StringVar(&f.secondMemory, "second-opinion-memory", "4GB", "memory of the second opinion")
	fl.StringVar(&f.isolation, "isolation", string(runner.BestEffort),
		"isolation of the second opinion: full, cgroup, namespaces, none or best_effort")
	return cmd
}

func (f *checkModelFlags) run(cmd *cobra.Command, args []string) error {
	if args[0] == "-" && args[1] == "-" {
		return exit.With(exit.Usage, errors.New("only one of benchmark and response can be standard input"))
	}
	if f.limit < 0 || f.secondLimit <= 0 {
		return exit.With(exit.Usage, errors.New("--time-limit must be at least 0, and --second-opinion-time above 0"))
	}
	var asker *stage.Asker
	if f.second != "" {
		var err error
		if asker, err = f.asker(); err != nil {
			return exit.With(exit.Usage, err)
		}
	}
	benchmark, err := readInput(cmd.InOrStdin(), args[0])
	if err != nil {
		return err
	}
	response, err := readInput(cmd.InOrStdin(), args[1])
	if err != nil {
		return err
	}
	if f.script {
		text, err := model.Substituted(benchmark, response)
		if err != nil {
			return err
		}
		_, err = cmd.OutOrStdout().Write(text)
		return err
	}
	if f.warnings {
		f.lint(cmd, benchmark)
	}
	r, err := f.check(cmd, benchmark, response)
	if err != nil {
		return err
	}
	fmt.Fprintf(inert{cmd.OutOrStdout()}, "%s\n%s\n", r.Verdict, r.Reason)
	printAtoms(inert{cmd.OutOrStdout()}, r.Atoms)
	if asker != nil {
		if err := f.ask(cmd, asker, benchmark, response, &r); err != nil {
			return err
		}
	}
	switch r.Verdict {
	case model.Invalid:
		return exit.With(exit.Differs, nil)
	case model.Unknown:
		return exit.With(exit.CannotVerify, nil)
	}
	return nil
}

// check returns smtpipe's verdict.
func (f *checkModelFlags) check(cmd *cobra.Command, benchmark, response []byte) (model.Result, error) {
	year, err := project.LoadRules(cmd.ErrOrStderr(), f.rules)
	if err != nil {
		return model.Result{}, err
	}
	ctx := cmd.Context()
	if f.limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.limit)
		defer cancel()
	}
	// Nearly all memory holds a parsed script that lives to the end. Collecting garbage earlier costs little and keeps
	// the peak low.
	defer debug.SetGCPercent(debug.SetGCPercent(40))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(int64(model.Memory(len(benchmark)+len(response)) / 100 * 95)))
	r := model.Check(ctx, benchmark, response, model.Options{
		PartialIsInvalid: year.Validation.PartialModelIsWrong,
		DeclaredOnly:     year.Validation.ModelDefinesDeclared,
		CompletePartial:  f.complete,
		AbstractArrays:   f.arrays,
	})
	for _, w := range r.Warnings {
		fmt.Fprintf(inert{cmd.ErrOrStderr()}, "Warning: %s\n", w)
	}
	if errors.Is(cmd.Context().Err(), context.Canceled) {
		return r, exit.ErrInterrupted
	}
	return r, nil
}

// printAtoms explains why an assertion is false: it prints the assertion's atoms with the values of their terms.
func printAtoms(w io.Writer, atoms []model.Atom) {
	for _, a := range atoms {
		fmt.Fprintf(w, "  %v: %s is %t\n", a.Position, a.Text, a.True)
		for _, t := range a.Terms {
			fmt.Fprintf(w, "    %s = %s\n", t.Text, t.Value)
		}
	}
}

// lint prints warnings about the benchmark. The verdict includes its errors.
func (f *checkModelFlags) lint(cmd *cobra.Command, benchmark []byte) {
	_, warnings, err := model.Lint(cmd.Context(), benchmark)
	if err != nil {
		return
	}
	for _, w := range warnings {
		fmt.Fprintf(inert{cmd.ErrOrStderr()}, "Warning: benchmark %v\n", w)
	}
}

// ask prints the second opinion. It returns an error if the opinion differs.
func (f *checkModelFlags) ask(cmd *cobra.Command, asker *stage.Asker, benchmark, response []byte,
	r *model.Result) error {
	x, err := local.Open(worker.Header{Isolation: runner.Isolation(f.isolation), Jobs: 1}, runner.Config{})
	if err != nil {
		return err
	}
	o, err := asker.Ask(cmd.Context(), x, benchmark, validate.ModelResponse(response))
	if err := errors.Join(err, x.Close()); err != nil {
		if cmd.Context().Err() != nil {
			return exit.ErrInterrupted
		}
		return err
	}
	fmt.Fprintf(inert{cmd.OutOrStdout()}, "second opinion: %v\n", o)
	if validate.Disagrees(validate.ModelVerdict(r.Verdict), r.Kind == model.OpenValue, asker.Form, o) {
		return exit.With(exit.Error, fmt.Errorf("the second opinion differs: %s says %v, where the verdict is %s",
			f.second, o, r.Verdict))
	}
	return nil
}

// asker reads the second opinion's flags.
func (f *checkModelFlags) asker() (*stage.Asker, error) {
	form, err := validate.ParseOpinionForm(f.secondForm)
	if err != nil {
		return nil, fmt.Errorf("--second-opinion-form: %w", err)
	}
	if _, err := runner.ParseIsolation(f.isolation); err != nil {
		return nil, fmt.Errorf("--isolation: %w", err)
	}
	memory, err := runner.ParseBytes(f.secondMemory)
	if err != nil {
		return nil, fmt.Errorf("--second-opinion-memory: %w", err)
	}
	words := strings.Fields(f.second)
	if len(words) == 0 {
		return nil, errors.New("--second-opinion: the command is empty")
	}
	path, err := exec.LookPath(words[0])
	if err != nil {
		return nil, fmt.Errorf("--second-opinion: there is no program %s", words[0])
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	limits := comp.Limits{WallTime: f.secondLimit, MemoryBytes: memory, Cores: 1, OutputBytes: 1 << 16, Processes: 256}
	return &stage.Asker{Form: form, Program: path, Args: words[1:], Limits: limits}, nil
}

// readInput reads a file, or stdin if it is "-".
func readInput(stdin io.Reader, path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(stdin)
	}
	return os.ReadFile(path)
}
