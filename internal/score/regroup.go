package score

// regrouped gives the track with the divisions of the rule set's own table in place of those of the runs. A logic that the
// table does not have keeps its division.
func (t *Track) regrouped(rs *RuleSet) *Track {
	if !rs.Regroup {
		return t
	}
	out := *t
	out.Benchmarks = append([]Benchmark(nil), t.Benchmarks...)
	out.groups = nil
	ids := map[group]int32{}
	moved := make([]int32, len(t.groups))
	for g, old := range t.groups {
		now := old
		if division, ok := rs.DivisionOf(rs.Year, t.Name, old.logic); ok {
			now.division = division
		}
		id, ok := ids[now]
		if !ok {
			id = int32(len(out.groups))
			ids[now] = id
			out.groups = append(out.groups, now)
		}
		moved[g] = id
	}
	for i := range out.Benchmarks {
		b := &out.Benchmarks[i]
		b.group = moved[b.group]
		b.Division = out.groups[b.group].division
	}
	out.entered = nil
	for _, x := range t.entered {
		out.entered = append(out.entered, entry{moved[x.group], x.solver})
	}
	return &out
}
