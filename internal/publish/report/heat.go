package report

import (
	"image/color"
	"io"
	"strconv"

	"github.com/smtpipe/smtpipe/internal/publish/report/draw"
)

// heatFiles returns a track's heat map.
func (s *site) heatFiles(t *track) []file {
	tab := s.heat(t)
	if tab == nil {
		return nil
	}
	h := newHeatMap(tab)
	width, height := h.size()
	return []file{{t.heatHref(), func(w io.Writer) error { return render(w, h, width, height) }}}
}

// heatMap draws the page's table, with a row for each solver and a column for each division.
type heatMap struct {
	solvers, divisions []string
	cells              [][]cell
	left, top          float64 // space for the solvers' and divisions' names
}

const (
	heatCellWidth  = 22
	heatCellHeight = 13
	heatSize       = 8 // text size
)

// heatColors are the shades on the page, from no benchmark solved to all benchmarks solved.
var heatColors = []color.RGBA{{0xf7, 0xfb, 0xff, 255}, {0xe3, 0xee, 0xf9, 255}, {0xd0, 0xe1, 0xf2, 255},
	{0xb7, 0xd4, 0xea, 255}, {0x94, 0xc4, 0xdf, 255},
	{0x6a, 0xae, 0xd6, 255}, {0x4a, 0x98, 0xc9, 255}, {0x2a, 0x76, 0xb2, 255}, {0x17, 0x64, 0xab, 255},
	{0x08, 0x4a, 0x91, 255}, {0x08, 0x30, 0x6b, 255}}

// cellInk is the text colour for shades that are light on any page.
var cellInk = color.RGBA{0x10, 0x15, 0x1b, 255}

func newHeatMap(tab *table) *heatMap {
	h := &heatMap{}
	for _, c := range tab.Cols[1:] {
		h.divisions = append(h.divisions, legendText(c.Title))
	}
	for _, r := range tab.Rows {
		h.solvers = append(h.solvers, legendText(plainCell(r.Cells[0])))
		h.cells = append(h.cells, r.Cells[1:])
	}
	widest := func(names []string) float64 {
		w := 20.0
		for _, n := range names {
			w = max(w, draw.Width(n, heatSize))
		}
		return w + 10
	}
	h.left, h.top = widest(h.solvers), widest(h.divisions)
	return h
}

func (h *heatMap) size() (width, height float64) {
	return h.left + heatCellWidth*float64(len(h.divisions)) + 6, h.top + heatCellHeight*float64(len(h.solvers)) + 6
}

// draw draws the map in the canvas's top left corner.
func (h *heatMap) Draw(c *draw.SVG, _, _ float64) {
	const middle = 0.35 * heatSize // distance from the middle of lower-case letters to the baseline
	for i, s := range h.solvers {
		at := draw.Point{X: h.left - 5, Y: h.top + heatCellHeight*(float64(i)+0.5) + middle}
		c.Text(draw.Text{At: at, Size: heatSize, Anchor: draw.End, Color: draw.Black, Text: s})
	}
	for k, d := range h.divisions {
		at := draw.Point{X: h.left + heatCellWidth*(float64(k)+0.5) + middle, Y: h.top - 5}
		c.Text(draw.Text{At: at, Size: heatSize, Up: true, Color: draw.Black, Text: d})
	}
	for i := range h.cells {
		for k := range h.cells[i] {
			h.drawCell(c, i, k)
		}
	}
}

func (h *heatMap) drawCell(c *draw.SVG, i, k int) {
	cell := &h.cells[i][k]
	if cell.Text == "" {
		return
	}
	shade, err := strconv.Atoi(cell.Class[1:])
	if err != nil {
		return
	}
	x, y := h.left+heatCellWidth*float64(k), h.top+heatCellHeight*float64(i)
	c.Fill([][]draw.Point{draw.Rect(x, y+0.5, x+heatCellWidth-0.5, y+heatCellHeight)}, heatColors[shade])
	ink := cellInk
	if shade >= 7 {
		ink = draw.White
	}
	c.Text(draw.Text{At: draw.Point{X: x + heatCellWidth/2, Y: y + heatCellHeight/2 + 0.35*heatSize}, Size: heatSize,
		Anchor: draw.Middle, Color: ink, Text: cell.Text})
}
