package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/outfile"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/compare"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/lang/builds"
	"github.com/smtpipe/smtpipe/internal/smt/scramble"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/fanout"
	"github.com/smtpipe/smtpipe/internal/ui"
)

// compareFlags are the flags of "compare".
type compareFlags struct {
	benchmarks, folder, wall, memory, isolation string
	image                                       string
	command, progress, executorName             string
	pipeline                                    projectFlags
	json, markdown, html                        string
	archives                                    []string
	cores, sample, lost, seeds                  int
	shuffle, seedOption                         string
	history, names, order                       string
	reduced, witness, still                     string
	solverSeed                                  int64
	seed                                        int64
	threshold, moreMemory, alpha, coreHours     float64
	from                                        builds.Repository
	buildTime, buildMemory                      string
	answers                                     bool
	limits                                      comp.Limits
}

const mostSeeds = 1000

// shuffles are the values that --shuffle accepts.
var shuffles = []string{"all", "names", "order", "none"}

func newCompareCommand() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare (A B --benchmarks PATH | --history SOLVER)",
		Short: "Compare two builds of a solver, and find regressions of the second",
		Long: `Executes two builds of a solver on the same benchmarks, and reports what the second does worse: wrong answers and disagreements, what it
lost and gained, where it is slower or faster, and where it needs more memory.

A build is one of
  - a program, or a program with arguments in one word, as "z3 smt.relevancy=0"; the benchmark follows as the last argument,
  - an archive, zip or tar; --command names its program if it has several,
  - a submission, a file that ends in .json: what it enters into the single query track. Its archive is the one of --archive
    with its name, or is downloaded,
  - with --repository, a commit, which --build makes in the sandbox as in "smtpipe bisect".
Benchmarks come from a folder of .smt2 files, an archive of a release (.tar.zst and others), or a folder of such archives. Only
those with one check-sat are used. Families are folders.

Both builds are measured on a benchmark one after the other, on one machine, in an order drawn from the seed. With --executor
the pairs are spread over the workers of an executor block of a pipeline, such as a cluster: archives go to them, and a program
must be there by the same path. CPU time, wall
time and memory are compared where both gave the same answer, with a Wilcoxon signed-rank test of the logarithms of their
ratios, for all pairs, and for each logic and each family with at least 6 pairs. Holm's method corrects the p-values of all
these tests. Times below 1 ms count as 1 ms.

It is a regression, exit code 3, if the second build
  - contradicts the status of a benchmark, or disagrees with the first where the first was not wrong;
  - lost more benchmarks than --lost. Where the first needed more than 80 % of the wall time limit, chance decides what is lost and
    gained: these count only if a sign test, corrected with the others, finds that more were lost than gained;
  - is slower in some group: p below --alpha, and the median ratio above 1 + --threshold; or needs more memory, above
    1 + --memory-threshold.
With --seeds, each benchmark is scrambled with that many seeds, as the competition does it, and --shuffle says whether a seed
changes names, order, or both; --seed-option gives the build the seed, too. Benchmarks on which all runs under three seeds agree
need no more of them. A benchmark is lost if the first build answers for all seeds and the second for none, and unstable
if one of them answers for some; it is a regression, too, if a sign test finds that the second answers more of the unstable ones
for fewer seeds than for more. Times are medians over the seeds for which both answered.

With --core-hours nothing is started that could exceed this budget. Benchmarks are executed in the random order of the sample, each
with all its seeds, so the budget leaves out a random part; the report says how many there are.

If neither build answers a benchmark, nothing is compared, exit code 1.

Every pair is stored as soon as it is measured, and is not measured again with the same builds, limits and machine. A larger
--sample with the same seed contains the smaller one, so only the new runs are made. A build that is known from another comparison
is not run again where it gave no answer. Where it gave one, the pair is measured again, because claims
about time need pairs that were measured together. With --answers there are no claims about time, and all known runs are
reused. Programs are identified by the digests of their files and libraries. Programs that a script calls are not covered: give
such builds another name or another --store, or pack them.

With --reduce, ddsmt shrinks the script of one benchmark as long as the second build still does worse on it: does not answer, disagrees, or
takes twice the CPU time and 0.2 s more. The question, --still, is a command that every reducer can call. Its runs are not stored.

With --history the runs are added to the history of a solver in the store. Without builds the history is printed: what each build solved,
PAR-2, wrong answers, stability, and which build lost each benchmark. Builds are in the order of the versions in their names, or as they were first
measured.

` + exit.Help,
		Example: `  smtpipe compare ./z3-old ./z3-new --benchmarks benchmarks --sample 500 --wall 20s
  smtpipe compare z3 z3_solver.whl --benchmarks release/QF_BV.tar.zst --markdown comment.md --html page.html
  smtpipe compare main HEAD --repository . --build "make -j2" --program solver --benchmarks benchmarks
  smtpipe compare old.tar.gz new.tar.gz --benchmarks nightly --history z3 --names "$(date -d yesterday +%F),$(date +%F)"
  smtpipe compare --history z3 --html history.html`,
		Args: usageArgs(f.args),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return f.tellHistory(cmd)
			}
			return f.execute(cmd, args)
		},
	}
	f.define(cmd.Flags())
	return cmd
}

func (f *compareFlags) define(fl *pflag.FlagSet) {
	f.defineRuns(fl)
	fl.BoolVar(&f.answers, "answers", false, "compare only answers, and use all known runs")
	fl.IntVar(&f.lost, "lost", 0, "how many benchmarks may be lost")
	fl.Float64Var(&f.threshold, "threshold", 0.05, "how much slower the second build may be, as a share")
	fl.Float64Var(&f.moreMemory, "memory-threshold", 0.2, "how much more memory it may need, as a share")
	fl.Float64Var(&f.alpha, "alpha", 0.05, "significance level of all tests together")
	fl.StringVar(&f.reduced, "reduce", "", "benchmark of a finding, as reports name it, whose script ddsmt is to shrink")
	fl.StringVar(&f.witness, "witness", "", "file for the small script (default: the benchmark's name, ending in .small.smt2)")
	fl.StringVar(&f.still, "still", "", "only tell by exit code 0 whether a finding shows in the script of --benchmarks: lost, "+
		"lost:wall_timeout (or another ending), disagrees or slow")
	fl.Int64Var(&f.solverSeed, "solver-seed", 0, "with --still: seed for --seed-option")
	fl.StringVar(&f.names, "names", "", "names of the builds in reports and in the history, as 4.12.0,4.13.0 (default: as they are given)")
	fl.StringVar(&f.order, "order", "", "order of the builds of a history: version, measured, or a file with their names, the oldest "+
		"first, as \"git log --reverse\" writes commits (default: version if all names have one)")
	fl.StringVar(&f.json, "json", "", "file for the result with all pairs as JSON; - for standard output")
	fl.StringVar(&f.markdown, "markdown", "", "file for a comment of a pull request; - for standard output")
	fl.StringVar(&f.html, "html", "", "file for a page")
}

// defineRuns defines the flags that select what is executed.
func (f *compareFlags) defineRuns(fl *pflag.FlagSet) {
	fl.StringVar(&f.benchmarks, "benchmarks", "", "folder of benchmarks, archive, or folder of archives")
	fl.StringVar(&f.command, "command", "", "program and arguments in the archives, such as \"bin/solver --fast\"")
	fl.StringArrayVar(&f.archives, "archive", nil,
		"archive of a submission, as a file on this machine; may be repeated")
	fl.StringVar(&f.from.Path, "repository", "", "git repository of which the builds are commits")
	fl.StringVar(&f.from.Command, "build", "", "command that builds a commit, without network")
	fl.StringVar(&f.from.Program, "program", "", "program or archive that the build makes, such as build/solver")
	fl.StringVar(&f.buildTime, "build-time", "30min", "limit of wall time of a build")
	fl.StringVar(&f.buildMemory, "build-memory", "8GB", "limit of memory of a build")
	fl.StringVar(&f.folder, "store", os.Getenv("SMTPIPE_STORE"), "store (default: $SMTPIPE_STORE, or .smtpipe)")
	fl.StringVar(&f.wall, "wall", "20s", "limit of wall time of a run")
	fl.StringVar(&f.memory, "memory", "2GB", "limit of memory of a run")
	fl.IntVar(&f.cores, "cores", 1, "cores of a run")
	fl.IntVar(&f.sample, "sample", 500, "number of benchmarks, drawn by logic and family; 0: all")
	fl.Int64Var(&f.seed, "seed", 1, "seed of the sample and of the order of each pair")
	fl.IntVar(&f.seeds, "seeds", 0, "scramble each benchmark with this many seeds; 0: as it is")
	fl.Float64Var(&f.coreHours, "core-hours", 0, "core hours that runs may take, by --wall and --cores; 0: any")
	fl.StringVar(&f.shuffle, "shuffle", "all", "what a seed changes: all (as the official scrambler), names, order, or none")
	fl.StringVar(&f.seedOption, "seed-option", "", "option by which a build takes a seed, such as "+
		"\"smt.random_seed={seed}\"")
	fl.StringVar(&f.history, "history", "", "solver to whose history in the store all runs are added")
	fl.StringVar(&f.isolation, "isolation", "full", "full, cgroup, namespaces, none or best_effort")
	fl.StringVar(&f.image, "image", "",
		"image that is the root file system of the runs: an OCI layout or archive, or what "+
			"docker save writes (default: the executor's, or the machine's programs)")
	fl.StringVar(&f.executorName, "executor", "", "where pairs are executed: KIND.NAME of an executor block of the "+
		"pipeline (default: on this machine)")
	fl.StringVarP(&f.pipeline.Pipeline, "pipeline", "p", "", "pipeline with the executor: a .hcl file or a folder "+
		"(default: this folder)")
	fl.StringArrayVar(&f.pipeline.Vars, "var", nil,
		"value of a variable of the pipeline, as NAME=VALUE; may be repeated")
	fl.StringVar(&f.progress, "progress", "auto", "how to show progress: auto, bars, lines, json or none")
}

// check parses the flags that have units, and rejects invalid values.
func (f *compareFlags) check() error {
	wall, err := parseSeconds(f.wall)
	if err != nil {
		return fmt.Errorf("--wall: %w", err)
	}
	memory, err := parseBytes(f.memory)
	if err != nil {
		return fmt.Errorf("--memory: %w", err)
	}
	if _, err := runner.ParseIsolation(f.isolation); err != nil {
		return err
	}
	if f.from.Limit, err = parseSeconds(f.buildTime); err != nil {
		return fmt.Errorf("--build-time: %w", err)
	}
	if f.from.Memory, err = parseBytes(f.buildMemory); err != nil {
		return fmt.Errorf("--build-memory: %w", err)
	}
	f.limits = comp.Limits{WallTime: wall, MemoryBytes: memory, Cores: f.cores}
	var errs []error
	for _, c := range []struct {
		refused bool
		why     string
	}{
		{f.benchmarks == "", "name the benchmarks, a folder or an archive: --benchmarks PATH"},
		{wall <= 0, "--wall must be positive, such as 20s or 20min"},
		{memory <= 0, "--memory must be positive, such as 2GB"},
		{bare(f.wall), "--wall " + f.wall + " has no unit; write " + f.wall + "s or " + f.wall + "min"},
		{bare(f.memory), "--memory " + f.memory + " has no unit; write " + f.memory + "GB or " + f.memory + "MB"},
		{f.from.Path != "" && (f.from.Command == "" || f.from.Program == ""),
			"--repository needs --build, a command, and --program, the file that it makes"},
		{f.from.Path == "" && f.from.Command+f.from.Program != "", "--build and --program need --repository"},
		{f.cores < 1, "--cores must be at least 1"},
		{f.sample < 0, "--sample must be at least 0; 0 is all benchmarks"},
		{f.seeds < 0 || f.seeds > mostSeeds, fmt.Sprintf("--seeds must be from 0 to %d", mostSeeds)},
		{!slices.Contains(shuffles, f.shuffle), "--shuffle is one of " + strings.Join(shuffles, ", ")},
		{f.seeds == 0 && f.solverSeed == 0 && f.seedOption != "", "--seed-option needs --seeds, such as --seeds 10"},
		{f.reduced != "" && f.still != "", "--reduce and --still exclude each other"},
		{f.solverSeed != 0 && f.still == "", "--solver-seed is part of a question, --still"},
		{f.seedOption != "" && !strings.Contains(f.seedOption, "{seed}"),
			"--seed-option must say where the seed goes: {seed}"},
		{f.seeds > 0 && f.shuffle == "none" && f.seedOption == "", "--shuffle none needs --seed-option"},
		{f.coreHours < 0, "--core-hours must be at least 0; 0 is any number"},
		{f.names != "" && !twoNames.MatchString(f.names), "--names has two names, as 4.12.0,4.13.0"},
		{f.lost < 0, "--lost must be at least 0"},
		{f.threshold < 0, "--threshold must be at least 0"},
		{f.moreMemory < 0, "--memory-threshold must be at least 0"},
		{f.alpha <= 0 || f.alpha >= 1, "--alpha must be between 0 and 1, such as 0.05"},
		{f.json == "-" && f.markdown == "-", "only one of --json and --markdown can go to standard output"},
	} {
		if c.refused {
			errs = append(errs, errors.New(c.why))
		}
	}
	for _, file := range []string{f.json, f.markdown, f.html} {
		errs = append(errs, writable(file))
	}
	return errors.Join(errs...)
}

var twoNames = regexp.MustCompile(`^[^,]+,[^,]+$`)

// bare reports whether a size or a time is a number other than 0 without a unit.
func bare(s string) bool {
	number, unit := splitUnit(s)
	return unit == "" && strings.Trim(number, "0.") != ""
}

// writable returns an error if a file cannot be created later because its folder is missing or the path is a folder.
func writable(file string) error {
	if file == "" || file == "-" {
		return nil
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder; name a file", file)
	}
	dir := filepath.Dir(file)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return fmt.Errorf("%s cannot be written: there is no folder %s", file, dir)
	}
	return nil
}

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
	done = func() error {
		observer.Close()
		return store.Close()
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, done())
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
		Unchanged: f.shuffle == "none"}, lib, done, nil
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

// finding can be written as text, HTML and JSON.
type finding interface {
	WriteText(w io.Writer, markdown bool) error
	WriteHTML(w io.Writer) error
}

// write writes a report or a history in all requested formats.
func (f *compareFlags) write(cmd *cobra.Command, d finding) error {
	for _, form := range []struct {
		file string
		fill func(io.Writer) error
	}{
		{f.html, d.WriteHTML},
		{f.markdown, func(w io.Writer) error { return d.WriteText(w, true) }},
		{f.json, func(w io.Writer) error { return compare.WriteJSON(w, d) }},
	} {
		if form.file == "" || form.file == "-" {
			continue
		}
		var b strings.Builder
		if err := form.fill(&b); err != nil {
			return err
		}
		if err := outfile.WriteText(form.file, b.String()); err != nil {
			return err
		}
	}
	if f.json == "-" {
		return compare.WriteJSON(cmd.OutOrStdout(), d)
	}
	return d.WriteText(cmd.OutOrStdout(), f.markdown == "-")
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
