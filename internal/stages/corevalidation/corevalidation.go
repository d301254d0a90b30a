// Package corevalidation provides the "unsat_core_validation" stage: the scripts for validating unsat cores, and the
// solvers that may validate them. internal/smt/validate reads and reduces cores.
package corevalidation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/comp/divisions"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/table"
	judge "github.com/smtpipe/smtpipe/internal/smt/validate"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Kind declares the stage.
var Kind = &stages.Kind{
	Name:    "unsat_core_validation",
	Version: 1,
	Summary: "Writes the scripts that validate unsat cores",
	Doc: `Reduces the script of each run of the unsat-core track to the assertions of the core that the run printed. Runs with
equal cores share a script. An execute stage of the single-query track runs the validation solvers on the scripts, and the
validate stage counts their votes (core_runs).

The validation solvers of a division are those that took part in it in the single-query track and made no error there
(SMT-COMP 2019 rules, §5.5; 2022 and 2026 rules, §5.4). Output that is not a well-formed core needs no validation and has no
script.`,
	Example: `stage "unsat_core_validation" "unsat_core" {
  runs     = stage.execute.unsat_core.runs
  verdicts = stage.validate.single_query.verdicts
}

stage "execute" "core_validation" {
  scripts = stage.unsat_core_validation.unsat_core.scripts
  enter   = stage.unsat_core_validation.unsat_core.validators
  solvers = solver
  track   = "single_query"
  limits {
    wall_time = "20m"
    memory    = "30GB"
  }
}

stage "validate" "unsat_core" {
  runs       = stage.execute.unsat_core.runs
  core_runs  = stage.execute.core_validation.runs
  benchmarks = stage.cap.unsat_core.benchmarks
}`,
	Attrs: []stages.Attr{
		{Name: "runs", Type: stages.TableType("runs/2"), Required: true, Doc: "the runs of the unsat-core track"},
		{Name: "verdicts", Type: stages.TableType("verdicts/1"), Required: true,
			Doc: "the single-query track's verdicts, which determine the sound solvers"},
		{Name: "rules", Type: rules.ValidationType, Inherit: []string{"rules", "validation"},
			Doc: "the rules about output and cores"},
		{Name: "tracks", Type: rules.TracksType, Inherit: []string{"tracks"},
			Doc: "logics by division by track; those of the single-query track determine the validation solvers"},
	},
	Outputs: []stages.Output{
		{Name: "scripts", Type: stages.TableType("scripts/1"),
			Doc: "one script for each core of a benchmark, named BENCHMARK#CORE"},
		{Name: "validators", Type: cty.Map(cty.List(cty.String)), Doc: "the validation solvers by logic"},
	},
	New:    newAction,
	Extent: stages.BoundedBy("runs"),
}

type action struct {
	runs, verdicts stages.Artifact
	table          divisions.Table
	rules          judge.Rules
}

func newAction(a *stages.Args) (stages.Action, error) {
	act := &action{}
	act.runs, _ = a.Artifact("runs")
	act.verdicts, _ = a.Artifact("verdicts")
	act.table = rules.TableOf(a.Value("tracks"))
	if err := rules.Into(a.Value("rules"), &act.rules); err != nil {
		return nil, a.Invalid("rules", "Missing value", err.Error()+".")
	}
	return act, nil
}

// Execute implements stages.Action.
func (act *action) Execute(ctx context.Context, env *stages.Env) error {
	runs, err := artifact.ReadTable[results.RunRow](env.Store, act.runs)
	if err != nil {
		return err
	}
	validators, err := act.validators(env.Store, runs)
	if err != nil {
		return err
	}
	env.Progress.Start(int64(len(runs)), "runs", false)
	groups := byScript(runs)
	made := make([][]results.ScriptRow, len(groups))
	err = env.Each(ctx, len(groups), func(_ context.Context, k int) (err error) {
		made[k], err = act.reduce(env.Store, groups[k])
		env.Progress.Add(int64(len(groups[k])), "")
		return err
	})
	if err != nil {
		return err
	}
	return errors.Join(
		stages.SetTable(env, "scripts", unique(slices.Concat(made...))),
		env.Set("validators", validators),
	)
}

// byScript groups the runs by script. The runs must be sorted by benchmark.
func byScript(runs []results.RunRow) [][]results.RunRow {
	var groups [][]results.RunRow
	for i := 0; i < len(runs); {
		n := i + 1
		for n < len(runs) && runs[n].ScriptSHA256 == runs[i].ScriptSHA256 {
			n++
		}
		groups = append(groups, runs[i:n])
		i = n
	}
	return groups
}

// unique keeps one row per script, since several attempts and solvers may have printed the same core.
func unique(rows []results.ScriptRow) []results.ScriptRow {
	seen := map[string]bool{}
	return slices.DeleteFunc(rows, func(r results.ScriptRow) bool {
		known := seen[r.Benchmark]
		seen[r.Benchmark] = true
		return known
	})
}

// reduce writes the reduced scripts for the cores that solvers printed for one script.
func (act *action) reduce(store *cache.Store, runs []results.RunRow) ([]results.ScriptRow, error) {
	var script []byte
	var names judge.Names
	var rows []results.ScriptRow
	for i := range runs {
		r := &runs[i]
		response, ok, err := act.response(store, r)
		if err != nil {
			return nil, fmt.Errorf("output of %s on %s: %w", r.Solver, r.Benchmark, err)
		}
		if !ok {
			continue
		}
		if script == nil {
			if script, err = artifact.ReadBlob(store, r.ScriptSHA256); err == nil {
				names, err = judge.ScriptNames(script)
			}
			if err != nil {
				return nil, fmt.Errorf("script of %s: %w", r.Benchmark, err)
			}
		}
		core, err := judge.ParseCore(names, response)
		if err != nil {
			continue // the output is not a core; the validate stage judges it without votes
		}
		row, err := put(store, r, script, core)
		if err != nil {
			return nil, fmt.Errorf("core of %s on %s: %w", r.Solver, r.Benchmark, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// response returns a run's output after the answer unsat. ok is false if the answer was not unsat.
func (act *action) response(store *cache.Store, r *results.RunRow) (response []byte, ok bool, err error) {
	stdout, err := artifact.ReadOutput(store, r.Stdout, r.StdoutSHA256)
	if err != nil {
		return nil, false, err
	}
	stderr, err := artifact.ReadOutput(store, "", r.StderrSHA256)
	if err != nil {
		return nil, false, err
	}
	d := judge.Answer(comp.UnsatCore, stdout, stderr, judge.Run{Rules: act.rules, Ending: comp.Ending(r.Ending),
		ExitCode: r.ExitCode})
	return d.Rest, d.Answer == comp.AnswerUnsat && d.Counts, nil
}

// put reduces a script to a core and stores the result.
func put(store *cache.Store, r *results.RunRow, script []byte, core judge.Core) (results.ScriptRow, error) {
	reduced, err := judge.ReduceCore(script, core)
	if err != nil {
		return results.ScriptRow{}, err
	}
	d, err := store.PutBytes(reduced)
	if err != nil {
		return results.ScriptRow{}, err
	}
	return results.ScriptRow{
		Benchmark: results.CoreName(r.Benchmark, d.String()), Logic: r.Logic, Track: comp.SingleQuery.String(),
		Status: string(comp.StatusUnsat), Statuses: string(comp.StatusUnsat), Asserts: int64(core.Size()), CheckSats: 1,
		ScriptSHA256: d.String(), SizeBytes: int64(len(reduced)),
	}, nil
}

// validators returns the validation solvers for the logics that have runs.
func (act *action) validators(store *cache.Store, runs []results.RunRow) (cty.Value, error) {
	var all judge.Validators
	columns := []string{"logic", "solver", "verdict"}
	err := artifact.EachRow(store, act.verdicts, columns, func(_ int64, c []table.Column, i int) {
		solver := strings.Clone(c[1].StringAt(i)) // the texts belong to a page that will be released
		all.Add(act.division(strings.Clone(c[0].StringAt(i))), solver, comp.Verdict(c[2].StringAt(i)))
	})
	if err != nil {
		return cty.NilVal, err
	}
	byLogic := map[string][]string{}
	for i := range runs {
		logic := runs[i].Logic
		if _, done := byLogic[logic]; !done {
			byLogic[logic] = all.For(act.division(logic))
		}
	}
	return stages.TextLists(byLogic), nil
}

// division returns a logic's division in the single-query track.
func (act *action) division(logic string) comp.Division {
	if d, ok := act.table.Of(comp.SingleQuery.String(), comp.Logic(logic)); ok {
		return d
	}
	return comp.Division(logic)
}
