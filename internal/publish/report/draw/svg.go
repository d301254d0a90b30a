package draw

import (
	"bytes"
	"fmt"
	"html"
	"html/template"
	"image/color"
	"io"
	"strconv"
	"strings"
)

// SVG is a canvas that generates SVG text.
type SVG struct{ b bytes.Buffer }

// dark changes the colours of frame and ink on dark pages. Papers and converters ignore it.
const dark = `@media (prefers-color-scheme:dark){rect:first-of-type{fill:#0d1117}[fill="#000000"]{fill:#e6edf3}` +
	`[stroke="#000000"],[stroke="#1b1f24"]{stroke:#e6edf3}[stroke="#e4e4e4"]{stroke:#30363d}` +
	`[stroke="#0072b2"]{stroke:#56b4e9}[stroke="#8a2f6b"]{stroke:#f0e442}}`

// NewSVG returns an empty, white picture.
func NewSVG(width, height float64) *SVG {
	s := &SVG{}
	w, h := number(width), number(height)
	fmt.Fprintf(&s.b, `<svg xmlns="http://www.w3.org/2000/svg" width="%spt" height="%spt" viewBox="0 0 %[1]s %[2]s" `+
		`font-family="Go, 'Liberation Sans', Arial, Helvetica, sans-serif">
<style>%[3]s</style>
<rect width="%[1]s" height="%[2]s" fill="#fff"/>
`, w, h, dark)
	return s
}

// Line draws a line through points.
func (s *SVG) Line(points []Point, k Stroke) {
	fmt.Fprintf(&s.b, `<path d="%s" fill="none" stroke="%s" stroke-width="%s" stroke-linejoin="round"`, path(points, ""),
		hex(k.Color), number(k.Width))
	for i, d := range k.Dashes {
		if i == 0 {
			s.b.WriteString(` stroke-dasharray="`)
		} else {
			s.b.WriteByte(',')
		}
		s.b.WriteString(number(d))
	}
	if len(k.Dashes) > 0 {
		s.b.WriteByte('"')
	}
	s.b.WriteString("/>\n")
}

// Fill fills polygons.
func (s *SVG) Fill(polygons [][]Point, c color.RGBA) {
	s.b.WriteString(`<path d="`)
	for _, p := range polygons {
		s.b.WriteString(path(p, "z"))
	}
	fmt.Fprintf(&s.b, `" fill="%s"/>`+"\n", hex(c))
}

// titled fills polygons, for which a page shows a text.
func (s *SVG) titled(polygons [][]Point, c color.RGBA, title string) {
	s.b.WriteString(`<path d="`)
	for _, p := range polygons {
		s.b.WriteString(path(p, "z"))
	}
	fmt.Fprintf(&s.b, `" fill="%s"><title>%s</title></path>`+"\n", hex(c), html.EscapeString(plain(title)))
}

// Text draws a line of text.
func (s *SVG) Text(t Text) {
	turn := ""
	if t.Up {
		turn = fmt.Sprintf(` transform="rotate(-90 %s %s)"`, number(t.At.X), number(t.At.Y))
	}
	fmt.Fprintf(&s.b, `<text x="%s" y="%s" font-size="%s" text-anchor="%s" fill="%s"%s>%s</text>`+"\n", number(t.At.X),
		number(t.At.Y), number(t.Size), [...]string{"start", "middle", "end"}[t.Anchor], hex(t.Color), turn,
		html.EscapeString(plain(t.Text)))
}

// Encode writes the picture as a file.
func (s *SVG) Encode(w io.Writer) error {
	_, err := io.WriteString(w, `<?xml version="1.0"?>`+"\n"+s.b.String()+"</svg>\n")
	return err
}

// Inline returns the picture as a part of an HTML page. The label describes it to readers who do not see it.
func (s *SVG) Inline(label string) template.HTML {
	return template.HTML(strings.Replace(s.b.String(), "<svg ", `<svg role="img" aria-label="`+
		html.EscapeString(plain(label))+`" `, 1) + "</svg>")
}

func path(points []Point, end string) string {
	var b []byte
	for i, p := range points {
		if i == 0 {
			b = append(b, 'M')
		} else {
			b = append(b, 'L')
		}
		b = append(b, number(p.X)...)
		b = append(b, ' ')
		b = append(b, number(p.Y)...)
	}
	return string(append(b, end...))
}

// number formats a number with at most two decimal places.
func number(v float64) string {
	b := strconv.AppendFloat(nil, snap(v), 'f', 2, 64)
	b = bytes.TrimSuffix(bytes.TrimRight(b, "0"), []byte("."))
	if string(b) == "-0" {
		return "0"
	}
	return string(b)
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
