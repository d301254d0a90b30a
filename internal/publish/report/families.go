package report

import (
	"cmp"
	"slices"
	"strings"
)

// familiesBody fills the page about a division's families.
type familiesBody struct {
	Solved, Statistics *table
	Division           link
}

// family is a benchmark family and its runs.
type family struct {
	Logic, Name, Slug string
	runs              []int32
}

// byFamily groups the runs into families, sorted by logic and name.
func (t *runTable) byFamily() []family {
	type key struct {
		logic int
		name  string
	}
	var all []family
	at := map[key]int{}
	for i, b := range t.bench {
		ref := &t.families[t.benches[b].Family]
		k := key{ref.Logic, ref.Name}
		n, seen := at[k]
		if !seen {
			n = len(all)
			at[k], all = n, append(all, family{Logic: t.Logics[ref.Logic], Name: ref.Name})
		}
		all[n].runs = append(all[n].runs, int32(i))
	}
	slices.SortFunc(all, func(x, y family) int {
		return cmp.Or(strings.Compare(x.Logic, y.Logic), strings.Compare(x.Name, y.Name))
	})
	slugs := newSlugs()
	for i := range all {
		all[i].Slug = slugs.of(all[i].Logic + "/" + all[i].Name)
	}
	return all
}

// title returns the family's logic and name.
func (f *family) title() string { return clean(strings.TrimSuffix(f.Logic+"/"+f.Name, "/")) }

func (d *division) familiesHref() string {
	if d.runs == nil {
		return ""
	}
	return "families/" + d.track.slug + "/" + d.slug + ".html"
}

// families computes, for each of a division's families, the share that each solver solves and the statistics of the
// runs.
func (s *site) families(d *division, all []family) *familiesBody {
	t, limit := d.runs, d.limits.wall
	solved := &table{ID: "solved", Heat: true, Filter: true,
		Caption: "Share of each family's benchmarks solved, in percent",
		Cols:    []col{{"Family", "", false}, {"Benchmarks", "", true}}}
	order := t.sortedSolvers()
	for _, i := range order {
		solved.Cols = append(solved.Cols, col{clean(t.Solvers[i]), "", true})
	}
	solved.Cols = append(solved.Cols, col{vbsName, "the virtual best solver", true})
	stats := &table{ID: "statistics", Filter: true, Caption: "Statistics by family and solver. " + aboutStatistics,
		Cols: append([]col{{"Family", "", false}, {"Solver", "", false}}, limited(statisticsColumns, limit)...)}
	for _, f := range all {
		name := f.title()
		each, vbs := t.statisticsOf(f.runs, limit)
		shares := make([]cell, len(t.Solvers)+1)
		benchmarks := map[uint32]bool{}
		ran := make([]int64, len(t.Solvers))
		for _, i := range f.runs {
			benchmarks[t.bench[i]] = true
			ran[t.solver[i]]++
		}
		for i := range shares {
			shares[i] = cell{Num: true, Sort: "-1"}
		}
		for i := range each {
			x := &each[i]
			k := slices.Index(t.Solvers, x.solver)
			shares[slices.Index(order, k)] = heatCell(int64(x.solved), ran[k])
			stats.Rows = append(stats.Rows, row{Cells: append([]cell{head(name, ""),
				linked(x.solver, s.m.solver(x.solver).href())}, limited(x.cells(), limit)...)})
		}
		shares[len(order)] = heatCell(int64(vbs.solved), int64(len(benchmarks)))
		solved.Rows = append(solved.Rows, row{Cells: append([]cell{head(name, f.href(d)),
			count(int64(len(benchmarks)))}, shares...)})
	}
	return &familiesBody{Solved: solved, Statistics: stats, Division: link{clean(d.name), d.href()}}
}

// folder returns the part that the family's benchmark paths share.
func (f *family) folder() string {
	if f.Name == "" {
		return "/" + f.Logic + "/"
	}
	return "/" + f.Logic + "/" + f.Name + "/"
}
