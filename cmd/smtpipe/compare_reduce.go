package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/nearest"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/contest/compare"
	"github.com/smtpipe/smtpipe/internal/lang/builds"
)

// ask reports, through its exit code, whether the only benchmark reproduces a finding.
func (f *compareFlags) ask(cmd *cobra.Command, m *builds.Lab, pair [2]*builds.Build, all []compare.Benchmark) error {
	q, err := compare.ParseQuestion(f.still)
	if err != nil {
		return exit.With(exit.Usage, fmt.Errorf("--still: %w", err))
	}
	if len(all) != 1 {
		return exit.With(exit.Usage, fmt.Errorf("--still takes one benchmark, but %s has %d", f.benchmarks,
			len(all)))
	}
	m.Forget = true
	a, b := pair[0].Seeded(f.seedOption, f.solverSeed), pair[1].Seeded(f.seedOption, f.solverSeed)
	found, err := m.Measure(cmd.Context(), a, b, all)
	if err != nil {
		return asked(cmd, err)
	}
	if !q.Shows(found.Pairs[0]) {
		return exit.With(exit.Error, nil)
	}
	return nil
}

// reduce shrinks a finding's script with a reducer.
func (f *compareFlags) reduce(cmd *cobra.Command, m *builds.Lab, pair [2]*builds.Build, lib *builds.Library,
	args []string,
) error {
	i := slices.IndexFunc(lib.All, func(b compare.Benchmark) bool { return b.Path == f.reduced })
	if i < 0 {
		var paths []string
		for _, b := range lib.All {
			paths = append(paths, b.Path)
		}
		return exit.With(exit.Usage, fmt.Errorf("%s has no benchmark %s.%s", f.benchmarks, f.reduced,
			nearest.Question(f.reduced, paths)))
	}
	one := lib.All[i : i+1]
	var err error
	if m.Places, err = lib.Place(m.Store, one); err != nil {
		return err
	}
	found, err := m.Measure(cmd.Context(), pair[0], pair[1], one)
	if err != nil {
		return asked(cmd, err)
	}
	var q compare.Question
	var of compare.Pair
	for i, p := range found.Pairs { // the first seed that shows the finding
		if q, err = compare.Ask(p); err == nil || i == 0 {
			of = p
		}
		if err == nil {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.reduced, err)
	}
	script := m.Places[of.Benchmark.ID()]
	question, err := f.question(cmd, args, q, of.Benchmark.Seed)
	if err != nil {
		return err
	}
	ddsmt, err := exec.LookPath("ddsmt")
	if err != nil {
		return fmt.Errorf("ddsmt is not installed (pip install ddsmt). Any other reducer may shrink %s, too; it appends the "+
			"script to this command, which exits with 0 as long as the finding shows (%s):\n%s", script, q,
			words.ShellLine(question))
	}
	if err := f.shrink(cmd, ddsmt, script, question); err != nil {
		return err
	}
	return f.told(cmd, script, question)
}

// asking holds a question's flags that select what is executed.
var asking = []string{"command", "archive", "store", "wall", "memory", "cores", "isolation", "image", "executor",
	"pipeline",
	"var", "seed-option", "repository", "build", "program", "build-time", "build-memory"}

// question returns the command that tests whether a finding still occurs with the script appended as its last argument.
func (f *compareFlags) question(cmd *cobra.Command, args []string, q compare.Question, seed int64) ([]string, error) {
	own, err := exec.LookPath(os.Args[0])
	if err == nil {
		own, err = filepath.Abs(own)
	}
	if err != nil {
		return nil, err
	}
	words := append([]string{own, "compare"}, args...)
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		switch list, ok := flag.Value.(pflag.SliceValue); {
		case !slices.Contains(asking, flag.Name):
		case ok:
			for _, v := range list.GetSlice() {
				words = append(words, "--"+flag.Name+"="+v)
			}
		default:
			words = append(words, "--"+flag.Name+"="+flag.Value.String())
		}
	})
	if f.seedOption != "" {
		words = append(words, fmt.Sprintf("--solver-seed=%d", seed))
	}
	return append(words, "--progress=none", "--still="+q.String(), "--benchmarks"), nil
}

// shrink executes ddsmt.
func (f *compareFlags) shrink(cmd *cobra.Command, ddsmt, script string, question []string) error {
	if f.witness == "" {
		f.witness = strings.TrimSuffix(path.Base(f.reduced), ".smt2") + ".small.smt2"
	}
	if _, err := os.Stat(f.witness); !errors.Is(err, fs.ErrNotExist) {
		return exit.With(exit.Usage, fmt.Errorf("%s already exists; name another file with --witness", f.witness))
	}
	// Give ddsmt a small script, because it copies the program that it calls.
	asker, err := os.CreateTemp("", "smtpipe-question-*.sh")
	if err != nil {
		return err
	}
	defer os.Remove(asker.Name())
	_, err = fmt.Fprintf(asker, "#!/bin/sh\nexec %s \"$1\"\n", words.ShellLine(question))
	if err := errors.Join(err, asker.Chmod(0o700), asker.Close()); err != nil {
		return err
	}
	const machinery = 30 * time.Second // overhead of a question, in addition to its two runs
	limit := 2*f.limits.WallTime + machinery
	c := exec.CommandContext(cmd.Context(), ddsmt, "--ignore-output", "--timeout", fmt.Sprint(int(limit.Seconds())),
		script,
		f.witness, asker.Name())
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) } // ddsmt also interrupts the question
	c.WaitDelay = limit
	c.Stdout, c.Stderr = cmd.ErrOrStderr(), cmd.ErrOrStderr()
	if err := c.Run(); err != nil {
		if cmd.Context().Err() != nil {
			return exit.With(exit.Interrupted,
				fmt.Errorf("interrupted; the smallest script so far is %s, if there is one",
					f.witness))
		}
		return fmt.Errorf("ddsmt: %w", err)
	}
	return nil
}

// told asks the question once more and reports the reduced script.
func (f *compareFlags) told(cmd *cobra.Command, script string, question []string) error {
	before, err := os.Stat(script)
	if err != nil {
		return err
	}
	after, err := os.Stat(f.witness)
	if err != nil {
		return fmt.Errorf("ddsmt did not make %s smaller: %w", script, err)
	}
	again := append(slices.Clone(question), f.witness)
	if err := exec.CommandContext(cmd.Context(), again[0], again[1:]...).Run(); err != nil {
		return fmt.Errorf("the finding does not show in %s when it is asked for once more (%w), so it depends on chance; ask "+
			"again:\n%s", f.witness, err, words.ShellLine(again))
	}
	fmt.Fprintf(cmd.OutOrStdout(),
		"%s shows the finding in %d bytes; it had %d. Ask again, with exit code 0 as long as it "+
			"shows:\n%s\n", f.witness, after.Size(), before.Size(), words.ShellLine(again))
	return nil
}
