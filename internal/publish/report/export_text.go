package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

// divisionTexts returns a division's rankings as texts for copying and for papers.
func (s *site) divisionTexts(d *division) []export {
	if len(d.rankings) == 0 {
		return nil
	}
	base := path.Join("export", d.track.slug, d.slug)
	what := "Rankings of " + clean(d.name)
	return []export{
		{file{base + ".md", func(w io.Writer) error { return s.writeMarkdown(w, d) }}, d.track.title, what, "Markdown"},
		{file{base + ".tex", func(w io.Writer) error { return s.writeLaTeX(w, d) }}, d.track.title, what, "LaTeX"},
		{file{base + ".csv", func(w io.Writer) error { return s.writeRankingCSV(w, d) }}, d.track.title, what, "CSV"},
	}
}

// plainCell returns a cell's text without links. Callers mark winners with a star.
func plainCell(c cell) string {
	if c.Links == nil {
		return strings.ReplaceAll(c.Text, thinSpace, " ")
	}
	names := make([]string, len(c.Links))
	for i, l := range c.Links {
		names[i] = l.Title
	}
	return strings.Join(names, ", ")
}

func (s *site) writeMarkdown(w io.Writer, d *division) error {
	var out strings.Builder
	fmt.Fprintf(&out, "# %s, %s\n", markdown(clean(d.name)), markdown(d.track.title))
	for _, v := range s.rankingViews(d.rankings, d.name) {
		fmt.Fprintf(&out, "\n## %s\n\n|", markdown(v.View.Title))
		rule := "|"
		for _, c := range v.Table.Cols {
			fmt.Fprintf(&out, " %s |", c.Title)
			if c.Num {
				rule += "---:|"
			} else {
				rule += "---|"
			}
		}
		out.WriteString("\n" + rule + "\n")
		for _, r := range v.Table.Rows {
			out.WriteString("|")
			for _, c := range r.Cells {
				text := markdown(plainCell(c))
				if c.Head && r.Class == "winner" {
					text = "**" + text + "**"
				}
				for _, b := range c.Badges {
					if b.Class == "plain" || b.Class == "warn" {
						text += " (" + markdown(b.Text) + ")"
					}
				}
				out.WriteString(" " + text + " |")
			}
			out.WriteString("\n")
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// markdown escapes everything that Markdown or HTML would interpret as markup.
func markdown(s string) string {
	var w strings.Builder
	for _, r := range results.Escaped(s) {
		switch {
		case strings.ContainsRune("\\`*_{}[]()#+!|~$", r):
			w.WriteByte('\\')
			w.WriteRune(r)
		case r == '<':
			w.WriteString("&lt;")
		case r == '>':
			w.WriteString("&gt;")
		case r == '&':
			w.WriteString("&amp;")
		case r == '\n' || r == '\r':
			w.WriteByte(' ')
		default:
			w.WriteRune(r)
		}
	}
	return w.String()
}

// latexColumns are the ranking columns that fit on a page.
var latexColumns = map[string]bool{"Place": true, "Solver": true, "Errors": true, "Score": true, "CPU time": true,
	"Wall time": true, string(comp.AnswerSat): true, string(comp.AnswerUnsat): true, "Unsolved": true}

// writeLaTeX writes a table environment for each view, using the booktabs package.
func (s *site) writeLaTeX(w io.Writer, d *division) error {
	var out strings.Builder
	out.WriteString("% \\usepackage{booktabs}\n")
	for _, v := range s.rankingViews(d.rankings, d.name) {
		var keep []int
		spec, heads := "", []string{}
		for i, c := range v.Table.Cols {
			if !latexColumns[c.Title] {
				continue
			}
			keep = append(keep, i)
			heads = append(heads, latex(c.Title))
			if c.Num {
				spec += "r"
			} else {
				spec += "l"
			}
		}
		fmt.Fprintf(&out, "\\begin{table}\n  \\caption{%s, %s, %s}\n  \\begin{tabular}{%s}\n    \\toprule\n    %s "+
			"\\\\\n    \\midrule\n", latex(clean(d.name)),
			latex(d.track.title), latex(v.View.Title), spec, strings.Join(heads, " & "))
		for _, r := range v.Table.Rows {
			cells := make([]string, len(keep))
			for k, i := range keep {
				cells[k] = latex(plainCell(r.Cells[i]))
				if r.Cells[i].Head && r.Class == "winner" {
					cells[k] = "\\textbf{" + cells[k] + "}"
				}
			}
			fmt.Fprintf(&out, "    %s \\\\\n", strings.Join(cells, " & "))
		}
		out.WriteString("    \\bottomrule\n  \\end{tabular}\n\\end{table}\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// latex escapes the characters that TeX interprets as commands.
func latex(s string) string {
	var w strings.Builder
	for _, r := range results.Escaped(s) {
		switch r {
		case '\\':
			w.WriteString(`\textbackslash{}`)
		case '{', '}', '$', '&', '#', '_', '%':
			w.WriteByte('\\')
			w.WriteRune(r)
		case '^':
			w.WriteString(`\textasciicircum{}`)
		case '~':
			w.WriteString(`\textasciitilde{}`)
		case '<', '>', '|', '"':
			w.WriteString(map[rune]string{'<': `\textless{}`, '>': `\textgreater{}`, '|': `\textbar{}`,
				'"': `\textquotedbl{}`}[r])
		case '–':
			w.WriteString("--")
		case '−':
			w.WriteString("$-$")
		case '\n', '\r', '\t':
			w.WriteByte(' ')
		default:
			w.WriteRune(r)
		}
	}
	return w.String()
}

// writeRankingCSV writes all of a division's views, with unformatted numbers.
func (s *site) writeRankingCSV(w io.Writer, d *division) error {
	out := csv.NewWriter(w)
	err := out.Write([]string{"division", "view", "place", "solver", "competitive", "winner", "errors", "score",
		"points", "cpu_s", "wall_s", "solved", "solved_sat", "solved_unsat", "unsolved", "abstained", "timeout",
		"memout"})
	if err != nil {
		return err
	}
	inert := func(s string) string { return results.Escaped(results.Inert(s)) }
	for _, r := range d.rankings {
		for i, row := range r.rows {
			place := ""
			if r.place[i] > 0 {
				place = fmt.Sprint(r.place[i])
			}
			if err := out.Write([]string{inert(d.name), inert(r.view.Name), place, inert(row.Solver),
				fmt.Sprint(row.Competitive), fmt.Sprint(row.Winner), fmt.Sprint(row.Errors),
				count64(row.Correct), fmt.Sprint(row.Points), count64(row.CPUS), count64(row.WallS),
				fmt.Sprint(row.Solved), fmt.Sprint(row.SolvedSat), fmt.Sprint(row.SolvedUnsat),
				fmt.Sprint(row.Unsolved), fmt.Sprint(row.Abstained), fmt.Sprint(row.Timeouts),
				fmt.Sprint(row.Memouts)}); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}
