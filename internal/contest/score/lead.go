package score

import "math/big"

// biggestLead ranks the winners of divisions by their lead over the next competitive solver (SMT-COMP 2019 rules,
// §7.3.1; 2022, §7.3.1; 2026, §7.3.2; A14, A17).
func (e *scoring) biggestLead(r *Recognition) (RecognitionResult, error) {
	return e.eachView(r, func(_ int, v *View) (RecognitionView, error) {
		var out RecognitionView
		for _, d := range e.result.Divisions {
			first, second := e.leaders(d.Ranking(v.Name))
			// If cores exceed their benchmarks, the sum can be -1, which makes the divisor zero
			// (reductions_below_zero).
			if first != nil && second != nil && second.Cell.Correct != -1 {
				out.Entries = append(out.Entries, e.lead(d.Name, v, first, second, r.TimeBreaksTies ||
					e.on("lead_time_breaks_ties")))
			}
		}
		out.finish()
		return out, nil
	})
}

// leaders returns the two entries to compare, or nil.
func (e *scoring) leaders(r *Ranking) (first, second *Entry) {
	switch {
	case e.on("lead_of_first_two_rows"):
		// The first two listed rows, whichever solvers they are.
		listed := e.listed(r)
		if len(listed) < 2 || listed[0].Cell.Correct == 0 {
			return nil, nil
		}
		return listed[0], listed[1]
	case e.on("lead_of_first_two_names"):
		return e.leadersByName(r)
	}
	if len(r.Winners) == 0 {
		return nil, nil
	}
	for i := range r.Entries {
		x := &r.Entries[i]
		switch {
		case first == nil && x.Eligible:
			first = x
		case first != nil && x.competes():
			return first, x
		}
	}
	return nil, nil
}

// leadersByName follows the organisers' practice of 2019 to 2023. It returns a division's two best competitive solvers
// if it has at least two solver names, or nil if the first solved nothing.
func (e *scoring) leadersByName(r *Ranking) (first, second *Entry) {
	names := map[string]bool{}
	for i := range r.Entries {
		x := &r.Entries[i]
		if !x.Competitive {
			continue
		}
		names[x.Solver] = true
		switch {
		case first == nil:
			first = x
		case second == nil:
			second = x
		}
	}
	if len(names) < 2 || first.Cell.Correct == 0 {
		return nil, nil
	}
	return first, second
}

// lead computes a division's rank keys.
func (e *scoring) lead(division string, v *View, first, second *Entry, timeBreaksTies bool) RecognitionEntry {
	a, b := &first.Cell, &second.Cell
	n := ratio(ratOf(a.Correct), ratOf(b.Correct))
	c := ratio(b.CPU.rat(), a.CPU.rat())
	out := RecognitionEntry{
		Division: division, Solver: first.Solver, Second: second.Solver, Competitive: first.Competitive, Eligible: true,
		Score: floatOf(n), CPURank: floatRef(c),
	}
	var time *big.Rat
	if v.Time == "c" {
		time = c
	} else {
		time = ratio(b.Wall.rat(), a.Wall.rat())
		out.WallRank = floatRef(time)
	}
	if e.t.noCPU {
		out.CPURank = nil
	}
	out.key, out.TimeScore = rankKey{n: n}, floatOf(time)
	if timeBreaksTies {
		out.key.time = time
	}
	return out
}
