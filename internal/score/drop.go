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
		ch := &chunk{ctx: e.ctx, t: e.t, lo: 0, hi: e.t.Len()}
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

// without copies the track with some runs left out, and the benchmarks, logics and divisions that have no other run.
func (t *Track) without(dropped []bool) *Track {
	out := &Track{Name: t.Name, Solvers: t.Solvers, noCPU: t.noCPU}
	ids := make([]int32, len(t.Benchmarks))
	groups := make([]int32, len(t.groups))
	for i := range ids {
		ids[i] = -1
	}
	for i := range groups {
		groups[i] = -1
	}
	n := 0
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
		out.copyRun(t, i, n, ids[b])
		n++
	}
	return out
}

// copyRun appends run i of o as run n.
func (t *Track) copyRun(o *Track, i, n int, benchmark int32) {
	if n == 0 {
		t.limit.Default, t.cores.Default = o.limit.Default, o.cores.Default
		for c := range t.ints {
			t.ints[c].Default = o.ints[c].Default
		}
		for c := range t.times {
			t.times[c].Default = o.times[c].Default
		}
	}
	t.benchmark = append(t.benchmark, benchmark)
	t.solver = append(t.solver, o.solver[i])
	t.wall = append(t.wall, o.wall[i])
	t.cpu = append(t.cpu, o.cpu[i])
	t.limit.Set(n, o.limit.At(i))
	t.cores.Set(n, o.cores.At(i))
	t.answer.Set(n, o.answer.At(i))
	t.exclude.Set(n, o.exclude.At(i))
	for c := range t.ints {
		t.ints[c].Set(n, o.ints[c].At(i))
	}
	for c := range t.times {
		t.times[c].Set(n, o.times[c].At(i))
	}
	for c := range t.strings {
		t.strings[c].Set(n, o.strings[c].At(i))
	}
}
