package compare

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/words"
)

// curve plots a figure over the builds, in an area of 320 × 120.
type curve struct {
	Title       string
	Path        string
	Dots        []dot
	Breaks      []float64 // positions where the machine changed
	Top, Bottom string    // largest and smallest value
	First, Last string    // names of the first and the last build
	Label       string
}

// card holds a logic's curves, or the curves over all logics if it has no name.
type card struct {
	Name   string
	Curves []curve
	Rows   []cardRow
}

type cardRow struct {
	Build string
	LogicFigures
}

const (
	curveLeft, curveRight = 44.0, 310.0
	curveTop, curveBottom = 10.0, 96.0
)

// WriteHTML writes a history as a self-contained HTML page.
func (h *History) WriteHTML(w io.Writer) error {
	cards := []card{h.card(-1)}
	for i := range h.inFigures()[0].Logics {
		cards = append(cards, h.card(i))
	}
	if len(cards) == 2 { // a single logic equals the total
		cards = cards[:1]
	}
	return page().ExecuteTemplate(w, "history.html", struct {
		*History
		All   card
		Cards []card
	}{h, cards[0], cards[1:]})
}

// inFigures returns the builds that count.
func (h *History) inFigures() (all []Point) {
	for _, p := range h.Builds {
		if p.Counts {
			all = append(all, p)
		}
	}
	return all
}

// card returns the i-th logic's curves, or those over all logics.
func (h *History) card(i int) card {
	c := card{}
	builds := h.inFigures()
	figures := make([]Figures, len(builds))
	for k, p := range builds {
		figures[k] = p.Figures
		if i >= 0 {
			l := p.Logics[i]
			figures[k], c.Name = l.Figures, fmt.Sprintf("%s (%d)", l.Logic, l.Benchmarks)
			c.Rows = append(c.Rows, cardRow{p.Name, l})
		}
	}
	unstable, wrong := false, false
	for _, f := range figures {
		unstable, wrong = unstable || f.Unstable > 0, wrong || f.Wrong > 0
	}
	for _, k := range []struct {
		title           string
		shown, fromZero bool
		of              func(Figures) float64
	}{
		{"Solved", true, false, func(f Figures) float64 { return float64(f.Solved) }},
		{"PAR-2, s", true, true, func(f Figures) float64 { return float64(f.PAR2) }},
		{"Unstable", unstable, true, func(f Figures) float64 { return float64(f.Unstable) }},
		{"Wrong", wrong, true, func(f Figures) float64 { return float64(f.Wrong) }},
	} {
		if k.shown {
			c.Curves = append(c.Curves, h.curve(k.title, k.fromZero, builds, figures, k.of))
		}
	}
	return c
}

// curve plots a figure. A red dot marks a build with wrong answers.
func (h *History) curve(title string, fromZero bool, builds []Point, figures []Figures, of func(Figures) float64,
) curve {
	n := len(builds)
	c := curve{Title: title, First: short(builds[0].Name), Last: short(builds[n-1].Name)}
	format := func(x float64) string {
		if x == math.Trunc(x) {
			return fmt.Sprint(x)
		}
		return fmt.Sprintf("%.3f", x)
	}
	low, high := of(figures[0]), of(figures[0])
	for _, f := range figures {
		low, high = min(low, of(f)), max(high, of(f))
	}
	if fromZero || low == high {
		low = 0
	}
	c.Top, c.Bottom = format(high), format(low)
	c.Label = fmt.Sprintf("%s over %d builds, from %s to %s", title, n, c.Bottom, c.Top)
	var path strings.Builder
	at := 0
	for i, p := range h.Builds {
		if !p.Counts {
			continue
		}
		f := figures[at]
		d := dot{X: (curveLeft + curveRight) / 2, Y: curveBottom, Class: "same",
			Text: fmt.Sprintf("%s: %s", p.Name, format(of(f)))}
		if n > 1 {
			d.X = curveLeft + (curveRight-curveLeft)*float64(at)/float64(n-1)
		}
		if high > low {
			d.Y = curveBottom - (curveBottom-curveTop)*(of(f)-low)/(high-low)
		}
		if f.Wrong > 0 {
			d.Class = Wrong
			d.Text += fmt.Sprintf(", %s", words.Count(f.Wrong, "wrong answer"))
		}
		if h.moved(i) {
			c.Breaks = append(c.Breaks, d.X)
		}
		fmt.Fprintf(&path, "%c%.1f %.1f", "ML"[min(at, 1)], d.X, d.Y)
		c.Dots = append(c.Dots, d)
		at++
	}
	c.Path = path.String()
	return c
}

// short truncates a name.
func short(name string) string {
	const most = 16
	if r := []rune(name); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return name
}
