package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/smt/scramble"
)

// scrambleFlags are the flags of "tool scramble" before parsing.
type scrambleFlags struct {
	seed         int64
	mode         string
	annotations  string
	extensions   []string
	core         string // path of a file, or "" for no core
	noHeader     bool
	countAsserts bool
	outputDir    string
	number       numberFlags
}

func newToolScrambleCommand() *cobra.Command {
	flags := scrambleFlags{mode: comp.SingleQuery.String(), annotations: "pattern"}
	cmd := &cobra.Command{
		Use:   "scramble [FILE] | scramble --output-dir DIR FILE...",
		Short: "Scramble a benchmark, byte for byte as the competition's scrambler does",
		Long: `scramble reads a benchmark from FILE, or from standard input without FILE or with "-", renames what it declares,
reorders what may be reordered, and prints it in the form that a track of the competition wants. Equal input, seed and
mode give equal bytes, and the same as the official scrambler's.

A mode implies the options with which the competition calls the official program: annotations "pattern", and for
incremental the header with the expected statuses that "smtpipe tool trace" reads (--no-header leaves it out). Seed 0
only prints the benchmark in that form and scrambles nothing.

With --output-dir any number of files are scrambled in parallel, each into a file of the same path below DIR. With --number
their names are the numbers that the organisers' tool gives, as other executors of the competition expect them:
docs/write/selection.md says how.

An input that the official scrambler refuses is refused with its message and exit code 1. What had been printed before
is then on standard output and must not be used. docs/tools/scrambler.md tells how the options correspond, and lists the inputs
on which the official program's behaviour is not defined.

` + exit.Help,
		Example: `  smtpipe tool scramble --seed 2026 benchmark.smt2 > scrambled.smt2
  smtpipe tool scramble --seed 2026 --mode incremental trace.smt2 > scrambled.smt2
  smtpipe tool scramble --annotations none --core core.txt benchmark.smt2 > reduced.smt2`,
		Args: usageArgs(func(cmd *cobra.Command, args []string) error {
			if flags.outputDir != "" {
				return cobra.MinimumNArgs(1)(cmd, args)
			}
			return cobra.MaximumNArgs(1)(cmd, args)
		}),
		RunE: func(cmd *cobra.Command, args []string) error { return runScramble(cmd, args, flags) },
	}
	f := cmd.Flags()
	f.Int64Var(&flags.seed, "seed", flags.seed, "seed from 0 to 2147483647; 0 scrambles nothing")
	f.StringVar(&flags.mode, "mode", flags.mode, "single_query, incremental, unsat_core, model_validation, proof or "+
		"parallel")
	f.StringVar(&flags.annotations, "annotations", flags.annotations,
		"annotations of terms to keep: all, pattern or none")
	f.StringSliceVar(&flags.extensions, "extensions", nil,
		"also accept z3 (its attributes) and non_smtcomp (reset and all options)")
	f.StringVar(&flags.core, "core", "", "keep only the assertions named in this file: what a solver printed for "+
		"get-unsat-core, with unsat in front")
	f.BoolVar(&flags.noHeader, "no-header", false, "in the incremental mode, leave out the header with the statuses")
	f.StringVar(&flags.outputDir, "output-dir", "", "scramble all files into this folder")
	flags.number.register(cmd)
	f.BoolVar(&flags.countAsserts, "count-asserts", false, "only count assertions; the number goes to standard error")
	return cmd
}

func runScramble(cmd *cobra.Command, args []string, flags scrambleFlags) error {
	opt, err := flags.options()
	if err != nil {
		return reportRejection(cmd.ErrOrStderr(), err)
	}
	numbers, err := flags.number.read(&flags)
	if err != nil {
		return err
	}
	if flags.outputDir != "" {
		if flags.countAsserts {
			return exit.With(exit.Usage, errors.New("--output-dir and --count-asserts exclude each other"))
		}
		return scrambleBatch(cmd.Context(), args, flags.outputDir, opt, numbers, cmd.ErrOrStderr())
	}
	file := "-"
	if len(args) > 0 {
		file = args[0]
	}
	src, err := scramble.OpenBenchmark(cmd.InOrStdin(), file)
	if err != nil {
		return err
	}
	defer src.Close()
	if len(src.Text) > largeInput {
		debug.SetGCPercent(lowMemoryPercent)
	}
	s := &scramble.Scrambler{Release: src.Release}
	return reportRejection(cmd.ErrOrStderr(), scramble.CatchFault(func() error {
		if flags.countAsserts {
			return countAsserts(cmd, s, src.Text, opt)
		}
		return s.WriteTo(cmd.OutOrStdout(), src.Text, opt)
	}))
}

// For a benchmark larger than largeInput bytes, garbage is collected when the heap has grown by lowMemoryPercent. The
// scrambler's memory contains no pointers, so collecting it is cheap.
const (
	largeInput       = 4 << 20
	lowMemoryPercent = 10
)

// options parses the flags and reads the core.
func (f *scrambleFlags) options() (scramble.Options, error) {
	mode, err := comp.ParseTrack(f.mode)
	if err != nil {
		return scramble.Options{}, exit.With(exit.Usage, fmt.Errorf("--mode: %w", err))
	}
	if f.seed < 0 || f.seed > scramble.MaxSeed {
		err := fmt.Errorf("--seed: %d is out of range; it must be between 0 and %d", f.seed, scramble.MaxSeed)
		return scramble.Options{}, exit.With(exit.Usage, err)
	}
	opt := scramble.ForTrack(mode, f.seed)
	opt.StatusHeader = opt.StatusHeader && !f.noHeader
	if opt.Annotations, err = scramble.ParseAnnotations(f.annotations); err != nil {
		return opt, exit.With(exit.Usage, fmt.Errorf("--annotations: %w", err))
	}
	for _, e := range f.extensions {
		switch e {
		case "z3":
			opt.Z3 = true
		case "non_smtcomp":
			opt.NonSMTCOMP = true
		default:
			err := fmt.Errorf("--extensions: unknown extension %q; it must be z3 or non_smtcomp", e)
			return opt, exit.With(exit.Usage, err)
		}
	}
	if f.core != "" {
		text, err := os.ReadFile(f.core)
		if err != nil {
			return opt, fmt.Errorf("read the core: %w", err)
		}
		opt.Core, err = scramble.ParseCore(text, f.core)
		return opt, err
	}
	return opt, nil
}

func countAsserts(cmd *cobra.Command, s *scramble.Scrambler, src []byte, opt scramble.Options) error {
	header, count, err := s.Count(nil, src, opt)
	if _, err := cmd.OutOrStdout().Write(header); err != nil {
		return err
	}
	if err == nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "; Number of assertions: %d\n", count)
	}
	return err
}

// reportRejection prints a rejection like the official program, adds a second line with position and reason, and
// returns the error with its exit code. It returns other errors unchanged.
func reportRejection(stderr io.Writer, err error) error {
	rejection, ok := errors.AsType[*scramble.Rejection](err)
	if !ok {
		return err
	}
	hint := rejection.Detail
	if rejection.Position.Line > 0 {
		hint = rejection.Position.String() + ": " + hint
	}
	fmt.Fprintf(stderr, "%s\nHint: %s\n", rejection.Message, hint)
	return exit.With(rejection.Exit, nil)
}
