package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// familyBody fills the page about a family in a division.
type familyBody struct {
	Total, Listed          int64
	Statistics, Benchmarks *table
	Division, Runs         link
}

// maxListed is the maximum number of benchmarks listed on a family's page.
const maxListed = 100

// contestOver summarises how the solvers did on a benchmark.
type contestOver struct {
	bench       uint32
	runs        []int32
	solved      int
	first, next int32 // indexes of the two fastest correct runs, or -1
	wrong       []int32
}

// familyPages returns a page for each of a division's families.
func (s *site) familyPages(d *division, up []crumb) []file {
	var files []file
	up = append(slices.Clone(up), crumb{"Families", d.familiesHref()})
	common := s.m.in.identify(*s.info(), up, d.limits.wall, s.solverLinks(d))
	families := sync.OnceValue(d.runs.byFamily)
	for k, f := range d.runs.Families {
		p := s.page(f.href(d), "family", page{Title: f.title(), Section: d.track.name, Crumbs: up,
			Body: func() any { return s.familyPage(d, &families()[k]) }})
		files = append(files, s.ofRuns(d, p, common, f.Logic, f.Name, f.Slug))
	}
	return files
}

// solverLinks returns a division's solvers with the addresses of their pages.
func (s *site) solverLinks(d *division) (solvers []link) {
	for _, name := range d.runs.Solvers {
		solvers = append(solvers, link{name, s.m.solver(name).href()})
	}
	return solvers
}

// href returns the family page's address.
func (f *family) href(d *division) string {
	return path.Join("families", d.track.slug, d.slug, f.Slug+".html")
}

func (s *site) familyPage(d *division, f *family) *familyBody {
	list := d.runs.over(f.runs)
	body := &familyBody{Total: int64(len(list)), Division: link{clean(d.name), d.href()},
		Runs: link{"Explore its runs", d.runsHref() + "#q=" + urlValue(f.folder())}}
	if slices.ContainsFunc(list, func(x contestOver) bool {
		return !strings.Contains(d.runs.benches[x.bench].Path, f.folder())
	}) { // the competition does not keep families in folders
		body.Runs.Href = d.track.matrixHref() + "#division=" + urlValue(d.name) + "&logic=" + urlValue(f.Logic) +
			"&family=" + urlValue(f.Name)
	}
	body.Statistics = s.statisticsTable(d, f.runs, "Runs of "+f.title()+". "+aboutStatistics)
	body.Benchmarks = s.familyBenchmarks(d, f, list[:min(len(list), maxListed)])
	body.Listed = int64(len(body.Benchmarks.Rows))
	return body
}

// over groups runs by benchmark. The hardest benchmarks come first: those solved by the fewest solvers, then those
// solved most slowly.
func (t *runTable) over(runs []int32) []contestOver {
	at := map[uint32]*contestOver{}
	better := func(run, other int32) bool { return other < 0 || t.wall[run] < t.wall[other] }
	for _, run := range runs {
		x := at[t.bench[run]]
		if x == nil {
			x = &contestOver{bench: t.bench[run], first: -1, next: -1}
			at[x.bench] = x
		}
		x.runs = append(x.runs, run)
		switch comp.Verdict(t.verdicts.list[t.verdict[run]]) {
		case comp.Wrong:
			x.wrong = append(x.wrong, run)
		case comp.Correct:
			x.solved++
			switch {
			case better(run, x.first):
				x.first, x.next = run, x.first
			case better(run, x.next):
				x.next = run
			}
		}
	}
	wall := func(x contestOver) float64 {
		if x.first < 0 {
			return math.Inf(1)
		}
		return t.wall[x.first]
	}
	var list []contestOver
	for _, b := range slices.Sorted(maps.Keys(at)) {
		list = append(list, *at[b])
	}
	slices.SortStableFunc(list, func(x, y contestOver) int {
		return cmp.Or(cmp.Compare(x.solved, y.solved), cmp.Compare(wall(y), wall(x)))
	})
	return list
}

// familyBenchmarks returns a table with a row for each benchmark. It lists the fastest solvers and the solvers with
// wrong answers, each linked to the run.
func (s *site) familyBenchmarks(d *division, f *family, list []contestOver) *table {
	t := d.runs
	tab := &table{ID: "benchmarks", Caption: "Benchmarks, the hardest first", Filter: len(list) > 20,
		Cols: []col{{"Benchmark", "links to all of its runs", false}, {"Status", "", false},
			{"Solved by", "number of the solvers that ran on it", true}, {"Fastest", "links to the run", false},
			{"Wall time", "seconds", true}, {"Next", "links to the run", false}, {"Its wall time", "seconds", true},
			{"Wrong", "solvers with a wrong answer", false}}}
	for _, x := range list {
		b := &t.benches[x.bench]
		name := func(run int32) link {
			solver := t.Solvers[t.solver[run]]
			return link{clean(solver), d.runHref(b.Path, solver)}
		}
		solved := cell{Text: fmt.Sprintf("%d of %d", x.solved, len(x.runs)), Sort: fmt.Sprint(x.solved), Num: true}
		_, inFamily, _ := strings.Cut(b.Path, f.folder())
		cells := []cell{head(first(inFamily, b.name()), d.runsHref()+"#q="+urlValue(b.Path)), text(b.Status), solved}
		for _, run := range []int32{x.first, x.next} {
			if run < 0 {
				cells = append(cells, text("nobody"), none())
				continue
			}
			cells = append(cells, cell{Links: []link{name(run)}}, timeCell(t.wall[run]))
		}
		var wrong []link
		for _, run := range x.wrong {
			wrong = append(wrong, name(run))
		}
		tab.Rows = append(tab.Rows, row{Cells: append(cells, cell{Links: wrong, Class: "bad"})})
	}
	tab.prune()
	return tab
}
