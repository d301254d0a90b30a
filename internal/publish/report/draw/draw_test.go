package draw

import (
	"bytes"
	"image/color"
	"math"
	"strings"
	"testing"
)

var red = color.RGBA{255, 0, 0, 255}

func TestSVG(t *testing.T) {
	s := NewSVG(10, 20)
	s.Line([]Point{{1, 2}, {3.14159, -0.001}}, Stroke{Color: red, Width: 0.5, Dashes: []float64{3, 1}})
	s.Text(Text{At: Point{1, 2}, Size: 8, Anchor: End, Up: true, Color: red, Text: "<a\x00&"})
	var b bytes.Buffer
	if err := s.Encode(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`viewBox="0 0 10 20"`, `d="M1 2L3.14 0"`, `stroke-dasharray="3,1"`, `stroke="#ff0000"`,
		`text-anchor="end" fill="#ff0000" transform="rotate(-90 1 2)">&lt;a` + "\uFFFD" + `&amp;</text>`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, &b)
		}
	}
}

// TestWidth uses digits, which all have the same width in the font, so a text with twice as many is twice as wide.
func TestWidth(t *testing.T) {
	one := Width("0", 10)
	if one < 4 || one > 7 || math.Abs(Width("12", 10)-2*one) > 1e-9 || math.Abs(Width("0", 20)-2*one) > 1e-9 {
		t.Errorf("widths %g, %g, %g", one, Width("12", 10), Width("0", 20))
	}
}
