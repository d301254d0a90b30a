package compare

import (
	"fmt"
	"math"

	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/publish/document"
	"github.com/smtpipe/smtpipe/internal/publish/report/draw"
)

// marks returns a series of marks with the n-th colour.
func marks(name string, m draw.Mark, n int) draw.Series {
	return draw.Series{Name: name, Mark: m, Stroke: draw.Stroke{Color: draw.Palette[n], Width: 5}}
}

func add(s *draw.Series, at draw.Point, title string) {
	s.Points, s.Titles = append(s.Points, at), append(s.Titles, title)
}

// plot shows all pairs that at least one build answered, by wall time, on logarithmic axes from 1 ms to the limit. A
// run without an answer is at the limit.
func (r *Report) plot() document.Plot {
	limit := max(r.Options.WallTime, 10*tick).Seconds()
	axis := draw.Axis{Label: "A, wall time, s", Min: tick.Seconds(), Max: limit, Log: true}
	c := &draw.Chart{X: axis, Y: axis, Down: 4, Series: []draw.Series{{
		Stroke: draw.Stroke{Color: draw.Black, Width: 0.5},
		Points: []draw.Point{{X: axis.Min, Y: axis.Min}, {X: limit, Y: limit}},
	}}}
	c.Y.Label = "B, wall time, s"
	seconds := func(run Run) float64 {
		if run.Answer == "" {
			return limit
		}
		return min(max(run.wall(), tick).Seconds(), limit)
	}
	same, gained := marks("the same answer", draw.Dot, 0), marks(Gained, draw.Dot, 2)
	lost, wrong := marks(Lost, draw.Cross, 1), marks("wrong or disagrees", draw.Cross, 7)
	kinds := map[string]*draw.Series{"": &same, Gained: &gained, Lost: &lost, Wrong: &wrong, Disagrees: &wrong}
	for _, p := range r.Pairs {
		if p.A.Answer == "" && p.B.Answer == "" {
			continue
		}
		f, found := find(p, r.Options)
		title := p.Benchmark.Path + ": " + p.Times()
		if found {
			title = f.Text()
		}
		add(kinds[f.Kind], draw.Point{X: seconds(p.A), Y: seconds(p.B)}, title)
	}
	for _, s := range []draw.Series{same, gained, lost, wrong} {
		if len(s.Points) > 0 {
			c.Series = append(c.Series, s)
		}
	}
	return document.Plot{Chart: c, Width: 380, Height: 360, Label: "Wall time of B over that of A for each benchmark"}
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

// curves plots figures of the builds that count. It omits unstable benchmarks and wrong answers if there are none.
func (h *History) curves(of func(Point) Figures) (plots []document.Plot) {
	builds := h.inFigures()
	for _, k := range []struct {
		title string
		axis  draw.Axis // a negative minimum stands for the smallest value
		value func(Figures) float64
	}{
		{"Solved", draw.Axis{Min: -1, Whole: true}, func(f Figures) float64 { return float64(f.Solved) }},
		{"PAR-2, s", draw.Axis{Max: 0.001}, func(f Figures) float64 { return float64(f.PAR2) }},
		{"Unstable", draw.Axis{Whole: true}, func(f Figures) float64 { return float64(f.Unstable) }},
		{"Wrong", draw.Axis{Whole: true}, func(f Figures) float64 { return float64(f.Wrong) }},
	} {
		low, high := math.Inf(1), k.axis.Max
		for _, p := range builds {
			low, high = min(low, k.value(of(p))), max(high, k.value(of(p)))
		}
		if high == 0 && k.axis.Min == 0 {
			continue
		}
		if k.axis.Min == 0 || low == high {
			low = 0
		}
		k.axis.Label, k.axis.Min, k.axis.Max = k.title, low, max(high, low+k.axis.Max, 1e-3)
		plots = append(plots, document.Plot{Width: 260, Height: 150,
			Chart: h.curve(k.axis, of, k.value),
			Label: fmt.Sprintf("%s over %d builds, from %.6g to %.6g", k.title, len(builds), low, high)})
	}
	return plots
}

// curve plots a figure over the builds.
func (h *History) curve(y draw.Axis, of func(Point) Figures, value func(Figures) float64) *draw.Chart {
	line, right, wrong := draw.Series{Stroke: draw.Nth(0)}, marks("", draw.Dot, 0), marks("", draw.Cross, 1)
	c := &draw.Chart{Y: y}
	for i, p := range h.Builds {
		if !p.Counts {
			continue
		}
		at := draw.Point{X: float64(len(line.Points) + 1), Y: value(of(p))}
		line.Points = append(line.Points, at)
		if title, n := fmt.Sprintf("%s: %.6g", p.Name, at.Y), of(p).Wrong; n > 0 {
			add(&wrong, at, title+", "+words.Count(n, "wrong answer"))
		} else {
			add(&right, at, title)
		}
		if h.moved(i) {
			c.Series = append(c.Series, draw.Series{Points: []draw.Point{{X: at.X, Y: y.Min}, {X: at.X, Y: y.Max}},
				Stroke: draw.Stroke{Color: draw.Black, Width: 0.5, Dashes: draw.Dashes[1]}})
		}
	}
	builds := h.inFigures()
	first, last := builds[0].Name, builds[len(builds)-1].Name
	c.X = draw.Axis{Label: "build, from " + short(first) + " to " + short(last), Min: 1,
		Max: float64(max(len(builds), 2)), Whole: true}
	c.Series = append(c.Series, line, right, wrong)
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
