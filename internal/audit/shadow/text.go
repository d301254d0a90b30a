package shadow

import (
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"
	"text/tabwriter"
)

// Maximum numbers of differences to list; report.json lists all of them.
const (
	onTerminal = 5
	onPage     = 200
)

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

// Verdict returns the outcome of the comparison as a sentence.
func (r *Report) Verdict() string { return verdicts[r.State] }

// Omitted returns a sentence with the number of parts that were not compared.
func (r *Report) Omitted() string {
	return fmt.Sprintf("%d of %d parts could not be compared.", len(r.notCompared()), len(r.Parts))
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
	return count(p.Compared, noun)
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

// dash returns s, or a dash if s is empty.
func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// WriteText writes the report for a terminal.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n%s\n\n", r.Title, r.Verdict(), r.Omitted())
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "part\tmade\tcompared\twith\tresult")
	for _, p := range r.Parts {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", p.Name(), dash(p.Made), p.figures(), dash(p.With), p.Outcome())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if counts := r.Counts(); len(counts) > 0 {
		fmt.Fprintln(t, "\npages\tall\tequal\texplained\tdifferent\tnot compared")
		for _, c := range counts {
			fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%s\n", c.Track, c.All, c.Equal, c.Explained, c.Differing, c.none())
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, p := range r.Parts {
		p.writeText(&b)
	}
	writeList(&b, "\nNot compared\n", "  ", r.notCompared())
	writeList(&b, "\nNotes\n", "  ", r.Notes)
	_, err := io.WriteString(w, b.String())
	return err
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

func writeList(b *strings.Builder, title, before string, list []string) {
	if len(list) > 0 {
		b.WriteString(title)
	}
	for _, line := range list {
		b.WriteString(before + line + "\n")
	}
}

// writeText writes a part's differences.
func (p *Part) writeText(b *strings.Builder) {
	if p.Differing() == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", p.Name())
	for _, c := range p.Causes {
		fmt.Fprintf(b, "  %s\n", c.title())
		writeDifferences(b, "    ", c.Differences, onTerminal)
	}
	if len(p.Open) > 0 {
		fmt.Fprintf(b, "  %d unexplained\n", len(p.Open))
		writeDifferences(b, "    ", p.Open, 4*onTerminal)
		writeList(b, "", "    ", p.Hints)
	}
}

func writeDifferences(b *strings.Builder, before string, list []Difference, most int) {
	for i, d := range list {
		if i == most {
			fmt.Fprintf(b, "%sand %d more\n", before, len(list)-i)
			break
		}
		fmt.Fprintf(b, "%s%s\n", before, d)
	}
}

// markdown escapes Markdown in table cells.
var markdown = strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`, "`", "\\`", "\n", " ")

// WriteMarkdown writes the report as a Markdown page.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n**%s** %s\n\n", markdown.Replace(r.Title), r.Verdict(), r.Omitted())
	b.WriteString("| part | made | compared | with | result |\n| --- | --- | --- | --- | --- |\n")
	for _, p := range r.Parts {
		row := []string{p.Name(), dash(p.Made), p.figures(), dash(p.With), p.Outcome()}
		for i := range row {
			row[i] = markdown.Replace(row[i])
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
	}
	if len(r.Pages) > 0 {
		b.WriteString("\n## Pages\n\n| page | name | result |\n| --- | --- | --- |\n")
	}
	for _, p := range r.Pages {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", markdown.Replace(p.File), markdown.Replace(p.Track+" "+p.Name),
			markdown.Replace(p.outcome()))
	}
	for _, p := range r.Parts {
		if p.Differing() == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n", markdown.Replace(p.Name()))
		for _, c := range p.Causes {
			fmt.Fprintf(&b, "\n%s\n\n", markdown.Replace(c.title()))
			markdownDifferences(&b, c.Differences)
		}
		if len(p.Open) > 0 {
			fmt.Fprintf(&b, "\n**%d unexplained**\n\n", len(p.Open))
			markdownDifferences(&b, p.Open)
			markdownList(&b, "\n", p.Hints)
		}
	}
	markdownList(&b, "\n## Not compared\n\n", r.notCompared())
	markdownList(&b, "\n## Notes\n\n", r.Notes)
	_, err := io.WriteString(w, b.String())
	return err
}

func markdownList(b *strings.Builder, title string, list []string) {
	escaped := make([]string, len(list))
	for i, line := range list {
		escaped[i] = markdown.Replace(line)
	}
	writeList(b, title, "- ", escaped)
}

func markdownDifferences(b *strings.Builder, list []Difference) {
	b.WriteString("| place | made | published |\n| --- | --- | --- |\n")
	for i, d := range list {
		if i == onPage {
			fmt.Fprintf(b, "\nand %d more\n", len(list)-i)
			break
		}
		fmt.Fprintf(b, "| %s | %s | %s |\n", markdown.Replace(d.Place), markdown.Replace(d.Made),
			markdown.Replace(d.Published))
	}
}

// page is the template for the report as a self-contained HTML page.
var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"figures": (*Part).figures, "title": (*Cause).title, "dash": dash,
		"outcome": func(p Page) string { return p.outcome() },
		"class":   func(s State) string { return strings.ReplaceAll(string(s), " ", "-") },
		"first":   func(list []Difference) []Difference { return list[:min(len(list), onPage)] },
		"more":    func(list []Difference) int { return max(0, len(list)-onPage) },
	}).Parse(`<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}}</title>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; color: #222; background: #fff }
table { border-collapse: collapse; margin: 1rem 0 }
th, td { text-align: left; vertical-align: top; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid #ccc; overflow-wrap: anywhere }
.equal { color: #1a6b2a } .explained { color: #7a4b00 } .differs { color: #a31515; font-weight: bold } .not-compared { color: #555 }
</style>
<h1>{{.Title}}</h1>
<p class="{{class .State}}">{{.Verdict}}</p>
<p>{{.Omitted}}</p>
<table>
<tr><th>part<th>made<th>compared<th>with<th>result
{{range .Parts}}<tr><td>{{.Name}}<td>{{dash .Made}}<td>{{figures .}}<td>{{dash .With}}<td class="{{class .State}}">{{.Outcome}}
{{end}}</table>
{{range .Parts}}{{if .Differing}}<h2>{{.Name}}</h2>
{{range .Causes}}<p>{{title .}}</p>
{{template "differences" .Differences}}{{end}}{{if .Open}}<p class="differs">{{len .Open}} unexplained</p>
{{template "differences" .Open}}{{if .Hints}}<ul>
{{range .Hints}}<li>{{.}}
{{end}}</ul>
{{end}}{{end}}{{end}}{{end}}{{with .Pages}}<h2>Pages</h2>
<table>
<tr><th>page<th>name<th>result
{{range .}}<tr><td>{{.File}}<td>{{.Track}} {{.Name}}<td class="{{class .State}}">{{outcome .}}
{{end}}</table>
{{end}}{{with .NotCompared}}<h2>Not compared</h2>
<ul>
{{range .}}<li>{{.}}
{{end}}</ul>
{{end}}{{with .Notes}}<h2>Notes</h2>
<ul>
{{range .}}<li>{{.}}
{{end}}</ul>
{{end}}</html>
{{define "differences"}}<table>
<tr><th>place<th>made<th>published
{{range first .}}<tr><td>{{.Place}}<td>{{.Made}}<td>{{.Published}}
{{end}}</table>
{{with more .}}<p>and {{.}} more</p>
{{end}}{{end}}`))
})

// WriteHTML writes the report as a self-contained HTML page.
func (r *Report) WriteHTML(w io.Writer) error {
	return page().Execute(w, struct {
		*Report
		NotCompared []string
	}{r, r.notCompared()})
}
