// Package score provides the "score" stage: rankings and recognitions from verdicts, by a rule set. The scoring is
// internal/score; this folder fits tables to it.
package score

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/artifact"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/results"
	"github.com/smtpipe/smtpipe/internal/rules"
	scoring "github.com/smtpipe/smtpipe/internal/score"
	"github.com/smtpipe/smtpipe/internal/score/scoreio"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Kind declares the stage.
var Kind = &stages.Kind{
	Name:    "score",
	Version: 6,
	Summary: "Ranks solvers by a rule set",
	Doc: `Computes the rankings of every division and logic in every view, the winners, and the competition-wide recognitions.
The rule set is that of the competition's rules, that of a year which smtpipe has ("smtpipe rules list"), or a file of the
pipeline, as a changed copy of one ("smtpipe rules export 2026 -o my.rules.hcl"). Where the rules can be read in several ways,
readings chooses. Comments and layout of a rule set change nothing, and execute nothing again.

Benchmarks that are found unfit after the runs are given as removed, which a stage "unfit" makes of a list: they are not
scored, as if they had not been run, while their runs and the selection stay what they are (rules 2015 to 2026, §8).

A ranking whose first solver solved nothing has no winner; the column no_winner says so, and why. Verdicts that lack what their
track is scored by, or that contradict each other, are errors.`,
	Example: `stage "score" "single_query" {
  verdicts = stage.validate.single_query.verdicts
  rules    = competition.rules.scoring
}`,
	Attrs: []stages.Attr{
		{Name: "verdicts", Type: cty.List(stages.TableType("verdicts/1")), Required: true,
			Doc: "the judged runs; several tables, as of the halves of one track, are scored as one"},
		{Name: "rules", Type: cty.DynamicPseudoType, Required: true,
			KeyText: rulesKey,
			Doc:     "competition.rules.scoring, a year, as \"2026\", or file(\"my.rules.hcl\")"},
		{Name: "reading", Type: cty.String, Doc: "rules (default): the literal text; published: as the published " +
			"tables of the rule set's year came about"},
		{Name: "readings", Type: cty.Map(cty.String),
			Doc: "values of the rule set's readings that are not the default"},
		{Name: "practice", Type: cty.List(cty.String), Doc: "switches of the organisers' practice that are on, as " +
			"\"errors_by_answer\" or by D-number as \"D-ALL-5\"; \"errors_by_answer=off\" turns one of the published " +
			"ones off"},
		{Name: "tracks", Type: rules.TracksType, Inherit: []string{"tracks"}, KeyText: tracksKey,
			Doc: "logics of each division of each track; without a competition those of the year of the rule set"},
		{Name: "experimental", Type: rules.ExperimentalType, Inherit: []string{"rules", "experimental"},
			Doc: "experimental divisions by track, which the table of scores marks"},
		stages.KindsAttr,
		{Name: "divisions", Type: cty.Map(cty.String),
			Doc: "division by logic, before those of tracks. A logic that is in no division is one of its own"},
		{Name: "removed", Type: stages.TableType("unfit/1"), Doc: "benchmarks that are not scored, of any track"},
	},
	Outputs: []stages.Output{
		{Name: "scores", Type: stages.TableType("scores/1"), Doc: "the rankings"},
		{Name: "recognitions", Type: stages.TableType("recognitions/1"),
			Doc: "competition-wide rankings and removed benchmarks"},
		{Name: "winners", Type: cty.Map(cty.List(cty.String)),
			Doc: "winners by TRACK/DIVISION/VIEW; rankings that nobody won are not in it"},
	},
	New: newAction,
}

type action struct {
	verdicts  []stages.Artifact
	removed   *stages.Artifact // nil: none
	rules     *scoring.RuleSet
	readings  scoring.Readings // those that are given
	divisions map[string]string
	ofYear    bool                        // divisions are those of the rule set's year
	published bool                        // start from the practice of the rule set's year,
	practice  map[string]scoring.Readings // which is this, by track
}

func newAction(a *stages.Args) (stages.Action, error) {
	act := &action{readings: scoring.Readings{Values: map[string]string{}, Practice: map[string]bool{}},
		divisions: map[string]string{}}
	act.verdicts = a.Artifacts("verdicts")
	if r, ok := a.Artifact("removed"); ok {
		act.removed = &r
	}
	if err := act.loadRules(a); err != nil {
		return nil, err
	}
	if a.Has("readings") {
		for name, v := range a.Value("readings").AsValueMap() {
			act.readings.Values[name] = v.AsString()
		}
	}
	for _, item := range a.Strings("practice") {
		name, off := strings.CutSuffix(item, "=off")
		if err := act.rules.Turn(&act.readings, name, !off); err != nil {
			return nil, a.Invalid("practice", "Unknown practice switch", err.Error())
		}
	}
	if err := act.setReading(a); err != nil {
		return nil, err
	}
	if err := act.setDivisions(a); err != nil {
		return nil, err
	}
	if act.rules.Regroup && len(act.rules.Divisions.Tracks()) == 0 {
		return nil, a.Invalid("tracks", "No divisions", "The rule set has regroup, and there are no divisions to group "+
			"by. Write tracks = ..., in the form of competition.tracks.")
	}
	if err := act.rules.CheckReadings(act.readings); err != nil {
		return nil, a.Invalid("readings", "Unknown reading", err.Error())
	}
	return act, nil
}

// setDivisions reads the divisions.
func (act *action) setDivisions(a *stages.Args) error {
	act.ofYear = !a.Has("tracks")
	if !act.ofYear {
		act.rules.Divisions = rules.TableOf(a.Value("tracks"))
		if err := act.rules.Divisions.Check(); err != nil {
			return a.Invalid("tracks", "Logic in two divisions", err.Error()+"; leave it out of one of them.")
		}
	}
	if a.Has("experimental") {
		act.rules.Divisions = act.rules.Divisions.Clone()
		rules.MarkExperimental(&act.rules.Divisions, a.Value("experimental"))
	}
	if a.Has("divisions") {
		for logic, v := range a.Value("divisions").AsValueMap() {
			act.divisions[logic] = v.AsString()
		}
	}
	return nil
}

// setReading reads whether the literal rules or the published practice is the start.
func (act *action) setReading(a *stages.Args) error {
	if !a.Has("reading") {
		return nil
	}
	switch word := a.String("reading"); word {
	case "rules":
	case "published":
		act.published = true
	default:
		return a.Invalid("reading", "Unknown reading", fmt.Sprintf("reading is \"rules\" or \"published\", not %q.",
			word))
	}
	return nil
}

// readingsOf returns the readings for some runs: what is given, over the published practice of their tracks if that is
// the start.
func (act *action) readingsOf(runs *scoring.Runs) (scoring.Readings, error) {
	rd := scoring.Readings{Values: map[string]string{}, Practice: map[string]bool{}}
	for _, t := range runs.Tracks {
		if !act.published {
			break
		}
		p, ok := act.practice[t.Name]
		if !ok {
			return rd, fmt.Errorf("it is not known what the published tables of track %s followed, which are scored by "+
				"rule set %s", t.Name, act.rules.Name)
		}
		maps.Copy(rd.Values, p.Values)
		maps.Copy(rd.Practice, p.Practice)
	}
	maps.Copy(rd.Values, act.readings.Values)
	maps.Copy(rd.Practice, act.readings.Practice)
	return rd, nil
}

// Execute implements stages.Action.
func (act *action) Execute(ctx context.Context, env *stages.Env) error {
	rows := int64(0)
	for _, v := range act.verdicts {
		rows += v.Rows
	}
	if rows == 0 {
		env.Log.Warn("there are no runs to score; was anything selected, and did anybody enter the track?")
		return errors.Join(
			stages.SetTable(env, "scores", []results.ScoreRow{}),
			stages.SetTable(env, "recognitions", []results.RecognitionRow{}),
			env.Set("winners", cty.MapValEmpty(cty.List(cty.String))),
		)
	}
	env.Progress.Start(rows, "runs", false)
	runs, readings, err := act.load(env.Store)
	if err != nil {
		return err
	}
	result, err := scoring.Compute(ctx, act.rules, runs, readings)
	if err != nil {
		return err
	}
	env.Progress.Add(rows, "")
	return errors.Join(
		stages.SetTable(env, "scores", scoreio.ScoreRows(result, act.rules, runs)),
		stages.SetTable(env, "recognitions", scoreio.RecognitionRows(result, act.rules)),
		env.Set("winners", winners(result)),
	)
}

// load returns the runs of the stage to the scoring, and the readings for them. Only the columns that scoring needs are
// read, and no row is kept whole.
func (act *action) load(store *cache.Store) (*scoring.Runs, scoring.Readings, error) {
	var tables []*bytes.Reader
	for _, v := range act.verdicts {
		if v.Rows == 0 {
			continue
		}
		table, err := store.ReadBytes(v.Digest)
		if err != nil {
			return nil, scoring.Readings{}, err
		}
		tables = append(tables, bytes.NewReader(table))
	}
	runs, err := scoreio.ReadVerdicts(act.divide(), tables...)
	if err != nil {
		return nil, scoring.Readings{}, err
	}
	if runs, err = act.remove(store, runs); err != nil {
		return nil, scoring.Readings{}, err
	}
	readings, err := act.readingsOf(runs)
	return runs, readings, err
}

// remove leaves out the runs of benchmarks that are removed.
func (act *action) remove(store *cache.Store, runs *scoring.Runs) (*scoring.Runs, error) {
	if act.removed == nil || act.removed.Rows == 0 {
		return runs, nil
	}
	rows, err := artifact.ReadTable[results.UnfitRow](store, *act.removed)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, r := range rows {
		names[r.Benchmark] = true
	}
	left := runs.Without(names)
	if left.Len() == 0 {
		return nil, errors.New("there are no runs to score: all benchmarks that were run are removed")
	}
	return left, nil
}

func (act *action) divide() *scoreio.Divide {
	return scoreio.DivideBy(act.rules.Divisions, act.divisions, act.rules.Kinds)
}

// winners lists the winners of every ranking of a whole division.
func winners(r *scoring.Result) cty.Value {
	all := map[string]cty.Value{}
	for _, t := range r.Tracks {
		for _, d := range t.Divisions {
			for _, ranking := range d.Rankings {
				if len(ranking.Winners) == 0 || !d.Competitive {
					continue
				}
				var names []cty.Value
				for _, w := range ranking.Winners {
					names = append(names, cty.StringVal(w))
				}
				all[t.Name+"/"+d.Name+"/"+ranking.View] = cty.ListVal(names)
			}
		}
	}
	if len(all) == 0 {
		return cty.MapValEmpty(cty.List(cty.String))
	}
	return cty.MapVal(all)
}
