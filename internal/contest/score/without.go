package score

// ScoredBy returns the runs in the tracks that a rule set scores.
func (r *Runs) ScoredBy(rs *RuleSet) *Runs {
	out := &Runs{byName: map[string]*Track{}}
	for _, t := range r.Tracks {
		if _, err := newScoring(rs, t, Readings{}); err == nil {
			out.Tracks = append(out.Tracks, t)
			out.byName[t.Name] = t
		}
	}
	return out
}

// Without returns the runs except those on the given benchmarks, which the organisers removed from the results by name
// (SMT-COMP 2026 rules, §8). It also removes logics, divisions and tracks without remaining runs.
func (r *Runs) Without(benchmarks map[string]bool) *Runs {
	out := &Runs{byName: map[string]*Track{}}
	for _, t := range r.Tracks {
		dropped, left := make([]bool, t.Len()), 0
		for i, b := range t.benchmark {
			if dropped[i] = benchmarks[t.Benchmarks[b].Name]; !dropped[i] {
				left++
			}
		}
		if left == 0 {
			continue
		}
		if left < t.Len() {
			t = t.without(dropped)
		}
		out.Tracks = append(out.Tracks, t)
		out.byName[t.Name] = t
	}
	return out
}
