package smtcompsite

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Run is a run and its result, for charts.
type Run struct {
	Track, Division, Logic, Benchmark, Solver string
	Answer                                    string // result in the organisers' words, such as Timeout
	CPUS                                      float64
}

// chartData holds the runs of a division or logic by benchmark. Names are represented by indexes in words.
type chartData struct {
	title string
	words []string
	ids   map[string]int32
	runs  map[[2]int32][]chartRun // runs by logic and benchmark
}

type chartRun struct {
	solver, answer, division int32
	cpu                      float64
}

func (c *chartData) id(word string) int32 {
	id, ok := c.ids[word]
	if !ok {
		id = int32(len(c.words))
		c.words, c.ids[word] = append(c.words, word), id
	}
	return id
}

// charts returns the chart pages by file name, one for each division and logic that has a page.
func (b *builder) charts() map[string][]byte {
	data := map[string]*chartData{}
	removed := b.removed()
	for r := range b.site.Runs {
		t, ok := trackNamed(r.Track)
		if !ok || removed[[3]string{r.Track, r.Division, r.Benchmark}] {
			continue
		}
		for what, name := range map[string]string{"division": r.Division, "logic": r.Logic} {
			file := t.file(identifier(name))
			if b.pages[file] == nil {
				continue
			}
			if data[file] == nil {
				data[file] = &chartData{title: fmt.Sprintf("Chart for %s %s", what, identifier(name)),
					ids: map[string]int32{}, runs: map[[2]int32][]chartRun{}}
			}
			c := data[file]
			at := [2]int32{c.id(r.Logic), c.id(r.Benchmark)}
			c.runs[at] = append(c.runs[at], chartRun{c.id(r.Solver), c.id(r.Answer), c.id(r.Division), max(r.CPUS, 0)})
		}
	}
	pages := map[string][]byte{}
	for file, c := range data {
		page, err := c.page()
		if err != nil {
			b.fail("chart of %s: %w", file, err)
		}
		pages[strings.TrimSuffix(file, ".md")+"-chart.html"] = page
	}
	return pages
}

// removed returns the benchmarks that were removed because sound solvers disagree on them. They are the listed
// benchmarks of each division that counts fewer benchmarks than have runs. In other divisions, disagreements are only
// reported.
func (b *builder) removed() map[[3]string]bool {
	listed := map[[2]string][]string{}
	for i := range b.site.Recognitions {
		if r := &b.site.Recognitions[i]; r.Kind == "disagreement" {
			at := [2]string{r.Track, r.Division}
			listed[at] = append(listed[at], r.Item)
		}
	}
	if len(listed) == 0 {
		return nil
	}
	have := map[[2]string]map[string]bool{}
	for r := range b.site.Runs {
		at := [2]string{r.Track, r.Division}
		if len(listed[at]) > 0 {
			if have[at] == nil {
				have[at] = map[string]bool{}
			}
			have[at][r.Benchmark] = true
		}
	}
	removed := map[[3]string]bool{}
	for i := range b.site.Scores {
		r := &b.site.Scores[i]
		at := [2]string{r.Track, r.Division}
		if r.Logic == "" && r.View == views[parallelView] && int64(len(have[at])) > r.Benchmarks {
			for _, benchmark := range listed[at] {
				removed[[3]string{r.Track, r.Division, benchmark}] = true
			}
		}
	}
	return removed
}

// correlation is the similarity of two solvers' CPU times.
type correlation struct {
	Solver  string  `json:"solver"`
	Solver2 string  `json:"solver2"`
	Corr    *number `json:"corr"` // Pearson's coefficient over the benchmarks that both solved; nil if undefined
}

// common is the number of a logic's benchmarks on which two solvers have the given answers and orders of magnitude of
// CPU time.
type common struct {
	Solver   string `json:"solver"`
	Solver2  string `json:"solver2"`
	Bucket   number `json:"bucket"`
	Bucket2  number `json:"bucket2"`
	Len      int    `json:"len"`
	Answer   string `json:"answer"`
	Answer2  string `json:"answer2"`
	Logic    string `json:"logic"`
	Division string `json:"division"`
}

// tables computes a chart's two tables, sorted.
func (c *chartData) tables() (pairs []correlation, counts []common) {
	type commonKey struct {
		solver, solver2, answer, answer2, logic, division int32
		bucket, bucket2                                   float64
	}
	times := map[[2]int32][2][]float64{}
	numbers := map[commonKey]int{}
	byNumber := func(x, y [2]int32) int { return slices.Compare(x[:], y[:]) }
	for _, at := range slices.SortedFunc(maps.Keys(c.runs), byNumber) {
		for _, r := range c.runs[at] {
			for _, o := range c.runs[at] {
				key := [2]int32{r.solver, o.solver}
				t := times[key]
				times[key] = [2][]float64{append(t[0], r.cpu), append(t[1], o.cpu)}
				numbers[commonKey{r.solver, o.solver, r.answer, o.answer, at[0], r.division, bucketOf(r.cpu),
					bucketOf(o.cpu)}]++
			}
		}
	}
	for key, t := range times {
		p := correlation{Solver: c.words[key[0]], Solver2: c.words[key[1]]}
		if r := pearson(t[0], t[1]); !math.IsNaN(r) {
			n := number(r)
			p.Corr = &n
		}
		pairs = append(pairs, p)
	}
	for k, n := range numbers {
		counts = append(counts, common{c.words[k.solver], c.words[k.solver2], number(k.bucket), number(k.bucket2), n,
			c.words[k.answer], c.words[k.answer2], c.words[k.logic], c.words[k.division]})
	}
	slices.SortFunc(pairs, func(x, y correlation) int {
		return cmp.Or(cmp.Compare(x.Solver, y.Solver), cmp.Compare(x.Solver2, y.Solver2))
	})
	slices.SortFunc(counts, func(x, y common) int {
		return cmp.Or(cmp.Compare(x.Solver, y.Solver), cmp.Compare(x.Solver2, y.Solver2), cmp.Compare(x.Logic, y.Logic),
			cmp.Compare(x.Bucket, y.Bucket), cmp.Compare(x.Bucket2, y.Bucket2), cmp.Compare(x.Answer, y.Answer),
			cmp.Compare(x.Answer2, y.Answer2), cmp.Compare(x.Division, y.Division))
	})
	return pairs, counts
}

// bucketOf returns the largest power of ten that does not exceed a time; 0 for 0.
func bucketOf(cpu float64) float64 {
	if cpu <= 0 {
		return 0
	}
	return math.Pow(10, math.Floor(math.Log10(cpu)))
}

// pearson returns the correlation coefficient of two lists, or NaN if either of them does not vary.
func pearson(x, y []float64) float64 {
	mean := func(v []float64) (m float64) {
		for _, a := range v {
			m += a / float64(len(v))
		}
		return m
	}
	mx, my := mean(x), mean(y)
	var xy, xx, yy float64
	for i := range x {
		dx, dy := x[i]-mx, y[i]-my
		xy, xx, yy = xy+dx*dy, xx+dx*dx, yy+dy*dy
	}
	if xx == 0 || yy == 0 {
		return math.NaN()
	}
	return min(max(xy/math.Sqrt(xx*yy), -1), 1)
}

// order places similar solvers next to each other: the first solver by name is followed by the solver most similar to
// it, and so on.
func order(pairs []correlation) []string {
	alike := map[[2]string]float64{}
	var left []string
	for _, p := range pairs {
		if alike[[2]string{p.Solver, p.Solver2}] = -2; p.Corr != nil {
			alike[[2]string{p.Solver, p.Solver2}] = float64(*p.Corr)
		}
		left = append(left, p.Solver)
	}
	left = slices.Compact(left)
	var done []string
	for len(left) > 0 {
		best := 0
		for i := range left {
			if len(done) > 0 {
				last := done[len(done)-1]
				like := func(i int) float64 {
					if a, ok := alike[[2]string{last, left[i]}]; ok {
						return a
					}
					return -3
				}
				if like(i) > like(best) {
					best = i
				}
			}
		}
		done = append(done, left[best])
		left = slices.Delete(left, best, best+1)
	}
	return done
}

type spec = map[string]any

// heat returns a table of squares, each with its number or its shade.
func heat(table, x, y, kind string, sort any, color spec, opacity spec, params []spec, filters ...string) spec {
	transform := []spec{}
	for _, f := range filters {
		transform = append(transform, spec{"filter": spec{"param": f}})
	}
	axis := func(field string) spec { return spec{"field": field, "type": kind, "sort": sort} }
	encoding := spec{"x": axis(x), "y": axis(y), "color": color,
		"tooltip": []spec{{"field": x}, {"field": y}, color}}
	if opacity != nil {
		encoding["opacity"] = opacity
	}
	s := spec{"data": spec{"name": table}, "transform": transform, "mark": spec{"type": "rect"}, "encoding": encoding}
	if params != nil {
		s["params"] = params
	}
	return s
}

// specification returns a chart's Vega-Lite specification.
func specification(pairs []correlation, counts []common) spec {
	solvers := order(pairs)
	point := func(name string, fields ...string) []spec {
		return []spec{{"name": name, "select": spec{"type": "point", "fields": fields}}}
	}
	chosen := func(name string) spec {
		return spec{"condition": spec{"param": name, "value": 1}, "value": 0.3}
	}
	benchmarks := spec{"aggregate": "sum", "field": "len", "type": "quantitative", "title": "benchmarks"}
	list := func(name string, filters ...string) spec {
		s := heat("counts", "len", name, "nominal", nil, spec{}, chosen(name), point(name, name), filters...)
		s["mark"] = spec{"type": "bar"}
		s["encoding"] = spec{"x": benchmarks, "y": spec{"field": name, "type": "nominal"}, "opacity": chosen(name)}
		return s
	}
	return spec{
		"$schema":  "https://vega.github.io/schema/vega-lite/v6.json",
		"datasets": spec{"pairs": pairs, "counts": counts},
		"resolve":  spec{"scale": spec{"color": "independent"}},
		"vconcat": []spec{
			heat("pairs", "solver", "solver2", "nominal", solvers, spec{"field": "corr", "type": "quantitative",
				"scale": spec{"domain": []int{-1, 1}, "scheme": "blueorange"},
				"title": "correlation of CPU times",
			}, chosen("solvers"), point("solvers", "solver", "solver2")),
			{"resolve": spec{"scale": spec{"color": "independent"}}, "hconcat": []spec{
				heat("counts", "bucket", "bucket2", "ordinal", "ascending", benchmarks, nil, nil, "solvers", "answer",
					"logic", "division"),
				heat("counts", "answer", "answer2", "nominal", "ascending", benchmarks, chosen("answer"),
					point("answer", "answer", "answer2"), "solvers", "logic", "division"),
			}},
			{"hconcat": []spec{list("logic", "solvers", "answer", "division"), list("division", "solvers", "answer")}},
		},
	}
}

// chartPage has the form that Hugo treats as a page with its own content. The official site's scripts draw the chart.
const chartPage = `---
layout: chart
title: %s
---
<style>
  #vis.vega-embed { width: 100%%; display: flex; }
</style>
<script src="https://cdn.jsdelivr.net/npm/vega@6"></script>
<script src="https://cdn.jsdelivr.net/npm/vega-lite@6"></script>
<script src="https://cdn.jsdelivr.net/npm/vega-embed@7"></script>
<div id="vis"></div>
<script>
  vegaEmbed("#vis", %s);
</script>
`

func (c *chartData) page() ([]byte, error) {
	text, err := json.Marshal(specification(c.tables())) // Marshal escapes < and >
	if err != nil {
		return nil, err
	}
	// Two opening braces begin a Hugo command. They can occur only in a name.
	return fmt.Appendf(nil, chartPage, c.title, strings.ReplaceAll(string(text), "{{", `{\u007b`)), nil
}
