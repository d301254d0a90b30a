// Package document writes what a comparison found: as text for a terminal, as Markdown, or as a page.
package document

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/data/diff"
	"github.com/smtpipe/smtpipe/internal/publish/report"
	"github.com/smtpipe/smtpipe/internal/publish/report/draw"
)

// Document is a title, a verdict, and sections. All parts are optional.
type Document struct {
	Title    string
	Page     string // title of the page and in Markdown, if different
	Level    int    // of the title among Markdown's headings; 0: 1
	About    string // introduction on a page and in Markdown
	State    State  // of the verdict, or of the title if there is no verdict
	Verdict  string
	Lines    []string // sentences after the verdict
	Facts    []Fact
	Sections []Section
	Footer   string // on a page; by default, that smtpipe generated it
}

// State is the class of a part on a page: good, warn, bad or plain.
type State string

// Fact is something about the whole document. On a page, Badge has the state.
type Fact struct {
	Name, Badge, Text string
	State             State
}

// Section is a part of a document. Its contents appear in the order of the fields.
type Section struct {
	Title  string
	Text   string // sentence after the title
	Plots  []Plot // on a page only
	Head   []string
	Rows   []Row
	First  bool // whether the first cells have the rows' states
	Groups []Group
	List   []Item
	Notes  []string // sentences at the end
}

// Row is a row of a table. On a page, its last cell has the state, or its first one.
type Row struct {
	Cells []string
	State State
}

// Item is an item of a list, with texts to show as they are, such as commands.
type Item struct {
	Text   string
	State  State
	Blocks []string
}

// Items returns a list of texts.
func Items(texts ...string) []Item {
	list := make([]Item, len(texts))
	for i, text := range texts {
		list[i].Text = text
	}
	return list
}

// Plot is a chart of the given size in points. The label describes it to readers who do not see it.
type Plot struct {
	Title, Label  string
	Chart         *draw.Chart
	Width, Height float64
}

// picture returns the plot as a part of the page.
func (p Plot) picture() template.HTML {
	c := draw.NewSVG(p.Width, p.Height)
	p.Chart.Draw(c, p.Width, p.Height)
	return c.Inline(p.Label)
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

// WriteText writes the document for a terminal, which the texts cannot command.
func (d *Document) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, line := range append([]string{d.Title, d.Verdict}, d.Lines...) {
		writeLines(&b, "", line)
	}
	for _, fact := range d.Facts {
		b.WriteString(fact.Name + ": " + fact.Text + "\n")
	}
	for i := range d.Sections {
		s := &d.Sections[i]
		indent := ""
		if s.Title != "" {
			b.WriteString("\n" + s.Title + "\n")
			indent = "  "
		}
		writeLines(&b, "", s.Text)
		if len(s.Rows) > 0 {
			if d.Title != "" && s.Title == "" {
				b.WriteString("\n")
			}
			s.writeTable(&b)
		}
		for k := range s.Groups {
			s.Groups[k].writeText(&b, indent)
		}
		if len(s.List) > 0 && s.Title == "" {
			b.WriteString("\n")
		}
		for _, item := range s.List {
			writeLines(&b, "", "- "+item.Text)
			writeLines(&b, "    ", item.Blocks...)
		}
		for _, note := range s.Notes {
			b.WriteString("\n" + note + "\n")
		}
	}
	_, err := io.WriteString(w, words.Inert(b.String()))
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

// writeTable writes the table in columns, with numbers at the right.
func (s *Section) writeTable(b *strings.Builder) {
	widths, numeric := make([]int, len(s.Head)), s.numeric()
	rows := append([]Row{{Cells: s.Head}}, s.Rows...)
	for _, row := range rows {
		for i, cell := range row.Cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		line := ""
		for i, cell := range row.Cells {
			if numeric[i] {
				line += fmt.Sprintf("%*s  ", widths[i], cell)
			} else {
				line += fmt.Sprintf("%-*s  ", widths[i], cell)
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// numeric reports for each column whether it has only numbers, where a dash stands for none.
func (s Section) numeric() []bool {
	numeric := make([]bool, len(s.Head))
	for i := range numeric {
		numeric[i] = !slices.ContainsFunc(s.Rows, func(row Row) bool {
			_, err := strconv.ParseFloat(row.Cells[i], 64)
			return err != nil && row.Cells[i] != "-"
		})
	}
	return numeric
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
var markdown = strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "~", `\~`, "$", `\$`, "&", "&amp;", "<",
	"&lt;", "`", "\\`", "[", `\[`, "@", "&#64;", "\n", " ", "\r", " ")

// oneLine replaces the characters that Markdown takes for ends of lines.
var oneLine = strings.NewReplacer("\n", " ", "\r", " ")

// Escape returns a text that Markdown shows literally, within one cell or line.
func Escape(s string) string { return markdown.Replace(s) }

// WriteMarkdown writes the document as Markdown.
func (d *Document) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	hashes := strings.Repeat("#", max(d.Level, 1))
	paragraph := func(format, text string) {
		if text != "" {
			fmt.Fprintf(&b, format+"\n\n", Escape(text))
		}
	}
	paragraph(hashes+" %s", cmp.Or(d.Page, d.Title))
	paragraph("%s", d.About)
	if d.Verdict != "" {
		fmt.Fprintf(&b, "**%s** ", Escape(d.Verdict))
	}
	paragraph("%s", strings.Join(d.Lines, " "))
	for _, fact := range d.Facts {
		paragraph("%s", fact.Name+": "+fact.Text)
	}
	for i := range d.Sections {
		s := &d.Sections[i]
		paragraph(hashes+"# %s", s.Title)
		paragraph("%s", s.Text)
		s.markdownTable(&b)
		for k := range s.Groups {
			s.Groups[k].writeMarkdown(&b)
		}
		markdownList(&b, s.List)
		for _, note := range s.Notes {
			paragraph("%s", note)
		}
	}
	_, err := io.WriteString(w, words.Inert(strings.TrimSuffix(b.String(), "\n")))
	return err
}

func (s *Section) markdownTable(b *strings.Builder) {
	if len(s.Rows) == 0 {
		return
	}
	markdownRow(b, s.Head...)
	for _, numeric := range s.numeric() {
		b.WriteString(map[bool]string{false: "| --- ", true: "| ---: "}[numeric])
	}
	b.WriteString("|\n")
	for _, row := range s.Rows {
		markdownRow(b, row.Cells...)
	}
	b.WriteString("\n")
}

func markdownRow(b *strings.Builder, cells ...string) {
	for _, cell := range cells {
		b.WriteString("| " + Escape(cell) + " ")
	}
	b.WriteString("|\n")
}

func markdownList(b *strings.Builder, list []Item) {
	for _, item := range list {
		b.WriteString("- " + Escape(item.Text) + "\n")
		for _, block := range item.Blocks {
			fence := "``"
			for strings.Contains(block, fence) { // would end the code
				fence += "`"
			}
			fmt.Fprintf(b, "  %s %s %[1]s\n", fence, oneLine.Replace(block))
		}
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
	markdownList(b, Items(g.Notes...))
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
		"stated":  func(s Section, i int) bool { return i == map[bool]int{false: len(s.Head) - 1}[s.First] },
		"numeric": Section.numeric, "picture": Plot.picture,
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
