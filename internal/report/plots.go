package report

import (
	"cmp"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/smtpipe/smtpipe/internal/comp"
)

// The files of the plots are 6 by 3.6 inches, a column and a half of a paper. PNG has 160 dots per inch.
const (
	plotWidth  = 6 * vg.Inch
	plotHeight = 3.6 * vg.Inch
	plotDPI    = 160
)

// palette are the colours of Okabe and Ito, darkened where needed for contrast on white; dashes tell solvers apart
// beyond eight and without colour.
var palette = []color.RGBA{{0x00, 0x72, 0xB2, 255}, {0xD5, 0x5E, 0x00, 255}, {0x00, 0x9E, 0x73, 255},
	{0x8A, 0x2F, 0x6B, 255}, {0x56, 0xB4, 0xE9, 255},
	{0xB0, 0x78, 0x00, 255}, {0x1B, 0x1F, 0x24, 255}, {0xCC, 0x79, 0xA7, 255}}

var dashes = [][]vg.Length{nil, {vg.Points(6), vg.Points(3)}, {vg.Points(1.5), vg.Points(2)},
	{vg.Points(8), vg.Points(2), vg.Points(1.5), vg.Points(2)}}

// plotImages lists the pictures of the page of a division. The page replaces them by plots that react.
func (s *site) plotImages(d *division) []plotImage {
	var images []plotImage
	var solvers []string
	for _, i := range d.runs.sortedSolvers() {
		solvers = append(solvers, clean(d.runs.solvers.list[i]))
	}
	add := func(kind, title, alt string, tab func(*division) *table, legend ...string) {
		images = append(images, plotImage{Kind: kind, Title: title, Solvers: slices.Concat(solvers, legend),
			SVG: d.plotHref(kind, "svg"), PNG: d.plotHref(kind, "png"), Alt: alt,
			Table: func() *table { return tab(d) }})
	}
	name := clean(d.name)
	add("cactus", "Benchmarks solved within a time", "Cactus plot of "+name+
		": for each solver, the time within which it solves a number of benchmarks. The table below has the figures.",
		s.cactusTable, vbsName)
	if a, b, ok := d.bestTwo(); ok {
		add("scatter", "Two solvers against each other", fmt.Sprintf("Times of %s against %s on each benchmark of %s. "+
			"The table below counts who solves what.", clean(a), clean(b), name), s.scatterTable)
	}
	if d.hasMemory() {
		add("memory", "Memory", "Share of the runs of "+name+" that need at most an amount of memory, for each "+
			"solver. The table below has the figures.", s.memoryTable)
	}
	return images
}

func (d *division) hasMemory() bool {
	return slices.ContainsFunc(d.runs.memory, func(x int64) bool { return x > 0 })
}

// bestTwo returns the solver with most correct runs and the best one of another team, or of the same if there is no
// other.
func (d *division) bestTwo() (first, second string, ok bool) {
	pair, ok := d.runs.bestTwo()
	if !ok {
		return "", "", false
	}
	return d.runs.solvers.list[pair[0]], d.runs.solvers.list[pair[1]], true
}

func (t *runTable) bestTwo() (pair [2]int, ok bool) {
	solved := t.solved(t.wall)
	order := t.sortedSolvers()
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(len(solved[y]), len(solved[x])) })
	if len(order) < 2 {
		return pair, false
	}
	rival := slices.IndexFunc(order, func(i int) bool { return t.teams[i] != t.teams[order[0]] })
	return [2]int{order[0], order[max(rival, 1)]}, true
}

// plotFiles are the pictures as SVG and PNG.
func (s *site) plotFiles(d *division) []file {
	if d.runs == nil {
		return nil
	}
	var files []file
	for _, img := range s.plotImages(d) {
		make := map[string]func(*division) (*plot.Plot, error){"cactus": cactusPlot, "scatter": scatterPlot,
			"memory": memoryPlot}[img.Kind]
		render := func(as func(io.Writer, picture, vg.Length, vg.Length) error) func(io.Writer) error {
			return func(w io.Writer) error {
				p, err := make(d)
				if err != nil {
					return err
				}
				return as(w, p, plotWidth, plotHeight)
			}
		}
		files = append(files, file{img.SVG, render(renderSVG)}, file{img.PNG, render(renderPNG)})
	}
	return files
}

// picture is anything that draws itself.
type picture interface{ Draw(draw.Canvas) }

func renderSVG(w io.Writer, p picture, width, height vg.Length) error {
	c := vgsvg.New(width, height)
	p.Draw(draw.New(c))
	_, err := c.WriteTo(w)
	return err
}

func renderPNG(w io.Writer, p picture, width, height vg.Length) error {
	c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(plotDPI))}
	p.Draw(draw.New(c))
	_, err := c.WriteTo(w)
	return err
}

func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = x, y
	small := vg.Points(8)
	p.X.Label.TextStyle.Font.Size, p.Y.Label.TextStyle.Font.Size = vg.Points(9), vg.Points(9)
	p.X.Tick.Label.Font.Size, p.Y.Tick.Label.Font.Size = small, small
	p.Legend.TextStyle.Font.Size = vg.Points(7)
	p.Legend.ThumbnailWidth = vg.Points(18)
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{0xE4}, color.Gray{0xE4}
	p.Add(grid)
	return p
}

func lineStyle(k int) draw.LineStyle {
	return draw.LineStyle{Color: palette[k%len(palette)], Width: vg.Points(1.2),
		Dashes: dashes[(k/len(palette))%len(dashes)]}
}

// minTime is where the logarithmic axes of time begin, in seconds.
const minTime = 0.01

func cactusPlot(d *division) (*plot.Plot, error) {
	p := newPlot("benchmarks solved", "wall time, s")
	solved := d.runs.solved(d.runs.wall)
	most, longest := 1, minTime*10
	for k, i := range d.runs.sortedSolvers() {
		times := solved[i]
		line, err := plotter.NewLine(thinned(times))
		if err != nil || len(times) == 0 {
			continue // nothing solved, nothing drawn
		}
		line.LineStyle = lineStyle(k)
		p.Add(line)
		p.Legend.Add(legendText(d.runs.solvers.list[i]), line)
		most, longest = max(most, len(times)), max(longest, times[len(times)-1])
	}
	if times := d.runs.virtualBest(); len(times) > 0 {
		line, err := plotter.NewLine(thinned(times))
		if err != nil {
			return nil, err
		}
		line.LineStyle = draw.LineStyle{Color: color.Black, Width: vg.Points(1), Dashes: dashes[2]}
		p.Add(line)
		p.Legend.Add(vbsName, line)
		most = max(most, len(times))
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1.02*float64(most), minTime, math.Max(longest, d.track.wallLimit)
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, logTicks{}
	p.Legend.Left, p.Legend.Top = true, true
	p.Legend.XOffs, p.Legend.YOffs = vg.Points(4), -vg.Points(2)
	return p, nil
}

// thinned keeps the shape of a sorted line with a few hundred points, so that files stay small.
func thinned(times []float64) plotter.XYs {
	const most = 400
	var xys plotter.XYs
	last := -1.0
	for i, t := range times {
		t = math.Max(t, minTime)
		step := len(times) / most
		far := math.Log(t)-last > 0.02
		if i == 0 || i == len(times)-1 || (far && step <= 1) || (step > 1 && i%step == 0) || math.Log(t)-last > 0.15 {
			xys = append(xys, plotter.XY{X: float64(i + 1), Y: t})
			last = math.Log(t)
		}
	}
	return xys
}

func legendText(name string) string { return clip(clean(name), 40) }

func memoryPlot(d *division) (*plot.Plot, error) {
	p := newPlot("peak memory, MB", "runs, %")
	t := d.runs
	per := make([][]float64, len(t.solvers.list))
	for i, m := range t.memory {
		if m > 0 {
			per[t.solver[i]] = append(per[t.solver[i]], float64(m)/1e6)
		}
	}
	low, high := math.Inf(1), 0.0
	for k, i := range t.sortedSolvers() {
		sizes := per[i]
		if len(sizes) == 0 {
			continue
		}
		slices.Sort(sizes)
		xys := make(plotter.XYs, 0, 101)
		for q := 0; q <= 100; q++ {
			at := min(len(sizes)-1, q*len(sizes)/100)
			xys = append(xys, plotter.XY{X: sizes[at], Y: float64(q)})
		}
		line, err := plotter.NewLine(xys)
		if err != nil {
			return nil, err
		}
		line.LineStyle = lineStyle(k)
		p.Add(line)
		p.Legend.Add(legendText(t.solvers.list[i]), line)
		low, high = math.Min(low, sizes[0]), math.Max(high, sizes[len(sizes)-1])
	}
	if high <= low {
		high = low * 10
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = low, high, 0, 100
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, logTicks{}
	p.Legend.Left, p.Legend.Top = true, true
	return p, nil
}

// pair is a benchmark with the times of two solvers; a solver that does not solve it is at the edge.
type pair struct {
	x, y  float64
	unsat bool // the answer of those that solve it
}

func (d *division) pairs(a, b string) (pairs []pair, edge float64) {
	t := d.runs
	correct, ok := t.verdicts.at[string(comp.Correct)]
	if !ok {
		return nil, minTime * 10
	}
	ia, ib := uint16(t.solvers.at[a]), uint16(t.solvers.at[b])
	high := math.Max(d.track.wallLimit, minTime*10)
	times := map[uint32]*pair{}
	var order []uint32
	for i, s := range t.solver {
		if s != ia && s != ib {
			continue
		}
		p, seen := times[t.bench[i]]
		if !seen {
			p = &pair{x: math.NaN(), y: math.NaN()}
			times[t.bench[i]] = p
			order = append(order, t.bench[i])
		}
		v := math.Inf(1)
		if int(t.verdict[i]) == correct {
			v = math.Max(t.wall[i], minTime)
			high = math.Max(high, v)
			p.unsat = t.answers.list[t.answer[i]] == string(comp.AnswerUnsat)
		}
		if s == ia {
			p.x = v
		} else {
			p.y = v
		}
	}
	edge = high * 1.6
	for _, k := range order {
		p := *times[k]
		if math.IsNaN(p.x) || math.IsNaN(p.y) || (math.IsInf(p.x, 1) && math.IsInf(p.y, 1)) {
			continue
		}
		pairs = append(pairs, pair{math.Min(p.x, edge), math.Min(p.y, edge), p.unsat})
	}
	return pairs, edge
}

func scatterPlot(d *division) (*plot.Plot, error) {
	a, b, _ := d.bestTwo()
	pairs, edge := d.pairs(a, b)
	p := newPlot(legendText(a)+", wall time, s", legendText(b)+", wall time, s")
	for _, at := range []float64{edge / 1.6} {
		for _, line := range []plotter.XYs{{{X: at, Y: minTime}, {X: at, Y: edge * 1.2}},
			{{X: minTime, Y: at}, {X: edge * 1.2, Y: at}}} {
			l, err := plotter.NewLine(line)
			if err != nil {
				return nil, err
			}
			l.LineStyle = draw.LineStyle{Color: color.Gray{0x60}, Width: vg.Points(0.6), Dashes: dashes[1]}
			p.Add(l)
		}
	}
	diagonal, err := plotter.NewLine(plotter.XYs{{X: minTime, Y: minTime}, {X: edge, Y: edge}})
	if err != nil {
		return nil, err
	}
	diagonal.LineStyle = draw.LineStyle{Color: color.Gray{0x90}, Width: vg.Points(0.8)}
	p.Add(diagonal)
	for _, m := range []struct {
		unsat bool
		name  string
		color color.RGBA
		shape draw.GlyphDrawer
	}{{false, "sat", palette[0], draw.CircleGlyph{}}, {true, "unsat", palette[2], draw.CrossGlyph{}}} {
		xys := binned(pairs, m.unsat)
		if len(xys) == 0 {
			continue
		}
		points, err := plotter.NewScatter(xys)
		if err != nil {
			return nil, err
		}
		points.GlyphStyle = draw.GlyphStyle{Color: m.color, Radius: vg.Points(1.3), Shape: m.shape}
		p.Add(points)
		p.Legend.Add(m.name, points)
	}
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.XOffs, p.Legend.YOffs = vg.Points(4), -vg.Points(8)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = minTime*0.8, edge*1.2, minTime*0.8, edge*1.2
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = logTicks{}, logTicks{}
	return p, nil
}

// binned keeps one point of those that would cover each other, of the pairs with an answer.
func binned(pairs []pair, unsat bool) plotter.XYs {
	const perDecade = 60
	seen := map[[2]int]bool{}
	var xys plotter.XYs
	for _, p := range pairs {
		if p.unsat != unsat {
			continue
		}
		key := [2]int{int(math.Log10(p.x/minTime) * perDecade), int(math.Log10(p.y/minTime) * perDecade)}
		if !seen[key] {
			seen[key] = true
			xys = append(xys, plotter.XY{X: p.x, Y: p.y})
		}
	}
	return xys
}

// logTicks puts ticks at the powers of ten and marks between them.
type logTicks struct{}

// Ticks returns the ticks of a logarithmic axis.
func (logTicks) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for e := int(math.Floor(math.Log10(low))); e <= int(math.Ceil(math.Log10(high))); e++ {
		for m := 1; m < 10; m++ {
			v := float64(m) * math.Pow10(e)
			if v < low*0.999 || v > high*1.001 {
				continue
			}
			label := ""
			if m == 1 {
				label = strconv.FormatFloat(v, 'g', -1, 64)
			}
			ticks = append(ticks, plot.Tick{Value: v, Label: label})
		}
	}
	return ticks
}
