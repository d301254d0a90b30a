package draw

import (
	"bytes"
	"image/color"
	"image/png"
	"math"
	"strings"
	"testing"
)

var red = color.RGBA{255, 0, 0, 255}

// At 72 dots per inch a point is a pixel.
func TestPixels(t *testing.T) {
	p := NewPNG(20, 10, 72)
	// Two areas that overlap, drawn in opposite directions: neither cancels the other.
	backwards := []Point{{2, 8}, {10, 8}, {10, 2}, {2, 2}}
	p.Fill([][]Point{Rect(2, 2, 10, 8), backwards}, red)
	p.Line([]Point{{12, 5}, {18, 5}}, Stroke{Color: red, Width: 2, Dashes: []float64{2, 2}})
	var b bytes.Buffer
	if err := p.Encode(&b); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"....................",
		"....................",
		"..########..........",
		"..########..........",
		"..########..##..##..",
		"..########..##..##..",
		"..########..........",
		"..########..........",
		"....................",
		"....................",
	}
	for y, row := range want {
		for x, c := range row {
			_, green, _, _ := img.At(x, y).RGBA()
			if got := green == 0; got != (c == '#') {
				t.Errorf("the pixel %d, %d is red: %t", x, y, got)
			}
		}
	}
}

// A text that goes up takes the room of one that goes right, turned.
func TestTextUp(t *testing.T) {
	flat, up := NewPNG(100, 100, 72), NewPNG(100, 100, 72)
	flat.Text(Text{At: Point{50, 50}, Size: 20, Anchor: Middle, Color: red, Text: "up"})
	up.Text(Text{At: Point{50, 50}, Size: 20, Anchor: Middle, Color: red, Text: "up", Up: true})
	inked := func(p *PNG) (left, top, right, bottom int) {
		left, top = math.MaxInt, math.MaxInt
		for y := range 100 {
			for x := range 100 {
				if p.img.RGBAAt(x, y).G < 128 {
					left, top, right, bottom = min(left, x), min(top, y), max(right, x), max(bottom, y)
				}
			}
		}
		return
	}
	l, a, r, b := inked(flat)
	ul, ua, ur, ub := inked(up)
	if r-l < 15 || b-a < 8 {
		t.Fatalf("the text takes %d by %d pixels", r-l, b-a)
	}
	near := func(a, b int) bool { return a-b < 3 && b-a < 3 }
	// (x, y) of the flat text is at (y, 100-x) of the other.
	if !near(ul, a) || !near(ur, b) || !near(ua, 100-r) || !near(ub, 100-l) {
		t.Errorf("the flat text is in %d,%d to %d,%d, the other in %d,%d to %d,%d", l, a, r, b, ul, ua, ur, ub)
	}
}

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

// All digits of the font have one width, so that twice as many are twice as wide.
func TestWidth(t *testing.T) {
	one := Width("0", 10)
	if one < 4 || one > 7 || math.Abs(Width("12", 10)-2*one) > 1e-9 || math.Abs(Width("0", 20)-2*one) > 1e-9 {
		t.Errorf("widths %g, %g, %g", one, Width("12", 10), Width("0", 20))
	}
}
