package record

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/smtpipe/smtpipe/internal/base/pattern"
)

// cell is a table cell on a page.
type cell struct {
	text   string
	header bool
	marked bool // whether a footnote or the line's class marks the solver as not competing
}

// table is a table on a page.
type table struct {
	id      string
	heading string // heading that precedes the table
	head    []string
	more    []string // cells of further heading lines
	rows    [][]cell
}

// document is the content of a results page.
type document struct {
	title    string
	text     string // all text outside tables
	headings []string
	lists    []string
	tables   []table
}

// parseHTML parses a page. html.Parse limits its nesting.
func parseHTML(data []byte) (*document, error) {
	root, err := html.Parse(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	d := &document{}
	var text strings.Builder
	heading := ""
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			text.WriteString(n.Data + " ")
			return
		case slices.Contains([]atom.Atom{atom.Script, atom.Style, atom.Header, atom.Head}, n.DataAtom):
			return
		case n.DataAtom == atom.Table:
			d.tables = append(d.tables, tableOf(n, heading))
			return
		case n.DataAtom == atom.H1 || n.DataAtom == atom.H2 && d.title == "":
			d.title = textOf(n)
		case n.DataAtom == atom.H2 || n.DataAtom == atom.H3 || n.DataAtom == atom.H4:
			heading = textOf(n)
			d.headings = append(d.headings, heading)
		case n.DataAtom == atom.Li:
			d.lists = append(d.lists, textOf(n))
		}
		for c := range n.ChildNodes() {
			walk(c)
		}
	}
	walk(root)
	d.text = squeeze(text.String())
	return d, nil
}

// tableOf reads a table. It treats a nested table as content of a cell: on a page with an unclosed tag, a nested table
// contains the rest of the page.
func tableOf(n *html.Node, heading string) table {
	t := table{id: attribute(n, "id"), heading: heading}
	for row := range n.Descendants() {
		if row.DataAtom != atom.Tr {
			continue
		}
		var cells []cell
		header := true
		for c := range row.ChildNodes() {
			if c.DataAtom != atom.Td && c.DataAtom != atom.Th {
				continue
			}
			x := cell{text: textOf(c), header: c.DataAtom == atom.Th, marked: marked(row) || marked(c)}
			header = header && x.header
			cells = append(cells, x)
		}
		switch {
		case len(cells) == 0:
		case header:
			of := &t.head
			if t.head != nil {
				of = &t.more
			}
			for _, c := range cells {
				*of = append(*of, c.text)
			}
		default:
			t.rows = append(t.rows, cells)
		}
	}
	return t
}

// marked reports whether a line or cell marks a solver as not competing.
func marked(n *html.Node) bool {
	if strings.HasPrefix(attribute(n, "class"), "non-competing") {
		return true
	}
	if n.DataAtom == atom.Tr {
		return false
	}
	for c := range n.Descendants() {
		if c.DataAtom == atom.Sup || strings.HasPrefix(attribute(c, "class"), "non-competing") {
			return true
		}
	}
	return false
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return strings.TrimSpace(a.Val)
		}
	}
	return ""
}

// textOf returns a node's text without footnotes.
func textOf(n *html.Node) string {
	var b strings.Builder
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			b.WriteString(n.Data)
		case n.DataAtom == atom.Br:
			b.WriteByte(' ')
		case n.DataAtom == atom.Sup:
			return
		}
		for c := range n.ChildNodes() {
			walk(c)
		}
	}
	walk(n)
	return squeeze(b.String())
}

var blanks = pattern.Lazy(`[\s\x{a0}]+`)

func squeeze(s string) string { return strings.TrimSpace(blanks().ReplaceAllString(s, " ")) }
