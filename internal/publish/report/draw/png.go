package draw

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"slices"

	"golang.org/x/image/vector"
)

// PNG is a canvas of pixels.
type PNG struct {
	img   *image.RGBA
	scale float64 // pixels of a point
}

// NewPNG returns an empty picture, which is white.
func NewPNG(width, height, dpi float64) *PNG {
	scale := dpi / 72
	p := &PNG{img: image.NewRGBA(image.Rect(0, 0, int(math.Round(width*scale)), int(math.Round(height*scale)))),
		scale: scale}
	draw.Draw(p.img, p.img.Bounds(), image.White, image.Point{}, draw.Src)
	return p
}

// Line draws a line through points: a rectangle for each part, and circles at the corners.
func (p *PNG) Line(points []Point, s Stroke) {
	var areas [][]Point
	r := s.Width / 2
	for i, part := range dashed(snapped(points), s.Dashes) {
		a, b := part[0], part[1]
		length := distance(a, b)
		if length == 0 {
			continue
		}
		dx, dy := float64((b.X-a.X)/length*r), float64((b.Y-a.Y)/length*r)
		areas = append(areas, []Point{{a.X + dy, a.Y - dx}, {b.X + dy, b.Y - dx}, {b.X - dy, b.Y + dx},
			{a.X - dy, a.Y + dx}})
		if i > 0 && len(s.Dashes) == 0 {
			areas = append(areas, Circle(a, r))
		}
	}
	p.Fill(areas, s.Color)
}

// dashed returns the parts of a line that are drawn.
func dashed(points []Point, dashes []float64) (parts [][2]Point) {
	k, left := 0, math.Inf(1)
	if len(dashes) > 0 {
		left = dashes[0]
	}
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		for {
			length := distance(a, b)
			if length <= left {
				if k%2 == 0 {
					parts = append(parts, [2]Point{a, b})
				}
				left -= length
				break
			}
			at := Point{a.X + float64((b.X-a.X)*left)/length, a.Y + float64((b.Y-a.Y)*left)/length}
			if k%2 == 0 {
				parts = append(parts, [2]Point{a, at})
			}
			a = at
			k++
			left = dashes[k%len(dashes)]
		}
	}
	return parts
}

// distance replaces math.Hypot, which is not the same everywhere.
func distance(a, b Point) float64 {
	return math.Sqrt(float64((b.X-a.X)*(b.X-a.X)) + float64((b.Y-a.Y)*(b.Y-a.Y)))
}

// Fill fills convex polygons. All get the same orientation, since otherwise they would cancel where they overlap.
func (p *PNG) Fill(polygons [][]Point, c color.RGBA) {
	areas := make([][]Point, len(polygons))
	for i, area := range polygons {
		areas[i] = snapped(area)
		if turn(areas[i]) < 0 {
			slices.Reverse(areas[i])
		}
	}
	p.fill(areas, c)
}

// fill fills the inside of areas by the nonzero winding rule.
func (p *PNG) fill(areas [][]Point, c color.RGBA) {
	box := image.Rectangle{}
	for _, area := range areas {
		for _, at := range area {
			x, y := int(math.Floor(at.X*p.scale)), int(math.Floor(at.Y*p.scale))
			box = box.Union(image.Rect(x, y, x+2, y+2))
		}
	}
	box = box.Intersect(p.img.Bounds())
	if box.Empty() {
		return
	}
	for y := box.Min.Y; y < box.Max.Y; y += tile {
		for x := box.Min.X; x < box.Max.X; x += tile {
			p.fillTile(areas, c, image.Rect(x, y, x+tile, y+tile).Intersect(box))
		}
	}
}

// tile is the largest size at which the rasterizer computes with integers, and so the same on all processors.
const tile = 512

// fillTile fills the part of areas that is in a part of the picture.
func (p *PNG) fillTile(areas [][]Point, c color.RGBA, box image.Rectangle) {
	r := vector.NewRasterizer(box.Dx(), box.Dy())
	for _, area := range areas {
		for i, at := range area {
			x, y := float64(at.X*p.scale)-float64(box.Min.X), float64(at.Y*p.scale)-float64(box.Min.Y)
			if i == 0 {
				r.MoveTo(float32(x), float32(y))
			} else {
				r.LineTo(float32(x), float32(y))
			}
		}
		r.ClosePath()
	}
	r.Draw(p.img, box, image.NewUniform(c), image.Point{})
}

// turn returns a positive number for a polygon of one orientation, and a negative one for the other.
func turn(area []Point) float64 {
	sum := 0.0
	for i, a := range area {
		b := area[(i+1)%len(area)]
		sum += float64(a.X*b.Y) - float64(b.X*a.Y)
	}
	return sum
}

// Text draws a line of text.
func (p *PNG) Text(t Text) {
	areas, width := outline(plain(t.Text), t.Size)
	shift := [...]float64{0, width / 2, width}[t.Anchor]
	for i, area := range areas {
		for k, at := range area {
			x, y := at.X-shift, at.Y
			if t.Up {
				x, y = y, -x
			}
			area[k] = Point{t.At.X + x, t.At.Y + y}
		}
		areas[i] = snapped(area)
	}
	p.fill(areas, t.Color)
}

// Encode writes the picture.
func (p *PNG) Encode(w io.Writer) error { return png.Encode(w, p.img) }
