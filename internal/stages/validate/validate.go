// Package validate provides the "validate" stage: it judges solvers' outputs against known facts about the benchmarks.
// internal/smt/validate implements the judgement.
package validate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/zclconf/go-cty/cty"
	"golang.org/x/sync/errgroup"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/comp/divisions"
	"github.com/smtpipe/smtpipe/internal/data/comp/language"
	"github.com/smtpipe/smtpipe/internal/data/results"
	judge "github.com/smtpipe/smtpipe/internal/smt/validate"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/fanout"
)

// Kind declares the stage.
var Kind = &stages.Kind{
	Name:    "validate",
	Version: 8,
	Summary: "Judges the output of runs",
	Doc: `Reads the answer out of each run's output, as the rules of the year require, and judges it. The output itself is
kept, so a corrected parser can judge it again without executing runs. If a run has several attempts, the last counts.

The subject of the judgement depends on the track: the answer against the status of the benchmark (single query, parallel,
cloud, industry challenge); every answer of the dialogue, up to the wall time limit (incremental); the core, which must be
well formed and is decided by the votes of the validation solvers (unsat core); the model, which is evaluated in the benchmark
(model validation); the result of the checker (proof). If the competition declares its own language, that language's patterns find
the answer in every track. A block checker replaces the model validator, the votes or the wrapper's proof checker, and checks
what follows an answer in the other tracks and languages.

The votes on unsat cores are runs on the scripts of a stage "unsat_core_validation". Without core_runs there are no votes, and
well-formed cores count as valid.

Runs do not tell who takes part. In the verdicts each solver is a team of its own that competes, until a stage "verdicts" joins
the entrants.

Other programs can give a second opinion on models: a solver, which gets the benchmark with the model's definitions inserted
and must answer sat, or dolmen. Their opinions are in the column details, and runs with an opinion that differs from the
checker's verdict are in the output disagreements.`,
	Example: `stage "validate" "single_query" {
  runs       = stage.execute.single_query.runs
  benchmarks = stage.cap.single_query.benchmarks
}`,
	Attrs: []stages.Attr{
		{Name: "runs", Type: stages.TableType("runs/2"), Required: true, Doc: "the runs"},
		{Name: "benchmarks", Type: stages.TableType("benchmarks/1"), Required: true, Upstream: "runs",
			Doc: "the benchmarks with their statuses"},
		{Name: "rules", Type: rules.ValidationType, Inherit: []string{"rules", "validation"},
			Doc: "the rules about output, cores and models"},
		{Name: "tracks", Type: rules.TracksType, Inherit: []string{"tracks"},
			Doc: "logics by division by track; a logic that is in none is a division of its own"},
		stages.KindsAttr,
		stages.LanguageAttr(nil),
		{Name: "year", Type: cty.Number, Whole: stages.WholeFrom(0, 9999), Inherit: []string{"year"},
			Doc: "year of the runs, in the outputs sound and history"},
		{Name: "core_runs", Type: stages.TableType("runs/2"),
			Doc: "unsat core: runs of the validation solvers on the scripts of a stage \"unsat_core_validation\""},
		{Name: "complete_models", Type: cty.Bool, Default: cty.False,
			Doc: "model validation: allow choosing the values of partial functions that a model leaves open"},
		{Name: "model_time", Type: cty.Number, Unit: stages.Duration,
			Default: cty.NumberIntVal(int64(10 * time.Minute)),
			Doc:     "model validation: wall time limit for checking one model, after which the verdict is UNKNOWN"},
	},
	Blocks: []stages.Block{secondOpinion, checkerBlock},
	Outputs: []stages.Output{
		{Name: "verdicts", Type: stages.TableType("verdicts/1"), Doc: "the runs with their verdicts"},
		{Name: "sound", Type: stages.TableType("history/1"),
			Doc: "answers of the solvers that made no error in the division, as a history for the selection of other " +
				"tracks"},
		{Name: "history", Type: stages.TableType("history/1"),
			Doc: "all runs as a history, for the selection or the hardness measurement of a later competition"},
		{Name: "disagreements", Type: stages.TableType("verdicts/1"),
			Doc: "model validation: runs whose models get a differing second opinion"},
	},
	New:    newAction,
	Extent: stages.BoundedBy("runs"),
}

type action struct {
	runs, benchmarks stages.Artifact
	coreRuns         *stages.Artifact // nil if not given
	year             int
	divisions        divisions.Table
	kinds            comp.Kinds
	language         *language.Reader // nil means SMT-LIB
	rules            judge.Rules
	completeModels   bool
	modelTime        time.Duration
	seconds          []second
	checkers         []checker
	executedBy       fanout.ExecutedBy
}

func newAction(a *stages.Args) (stages.Action, error) {
	act := &action{completeModels: a.Bool("complete_models"), modelTime: a.Duration("model_time")}
	act.runs, _ = a.Artifact("runs")
	act.benchmarks, _ = a.Artifact("benchmarks")
	act.coreRuns = a.OptionalArtifact("core_runs")
	var errs []error
	if act.modelTime <= 0 {
		errs = append(errs, a.Invalid("model_time", "Invalid time for models",
			"The time for checking a model must be above zero, such as \"10m\"."))
	}
	seconds, err := readSeconds(a)
	act.seconds, errs = seconds, append(errs, err)
	act.kinds, err = a.Kinds()
	errs = append(errs, err)
	act.language, err = a.Language()
	errs = append(errs, err)
	act.checkers, err = readCheckers(a, act.language)
	errs = append(errs, err)
	var tools []*fanout.Tool
	for i := range act.checkers {
		tools = append(tools, act.checkers[i].Tool)
	}
	act.executedBy, err = fanout.ReadExecutedBy(a, tools...)
	errs = append(errs, err)
	act.year, act.divisions = int(a.Int("year")), rules.TableOf(a.Value("tracks"))
	if err := rules.Into(a.Value("rules"), &act.rules); err != nil {
		errs = append(errs, a.Invalid("rules", "Missing value", err.Error()+"."))
	}
	return act, errors.Join(errs...)
}

// ExtendKey implements stages.KeyExtender: verdicts depend on the code that evaluates models and executes checkers. The
// key always contains both, because the runs' tracks are not known before the runs are read.
func (act *action) ExtendKey(k *cache.KeyWriter) {
	k.String("model_version", model.Version)
	act.executedBy.WriteKey(k)
	if len(act.checkers) > 0 {
		k.String("checkers", "in all tracks") // version 8 asked them only in some tracks, and most pipelines have none
	}
}

// chunk is the number of runs that a task judges.
const chunk = 1024

// Execute implements stages.Action.
func (act *action) Execute(ctx context.Context, env *stages.Env) error {
	if err := act.executedBy.Check(); err != nil {
		return err
	}
	all, err := artifact.OpenTable[results.RunRow](env.Store, act.runs)
	if err != nil {
		return err
	}
	j := &judging{action: act, store: env.Store}
	var reading errgroup.Group
	if all.Len() > 0 { // without runs, do not read a large library
		reading.Go(j.readBenchmarks)
	}
	killed, err := killedAttempts(all)
	runs, err2 := lastAttempts(all)
	if err := cmp.Or(reading.Wait(), err, err2); err != nil {
		return err
	}
	j.killed = killed
	if err := j.countVotes(); err != nil {
		return err
	}
	if err := j.checkAnswers(ctx, env, runs); err != nil {
		return err
	}
	if err := j.checkModels(ctx, env, runs); err != nil {
		return err
	}
	if err := j.askSeconds(ctx, env, runs); err != nil {
		return err
	}
	env.Progress.Start(int64(runs.Len()), "runs", false) // the checks had their own progress
	out := newJudged(j)
	err = env.Each(ctx, (runs.Len()+chunk-1)/chunk, func(ctx context.Context, k int) error {
		rows := chunks.Get().(*[]results.VerdictRow)
		defer chunks.Put(rows)
		*rows = (*rows)[:0]
		if err := j.judgeChunk(ctx, env.Progress, runs, k*chunk, min((k+1)*chunk, runs.Len()), rows); err != nil {
			return err
		}
		out.add(*rows)
		return nil
	})
	if err != nil {
		return err
	}
	j.benchmarks = nil
	return out.set(ctx, env)
}

func (j *judging) readBenchmarks() error {
	rows, err := artifact.ReadTable[results.BenchmarkRow](j.store, j.action.benchmarks)
	j.benchmarks = make(map[string]*results.BenchmarkRow, len(rows))
	for i := range rows {
		j.benchmarks[rows[i].Path] = &rows[i]
	}
	return err
}

// chunks holds slices for verdicts, which are large.
var chunks = sync.Pool{New: func() any { return new([]results.VerdictRow) }}

// judgeChunk judges the runs in [from, to), which are sorted by benchmark, and appends their verdicts to rows.
func (j *judging) judgeChunk(ctx context.Context, progress stages.Progress, runs *runTable, from, to int,
	rows *[]results.VerdictRow) error {
	counts := map[string]int64{}
	var last previous
	err := runs.Range(from, to, func(i int, r *results.RunRow) error {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		v, err := j.judge(i, r, &last)
		if err != nil {
			return fmt.Errorf("%s on %s: %w", r.Solver, r.Benchmark, err)
		}
		j.noteKilled(&v, r)
		*rows = append(*rows, v)
		if names := j.differing(&v); len(names) > 0 {
			cause := fmt.Sprintf("the verdict %s is not the second opinion of %s", v.Validation,
				strings.Join(names, ", "))
			progress.Fail(v.Benchmark+"@"+v.Solver, cause, v.Reason)
		} else if c := j.checked[i]; c.verdict == checkedUnknown {
			progress.Fail(v.Benchmark+"@"+v.Solver, "no result of checker "+c.name, c.said)
		} else {
			counts[v.Verdict]++
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, v := range []comp.Verdict{comp.Correct, comp.Wrong, comp.Unknown} {
		if n := counts[string(v)]; n > 0 {
			progress.Add(n, string(v))
		}
	}
	return nil
}

// runName identifies a run independently of its attempt.
type runName struct{ benchmark, solver string }

// killedAttempts counts, for each run, the attempts that an unexplained SIGKILL ended.
func killedAttempts(runs *runTable) (map[runName]int, error) {
	killed := map[runName]int{}
	err := runs.Each(func(r *results.RunRow) {
		if isKilled(r) {
			killed[runName{r.Benchmark, r.Solver}]++
		}
	})
	return killed, err
}

// isKilled reports whether a SIGKILL that the runner did not send ended the run.
func isKilled(r *results.RunRow) bool { return strings.Contains(r.Flags, "foreign_kill") }

// noteKilled adds to a verdict's reason that attempts were killed from outside.
func (j *judging) noteKilled(v *results.VerdictRow, r *results.RunRow) {
	n := j.killed[runName{r.Benchmark, r.Solver}]
	if n == 0 {
		return
	}
	note := "a SIGKILL that smtpipe did not send ended the run"
	switch {
	case !isKilled(r):
		note = "second attempt: a SIGKILL that smtpipe did not send ended the first"
	case n > 1:
		note = fmt.Sprintf("a SIGKILL that smtpipe did not send ended all %d attempts", n)
	}
	if v.Reason != "" {
		note = v.Reason + "; " + note
	}
	v.Reason = note
}

// runTable is a table of runs. Its columns take less memory than its rows.
type runTable = results.Table[results.RunRow]

// numbered is a run with its index in the table.
type numbered struct {
	index int
	results.RunRow
}

// chosen returns the runs for which choose is true.
func chosen(runs *runTable, choose func(i int, r *results.RunRow) bool) (all []numbered, err error) {
	err = runs.Range(0, runs.Len(), func(i int, r *results.RunRow) error {
		if choose(i, r) {
			all = append(all, numbered{i, *r})
		}
		return nil
	})
	return all, err
}

// lastAttempts returns each run's last attempt. The runs must be sorted by benchmark, solver, participation and
// attempt.
func lastAttempts(runs *runTable) (*runTable, error) {
	benchmarks, err := runs.Column("benchmark")
	solvers, err2 := runs.Column("solver")
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	last := make([]bool, runs.Len())
	for i := range last {
		last[i] = i+1 == len(last) || benchmarks.Compare(i, i+1) != 0 || solvers.Compare(i, i+1) != 0
	}
	return runs.Where(last)
}

// ExplainItem implements stages.ItemExplainer: it returns the origin of the verdict on run BENCHMARK@SOLVER.
func (act *action) ExplainItem(store *cache.Store, outputs map[string]cty.Value, item string) ([]cache.Component,
	error) {
	return stages.ExplainVerdict(store, item, outputs["verdicts"])
}
