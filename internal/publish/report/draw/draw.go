// Package draw draws lines, areas and text as SVG. Lengths are in points (1/72 inch), and the origin is the top left
// corner. A picture has the same bytes on all processors: converting every product explicitly keeps the compiler from
// fusing it with a sum, which only some processors support.
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

// Stroke is a line style. Dashes contains alternating lengths of dashes and gaps; if it is empty, the line is solid.
type Stroke struct {
	Color  color.RGBA
	Width  float64
	Dashes []float64
}

// Anchor selects which part of a text is at the text's position.
type Anchor int

// The anchors along a text's direction.
const (
	Start Anchor = iota
	Middle
	End
)

// Text is a line of text. Its position is on the baseline. Up rotates it by 90 degrees so that it reads from bottom to
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
		panic(err) // the font is built in, so this cannot fail
	}
	return f
})

// Width returns a text's width in the Go font.
func Width(text string, size float64) float64 {
	f := parsed()
	var b sfnt.Buffer
	units := fixed.I(int(f.UnitsPerEm())) // at this size, nothing is rounded
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

// Circle returns a polygon that looks like a circle at a mark's size.
func Circle(at Point, radius float64) []Point {
	points := make([]Point, len(circle))
	for i, p := range circle {
		points[i] = Point{at.X + float64(radius*p.X), at.Y + float64(radius*p.Y)}
	}
	return points
}

// circle contains the corners of a regular dodecagon: cosines and sines of multiples of 30 degrees.
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
