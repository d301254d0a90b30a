package scoreio

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

// Select selects the rankings to write. Empty fields select all, except Logics.
type Select struct {
	Track, Division, View string
	Logics                bool // whether to include the rankings of logics
}

// Formats lists the formats of WriteTables, in addition to json, which ResultJSON writes.
var Formats = []string{"table", "csv", "md", "latex"}

// grid is a ranking as text.
type grid struct {
	track, division, logic, view string
	note                         string
	head                         []string
	left                         []bool // whether each column is left-aligned
	rows                         [][]string
}

// WriteTables writes rankings in one of Formats.
func WriteTables(w io.Writer, format string, rs *score.RuleSet, res *score.Result, sel Select) error {
	part, err := sel.Of(res)
	if err != nil {
		return err
	}
	grids := grids(rs, part, sel)
	if len(grids) == 0 {
		return sel.nothing(res)
	}
	switch format {
	case "csv":
		return writeCSV(w, grids)
	case "table", "md", "latex":
		for i := range grids {
			if err := grids[i].write(w, format, i > 0); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("unknown format %q; the formats are %s and json", format, strings.Join(Formats, ", "))
}

// places returns the possible selections.
func places(res *score.Result) []string {
	var names []string
	for _, t := range res.Tracks {
		for _, d := range t.Divisions {
			names = append(names, t.Name+"/"+d.Name)
		}
	}
	return names
}

// grids returns the rankings of a selected part of a result.
func grids(rs *score.RuleSet, part *score.Result, sel Select) []grid {
	var out []grid
	for _, t := range part.Tracks {
		for _, d := range t.Divisions {
			list := []*score.DivisionResult{d}
			if sel.Logics || sel.Division != "" && sel.Division != d.Name {
				list = append(list, d.Logics...)
			}
			for i, x := range list {
				for _, r := range x.Rankings {
					g := rankingGrid(rs, t, x, r)
					if g.division = d.Name; i > 0 {
						g.logic = x.Name
					}
					out = append(out, g)
				}
			}
		}
	}
	return out
}

func rankingGrid(rs *score.RuleSet, t *score.TrackResult, d *score.DivisionResult, r *score.Ranking) grid {
	show := resultWriter{rs: rs, noCPU: t.NoCPU}.show(r.View)
	g := grid{track: t.Name, view: r.View, head: append([]string{"rank", "solver"}, show...),
		left: make([]bool, len(show)+2)}
	g.left[1] = true
	g.note = fmt.Sprintf("%d benchmarks", r.Benchmarks)
	switch {
	case r.NoWinner != "":
		g.note += ", no winner: " + r.NoWinner
	case !d.Competitive: // not competitive, but a winner by the organisers' practice
		g.note += ", not competitive"
	}
	if len(r.Winners) > 0 {
		g.note += ", won by " + strings.Join(r.Winners, " and ")
	}
	for i := range r.Entries {
		e := &r.Entries[i]
		rank := "-"
		if e.Rank > 0 {
			rank = fmt.Sprint(e.Rank)
		}
		row := []string{rank, e.Solver + mark(e)}
		for _, column := range show {
			row = append(row, text(cellText(e, column)))
		}
		g.rows = append(g.rows, row)
	}
	return g
}

// mark returns the mark for a solver's name that indicates why it cannot win.
func mark(e *score.Entry) string {
	switch {
	case e.Refused && e.Barred != "":
		return " (" + e.Barred + ")"
	case e.Excluded != "":
		return " (disqualified)"
	case !e.Competitive:
		return " (not competing)"
	case !e.Eligible:
		return " (derived)"
	}
	return ""
}

func cellText(e *score.Entry, column string) any {
	v := cellValue(e, column)
	if v == nil {
		return "-"
	}
	return v
}

func (g *grid) title() string {
	parts := []string{g.track, g.division}
	if g.logic != "" {
		parts = append(parts, g.logic)
	}
	return strings.Join(append(parts, g.view), " / ")
}

func (g *grid) write(w io.Writer, format string, more bool) error {
	if more {
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
	}
	var b strings.Builder
	switch format {
	case "md":
		g.markdown(&b)
	case "latex":
		g.latex(&b)
	default:
		g.plain(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (g *grid) widths() []int {
	widths := make([]int, len(g.head))
	for _, row := range slices.Concat([][]string{g.head}, g.rows) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

func (g *grid) line(b *strings.Builder, row []string, widths []int) {
	for i, cell := range row {
		b.WriteString("  ")
		pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		switch {
		case !g.left[i]:
			b.WriteString(pad + cell)
		case i < len(row)-1:
			b.WriteString(cell + pad)
		default:
			b.WriteString(cell)
		}
	}
}

func (g *grid) plain(b *strings.Builder) {
	fmt.Fprintf(b, "%s (%s)\n", g.title(), g.note)
	g.body(b)
}

// body writes the head and the rows.
func (g *grid) body(b *strings.Builder) {
	widths := g.widths()
	for _, row := range slices.Concat([][]string{g.head}, g.rows) {
		g.line(b, row, widths)
		b.WriteByte('\n')
	}
}

func (g *grid) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "### %s\n\n%s\n\n", g.title(), g.note)
	rule := make([]string, len(g.head))
	for i := range rule {
		rule[i] = "--:"
		if g.left[i] {
			rule[i] = ":--"
		}
	}
	for _, row := range slices.Concat([][]string{g.head, rule}, g.rows) {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = strings.ReplaceAll(c, "|", `\|`)
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
	}
}

// latexEscapes escapes LaTeX's special characters.
var latexEscapes = strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`,
	"{", `\{`, "}", `\}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`)

func (g *grid) latex(b *strings.Builder) {
	align := ""
	for _, left := range g.left {
		if left {
			align += "l"
		} else {
			align += "r"
		}
	}
	fmt.Fprintf(b, "%% %s (%s)\n\\begin{tabular}{%s}\n\\hline\n", g.title(), g.note, align)
	for i, row := range slices.Concat([][]string{g.head}, g.rows) {
		cells := make([]string, len(row))
		for j, c := range row {
			cells[j] = latexEscapes.Replace(c)
		}
		b.WriteString(strings.Join(cells, " & ") + ` \\` + "\n")
		if i == 0 {
			b.WriteString("\\hline\n")
		}
	}
	b.WriteString("\\hline\n\\end{tabular}\n")
}

// inSeconds returns a column's name in CSV, where the names of times include the unit.
func inSeconds(column string) string {
	if slices.Contains([]string{"w", "c", "aw", "ac", "avg_cpu_correct"}, column) {
		return column + "_s"
	}
	return column
}

// writeCSV writes all rankings as one table, with a column for each figure that occurs in any ranking.
func writeCSV(w io.Writer, grids []grid) error {
	var columns []string
	for _, g := range grids {
		for _, c := range g.head[2:] {
			if !slices.Contains(columns, c) {
				columns = append(columns, c)
			}
		}
	}
	out := csv.NewWriter(w)
	head := []string{"track", "division", "logic", "view", "rank", "solver"}
	for _, c := range columns {
		head = append(head, inSeconds(c))
	}
	if err := out.Write(head); err != nil {
		return err
	}
	for _, g := range grids {
		for _, row := range g.rows {
			record := append([]string{g.track, g.division, g.logic, g.view}, row[:2]...)
			for _, c := range columns {
				cell := ""
				if i := slices.Index(g.head, c); i >= 0 {
					cell = row[i]
				}
				record = append(record, cell)
			}
			for i := range record {
				record[i] = results.Escaped(record[i])
			}
			if err := out.Write(record); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}
