package config

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/base/hclsource"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Warnings returns probable mistakes by the organisers. Some concern the known solvers of stages that measure solvers,
// recognised by their attributes solvers and track: solvers without a seed, logics that are not in the competition, and
// divisions with one team, which the rules do not count as competitive. Warnings also reports deadlines that are not
// checked (attributes received and rules), stages that leave no benchmarks, and unfinished parts. blocks contains the
// instances of the stage blocks to check, as Expand returns them.
func (p *Pipeline) Warnings(blocks map[string][]stages.Instance, known stages.Known) hcl.Diagnostics {
	diags := append(p.Unfinished(), p.unused()...)
	for _, n := range p.nodes {
		given := func(attr string) bool { return stages.FindAttr(n.Kind.Attrs, attr) != nil }
		for _, inst := range blocks[n.Addr] {
			if selects(n.Kind) {
				diags = append(diags, noneLeft(inst, known)...)
			}
			if n.Kind.Measured {
				diags = append(diags, tooSmall(inst)...)
			}
			if given("verdicts") && given("rules") {
				diags = append(diags, p.limitWarnings(inst, n, blocks)...)
			}
			if given("received") {
				diags = append(diags, deadlineWarnings(inst)...)
			}
			if n.Kind.Measured && given("solvers") && given("track") {
				diags = append(diags, p.entrantWarnings(inst)...)
			}
		}
	}
	return tidy(diags)
}

// limitWarnings warns about rule set limits that no run can reach.
func (p *Pipeline) limitWarnings(inst stages.Instance, n stages.Node, blocks map[string][]stages.Instance,
) hcl.Diagnostics {
	act, err := inst.Action, error(nil)
	if act == nil {
		act, err = inst.Kind.New(inst.Args.Trial())
	}
	ranks, ok := act.(interface {
		WarnOfLimits(longest map[string]time.Duration) hcl.Diagnostics
	})
	if err != nil || !ok {
		return nil // errors are reported with the instance
	}
	return ranks.WarnOfLimits(p.longest(n, blocks))
}

// longest returns the largest wall time limit in each track that is measured for a stage.
func (p *Pipeline) longest(of stages.Node, blocks map[string][]stages.Instance) map[string]time.Duration {
	all, needed := map[string]time.Duration{}, map[string]bool{of.Addr: true}
	for _, n := range slices.Backward(p.nodes) {
		if !needed[n.Addr] {
			continue
		}
		for _, dep := range n.Deps {
			needed[dep] = true
		}
		if !n.Kind.Measured || stages.FindAttr(n.Kind.Attrs, "track") == nil {
			continue
		}
		for _, inst := range blocks[n.Addr] {
			for _, limits := range inst.Args.Blocks("limits") {
				if track := inst.Args.Value("track"); known(track) && known(limits.Value("wall_time")) {
					all[track.AsString()] = max(all[track.AsString()], limits.Duration("wall_time"))
				}
			}
		}
	}
	return all
}

// Unfinished warns about decisions that people must still make: comments that begin with "# undecided" in the files of
// the pipeline, its modules and its year, and tracks that the year declares but does not score.
func (p *Pipeline) Unfinished() (diags hcl.Diagnostics) {
	for name, file := range p.Sources() {
		diags = append(diags, hclsource.Undecided(file.Bytes, name)...)
	}
	if r := p.competition.Rules; r != nil {
		if src, name, err := r.ScoringSource(); err == nil {
			more := hclsource.Undecided(src, name)
			hclsource.Attach(more, &hcl.File{Bytes: src})
			diags = append(diags, more...)
		}
	}
	return tidy(append(diags, p.unscored()...))
}

// unscored warns about tracks that the rules declare with divisions but do not score.
func (p *Pipeline) unscored() (diags hcl.Diagnostics) {
	r := p.competition.Rules
	if r == nil || len(r.Kinds) == 0 {
		return nil
	}
	rs, bad := r.Scoring()
	_, file, err := r.ScoringSource()
	if bad.HasErrors() || err != nil {
		return nil // the scoring stages report the error
	}
	for _, track := range slices.Sorted(maps.Keys(r.Kinds)) {
		if len(r.Divisions.Divisions(track)) > 0 && !rs.Covers(track) {
			diags = append(diags, &hcl.Diagnostic{Severity: hcl.DiagWarning, Summary: "Track that is not scored",
				Detail: fmt.Sprintf("The rules declare the track %s, and %s has no score or no view for it. Add %q to "+
					"tracks in a block \"score\" and in each \"view\" that the track has; \"smtpipe rules export\" writes a "+
					"rule set to begin with.", track, file, track)})
		}
	}
	return diags
}

// selects reports whether a kind selects some of its benchmarks and records the reasons in choices.
func selects(kind *stages.Kind) bool {
	return stages.FindAttr(kind.Attrs, "benchmarks") != nil &&
		slices.ContainsFunc(kind.Outputs, func(o stages.Output) bool { return o.Name == "choices" })
}

// noneLeft warns about a stage that selected none of its benchmarks.
func noneLeft(inst stages.Instance, known stages.Known) hcl.Diagnostics {
	given, ok := inst.Args.Artifact("benchmarks")
	left, made := stages.ArtifactOf(known[inst.Addr]["benchmarks"])
	if !ok || !made || given.Rows == 0 || left.Rows > 0 {
		return nil
	}
	at := inst.Range
	if a := stages.FindAttr(inst.Kind.Attrs, "where"); a != nil && inst.Args.Has("where") {
		at = inst.Args.RangeOf("where")
	}
	return hcl.Diagnostics{warningAt(at, "No benchmark is left", fmt.Sprintf("%s leaves 0 of %d benchmarks, so "+
		"nothing is executed. \"smtpipe show '%s.choices'\" says why each is out.", inst.Addr, given.Rows, inst.Addr))}
}

// deadlineWarnings warns if the rules set deadlines but the dates of a stage's submissions are missing.
func deadlineWarnings(inst stages.Instance) hcl.Diagnostics {
	received, rules := inst.Args.Value("received"), inst.Args.Value("rules")
	if !received.IsKnown() || !received.IsNull() || !rules.IsWhollyKnown() || rules.IsNull() {
		return nil
	}
	var dates []string
	for _, name := range []string{"first", "final"} {
		if d := rules.GetAttr(name); !d.IsNull() && d.AsString() != "" {
			dates = append(dates, d.AsString())
		}
	}
	if len(dates) == 0 {
		return nil
	}
	return hcl.Diagnostics{warningAt(inst.Args.RangeOf("received"), "Deadlines not checked", fmt.Sprintf("The rules "+
		"have deadlines (%s), but the submission dates are missing. Set received to a list of dates.",
		strings.Join(dates, ", ")))}
}

// entrant holds the facts about a solver that warnings need.
type entrant struct {
	name, team  string
	competitive bool
	seeded      bool
	program     string   // program that it executes; empty: unknown
	tells       bool     // whether it states who takes part, beyond the defaults
	logics      []string // patterns of logics; none: every logic
	tracks      []string // names of tracks; none: every track
}

func (p *Pipeline) entrantWarnings(inst stages.Instance) hcl.Diagnostics {
	track, solvers := inst.Args.Value("track"), inst.Args.Value("solvers")
	if !known(track) || !solvers.IsWhollyKnown() || p.competition.Tracks == cty.NilVal ||
		p.competition.Tracks.IsNull() {
		return nil
	}
	byDivision, ok := p.competition.Tracks.AsValueMap()[track.AsString()]
	if !ok {
		return nil
	}
	var diags hcl.Diagnostics
	warn := func(at hcl.Range, summary, detail string) {
		diags = append(diags, warningAt(at, summary, detail))
	}
	var here []entrant
	divisions := logicsByDivision(byDivision)
	teams := map[string][]string{} // competitive teams of each division
	var unseeded []string
	for _, s := range entrantsIn(solvers) {
		if len(s.tracks) > 0 && !slices.Contains(s.tracks, track.AsString()) {
			continue
		}
		here = append(here, s)
		if r := p.competition.Rules; s.competitive && !s.seeded && (r == nil || r.Seed != rules.Seed{}) {
			unseeded = append(unseeded, s.name)
		}
		entered := false
		for _, d := range divisions {
			if !s.enters(d.logics) {
				continue
			}
			entered = true
			if s.competitive && !slices.Contains(teams[d.name], s.team) {
				teams[d.name] = append(teams[d.name], s.team)
			}
		}
		if !entered {
			warn(p.solverRange(s.name, inst), "Solver without a logic",
				fmt.Sprintf("Solver %q enters track %s, but the track has none of its logics: %s.%s",
					s.name, track.AsString(), words.OneOf(s.logics), logicHint(s.logics, divisions)))
		}
	}
	switch len(unseeded) {
	case 0:
	case 1:
		warn(p.solverRange(unseeded[0], inst), "Seed missing", fmt.Sprintf("The solver %q competes and gives no seed. "+
			"The rules make the seed of the competition from the numbers of all entrants.", unseeded[0]))
	default:
		warn(p.solverRange(unseeded[0], inst), "Seeds missing", fmt.Sprintf("These solvers compete and give no seed: "+
			"%s. The rules make the seed of the competition from the numbers of all entrants.", strings.Join(unseeded, ", ")))
	}
	diags = append(diags, p.twins(here, inst)...)
	diags = append(diags, p.spellings(here, inst)...)
	if detail := oneTeam(track.AsString(), divisions, teams); detail != "" && p.needsTeams() {
		warn(inst.Args.RangeOf("solvers"), "Division with one team", detail)
	}
	return diags
}

// needsTeams reports whether a division with one team is not competitive, as in most rule sets.
func (p *Pipeline) needsTeams() bool {
	r := p.competition.Rules
	if r == nil {
		return true
	}
	rs, bad := r.Scoring()
	return bad.HasErrors() || rs.Contest.Teams > 1
}

// oneTeam lists a track's divisions that only one team enters, by team.
func oneTeam(track string, divisions []divisionLogics, teams map[string][]string) string {
	var names []string
	of := map[string][]string{}
	for _, d := range divisions {
		if len(teams[d.name]) != 1 {
			continue
		}
		team := teams[d.name][0]
		if of[team] == nil {
			names = append(names, team)
		}
		of[team] = append(of[team], d.name)
	}
	var sentences []string
	for _, team := range names {
		if len(of[team]) == 1 {
			sentences = append(sentences, fmt.Sprintf("In the track %s, only the team %q enters the division %s, so "+
				"it is not competitive.", track, team, of[team][0]))
			continue
		}
		sentences = append(sentences, fmt.Sprintf("In track %s, only team %q enters the divisions %s, so "+
			"they are not competitive.", track, team, strings.Join(of[team], ", ")))
	}
	return strings.Join(sentences, " ")
}

// solverRange returns the range of a solver's declaration, or of the stage's attribute if the pipeline contains no
// block for the solver.
func (p *Pipeline) solverRange(name string, inst stages.Instance) hcl.Range {
	for _, s := range p.root.solvers.all() {
		if s.name == name || s.forEach != nil && len(name) > len(s.name) && name[:len(s.name)+1] == s.name+"-" {
			return s.rng
		}
	}
	return inst.Args.RangeOf("solvers")
}

type divisionLogics struct {
	name   string
	logics []string
}

// logicsByDivision returns a track's divisions, sorted by name.
func logicsByDivision(track cty.Value) []divisionLogics {
	var all []divisionLogics
	for it := track.ElementIterator(); it.Next(); {
		name, logics := it.Element()
		d := divisionLogics{name: name.AsString()}
		for _, l := range logics.AsValueSlice() {
			d.logics = append(d.logics, l.AsString())
		}
		all = append(all, d)
	}
	return all
}

// entrantsIn finds the solvers in a value at any depth.
func entrantsIn(v cty.Value) []entrant {
	t := v.Type()
	switch {
	case v.IsNull() || !v.IsWhollyKnown():
		return nil
	case t.Equals(stages.SolverType):
		return []entrant{entrantOf(v)}
	case !t.IsCollectionType() && !t.IsTupleType() && !t.IsObjectType():
		return nil
	}
	var all []entrant
	for it := v.ElementIterator(); it.Next(); {
		_, elem := it.Element()
		all = append(all, entrantsIn(elem)...)
	}
	return all
}

func entrantOf(v cty.Value) entrant {
	texts := func(name string) (all []string) {
		if list := v.GetAttr(name); !list.IsNull() {
			for _, e := range list.AsValueSlice() {
				if !e.IsNull() {
					all = append(all, e.AsString())
				}
			}
		}
		return all
	}
	return entrant{
		name: v.GetAttr("name").AsString(), team: v.GetAttr("team").AsString(),
		competitive: v.GetAttr("competitive").True(), program: programOf(v), tells: stages.Tells(v),
		seeded: !v.GetAttr("seed").IsNull(), logics: texts("logics"), tracks: texts("tracks"),
	}
}

// enters reports whether the solver enters any of the logics.
func (s *entrant) enters(logics []string) bool {
	if len(s.logics) == 0 {
		return true
	}
	return slices.ContainsFunc(logics, func(l string) bool {
		return slices.ContainsFunc(s.logics, func(pattern string) bool {
			ok, err := path.Match(pattern, l)
			return ok && err == nil
		})
	})
}
