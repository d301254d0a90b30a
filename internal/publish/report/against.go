package report

import (
	"cmp"
	"math"
	"slices"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// duel is a benchmark on which a solver and the best other solver differ, with the ratio of their wall times. The ratio
// is infinite if only one of the two solved the benchmark.
type duel struct {
	d                        *division
	Benchmark, Logic, Family string
	Own, Rivals              float64 // wall times in seconds; infinite for a run that is not correct
	Rival                    string  // the best other solver
	Factor                   float64
}

// duels holds the benchmarks on which a solver did best and worst compared with the best other solver, in order of
// decreasing difference.
type duels struct{ Strong, Weak []duel }

// A page lists at most maxDuels benchmarks of each kind, perDivision benchmarks of each division, and one benchmark of
// each family, because a family's benchmarks are alike.
const maxDuels, perDivision = 12, 3

// leastFactor is the smallest factor that the page lists.
const leastFactor = 1.2

// leastTime is the wall time in seconds below which a difference counts as noise.
const leastTime = 0.1

// against adds every solver's duels to all, by the solver's name.
func (m *model) against() map[string]*duels {
	all := map[string]*duels{}
	for _, t := range m.tracks {
		for _, d := range t.divisions {
			if d.runs == nil {
				continue
			}
			for i, of := range d.runs.Duels {
				name := d.runs.Solvers[i]
				if all[name] == nil {
					all[name] = &duels{}
				}
				all[name].Strong = append(all[name].Strong, d.named(of.Strong)...)
				all[name].Weak = append(all[name].Weak, d.named(of.Weak)...)
			}
		}
	}
	for _, x := range all {
		for _, list := range []*[]duel{&x.Strong, &x.Weak} {
			slices.SortStableFunc(*list, duel.compare)
			*list = (*list)[:min(len(*list), maxDuels)]
		}
	}
	return all
}

// compare sorts by decreasing difference: by the factor and, where only one solver has an answer, by that solver's
// time.
func (x duel) compare(y duel) int {
	return cmp.Or(cmp.Compare(y.Factor, x.Factor),
		cmp.Compare(max(leastTime, min(x.Own, x.Rivals)), max(leastTime, min(y.Own, y.Rivals))))
}

// named sets the division of its duels.
func (d *division) named(list []duel) []duel {
	for i := range list {
		list[i].d = d
	}
	return list
}

// duels returns every solver's clearest duels, by the solver's number.
func (t *runTable) duels() []duels {
	of := make([]duels, len(t.Solvers))
	correct, ok := t.verdicts.at[string(comp.Correct)]
	if !ok {
		return of
	}
	exact := func(i int) float64 { // wall time of a correct run; infinite for any other run
		if int(t.verdict[i]) != correct {
			return math.Inf(1)
		}
		return t.wall[i]
	}
	wall := func(i int) float64 { return max(exact(i), leastTime) }
	for from, to := 0, 0; from < len(t.bench); from = to {
		best, second := -1, -1
		for to = from; to < len(t.bench) && t.bench[to] == t.bench[from]; to++ {
			switch {
			case best < 0 || wall(to) < wall(best):
				best, second = to, best
			case second < 0 || wall(to) < wall(second):
				second = to
			}
		}
		for i := from; i < to; i++ {
			other := best
			if i == best {
				other = second
			}
			if other < 0 {
				continue
			}
			bench := &t.benches[t.bench[i]]
			ref := &t.families[bench.Family]
			x := duel{Benchmark: bench.Path, Logic: t.Logics[ref.Logic], Family: ref.Name, Own: exact(i),
				Rivals: exact(other), Rival: t.Solvers[t.solver[other]]}
			mine, theirs := wall(i), wall(other)
			switch lists := &of[t.solver[i]]; {
			case theirs/mine >= leastFactor:
				x.Factor = theirs / mine
				lists.Strong = keep(lists.Strong, x)
			case mine/theirs >= leastFactor:
				x.Factor = mine / theirs
				lists.Weak = keep(lists.Weak, x)
			}
		}
	}
	return of
}

// keep adds a duel to a division's list of the clearest duels, at most one per family, if the duel is clear enough.
func keep(list []duel, x duel) []duel {
	if len(list) == perDivision && x.compare(list[perDivision-1]) >= 0 {
		return list
	}
	if at := slices.IndexFunc(list, func(y duel) bool { return y.Logic == x.Logic && y.Family == x.Family }); at >= 0 {
		if x.compare(list[at]) >= 0 {
			return list
		}
		list = slices.Delete(list, at, at+1)
	}
	list = append(list, x)
	slices.SortStableFunc(list, duel.compare)
	return list[:min(len(list), perDivision)]
}

// duelTable lists benchmarks on which the solver and the best other solver differ.
func duelTable(id, caption, solver string, list []duel) *table {
	tab := &table{ID: id, Caption: caption, Paths: true, Cols: []col{{"Benchmark", "links to the solver's run", false},
		{"Division", "", false}, {"Wall time", "seconds; –: not solved", true},
		{"Best of the others", "links to its run", false}, {"Its wall time", "seconds; –: not solved", true},
		{"Factor", "between the wall times; times below 0.1 s count as 0.1 s", true}}}
	for _, x := range list {
		rival := linked(x.Rival, x.d.runHref(x.Benchmark, x.Rival))
		if math.IsInf(x.Rivals, 1) {
			rival = text("nobody")
		}
		ratio := none()
		if !math.IsInf(x.Factor, 1) {
			ratio = decimal(x.Factor, 1)
		}
		tab.Rows = append(tab.Rows, row{Cells: []cell{head(x.Benchmark, x.d.runHref(x.Benchmark, solver)),
			linked(x.d.name, x.d.href()), solvedIn(x.Own), rival, solvedIn(x.Rivals), ratio}})
	}
	return tab.orNil()
}

// solvedIn returns the wall time of a correct run.
func solvedIn(wall float64) cell {
	if math.IsInf(wall, 1) {
		return none()
	}
	return timeCell(wall)
}
