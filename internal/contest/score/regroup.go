package score

import (
	"errors"
	"fmt"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// oneLimit reports divisions in the rule set that combine runs with different time limits or numbers of cores.
func (t *Track) oneLimit() error {
	first := map[string]limits{}
	mixed := map[string]bool{}
	for i := range t.Benchmarks {
		b := &t.Benchmarks[i]
		l, ok := first[b.Division]
		if !ok {
			first[b.Division] = limits{b.Limit, b.Cores}
		} else if l != (limits{b.Limit, b.Cores}) {
			mixed[b.Division] = true
		}
	}
	var errs []error
	for _, d := range sortedKeys(mixed) {
		errs = append(errs, fmt.Errorf("the rule set merges runs with different T or m in division %s of track %s", d,
			t.Name))
	}
	return errors.Join(errs...)
}

// regrouped returns the track with the divisions of the rule set's year instead of the runs' divisions. A logic without
// a division there keeps its own.
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
		if division, ok := rs.Divisions.Of(t.Name, comp.Logic(old.logic)); ok {
			now.division = string(division)
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
