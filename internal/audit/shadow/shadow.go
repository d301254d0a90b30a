// Package shadow compares smtpipe's results for a year with the published ones, figure by figure: draws, tables,
// recognitions and pages. It searches for explanations of the differences.
package shadow

import (
	"cmp"
	"slices"
	"strings"
)

// State is the outcome of a part or report.
type State string

// The states. A report has the worst state of its parts.
const (
	Equal       State = "equal"
	Explained   State = "explained"
	Differs     State = "differs"
	NotCompared State = "not compared"
)

// Schema is a report's format.
const Schema = "shadow/1"

// ReportFile is the name of the report among the output files.
const ReportFile = "shadow.json"

// Report contains the outcome of all comparisons.
type Report struct {
	Schema string   `json:"schema"`
	Title  string   `json:"title"`
	Year   int      `json:"year"`
	Rules  string   `json:"rules"`
	State  State    `json:"state"`
	Parts  []*Part  `json:"parts"`
	Pages  []Page   `json:"pages,omitempty"`
	Notes  []string `json:"notes"` // notes about the input
}

// Part is the comparison of one kind of results for one track.
type Part struct {
	Kind  string `json:"kind"`            // draw, tables, recognitions, checks, pages, data, certificates
	Track string `json:"track,omitempty"` // empty for all tracks
	File  string `json:"file,omitempty"`  // name of the data file or certificate
	Made  string `json:"made"`            // what was computed; empty if nothing was
	With  string `json:"with,omitempty"`  // what the results were compared with
	State State  `json:"state"`
	Why   string `json:"why,omitempty"` // why the part was not compared
	// Lacking contains the tables that were not compared, with reasons.
	Lacking map[string]string `json:"lacking,omitempty"`

	Compared int `json:"compared"` // number of figures, names and positions; for a draw, of benchmarks
	// Causes contains the explained differences, Open the unexplained ones.
	Causes []*Cause     `json:"causes"`
	Open   []Difference `json:"open"`
	// Hints lists readings that resolve some of the open differences but cause new ones, and readings that could not be
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
	ByPractice = "practice" // another reading or practice switch
	ByYear     = "known"    // a fact known in the year's rules
	ByInput    = "input"    // missing or different input
)

// Difference is a location where the computed value differs from the published one.
type Difference struct {
	Place     string `json:"place"`
	Made      string `json:"made"`
	Published string `json:"published"`
}

// Differing returns the number of locations that differ, whether explained or not.
func (p *Part) Differing() int {
	n := len(p.Open)
	for _, c := range p.Causes {
		n += len(c.Differences)
	}
	return n
}

// settle sets the state of a compared part.
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

// cause adds a difference to a cause.
func (p *Part) cause(kind, name, text string, d Difference) {
	i := slices.IndexFunc(p.Causes, func(c *Cause) bool { return c.Kind == kind && c.Name == name })
	if i < 0 {
		i = len(p.Causes)
		p.Causes = append(p.Causes, &Cause{Kind: kind, Name: name, Text: text})
	}
	p.Causes[i].Differences = append(p.Causes[i].Differences, d)
}

// kinds lists the kinds of parts in report order.
var kinds = []string{"draw", "tables", "recognitions", "checks", "pages", "data", "certificates"}

// Finish sorts the parts and sets the report's state, which is "not compared" if no part was compared.
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
