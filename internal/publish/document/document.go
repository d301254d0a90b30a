// Package document writes what a comparison found: as text for a terminal, as Markdown, or as a page.
package document

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/smtpipe/smtpipe/internal/data/diff"
	"github.com/smtpipe/smtpipe/internal/publish/report"
)

// Document is a title, a verdict, and sections. All parts are optional.
type Document struct {
	Title    string
	Page     string // title of the page and in Markdown, if different
	About    string // introduction on a page and in Markdown
	State    State
	Verdict  string
	Lines    []string // sentences after the verdict
	Sections []Section
}

// State is the class of a verdict or a table's row on a page: good, warn, bad or plain.
type State string

// Section is a part of a document: a table, groups of differences, and a list.
type Section struct {
	Title  string
	Head   []string
	Rows   []Row
	Groups []Group
	List   []string
}

// Row is a row of a table. The last cell has the class State on a page.
type Row struct {
	Cells []string
	State State
}

// Group is a list of differences of one kind.
type Group struct {
	Title string
	State State
	// Words name the two sides, such as "made" and "published"; by default a text has an arrow from one to the other.
	Words [2]string
	All   []diff.Difference
	Most  int      // maximum number of differences on a terminal; 0: all
	Notes []string // sentences after the differences
}

// onPage is the maximum number of differences of a group in Markdown and on a page.
const onPage = 200

func (g *Group) shown() []diff.Difference { return g.All[:min(len(g.All), onPage)] }

func (g *Group) more() int { return len(g.All) - len(g.shown()) }

// side returns the title of a side's column.
func (g *Group) side(i int) string {
	if g.Words[i] != "" {
		return g.Words[i]
	}
	return [...]string{"from", "to"}[i]
}

// columns returns the number of columns: 4 if there are causes or details to show.
func (g *Group) columns() int {
	if slices.ContainsFunc(g.All, func(d diff.Difference) bool { return len(d.Causes)+len(d.Details) > 0 }) {
		return 4
	}
	return 3
}

// line returns a difference in one line.
func (g *Group) line(d diff.Difference) string {
	if g.Words[0] == "" {
		return d.String()
	}
	return fmt.Sprintf("%s: %s %s, %s %s%s", d.What, g.Words[0], d.From, g.Words[1], d.To, d.Because())
}

// because returns the causes without parentheses, for a column.
func because(d diff.Difference) string { return strings.Trim(d.Because(), " ()") }

// WriteText writes the document for a terminal.
func (d *Document) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, line := range append([]string{d.Title, d.Verdict}, d.Lines...) {
		writeLines(&b, "", line)
	}
	for i := range d.Sections {
		s := &d.Sections[i]
		indent := ""
		if s.Title != "" {
			b.WriteString("\n" + s.Title + "\n")
			indent = "  "
		}
		if err := s.writeTable(&b, d.Title != ""); err != nil {
			return err
		}
		for k := range s.Groups {
			s.Groups[k].writeText(&b, indent)
		}
		writeLines(&b, indent, s.List...)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeLines writes the lines that are not empty.
func writeLines(b *strings.Builder, indent string, lines ...string) {
	for _, line := range lines {
		if line != "" {
			b.WriteString(indent + line + "\n")
		}
	}
}

func (s *Section) writeTable(b *strings.Builder, apart bool) error {
	if len(s.Rows) == 0 {
		return nil
	}
	if apart {
		b.WriteString("\n")
	}
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(s.Head, "\t"))
	for _, row := range s.Rows {
		fmt.Fprintln(t, strings.Join(row.Cells, "\t"))
	}
	return t.Flush()
}

func (g *Group) writeText(b *strings.Builder, indent string) {
	if g.Title != "" {
		b.WriteString(indent + g.Title + "\n")
		indent += "  "
	}
	for i, d := range g.All {
		if i == g.Most && i > 0 {
			fmt.Fprintf(b, "%sand %d more\n", indent, len(g.All)-i)
			break
		}
		writeLines(b, indent, g.line(d))
		writeLines(b, indent+"  ", d.Details...)
	}
	writeLines(b, indent, g.Notes...)
}

// markdown escapes a text so that Markdown shows it literally, within one cell or line.
var markdown = strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "<", "&lt;", "`", "\\`", "[", `\[`, "@",
	"&#64;", "\n", " ")

// Escape returns a text that Markdown shows literally, within one cell or line.
func Escape(s string) string { return markdown.Replace(s) }

// WriteMarkdown writes the document as Markdown.
func (d *Document) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	if title := cmp.Or(d.Page, d.Title); title != "" {
		fmt.Fprintf(&b, "# %s\n\n", Escape(title))
	}
	if d.About != "" {
		b.WriteString(Escape(d.About) + "\n\n")
	}
	if d.Verdict != "" {
		fmt.Fprintf(&b, "**%s** %s\n\n", Escape(d.Verdict), Escape(strings.Join(d.Lines, " ")))
	}
	for i := range d.Sections {
		s := &d.Sections[i]
		if s.Title != "" {
			fmt.Fprintf(&b, "## %s\n\n", Escape(s.Title))
		}
		if len(s.Rows) > 0 {
			markdownRow(&b, s.Head...)
			b.WriteString(strings.Repeat("| --- ", len(s.Head)) + "|\n")
			for _, row := range s.Rows {
				markdownRow(&b, row.Cells...)
			}
			b.WriteString("\n")
		}
		for k := range s.Groups {
			s.Groups[k].writeMarkdown(&b)
		}
		markdownList(&b, s.List)
	}
	_, err := io.WriteString(w, strings.TrimSuffix(b.String(), "\n"))
	return err
}

func markdownRow(b *strings.Builder, cells ...string) {
	for _, cell := range cells {
		b.WriteString("| " + Escape(cell) + " ")
	}
	b.WriteString("|\n")
}

func markdownList(b *strings.Builder, list []string) {
	for _, line := range list {
		b.WriteString("- " + Escape(line) + "\n")
	}
	if len(list) > 0 {
		b.WriteString("\n")
	}
}

func (g *Group) writeMarkdown(b *strings.Builder) {
	if g.Title != "" {
		fmt.Fprintf(b, "%s\n\n", Escape(g.Title))
	}
	cells := func(what, from, to, why string) {
		row := []string{what, from, to, why}
		markdownRow(b, row[:g.columns()]...)
	}
	if len(g.All) > 0 {
		cells("what", g.side(0), g.side(1), "because")
		b.WriteString(strings.Repeat("| --- ", g.columns()) + "|\n")
	}
	for _, d := range g.shown() {
		cells(d.What, d.From, d.To, strings.TrimSpace(because(d)+" "+strings.Join(d.Details, "; ")))
	}
	if n := g.more(); n > 0 {
		fmt.Fprintf(b, "\nand %d more\n", n)
	}
	if len(g.All) > 0 {
		b.WriteString("\n")
	}
	markdownList(b, g.Notes)
}

//go:embed page.html
var pageText string

var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"shown": (*Group).shown, "more": (*Group).more, "side": (*Group).side, "because": because,
		"explained": func(g *Group) bool { return g.columns() > 3 },
		"groups": func(all []Group) (out []*Group) {
			for i := range all {
				out = append(out, &all[i])
			}
			return out
		},
		"last": func(cells []string, i int) bool { return i == len(cells)-1 },
	}).Parse(pageText))
})

// WritePage writes the document as a self-contained HTML page in the style of the site.
func (d *Document) WritePage(w io.Writer) error {
	style, err := report.Style()
	if err != nil {
		return err
	}
	return page().Execute(w, struct {
		*Document
		Heading string
		Style   template.CSS
	}{d, cmp.Or(d.Page, d.Title), template.CSS(style)})
}
