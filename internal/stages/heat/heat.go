// Package heat provides the "heat" stage: one of the heats into which the selected benchmarks are divided.
// internal/contest/selection divides them.
package heat

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/contest/selection"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/choices"
)

// Kind declares the stage.
var Kind = &stages.Kind{
	Name:    "heat",
	Version: 2,
	Summary: "Selects one of the heats of a selection, or the first few",
	Doc: `Divides benchmarks by lot into heats, group by group, in proportion to the weights. The outputs are the benchmarks
of one heat, or of all heats up to and including a given one. Heats are executed in order. If the time does not suffice, incomplete heats are
ignored: if through is raised step by step from 1, a heat is executed only after those before it are complete, and finished
runs are not executed again. Stages with the same benchmarks, weights and seed divide them in the same way, so that their
heats are disjoint and together contain all benchmarks. stop ends single groups earlier, such as divisions whose winner
"smtpipe decided" is certain of. The order of the draws is written down in docs/write/randomness.md.

Source: SMT-COMP 2015, 2019, 2022 and 2026 rules, §6 "Heats": for each track and division, randomly divided into a number of
possibly unequal heats.`,
	Example: `stage "heat" "single_query" {
  benchmarks = stage.cap.single_query.benchmarks
  weights    = [2, 1] # two thirds first
  through    = var.heats
  seed       = local.seed
}`,
	Attrs: []stages.Attr{
		{Name: "benchmarks", Type: stages.TableType("benchmarks/1"), Required: true, Doc: "the selected benchmarks"},
		{Name: "weights", Type: cty.List(cty.Number), Required: true,
			Doc: "sizes of the heats in proportion to each other, as whole numbers"},
		{Name: "heat", Type: cty.Number, Whole: stages.WholeFrom(1), Doc: "number of the heat to select"},
		{Name: "through", Type: cty.Number, Whole: stages.WholeFrom(1),
			Doc: "instead of heat: select the heats from 1 to this number"},
		{Name: "stop", Type: cty.Map(cty.Number),
			Doc: "groups that end earlier than the others, with their last heat"},
		{Name: "group_by", Type: cty.String, Row: &stages.Row{Scope: rowexpr.Scope{Vars: []rowexpr.Var{
			{Name: "b", Record: stages.RecordOf(results.SchemaOf[results.BenchmarkRow]()), Doc: "the benchmark"},
		}}}, Doc: "the group that is divided separately, such as the division; default: the logic"},
		{Name: "seed", Type: cty.Number, Whole: stages.Seed32, Required: true, Secret: true,
			Doc: "the competition's seed"},
	},
	Outputs: choices.Outputs("group"),
	New:     newAction,
	Quick:   stages.Always,
	Extent:  stages.BoundedBy("benchmarks"),
}

type action struct {
	choices.Explained
	benchmarks stages.Artifact
	groupBy    *rowexpr.Expr
	weights    []int
	stop       map[string]int
	first      int // first heat in the outputs
	last       int // last heat in the outputs
	seed       uint32
}

func newAction(a *stages.Args) (stages.Action, error) {
	act := &action{groupBy: a.Row("group_by")}
	act.benchmarks, _ = a.Artifact("benchmarks")
	sum := int64(0)
	for _, v := range a.List("weights") {
		w, _ := v.AsBigFloat().Int64()
		if w < 0 || w > 1<<20 || !v.AsBigFloat().IsInt() {
			return nil, a.Invalid("weights", "Invalid weight", "A weight is a whole number from 0 to 1048576.")
		}
		sum += w
		act.weights = append(act.weights, int(w))
	}
	if sum == 0 {
		return nil, a.Invalid("weights", "No weight above 0", "Some heat must have a part of the benchmarks.")
	}
	if err := act.setHeats(a); err != nil {
		return nil, err
	}
	act.stop = map[string]int{}
	stop := a.Map("stop")
	for _, group := range slices.Sorted(maps.Keys(stop)) {
		v := stop[group]
		n, _ := v.AsBigFloat().Int64()
		if n < 1 || !v.AsBigFloat().IsInt() {
			return nil, a.Invalid("stop", "Invalid number of a heat", fmt.Sprintf(
				"%s must end after a whole number of heats, at least 1.", group))
		}
		act.stop[group] = int(min(n, int64(len(act.weights))))
	}
	act.seed = uint32(a.Int("seed"))
	return act, nil
}

// setHeats reads which heats the outputs contain.
func (act *action) setHeats(a *stages.Args) error {
	name := "heat"
	if a.Has("through") {
		if name = "through"; a.Has("heat") {
			return a.Invalid("through", "One heat and several", "Give either heat or through.")
		}
	}
	if !a.Has(name) {
		return a.Invalid("heat", "No heat", "Set heat, or set through to select the first heats.")
	}
	n := a.Int(name)
	if n > int64(len(act.weights)) {
		return a.Invalid(name, "No such heat", fmt.Sprintf("The heat must be from 1 to %d, as the weights are.",
			len(act.weights)))
	}
	if act.first, act.last = int(n), int(n); name == "through" {
		act.first = 1
	}
	return nil
}

// Execute implements stages.Action.
func (act *action) Execute(ctx context.Context, env *stages.Env) error {
	b, err := choices.Open(env, act.benchmarks)
	if err != nil {
		return err
	}
	env.Progress.Start(int64(b.Len()), "benchmarks", false)
	items, err := b.Items(ctx, act.groupBy)
	if err != nil {
		return err
	}
	groups := map[string]bool{}
	for _, item := range items {
		groups[item.Group] = true
	}
	for _, group := range slices.Sorted(maps.Keys(act.stop)) {
		if !groups[group] {
			all := slices.Sorted(maps.Keys(groups))
			return &stages.DataError{Attr: "stop", Err: fmt.Errorf("no benchmark is in the group %q", group),
				Remedy: "The groups are " + strings.Join(all, ", ") + "."}
		}
	}
	heats, err := selection.Heats(items, act.weights, act.seed)
	if err != nil {
		return err
	}
	env.Progress.Add(int64(b.Len()), "")
	return act.setOutputs(env, b, items, heats)
}

func (act *action) setOutputs(env *stages.Env, b *choices.Benchmarks, items []selection.Item, heats []int) error {
	made := choices.New(b.Len())
	counts := map[string]*results.SelectionRow{}
	for i := range heats {
		stop, early := act.stop[items[i].Group]
		in := act.first <= heats[i] && heats[i] <= act.last && (!early || heats[i] <= stop)
		made.Set(i, in, made.Reason(fmt.Sprintf("in heat %d", heats[i])))
		g := counts[items[i].Group]
		if g == nil {
			g = &results.SelectionRow{Group: items[i].Group}
			counts[items[i].Group] = g
		}
		g.Eligible++
		if in {
			g.Quota++
			g.Selected++
		}
	}
	groups := make([]results.SelectionRow, 0, len(counts))
	for _, g := range counts {
		groups = append(groups, *g) // the table is sorted when it is written
	}
	return made.SetSelection(env, b, groups)
}

// Heats returns the last heat in the outputs and the number of heats.
func (act *action) Heats() (last, all int) { return act.last, len(act.weights) }
