// Package scoring holds the common parts of stages that score verdicts: their attributes and the code that reads them.
// internal/contest/score does the scoring.
package scoring

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/contest/score/scoreio"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Attrs are the attributes that determine how verdicts are scored.
var Attrs = []stages.Attr{
	{Name: "verdicts", Type: cty.List(stages.TableType("verdicts/1")), Required: true, Joined: true,
		Doc: "the judged runs; several tables, such as those of the halves of one track, are scored as one"},
	{Name: "rules", Type: cty.DynamicPseudoType, Required: true,
		KeyText: rulesKey,
		Doc:     "competition.rules.scoring, a year, such as \"2026\", or file(\"my.rules.hcl\")"},
	{Name: "reading", Type: cty.String, Doc: "rules (default): the literal text; published: the practice behind the " +
		"published tables of the rule set's year"},
	{Name: "readings", Type: cty.Map(cty.String),
		Doc: "non-default values of the rule set's readings"},
	{Name: "practice", Type: cty.List(cty.String), Doc: "organisers' practice switches to turn on, such as " +
		"\"errors_by_answer\" or, by D-number, \"D-ALL-5\"; \"errors_by_answer=off\" turns one of the published " +
		"ones off"},
	{Name: "tracks", Type: rules.TracksType, Inherit: []string{"tracks"}, KeyText: tracksKey,
		Doc: "logics of each division of each track; without a competition, those of the rule set's year"},
	{Name: "experimental", Type: rules.ExperimentalType, Inherit: []string{"rules", "experimental"},
		Doc: "experimental divisions by track, which the table of scores marks"},
	stages.KindsAttr,
	{Name: "divisions", Type: cty.Map(cty.String),
		Doc: "division by logic, overriding those of tracks. A logic that is in no division is a division of its own"},
	{Name: "removed", Type: stages.TableType("unfit/1"), Doc: "benchmarks that are not scored, of any track"},
}

// Input holds the attributes' values.
type Input struct {
	Verdicts []stages.Artifact
	Rules    *score.RuleSet

	removed   *stages.Artifact // nil if no benchmarks are removed
	readings  score.Readings   // readings given by the stage's attributes
	divisions map[string]string
	ofYear    bool                      // the divisions come from the rule set's year
	published bool                      // readings start from the practice of the rule set's year
	practice  map[string]score.Readings // practice of that year, by track
}

// New reads the attributes into an Input.
func New(a *stages.Args) (*Input, error) {
	in := &Input{Verdicts: a.Artifacts("verdicts"), divisions: a.TextMap("divisions"),
		readings: score.Readings{Values: a.TextMap("readings"), Practice: map[string]bool{}},
		removed:  a.OptionalArtifact("removed")}
	if err := in.loadRules(a); err != nil {
		return nil, err
	}
	for _, item := range a.Strings("practice") {
		name, off := strings.CutSuffix(item, "=off")
		if err := in.Rules.Turn(&in.readings, name, !off); err != nil {
			return nil, a.Invalid("practice", "Unknown practice switch", err.Error())
		}
	}
	if err := in.setReading(a); err != nil {
		return nil, err
	}
	if err := in.setDivisions(a); err != nil {
		return nil, err
	}
	if in.Rules.Regroup && len(in.Rules.Divisions.Tracks()) == 0 {
		return nil, a.Invalid("tracks", "No divisions", "The rule set has regroup, and there are no divisions to group "+
			"by. Write tracks = ..., in the form of competition.tracks.")
	}
	if err := in.Rules.CheckReadings(in.readings); err != nil {
		return nil, a.Invalid("readings", "Unknown reading", err.Error())
	}
	return in, in.rehearse(a)
}

// setDivisions sets the divisions.
func (in *Input) setDivisions(a *stages.Args) error {
	in.ofYear = !a.Has("tracks")
	if !in.ofYear {
		in.Rules.Divisions = rules.TableOf(a.Value("tracks"))
		if err := in.Rules.Divisions.Check(); err != nil {
			return a.Invalid("tracks", "Logic in two divisions", err.Error()+"; remove it from one of them.")
		}
	}
	if a.Has("experimental") {
		in.Rules.Divisions = in.Rules.Divisions.Clone()
		rules.MarkExperimental(&in.Rules.Divisions, a.Value("experimental"))
	}
	return nil
}

// setReading determines whether readings start from the literal rules or from the published practice.
func (in *Input) setReading(a *stages.Args) error {
	if !a.Has("reading") {
		return nil
	}
	switch word := a.String("reading"); word {
	case "rules":
	case "published":
		in.published = true
	default:
		return a.Invalid("reading", "Unknown reading", fmt.Sprintf("reading must be \"rules\" or \"published\", "+
			"not %q.",
			word))
	}
	return nil
}

// ReadingsOf returns the readings for the given runs: the stage's readings, applied to the published practice of the
// runs' tracks if readings start from it.
func (in *Input) ReadingsOf(runs *score.Runs) (score.Readings, error) {
	rd := score.Readings{Values: map[string]string{}, Practice: map[string]bool{}}
	for _, t := range runs.Tracks {
		if !in.published {
			break
		}
		p, ok := in.practice[t.Name]
		if !ok {
			return rd, fmt.Errorf("it is not known which practice the published tables of track %s followed, which are scored by "+
				"rule set %s", t.Name, in.Rules.Name)
		}
		maps.Copy(rd.Values, p.Values)
		maps.Copy(rd.Practice, p.Practice)
	}
	maps.Copy(rd.Values, in.readings.Values)
	maps.Copy(rd.Practice, in.readings.Practice)
	return rd, nil
}

// SameRuns reports whether two stages score the same runs in the same divisions.
func (in *Input) SameRuns(o *Input) bool {
	return slices.EqualFunc(in.Verdicts, o.Verdicts, func(a, b stages.Artifact) bool { return a.Digest == b.Digest }) &&
		maps.Equal(in.divisions, o.divisions) && in.Rules.Divisions.String() == o.Rules.Divisions.String()
}

// RuleSet returns the rule set that the stage uses.
func (in *Input) RuleSet() *score.RuleSet { return in.Rules }

// Rows returns the number of verdicts.
func (in *Input) Rows() int64 {
	rows := int64(0)
	for _, v := range in.Verdicts {
		rows += v.Rows
	}
	return rows
}

// Load returns the stage's runs for scoring, and their readings. It reads only the columns that scoring needs, and
// keeps no complete row. If kept is not nil, it takes many runs from an earlier execution on verdicts that differ only
// in what they tell about entrants.
func (in *Input) Load(store *cache.Store, kept *stages.Kept) (*score.Runs, score.Readings, error) {
	var runs *score.Runs
	var err error
	if kept == nil || in.Rows() < keptRows {
		runs, err = in.read(store)
	} else {
		runs, err = in.keptOrRead(store, kept)
	}
	if err != nil {
		return nil, score.Readings{}, err
	}
	if runs, err = in.remove(store, runs); err != nil {
		return nil, score.Readings{}, err
	}
	readings, err := in.ReadingsOf(runs)
	return runs, readings, err
}

func (in *Input) keptOrRead(store *cache.Store, kept *stages.Kept) (runs *score.Runs, err error) {
	entered, err := kept.Entered(in.Verdicts)
	if err != nil {
		return nil, err
	}
	id := in.runsID(entered.Rest)
	if described, err := in.describe(entered.Kinds); err == nil && kept.Kept(id, func(r io.Reader) (err error) {
		if runs, err = score.Unpack(r); err == nil && (int64(runs.Len()) != in.Rows() || !runs.Describe(described)) {
			err = errors.New("other runs")
		}
		return err
	}) {
		return runs, nil
	}
	if runs, err = in.read(store); err != nil {
		return nil, err
	}
	return runs, kept.Keep(id, runs.Pack)
}

// describe reads the solvers from rows with nothing but what is known about them. It returns an error for whatever
// would be an error in a table of verdicts.
func (in *Input) describe(kinds []results.VerdictRow) (*score.Runs, error) {
	var table bytes.Buffer
	rows := make([]results.VerdictRow, len(kinds))
	for i, k := range kinds {
		rows[i] = results.VerdictRow{Identity: k.Identity, Entrant: k.Entrant, Judged: run.Unjudged()}
		rows[i].Benchmark, rows[i].Logic, rows[i].WallLimitS, rows[i].Cores = fmt.Sprint(i), "none", 1, 1
		rows[i].Checks, rows[i].ChecksCorrect, rows[i].ChecksWrong = 0, 0, 0
	}
	if err := results.Write(&table, rows); err != nil {
		return nil, err
	}
	return scoreio.ReadVerdicts(in.divide(), bytes.NewReader(table.Bytes()))
}

// keptRows is the number of runs from which they are kept: fewer are read as fast from the table.
const keptRows = 50_000

// runsID identifies the runs, apart from what is known about the solvers, by the rest of the verdicts and by their
// divisions.
func (in *Input) runsID(rest string) string {
	return fmt.Sprintf("runs/3 %q %q %s %s", in.divisions, in.Rules.Kinds, in.Rules.Divisions.String(), rest)
}

// read reads the runs from the tables of verdicts.
func (in *Input) read(store *cache.Store) (*score.Runs, error) {
	var tables []*bytes.Reader
	for _, v := range in.Verdicts {
		if v.Rows == 0 {
			continue
		}
		table, err := store.ReadBytes(v.Digest)
		if err != nil {
			return nil, err
		}
		tables = append(tables, bytes.NewReader(table))
	}
	runs, err := scoreio.ReadVerdicts(in.divide(), tables...)
	if e, ok := errors.AsType[*scoreio.EmptyError](err); ok && e.Column == "team" {
		return nil, &stages.DataError{Attr: "verdicts", Err: err, Remedy: "The verdicts do not tell who takes part. " +
			"Join them with the table of entrants in a stage \"verdicts\", or give the stage \"execute\" the table " +
			"solvers of the stage \"solvers\" instead of programs."}
	}
	return runs, err
}

// remove drops the runs on removed benchmarks.
func (in *Input) remove(store *cache.Store, runs *score.Runs) (*score.Runs, error) {
	if in.removed == nil || in.removed.Rows == 0 {
		return runs, nil
	}
	rows, err := artifact.ReadTable[results.UnfitRow](store, *in.removed)
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

// Division returns a logic's division in a track.
func (in *Input) Division(track, logic string) string { return in.divide().Of(track, logic) }

func (in *Input) divide() *scoreio.Divide {
	return scoreio.DivideBy(in.Rules.Divisions, in.divisions, in.Rules.Kinds)
}
