package main

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/lang/builds"
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

func newCompareCommand() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare (A B --benchmarks PATH | --history SOLVER)",
		Short: "Compare two builds of a solver, and find regressions of the second",
		Long: `Executes two builds of a solver on the same benchmarks, and reports how the second differs: wrong answers and disagreements,
benchmarks lost and gained, where it is slower or faster, and where it needs more memory.

A build is one of
  - a program, optionally with arguments in the same word, such as "z3 smt.relevancy=0"; the benchmark becomes the last argument,
  - a zip or tar archive; --command names its program if there are several,
  - a submission (a .json file): its entry in the single query track. Its archive is the one with its name among --archive, or is
    downloaded,
  - with --repository, a commit, which --build builds in the sandbox as for "smtpipe bisect".
Benchmarks come from a folder of .smt2 files, an archive of a release (.tar.zst and others), or a folder of such archives. Only
benchmarks with exactly one check-sat are used. Families are folders.

Both builds are measured on a benchmark one after the other, on one machine, in an order drawn from the seed. With --executor,
the pairs are distributed over the workers of a pipeline's executor block, such as a cluster: archives are sent to them, while a
program must exist there at the same path. CPU time, wall
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
changes names, order, or both; --seed-option gives the build the seed, too. Benchmarks on which all runs with three seeds agree
need no further seeds. A benchmark is lost if the first build answers for all seeds and the second for none, and unstable
if one of them answers for some; it is a regression, too, if a sign test finds that the second answers more of the unstable ones
for fewer seeds than for more. Times are medians over the seeds for which both answered.

With --core-hours, nothing is started that could exceed this budget. Benchmarks run in the sample's random order, each with all
of its seeds, so the budget omits a random part; the report says how many benchmarks that is.

If neither build answers any benchmark, nothing is compared, and the exit code is 1.

Every pair is stored as soon as it is measured, and is not measured again with the same builds, limits and machine. A larger
--sample with the same seed contains the smaller one, so only the new runs are made. A build known from another comparison
is not executed again where it gave no answer. Where it gave one, the pair is measured again, because claims
about times need pairs that were measured together. With --answers, there are no claims about times, and all known runs are
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
