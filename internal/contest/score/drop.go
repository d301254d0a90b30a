package score

import (
	"slices"

	"github.com/zclconf/go-cty/cty"
)

// drop removes the runs that the rule set drops. Benchmarks without remaining runs are not counted.
func (e *scoring) drop() error {
	var dropped []bool
	for _, d := range e.rs.Drops {
		if d.Tracks != nil && !slices.Contains(d.Tracks, e.t.Name) {
			continue
		}
		c := newCompiler(e.rs, e.rd, false)
		when := c.expr(d.When, cty.Bool)
		if c.diags.HasErrors() {
			return c.diags
		}
		if len(when.Uses()) == 0 {
			if v, diags := d.When.Value(c.outer); !diags.HasErrors() && v.IsKnown() && v.False() {
				continue
			}
		}
		p := &program{where: when, lets: c.lets}
		p.collectUses()
		ch := &chunk{ctx: e.ctx, t: e.t, lo: 0, hi: e.t.Len(), values: valuesFor(e.t, p.uses)}
		if err := ch.build(p); err != nil {
			return err
		}
		vals, err := when.Bools(ch.ctx, ch.frame)
		if err != nil {
			return err
		}
		for i, v := range vals {
			if v {
				if dropped == nil {
					dropped = make([]bool, e.t.Len())
				}
				dropped[i] = true
			}
		}
	}
	if dropped != nil {
		e.t = e.t.without(dropped)
	}
	return nil
}

// without returns a copy of the track without the dropped runs, and without the benchmarks, logics and divisions that
// have no other runs. Entrants without a run stay in the other logics.
func (t *Track) without(dropped []bool) *Track {
	out := &Track{Name: t.Name, Solvers: t.Solvers, rests: t.rests, noCPU: t.noCPU}
	ids := make([]int32, len(t.Benchmarks))
	groups := make([]int32, len(t.groups))
	for i := range ids {
		ids[i] = -1
	}
	for i := range groups {
		groups[i] = -1
	}
	for i, drop := range dropped {
		if drop {
			continue
		}
		b := t.benchmark[i]
		if ids[b] < 0 {
			bench := t.Benchmarks[b]
			if groups[bench.group] < 0 {
				groups[bench.group] = int32(len(out.groups))
				out.groups = append(out.groups, t.groups[bench.group])
			}
			bench.group = groups[bench.group]
			ids[b] = int32(len(out.Benchmarks))
			out.Benchmarks = append(out.Benchmarks, bench)
		}
		out.add(ids[b], t.solver[i], t.answer.At(i), t.wall[i], t.cpu[i], t.rest[i])
	}
	for _, x := range t.entered {
		if g := groups[x.group]; g >= 0 {
			out.entered = append(out.entered, entry{g, x.solver})
		}
	}
	return out
}
