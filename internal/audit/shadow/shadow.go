// Package shadow compares smtpipe's results for a year with the published ones: draws, tables, recognitions and pages,
// figure by figure. It finds explanations of the differences.
package shadow

import (
	"cmp"
	"slices"
	"strings"
)

// State is the outcome of a part.
type State string

// The states of a part and of a report, which has the worst state of its parts.
const (
	Equal       State = "equal"
	Explained   State = "explained"
	Differs     State = "differs"
	NotCompared State = "not compared"
)

// Schema names the format of a report.
const Schema = "shadow/1"

// ReportFile is the name of a report among a comparison's files.
const ReportFile = "shadow.json"

// Report holds the outcome of everything that was computed.
type Report struct {
	Schema string   `json:"schema"`
	Title  string   `json:"title"`
	Year   int      `json:"year"`
	Rules  string   `json:"rules"`
	State  State    `json:"state"`
	Parts  []*Part  `json:"parts"`
	Pages  []Page   `json:"pages,omitempty"`
	Notes  []string `json:"notes"` // about the input
}

// Part is the comparison of one kind of results for one track.
type Part struct {
	Kind  string `json:"kind"`            // draw, tables, recognitions, checks, pages, data, certificates
	Track string `json:"track,omitempty"` // empty: all tracks
	File  string `json:"file,omitempty"`  // of data files and certificates
	Made  string `json:"made"`            // empty: nothing
	With  string `json:"with,omitempty"`  // the other side of the comparison
	State State  `json:"state"`
	Why   string `json:"why,omitempty"` // why it was not compared
	// Lacking holds the tables that were not compared, with reasons.
	Lacking map[string]string `json:"lacking,omitempty"`

	Compared int `json:"compared"` // figures, names and positions; for a draw, benchmarks
	// Causes explain differences, Open holds unexplained ones.
	Causes []*Cause     `json:"causes"`
	Open   []Difference `json:"open"`
	// Hints are readings that resolve some of the open differences but cause others, and readings that could not be
	// tried.
	Hints []string `json:"hints,omitempty"`
}

// Cause is an explanation of differences.
type Cause struct {
	Kind        string       `json:"kind"` // practice, known or input
	Name        string       `json:"name"`
	Text        string       `json:"text,omitempty"`
	Differences []Difference `json:"differences"`
}

// The kinds of causes.
const (
	ByPractice = "practice" // another reading, or a practice switch
	ByYear     = "known"    // known in the year's rules
	ByInput    = "input"    // its input is missing or differs
)

// Difference is a location where the computed value differs from the published one.
type Difference struct {
	Place     string `json:"place"`
	Made      string `json:"made"`
	Published string `json:"published"`
}

func (d Difference) String() string {
	return d.Place + ": made " + d.Made + ", published " + d.Published
}

// Differing returns the number of locations in a part that differ, explained or not.
func (p *Part) Differing() int {
	n := len(p.Open)
	for _, c := range p.Causes {
		n += len(c.Differences)
	}
	return n
}

// settle sets the state of a part that was compared.
func (p *Part) settle() {
	switch {
	case p.Why != "":
		p.State = NotCompared
	case len(p.Open) > 0:
		p.State = Differs
	case len(p.Causes) > 0:
		p.State = Explained
	default:
		p.State = Equal
	}
}

// cause adds a difference to a cause of the part.
func (p *Part) cause(kind, name, text string, d Difference) {
	i := slices.IndexFunc(p.Causes, func(c *Cause) bool { return c.Kind == kind && c.Name == name })
	if i < 0 {
		i = len(p.Causes)
		p.Causes = append(p.Causes, &Cause{Kind: kind, Name: name, Text: text})
	}
	p.Causes[i].Differences = append(p.Causes[i].Differences, d)
}

// kinds are the kinds of parts, in order.
var kinds = []string{"draw", "tables", "recognitions", "checks", "pages", "data", "certificates"}

// Finish sorts the parts and sets the report's state. If nothing was compared, the report's state is "not compared".
func (r *Report) Finish() {
	r.Schema, r.State = Schema, NotCompared
	worst := []State{NotCompared, Equal, Explained, Differs}
	slices.SortStableFunc(r.Parts, func(a, b *Part) int {
		return cmp.Or(cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)),
			strings.Compare(a.Track, b.Track), strings.Compare(a.File, b.File))
	})
	for _, p := range r.Parts {
		p.settle()
		if slices.Index(worst, p.State) > slices.Index(worst, r.State) {
			r.State = p.State
		}
		if p.Causes == nil {
			p.Causes = []*Cause{}
		}
		if p.Open == nil {
			p.Open = []Difference{}
		}
	}
	if r.Notes == nil {
		r.Notes = []string{}
	}
}
