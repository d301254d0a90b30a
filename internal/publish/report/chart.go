package report

import (
	"image/color"
	"math"
	"strconv"

	"github.com/smtpipe/smtpipe/internal/publish/report/draw"
)

// chart is a plot with two axes, drawn from back to front.
type chart struct {
	x, y   axis
	series []series
	legend []int // indexes of the series in the legend, at the top left
	down   float64
}

type axis struct {
	label    string
	min, max float64
	log      bool
}

// series is a line, or a set of marks without a line.
type series struct {
	name   string
	points []draw.Point // positions in axis units
	stroke draw.Stroke
	mark   mark
}

type mark int

const (
	noMark mark = iota
	dot
	cross
)

// Sizes within a chart, in points.
const (
	labelSize, tickSize, legendSize = 9, 8, 7
	tickLength, markRadius          = 4, 1.3
	thumbWidth                      = 18
)

var (
	black     = color.RGBA{0, 0, 0, 255}
	white     = color.RGBA{255, 255, 255, 255}
	gridColor = color.RGBA{0xE4, 0xE4, 0xE4, 255}
)

// add adds a series on top. The legend contains every series with a name.
func (p *chart) add(s series) {
	if s.name != "" {
		p.legend = append(p.legend, len(p.series))
	}
	p.series = append(p.series, s)
}

// norm returns a value's position between the axis's ends, from 0 to 1.
func (a axis) norm(v float64) float64 {
	if a.log {
		return math.Log(v/a.min) / math.Log(a.max/a.min)
	}
	return (v - a.min) / (a.max - a.min)
}

// tick is a position on an axis; small ticks have no label.
type tick struct {
	value float64
	label string
}

// ticks returns powers of ten and marks between them, or about five round values. If an axis covers few powers of ten,
// twice and five times each power have labels as well.
func (a axis) ticks() (ticks []tick) {
	add := func(v float64, labelled bool) {
		switch {
		case v < a.min-1e-9*math.Abs(a.min) || v > a.max+1e-9*math.Abs(a.max):
		case labelled:
			ticks = append(ticks, tick{v, strconv.FormatFloat(v, 'g', -1, 64)})
		default:
			ticks = append(ticks, tick{v, ""})
		}
	}
	if a.log {
		few := math.Floor(math.Log10(a.max))-math.Ceil(math.Log10(a.min)) < 2
		for e := int(math.Floor(math.Log10(a.min))); e <= int(math.Ceil(math.Log10(a.max))); e++ {
			for m := range 9 {
				// Parse the number's text, so that 0.3 is not 0.30000000000000004.
				v, err := strconv.ParseFloat(strconv.Itoa(m+1)+"e"+strconv.Itoa(e), 64)
				if err == nil {
					add(v, m == 0 || few && (m == 1 || m == 4))
				}
			}
		}
		return ticks
	}
	step := math.Pow10(int(math.Floor(math.Log10((a.max - a.min) / 5))))
	for _, f := range []float64{5, 2} {
		if (a.max-a.min)/(step*f) >= 5 {
			step *= f
			break
		}
	}
	for k := math.Ceil(a.min / step); k*step <= a.max; k++ {
		add(math.Round(k*step*1e9)/1e9, true)
	}
	return ticks
}

// draw draws the chart on a canvas of the given size.
func (p *chart) draw(c *draw.SVG, width, height float64) {
	xs, ys := p.x.ticks(), p.y.ticks()
	widest := 0.0
	for _, t := range ys {
		widest = max(widest, draw.Width(t.label, tickSize))
	}
	left, right := 4+labelSize+4+widest+3+tickLength, width-12
	top, bottom := 8.0, height-4-labelSize-5-tickSize-tickLength
	at := func(v draw.Point) draw.Point {
		return draw.Point{X: left + (right-left)*p.x.norm(v.X), Y: bottom - (bottom-top)*p.y.norm(v.Y)}
	}
	grid, frame := draw.Stroke{Color: gridColor, Width: 0.5}, draw.Stroke{Color: black, Width: 0.5}
	for _, t := range xs {
		x, length := left+(right-left)*p.x.norm(t.value), tickLength/2.0
		if t.label != "" {
			length = tickLength
			c.Line([]draw.Point{{X: x, Y: top}, {X: x, Y: bottom}}, grid)
			c.Text(draw.Text{At: draw.Point{X: x, Y: bottom + tickLength + tickSize}, Size: tickSize,
				Anchor: draw.Middle, Color: black, Text: t.label})
		}
		c.Line([]draw.Point{{X: x, Y: bottom}, {X: x, Y: bottom + length}}, frame)
	}
	for _, t := range ys {
		y, length := bottom-(bottom-top)*p.y.norm(t.value), tickLength/2.0
		if t.label != "" {
			length = tickLength
			c.Line([]draw.Point{{X: left, Y: y}, {X: right, Y: y}}, grid)
			c.Text(draw.Text{At: draw.Point{X: left - tickLength - 2, Y: y + 0.35*tickSize}, Size: tickSize,
				Anchor: draw.End, Color: black, Text: t.label})
		}
		c.Line([]draw.Point{{X: left - length, Y: y}, {X: left, Y: y}}, frame)
	}
	c.Text(draw.Text{At: draw.Point{X: (left + right) / 2, Y: height - 4}, Size: labelSize, Anchor: draw.Middle,
		Color: black, Text: p.x.label})
	c.Text(draw.Text{At: draw.Point{X: 4 + labelSize, Y: (top + bottom) / 2}, Size: labelSize, Anchor: draw.Middle,
		Up: true, Color: black, Text: p.y.label})
	c.Line([]draw.Point{{X: left, Y: top}, {X: left, Y: bottom}, {X: right, Y: bottom}}, frame)
	for _, s := range p.series {
		points := make([]draw.Point, len(s.points))
		for i, v := range s.points {
			points[i] = at(v)
		}
		s.drawAt(c, points)
	}
	for row, k := range p.legend {
		s, y := p.series[k], top+p.down+(legendSize+1.5)*(float64(row)+0.5)
		if s.mark == noMark {
			s.drawAt(c, []draw.Point{{X: left + 5, Y: y}, {X: left + 5 + thumbWidth, Y: y}})
		} else {
			s.drawAt(c, []draw.Point{{X: left + 5 + thumbWidth/2.0, Y: y}})
		}
		c.Text(draw.Text{At: draw.Point{X: left + 9 + thumbWidth, Y: y + 0.35*legendSize}, Size: legendSize,
			Color: black, Text: s.name})
	}
}

// drawAt draws the line or the marks at the given canvas positions.
func (s *series) drawAt(c *draw.SVG, points []draw.Point) {
	switch s.mark {
	case noMark:
		c.Line(points, s.stroke)
	case dot:
		var marks [][]draw.Point
		for _, p := range points {
			marks = append(marks, draw.Circle(p, markRadius))
		}
		c.Fill(marks, s.stroke.Color)
	case cross:
		const r, w = markRadius, 0.35 // half of the mark's length, and half of its width
		var marks [][]draw.Point
		for _, p := range points {
			marks = append(marks,
				[]draw.Point{{X: p.X - r - w, Y: p.Y - r + w}, {X: p.X - r + w, Y: p.Y - r - w},
					{X: p.X + r + w, Y: p.Y + r - w}, {X: p.X + r - w, Y: p.Y + r + w}},
				[]draw.Point{{X: p.X + r - w, Y: p.Y - r - w}, {X: p.X + r + w, Y: p.Y - r + w},
					{X: p.X - r + w, Y: p.Y + r + w}, {X: p.X - r - w, Y: p.Y + r - w}})
		}
		c.Fill(marks, s.stroke.Color)
	}
}
