package shadow

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/contest/score/scoreio"
)

// Tables contains a track's published tables, and the runs to score.
type Tables struct {
	*scoreio.Official
	Source string // where the runs come from
	// Entered reports whether a solver entered a division or logic; nil if unknown.
	Entered   func(track, group, solver string) bool
	FromPages *FromPages // nil if the tables come from a published.json
	Other     *Other     // nil if the runs do not depend on submissions, or if the submissions have only one state
}

// FromPages describes what is not compared in tables that come from pages.
type FromPages struct {
	Lists   string            // why the recognitions are not compared, if the tables contain none
	Lacking map[string]string // tables that are not compared, with reasons
}

// Compare scores the runs as the published tables do, compares the results, and explains the differences. It returns
// the parts, the computed tables in the form of the published ones, and the result, which is nil if no rules reproduce
// the tables.
func (t *Tables) Compare(ctx context.Context, progress Progress) ([]*Part, []byte, *score.Result, error) {
	track, with := t.RunsTrack(), "published.json of "+filepath.Base(t.Dir)
	if t.FromPages != nil {
		track, with = tableTrack(t.Track), "the pages"
	}
	parts := []*Part{{Kind: "tables", Track: track, With: with}, {Kind: "recognitions", Track: track, With: with}}
	if t.FromPages != nil {
		parts[0].Lacking = t.FromPages.Lacking
	}
	rs, base, err := t.Practice()
	if err != nil {
		for _, p := range parts {
			p.With, p.Why = "", err.Error()
		}
		return parts, nil, nil, nil
	}
	progress("scoring "+track, 0, 0)
	res, err := score.Compute(ctx, rs, t.Runs, base)
	if err != nil {
		return nil, nil, nil, err
	}
	doc, err := t.TablesJSON(res)
	if err != nil {
		return nil, nil, nil, err
	}
	made := t.Official.Tables(res)
	parts[0].Made = words.Count(len(made.Divisions)+len(made.Logics), "table") + " from " + t.Source
	lists := 0
	for _, r := range []map[string]any{made.BestOverall, made.BiggestLead, made.LargestContribution} {
		if r != nil {
			lists++
		}
	}
	parts[1].Made = words.Count(lists, "list")
	if t.Published == nil {
		for _, p := range parts {
			p.With, p.Why = "", "there is no published.json of the track"
		}
		return parts, doc, res, nil
	}
	if p := t.Published; p.BestOverall == nil && p.BiggestLead == nil && p.LargestContribution == nil {
		parts[1].With, parts[1].Why = "", with+" has none"
		if t.FromPages != nil {
			parts[1].Why = t.FromPages.Lists
		}
	}
	if lists == 0 {
		parts = parts[:1]
	}
	if p := t.Published; len(p.Divisions)+len(p.Logics) == 0 {
		parts[0].With, parts[0].Why = "", "there is no table that can be compared"
	}
	c := target{name: "tables of " + track, parts: parts, base: base, rules: rs, compare: t.comparer(rs, parts),
		other: t.Other}
	if t.Entered != nil {
		c.entered = func(e entrant) bool { return t.Entered(e.track, e.group, e.solver) }
	}
	return parts, doc, res, c.run(ctx, progress)
}

// comparer returns a function that compares tables and recognitions separately.
func (t *Tables) comparer(rs *score.RuleSet, parts []*Part) func(context.Context, *trial) ([]found, error) {
	tables, lists := *t.Published, *t.Published
	tables.BestOverall, tables.BiggestLead, tables.LargestContribution = nil, nil, nil
	lists.Divisions, lists.Logics, lists.SummaryOrder = nil, nil, nil
	return func(ctx context.Context, try *trial) ([]found, error) {
		whole := t.Following(try.readings)
		if try.other {
			year, err := t.Other.Year()
			if err != nil {
				return nil, err
			}
			whole.Runs = year.OfTrack(t.RunsTrack())
		}
		res, err := score.Compute(ctx, rs, whole.Runs, try.readings)
		if err != nil {
			return nil, err
		}
		var out []found
		for i, p := range parts {
			differences, n, err := whole.CompareOnly([]*scoreio.Published{&tables, &lists}[i], res)
			if err != nil {
				return nil, err
			}
			p.Compared = n
			for _, d := range differences {
				out = append(out, t.found(p, d))
			}
		}
		return out, nil
	}
}

// found returns a difference in the form used in reports.
func (t *Tables) found(p *Part, d scoreio.Difference) found {
	at := []string{d.Table}
	for _, s := range []string{d.View, d.Row, d.Column} {
		if s != "" {
			at = append(at, s)
		}
	}
	f := found{part: p, known: d.Known, missing: d.Missing,
		Difference: Difference{strings.Join(at, " / "), d.Got, d.Want}}
	switch {
	case d.Column != "" || d.Row == "":
	case d.Kind == "recognition":
		division, solver, _ := strings.Cut(d.Row, " ") // names of divisions contain no spaces
		f.entrant = entrant{p.Track, division, solver}
	default:
		f.entrant = entrant{p.Track, d.Table, d.Row}
	}
	return f
}
