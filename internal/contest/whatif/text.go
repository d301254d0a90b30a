package whatif

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"
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
	for _, c := range d.Comparisons {
		if len(c.Changes) > 0 {
			return true
		}
	}
	return false
}

// WriteText writes the changes to a terminal.
func WriteText(w io.Writer, d Data) error {
	var b strings.Builder
	for _, c := range d.Comparisons {
		fmt.Fprintf(&b, "%s: %d of %d rankings have different winners by %s and by %s.\n", d.Name, len(c.Changes), c.Rankings,
			c.To, c.From)
		for i := range c.Changes {
			c.Changes[i].write(&b)
		}
		if len(c.Unmatched) > 0 {
			fmt.Fprintf(&b, "  Not compared, since %s has no such view: %s.\n", c.To, strings.Join(c.Unmatched, ", "))
		}
	}
	if len(d.Skipped) > 0 {
		fmt.Fprintf(&b, "%s: not tried, since they score none of its tracks: %s.\n", d.Name,
			strings.Join(d.Skipped, ", "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// mostLines is the maximum number of benchmarks shown per reason on a terminal; a page shows more.
const mostLines = 3

func (c *Change) write(b *strings.Builder) {
	fmt.Fprintf(b, "  %s / %s: %s → %s%s\n", c.Track, c.Place, c.From, c.To, c.Because())
	for _, side := range []struct {
		label string
		why   *Reason
	}{{"before", c.From.Why}, {"after", c.To.Why}} {
		if side.why == nil {
			continue
		}
		fmt.Fprintf(b, "    %s: %s\n", side.label, side.why)
		shown := side.why.Benchmarks[:min(len(side.why.Benchmarks), mostLines)]
		for _, x := range shown {
			fmt.Fprintf(b, "      %s: %s, %s\n", x.Name, x.Values[0], x.Values[1])
		}
		if more := side.why.Differ - len(shown); more > 0 {
			fmt.Fprintf(b, "      and %d more\n", more)
		}
	}
}

// Because names the causes in parentheses: "A, B" if each alone causes the change, "A + B" if both are needed.
func (c Change) Because() string {
	if len(c.Causes) == 0 {
		return ""
	}
	between := ", "
	if c.Together {
		between = " + "
	}
	return "  (" + strings.Join(c.Causes, between) + ")"
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

//go:embed page.html
var pageText string

var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"more": func(r *Reason) int { return r.Differ - len(r.Benchmarks) },
		"join": func(list []string) string { return strings.Join(list, ", ") },
	}).Parse(pageText))
})

// WritePage writes the changes as a self-contained HTML page.
func WritePage(w io.Writer, all []Data) error { return page().Execute(w, all) }
