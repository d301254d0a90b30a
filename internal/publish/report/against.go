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
	d      *division
	run    int32
	other  int32 // index of the best other solver's run; -1 if no other solver has one
	factor float64
	wall   float64 // wall time of the better solver
}

// duels holds the benchmarks on which a solver did best and worst compared with the best other solver, in order of
// decreasing difference.
type duels struct{ strong, weak []duel }

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
			if d.runs != nil {
				d.against(all)
			}
		}
	}
	for _, x := range all {
		for _, list := range []*[]duel{&x.strong, &x.weak} {
			slices.SortStableFunc(*list, duel.compare)
			*list = (*list)[:min(len(*list), maxDuels)]
		}
	}
	return all
}

// compare sorts by decreasing difference: by the factor and, where only one solver has an answer, by that solver's
// time.
func (x duel) compare(y duel) int {
	return cmp.Or(cmp.Compare(y.factor, x.factor), cmp.Compare(x.wall, y.wall))
}

func (d *division) against(all map[string]*duels) {
	t := d.runs
	correct, ok := t.verdicts.at[string(comp.Correct)]
	if !ok {
		return
	}
	wall := func(i int) float64 { // wall time of a correct run; infinite for any other run
		if int(t.verdict[i]) != correct {
			return math.Inf(1)
		}
		return max(t.wall[i], leastTime)
	}
	of := make([]duels, len(t.solvers.list))
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
			mine, theirs := wall(i), wall(other)
			switch lists := &of[t.solver[i]]; {
			case theirs/mine >= leastFactor:
				lists.strong = keep(lists.strong, duel{d, int32(i), int32(other), theirs / mine, mine})
			case mine/theirs >= leastFactor:
				lists.weak = keep(lists.weak, duel{d, int32(i), int32(other), mine / theirs, theirs})
			}
		}
	}
	for i, name := range t.solvers.list {
		if all[name] == nil {
			all[name] = &duels{}
		}
		all[name].strong = append(all[name].strong, of[i].strong...)
		all[name].weak = append(all[name].weak, of[i].weak...)
	}
}

// family returns the benchmark's logic and family.
func (x duel) family() (logic int, name string) {
	t := x.d.runs
	ref := &t.families[t.benches[t.bench[x.run]].Family]
	return ref.Logic, ref.Name
}

// keep adds a duel to a division's list of the clearest duels, at most one per family, if the duel is clear enough.
func keep(list []duel, x duel) []duel {
	if len(list) == perDivision && x.compare(list[perDivision-1]) >= 0 {
		return list
	}
	logic, family := x.family()
	if at := slices.IndexFunc(list, func(y duel) bool {
		l, f := y.family()
		return l == logic && f == family
	}); at >= 0 {
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
func (s *site) duelTable(id, caption string, list []duel) *table {
	tab := &table{ID: id, Caption: caption, Paths: true, Cols: []col{{"Benchmark", "links to the solver's run", false},
		{"Division", "", false}, {"Wall time", "seconds; –: not solved", true},
		{"Best of the others", "links to its run", false}, {"Its wall time", "seconds; –: not solved", true},
		{"Factor", "between the wall times; times below 0.1 s count as 0.1 s", true}}}
	for _, x := range list {
		t := x.d.runs
		path := t.benches[t.bench[x.run]].Path
		solver, other := t.solvers.list[t.solver[x.run]], t.solvers.list[t.solver[x.other]]
		rival := linked(other, x.d.runHref(path, other))
		if t.verdicts.list[t.verdict[x.other]] != string(comp.Correct) {
			rival = text("nobody")
		}
		ratio := none()
		if !math.IsInf(x.factor, 1) {
			ratio = decimal(x.factor, 1)
		}
		tab.Rows = append(tab.Rows, row{Cells: []cell{head(path, x.d.runHref(path, solver)),
			linked(x.d.name, x.d.href()), t.solvedIn(x.run), rival, t.solvedIn(x.other), ratio}})
	}
	return tab.orNil()
}

// solvedIn returns the wall time of a correct run.
func (t *runTable) solvedIn(run int32) cell {
	if t.verdicts.list[t.verdict[run]] != string(comp.Correct) {
		return none()
	}
	return timeCell(t.wall[run])
}
