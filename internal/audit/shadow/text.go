package shadow

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/data/diff"
	"github.com/smtpipe/smtpipe/internal/publish/document"
)

// onTerminal is the maximum number of differences per cause on a terminal, a quarter of that of unexplained ones.
const onTerminal = 5

// WriteJSON writes the report as JSON.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

// verdicts maps a report's states to sentences.
var verdicts = map[State]string{
	Equal:       "Everything that could be compared is equal.",
	Explained:   "All differences are explained.",
	Differs:     "Some differences are unexplained.",
	NotCompared: "Nothing could be compared.",
}

// figures returns a text with the number of compared figures that are equal.
func (p *Part) figures() string {
	if p.Why != "" {
		return "-"
	}
	noun := "figure"
	if p.Kind == "draw" {
		noun = "benchmark"
	}
	return words.Count(p.Compared, noun)
}

// Outcome returns a part's state, and how much of the part differs.
func (p *Part) Outcome() string {
	n := p.Differing()
	switch p.State {
	case Differs:
		return fmt.Sprintf("differs in %d, %d of them unexplained", n, len(p.Open))
	case Explained:
		return fmt.Sprintf("differs in %d, explained", n)
	}
	return string(p.State)
}

// Name returns the part's name.
func (p *Part) Name() string { return strings.TrimSpace(p.Kind + " " + p.Track + p.File) }

// outcome returns a page's state, or why the page was not compared.
func (p *Page) outcome() string {
	if p.Why == "" {
		return string(p.State)
	}
	return string(p.State) + ": " + p.Why
}

// none returns the number of pages that were not compared, and the reason for the first of them.
func (c *PageCounts) none() string {
	if c.None == 0 {
		return "0"
	}
	return fmt.Sprintf("%d: %s", c.None, c.Why)
}

// title returns a line with a cause and its number of differences.
func (c *Cause) title() string {
	kind := map[string]string{ByPractice: "by practice", ByYear: "known for the year", ByInput: "by input"}[c.Kind]
	line := fmt.Sprintf("%d %s: %s", len(c.Differences), kind, c.Name)
	if c.Text != "" {
		line += " (" + strings.TrimSuffix(c.Text, ".") + ")"
	}
	return line
}

// classes maps a report's states to those of documents.
var classes = map[State]document.State{Equal: "good", Explained: "warn", Differs: "bad", NotCompared: "plain"}

// WriteText writes the report for a terminal, with numbers of pages instead of a list.
func (r *Report) WriteText(w io.Writer) error {
	pages := document.Section{Head: []string{"pages", "all", "equal", "explained", "different", "not compared"}}
	for _, c := range r.Counts() {
		pages.Rows = append(pages.Rows, document.Row{Cells: []string{c.Track, fmt.Sprint(c.All), fmt.Sprint(c.Equal),
			fmt.Sprint(c.Explained), fmt.Sprint(c.Differing), c.none()}})
	}
	return r.document(pages).WriteText(w)
}

// WriteMarkdown writes the report as a Markdown page.
func (r *Report) WriteMarkdown(w io.Writer) error { return r.document(r.pages()).WriteMarkdown(w) }

// WriteHTML writes the report as a self-contained HTML page.
func (r *Report) WriteHTML(w io.Writer) error { return r.document(r.pages()).WritePage(w) }

// pages lists the pages with their outcomes.
func (r *Report) pages() document.Section {
	s := document.Section{Head: []string{"page", "name", "result"}}
	if len(r.Pages) > 0 {
		s.Title = "Pages"
	}
	for _, p := range r.Pages {
		s.Rows = append(s.Rows, document.Row{Cells: []string{p.File, p.Track + " " + p.Name, p.outcome()},
			State: classes[p.State]})
	}
	return s
}

// document presents the report. pages is its section about pages.
func (r *Report) document(pages document.Section) *document.Document {
	parts := document.Section{Head: []string{"part", "made", "compared", "with", "result"}}
	for _, p := range r.Parts {
		parts.Rows = append(parts.Rows, document.Row{Cells: []string{p.Name(), cmp.Or(p.Made, "-"), p.figures(),
			cmp.Or(p.With, "-"), p.Outcome()}, State: classes[p.State]})
	}
	d := &document.Document{Title: r.Title, State: classes[r.State], Verdict: verdicts[r.State],
		Lines:    []string{fmt.Sprintf("%d of %d parts could not be compared.", len(r.notCompared()), len(r.Parts))},
		Sections: []document.Section{parts, pages}}
	for _, p := range r.Parts {
		if p.Differing() > 0 {
			d.Sections = append(d.Sections, p.section())
		}
	}
	for _, s := range []document.Section{{Title: "Not compared", List: document.Items(r.notCompared()...)},
		{Title: "Notes", List: document.Items(r.Notes...)}} {
		if len(s.List) > 0 {
			d.Sections = append(d.Sections, s)
		}
	}
	return d
}

// section lists a part's differences by cause.
func (p *Part) section() document.Section {
	words := [2]string{"made", "published"}
	s := document.Section{Title: p.Name()}
	for _, c := range p.Causes {
		s.Groups = append(s.Groups, document.Group{Title: c.title(), Words: words, All: rows(c.Differences),
			Most: onTerminal})
	}
	if len(p.Open) > 0 {
		s.Groups = append(s.Groups, document.Group{Title: fmt.Sprintf("%d unexplained", len(p.Open)), Words: words,
			All: rows(p.Open), Most: 4 * onTerminal, Notes: p.Hints})
	}
	return s
}

func rows(list []Difference) []diff.Difference {
	all := make([]diff.Difference, len(list))
	for i, d := range list {
		all[i] = diff.Difference{What: d.Place, From: d.Made, To: d.Published}
	}
	return all
}

// notCompared returns the reasons why parts were not compared.
func (r *Report) notCompared() (out []string) {
	for _, p := range r.Parts {
		if p.Why != "" {
			out = append(out, p.Name()+": "+p.Why)
		}
	}
	return out
}
