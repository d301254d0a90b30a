package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/smtpipe/smtpipe/internal/publish/document"
)

// Form is where a document is shown, with the maximum number of lines in each part.
type Form struct {
	level                                      int // of headings
	page                                       bool
	reasons, findings, spreads, measures, look int
}

// The forms of a document. A comment on a pull request has at most 60 lines.
var (
	OnTerminal = Form{reasons: 50, findings: 50, spreads: 50, measures: math.MaxInt, look: toLook}
	InComment  = Form{level: 3, reasons: 6, findings: 8, spreads: 3, measures: 8, look: 4}
	OnPage     = Form{page: true, reasons: math.MaxInt, findings: math.MaxInt, spreads: math.MaxInt,
		measures: math.MaxInt, look: toLook}
)

// Document presents the report, worst findings first.
func (r *Report) Document(f Form) *document.Document {
	d := &document.Document{Title: r.Headline(), Level: f.level, Lines: []string{r.Summary()}}
	if r.Regression {
		d.State = "bad"
	}
	d.Sections = append(d.Sections,
		document.Section{List: list(f.reasons, r.Reasons, func(s string) document.Item {
			return document.Item{Text: s, State: "bad"}
		})},
		document.Section{Title: "Answers", List: list(f.findings, r.Findings, Finding.item)})
	if s := r.Stability; s != nil {
		d.Sections = append(d.Sections, document.Section{Title: "Stability", Text: s.Summary(),
			List: list(f.spreads, s.Spreads, func(s Spread) document.Item { return document.Item{Text: s.Text()} })})
	}
	if f.page {
		d.Sections = append(d.Sections, document.Section{Title: "Wall times", Plots: []document.Plot{r.plot()},
			Notes: []string{fmt.Sprintf("Below the line, B is faster. Runs without an answer are at the limit, %s.",
				r.Options.WallTime)}})
	}
	ratios := r.ratios(f.measures)
	if f.page {
		ratios.Notes = append(ratios.Notes, fmt.Sprintf("Wilcoxon signed-rank tests of the logarithms of ratios, "+
			"corrected by Holm's method for all tests of this page. The effect is the matched-pairs rank-biserial "+
			"correlation: 1 if B needs more on every benchmark, -1 if less. Near the time limit, %d benchmarks were lost "+
			"and %d gained.", r.Near.Lost, r.Near.Gained))
	}
	look := document.Section{Title: "To look at"}
	for _, x := range r.Look[:min(f.look, len(r.Look))] {
		look.List = append(look.List, document.Item{Text: x.Text(), Blocks: []string{x.Command}})
	}
	d.Sections = append(d.Sections, ratios, look)
	d.Sections = slices.DeleteFunc(d.Sections, func(s document.Section) bool {
		return len(s.List)+len(s.Rows)+len(s.Plots) == 0 && s.Text == ""
	})
	return d
}

// list returns an item for each of the first elements, and one with the number of remaining ones.
func list[T any](most int, all []T, item func(T) document.Item) (items []document.Item) {
	for _, x := range all[:min(most, len(all))] {
		items = append(items, item(x))
	}
	if n := len(all) - most; n > 0 {
		items = append(items, document.Item{Text: fmt.Sprintf("and %d more", n)})
	}
	return items
}

func (f Finding) item() document.Item {
	item := document.Item{Text: f.Text()}
	if f.Kind != Gained && f.Note == "" {
		item.State = "bad"
	}
	return item
}

// ratios lists the groups' measures. If not all fit, groups with a verdict come first, worst first.
func (r *Report) ratios(most int) document.Section {
	s := document.Section{Title: "Ratios of B to A where both gave the same answer",
		Head: []string{"group", "pairs", "of", "median", "geomean", "effect", "p (Holm)", "verdict"}}
	type measure struct {
		Measure
		document.Row
	}
	var all []measure
	for _, g := range r.Listed() {
		for i, m := range g.Measures {
			row := document.Row{Cells: []string{g.Name(), fmt.Sprint(g.Pairs), m.Name, three(m.Median), three(m.Mean),
				three(m.RankBiserial), m.pText(), m.Verdict}}
			switch m.Verdict {
			case measures[i].more:
				row.State = "bad"
			case measures[i].less:
				row.State = "good"
			}
			all = append(all, measure{m, row})
		}
	}
	if left := len(all) - most; left > 0 {
		slices.SortStableFunc(all, func(x, y measure) int {
			worst := map[document.State]int{"bad": 0, "good": 1, "": 2}
			return cmp.Or(worst[x.State]-worst[y.State],
				cmp.Compare(math.Abs(math.Log(y.Median)), math.Abs(math.Log(x.Median))))
		})
		all = all[:most]
		s.Notes = []string{fmt.Sprintf("Further rows: %d.", left)}
	}
	for _, x := range all {
		s.Rows = append(s.Rows, x.Row)
	}
	if text := r.Unlisted(); text != "" {
		s.Notes = append(s.Notes, text)
	}
	return s
}

func three(x float64) string { return fmt.Sprintf("%.3f", x) }

// Document presents the history.
func (h *History) Document(f Form) *document.Document {
	d := &document.Document{Title: h.Headline(), Level: f.level, Lines: []string{h.Summary()}}
	d.Sections = append(d.Sections, h.section(func(p Point) Figures { return p.Figures }, f.page))
	for _, s := range []document.Section{
		{Title: "Wrong answers and disagreements", List: list(f.findings, h.Faults, Fault.item)},
		{Title: "Lost and not regained", List: list(f.findings, h.Lost, Loss.item)},
	} {
		if len(s.List) > 0 {
			d.Sections = append(d.Sections, s)
		}
	}
	if logics := h.inFigures()[0].Logics; f.page && len(logics) > 1 { // a single logic equals the total
		for i, l := range logics {
			s := h.section(func(p Point) Figures { return p.Logics[i].Figures }, true)
			s.Title = fmt.Sprintf("%s (%d)", l.Logic, l.Benchmarks)
			d.Sections = append(d.Sections, s)
		}
	}
	rules := document.Section{Notes: []string{h.Rules()}}
	if f.page {
		rules.Notes = append(rules.Notes, "Curves of what was solved reach from the smallest to the largest value. A "+
			"dashed line marks a build that was measured on another machine than the one before. Crosses mark builds "+
			"with wrong answers.")
	}
	d.Sections = append(d.Sections, rules)
	return d
}

// section lists figures of all builds, with their curves if it is for a page.
func (h *History) section(of func(Point) Figures, page bool) document.Section {
	s := document.Section{Head: []string{"build", "measured", "solved", "PAR-2 s", "unstable", "wrong", "lost",
		"gained", "note"}}
	for i, p := range h.Builds {
		cells := []string{p.Name, p.Measured.Format("2006-01-02"), "-", "-", "-", "-", "-", "-", h.Note(i)}
		if p.Counts {
			f := of(p)
			copy(cells[2:], []string{fmt.Sprint(f.Solved), three(float64(f.PAR2)), fmt.Sprint(f.Unstable),
				fmt.Sprint(f.Wrong), fmt.Sprint(f.Lost), fmt.Sprint(f.Gained)})
		}
		s.Rows = append(s.Rows, document.Row{Cells: cells})
	}
	if page {
		s.Plots = h.curves(of)
	}
	return s
}

func (f Fault) item() document.Item {
	item := document.Item{Text: f.Text()}
	if f.Still {
		item.State = "bad"
	}
	return item
}

func (l Loss) item() document.Item {
	item := document.Item{Text: l.Text()}
	if l.Note == "" {
		item.State = "bad"
	}
	return item
}
