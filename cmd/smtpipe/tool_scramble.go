package main

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/cmd/smtpipe/scrambling"
	"github.com/smtpipe/smtpipe/internal/scramble"
)

// scrambleFlags are the flags of "tool scramble" as given.
type scrambleFlags struct {
	scrambling.Flags
	countAsserts bool
	outputDir    string
}

func newToolScrambleCommand() *cobra.Command {
	flags := scrambleFlags{Flags: scrambling.Default()}
	cmd := &cobra.Command{
		Use:   "scramble [FILE] | scramble --output-dir DIR FILE...",
		Short: "Scramble a benchmark, byte for byte as the competition's scrambler does",
		Long: `scramble reads a benchmark from FILE, or from standard input without FILE or with "-", renames what it declares,
reorders what may be reordered, and prints it in the form that a track of the competition wants. Equal input, seed and
mode give equal bytes, and the same as the official scrambler's.

A mode implies the options with which the competition calls the official program: annotations "pattern", and for
incremental the header with the expected statuses that "smtpipe tool trace" reads (--no-header leaves it out). Seed 0
only prints the benchmark in that form and scrambles nothing.

With --output-dir any number of files are scrambled in parallel, each into a file of the same path below DIR.

An input that the official scrambler refuses is refused with its message and exit code 1. What had been printed before
is then on standard output and must not be used. docs/scrambler.md tells how the options correspond, and lists the inputs
on which the official program's behaviour is not defined.

` + exitCodesHelp,
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
	f.Int64Var(&flags.Seed, "seed", flags.Seed, "seed from 0 to 2147483647; 0 scrambles nothing")
	f.StringVar(&flags.Mode, "mode", flags.Mode, "single_query, incremental, unsat_core, model_validation, proof or parallel")
	f.StringVar(&flags.Annotations, "annotations", flags.Annotations, "annotations of terms to keep: all, pattern or none")
	f.StringSliceVar(&flags.Extensions, "extensions", nil, "also accept z3 (its attributes) and non_smtcomp (reset and all options)")
	f.StringVar(&flags.Core, "core", "", "keep only the assertions named in this file: what a solver printed for get-unsat-core, with unsat in front")
	f.BoolVar(&flags.NoHeader, "no-header", false, "in the incremental mode, leave out the header with the statuses")
	f.StringVar(&flags.outputDir, "output-dir", "", "scramble all files into this folder")
	f.BoolVar(&flags.countAsserts, "count-asserts", false, "only count assertions; the number goes to standard error")
	return cmd
}

func runScramble(cmd *cobra.Command, args []string, flags scrambleFlags) error {
	if err := scrambling.Tried(); err != nil {
		return err
	}
	opt, err := flags.Options()
	if usage, ok := errors.AsType[*scrambling.UsageError](err); ok {
		return withExit(exitUsage, usage)
	}
	if err != nil {
		return reportRejection(cmd.ErrOrStderr(), err)
	}
	if flags.outputDir != "" {
		if flags.countAsserts {
			return withExit(exitUsage, errors.New("--output-dir and --count-asserts exclude each other"))
		}
		return scrambleBatch(cmd.Context(), args, flags.outputDir, opt, cmd.ErrOrStderr())
	}
	file := "-"
	if len(args) > 0 {
		file = args[0]
	}
	src, mapped := mapFile(file)
	if !mapped {
		if src, err = scrambling.ReadSource(cmd.InOrStdin(), file); err != nil {
			return err
		}
	}
	if flags.countAsserts {
		return countAsserts(cmd, src, opt)
	}
	return reportRejection(cmd.ErrOrStderr(), printScrambled(cmd.OutOrStdout(), src, opt))
}

// lowMemoryPercent is by how much the heap grows for a large benchmark before garbage is collected. The scrambler's memory
// has no pointers and is cheap to collect.
const lowMemoryPercent = 10

func printScrambled(w io.Writer, src []byte, opt scramble.Options) error {
	if len(src) > scrambling.ShortInput {
		debug.SetGCPercent(lowMemoryPercent)
	}
	return guardMapped(func() error {
		var s scramble.Scrambler
		return s.WriteTo(w, src, opt)
	})
}

// guardMapped makes an error of what happens when a mapped file becomes shorter.
func guardMapped(work func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		r := recover()
		if _, fault := r.(interface{ Addr() uintptr }); fault {
			err = errors.New("the benchmark became shorter while it was read")
		} else if r != nil {
			panic(r)
		}
	}()
	return work()
}

func countAsserts(cmd *cobra.Command, src []byte, opt scramble.Options) error {
	var header []byte
	var count int
	err := guardMapped(func() (err error) {
		var s scramble.Scrambler
		header, count, err = s.Count(nil, src, opt)
		return err
	})
	if _, err := cmd.OutOrStdout().Write(header); err != nil {
		return err
	}
	if err != nil {
		return reportRejection(cmd.ErrOrStderr(), err)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "; Number of assertions: %d\n", count)
	return nil
}

// reportRejection prints a rejection and gives the error with its exit code. Other errors it hands back.
func reportRejection(stderr io.Writer, err error) error {
	if rejection, ok := scrambling.Report(stderr, err); ok {
		return withExit(rejection.Exit, nil)
	}
	return err
}
