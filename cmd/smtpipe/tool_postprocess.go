package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/smt/validate"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model"
)

// postprocessVersion is the ucpp-version that "tool postprocess" prints. It is incremented when equal input may produce
// different pairs.
const postprocessVersion = "smtpipe-2"

// postprocessFlags are the flags of "tool postprocess".
type postprocessFlags struct {
	track, benchmark, status, checker string
	validators                        []string
	limit                             time.Duration
}

func newToolPostprocessCommand() *cobra.Command {
	var f postprocessFlags
	cmd := &cobra.Command{
		Use:   "postprocess --track T OUTPUT",
		Short: "Print what the output of a run means, as key=value lines",
		Long: `postprocess reads the captured standard output of a run (a file, or - for standard input) and prints the key=value
lines that the post-processor of the track prints. The lines of OUTPUT may carry StarExec's time stamps. docs/write/tracks.md
has the keys of each track.

unsat_core needs --benchmark, the script as the solver got it. Each --validator is a solver that is asked about the
reduced script, whose path is its last argument; without one every core is accepted.

model_validation needs --benchmark. The model is checked as by "smtpipe tool check-model", or by --checker, a program that
gets the benchmark's path as its last argument and the answer and model on standard input, and prints errors as
"dolmen --report-style=minimal" does: E:bad-model for an invalid model, E:timeout or E:spaceout at its own limit. A
checker that prints no such line exits with 0 for a valid model, 5 for an invalid one, 2 at its own limit. Commands are
split at blanks; no shell reads them.

` + exit.Help,
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runPostprocess(cmd, f, args[0])
		},
	}
	cmd.Flags().StringVar(&f.track, "track", "", "track of the run, as single_query (required)")
	cmd.Flags().StringVar(&f.benchmark, "benchmark", "", "script as the solver got it")
	cmd.Flags().StringVar(&f.status, "status", "", "known status of the benchmark; adds a line verdict=correct, "+
		"wrong or unknown")
	cmd.Flags().StringVar(&f.checker, "checker", "", "command of another model checker")
	cmd.Flags().StringArrayVar(&f.validators, "validator", nil,
		"validation solver for unsat cores, as NAME=COMMAND (repeatable, in this order)")
	cmd.Flags().DurationVar(&f.limit, "validator-time", 2*time.Minute, "wall time limit of each validator")
	return cmd
}

func runPostprocess(cmd *cobra.Command, f postprocessFlags, output string) error {
	if f.track == "" {
		return exit.With(exit.Usage, fmt.Errorf("--track is required: one of %v", comp.Tracks()))
	}
	track, err := comp.ParseTrack(f.track)
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	if f.limit <= 0 {
		return exit.With(exit.Usage, fmt.Errorf("--validator-time %v is not above 0", f.limit))
	}
	var asking error // error of the checker or of a validator
	in, err := f.input(cmd.Context(), track, &asking)
	if err != nil {
		return err
	}
	text, err := readInput(cmd.InOrStdin(), output)
	if err != nil {
		return err
	}
	kvs := validate.Postprocess(track, text, in)
	if asking != nil {
		return asking
	}
	if f.status != "" {
		verdict, err := answerVerdict(track, f.status, text)
		if err != nil {
			return exit.With(exit.Usage, err)
		}
		kvs = append(kvs, validate.KV{Key: "verdict", Value: string(verdict)})
	}
	var b strings.Builder
	for _, kv := range kvs {
		b.WriteString(kv.String() + "\n")
	}
	_, err = io.WriteString(cmd.OutOrStdout(), b.String())
	return err
}

// answerVerdict judges the answer in tracks that judge only answers.
func answerVerdict(track comp.Track, known string, text []byte) (comp.Verdict, error) {
	status, err := comp.ParseStatus(known)
	if err != nil {
		return "", fmt.Errorf("--status: %w", err)
	}
	switch track {
	case comp.SingleQuery, comp.Parallel, comp.Cloud, comp.IndustryChallenge:
		return validate.Answer(track, validate.Unstamp(text), nil, validate.Run{}).Verdict(status), nil
	}
	return "", fmt.Errorf("--status does not decide the verdict in the track %v; leave it out", track)
}

// input reads the script and prepares the checker and the validators that the track needs. It stores errors from asking
// them in asking.
func (f postprocessFlags) input(ctx context.Context, track comp.Track, asking *error) (validate.PostInput, error) {
	in := validate.PostInput{Version: postprocessVersion}
	if f.checker != "" && track != comp.ModelValidation {
		return in, exit.With(exit.Usage, errors.New("--checker is for --track model_validation; leave it out"))
	}
	if len(f.validators) > 0 && track != comp.UnsatCore {
		return in, exit.With(exit.Usage, errors.New("--validator is for --track unsat_core; leave it out"))
	}
	if track != comp.UnsatCore && track != comp.ModelValidation {
		return in, nil
	}
	if f.benchmark == "" {
		return in, exit.With(exit.Usage, fmt.Errorf("--track %v needs --benchmark, the script as the solver got it",
			track))
	}
	var err error
	if in.Script, err = os.ReadFile(f.benchmark); err != nil {
		return in, err
	}
	if track == comp.ModelValidation {
		in.CheckModel = func(response []byte) validate.ModelCheck { return ownModelCheck(ctx, in.Script, response) }
		if argv := strings.Fields(f.checker); len(argv) > 0 {
			in.CheckModel = func(response []byte) validate.ModelCheck {
				check, err := checkModel(ctx, argv, f.benchmark, response)
				*asking = err
				return check
			}
		}
		return in, nil
	}
	solvers := make([]namedCommand, len(f.validators))
	for i, v := range f.validators {
		name, command, found := strings.Cut(v, "=")
		argv := strings.Fields(command)
		if !found || name == "" || len(argv) == 0 {
			return in, exit.With(exit.Usage, fmt.Errorf("--validator %q must be NAME=COMMAND", v))
		}
		solvers[i] = namedCommand{name, argv}
	}
	in.ValidateCore = func(reduced []byte) []validate.Vote {
		all, err := votes(ctx, solvers, reduced, f.limit)
		*asking = err
		return all
	}
	return in, nil
}

// namedCommand is a validation solver.
type namedCommand struct {
	name string
	argv []string
}

// votes asks the validation solvers about a script, one after another.
func votes(ctx context.Context, solvers []namedCommand, reduced []byte, limit time.Duration) ([]validate.Vote, error) {
	folder, err := os.MkdirTemp("", "smtpipe-core-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	script := filepath.Join(folder, "core.smt2")
	if err := os.WriteFile(script, reduced, 0o600); err != nil {
		return nil, err
	}
	all := make([]validate.Vote, len(solvers))
	for i, s := range solvers {
		started := time.Now()
		out, err := outputOf(ctx, append(s.argv[:len(s.argv):len(s.argv)], script), limit)
		if err != nil {
			return nil, fmt.Errorf("validation solver %s: %w", s.name, err)
		}
		all[i] = validate.Vote{
			Solver:  s.name,
			Answer:  validate.FirstLineAnswer(out),
			Seconds: int(time.Since(started).Seconds()),
		}
	}
	return all, nil
}

// outputOf returns a command's standard output until it ends or its time runs out, whatever its exit status. It returns
// an error only if the command could not be started.
func outputOf(ctx context.Context, argv []string, limit time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdout = &out
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	_ = cmd.Wait() // a failing solver has either no answer or has already printed it
	return out.Bytes(), nil
}

// ownModelCheck checks a model in this process and returns the result in the official checker's form.
func ownModelCheck(ctx context.Context, script, response []byte) validate.ModelCheck {
	r := model.Check(ctx, script, response, model.Options{})
	message := fmt.Sprintf("E:%s %s", r.Kind, r.Reason)
	switch {
	case r.Verdict == model.Valid:
		return validate.ModelCheck{Verdict: validate.ModelValid}
	case r.Verdict == model.Invalid:
		return validate.ModelCheck{Verdict: validate.ModelInvalid, Exit: 5, Error: message}
	case r.Kind == model.LimitReached:
		return validate.ModelCheck{Verdict: validate.ModelLimit, Exit: 2, Error: message}
	}
	return validate.ModelCheck{Verdict: validate.ModelUnknown, Exit: 1, Error: message}
}

// checkModel executes a model checker on a response.
func checkModel(ctx context.Context, argv []string, benchmark string, response []byte) (validate.ModelCheck, error) {
	cmd := exec.CommandContext(ctx, argv[0], append(argv[1:len(argv):len(argv)], benchmark)...)
	cmd.Stdin = bytes.NewReader(response)
	out, err := cmd.CombinedOutput()
	exit, ran := errors.AsType[*exec.ExitError](err)
	if err != nil && !ran {
		return validate.ModelCheck{}, fmt.Errorf("model checker: %w", err)
	}
	code := 0
	if ran {
		code = exit.ExitCode()
	}
	return validate.DolmenCheck(code, out), nil
}
