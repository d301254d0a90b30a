package report

import (
	"cmp"
	"html"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

// table is a table on a page. The whole site uses this type, so all tables sort, scroll and print alike.
type table struct {
	ID      string
	Caption string
	Cols    []col
	Rows    []row
	Filter  bool // offers a field for filtering the rows
	Heat    bool // colours cells by value
	Paths   bool // names rows by paths, which need space
	Root    string
}

// col is a column. Tip explains it.
type col struct {
	Title, Tip string
	Num        bool
}

type row struct {
	Class string
	Cells []cell
}

// cell contains text or links. Sort is the sort key if it differs from the text.
type cell struct {
	Text    string
	Outside string // external address that the text links to
	Links   []link
	Badges  []badge
	Sort    string
	Class   string
	Num     bool
	Head    bool // the cell names the row
	// Programs are the programs whose versions replace the text once there is evidence. Each has a digest and a name.
	Programs []string
}

type badge struct{ Text, Class, Tip string }

// prune removes columns that are empty in every row.
func (t *table) prune() {
	for k := len(t.Cols) - 1; k > 0; k-- {
		if slices.ContainsFunc(t.Rows, func(r row) bool {
			c := &r.Cells[k]
			return (c.Text != "" && c.Text != "–") || c.Links != nil || c.Badges != nil
		}) {
			continue
		}
		t.Cols = slices.Delete(t.Cols, k, k+1)
		for i := range t.Rows {
			t.Rows[i].Cells = slices.Delete(t.Rows[i].Cells, k, k+1)
		}
	}
}

func text(s string) cell { return cell{Text: clean(s)} }

func head(s, href string) cell {
	if href == "" {
		return cell{Text: clean(s), Head: true}
	}
	return cell{Links: []link{{clean(s), href}}, Head: true}
}

func linked(s, href string) cell { return cell{Links: []link{{clean(s), href}}} }

func count(n int64) cell {
	return cell{Text: grouped(n), Sort: strconv.FormatInt(n, 10), Num: true}
}

func timeCell(s float64) cell {
	return cell{Text: seconds(s), Sort: strconv.FormatFloat(s, 'g', -1, 64), Num: true}
}

func score(x float64) cell {
	return cell{Text: number(x), Sort: strconv.FormatFloat(x, 'g', -1, 64), Num: true}
}

// escaped escapes a text as the templates do.
func escaped(s string) string { return strings.ReplaceAll(template.HTMLEscapeString(s), "+", "&#43;") }

// heads renders a table's header cells.
func (t *table) heads() template.HTML {
	var w strings.Builder
	for _, c := range t.Cols {
		w.WriteString(`<th scope="col"`)
		if c.Num {
			w.WriteString(` class="num"`)
		}
		if c.Tip != "" {
			w.WriteString(` title="` + escaped(c.Tip) + `"`)
		}
		w.WriteString(">" + escaped(c.Title) + "</th>")
	}
	return template.HTML(w.String())
}

// rows renders a table's body. A competition has a million cells, for which templates would need half of the report's
// time.
func (t *table) rows() template.HTML {
	var w strings.Builder
	put := func(parts ...string) {
		for _, p := range parts {
			w.WriteString(p)
		}
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		put("<tr")
		if r.Class != "" {
			put(` class="`, html.EscapeString(r.Class), `"`)
		}
		put(">")
		for k := range r.Cells {
			c := &r.Cells[k]
			if c.Head {
				put(`<th scope="row">`)
				c.body(put, t.Root)
				put("</th>")
				continue
			}
			put("<td")
			if class := c.classes(); class != "" {
				put(` class="`, html.EscapeString(class), `"`)
			}
			if c.Sort != "" {
				put(` data-v="`, html.EscapeString(c.Sort), `"`)
			}
			put(">")
			c.body(put, t.Root)
			put("</td>")
		}
		put("</tr>\n")
	}
	return template.HTML(w.String())
}

func (c *cell) classes() string {
	if !c.Num {
		return c.Class
	}
	return strings.TrimSpace("num " + c.Class)
}

// body writes a cell's content. It escapes texts and addresses. Addresses within the site consist of the site's file
// names; all others are web addresses, see webAddress.
func (c *cell) body(put func(...string), root string) {
	text := html.EscapeString(c.Text)
	switch {
	case c.Links != nil:
		for i, l := range c.Links {
			if i > 0 {
				put(", ")
			}
			put(`<a href="`, html.EscapeString(root+l.Href), `">`, html.EscapeString(l.Title), "</a>")
		}
		if text != "" {
			put(` <span class="sub">`, text, "</span>")
		}
	case c.Outside != "":
		put(`<a href="`, html.EscapeString(c.Outside), `" rel="noopener noreferrer">`, text, "</a>")
	case c.Programs != nil:
		put(`<span data-versions="`, html.EscapeString(strings.Join(c.Programs, "\n")), `">`, text, "</span>")
	case c.Class == "code":
		put("<code>", text, "</code>")
	default:
		put(text)
	}
	for _, b := range c.Badges {
		put(` <span class="badge `, html.EscapeString(b.Class), `"`)
		if b.Tip != "" {
			put(` title="`, html.EscapeString(b.Tip), `"`)
		}
		put(">", html.EscapeString(b.Text), "</span>")
	}
}

func functions() template.FuncMap {
	return template.FuncMap{
		"grouped":  grouped,
		"plural":   plural,
		"seconds":  seconds,
		"bytes":    words.Bytes,
		"longTime": longTime,
		"clean":    clean,
		"at":       func(t *table, root string) *table { t.Root = root; return t },
		"int64":    func(n int) int64 { return int64(n) },
		"heads":    (*table).heads,
		"rows":     (*table).rows,
		"lines": func(s []strip, root string) any {
			return struct {
				Lines []strip
				Root  string
			}{s, root}
		},
	}
}

// rankingTable lays out a ranking. It omits columns that no row uses.
func (m *model) rankingTable(r *ranking, id, caption string) *table {
	t := &table{ID: id, Caption: caption}
	t.Cols = []col{{"Place", "among the solvers that may win", true}, {"Solver", "", false}}
	columns := usedColumns(r.rows)
	for _, c := range columns {
		t.Cols = append(t.Cols, col{c.title, c.tip, true})
	}
	for i, s := range r.rows {
		place := cell{Text: "–", Sort: "1e9", Num: true}
		if r.place[i] > 0 {
			place = count(r.place[i])
		}
		name := head(s.Solver, m.solver(s.Solver).href())
		name.Badges = m.marks(&s)
		tr := row{Cells: []cell{place, name}}
		switch {
		case s.Winner:
			tr.Class = "winner"
		case !s.Competitive:
			tr.Class = "aside"
		}
		for _, c := range columns {
			tr.Cells = append(tr.Cells, c.cell(&s))
		}
		t.Rows = append(t.Rows, tr)
	}
	return t
}

// notCompeting marks solvers that a table contains only for comparison.
var notCompeting = badge{"not competing", "plain", "entered for comparison; has no place and cannot win"}

// marks returns a row's marks, with their reasons.
func (m *model) marks(s *results.ScoreRow) []badge {
	var b []badge
	if s.Winner {
		b = append(b, m.winnerBadge())
	}
	if !s.Competitive {
		b = append(b, notCompeting)
	}
	if s.BaseSolver != "" {
		b = append(b, badge{"derived from " + clean(s.BaseSolver), "plain", "a derived solver wins only if it does " +
			"better than its base solver"})
	}
	if s.Competitive && !s.Eligible {
		b = append(b, badge{"not eligible", "warn", cmp.Or(clean(s.Barred), "the rules keep it from winning this "+
			"ranking")})
	}
	if s.Errors > 0 {
		b = append(b, badge{"unsound", "bad", "gave wrong answers here"})
	}
	return b
}

type rankColumn struct {
	title, tip string
	used       func(*results.ScoreRow) bool
	cell       func(*results.ScoreRow) cell
}

// answersOnce reports whether a benchmark has a single answer. An incremental one may be answered in part, which is
// neither solved nor unsolved.
func answersOnce(s *results.ScoreRow) bool { return s.Track != comp.Incremental.String() }

var rankColumns = []rankColumn{
	{"Errors", "wrong results", nil, func(s *results.ScoreRow) cell {
		c := count(s.Errors)
		if s.Errors > 0 {
			c.Class = "bad"
		}
		return c
	}},
	{"Points", "used by the view's ranking", func(s *results.ScoreRow) bool { return s.Points != 0 },
		func(s *results.ScoreRow) cell { return count(s.Points) }},
	{"Score", "correct results, or the track's own count", nil,
		func(s *results.ScoreRow) cell { return score(s.Correct) }},
	{"CPU time", "seconds, CPU time score of the view", nil,
		func(s *results.ScoreRow) cell { return timeCell(s.CPUS) }},
	{"Wall time", "seconds, wall time score of the view", nil,
		func(s *results.ScoreRow) cell { return timeCell(s.WallS) }},
	{"Actual CPU", "seconds, CPU time as measured", func(s *results.ScoreRow) bool { return s.ActualCPUS != 0 },
		func(s *results.ScoreRow) cell { return timeCell(s.ActualCPUS) }},
	{"Actual wall", "seconds, wall time as measured", func(s *results.ScoreRow) bool { return s.ActualWallS != 0 },
		func(s *results.ScoreRow) cell { return timeCell(s.ActualWallS) }},
	{"Solved", "benchmarks solved", answersOnce, func(s *results.ScoreRow) cell { return count(s.Solved) }},
	{string(comp.AnswerSat), "of them answered sat", answersOnce,
		func(s *results.ScoreRow) cell { return count(s.SolvedSat) }},
	{string(comp.AnswerUnsat), "of them answered unsat", answersOnce,
		func(s *results.ScoreRow) cell { return count(s.SolvedUnsat) }},
	{"Unsolved", "benchmarks run and not solved", answersOnce,
		func(s *results.ScoreRow) cell { return count(s.Unsolved) }},
	{"Abstained", "benchmarks in logics that the solver did not enter", nil,
		func(s *results.ScoreRow) cell { return count(s.Abstained) }},
	{"Timeout", "runs ended by a time limit", nil, func(s *results.ScoreRow) cell { return count(s.Timeouts) }},
	{"Memout", "runs ended by the memory limit", nil, func(s *results.ScoreRow) cell { return count(s.Memouts) }},
}

func usedColumns(rows []results.ScoreRow) []rankColumn {
	var used []rankColumn
	for _, c := range rankColumns {
		keep := c.used == nil
		for i := range rows {
			keep = keep || c.used(&rows[i])
		}
		if keep {
			used = append(used, c)
		}
	}
	return used
}
