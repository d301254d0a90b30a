package score

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

// recognisers compute each kind of recognition. init fills the table to avoid a reference cycle with the rule set
// decoder.
var recognisers map[string]func(*scoring, *Recognition) (RecognitionResult, error)

func init() {
	recognisers = map[string]func(*scoring, *Recognition) (RecognitionResult, error){
		"biggest_lead":         (*scoring).biggestLead,
		"largest_contribution": (*scoring).largestContribution,
		"smallest_sum":         (*scoring).smallestSum,
		"overall":              (*scoring).overall,
		"restricted":           (*scoring).restricted,
		"breadth":              (*scoring).breadth,
		"new_entrants":         (*scoring).newEntrants,
		"contributors":         (*scoring).contributors,
		"derived_any_division": (*scoring).derivedAny,
	}
}

// recognise computes the track's recognitions.
func (e *scoring) recognise() error {
	for _, r := range e.rs.Recognition {
		if !slices.Contains(r.Tracks, e.t.Name) && !(e.on("competition_wide_for_application") &&
			slices.Contains(r.Published, e.t.Name)) {
			continue
		}
		res, err := recognisers[r.Kind](e, r)
		if err != nil {
			return fmt.Errorf("recognition %s: %w", r.Name, err)
		}
		if res.Views == nil {
			continue // nothing to recognise
		}
		if err := e.bar(&res, r); err != nil {
			return fmt.Errorf("recognition %s: %w", r.Name, err)
		}
		res.Name, res.Kind = r.Name, r.Kind
		e.result.Recognitions = append(e.result.Recognitions, res)
	}
	return nil
}

// bar makes entries ineligible in divisions where the rule set allows no winner.
func (e *scoring) bar(res *RecognitionResult, r *Recognition) error {
	if r.Wins == nil {
		return nil
	}
	for i := range res.Views {
		v := &res.Views[i]
		barred := false
		for j := range v.Entries {
			x := &v.Entries[j]
			wins, err := e.ofDivision(r.Wins, x.Division, x.Division)
			if err != nil {
				return err
			}
			if !wins {
				x.Eligible, barred = false, true
			}
		}
		if barred {
			v.nameWinners()
		}
	}
	return nil
}

// eachView calls f for each view in which a recognition is computed, for two views at a time.
func (e *scoring) eachView(r *Recognition, f func(i int, v *View) (RecognitionView, error)) (RecognitionResult, error) {
	var group errgroup.Group
	group.SetLimit(2)
	var views []*RecognitionView
	errs := make([]error, len(e.views))
	for i, v := range e.views {
		if !v.Recognise || len(r.Views) > 0 && !slices.Contains(r.Views, v.Name) {
			continue
		}
		var view RecognitionView
		views = append(views, &view)
		group.Go(func() error {
			view, errs[i] = f(i, v)
			view.View = v.Name
			return nil
		})
	}
	_ = group.Wait() // errs has the errors, in the order of the views
	var out RecognitionResult
	for _, view := range views {
		out.Views = append(out.Views, *view)
	}
	return out, cmp.Or(errs...)
}

// rankKey orders the entries of a competition-wide ranking exactly: more is better, first by n, then by time.
type rankKey struct{ n, time *big.Rat }

func (k rankKey) compare(o rankKey) int {
	by := o.n.Cmp(k.n)
	if by == 0 && k.time != nil && o.time != nil {
		by = o.time.Cmp(k.time)
	}
	return by
}

// finish sorts the entries, best first, and names the winners: the best eligible entry and all that tie with it, except
// solvers that solved nothing.
func (v *RecognitionView) finish() {
	slices.SortStableFunc(v.Entries, func(a, b RecognitionEntry) int {
		return cmp.Or(a.key.compare(b.key), strings.Compare(a.Division, b.Division), strings.Compare(a.Solver,
			b.Solver))
	})
	v.nameWinners()
}

func (v *RecognitionView) nameWinners() {
	v.Winners = []Winner{}
	var best *rankKey
	for i := range v.Entries {
		x := &v.Entries[i]
		if !x.Eligible {
			continue
		}
		if best == nil {
			best = &x.key
		}
		if x.key.compare(*best) != 0 {
			break
		}
		if !x.SolvedNothing {
			v.Winners = append(v.Winners, Winner{x.Division, x.Solver})
		}
	}
	v.explain(best != nil)
}

// explain sets the reason why nobody is recognised. ranked means that some entry is eligible.
func (v *RecognitionView) explain(ranked bool) {
	switch {
	case len(v.Winners) > 0:
		v.NoWinner = ""
	case ranked:
		v.NoWinner = "the first solver solved nothing"
	default:
		v.NoWinner = "no solver is ranked that may win"
	}
}

// mayWinRecognition reports whether a solver can win a competition-wide recognition. It must be competitive in at least
// one division and, if it is derived, better than its base there (SMT-COMP 2026 rules, §7.5; A14).
func (e *scoring) mayWinRecognition(s int32) bool {
	return slices.ContainsFunc(e.result.Divisions, func(d *DivisionResult) bool {
		r := d.derived(e.t.Solvers[s].Name)
		return d.admitted[s].Competes && (r == nil || r.Eligible)
	})
}

// ratio returns (a + 1) / (b + 1).
func ratio(a, b *big.Rat) *big.Rat {
	one := big.NewRat(1, 1)
	return new(big.Rat).Quo(new(big.Rat).Add(a, one), new(big.Rat).Add(b, one))
}

func ratOf(n int64) *big.Rat { return new(big.Rat).SetInt64(n) }

func floatOf(r *big.Rat) float64 {
	f, _ := r.Float64()
	return f
}

func floatRef(r *big.Rat) *float64 {
	f := floatOf(r)
	return &f
}

// derivedAny reports, for every derived solver, whether it is better than its base in some division.
func (e *scoring) derivedAny(*Recognition) (RecognitionResult, error) {
	view := RecognitionView{}
	for i := range e.t.Solvers {
		s := &e.t.Solvers[i]
		if s.BaseSolver != "" {
			eligible := slices.ContainsFunc(e.result.Divisions, func(d *DivisionResult) bool {
				return slices.ContainsFunc(d.Derived, func(r DerivedResult) bool {
					return r.Solver == s.Name &&
						r.Eligible
				})
			})
			view.Entries = append(view.Entries, RecognitionEntry{Solver: s.Name, Eligible: eligible})
		}
	}
	slices.SortFunc(view.Entries, func(a, b RecognitionEntry) int { return strings.Compare(a.Solver, b.Solver) })
	return RecognitionResult{Views: []RecognitionView{view}}, nil
}

// breadth counts the divisions that each solver entered, and names the solvers that entered most (SMT-COMP 2015 rules,
// §7.5 "Breadth of logics").
func (e *scoring) breadth(*Recognition) (RecognitionResult, error) {
	counts, totals := make([]int, len(e.t.Solvers)), make([]Cell, len(e.t.Solvers))
	for d := range e.divisions {
		for s := range e.t.Solvers {
			if c := e.cellOf(0, e.logics[d], s); c.Runs > 0 {
				counts[s]++
				totals[s].Correct += c.Correct
			}
		}
	}
	view := RecognitionView{}
	for s, n := range counts {
		if n > 0 {
			view.Entries = append(view.Entries, RecognitionEntry{Solver: e.t.Solvers[s].Name, Divisions: n,
				Score: float64(n), Eligible: e.mayWinRecognition(int32(s)),
				SolvedNothing: e.solvedNothing(&totals[s]), key: rankKey{n: ratOf(int64(n))}})
		}
	}
	view.finish()
	return RecognitionResult{Views: []RecognitionView{view}}, nil
}

// restricted ranks every division by the runs on some benchmarks only, as for best industrial performance (SMT-COMP
// 2015 rules, §7.5).
func (e *scoring) restricted(r *Recognition) (RecognitionResult, error) {
	if r.Where == nil {
		return RecognitionResult{}, fmt.Errorf("a recognition of kind \"restricted\" needs the attribute where")
	}
	counted, err := e.countBenchmarks(&View{Of: r.Where}, nil)
	if err != nil {
		return RecognitionResult{}, err
	}
	sizes := make([]int, len(e.t.groups))
	outside := slices.Clone(e.removed)
	for b, ok := range counted {
		if ok {
			sizes[e.t.Benchmarks[b].group]++
		} else {
			outside[b] = true
		}
	}
	saved, all := e.removed, e.cells
	e.removed, e.cells = outside, slices.Clone(e.cells)
	defer func() { e.removed, e.cells = saved, all }()
	return e.eachView(r, func(i int, v *View) (RecognitionView, error) {
		e.cells[i] = e.addUp(i, e.vbss[i].s)
		var out RecognitionView
		for d, div := range e.result.Divisions {
			out.Rankings = append(out.Rankings, NamedRanking{div.Name, e.ranking(i, div, e.logics[d], sizes)})
		}
		return out, nil
	})
}
