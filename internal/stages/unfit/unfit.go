// Package unfit provides the "unfit" stage: a list of benchmarks that the organisers exclude, with the reason for each.
// internal/contest/selection reads the lists.
package unfit

import (
	"context"

	"github.com/smtpipe/smtpipe/internal/contest/selection"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/results/compressed"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/choices"
)

// Kind declares the stage.
var Kind = &stages.Kind{
	Name:    "unfit",
	Version: 1,
	Summary: "Reads which benchmarks the organisers leave out, and why",
	Doc: `Reads a list of unfit benchmarks and finds each of them among the benchmarks of the release. The list is CSV with
the header benchmark,reason. A benchmark may be named without the folder of its collection. Errors are a line without a
reason, a benchmark that the release does not have, and a benchmark that is named twice.

A list takes effect in one of two places. As retired of a "filter" it acts before the draw. As removed of a "score" it acts
after the runs: the benchmarks are not scored, and no draw changes.

Source: SMT-COMP 2015, 2019, 2022 and 2026 rules, §6 "Benchmark selection", first step; and §8.`,
	Example: `stage "unfit" "retired" {
  list       = "retired.csv"
  benchmarks = stage.index.library.benchmarks
}

stage "filter" "eligible" {
  benchmarks = stage.index.library.benchmarks
  retired    = stage.unfit.retired.benchmarks
}`,
	Attrs: []stages.Attr{
		{Name: "list", Type: stages.FileType, Doc: "the list; null: nothing is excluded"},
		{Name: "benchmarks", Type: stages.TableType("benchmarks/1"), Required: true,
			Doc: "all benchmarks of the release"},
	},
	Outputs: []stages.Output{
		{Name: "benchmarks", Type: stages.TableType("unfit/1"), Doc: "the unfit benchmarks with their reasons"},
	},
	New:   newAction,
	Quick: stages.Always,
}

type action struct {
	file       stages.File
	list       []selection.Unfit
	benchmarks stages.Artifact
}

func newAction(a *stages.Args) (stages.Action, error) {
	act := &action{}
	act.benchmarks, _ = a.Artifact("benchmarks")
	f, ok := a.File("list")
	if !ok {
		return act, nil
	}
	act.file = f
	list, err := read(f.Path)
	if err != nil {
		return nil, a.Invalid("list", "Invalid list of benchmarks", stages.InFile("list", f, err, mendList).Error())
	}
	act.list = list
	return act, nil
}

// mendList tells the user what to do about a list that does not match the benchmarks.
const mendList = "Correct the list, or remove the line."

func read(path string) ([]selection.Unfit, error) {
	f, err := compressed.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return selection.ReadUnfit(f)
}

// Execute implements stages.Action.
func (act *action) Execute(_ context.Context, env *stages.Env) error {
	env.Progress.Start(int64(len(act.list)), "benchmarks", false)
	rows, err := act.find(env)
	if err != nil {
		return err
	}
	env.Progress.Add(int64(len(rows)), "")
	return stages.SetTable(env, "benchmarks", rows)
}

// find returns the rows for the listed benchmarks.
func (act *action) find(env *stages.Env) ([]results.UnfitRow, error) {
	if len(act.list) == 0 {
		return nil, nil // an empty list needs no benchmarks
	}
	b, err := choices.Open(env, act.benchmarks)
	if err != nil {
		return nil, err
	}
	paths, err := b.Paths()
	if err != nil {
		return nil, err
	}
	of, err := selection.FindUnfit(act.list, paths)
	if err != nil {
		return nil, stages.InFile("list", act.file, err, mendList)
	}
	var rows []results.UnfitRow
	for i, k := range of {
		if k >= 0 {
			rows = append(rows, results.UnfitRow{Benchmark: paths[i], Logic: b.Logics.At(i),
				Reason: act.list[k].Reason})
		}
	}
	return rows, nil
}
