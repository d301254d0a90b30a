package draw

import (
	"cmp"
	"image/color"
	"math"
	"strconv"
)

// Chart is a plot with two axes, drawn from back to front. The legend at the top left contains the series with a name.
type Chart struct {
	X, Y   Axis
	Down   float64 // distance of the legend from the top
	Series []Series
}

// Axis is a chart's axis. Whole restricts the ticks of a linear axis to whole numbers.
type Axis struct {
	Label      string
	Min, Max   float64
	Log, Whole bool
}

// Series is a line, or a set of marks without a line, in which case the stroke's width is that of the marks, 0: 2.6.
type Series struct {
	Name   string
	Points []Point  // positions in axis units
	Titles []string // texts that a page shows for the marks, one per point; optional
	Stroke Stroke
	Mark   Mark
}

// Mark is the form of a series's points.
type Mark int

// The marks. Without a mark, a series is a line.
const (
	NoMark Mark = iota
	Dot
	Cross
)

// Palette contains the colours of Okabe and Ito, darkened where contrast on white requires it. Dashes distinguish the
// ninth and later lines, and all lines in black and white.
var (
	Palette = []color.RGBA{{0x00, 0x72, 0xB2, 255}, {0xD5, 0x5E, 0x00, 255}, {0x00, 0x9E, 0x73, 255},
		{0x8A, 0x2F, 0x6B, 255}, {0x56, 0xB4, 0xE9, 255},
		{0xB0, 0x78, 0x00, 255}, {0x1B, 0x1F, 0x24, 255}, {0xCC, 0x79, 0xA7, 255}}
	Dashes = [][]float64{nil, {6, 3}, {1.5, 2}, {8, 2, 1.5, 2}}
)

// Nth returns the style of the k-th line.
func Nth(k int) Stroke {
	return Stroke{Color: Palette[k%len(Palette)], Width: 1.2, Dashes: Dashes[(k/len(Palette))%len(Dashes)]}
}

// Sizes within a chart, in points.
const (
	labelSize, tickSize, legendSize = 9, 8, 7
	tickLength, markRadius          = 4, 1.3
	thumbWidth                      = 18
)

// Black and White are a picture's ink and background on light pages.
var (
	Black     = color.RGBA{0, 0, 0, 255}
	White     = color.RGBA{255, 255, 255, 255}
	gridColor = color.RGBA{0xE4, 0xE4, 0xE4, 255}
)

// norm returns a value's position between the axis's ends, from 0 to 1.
func (a Axis) norm(v float64) float64 {
	if a.Log {
		return math.Log(v/a.Min) / math.Log(a.Max/a.Min)
	}
	return (v - a.Min) / (a.Max - a.Min)
}

// tick is a position on an axis; small ticks have no label.
type tick struct {
	value float64
	label string
}

// ticks returns powers of ten and marks between them, or about five round values. If an axis covers few powers of ten,
// twice and five times each power have labels as well.
func (a Axis) ticks() (ticks []tick) {
	add := func(v float64, labelled bool) {
		switch {
		case v < a.Min-1e-9*math.Abs(a.Min) || v > a.Max+1e-9*math.Abs(a.Max):
		case labelled:
			ticks = append(ticks, tick{v, strconv.FormatFloat(v, 'g', -1, 64)})
		default:
			ticks = append(ticks, tick{v, ""})
		}
	}
	if a.Log {
		few := math.Floor(math.Log10(a.Max))-math.Ceil(math.Log10(a.Min)) < 2
		for e := int(math.Floor(math.Log10(a.Min))); e <= int(math.Ceil(math.Log10(a.Max))); e++ {
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
	step := math.Pow10(int(math.Floor(math.Log10((a.Max - a.Min) / 5))))
	for _, f := range []float64{5, 2} {
		if (a.Max-a.Min)/(step*f) >= 5 {
			step *= f
			break
		}
	}
	if a.Whole {
		step = math.Ceil(step)
	}
	for k := math.Ceil(a.Min / step); k*step <= a.Max; k++ {
		add(math.Round(k*step*1e9)/1e9, true)
	}
	return ticks
}

// Draw draws the chart on a canvas of the given size.
func (p *Chart) Draw(c *SVG, width, height float64) {
	xs, ys := p.X.ticks(), p.Y.ticks()
	widest := 0.0
	for _, t := range ys {
		widest = max(widest, Width(t.label, tickSize))
	}
	left, right := 4+labelSize+4+widest+3+tickLength, width-12
	top, bottom := 8.0, height-4-labelSize-5-tickSize-tickLength
	at := func(v Point) Point {
		return Point{X: left + (right-left)*p.X.norm(v.X), Y: bottom - (bottom-top)*p.Y.norm(v.Y)}
	}
	grid, frame := Stroke{Color: gridColor, Width: 0.5}, Stroke{Color: Black, Width: 0.5}
	for _, t := range xs {
		x, length := left+(right-left)*p.X.norm(t.value), tickLength/2.0
		if t.label != "" {
			length = tickLength
			c.Line([]Point{{X: x, Y: top}, {X: x, Y: bottom}}, grid)
			c.Text(Text{At: Point{X: x, Y: bottom + tickLength + tickSize}, Size: tickSize,
				Anchor: Middle, Color: Black, Text: t.label})
		}
		c.Line([]Point{{X: x, Y: bottom}, {X: x, Y: bottom + length}}, frame)
	}
	for _, t := range ys {
		y, length := bottom-(bottom-top)*p.Y.norm(t.value), tickLength/2.0
		if t.label != "" {
			length = tickLength
			c.Line([]Point{{X: left, Y: y}, {X: right, Y: y}}, grid)
			c.Text(Text{At: Point{X: left - tickLength - 2, Y: y + 0.35*tickSize}, Size: tickSize,
				Anchor: End, Color: Black, Text: t.label})
		}
		c.Line([]Point{{X: left - length, Y: y}, {X: left, Y: y}}, frame)
	}
	c.Text(Text{At: Point{X: (left + right) / 2, Y: height - 4}, Size: labelSize, Anchor: Middle,
		Color: Black, Text: p.X.Label})
	c.Text(Text{At: Point{X: 4 + labelSize, Y: (top + bottom) / 2}, Size: labelSize, Anchor: Middle,
		Up: true, Color: Black, Text: p.Y.Label})
	c.Line([]Point{{X: left, Y: top}, {X: left, Y: bottom}, {X: right, Y: bottom}}, frame)
	for _, s := range p.Series {
		points := make([]Point, len(s.Points))
		for i, v := range s.Points {
			points[i] = at(v)
		}
		s.drawAt(c, points)
	}
	p.drawLegend(c, left, top+p.Down)
}

func (p *Chart) drawLegend(c *SVG, left, top float64) {
	y := top + (legendSize+1.5)*0.5
	for _, s := range p.Series {
		if s.Name == "" {
			continue
		}
		s.Titles = nil
		if s.Mark == NoMark {
			s.drawAt(c, []Point{{X: left + 5, Y: y}, {X: left + 5 + thumbWidth, Y: y}})
		} else {
			s.drawAt(c, []Point{{X: left + 5 + thumbWidth/2.0, Y: y}})
		}
		c.Text(Text{At: Point{X: left + 9 + thumbWidth, Y: y + 0.35*legendSize}, Size: legendSize,
			Color: Black, Text: s.Name})
		y += legendSize + 1.5
	}
}

// drawAt draws the line or the marks at the given canvas positions.
func (s *Series) drawAt(c *SVG, points []Point) {
	if s.Mark == NoMark {
		c.Line(points, s.Stroke)
		return
	}
	var marks [][]Point
	for i, p := range points {
		mark := s.Mark.at(p, cmp.Or(s.Stroke.Width/2, markRadius))
		if len(s.Titles) > i {
			c.titled(mark, s.Stroke.Color, s.Titles[i])
		} else {
			marks = append(marks, mark...)
		}
	}
	if len(marks) > 0 {
		c.Fill(marks, s.Stroke.Color)
	}
}

// at returns the polygons of a mark with the given radius.
func (m Mark) at(p Point, r float64) [][]Point {
	if m == Dot {
		return [][]Point{Circle(p, r)}
	}
	const w = 0.35 // half of a line's width
	return [][]Point{{{X: p.X - r - w, Y: p.Y - r + w}, {X: p.X - r + w, Y: p.Y - r - w},
		{X: p.X + r + w, Y: p.Y + r - w}, {X: p.X + r - w, Y: p.Y + r + w}},
		{{X: p.X + r - w, Y: p.Y - r - w}, {X: p.X + r + w, Y: p.Y - r + w},
			{X: p.X - r + w, Y: p.Y + r + w}, {X: p.X - r - w, Y: p.Y + r - w}}}
}
