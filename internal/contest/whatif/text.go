package whatif

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/diff"
	"github.com/smtpipe/smtpipe/internal/publish/document"
)

// Data holds runs, and the changes caused by other rules.
type Data struct {
	Name        string        `json:"name"`
	Runs        int           `json:"runs"`
	Rules       string        `json:"rules"` // rules of the current winners
	Comparisons []*Comparison `json:"comparisons"`
	Skipped     []string      `json:"skipped,omitempty"` // rules that cover none of the tracks
}

// Changes reports whether any of the rules changes a winner.
func (d Data) Changes() bool {
	return slices.ContainsFunc(d.Comparisons, func(c *Comparison) bool { return len(c.Changes) > 0 })
}

// Document presents the changes, with at most the given number of benchmarks per reason.
func Document(all []Data, benchmarks int) *document.Document {
	out := &document.Document{Page: "What if: winners under other rules", About: "Finished runs, scored by other " +
		"rules. The divisions stay the same, and no solver was executed. A ranking is one view of one division; it counts " +
		"as changed if its winners differ."}
	for _, d := range all {
		var s document.Section
		for _, c := range d.Comparisons {
			s.Groups = append(s.Groups, c.group(d.Name, benchmarks))
		}
		if len(d.Skipped) > 0 {
			s.List = document.Items(fmt.Sprintf("%s: not tried, since they score none of its tracks: %s.", d.Name,
				strings.Join(d.Skipped, ", ")))
		}
		out.Sections = append(out.Sections, s)
	}
	return out
}

// group returns the changed rankings of the named runs.
func (c *Comparison) group(name string, benchmarks int) document.Group {
	g := document.Group{Title: fmt.Sprintf("%s: %d of %d rankings have different winners by %s and by %s.", name,
		len(c.Changes), c.Rankings, c.To, c.From)}
	for _, x := range c.Changes {
		g.All = append(g.All, diff.Difference{What: x.Track + " / " + x.Place.String(), From: x.From.String(),
			To: x.To.String(), Causes: x.Causes, Together: x.Together,
			Details: slices.Concat(x.From.Why.lines("before", benchmarks), x.To.Why.lines("after", benchmarks))})
	}
	if len(c.Unmatched) > 0 {
		g.Notes = []string{fmt.Sprintf("Not compared, since %s has no such view: %s.", c.To,
			strings.Join(c.Unmatched, ", "))}
	}
	return g
}

// lines returns the reason and at most the given number of benchmarks.
func (r *Reason) lines(label string, benchmarks int) []string {
	if r == nil {
		return nil
	}
	lines := []string{label + ": " + r.String()}
	shown := r.Benchmarks[:min(len(r.Benchmarks), benchmarks)]
	for _, x := range shown {
		lines = append(lines, fmt.Sprintf("  %s: %s, %s", x.Name, x.Values[0], x.Values[1]))
	}
	if more := r.Differ - len(shown); more > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more", more))
	}
	return lines
}

// String returns the winners, or the reason why there are none.
func (o Outcome) String() string {
	switch {
	case len(o.Winners) > 0:
		return strings.Join(o.Winners, ", ")
	case o.NoWinner != "":
		return "nobody (" + o.NoWinner + ")"
	}
	return "nobody"
}

// columns describes the columns of an order in words.
var columns = map[string]string{
	"e": "errors", "n": "solved (n)", "w": "wall time", "c": "CPU time", "aw": "wall time with limits (aw)",
	"ac": "CPU time with limits (ac)", "points": "points", "avg_cpu": "mean CPU time of solved benchmarks",
}

// String returns the reason in one line.
func (r *Reason) String() string {
	switch {
	case r.Barred != "":
		return fmt.Sprintf("%s may not win: %s", r.Other, r.Barred)
	case r.Column == "":
		return fmt.Sprintf("%s and %s are equal", r.Better, r.Other)
	}
	return fmt.Sprintf("%s: %s %s, %s %s", columns[r.Column], r.Better, r.Values[0], r.Other, r.Values[1])
}
