package score

import (
	"maps"
	"slices"
)

// Join appends the runs of another Builder, whose benchmarks must follow this one's in ascending order. The last
// benchmark here may be the first one there. It returns false if the runs do not have this order, or if any of them
// contradict each other: then both Builders are useless, and Add has to be called with all rows to find out why.
func (b *Builder) Join(o *Builder) bool {
	for _, part := range o.runs.Tracks {
		if b.runs.byName[part.Name] == nil {
			b.runs.byName[part.Name] = part
			b.runs.Tracks = append(b.runs.Tracks, part)
		} else if !b.track(part.Name).join(part) {
			return false
		}
	}
	return true
}

func (t *Track) join(p *Track) bool {
	if t.unordered || p.unordered || t.spaced != nil || p.spaced != nil || !joinMaps(&t.names, p.names) ||
		!joinMaps(&t.limits, p.limits) {
		return false
	}
	solvers, ok := t.joinSolvers(p)
	if !ok {
		return false
	}
	first, ok := t.joinBenchmarks(p)
	if !ok {
		return false
	}
	last := first + int32(len(p.Benchmarks)) - 1
	for i, b := range p.benchmark { // only these can have runs in another part
		if b += first; (b == first || b == last) && t.pairs.set(int(b), int(solvers[p.solver[i]])) {
			return false
		}
	}
	rests := int32(len(t.rests))
	t.rests, t.noCPU = append(t.rests, p.rests...), t.noCPU || p.noCPU
	t.benchmark = appendEach(t.benchmark, p.benchmark, func(b int32) int32 { return first + b })
	t.solver = appendEach(t.solver, p.solver, func(s int32) int32 { return solvers[s] })
	t.rest = appendEach(t.rest, p.rest, func(r int32) int32 { return rests + r })
	t.wall, t.cpu = append(t.wall, p.wall...), append(t.cpu, p.cpu...)
	codes := appendEach(nil, p.answer.Words, t.answer.Code)
	t.answer.Codes = appendEach(t.answer.Codes, p.answer.Codes, func(k int32) int32 { return codes[k] })
	return true
}

func appendEach[V any](to []int32, from []V, f func(V) int32) []int32 {
	to = slices.Grow(to, len(from))
	for _, v := range from {
		to = append(to, f(v))
	}
	return to
}

// joinMaps adds entries to a map. It returns false if an entry contradicts an earlier one.
func joinMaps[K, V comparable](to *map[K]V, from map[K]V) bool {
	for k, v := range from {
		if known, ok := (*to)[k]; ok && known != v {
			return false
		}
	}
	if *to == nil {
		*to = map[K]V{}
	}
	maps.Copy(*to, from)
	return true
}

// joinSolvers adds a part's solvers and returns their indexes.
func (t *Track) joinSolvers(p *Track) (ids []int32, ok bool) {
	for _, s := range p.Solvers {
		key := solverKey{s.Name, s.ID}
		id, known := t.solverIDs[key]
		if known && t.Solvers[id].Entrant != s.Entrant {
			return nil, false
		}
		if !known {
			id = int32(len(t.Solvers))
			t.Solvers, t.solverIDs[key] = append(t.Solvers, s), id
		}
		ids = append(ids, id)
	}
	return ids, true
}

// joinBenchmarks adds a part's benchmarks and returns the index of the first one.
func (t *Track) joinBenchmarks(p *Track) (first int32, ok bool) {
	t.Benchmarks = slices.Grow(t.Benchmarks, len(p.Benchmarks))
	for i, b := range p.Benchmarks {
		b.group = t.groupOf(p.groups[b.group])
		last := int32(len(t.Benchmarks)) - 1
		switch {
		case i == 0 && b == t.Benchmarks[last]:
			first = last
			continue
		case b.Name <= t.Benchmarks[last].Name:
			return 0, false
		case i == 0:
			first = last + 1
		}
		t.Benchmarks = append(t.Benchmarks, b)
		t.lastID, t.lastName, t.lastDiv = last+1, b.Name, b.Division
	}
	return first, true
}
