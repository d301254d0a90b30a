package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/compare"
	"github.com/smtpipe/smtpipe/internal/runner"
	"github.com/smtpipe/smtpipe/internal/runner/solver"
	"github.com/smtpipe/smtpipe/internal/smtlib"
	"github.com/smtpipe/smtpipe/internal/validate"
)

// compareFlags are the flags of "compare".
type compareFlags struct {
	benchmarks, store, wall, memory, isolation, format string
	cores, sample, lost                                int
	seed                                               int64
	threshold, alpha                                   float64
	limits                                             comp.Limits
}

func newCompareCommand() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare A B --benchmarks FOLDER",
		Short: "Compare two builds of a solver, and find regressions of the second",
		Long: `Executes two programs on the benchmarks (.smt2, one check-sat each) below a folder, and tells what the second does
worse: wrong answers and disagreements, what it lost and gained, and where it is slower or faster. The program is given the benchmark as
its only argument.

Both builds are measured on a benchmark one after the other, on the same cores, in an order that the seed draws. Families are the
folders of the benchmarks. Times are CPU times, compared where both gave the same answer, by a Wilcoxon signed-rank test of the
logarithms of their ratios, for all, each logic and each family with 6 pairs and more; p-values are corrected for all these tests
by Holm's method. Times below 1 ms count as 1 ms.

It is a regression, exit code 3, if the second build
  - answers wrongly by the status of a benchmark, where the first did not, or disagrees with the first;
  - lost more benchmarks than --lost; those do not count for which the first needed more than 80 % of the wall time;
  - is slower in some group: p below --alpha, and the median ratio above 1 + --threshold.

Every pair is stored as soon as it is measured. With the same builds, limits and machine it is not measured again, so that a larger
--sample only makes the new runs: with the same seed it holds the smaller one. If a build is known from another comparison to give
no answer to a benchmark, its run is reused, as no claim about time needs it; else the pair is measured.
Builds are known by the digests of their files and libraries. What a script calls is not seen: give such builds another name, or
another --store.

` + exitCodesHelp,
		Example: `  smtpipe compare ./z3-old ./z3-new --benchmarks benchmarks --sample 500 --wall 20s`,
		Args:    usageArgs(cobra.ExactArgs(2)),
		RunE:    func(cmd *cobra.Command, args []string) error { return f.execute(cmd, args) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.benchmarks, "benchmarks", "", "folder of benchmarks")
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
		return errors.New("name the folder of the benchmarks: --benchmarks FOLDER")
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

// build is a program that is compared.
type build struct {
	name, path string
	digest     solver.Digest
}

func findBuild(name string) (*build, error) {
	path, err := exec.LookPath(name)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return nil, withExit(exitUsage, fmt.Errorf("%s is no program that can be executed: %w", name, err))
	}
	_, digest, err := solver.ProgramClosure(path)
	return &build{name, path, digest}, err
}

func (f *compareFlags) execute(cmd *cobra.Command, args []string) (err error) {
	if err := f.check(); err != nil {
		return withExit(exitUsage, err)
	}
	a, err := findBuild(args[0])
	if err != nil {
		return err
	}
	b, err := findBuild(args[1])
	if err != nil {
		return err
	}
	all, err := f.find(cmd)
	if err != nil {
		return err
	}
	pairs, err := f.measure(cmd, a, b, compare.Sample(all, f.sample, f.seed))
	if err != nil {
		return err
	}
	r := compare.Compare(pairs, compare.Options{Slower: f.threshold, Alpha: f.alpha, Lost: f.lost,
		WallTime: f.limits.WallTime})
	r.A, r.B = a.name, b.name
	for i := range r.Look {
		r.Look[i].Command = f.repeats(b, r.Look[i].Benchmark.Path)
	}
	if f.format == "json" {
		err = printJSON(cmd, r)
	} else {
		err = compare.WriteText(cmd.OutOrStdout(), r, f.format == "markdown")
	}
	if err == nil && r.Regression {
		err = withExit(exitDiffers, nil)
	}
	return err
}

// find lists the benchmarks of the folder.
func (f *compareFlags) find(cmd *cobra.Command) (all []compare.Benchmark, err error) {
	passed := 0
	err = filepath.WalkDir(f.benchmarks, func(path string, e fs.DirEntry, err error) error {
		if err != nil || cmd.Context().Err() != nil {
			return errors.Join(err, cmd.Context().Err())
		}
		if e.IsDir() || filepath.Ext(path) != ".smt2" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := smtlib.Inspect(text)
		if err != nil || len(info.Statuses) != 1 {
			passed++
			return nil
		}
		rel, err := filepath.Rel(f.benchmarks, path)
		if err != nil {
			return err
		}
		b := compare.Benchmark{Path: filepath.ToSlash(rel), Logic: string(info.Logic), Status: string(info.Statuses[0])}
		if loc, ok := comp.ParseLocation(b.Path); ok {
			b.Family = string(loc.Family)
		} else if dir := filepath.ToSlash(filepath.Dir(rel)); dir != "." {
			b.Family = strings.TrimPrefix(strings.TrimPrefix(dir, b.Logic), "/")
		}
		all = append(all, b)
		return nil
	})
	if cmd.Context().Err() != nil {
		return nil, errInterrupted
	}
	if err != nil {
		return nil, err
	}
	if passed > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "Note: %d files were passed over: they cannot be read, or have not one check-sat.\n",
			passed)
	}
	if len(all) == 0 {
		return nil, withExit(exitUsage, fmt.Errorf("%s has no benchmark (.smt2) with one check-sat", f.benchmarks))
	}
	return all, nil
}

// measure returns the pairs of all benchmarks, and measures those that the store has not.
func (f *compareFlags) measure(cmd *cobra.Command, a, b *build, sample []compare.Benchmark) (_ []compare.Pair,
	err error,
) {
	dir := f.store
	if dir == "" {
		dir = ".smtpipe"
	}
	store, err := cache.Open(dir, cache.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	items, err := store.Items("compare")
	if err != nil {
		return nil, err
	}
	host, err := runner.Open(runner.Config{Isolation: runner.Isolation(f.isolation), Jobs: 1, CoresPerRun: f.cores,
		MemoryPerRun: f.limits.MemoryBytes})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, host.Close()) }()
	m := &pairing{compareFlags: f, items: items, host: host, hardware: runner.Hardware().String()}
	var pairs []compare.Pair
	shown := time.Now()
	for i, bm := range sample {
		p, err := m.pair(cmd.Context(), a, b, bm)
		if err != nil {
			if cmd.Context().Err() != nil {
				err = errInterrupted
			}
			return nil, err
		}
		pairs = append(pairs, *p)
		if time.Since(shown) > 10*time.Second {
			shown = time.Now()
			fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d benchmarks\n", i+1, len(sample))
		}
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "Executed %d runs for %d benchmarks.\n", m.executed, len(sample))
	return pairs, items.Sync()
}

// pairing is the state of a measurement.
type pairing struct {
	*compareFlags
	items    *cache.Items
	host     *runner.Host
	hardware string
	executed int
}

// pair returns the pair of a benchmark from the store, or measures what is missing.
func (m *pairing) pair(ctx context.Context, a, b *build, bm compare.Benchmark) (*compare.Pair, error) {
	path, err := filepath.Abs(filepath.Join(m.benchmarks, filepath.FromSlash(bm.Path)))
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	content := cache.DigestOf(text)
	key := m.key(bm, content, a, b)
	p := &compare.Pair{}
	if ok, err := m.get(key, p); ok || err != nil {
		p.Benchmark = bm
		return p, err
	}
	p = &compare.Pair{Benchmark: bm}
	haveA, err := m.get(m.key(bm, content, a), &p.A)
	if err != nil {
		return nil, err
	}
	haveB, err := m.get(m.key(bm, content, b), &p.B)
	if err != nil {
		return nil, err
	}
	reuseA, reuseB := haveA && p.A.Answer == "", haveB && p.B.Answer == ""
	// Without an answer of one there is no claim about time: then what is known of the other will do as well.
	if reuseA || reuseB {
		reuseA, reuseB = haveA, haveB
	}
	p.Interleaved = !reuseA && !reuseB
	type job struct {
		*build
		to *compare.Run
	}
	var jobs []job
	if !reuseA {
		jobs = append(jobs, job{a, &p.A})
	}
	if !reuseB {
		jobs = append(jobs, job{b, &p.B})
	}
	if len(jobs) > 1 && compare.SecondFirst(m.seed, bm.Path) {
		jobs[0], jobs[1] = jobs[1], jobs[0]
	}
	for _, j := range jobs {
		if *j.to, err = m.run(ctx, j.build, path); err != nil {
			return nil, err
		}
		if err := m.put(m.key(bm, content, j.build), j.to); err != nil {
			return nil, err
		}
	}
	return p, m.put(key, p)
}

// key is that of the run of a build, or of the pair of two. Benchmarks with the same content are measured each: one
// measurement that counted for both would not be two.
func (m *pairing) key(bm compare.Benchmark, content cache.Digest, builds ...*build) cache.Key {
	k := cache.NewKeyWriter("compare/1")
	for _, b := range builds {
		k.String("path", b.path)
		k.Digest("build", cache.Digest(b.digest))
	}
	k.String("benchmark", bm.Path)
	k.Digest("content", content)
	k.Int("wall_time", int64(m.limits.WallTime))
	k.Int("memory", m.limits.MemoryBytes)
	k.Int("cores", int64(m.cores))
	k.String("isolation", string(m.host.Isolation()))
	k.String("hardware", m.hardware)
	return k.Key()
}

func (m *pairing) get(key cache.Key, v any) (bool, error) {
	record, ok, err := m.items.Get(key)
	if !ok || err != nil {
		return false, err
	}
	return true, json.Unmarshal(record, v)
}

func (m *pairing) put(key cache.Key, v any) error {
	record, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return m.items.Put(key, record)
}

// run executes a build on a benchmark.
func (m *pairing) run(ctx context.Context, b *build, benchmark string) (compare.Run, error) {
	c := runner.Command{
		Argv: []string{b.path, benchmark}, HostSystem: true, Limits: m.limits,
	}
	if iso := m.host.Isolation(); iso == runner.Full || iso == runner.NamespacesOnly {
		folder := filepath.Dir(b.path)
		if !strings.HasPrefix(folder+"/", "/usr/") && !strings.HasPrefix(folder+"/", "/bin/") {
			c.Mounts = append(c.Mounts, runner.Mount{Source: folder, Target: folder})
		}
		c.Mounts = append(c.Mounts, runner.Mount{Source: benchmark, Target: benchmark, Warm: true})
	}
	rec, err := m.host.Run(ctx, c)
	if err != nil {
		return compare.Run{}, fmt.Errorf("%s on %s: %w", b.name, benchmark, err)
	}
	if rec.Ending == comp.Killed || ctx.Err() != nil {
		return compare.Run{}, errInterrupted
	}
	m.executed++
	d := validate.Answer(comp.SingleQuery, rec.Stdout.Bytes(), rec.Stderr.Bytes(),
		validate.Run{Ending: rec.Ending, ExitCode: rec.ExitCode, Truncated: rec.Stdout.Dropped > 0})
	out := compare.Run{Ending: string(rec.Ending), WallTime: rec.WallTime, CPUTime: rec.CPUTime,
		Memory: rec.MemoryBytes}
	if answer := string(d.Answer); d.Counts && (answer == "sat" || answer == "unsat") {
		out.Answer = answer
	}
	return out, nil
}

// repeats is the command that repeats the run of a build.
func (f *compareFlags) repeats(b *build, path string) string {
	full, err := filepath.Abs(filepath.Join(f.benchmarks, filepath.FromSlash(path)))
	if err != nil {
		full = path
	}
	words := []string{"smtpipe", "tool", "exec", "--isolation", f.isolation, "--walltimelimit", f.wall, "--memlimit",
		f.memory, "--output", "-"}
	if folder := filepath.Dir(b.path); !strings.HasPrefix(folder+"/", "/usr/") {
		words = append(words, "--read-only-dir", folder)
	}
	words = append(words, "--read-only-dir", full, "--", b.path, full)
	for i, w := range words {
		if strings.ContainsAny(w, " '\"$&;()*?<>|\\`\t\n") {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
