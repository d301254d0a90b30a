package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/compare"
	"github.com/smtpipe/smtpipe/internal/runner"
)

// compareFlags are the flags of "compare".
type compareFlags struct {
	benchmarks, store, wall, memory, isolation string
	format, page, progress                     string
	cores, sample, lost                        int
	seed                                       int64
	threshold, alpha                           float64
	limits                                     comp.Limits
}

func newCompareCommand() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare A B --benchmarks FOLDER",
		Short: "Compare two builds of a solver, and find regressions of the second",
		Long: `Executes two builds of a solver on the same benchmarks and says what the second does worse: wrong answers and
disagreements first, then what it lost and gained, and where it is slower or faster.

A and B are programs, programs in archives (z3.zip//bin/z3), or submissions (z3.json), whose archive lies beside the file under the
last part of its address. The benchmark is the last argument. --benchmarks is a folder of benchmarks (.smt2, one check-sat each), an
archive (.tar, also compressed), or a folder of archives, such as a release. Families are folders.

Both builds are measured on a benchmark one after the other, on the same cores, in an order that the seed draws. CPU time and wall
time are compared where both gave the same answer, by a Wilcoxon signed-rank test of the logarithms of their ratios, for all
benchmarks, each logic and each family with 6 pairs or more. Holm's method corrects the p-values for the number of tests. Times below
1 ms count as 1 ms.

It is a regression, exit code 3, if the second build
  - answers wrongly by the status of a benchmark, where the first did not, or disagrees with the first;
  - lost more benchmarks than --lost; those for which the first needed more than 80 % of the wall time do not count;
  - is slower in some group: p below --alpha, and the median ratio above 1 + --threshold.

Every pair is stored as soon as it is measured. With the same builds, limits and machine it is not measured again: a larger
--sample makes only the new runs, because it holds the smaller one with the same seed. If a build is known from another comparison
to give no answer to a benchmark, its run is reused, because no claim about time needs it. Otherwise the pair is measured.
A program is known by the digests of its file and libraries. What a script calls is not seen: give such a build another name, or
another --store.

` + exitCodesHelp,
		Example: `  smtpipe compare ./z3-old ./z3-new --benchmarks benchmarks --sample 500 --wall 20s
  smtpipe compare yesterday.tar.gz//bin/z3 today.tar.gz//bin/z3 --benchmarks non-incremental --page compare.html`,
		Args: usageArgs(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error { return f.execute(cmd, args) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.benchmarks, "benchmarks", "", "folder or archive of benchmarks, or folder of archives")
	fl.StringVar(&f.store, "store", os.Getenv("SMTPIPE_STORE"), "store (default: $SMTPIPE_STORE, or .smtpipe)")
	fl.StringVar(&f.wall, "wall", "20s", "limit of wall time of a run")
	fl.StringVar(&f.memory, "memory", "2GB", "limit of memory of a run")
	fl.IntVar(&f.cores, "cores", 1, "cores of a run")
	fl.IntVar(&f.sample, "sample", 500, "number of benchmarks, drawn by logic and family; 0: all")
	fl.Int64Var(&f.seed, "seed", 1, "seed of the sample and of the order of each pair")
	fl.IntVar(&f.lost, "lost", 0, "how many benchmarks may be lost")
	fl.Float64Var(&f.threshold, "threshold", 0.05, "how much slower the second build may be, as a share")
	fl.Float64Var(&f.alpha, "alpha", 0.05, "level of significance of all claims about time together")
	fl.StringVar(&f.isolation, "isolation", "full", "full, cgroup, namespaces, none or best_effort")
	fl.StringVar(&f.format, "format", "text", "text, json or markdown")
	fl.StringVar(&f.page, "page", "", "file for a page with the findings and a plot (HTML)")
	fl.StringVar(&f.progress, "progress", "auto", "how to show progress: auto, bars, lines, json or none")
	return cmd
}

// check reads the flags that have units, and refuses those that make no sense.
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
	switch {
	case f.benchmarks == "":
		return errors.New("name the benchmarks: --benchmarks FOLDER")
	case wall <= 0 || memory <= 0 || f.cores < 1:
		return errors.New("--wall, --memory and --cores must be positive")
	case f.sample < 0 || f.lost < 0 || f.threshold < 0 || f.alpha <= 0 || f.alpha >= 1:
		return errors.New("--sample, --lost and --threshold cannot be negative, and --alpha is between 0 and 1")
	case f.format != "text" && f.format != "json" && f.format != "markdown":
		return fmt.Errorf("--format is text, json or markdown, not %q", f.format)
	}
	f.limits = comp.Limits{WallTime: wall, MemoryBytes: memory, Cores: f.cores}
	return nil
}

func (f *compareFlags) execute(cmd *cobra.Command, args []string) (err error) {
	if err := f.check(); err != nil {
		return withExit(exitUsage, err)
	}
	store, err := cache.Open(cmp.Or(f.store, ".smtpipe"), cache.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	var builds [2]*build
	for i, name := range args {
		if builds[i], err = f.findBuild(cmd, store, name); err != nil {
			return err
		}
	}
	all, err := f.findBenchmarks(cmd)
	if err != nil {
		return err
	}
	sample := compare.Sample(all, f.sample, f.seed)
	files, err := f.place(cmd.Context(), filepath.Join(store.Dir(), "compare"), sample)
	if err != nil {
		return err
	}
	pairs, err := f.measure(cmd, store, builds[0], builds[1], sample, files)
	if err != nil {
		return err
	}
	r := compare.Compare(pairs, compare.Options{Slower: f.threshold, Alpha: f.alpha, Lost: f.lost,
		WallTime: f.limits.WallTime})
	r.A, r.B = builds[0].name, builds[1].name
	for i := range r.Look {
		r.Look[i].Command = f.repeats(builds[1], files[r.Look[i].Benchmark.Path])
	}
	if err := f.write(cmd, r, pairs); err != nil {
		return err
	}
	if r.Regression {
		return withExit(exitDiffers, nil)
	}
	return nil
}

// write writes the report in the format that was asked for, and the page.
func (f *compareFlags) write(cmd *cobra.Command, r *compare.Report, pairs []compare.Pair) error {
	if f.page != "" {
		var page bytes.Buffer
		if err := compare.WritePage(&page, r, pairs); err != nil {
			return err
		}
		if err := writeNamedFile(f.page, page.Bytes(), 0o644); err != nil {
			return err
		}
	}
	if f.format == "json" {
		return printJSON(cmd, r)
	}
	return compare.WriteText(cmd.OutOrStdout(), r, f.format == "markdown")
}
