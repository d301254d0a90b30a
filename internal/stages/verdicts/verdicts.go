// Package verdicts provides the "verdicts" stage: it joins judged runs with information about their entrants.
package verdicts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Kind declares the stage.
var Kind = &stages.Kind{
	Name:    "verdicts",
	Version: 2,
	Summary: "Joins judged runs with entrants",
	Doc: `Writes information about entrants into the verdicts: team, base solver, whether the solver was submitted to
compete, is open source and is new, and why it cannot win. Runs of entrants that the rules do not rank, such as those that were
withdrawn or disqualified, are in the output unranked. No solver is executed, and no output is judged again: after a team is
corrected, or a reason against an entrant is added, only this stage and those that depend on it are executed.

Entrants are tables of a stage "submissions" or "import", or solver blocks, such as solver for all. Information that they lack stays as
it is in the verdicts. If several have it, the last one counts. Without entrants, the verdicts are those of the input. A solver
that has runs and is not an entrant of the track is an error.`,
	Example: `stage "verdicts" "single_query" {
  verdicts = stage.validate.single_query.verdicts
  entrants = [stage.submissions.entrants.entrants]
}`,
	Attrs: []stages.Attr{
		{Name: "verdicts", Type: stages.TableType("verdicts/1"), Required: true, Doc: "the judged runs"},
		{Name: "entrants", Type: cty.DynamicPseudoType, InKey: stages.Entrants, Named: true,
			Doc: "tables of entrants, solver blocks, or both; none: the columns of the verdicts apply"},
	},
	Outputs: []stages.Output{
		{Name: "verdicts", Type: stages.TableType("verdicts/1"), Doc: "the runs of the entrants that are ranked"},
		{Name: "unranked", Type: stages.TableType("verdicts/1"), Doc: "the runs of the others"},
		{Name: "entrants", Type: stages.TableType("entrants/1"),
			Doc: "the joined entrants with runs, and the runs' logics; empty if nothing was joined"},
	},
	New:    newAction,
	Quick:  stages.Always,
	Extent: stages.BoundedBy("verdicts"),
}

type action struct {
	verdicts stages.Artifact
	entrants []cty.Value // tables and solver blocks
}

func newAction(a *stages.Args) (stages.Action, error) {
	act := &action{}
	act.verdicts, _ = a.Artifact("verdicts")
	v := a.Value("entrants")
	if v.IsNull() {
		return act, nil
	}
	if err := stages.EachEntrant(v, func(e cty.Value) { act.entrants = append(act.entrants, e) }); err != nil {
		return nil, a.Invalid("entrants", "Invalid entrants", strings.ReplaceAll(err.Error(), "\n", "; ")+".")
	}
	return act, nil
}

// Execute implements stages.Action.
func (act *action) Execute(ctx context.Context, env *stages.Env) error {
	if len(act.entrants) == 0 {
		if err := env.Set("verdicts", stages.ArtifactVal(act.verdicts)); err != nil {
			return err
		}
		return errors.Join(stages.SetTable(env, "unranked", []results.VerdictRow{}),
			stages.SetTable(env, "entrants", []results.EntrantRow{}))
	}
	all, err := artifact.OpenTable[results.VerdictRow](env.Store, act.verdicts)
	if err != nil {
		return err
	}
	v, err := verdictsOf(all)
	if err != nil {
		return err
	}
	j := joining{}
	for _, e := range act.entrants {
		art, ok := stages.ArtifactOf(e)
		if !ok {
			j.add(entrantsOf(e, v.kinds))
			continue
		}
		entrants, err := artifact.ReadTable[results.EntrantRow](env.Store, art)
		if err != nil {
			return err
		}
		j.add(entrants)
	}
	isRanked, err := j.join(v.kinds)
	if err != nil {
		return &stages.DataError{Attr: "entrants", Err: err,
			Remedy: "Take the table of the stage \"submissions\" whose solvers were executed, or their solver blocks."}
	}
	ranked, unranked, err := v.split(isRanked)
	if err != nil {
		return err
	}
	return env.SetAll(ctx,
		func() error { return stages.SetColumns(env, "verdicts", ranked) },
		func() error { return stages.SetColumns(env, "unranked", unranked) },
		func() error { return stages.SetTable(env, "entrants", j.entrants()) })
}

// ExplainItem implements stages.ItemExplainer: it returns the origin of the verdict on run BENCHMARK@SOLVER, and the
// columns joined to it.
func (act *action) ExplainItem(store *cache.Store, outputs map[string]cty.Value, item string) ([]cache.Component,
	error) {
	return stages.ExplainVerdict(store, item, outputs["verdicts"], outputs["unranked"])
}

// entrantsOf returns an entrant row for each track that has runs and that the solver block enters.
func entrantsOf(block cty.Value, rows []results.VerdictRow) (all []results.EntrantRow) {
	tracks := stages.Texts(block.GetAttr("tracks"))
	competes, base, kind := stages.Holds(block, "competitive"), stages.Text(block, "base_solver"), "standalone"
	if base != "" {
		kind = "derived"
	}
	seen := map[string]bool{}
	for i := range rows {
		track := rows[i].Track
		if seen[track] || len(tracks) > 0 && !slices.Contains(tracks, track) {
			continue
		}
		seen[track] = true
		all = append(all, results.EntrantRow{
			Track: track, Solver: stages.Text(block, "name"), Team: stages.Text(block, "team"),
			Type: cmp.Or(stages.Text(block, "type"), kind), BaseSolver: base,
			Submitted: results.YesNo(competes), OpenSource: results.YesNo(stages.Holds(block, "open_source")),
			NewEntrant: results.YesNo(stages.Holds(block, "new_entrant")),
			Seed:       competes && !block.GetAttr("seed").IsNull(), Runs: true, Competes: competes, Ranked: true,
		})
	}
	return all
}

// joining holds each table's or block's entrants by track and solver, and records which rows were joined.
type joining struct {
	entered []map[place][]*results.EntrantRow
	joined  map[at]*joined
}

type place struct{ track, solver string }

// at identifies a track, solver and logic, for which the same entrants apply.
type at struct {
	place
	logic string
}

type joined struct {
	entrants []*results.EntrantRow // one entrant from each table that has one here
	row      results.EntrantRow    // the entrants' combined columns
}

func (j *joining) add(entrants []results.EntrantRow) {
	entered := map[place][]*results.EntrantRow{}
	for i := range entrants {
		in := place{entrants[i].Track, entrants[i].Solver}
		entered[in] = append(entered[in], &entrants[i])
	}
	j.entered = append(j.entered, entered)
}

// join writes the entrants' columns into rows and reports which of them have a rank.
func (j *joining) join(rows []results.VerdictRow) (isRanked []bool, err error) {
	j.joined = map[at]*joined{}
	isRanked = make([]bool, len(rows))
	var wrong []string
	for i := range rows {
		v := &rows[i]
		in := at{place{v.Track, v.Solver}, v.Logic}
		of := j.joined[in]
		if of == nil {
			of = j.find(in)
			j.joined[in] = of
		}
		if len(of.entrants) == 0 {
			wrong = append(wrong, fmt.Sprintf("%s in track %s", v.Solver, v.Track))
			continue
		}
		isRanked[i] = true
		for _, e := range of.entrants {
			set(v, e)
			isRanked[i] = isRanked[i] && e.Ranked && !slices.Contains(e.Unranked, v.Logic)
		}
		of.set(v, isRanked[i])
	}
	if len(wrong) > 0 {
		slices.Sort(wrong)
		return nil, fmt.Errorf("the table has no entrant %s, which has runs",
			strings.Join(slices.Compact(wrong), ", "))
	}
	for in, of := range j.joined {
		if of.row.Type == "derived" && of.row.BaseSolver == "" {
			wrong = append(wrong, in.solver)
		}
	}
	if len(wrong) > 0 {
		slices.Sort(wrong)
		return nil, fmt.Errorf("%s is derived but has no base_solver; name the solver that it is derived from",
			strings.Join(slices.Compact(wrong), ", "))
	}
	return isRanked, nil
}

// find returns the entrants that apply to runs. The combined row contains the columns that verdicts lack.
func (j *joining) find(in at) *joined {
	of := &joined{}
	for _, entered := range j.entered {
		if e := find(entered[in.place], in.logic); e != nil {
			of.entrants = append(of.entrants, e)
			kind := cmp.Or(e.Type, of.row.Type)
			of.row = *e
			of.row.Type = kind
		}
	}
	return of
}

// set completes the row from the verdict on a run.
func (of *joined) set(v *results.VerdictRow, ranked bool) {
	r := &of.row
	r.Team, r.BaseSolver, r.Barred, r.Submitted = v.Team, v.BaseSolver, v.Barred, results.YesNo(v.Competitive)
	r.OpenSource, r.NewEntrant = results.YesNo(v.OpenSource), results.YesNo(v.NewEntrant)
	r.Ranked = ranked
}

// entrants returns a row for each participation with runs, listing the logics of these runs.
func (j *joining) entrants() []results.EntrantRow {
	type key struct {
		place
		participation int64
	}
	all := map[key]*results.EntrantRow{}
	places := slices.SortedFunc(maps.Keys(j.joined), func(a, b at) int {
		return cmp.Or(cmp.Compare(a.track, b.track), cmp.Compare(a.solver, b.solver), cmp.Compare(a.logic, b.logic))
	})
	for _, in := range places {
		of := j.joined[in]
		k := key{in.place, of.row.Participation}
		if all[k] == nil {
			row := of.row
			row.Logics, row.Unranked, row.Ranked = nil, nil, false
			all[k] = &row
		}
		row := all[k]
		row.Logics = append(row.Logics, in.logic)
		if row.Ranked = row.Ranked || of.row.Ranked; !of.row.Ranked {
			row.Unranked = append(row.Unranked, in.logic)
		}
	}
	var rows []results.EntrantRow
	for _, row := range all {
		if !row.Ranked {
			row.Unranked = nil
		}
		rows = append(rows, *row)
	}
	return rows
}

// find returns the participation that enters a logic, or else the first one; nil if there are none.
func find(participations []*results.EntrantRow, logic string) *results.EntrantRow {
	for _, e := range participations {
		if len(e.Logics) == 0 || slices.Contains(e.Logics, logic) {
			return e
		}
	}
	if len(participations) > 0 {
		return participations[0]
	}
	return nil
}

// set copies an entrant's non-empty columns into a verdict. Columns without information stay unchanged.
func set(v *results.VerdictRow, e *results.EntrantRow) {
	if e.Team != "" {
		v.Team = e.Team
	}
	if e.Type != "" {
		v.BaseSolver = e.BaseSolver
	}
	for _, c := range []struct {
		word string
		to   *bool
	}{{e.Submitted, &v.Competitive}, {e.OpenSource, &v.OpenSource}, {e.NewEntrant, &v.NewEntrant}} {
		if c.word != "" {
			*c.to = c.word == "yes"
		}
	}
	if e.Barred != "" || e.Submitted != "" {
		v.Barred = e.Barred
	}
}
