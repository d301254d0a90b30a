package report

import (
	"image/color"
	"io"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	plottext "gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// heatFiles are the heat map of a track as SVG and PNG.
func (s *site) heatFiles(t *track) []file {
	tab := s.heat(t)
	if tab == nil {
		return nil
	}
	h := newHeatMap(tab)
	width, height := h.size()
	return []file{{t.heatHref("svg"), func(w io.Writer) error { return renderSVG(w, h, width, height) }},
		{t.heatHref("png"), func(w io.Writer) error { return renderPNG(w, h, width, height) }}}
}

// heatMap draws the table of the page: a row per solver, a column per division.
type heatMap struct {
	solvers, divisions []string
	cells              [][]cell
	style              plottext.Style
	left, top          vg.Length // room for the names
}

const (
	heatCellWidth  = 22 * vg.Length(1)
	heatCellHeight = 13 * vg.Length(1)
)

// heatColors are the shades of the page, from no benchmark solved to all.
var heatColors = []color.RGBA{{0xf7, 0xfb, 0xff, 255}, {0xe3, 0xee, 0xf9, 255}, {0xd0, 0xe1, 0xf2, 255},
	{0xb7, 0xd4, 0xea, 255}, {0x94, 0xc4, 0xdf, 255},
	{0x6a, 0xae, 0xd6, 255}, {0x4a, 0x98, 0xc9, 255}, {0x2a, 0x76, 0xb2, 255}, {0x17, 0x64, 0xab, 255},
	{0x08, 0x4a, 0x91, 255}, {0x08, 0x30, 0x6b, 255}}

func newHeatMap(tab *table) *heatMap {
	h := &heatMap{style: plottext.Style{Color: color.Black, Font: font.From(plot.DefaultFont, 8),
		Handler: plot.DefaultTextHandler}}
	for _, c := range tab.Cols[1:] {
		h.divisions = append(h.divisions, legendText(c.Title))
	}
	for _, r := range tab.Rows {
		h.solvers = append(h.solvers, legendText(plainCell(r.Cells[0])))
		h.cells = append(h.cells, r.Cells[1:])
	}
	widest := func(names []string) vg.Length {
		w := vg.Length(20)
		for _, n := range names {
			w = max(w, h.style.Width(n))
		}
		return w + 10
	}
	h.left, h.top = widest(h.solvers), widest(h.divisions)
	return h
}

func (h *heatMap) size() (width, height vg.Length) {
	return h.left + heatCellWidth*vg.Length(len(h.divisions)) + 6, h.top + heatCellHeight*vg.Length(len(h.solvers)) + 6
}

// Draw draws the map with its top left corner in that of the canvas.
func (h *heatMap) Draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	name := h.style
	name.XAlign, name.YAlign = plottext.XRight, plottext.YCenter
	for i, s := range h.solvers {
		c.FillText(name, vg.Point{X: h.left - 5, Y: c.Max.Y - h.top - heatCellHeight*(vg.Length(i)+0.5)}, s)
	}
	up := h.style
	up.Rotation, up.XAlign, up.YAlign = 1.5707963267948966, plottext.XLeft, plottext.YCenter
	for k, d := range h.divisions {
		c.FillText(up, vg.Point{X: h.left + heatCellWidth*(vg.Length(k)+0.5), Y: c.Max.Y - h.top + 5}, d)
	}
	for i := range h.cells {
		for k := range h.cells[i] {
			h.drawCell(c, i, k)
		}
	}
}

func (h *heatMap) drawCell(c draw.Canvas, i, k int) {
	cell := &h.cells[i][k]
	if cell.Text == "" {
		return
	}
	shade, err := strconv.Atoi(cell.Class[1:])
	if err != nil {
		return
	}
	x, y := h.left+heatCellWidth*vg.Length(k), c.Max.Y-h.top-heatCellHeight*vg.Length(i+1)
	box := vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + heatCellWidth - 0.5, Y: y +
		heatCellHeight - 0.5}}
	c.SetColor(heatColors[shade])
	c.Fill(box.Path())
	number := h.style
	number.XAlign, number.YAlign = plottext.XCenter, plottext.YCenter
	if shade >= 7 {
		number.Color = color.White
	}
	c.FillText(number, vg.Point{X: x + heatCellWidth/2, Y: y + heatCellHeight/2}, cell.Text)
}
