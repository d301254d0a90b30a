// Package draw draws lines, areas and text as SVG. Lengths are points, 1/72 inch; the origin is the top left corner. A
// picture has the same bytes on all processors: a conversion around a product keeps the compiler from fusing it with a
// sum, which only some processors support.
package draw

import (
	"image/color"
	"math"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// Point is a position on a canvas.
type Point struct{ X, Y float64 }

// Stroke is the style of a line. Dashes are alternating lengths of dashes and gaps; none means a solid line.
type Stroke struct {
	Color  color.RGBA
	Width  float64
	Dashes []float64
}

// Anchor selects the part of a text that is at its position.
type Anchor int

// The anchors of a text along its direction.
const (
	Start Anchor = iota
	Middle
	End
)

// Text is one line of text. Its position is on the baseline. Up rotates it by 90 degrees, to be read from bottom to
// top.
type Text struct {
	At     Point
	Size   float64
	Anchor Anchor
	Up     bool
	Color  color.RGBA
	Text   string
}

var parsed = sync.OnceValue(func() *sfnt.Font {
	f, err := sfnt.Parse(goregular.TTF)
	if err != nil {
		panic(err) // the font is built in
	}
	return f
})

// Width returns the width of a text in the Go font.
func Width(text string, size float64) float64 {
	f := parsed()
	var b sfnt.Buffer
	units := fixed.I(int(f.UnitsPerEm())) // so that nothing is rounded
	scale, width := size/float64(units), 0.0
	for _, r := range text {
		glyph, err := f.GlyphIndex(&b, r)
		if err != nil {
			continue
		}
		if advance, err := f.GlyphAdvance(&b, glyph, units, font.HintingNone); err == nil {
			width += float64(float64(advance) * scale)
		}
	}
	return width
}

// Rect returns a rectangle as a polygon.
func Rect(left, top, right, bottom float64) []Point {
	return []Point{{left, top}, {right, top}, {right, bottom}, {left, bottom}}
}

// Circle returns a polygon that looks like a circle at the size of marks.
func Circle(at Point, radius float64) []Point {
	points := make([]Point, len(circle))
	for i, p := range circle {
		points[i] = Point{at.X + float64(radius*p.X), at.Y + float64(radius*p.Y)}
	}
	return points
}

// circle holds the corners of a regular dodecagon: cosines and sines of multiples of 30 degrees.
var circle = func() []Point {
	const half, most = 0.5, 0.8660254037844386
	return []Point{{1, 0}, {most, half}, {half, most}, {0, 1}, {-half, most}, {-most, half}, {-1, 0}, {-most, -half},
		{-half, -most}, {0, -1}, {half, -most}, {most, -half}}
}()

// snap rounds a length to a millionth. Results on different processors may differ in the last bits, but drawings must
// not.
func snap(v float64) float64 { return math.Round(v*1e6) / 1e6 }

// plain replaces characters that XML does not allow.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0xFFFE || r == 0xFFFF {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}
