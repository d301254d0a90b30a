package report

import (
	"cmp"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/publish/report/draw"
)

// Plot files measure 6 by 3.6 inches, which is one and a half columns in a paper.
const (
	plotWidth  = 6 * 72
	plotHeight = 3.6 * 72
)

// plotImages lists the pictures on a division's page. The page replaces them with interactive plots.
func (s *site) plotImages(d *division) []plotImage {
	var images []plotImage
	var solvers []legendEntry
	for k, i := range d.runs.sortedSolvers() {
		solvers = append(solvers, legendEntry{clean(d.runs.Solvers[i]),
			fmt.Sprintf("c%d d%d", k%len(draw.Palette), (k/len(draw.Palette))%len(draw.Dashes))})
	}
	add := func(kind, title, alt string, tab func(*division) *table, legend ...legendEntry) {
		images = append(images, plotImage{Kind: kind, Title: title, Legend: slices.Concat(solvers, legend),
			SVG: d.plotHref(kind), Alt: alt, figures: tab})
	}
	name := clean(d.name)
	add("cactus", "Benchmarks solved within a time", "Cactus plot of "+name+
		": for each solver, how many benchmarks it solves within a given time. The table below has the figures.",
		s.cactusTable, legendEntry{vbsName, "c8 d2"})
	if a, b := d.bestTwo(); d.runs.Paired {
		add("scatter", "Two solvers against each other", fmt.Sprintf("Times of %s against %s on each benchmark of %s. "+
			"The table below counts who solves what.", clean(a), clean(b), name), s.scatterTable)
	}
	if d.runs.Memory {
		add("memory", "Memory", "For each solver, the share of its runs in "+name+" that need at most a given amount "+
			"of memory. The table below has the figures.", s.memoryTable)
	}
	return images
}

// bestTwo returns the names of the two solvers that plots compare first.
func (d *division) bestTwo() (first, second string) {
	return d.runs.Solvers[d.runs.Pair[0]], d.runs.Solvers[d.runs.Pair[1]]
}

// bestTwo returns the solver with the most correct runs and the best solver of another team, or of the same team if
// there is no other.
func (t *runTable) bestTwo() (pair [2]int, ok bool) {
	solved := make([]int, len(t.Solvers))
	if correct, ok := t.verdicts.at[string(comp.Correct)]; ok {
		for i, v := range t.verdict {
			if int(v) == correct {
				solved[t.solver[i]]++
			}
		}
	}
	order := t.sortedSolvers()
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(solved[y], solved[x]) })
	if len(order) < 2 {
		return pair, false
	}
	rival := slices.IndexFunc(order, func(i int) bool { return t.Teams[i] != t.Teams[order[0]] })
	return [2]int{order[0], order[max(rival, 1)]}, true
}

// plotFiles returns the pictures as files.
func (s *site) plotFiles(d *division) []file {
	if d.runs == nil {
		return nil
	}
	var files []file
	for _, img := range s.plotImages(d) {
		make := map[string]func(*division) *draw.Chart{"cactus": cactusPlot, "scatter": scatterPlot,
			"memory": memoryPlot}
		f := file{img.SVG, func(w io.Writer) error { return render(w, make[img.Kind](d), plotWidth, plotHeight) }}
		files = append(files, s.ofRuns(d, f, d.track.name, d.name, img.Kind, d.limits))
	}
	return files
}

// picture is anything that can draw itself.
type picture interface {
	Draw(c *draw.SVG, width, height float64)
}

func render(w io.Writer, p picture, width, height float64) error {
	c := draw.NewSVG(width, height)
	p.Draw(c, width, height)
	return c.Encode(w)
}

// minTime is the start of the logarithmic time axes, in seconds.
const minTime = 0.01

func cactusPlot(d *division) *draw.Chart {
	p := &draw.Chart{}
	solved := d.runs.solved(d.runs.wall)
	most, longest := 1, minTime*10
	for k, i := range d.runs.sortedSolvers() {
		times := solved[i]
		if len(times) == 0 {
			continue // a solver that solves nothing has no line
		}
		p.Series = append(p.Series, draw.Series{Name: legendText(d.runs.Solvers[i]), Points: thinned(times),
			Stroke: draw.Nth(k)})
		most, longest = max(most, len(times)), max(longest, times[len(times)-1])
	}
	if times := d.runs.virtualBest(); len(times) > 0 {
		style := draw.Stroke{Color: draw.Black, Width: 1, Dashes: draw.Dashes[2]}
		p.Series = append(p.Series, draw.Series{Name: vbsName, Points: thinned(times), Stroke: style})
		most = max(most, len(times))
	}
	p.X = draw.Axis{Label: "benchmarks solved", Max: 1.02 * float64(most)}
	p.Y = draw.Axis{Label: "wall time, s", Min: minTime, Max: math.Max(longest, d.limits.wall), Log: true}
	return p
}

// thinned reduces a sorted line to a few hundred points that preserve its shape, which keeps files small.
func thinned(times []float64) []draw.Point {
	const most = 400
	var points []draw.Point
	last := -1.0
	for i, t := range times {
		t = math.Max(t, minTime)
		step := len(times) / most
		far := math.Log(t)-last > 0.02
		if i == 0 || i == len(times)-1 || (far && step <= 1) || (step > 1 && i%step == 0) || math.Log(t)-last > 0.15 {
			points = append(points, draw.Point{X: float64(i + 1), Y: t})
			last = math.Log(t)
		}
	}
	return points
}

func legendText(name string) string { return clip(clean(name), 40) }

func memoryPlot(d *division) *draw.Chart {
	p := &draw.Chart{}
	t := d.runs
	per := make([][]float64, len(t.Solvers))
	for i, k := range t.solver {
		per[k] = t.appendMemory(per[k], i)
	}
	low, high := math.Inf(1), 0.0
	for k, i := range t.sortedSolvers() {
		sizes := per[i]
		if len(sizes) == 0 {
			continue
		}
		slices.Sort(sizes)
		points := make([]draw.Point, 0, 101)
		for q := 0; q <= 100; q++ {
			at := min(len(sizes)-1, q*len(sizes)/100)
			points = append(points, draw.Point{X: sizes[at], Y: float64(q)})
		}
		p.Series = append(p.Series, draw.Series{Name: legendText(t.Solvers[i]), Points: points,
			Stroke: draw.Nth(k)})
		low, high = math.Min(low, sizes[0]), math.Max(high, sizes[len(sizes)-1])
	}
	if high <= low {
		high = low * 10
	}
	p.X = draw.Axis{Label: "peak memory, MB", Min: low, Max: high, Log: true}
	p.Y = draw.Axis{Label: "runs, %", Max: 100}
	return p
}

// pair holds two solvers' times on a benchmark. A solver that does not solve it is at the edge.
type pair struct {
	x, y  float64
	unsat bool // whether the solvers that solve it answer unsat
}

func (d *division) pairs(a, b string) (pairs []pair, edge float64) {
	t := d.runs
	correct, ok := t.verdicts.at[string(comp.Correct)]
	if !ok {
		return nil, minTime * 10
	}
	ia, ib := uint16(slices.Index(t.Solvers, a)), uint16(slices.Index(t.Solvers, b))
	high := math.Max(d.limits.wall, minTime*10)
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

func scatterPlot(d *division) *draw.Chart {
	a, b := d.bestTwo()
	pairs, edge := d.pairs(a, b)
	scale := func(solver string) draw.Axis {
		return draw.Axis{Label: legendText(solver) + ", wall time, s", Min: minTime * 0.8, Max: edge * 1.2, Log: true}
	}
	p := &draw.Chart{X: scale(a), Y: scale(b), Down: 4}
	limit := edge / 1.6
	dashed := draw.Stroke{Color: color.RGBA{0x60, 0x60, 0x60, 255}, Width: 0.6, Dashes: draw.Dashes[1]}
	p.Series = []draw.Series{
		{Points: []draw.Point{{X: limit, Y: minTime}, {X: limit, Y: edge * 1.2}}, Stroke: dashed},
		{Points: []draw.Point{{X: minTime, Y: limit}, {X: edge * 1.2, Y: limit}}, Stroke: dashed},
		{Points: []draw.Point{{X: minTime, Y: minTime}, {X: edge, Y: edge}},
			Stroke: draw.Stroke{Color: color.RGBA{0x90, 0x90, 0x90, 255}, Width: 0.8}},
	}
	for _, s := range []draw.Series{
		{Name: string(comp.AnswerSat), Mark: draw.Dot, Stroke: draw.Stroke{Color: draw.Palette[0]}},
		{Name: string(comp.AnswerUnsat), Mark: draw.Cross, Stroke: draw.Stroke{Color: draw.Palette[2]}},
	} {
		if s.Points = binned(pairs, s.Mark == draw.Cross); len(s.Points) > 0 {
			p.Series = append(p.Series, s)
		}
	}
	return p
}

// binned returns the points of the pairs with the given answer, without points that would overlap others.
func binned(pairs []pair, unsat bool) []draw.Point {
	const perDecade = 60
	seen := map[[2]int]bool{}
	var points []draw.Point
	for _, p := range pairs {
		if p.unsat != unsat {
			continue
		}
		key := [2]int{int(math.Log10(p.x/minTime) * perDecade), int(math.Log10(p.y/minTime) * perDecade)}
		if !seen[key] {
			seen[key] = true
			points = append(points, draw.Point{X: p.x, Y: p.y})
		}
	}
	return points
}
