package compare

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"time"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"took": took, "said": said, "name": Group.name,
	"ratio": func(x float64) string { return fmt.Sprintf("%.3f", x) },
	"p":     func(x float64) string { return fmt.Sprintf("%.2g", x) },
}).Parse(pageText))

// WritePage writes a report as an HTML page that needs no other file, with a plot of the wall times of all pairs.
func WritePage(w io.Writer, r *Report, pairs []Pair) error {
	return page.Execute(w, struct {
		*Report
		Plot scatter
	}{r, scatterOf(pairs, r.Options.WallTime)})
}

// scatter is a plot of the wall times of both builds, on logarithmic axes of side pixels.
type scatter struct {
	Side   float64
	Ticks  []mark
	Points []point
}

type mark struct {
	At   float64
	Text string
}

type point struct {
	X, Y        float64
	Kind, Title string
}

const side = 420.0

// scatterOf puts runs without an answer on the edge of the plot.
func scatterOf(pairs []Pair, limit time.Duration) scatter {
	least := float64(limit)
	for _, p := range pairs {
		least = min(least, p.A.of(Wall), p.B.of(Wall))
	}
	least = math.Pow(10, math.Floor(math.Log10(least)))
	most := math.Pow(10, math.Ceil(math.Log10(max(float64(limit), 10*least))))
	at := func(x float64) float64 { return side * math.Log10(x/least) / math.Log10(most/least) }
	s := scatter{Side: side}
	for x := least; x <= most*1.01; x *= 10 {
		s.Ticks = append(s.Ticks, mark{at(x), time.Duration(math.Round(x)).String()})
	}
	place := func(r Run) float64 {
		if r.Answer == "" {
			return side
		}
		return min(at(r.of(Wall)), side)
	}
	for _, p := range pairs {
		kind := "same"
		if f, ok := find(p, Options{WallTime: limit}); ok {
			kind = f.Kind
		}
		s.Points = append(s.Points, point{place(p.A), side - place(p.B), kind,
			fmt.Sprintf("%s: A %s, %s; B %s, %s", p.Benchmark.Path, said(p.A), took(p.A), said(p.B), took(p.B))})
	}
	slices.SortStableFunc(s.Points, func(a, b point) int { // what is worse is drawn above
		return slices.Index(drawn, a.Kind) - slices.Index(drawn, b.Kind)
	})
	return s
}

var drawn = []string{"same", Gained, Lost, Disagrees, Wrong}

// Width is that of the plot with its labels.
func (s scatter) Width() float64 { return s.Side + 90 }

// Above is the y coordinate of a value on the upward axis.
func (s scatter) Above(at float64) float64 { return s.Side - at }
