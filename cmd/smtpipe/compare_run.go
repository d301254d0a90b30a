package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/compare"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/lang/builds"
	"github.com/smtpipe/smtpipe/internal/smt/scramble"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/fanout"
	"github.com/smtpipe/smtpipe/internal/ui"
)

func (f *compareFlags) execute(cmd *cobra.Command, args []string) (err error) {
	if err := f.check(); err != nil {
		return exit.With(exit.Usage, err)
	}
	m, lib, done, err := f.lab(cmd)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	finder := builds.Finder{Store: m.Store, Command: f.command, Archives: f.archives}
	var pair [2]*builds.Build
	for i, name := range args {
		if f.from.Path != "" {
			pair[i], err = finder.Commit(cmd.Context(), m.Items, f.from, name)
		} else {
			pair[i], err = finder.Find(cmd.Context(), name)
		}
		if err != nil {
			return asked(cmd, err)
		}
	}
	if a, b, ok := strings.Cut(f.names, ","); ok {
		pair[0].Rename(a)
		pair[1].Rename(b)
	}
	a, b := pair[0].Command("", f.limits), pair[1].Command("", f.limits)
	if pair[0].Digest == pair[1].Digest && slices.Equal(a.Argv, b.Argv) && slices.Equal(a.Env, b.Env) {
		fmt.Fprintf(cmd.ErrOrStderr(), "Note: %s and %s are the same program with the same arguments, so all that differs "+
			"is noise. Name the older build first and the newer one second.\n", args[0], args[1])
	}
	if f.reduced != "" {
		return f.reduce(cmd, m, pair, lib, args)
	}
	sample := compare.Sample(lib.All, f.sample, f.seed)
	if m.Places, err = lib.Place(m.Store, sample); err != nil {
		return err
	}
	if f.still != "" {
		return f.ask(cmd, m, pair, sample)
	}
	f.announce(cmd.ErrOrStderr(), m, len(sample))
	found, err := m.Measure(cmd.Context(), pair[0], pair[1], sample)
	if err != nil {
		return asked(cmd, err)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "Executed %d runs for %d benchmarks.\n", found.Executed, len(sample)-found.LeftOut)
	r := compare.Compare(found.Pairs, compare.Options{Slower: f.threshold, MoreMemory: f.moreMemory, Alpha: f.alpha,
		Lost: f.lost, WallTime: f.limits.WallTime})
	r.A, r.B, r.Available = pair[0].Name, pair[1].Name, len(lib.All)
	r.CoreHours, r.LeftOut = f.coreHours, found.LeftOut
	for i := range r.Look {
		r.Look[i].Command = f.repeats(pair[1], m, r.Look[i].Benchmark)
	}
	if err := f.write(cmd, r); err != nil {
		return err
	}
	if r.Answered == 0 {
		return errors.New("neither build answered a benchmark, so nothing was compared")
	}
	if r.Regression {
		return exit.With(exit.Differs, nil)
	}
	return nil
}

// announce prints the maximum cost of the runs.
func (f *compareFlags) announce(w io.Writer, m *builds.Lab, benchmarks int) {
	each := 2 * max(1, f.seeds)
	if f.seeds > 0 {
		fmt.Fprintf(w, "At most %d runs for %d seeds of %d benchmarks, %.1f core hours by the limit of wall time; %d of them "+
			"where all seeds agree.\n", each*benchmarks, f.seeds, benchmarks, m.Worst(each*benchmarks).Hours(),
			2*benchmarks*min(f.seeds, compare.FirstSeeds))
	}
	if m.Budget > 0 {
		fmt.Fprintf(w, "The budget of %g core hours is enough for %d of %d benchmarks, and for more if runs end before the "+
			"limit.\n", f.coreHours, m.Affords(benchmarks, each), benchmarks)
	}
}

// lab opens the store, the benchmarks, the executor and the progress display. They remain open until done is called.
func (f *compareFlags) lab(cmd *cobra.Command) (_ *builds.Lab, _ *builds.Library, done func() error, err error) {
	if f.folder == "" {
		f.folder = ".smtpipe"
	}
	observer, err := ui.New(ui.Mode(f.progress), cmd.ErrOrStderr())
	if err != nil {
		return nil, nil, nil, exit.With(exit.Usage, err)
	}
	store, from, err := f.openStore(cmd)
	if err != nil {
		observer.Close()
		return nil, nil, nil, err
	}
	closeAll := func() error {
		observer.Close()
		return store.Close()
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, closeAll()) // done is nil here
		}
	}()
	items, err := store.Items("compare")
	if err != nil {
		return nil, nil, nil, err
	}
	lib, skipped, err := builds.OpenLibrary(cmd.Context(), store, items, f.benchmarks)
	if err != nil {
		return nil, nil, nil, asked(cmd, err)
	}
	if skipped > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "Note: %d files were skipped: they cannot be read, or do not have exactly one "+
			"check-sat.\n", skipped)
	}
	return &builds.Lab{Store: store, Items: items, Observer: observer, Version: version, Limits: f.limits,
		Answers: f.answers, Open: f.openSite(cmd, from), Seeds: compare.Seeds(f.seed, f.seeds),
		SeedOption: f.seedOption, Budget: time.Duration(f.coreHours * float64(time.Hour)),
		Shuffle: f.shuffle, History: f.history,
		Scramble:  scramble.Options{KeepOrder: f.shuffle == "names", KeepNames: f.shuffle == "order"},
		Unchanged: f.shuffle == "none"}, lib, closeAll, nil
}

// openStore opens the store and, if the flags name an executor, the pipeline that contains it.
func (f *compareFlags) openStore(cmd *cobra.Command) (*cache.Store, *project.Project, error) {
	if f.executorName == "" {
		store, err := cache.Open(f.folder, cache.Options{})
		return store, nil, err
	}
	if cmd.Flags().Changed("isolation") {
		return nil, nil, exit.With(exit.Usage, errExecutorIsolation)
	}
	f.pipeline.Store = f.folder
	p, err := f.pipeline.open(cmd)
	if err != nil {
		return nil, nil, err
	}
	return p.Store, p, nil
}

// openSite opens the executor: one slot on this machine, or the executor block in the pipeline.
func (f *compareFlags) openSite(cmd *cobra.Command, from *project.Project) func(context.Context, *stages.Env, string) (
	*fanout.Site, error) {
	return func(ctx context.Context, env *stages.Env, both string) (*fanout.Site, error) {
		place := fanout.Here(runner.Isolation(f.isolation))
		place.Jobs = 1
		if from != nil {
			v, diags := from.Pipeline.Executor(f.executorName)
			if err := from.Report(cmd.ErrOrStderr(), diags); err != nil {
				return nil, err
			}
			if err := place.Use(v); err != nil {
				return nil, exit.With(exit.Usage, fmt.Errorf("--executor: %w", err))
			}
			env.Folder = from.Files.Folder
		}
		if f.image != "" {
			var err error
			if place.Image, err = fanout.OpenImage(f.image); err != nil {
				return nil, exit.With(exit.Usage, fmt.Errorf("--image: %w", err))
			}
		}
		return place.Open(ctx, env, f.limits, both)
	}
}

// asked returns an error with the exit code for its cause.
func asked(cmd *cobra.Command, err error) error {
	if cmd.Context().Err() != nil {
		return exit.With(exit.Interrupted, errors.New("interrupted; pairs that were measured are kept"))
	}
	usage, ok := errors.AsType[builds.UsageError](err)
	if !ok {
		return err
	}
	if file, ok := usage.Unwrap().(*fs.PathError); ok {
		err = exit.Plain(err, file.Path)
	}
	return exit.With(exit.Usage, err)
}

// repeats returns the command that repeats a build's run.
func (f *compareFlags) repeats(b *builds.Build, lab *builds.Lab, of compare.Benchmark) string {
	benchmark := lab.Places[of.ID()]
	c := b.Seeded(f.seedOption, of.Seed).Command(benchmark, f.limits)
	argv := []string{"smtpipe", "tool", "exec", "--isolation", f.isolation, "--walltimelimit", f.wall, "--memlimit",
		f.memory, "--output", "-"}
	if f.image != "" {
		argv = append(argv, "--image", f.image)
	}
	if c.Dir != "" {
		argv = append(argv, "--dir", c.Dir)
	}
	for _, v := range c.Env {
		argv = append(argv, "--env", v)
	}
	for _, mount := range c.Mounts {
		argv = append(argv, "--read-only-dir", mount.Source)
	}
	argv = slices.Concat(argv, []string{"--read-only-dir", benchmark, "--"}, c.Argv)
	return words.ShellLine(argv)
}
