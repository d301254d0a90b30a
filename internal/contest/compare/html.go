package compare

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"sync"
)

//go:embed page.html history.html page.css
var pages embed.FS

var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"three": func(x any) string { return fmt.Sprintf("%.3f", x) },
	}).ParseFS(pages, "*"))
})

// dot is a pair in the 300 × 300 plot.
type dot struct {
	X, Y        float64
	Class, Text string
}

// axisMark marks a power of ten on both axes.
type axisMark struct {
	At, Up float64 // distance from the left and from the top
	Label  string
}

// WriteHTML writes a report as a self-contained HTML page.
func (r *Report) WriteHTML(w io.Writer) error {
	dots, marks := plot(r)
	return page().ExecuteTemplate(w, "page.html", struct {
		*Report
		Dots  []dot
		Marks []axisMark
	}{r, dots, marks})
}

// plot places all pairs that at least one build answered, by wall time, on two logarithmic axes from 1 ms to the limit.
// A run without an answer is at the limit.
func plot(r *Report) (dots []dot, marks []axisMark) {
	const side = 300
	low, high := math.Log10(tick.Seconds()), math.Log10(max(r.Options.WallTime, 10*tick).Seconds())
	place := func(seconds float64) float64 {
		return side * (min(max(math.Log10(seconds), low), high) - low) / (high - low)
	}
	seconds := func(run Run) float64 {
		if run.Answer == "" {
			return r.Options.WallTime.Seconds()
		}
		return max(run.wall(), tick).Seconds()
	}
	for _, p := range r.Pairs {
		if p.A.Answer == "" && p.B.Answer == "" {
			continue
		}
		d := dot{X: place(seconds(p.A)), Y: side - place(seconds(p.B)), Class: "same"}
		f, found := find(p, r.Options)
		if found {
			d.Class, d.Text = f.Kind, f.Text()
		} else {
			d.Text = p.Benchmark.Path + ": " + p.Times()
		}
		dots = append(dots, d)
	}
	for e := math.Ceil(low); e <= high; e++ {
		at := side * (e - low) / (high - low)
		marks = append(marks, axisMark{at, side - at + 4, fmt.Sprintf("%g s", math.Pow(10, e))})
	}
	return dots, marks
}
