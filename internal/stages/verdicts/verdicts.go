// Package verdicts provides the "verdicts" stage: it joins judged runs with who takes part.
package verdicts

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/artifact"
	"github.com/smtpipe/smtpipe/internal/results"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Kind declares the stage.
var Kind = &stages.Kind{
	Name:    "verdicts",
	Version: 1,
	Summary: "Joins judged runs with who takes part",
	Doc: `Writes into the verdicts what the table of entrants says about their solvers: team, base solver, whether the solver was
submitted to compete, is open source and is new, and why it cannot win. Runs of entrants that the rules do not rank, such as
those that were withdrawn or disqualified, are in the output unranked. No solver is executed, and no output is judged again:
after a team is corrected, or a reason against an entrant is added, only this stage and those that depend on it are executed.

What the table does not tell stays as it is in the verdicts. Of several tables, such as that of a stage "import" and that of a
stage "submissions", what a later one tells counts. Without entrants, the verdicts are those of the input. A solver that has runs
and is no entrant of the track is an error.`,
	Example: `stage "verdicts" "single_query" {
  verdicts = stage.validate.single_query.verdicts
  entrants = [stage.submissions.entrants.entrants]
}`,
	Attrs: []stages.Attr{
		{Name: "verdicts", Type: stages.TableType("verdicts/1"), Required: true, Doc: "the judged runs"},
		{Name: "entrants", Type: cty.List(stages.TableType("entrants/1")),
			Doc: "who takes part; none: the columns of the verdicts say it"},
	},
	Outputs: []stages.Output{
		{Name: "verdicts", Type: stages.TableType("verdicts/1"), Doc: "the runs of the entrants that are ranked"},
		{Name: "unranked", Type: stages.TableType("verdicts/1"), Doc: "the runs of the others"},
	},
	New:   newAction,
	Quick: stages.Always,
	Bound: func(_ *stages.Args, rows func(string) (int64, bool)) (int64, bool) {
		return rows("verdicts")
	},
}

type action struct {
	verdicts stages.Artifact
	entrants []stages.Artifact
}

func newAction(a *stages.Args) (stages.Action, error) {
	act := &action{entrants: a.Artifacts("entrants")}
	act.verdicts, _ = a.Artifact("verdicts")
	return act, nil
}

// Execute implements stages.Action.
func (act *action) Execute(_ context.Context, env *stages.Env) error {
	if len(act.entrants) == 0 {
		if err := env.Set("verdicts", stages.ArtifactVal(act.verdicts)); err != nil {
			return err
		}
		return stages.SetTable(env, "unranked", []results.VerdictRow{})
	}
	rows, err := artifact.ReadTable[results.VerdictRow](env.Store, act.verdicts)
	if err != nil {
		return err
	}
	tables := make([][]results.EntrantRow, len(act.entrants))
	for i, art := range act.entrants {
		if tables[i], err = artifact.ReadTable[results.EntrantRow](env.Store, art); err != nil {
			return err
		}
	}
	ranked, unranked, err := join(rows, tables...)
	if err != nil {
		return &stages.DataError{Attr: "entrants", Err: err,
			Remedy: "Take the table of the stage \"submissions\" whose solvers were executed."}
	}
	if err := stages.SetTable(env, "verdicts", ranked); err != nil {
		return err
	}
	return stages.SetTable(env, "unranked", unranked)
}

type place struct{ track, solver string }

// join writes what the tables of entrants say into rows, and separates those without a rank.
func join(rows []results.VerdictRow, tables ...[]results.EntrantRow) (ranked, unranked []results.VerdictRow,
	err error) {
	entered := make([]map[place][]*results.EntrantRow, len(tables))
	for k, entrants := range tables {
		entered[k] = map[place][]*results.EntrantRow{}
		for i := range entrants {
			at := place{entrants[i].Track, entrants[i].Solver}
			entered[k][at] = append(entered[k][at], &entrants[i])
		}
	}
	var strangers []string
	for i := range rows {
		v, known, inRank := &rows[i], false, true
		for _, of := range entered {
			if e := find(of[place{v.Track, v.Solver}], v.Logic); e != nil {
				set(v, e)
				known, inRank = true, inRank && e.Ranked && !slices.Contains(e.Unranked, v.Logic)
			}
		}
		switch {
		case !known:
			strangers = append(strangers, fmt.Sprintf("%s in the track %s", v.Solver, v.Track))
		case inRank:
			ranked = append(ranked, *v)
		default:
			unranked = append(unranked, *v)
		}
	}
	if len(strangers) > 0 {
		slices.Sort(strangers)
		return nil, nil, fmt.Errorf("the table has no entrant %s, which has runs",
			strings.Join(slices.Compact(strangers), ", "))
	}
	return ranked, unranked, nil
}

// find returns the participation that enters a logic, or else the first; nil: there is none.
func find(participations []*results.EntrantRow, logic string) *results.EntrantRow {
	for _, e := range participations {
		if slices.Contains(e.Logics, logic) {
			return e
		}
	}
	if len(participations) > 0 {
		return participations[0]
	}
	return nil
}

// set writes what is known about an entrant into a row. Empty columns are not published.
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
