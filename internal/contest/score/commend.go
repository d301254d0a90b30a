package score

import (
	"cmp"
	"slices"
	"strings"
)

// newEntrants commends new entrants that beat an existing solver in some division (SMT-COMP 2019, 2022 and 2026 rules,
// §7.4). Such an entrant competes, can win, solved something, and ranks above a solver that is not new, regardless of
// who submitted that solver and whether the division is competitive. Each division has an entry whose second is the
// best beaten solver and whose score is the number of beaten solvers.
func (e *scoring) newEntrants(r *Recognition) (RecognitionResult, error) {
	if !slices.ContainsFunc(e.t.Solvers, func(s Solver) bool { return s.NewEntrant }) {
		return RecognitionResult{}, nil
	}
	return e.eachView(r, func(_ int, v *View) (RecognitionView, error) {
		out := RecognitionView{Winners: []Winner{}}
		for _, d := range e.result.Divisions {
			ranking := d.Ranking(v.Name)
			for i := range ranking.Entries {
				x := &ranking.Entries[i]
				if !e.t.Solvers[x.solver].NewEntrant || !x.competes() || e.solvedNothing(&x.Cell) {
					continue
				}
				if beaten := e.beaten(x, ranking.Entries, e.order(v)); len(beaten) > 0 {
					out.Entries = append(out.Entries, RecognitionEntry{Division: d.Name, Solver: x.Solver,
						Second: beaten[0], Score: float64(len(beaten)), Competitive: true, Eligible: true})
				}
			}
		}
		slices.SortFunc(out.Entries, func(a, b RecognitionEntry) int {
			return cmp.Or(strings.Compare(a.Solver, b.Solver), strings.Compare(a.Division, b.Division))
		})
		for _, x := range out.Entries {
			out.Winners = append(out.Winners, Winner{x.Division, x.Solver})
		}
		return out, nil
	})
}

// beaten returns the solvers that are not new and rank strictly below an entry, best first.
func (e *scoring) beaten(x *Entry, entries []Entry, order []Key) []string {
	var names []string
	for i := range entries {
		y := &entries[i]
		if !e.t.Solvers[y.solver].NewEntrant && y.Excluded == "" && x.Excluded == "" &&
			x.Cell.compare(&y.Cell, order) < 0 {
			names = append(names, y.Solver)
		}
	}
	return names
}

// contributors lists the contributors of new benchmarks that were used (SMT-COMP 2015 rules, §7.5; 2019, 2022 and 2026
// rules, §7.4), with the number of benchmarks. A contributor is identified by the top-level folder of the family, which
// belongs to the submitter (§6 "Benchmark demographics").
func (e *scoring) contributors(*Recognition) (RecognitionResult, error) {
	counts := map[string]int{}
	for i := range e.t.Benchmarks {
		if folder, _, _ := strings.Cut(e.t.Benchmarks[i].Family, "/"); folder != "" {
			counts[folder]++
		}
	}
	if len(counts) == 0 {
		return RecognitionResult{}, nil
	}
	out := RecognitionView{}
	for _, folder := range sortedKeys(counts) {
		out.Entries = append(out.Entries, RecognitionEntry{Item: folder, Score: float64(counts[folder])})
	}
	return RecognitionResult{Views: []RecognitionView{out}}, nil
}
