package score

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/data/table"
)

// addAbsent adds a view's charge for benchmarks that a solver has no run on, in each division with a logic that the
// solver entered.
func (e *scoring) addAbsent(v *View, cells []Cell) error {
	absent, err := e.absentOf(v)
	if absent == nil || err != nil {
		return err
	}
	wall, cpu := absent.wall, absent.cpu
	solvers := len(e.t.Solvers)
	total := make([]struct{ wall, cpu Sum }, len(e.t.groups))
	for i := range e.t.Benchmarks {
		if !e.removed[i] {
			g := e.t.Benchmarks[i].group
			total[g].wall, total[g].cpu = total[g].wall.Plus(wall[i]), total[g].cpu.Plus(cpu[i])
		}
	}
	run := make([]struct{ wall, cpu Sum }, len(cells))
	entered := make([]bool, len(e.divisions)*solvers)
	seen := bitTable{}
	for i, b := range e.t.benchmark {
		g := e.t.Benchmarks[b].group
		entered[int(e.divOf[g])*solvers+int(e.t.solver[i])] = true
		if e.removed[b] || seen.set(int(b), int(e.t.solver[i])) {
			continue
		}
		r := &run[int(g)*solvers+int(e.t.solver[i])]
		r.wall, r.cpu = r.wall.Plus(wall[b]), r.cpu.Plus(cpu[b])
	}
	for g := range e.t.groups {
		for s := range solvers {
			if !entered[int(e.divOf[g])*solvers+s] {
				continue
			}
			c := &cells[g*solvers+s]
			c.Wall = c.Wall.Plus(total[g].wall.Minus(run[g*solvers+s].wall))
			c.CPU = c.CPU.Plus(total[g].cpu.Minus(run[g*solvers+s].cpu))
		}
	}
	return nil
}

// charge is the time that a benchmark without a run adds to a solver's times.
type charge struct{ wall, cpu []Sum }

// absentOf returns a view's charges by benchmark, or nil if it has none.
func (e *scoring) absentOf(v *View) (*charge, error) {
	if v.Absent == nil {
		return nil, nil
	}
	wall, err := e.absentTimes(v, v.Absent.Wall)
	if err != nil {
		return nil, err
	}
	cpu, err := e.absentTimes(v, v.Absent.CPU)
	return &charge{wall, cpu}, err
}

// absentTimes evaluates a charge for every benchmark.
func (e *scoring) absentTimes(v *View, expr hcl.Expression) ([]Sum, error) {
	if expr == nil {
		return make([]Sum, len(e.t.Benchmarks)), nil
	}
	c := newCompiler(e.rs, e.rd, false)
	t := c.time(expr)
	if c.diags.HasErrors() {
		return nil, c.diags
	}
	p := &program{wall: t, lets: c.lets}
	p.collectUses()
	ch, err := e.perBenchmark(v, p)
	if err != nil {
		return nil, err
	}
	sums, err := ch.evalTimes(t)
	if err != nil {
		return nil, err
	}
	out := make([]Sum, ch.n())
	for i := range out {
		out[i] = sums.at(i)
	}
	return out, nil
}

// countBenchmarks returns, for every benchmark, whether a view counts it. It evaluates the view's expression over
// benchmarks. If the condition refers to runs, a benchmark counts if one of its runs does.
func (e *scoring) countBenchmarks(v *View, s *scored) ([]bool, error) {
	expr := v.Of
	if expr == nil {
		expr = v.Where
	}
	if expr == nil {
		return e.remaining(nil), nil
	}
	c := newCompiler(e.rs, e.rd, v.Of == nil)
	if v.Of == nil {
		c.define(v.Let) // which "of" cannot use
	}
	of := c.expr(expr, cty.Bool)
	if c.diags.HasErrors() {
		return nil, c.diags
	}
	p := &program{where: of, lets: c.lets}
	p.collectUses()
	ofRuns := func(name string) bool { return name != "track" && !strings.HasPrefix(name, "b.") }
	if v.Of == nil && slices.ContainsFunc(p.uses, ofRuns) {
		return e.countByRuns(s), nil
	}
	ch, err := e.perBenchmark(v, p)
	if err != nil {
		return nil, err
	}
	vals, err := of.Bools(ch.ctx, ch.frame)
	if err != nil {
		return nil, err
	}
	return e.remaining(vals), nil
}

// remaining reports which of the given benchmarks were not removed; nil means all.
func (e *scoring) remaining(of []bool) []bool {
	out := make([]bool, len(e.removed))
	for i, removed := range e.removed {
		out[i] = !removed && (of == nil || of[i])
	}
	return out
}

// countByRuns reports, for every benchmark, whether the view counts a run of it.
func (e *scoring) countByRuns(s *scored) []bool {
	out := make([]bool, len(e.t.Benchmarks))
	for i, b := range e.t.benchmark {
		out[b] = out[b] || !e.removed[b] && s.keep[i]
	}
	return out
}

// perBenchmark returns a chunk with one row per benchmark, as if each had a single unanswered run at its limit.
func (e *scoring) perBenchmark(v *View, p *program) (*chunk, error) {
	n := len(e.t.Benchmarks)
	one := &Track{Name: e.t.Name, Benchmarks: e.t.Benchmarks, Solvers: []Solver{{}}, groups: e.t.groups}
	one.benchmark, one.solver = make([]int32, n), make([]int32, n)
	one.wall, one.cpu = make([]Time, n), make([]Time, n)
	one.answer, one.rest = table.Dictionary{Words: []string{""}, Codes: make([]int32, n)}, make([]int32, n)
	row := &Row{}
	for i := range e.t.Benchmarks {
		one.benchmark[i] = int32(i)
		row.Limit, row.Cores = e.t.Benchmarks[i].Limit, e.t.Benchmarks[i].Cores
		one.rest[i] = one.restOf(row)
	}
	ch := &chunk{ctx: e.ctx, t: one, lo: 0, hi: n, limit: v.Limit, marks: e.marks, values: valuesFor(e.t, p.uses)}
	return ch, ch.build(p)
}

// countMissing counts the view's benchmarks that a solver has no run on although it entered their logic.
func (e *scoring) countMissing(view int) {
	if !e.on("missing_runs_count") {
		return
	}
	counted, cells := e.counted[view], e.cells[view]
	solvers := len(e.t.Solvers)
	for b, ok := range counted {
		if !ok {
			continue
		}
		g := int(e.t.Benchmarks[b].group)
		for s := range solvers {
			if cells[g*solvers+s].listed() {
				cells[g*solvers+s].Missing++
			}
		}
	}
	var seen bitTable
	for i, b := range e.t.benchmark {
		if counted[b] && !seen.set(int(b), int(e.t.solver[i])) {
			cells[int(e.t.Benchmarks[b].group)*solvers+int(e.t.solver[i])].Missing--
		}
	}
}
